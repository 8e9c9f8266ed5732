"""A person's idea in words as a recipe, where its words say one."""

from __future__ import annotations

import math
import re

from labwright.agents.feature_map_search.idea_checks import asked_for, turned_down
from labwright.tools.feature_maps.evolve import plain_recipe
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.recipe import ENTANGLERS, TURNED, Recipe

_NUMBER = r"(?:\s*(?:of|is|=|:|by|about|around))*\s*(\d*\.?\d+)\s*(pi|π)?"
_OTHER_NAMES = {"CX": "CNOT", "controlled-z": "CZ", "controlled-not": "CNOT", "zz": "IsingZZ", "xx": "IsingXX"}
_PATTERNS = {"ring": r"ring|circular|closed", "line": r"line|linear|chain", "pairs": r"pairs|brick\w*|two by two"}
_SKIP = r"next but one|skip\w*|two apart"
_NO_GATE = r"\b(?:no|without(?: any)?)\s+(?:entangle\w+|entangling \w+|two-qubit \w+)|\bproduct (?:state|map)\b"
_FLAT = r"\b(?:flat|ungraded|same (?:scale|angle)\w*|equal(?:ly)? (?:scale|angle|weight)\w*|no decay)\b"
_BEYOND = (
    r"\bsquar\w+|\bquadratic|\bproducts? of (?:the |two )?features|\b(?:arc)?(?:sin|cos|tan)e?\b|\barc\w+"
    r"|\brandom\w*|\btrain\w*|\blearn\w*|\bancilla\w*|\bmeasur\w+|\bamplitude encoding|\bnon-?linear\w*"
)
_TIMES = {"twice": 2, "two": 2, "three": 3, "thrice": 3, "four": 4}


def recipe_of_wish(words: str) -> Recipe | None:
    """What the words say, on top of the plain graded map; None if they say nothing that a recipe can hold.

    None too where they name a gate or a function that recipes do not know: half an idea would pass for the whole.
    """
    if _foreign_gates(words) or _has(words, _BEYOND):
        return None
    said = _structure(words) | _numbers(words)
    recipe = plain_recipe(**said) if said else None
    return None if recipe is None or turned_down(words, recipe) else recipe


def _foreign_gates(words: str) -> list[str]:
    known = {"RX", "RY", "RZ", "Hadamard", *ENTANGLERS}
    return [name for name in GATES if name not in known and len(name) > 1 and _has(words, rf"\b{name}\b", case=True)]


def _structure(words: str) -> dict[str, object]:
    said: dict[str, object] = {}
    wanted = asked_for(words)
    if _has(wanted, r"\bhadamards?\b|\bsuperposition\b"):
        said["start"] = "hadamard"
    if axes := list(dict.fromkeys(axis.upper() for axis in re.findall(r"\bR[XYZ]\b", wanted, re.IGNORECASE))):
        said["axes"] = axes[:4]
    if _has(words, _NO_GATE):
        said["entangler"] = "none"
    elif entangler := _entangler(wanted):
        said |= {"entangler": entangler, "entangler_angle": math.pi / 2 if entangler in TURNED else 0.0}
    for pattern, told in {**_PATTERNS, "skip": _SKIP}.items():
        if _has(words, rf"\b(?:{told})\b"):
            said["pattern"] = pattern
    if said.get("start") == "hadamard" and "axes" not in said:
        said["axes"] = ["RZ", "RY"]
    elif said.get("axes", ["RY"]) == ["RZ"]:
        said["start"] = "hadamard"  # RZ leaves |0> as it is
    return said


def _entangler(words: str) -> str | None:
    for name in sorted(ENTANGLERS, key=len, reverse=True):
        if name != "none" and _has(words, rf"\b{name}s?\b"):
            return name
    return next((name for other, name in _OTHER_NAMES.items() if _has(words, rf"\b{other}s?\b")), None)


def _numbers(words: str) -> dict[str, object]:
    said: dict[str, object] = {}
    for field, told, most in (
        ("scale", r"scale|bandwidth", 12.5),
        ("decay", r"decay|factor", 1.0),
        ("centre", r"cent(?:re|er)", 1.0),
    ):
        found = re.search(rf"\b(?:{told})\b{_NUMBER}", words, re.IGNORECASE)
        if found and 0 < (value := float(found[1]) * (math.pi if found[2] else 1.0)) <= most:
            said[field] = value
    if _has(words, _FLAT):
        said["decay"] = 1.0
    if found := re.search(r"\b(?:(\d|two|three|four) (?:times|layers|repeats)|(twice|thrice))\b", words, re.IGNORECASE):
        count = (found[1] or found[2]).lower()
        said["repeats"] = min(max(int(count) if count.isdigit() else _TIMES[count], 1), 4)
    elif _has(words, r"\bre-?upload\w*"):
        said["repeats"] = 2
    if _has(words, r"\bgraded\b|\bfall\w* with\b") and not said:
        said["decay"] = 0.5
    return said


def _has(words: str, pattern: str, *, case: bool = False) -> bool:
    return re.search(pattern, words, 0 if case else re.IGNORECASE) is not None
