"""How a driven chain begins, and along which axis its spins are measured."""

from __future__ import annotations

import re
from typing import Literal, cast, get_args

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.framed import Framed
from labwright.agents.tool_forging.readers.language.deliverables import label_values, wanted
from labwright.agents.tool_forging.readers.tensor_network.measured import EXPECTATION, operators, site_letters

Axis = Literal["x", "y", "z"]
AXES = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}
_WAY = r"(?P<sign>[+-]|plus|minus|positive|negative|)[\s-]*(?P<axis>[xyz])(?:[- ](?:axis|direction))?\b"
_ALONG = re.compile(
    rf"(?:polari[sz]ed|aligned|pointing|points?|along|in|\bup|\bdown)\s+(?:(?:to|along|in|of|the|an?|each|"
    rf"all)\s+){{0,3}}{_WAY}|"
    r"(?:start|initial\w*)(?:\s+state)?\s*[:=]\s*(?:all\s+)?(?:(?P<first>[+-])(?P<letter>[xyz])|"
    r"(?P<last>[xyz])(?P<then>[+-]))"
    r"(?![\w])|\|\s*(?P<ket>[+-])\s*(?P<of>[xy]?)\s*>|all\s+(?P<bare>[+-])\s*(?P<which>[xyz])\b"
)
_BEGINS = re.compile(
    r"\b(?:start\w*|initial\w*|begin\w*|at first|prepar\w*|polari[sz]ed|aligned|point\w*|all (?:the )?spins|every spin|"
    r"every one|product state|t\s*=\s*0)\b",
    re.I,
)
_MEASURED = re.compile(r"\bmagneti[sz]ation|<|\bfields?\b|\bmeasur|\brotat|\bkick|\bcoupl", re.I)
_NEEL = r"N[eé]el|antiferromagnetic (?:product )?state|alternat\w+ up and down|up,? down,? up,? down"
_UP = (
    r"all (?:the )?spins? (?:are |point(?:ing)? )?up\b|fully polari[sz]ed(?: up)?|all up\b|"
    r"every spin (?:is |points )?up\b"
)
_DOWN = r"all (?:the )?spins? (?:are |point(?:ing)? )?down\b|all down\b|every spin (?:is |points )?down\b"


def start(task: Framed) -> tuple[list[float], bool, Axis] | Question:
    """Bloch vector of every site, whether every second one is turned round, and the axis of the start."""
    neel = task.account.every(_NEEL)
    begun = [one for one in neel if _clause_has(task.text, one, _BEGINS)] or ([] if _along(task) else neel)
    if not begun and (along := _along(task)) is not None:
        said = _said(along, "sign", "ket", "bare", "first", "then")
        sign = -1.0 if said in {"-", "minus", "negative"} else 1.0
        letter = _said(along, "axis", "which", "of", "letter", "last") or "x"
        task.account.use(*along.span())
        return [sign * one for one in AXES[letter]], False, axis_of(letter) or "z"
    up, down = task.account.find(_UP), task.account.find(_DOWN)
    if up and down:
        return Question(text="In which product state does the chain begin: all spins up or all down?")
    if begun or up or down:
        return [(-1.0 if down and not begun else 1.0) * one for one in AXES["z"]], bool(begun), "z"
    return Question(text="In which product state does the chain begin?")


def _said(match: re.Match[str], *groups: str) -> str:
    return next((match[one] for one in groups if match[one]), "")


def _along(task: Framed) -> re.Match[str] | None:
    """Where the text says along which axis the spins point at first."""
    found = [one for one in _ALONG.finditer(task.text) if not _is_measured(task.text, one)]
    return next((one for one in found if _clause_has(task.text, one, _BEGINS)), None)


def _is_measured(text: str, match: re.Match[str]) -> bool:
    before = re.split(r"[.;:,]\s|\n", text[max(0, match.start() - 60) : match.start()])[-1]
    return _MEASURED.search(before) is not None


def _clause_has(text: str, match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    start = max((one.end() for one in re.finditer(r"[.;]\s|\n\s*\n", text[: match.start()])), default=0)
    stop = re.compile(r"[.;](?:\s|$)|\n\s*\n").search(text, match.end())
    return pattern.search(text, start, stop.start() if stop else len(text)) is not None


def measured_axis(task: Framed, begun: Axis) -> Axis | Unread:
    """The axis of the magnetisation: what the text names, or the one of the start."""
    asked = [one.value for one in label_values(wanted(task.body.wanted, "magnetisation"), "axis")]
    told = [operators(one["inside"]) for one in EXPECTATION.finditer(task.text)]
    for one, found in zip(EXPECTATION.finditer(task.text), told, strict=True):
        if len(found) > 1:
            return Unread(task.body.original(*one.span()), "Correlators of driven chains are not recorded.")
    letters = list(
        dict.fromkeys(
            [*(one for one in asked if axis_of(one)), *(one.lower() for one in site_letters(task.account, told))]
        )
    )
    if len(letters) > 1:
        return Unread(
            f"magnetisation along {' and '.join(letters)}", "Driven chains are measured along one axis a task."
        )
    if letters:
        return axis_of(letters[0]) or begun
    task.assumed.append(f"The magnetisation is taken along {begun}, as the chain begins.")
    return begun


def axis_of(letter: str) -> Axis | None:
    """The letter as an axis."""
    for one in get_args(Axis):
        if one == letter:
            return cast(Axis, one)
    return None
