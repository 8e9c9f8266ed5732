"""Particulars of a wish, read from words: counts, seeds, files, data sets, folders."""

from __future__ import annotations

import re
from typing import Literal

_SMALL = "one two three four five six seven eight nine ten eleven twelve".split()
NUMBERS = {word: number for number, word in enumerate(_SMALL, start=1)} | {"a": 1, "an": 1, "twenty": 20, "thirty": 30}
_NUMBER = rf"(\d+|{'|'.join(NUMBERS)})"
_COUNTED = {
    "trials": r"(?:trials?|rounds?)",
    "ideas": r"(?:ideas?|maps)\b(?!\s+of)",
    "qubits": r"qubits?",
    "features": r"(?:features|(?:principal )?components)",
    "evaluations": r"evaluations?",
}
_FILE = re.compile(r"(?<![\w/.~-])(~?[\w./\\-]*[\w-]\.(?:md|txt|ya?ml|csv|npz|npy|json|xyz|dat))\b")
_NAMED = re.compile(r"\b(?:mnist|fashion-mnist|cifar-10):\S*[^\s.,;?!]")
_TOOLSET = re.compile(
    r"\b[Tt]oolset\s+(?:in|at|from|of|called|named)?\s*(?:the\s+)?(?:folder\s+)?[`'\"]?([\w./~-]*[\w/-])"
)
_REUSE = re.compile(
    r"\b(?:without (?:making|forging|writing|any) (?:new |further |more )?tools|reuse|no new tools"
    r"|only with the tools)",
    re.IGNORECASE,
)
_DIRECT = re.compile(r"\b(?:without (?:any )?tools|directly, no tools|no tools at all)\b", re.IGNORECASE)
TASKS, TABLES = (".md", ".txt"), (".csv", ".npz")
_NO_NAMES = ("in", "of", "from", "that", "which", "and", "you", "we")
_DIGITS = re.compile(r"\b(digits-augmented|digits)\b", re.IGNORECASE)


def files_in(text: str) -> list[str]:
    """Names of files, in their order."""
    return list(dict.fromkeys(name.replace("\\", "/") for name in _FILE.findall(text)))


def file_of(text: str, suffixes: tuple[str, ...]) -> str:
    """The first file with one of `suffixes`; empty if none is named."""
    return next((name for name in files_in(text) if name.endswith(suffixes)), "")


def count_of(text: str, what: str) -> int | None:
    """How many `trials`, `ideas`, `qubits`, `features` or `evaluations` are said; None if it is not said."""
    words = rf"\b{_NUMBER}\s+(?:more\s+|further\s+|new\s+|different\s+)?{_COUNTED[what]}\b"
    found = re.search(words, text, re.IGNORECASE)
    return _number(found[1]) if found else None


def seed_of(text: str) -> int | None:
    """The seed that is said."""
    found = re.search(r"\bseed\s*(?:of|=|:)?\s*(\d+)", text, re.IGNORECASE)
    return int(found[1]) if found else None


def dataset_of(text: str) -> str:
    """The data set that is named; empty if none is."""
    if named := _NAMED.search(text):
        return named.group()
    if file := file_of(text, TABLES):
        return file
    found = _DIGITS.search(text)
    return found[1].lower() if found else ""


def idea_of(text: str) -> str:
    """An idea to start from, such as "a ring of CZ"; empty if none is said."""
    patterns = (
        r"\b(?:start(?:ing)?|begin(?:ning)?) (?:from|with) (?:the idea (?:of|that) |an idea: )(.+?)(?:[,.;]|$)",
        r"\btry (?:it |out )?(?:with )?(.+?) as (?:the |a |my )?(?:starting|first|initial) idea",
        r"\bmy idea(?: is|:)\s*(.+?)(?:[.;]|$)",
    )
    found = [match for pattern in patterns if (match := re.search(pattern, text, re.IGNORECASE))]
    return found[0][1].strip() if found else ""


def toolset_of(text: str) -> str:
    """The folder of a toolset that is named; empty if none is."""
    found = _TOOLSET.search(text)
    return (
        found[1] if found and found[1].lower() not in ("in", "of", "from", "that", "which", "and", "you", "we") else ""
    )


def mode_of(text: str) -> Literal["forge", "reuse", "direct"]:
    """``forge``, ``reuse`` or ``direct``."""
    if _REUSE.search(text):
        return "reuse"
    return "direct" if _DIRECT.search(text) else "forge"


def numbers_said(text: str) -> set[int]:
    """Every whole number in `text`, in digits or as a word."""
    digits = {int(number) for number in re.findall(r"\d+", text)}
    return digits | {number for word, number in NUMBERS.items() if re.search(rf"\b{word}\b", text, re.IGNORECASE)}


def _number(text: str) -> int:
    return int(text) if text.isdigit() else NUMBERS[text.lower()]
