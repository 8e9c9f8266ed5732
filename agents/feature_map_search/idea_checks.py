"""What an idea must have before anybody works on it. Whether its map is legal is decided by compiling its code."""

from __future__ import annotations

import re

from labwright.agents.feature_map_search.ideas import Idea, Task
from labwright.tools.feature_maps.recipe import Recipe

SUMMARY_WORDS = (100, 300)
KEY_WORDS = (30, 120)  # the prompt asks for 50 to 100; a few more or less make no worse a search
# "Instead of CNOT or CZ" asks for neither.
TURNED_DOWN = re.compile(
    r"\b(?:instead of|rather than|without|not|no|never|replac(?:e|es|ing)|drop|avoid)\s+"
    r"(?:(?:the|a|an|any|all|use)\s+)*\w+(?:(?:,\s*[A-Z]\w+)*,?\s+(?:and|or|nor)\s+[A-Z]\w+)?"
)


def idea_faults(task: Task, idea: Idea) -> list[str]:
    """What is missing or malformed in one idea, in sentences that name it."""
    found = []
    low, high = SUMMARY_WORDS
    if not low <= (count := words(idea.summary)) <= high:
        found.append(f"The summary must have {low} to {high} words, but has {count}.")
    low, high = KEY_WORDS
    for place, sentence in enumerate(idea.key_sentences, 1):
        if not low <= (count := words(sentence)) <= high:
            found.append(f"Key sentence {place} must have 50 to 100 words, but has {count}.")
    if fault := formula_fault(idea.formula):
        found.append(fault)
    if idea.recipe is not None and idea.recipe.entangler not in {"none", *task.gates}:
        found.append(f"The recipe's entangler {idea.recipe.entangler} is not one of the gates that may be used.")
    if idea.recipe is not None and (missing := sorted(set(idea.recipe.axes) - set(task.gates))):
        found.append(f"The recipe rotates by {', '.join(missing)}, which may not be used.")
    return [f"{idea.name}: {fault}" for fault in found]


def words(text: str) -> int:
    """Number of words."""
    return len(text.split())


def formula_fault(formula: str) -> str:
    """Why a TeX formula cannot be set; empty if its braces close and it brings no dollar signs."""
    if "$" in formula:
        return "The formula must stand without dollar signs."
    bare = re.sub(r"\\[{}]", "", formula)  # \{ and \} are printed braces
    depth = 0
    for char in bare:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return "The formula closes a brace that it never opened."
    return f"The formula leaves {depth} brace(s) open." if depth else ""


def keeps_wish(task: Task, wish: str, idea: Idea) -> list[str]:
    """Gates that a person's idea asks for and the worked-out idea lost, or turns down and the recipe has."""
    told = " ".join([idea.explanation, idea.formula, idea.summary, str(idea.recipe or "")])
    lost = [gate for gate in task.gates if _names(asked_for(wish), gate) and not _names(told, gate)]
    found = [f"{idea.name}: the person's idea asks for {gate}; keep it." for gate in lost]
    unwanted = turned_down(wish, idea.recipe) if idea.recipe is not None else []
    return [*found, *(f"{idea.name}: the person's idea wants no {gate}; take it out." for gate in unwanted)]


def asked_for(wish: str) -> str:
    """The words without what they turn down, such as "instead of CNOT"."""
    return TURNED_DOWN.sub("", wish)


def turned_down(wish: str, recipe: Recipe) -> list[str]:
    """Gates of a recipe that the words name only to turn them down."""
    used = sorted({*recipe.axes, recipe.entangler})
    return [gate for gate in used if _names(wish, gate) and not _names(asked_for(wish), gate)]


def _names(text: str, gate: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(gate)}(?![A-Za-z0-9])", text) is not None
