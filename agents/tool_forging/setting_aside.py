"""The question about words of a task that nobody understands: without them, otherwise said, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from labwright.agents.call import Question
from labwright.agents.tool_forging.clarified import GO_ON, STOP, asked_about, blanked
from labwright.agents.tool_forging.readers.base import Reading, TaskText
from labwright.agents.tool_forging.reading_task import NoRecipe

MOST = 4  # passages that may be set aside in one question: with more the task is not understood at all
PARAGRAPH = "\n\n"
LINES, WIDTH = 30, 160  # of what was read, as it is shown

Read = Callable[[TaskText], "list[Reading] | Question | NoRecipe"]


def question_for(task: TaskText, reply: NoRecipe, read: Read) -> Question | None:
    """What to do about words that are not understood; None where it is not single words but the task.

    Args:
        task: the task, and `reply` what reading it gave.
        reply: names the words that nobody understood.
        read: reads a task.
    """
    first = _shorter(task, reply)
    if first is None:
        return None
    rest, aside = _rest(task, reply, read)
    stands = f"As it stands: {reply.text}"
    if isinstance(rest, list):
        told = f"Without these words it is read so:\n\n{_told(rest)}"
        return Question(text=f"{asked_about(aside)}\n\n{stands}\n\n{told}", options=[GO_ON, STOP])
    if isinstance(rest, Question):
        told = f"Without these words one more thing would be asked: {rest.text.partition(PARAGRAPH)[0]}"
        return Question(text=f"{asked_about(aside)}\n\n{stands}\n\n{told}", options=[GO_ON, STOP])
    told = "Without these words the rest is not understood either."
    return Question(text=f"{asked_about(first[1])}\n\n{stands}\n\n{told}", options=[STOP])


def _rest(task: TaskText, reply: NoRecipe, read: Read) -> tuple[list[Reading] | Question | NoRecipe, list[str]]:
    """What is read without what is not understood, and the words that had to go for it."""
    aside: list[str] = []
    found: list[Reading] | Question | NoRecipe = reply
    while isinstance(found, NoRecipe) and len(aside) < MOST and (shorter := _shorter(task, found)) is not None:
        task, words = shorter
        aside += words
        found = read(task)
    return found, aside


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
