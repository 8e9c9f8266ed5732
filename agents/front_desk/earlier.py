"""Which earlier runs words refer to: "that", "the gate you just calibrated", "yesterday's", "the Q8 one"."""

from __future__ import annotations

import re
from datetime import date, timedelta

from labwright.agents.front_desk.given import KnownRun, RouteIn
from labwright.agents.front_desk.lexicon import qubits_in, scores
from labwright.agents.front_desk.wishes import LEFT_BY, Part, System

_MADE = r"(?:you|we|u|i)\s+(?:have\s+|had\s+)?(?:just\s+)?(?:now\s+)?(?:\w+ed|found|made|got|measured|did|took)"
_JUST = rf"(?:\s+(?:{_MADE}|just\s+\w+|from\s+(?:before|above|earlier|yesterday|the\s+last\s+run)))"
_NOUNS: dict[Part, str] = {
    "gate": r"(?:x\s+|pi\s+)?(?:gates?|qubits?|pulses?|calibration|settings)",
    "data": r"(?:data(?!\s*set)|decay(?:\s+data)?|measurements?|curves?|trace|points|results)",
    "protocol": r"(?:protocol|plate|samples?|series|experiment|standards|mixtures?)",
    "feature_map": r"(?:feature\s+)?maps?",
    "toolset": r"tool(?:s|set)",
}
_KIND = r"(?:(?!(?:the|a|an|each|all|every|no|so)\b)[\w-]+\s+){0,2}?"
# A noun that says by itself that an earlier run is meant: "that data", "the gate you just made".
_POINTING = {
    part: re.compile(
        rf"(?<!so )\b(?:(?:that|these|those)\s+{_KIND}{noun}\b{_JUST}?|(?:the|this|your)\s+{_KIND}{noun}{_JUST}"
        rf"|(?:the\s+)?(?:same|last|latest|previous)\s+{noun}\b)",
        re.IGNORECASE,
    )
    for part, noun in _NOUNS.items()
}
_THIS_DATA = re.compile(r"\bthis\s+data\b(?!\s*set)", re.IGNORECASE)
_CONTROL = re.compile(
    r"\b(?:control|blank|reference sample)s?\b[^.]*?\b(?:for|of|to)"
    r"\s+(?:that|this|it|them|these|those|the (?:last|same))\b",
    re.IGNORECASE,
)
_MADE_BEFORE = re.compile(_JUST, re.IGNORECASE)
DESCRIBED = 3  # words of a system before the reference that make it a reference to them
_TUNED = re.compile(r"calibrat|tune|bring|pi pulse|rabi|drag|benchmark", re.IGNORECASE)
_DAYS = {"today": 0, "this morning": 0, "yesterday": 1}
_SYSTEM_WORDS: dict[System, str] = {
    "lab_calibration": r"calibrations?|measurements?|benchmarks?",
    "feature_map_search": r"search(?:es)?|feature maps?",
    "tool_forging": r"forg\w+|simulations?|computations?",
    "protocol_design": r"designs?|protocols?|samples",
}


def pointed_part(text: str) -> tuple[Part, re.Match[str]] | None:
    """The part of an earlier run that `text` points at, and the words that do."""
    if found := _CONTROL.search(text):
        return "protocol", found
    patterns: list[tuple[Part, re.Pattern[str]]] = [("data", _THIS_DATA), *_POINTING.items()]
    for part, pattern in patterns:
        found = pattern.search(text)
        # "Mix ... Cap those samples": what was described just before is meant, not an earlier run.
        if found and (_MADE_BEFORE.search(found.group()) or not _described(text[: found.start()], part)):
            return part, found
    return None


def _described(text: str, part: Part) -> bool:
    return scores(text)[LEFT_BY[part]] >= DESCRIBED


def is_control(text: str) -> bool:
    """Whether the control of an earlier protocol is wanted."""
    return bool(_CONTROL.search(text))


def source_of(part: Part, given: RouteIn) -> KnownRun | None:
    """The run that left `part` behind: the newest one that fits, of the qubit or the day that is named."""
    runs = [run for run in newest_first(given.runs) if run.system == LEFT_BY[part] and run.status == "complete"]
    runs = narrowed(given.message, runs, given.today)
    if part == "gate" and any(_TUNED.search(run.asked) for run in runs):
        runs = [run for run in runs if _TUNED.search(run.asked)]
    return runs[0] if runs else None


def narrowed(text: str, runs: list[KnownRun], today: str) -> list[KnownRun]:
    """Those of `runs` that fit the qubit, the day, the system or the id that `text` names; all if it names none."""
    if ids := [run for run in runs if run.run_id in text]:
        return ids
    if qubits := set(qubits_in(text)):
        runs = [run for run in runs if qubits & set(run.subject)]
    if (day := day_in(text, today)) is not None:
        runs = [run for run in runs if run.started.startswith(day)]
    for system, words in _SYSTEM_WORDS.items():
        if re.search(rf"\b(?:{words})\b", text, re.IGNORECASE) and any(run.system == system for run in runs):
            runs = [run for run in runs if run.system == system]
    return runs


def day_in(text: str, today: str) -> str | None:
    """The day that `text` names, as 2026-03-11."""
    if written := re.search(r"\b\d{4}-\d\d-\d\d\b", text):
        return written.group()
    for word, back in _DAYS.items():
        if re.search(rf"\b{word}\b", text, re.IGNORECASE):
            return (date.fromisoformat(today) - timedelta(days=back)).isoformat()
    return None


def newest_first(runs: list[KnownRun]) -> list[KnownRun]:
    """`runs` by the time of their start."""
    return sorted(runs, key=lambda run: (run.started, run.run_id), reverse=True)
