"""All readers on one task: their readings together, a question, or an honest "no recipe for"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labwright.agents.call import Question
from labwright.agents.tool_forging.demands import QUANTITIES, asked_quantities, uncovered
from labwright.agents.tool_forging.known import STANDARD, Known
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.files import spans as file_spans
from labwright.tools.forge.contract import ToolContract

MOST_NAMED = 3  # demands that a refusal names


@dataclass(frozen=True, slots=True)
class NoRecipe:
    """Something in the task that no recipe of the book does.

    Attributes:
        words: of the task.
        reasons: why, in sentences.
        contracts: the tools that would be needed.
        passages: the words one by one, each as it stands in the task; none where the task as a whole is not understood.
    """

    words: str
    reasons: Sequence[str]
    contracts: Sequence[ToolContract]
    passages: Sequence[str] = ()

    @property
    def text(self) -> str:
        """One paragraph for a person."""
        needed = "; ".join(f"`{one.name}`: {one.purpose}" for one in self.contracts)
        tail = [f"It would need a tool that is not in the recipe book: {needed}"] if needed else []
        return " ".join([f"no recipe for: {self.words.rstrip(' .')}.", *self.reasons, *tail])


def read_task(task: TaskText, known: Known = STANDARD) -> list[Reading] | Question | NoRecipe:
    """What the task is, if all of it is known.

    A question comes first: with its answer the rest may fall into place. It is not asked where the readings of others
    do all that is wanted. What one reader cannot do does not matter where another one's reading accounts for the very
    words.
    """
    replies = [reader.read(task) for reader in known.readers()]
    readings = [one for one in replies if isinstance(one, Reading)]
    if readings and all(isinstance(reply, Reading | Question | None) for reply in replies):
        whole = _nothing_left_out(task, readings, [span for one in readings for span in one.covered], known)
        if isinstance(whole, list) and _contradiction(readings) is None:
            return whole  # what another family would still have to know is not needed
    for reply in replies:
        if isinstance(reply, Question):
            return reply
    spans = [*(span for reading in readings for span in reading.covered), *(file_spans(task.text) if readings else ())]
    for reply in replies:
        if isinstance(reply, Unread) and not _accounted_for(reply.words, task.text, spans):
            return NoRecipe(reply.words, [reply.reason], [_contract(reply.words, reply.reason)], _passages(reply))
    if (doubt := _contradiction(readings)) is not None:
        return doubt
    return _nothing_left_out(task, readings, spans, known)


def _passages(reply: Unread) -> Sequence[str]:
    return reply.passages or (reply.words,)


def _nothing_left_out(
    task: TaskText, readings: list[Reading], spans: Sequence[tuple[int, int]], known: Known
) -> list[Reading] | NoRecipe:
    left = uncovered(task, spans)
    if not readings and not left:
        return NoRecipe(_beginning(task.text), ["No family of tasks in the recipe book is meant by these words."], [])
    if left:
        named = [one.words for one in left[:MOST_NAMED]]
        more = len(left) - len(named)
        reasons = [f"{more} more parts of the task are not covered either."] if more else []
        passages = [one.words for one in left] if readings else []
        return NoRecipe("; ".join(named), reasons, [_contract(words, "") for words in named], passages)
    told = [quantities_of(one, known) for one in readings]
    strange = [name for name in asked_quantities(task) if not any(name in one for one in (QUANTITIES, *told))]
    if strange and all(told):  # a family that does not say what it writes is asked afterwards, by the evaluation
        return NoRecipe(f"`{strange[0]}` in results.json", ["No family of tasks in the recipe book gives it."], [])
    return readings


def quantities_of(reading: Reading, known: Known) -> frozenset[str]:
    """Quantities that a family says it writes besides the usual ones; none where it has no attribute of that name."""
    return frozenset(getattr(known.families()[reading.family], "quantities", ()))


def _accounted_for(words: str, text: str, spans: Sequence[tuple[int, int]]) -> bool:
    at = text.find(words)
    return at >= 0 and any(start <= at and at + len(words) <= end for start, end in spans)


def _contradiction(readings: Sequence[Reading]) -> Question | None:
    """Two readings by one family that differ: only a person knows which is meant."""
    seen: dict[str, Reading] = {}
    for one in readings:
        other = seen.setdefault(one.family, one)
        if other.spec != one.spec:
            mine, theirs = one.spec.model_dump(mode="json"), other.spec.model_dump(mode="json")
            differ = [name for name in mine if mine[name] != theirs.get(name)]
            return Question(
                text=f"The task can be read in two ways, which differ in {', '.join(differ)}. Which is meant?",
                options=[_shown(theirs, differ), _shown(mine, differ)],
            )
    return None


def _shown(spec: dict[str, object], names: Sequence[str]) -> str:
    return ", ".join(f"{name} = {spec.get(name)}" for name in names)[:300]


def _contract(words: str, reason: str) -> ToolContract:
    """The contract of a tool for words that nobody understood: its name and purpose are all that can be said."""
    cut = [word for word in re.findall(r"[a-z][a-z0-9]*", words.lower()) if len(word) > 2 and word not in _SMALL]
    name = "_".join(cut[:4])[:60].strip("_") or "unknown_tool"
    purpose = words[:200]
    return ToolContract(name=name, purpose=purpose, package="", method=reason, inputs=[], outputs=[], invariants=[])


_SMALL = frozenset("the and for with from that this into each over all any its are has have not use using then".split())


def _beginning(text: str) -> str:
    lines = [line.strip("# ").strip() for line in text.splitlines() if line.strip("# ").strip()]
    return (lines[0] if lines else "an empty task")[:200]
