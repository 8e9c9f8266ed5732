"""The question whether a task is to be done without the words of it that nobody understands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from labwright.agents.call import Question
from labwright.agents.tool_forging.clarified import GO_ON, STOP, asked_about, blanked
from labwright.agents.tool_forging.readers.base import Reading, TaskText
from labwright.agents.tool_forging.reading_task import NoRecipe

MOST = 4  # passages that may be set aside in one question: with more the task is not understood at all
LINES, WIDTH = 30, 160  # of what was read, as it is shown

Read = Callable[[TaskText], "list[Reading] | Question | NoRecipe"]


def question_for(task: TaskText, reply: NoRecipe, read: Read) -> Question | None:
    """Whether to go on without what is not understood; None if the rest alone is no task that can be done.

    Args:
        task: the task, and `reply` what reading it gave.
        reply: names the words that nobody understood.
        read: reads a task.
    """
    aside: list[str] = []
    whole = reply.text
    found: list[Reading] | Question | NoRecipe = reply
    while isinstance(found, NoRecipe):
        shorter = _shorter(task, found)
        if shorter is None or len(aside) >= MOST:
            return None
        task, words = shorter
        aside += words
        found = read(task)
    if isinstance(found, Question):
        return None
    body = f"As it stands: {whole}\n\nWithout these words it is read so:\n\n{_told(found)}"
    return Question(text=f"{asked_about(aside)}\n\n{body}", options=[GO_ON, STOP])


def _shorter(task: TaskText, reply: NoRecipe) -> tuple[TaskText, list[str]] | None:
    """The task without the words of a refusal; None where these are not words of the task."""
    text, aside = task.text, []
    for words in reply.passages:
        rest = blanked(text, words)
        if rest is None or "«" in words or "»" in words:
            return None
        text = rest
        aside.append(" ".join(words.split()))
    return (TaskText(text, task.inputs), aside) if aside else None


def _told(readings: Sequence[Reading]) -> str:
    lines: list[str] = []
    for one in readings:
        lines.append(f"- {one.family.replace('_', ' ')}:")
        spec = one.spec.model_dump(mode="json", exclude_defaults=True)
        lines += [f"  - {name}: {_cut(_shown(value))}" for name, value in spec.items() if name != "title"]
        lines += [f"  - assumed: {text}" for text in one.assumptions]
    more = len(lines) - LINES
    return "\n".join(lines[:LINES]) + (f"\n  - and {more} lines more" if more > 0 else "")


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[:WIDTH]} ..."


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        if "terms" in value and all(isinstance(term, dict) and "coefficient" in term for term in value["terms"]):
            return " + ".join(_term(term) for term in value["terms"]) or "0"
        return ", ".join(f"{name} {_shown(one)}" for name, one in value.items() if one not in (None, "", [], {}))
    if isinstance(value, list):
        return f"[{', '.join(_shown(one) for one in value)}]"
    return str(value)


def _term(term: dict[str, Any]) -> str:
    real, imaginary = (
        (term["coefficient"] + [0.0])[:2] if isinstance(term["coefficient"], list) else (term["coefficient"], 0)
    )
    number = f"{real:.6g}" if not imaginary else f"({real:.6g}{imaginary:+.6g}i)"
    factors = [" ".join(_shown(part) for part in factor.values()) for factor in term.get("factors", ())]
    return " ".join([number, *factors])
