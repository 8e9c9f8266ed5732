"""Whether the numbers of a report come from somewhere: results, task, inputs, scripts, or the tools that these call.

Few false alarms matter more than a complete net: numbers with fewer than three significant digits (zeros at the end
apart), whole numbers outside of tables (years, pages, sizes), versions, addresses and code are not asked for.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from labwright.agents.tool_forging.solution import FIGURES, LARGEST, PARTS, REPORT, RESULTS
from labwright.tools.errors import InputError
from labwright.tools.workspace.workspace import TOOLS, Workspace

LEAST_DIGITS = 3
MOST_LINE = 10_000  # characters; what follows is no prose
MOST_SOURCE = 4_000_000  # bytes of one file that numbers may come from
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_PASSED_OVER = re.compile(
    r"`[^`]{0,100}[A-Za-z_][^`]{0,100}`"  # code within a line, unless it is a number
    r"|\]\([^)]{0,300}\)|https?://\S+|\b(?:doi|arxiv)\b[:\s]{0,3}\S+|\b10\.\d{4,9}/\S+",
    re.I,
)
_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,40})?|\d{1,40}(?:\.\d{1,40})?|\.\d{1,40})(?!\d|\.\d)"
    r"(?:[eE](?P<e>[+-]?\d{1,4})"
    r"|\s*(?:[x*×·]|\\times|\\cdot)\s*10\s*(?:\^|\*\*)?\s*\{?(?P<ten>[+-]?\d{1,4})\}?)?"
    r"(?P<percent>\s*\\?(?:%|percent\b|per cent\b))?"
)
_PLAIN = re.compile(r"(?<![\w.])(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,4})?")
_CONSTANTS = (math.pi, 2 * math.pi, math.pi / 2, math.pi / 4, math.e, math.sqrt(2), math.sqrt(3), math.log(2))
_SCALES = (1.0, 1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9)  # prefixes of units


@dataclass(frozen=True, slots=True)
class Told:
    """A number of a report: its words, its size, and half a unit of its last digit."""

    words: str
    value: float
    half: float
    percent: bool


def told_numbers(report: str) -> list[Told]:
    """The numbers of a report that have to come from somewhere."""
    plain = report.translate(_SUPERSCRIPTS).replace("\u2212", "-")
    lines = (_PASSED_OVER.sub(" ", line[:MOST_LINE]) for line in _prose(plain))
    return [made for line in lines for match in _NUMBER.finditer(line) if (made := _told(match, line))]


def _prose(text: str) -> Iterator[str]:
    """The lines outside of blocks of code."""
    fence = ""
    for line in text.splitlines():
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence:
            yield line


def _told(match: re.Match[str], line: str) -> Told | None:
    digits = match["digits"].replace(",", "")
    whole, _, broken = digits.partition(".")
    power = int(match["e"] or match["ten"] or 0)
    if len((whole + broken).strip("0")) < LEAST_DIGITS or abs(power) > 300:
        return None
    if not broken and not power and not line.lstrip().startswith("|"):
        return None
    before = re.search(r"([A-Za-z][\w-]{0,40})[ \t=]{0,3}(?:version|v)?[ \t=]{0,3}$", line[: match.start()][-60:])
    if before and _is_version(before[1], digits):
        return None
    unit = 10.0**power
    return Told(match[0].strip(), float(digits) * unit, 0.5 * unit / 10 ** len(broken), match["percent"] is not None)


def _is_version(word: str, digits: str) -> bool:
    if word.lower() in ("python", "version", "v"):
        return True
    try:
        return version(word).startswith(digits)
    except PackageNotFoundError:
        return False


def unfounded(workspace: Workspace, scripts: Sequence[str], tools: Iterable[str] = ()) -> list[str]:
    """The words of the report's numbers that no result, task, input, script or called tool holds."""
    if not workspace.files.exists(REPORT):
        return []
    told = told_numbers(workspace.files.text(REPORT))
    known = sorted({abs(one) for one in _known(workspace, scripts, tools)}) if told else []
    return list(dict.fromkeys(one.words for one in told if not _founded(one, known)))


def _founded(told: Told, known: Sequence[float]) -> bool:
    scales = (*_SCALES, 1e-2) if told.percent else _SCALES
    return any(_near(told.value * scale, told.half * scale, known) for scale in scales)


def _near(value: float, half: float, known: Sequence[float]) -> bool:
    width = half * (1 + 1e-6) + 1e-12 * value
    at = bisect_left(known, value - width)
    return at < len(known) and known[at] <= value + width


def _known(workspace: Workspace, scripts: Sequence[str], tools: Iterable[str]) -> Iterator[float]:
    yield from _CONSTANTS
    called, ran = {f"{name}.py" for name in tools}, {path.lstrip("./") for path in scripts}
    for one in workspace.files.files("", "*"):
        top, name = one.path.partition("/")[0], one.path.rpartition("/")[2]
        if one.path == RESULTS or (one.path.endswith(".json") and top in (PARTS, FIGURES)):
            yield from _of_json(workspace, one.path)
        elif one.path in ran or one.path == "question.md" or top == "inputs" or (top == TOOLS and name in called):
            yield from _of_text(_text(workspace, one.path))


def _of_json(workspace: Workspace, path: str) -> Iterator[float]:
    try:
        yield from _numbers(json.loads(workspace.files.read_bytes(path, LARGEST)))
    except (InputError, ValueError):  # a file that does not read holds no number
        return


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _of_text(str(key))
            yield from _numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item)
        ends = value[:2]
        if len(ends) == 2 and all(isinstance(one, int | float) for one in ends):
            yield ends[1] - ends[0]  # the step of an axis
    elif isinstance(value, str):
        yield from _of_text(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        yield float(value)


def _of_text(text: str) -> Iterator[float]:
    for match in _PLAIN.finditer(text):
        value = float(match[0])
        if math.isfinite(value):
            yield value


def _text(workspace: Workspace, path: str) -> str:
    try:
        return workspace.files.read_bytes(path, MOST_SOURCE).decode(errors="replace")
    except InputError:  # too large, or gone
        return ""
