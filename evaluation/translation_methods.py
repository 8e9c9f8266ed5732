"""Three ways from an instruction to a call: many agents, retrieval-augmented generation, and a long prompt."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from labwright import prompts
from labwright.agents.call import AgentCall, In, Mind, Out, Question, Refusal, Runtime
from labwright.agents.errors import AgentGaveUp
from labwright.agents.lab_calibration.plan import EXTRACT, ExtractIn, ExtractOut
from labwright.agents.lab_calibration.select import choose
from labwright.agents.lab_calibration.translate import Library, Situation, candidates
from labwright.agents.lab_calibration.translate_at_once import TRANSLATE_AT_ONCE, AtOnceIn, AtOnceOut
from labwright.evaluation.tokens import Counted, count_prompt
from labwright.evaluation.translation_cases import Outcome
from labwright.tools.errors import CallSyntaxError
from labwright.tools.experiments.call import PROCEDURE, ExperimentCall, parse_call
from labwright.tools.experiments.check_call import CheckContext, check_all

QUBITS = ["Q1", "Q2", "Q8"]


@dataclass(frozen=True, slots=True)
class Translated:
    """What came out: calls, a question's text, or neither.

    Attributes:
        outcome: what it is.
        calls: in order.
        detail: what the checks of a call object to, or what is asked, or why nothing came.
    """

    outcome: Outcome
    calls: tuple[ExperimentCall, ...] = ()
    detail: str = ""


Method = Callable[[Mind, str, Library, Situation], Translated]


def agents(rounds: Sequence[int]) -> Method:
    """Algorithm 1: the `rounds[0]` best scoring agents try, then `rounds[1]`, until one has a candidate."""

    def translate(mind: Mind, instruction: str, library: Library, situation: Situation) -> Translated:
        for n_k in rounds:
            found = candidates(mind, instruction, library, situation, n_k)
            if isinstance(found, Question):
                return Translated("ask", detail=found.text)
            if found:
                chosen = choose(mind, instruction, found, situation)
                if isinstance(chosen, Question):
                    return Translated("ask", detail=chosen.text)
                if isinstance(chosen, Refusal):
                    return Translated("refuse", detail=chosen.reason)
                return _called(chosen.code, instruction, library, situation)
        return Translated("refuse", detail=f"no candidate among the {rounds[-1]} nearest agents")

    return translate


def retrieved(n_k: int) -> Method:
    """Algorithm 3: one agent sees the cards of the `n_k` best scoring experiments."""

    def translate(mind: Mind, instruction: str, library: Library, situation: Situation) -> Translated:
        ranked = library.index.rank(instruction, len(library.cards))
        names = [name for name, _ in ranked if not name.startswith(PROCEDURE)][:n_k]
        return _at_once(mind, instruction, names, library, situation)

    return translate


def long_prompt(seed: int = 0) -> Method:
    """One agent sees every experiment's card twice, in an order drawn anew for every instruction."""
    draw = random.Random(seed)

    def translate(mind: Mind, instruction: str, library: Library, situation: Situation) -> Translated:
        names = 2 * [name for name in sorted(library.cards) if not name.startswith(PROCEDURE)]
        draw.shuffle(names)
        return _at_once(mind, instruction, names, library, situation)

    return translate


METHODS: dict[str, Callable[[], Method]] = {
    "agents 3, 5, 7, 9": lambda: agents((3, 5, 7, 9)),
    "agents 2, 4, 6, 8": lambda: agents((2, 4, 6, 8)),
    "agents 9": lambda: agents((9,)),
    "RAG 2": lambda: retrieved(2),
    "long prompt": lambda: long_prompt(),
}
OURS = "agents 3, 5, 7, 9"


def every_order(method: Method, mind: Mind, text: str, library: Library, situation: Situation) -> Translated:
    """A text with several orders: cut into orders first, as a run does, then each translated."""
    try:
        cut = mind.answer(EXTRACT, ExtractIn(text=text, qubits=situation.qubits))
    except AgentGaveUp as error:
        return Translated("refuse", detail=str(error))
    if not isinstance(cut, ExtractOut):
        return Translated("ask" if isinstance(cut, Question) else "refuse", detail="the orders were not found")
    done = [method(mind, order, library, situation) for order in cut.instructions]
    failed = next((one for one in done if one.outcome != "call"), None)
    if failed is not None:
        return failed
    faults = "; ".join(one.detail for one in done if one.detail)
    return Translated("call", tuple(call for one in done for call in one.calls), faults)


def _at_once(mind: Mind, instruction: str, names: list[str], library: Library, situation: Situation) -> Translated:
    given = AtOnceIn(
        instruction=instruction,
        cards=[library.cards[name] for name in names],
        variables=dict(situation.variables),
        qubits=situation.qubits,
    )
    try:
        answer = mind.answer(TRANSLATE_AT_ONCE, given)
    except AgentGaveUp as error:
        return Translated("refuse", detail=str(error))
    if not isinstance(answer, AtOnceOut):
        asks = isinstance(answer, Question)
        return Translated("ask" if asks else "refuse", detail=answer.model_dump_json())
    return _called(answer.code, instruction, library, situation)


def _called(code: str, instruction: str, library: Library, situation: Situation) -> Translated:
    """A candidate's code with what the checks of the graph object to."""
    context = CheckContext(instruction, library.cards, situation.variables, tuple(situation.qubits))
    faults = "; ".join(finding.message for finding in check_all(code, context))
    try:
        return Translated("call", (parse_call(code, library.cards, situation.variables),), faults)
    except CallSyntaxError as error:
        return Translated("call", (), str(error))


class CountingMind:
    """Another mind, and what its prompts cost in input tokens if a model were asked; a prompt is asked once."""

    def __init__(self, mind: Mind) -> None:
        self._mind, self.counted = mind, Counted()
        self._asked: set[int] = set()  # a second time the cache answers
        self.sees_images = mind.sees_images

    @property
    def name(self) -> str:
        """The mind that answers."""
        return self._mind.name

    def answer(self, call: AgentCall[In, Out], input: In, runtime: Runtime | None = None) -> Out | Question | Refusal:
        """As the mind answers."""
        fields: dict[str, Any] = input.model_dump(mode="json")
        text = prompts.render(call.prompt, **fields)
        images = tuple(runtime.images) if runtime and self.sees_images else ()
        key = hash((text.system, text.user, images))
        if key not in self._asked:
            self._asked.add(key)
            self.counted.add(count_prompt(text.system, text.user, call.reply_schema(), images))
        return self._mind.answer(call, input, runtime)
