"""What a task says gates and channels to be: ``RZ(a) = exp(-i a Z/2)``, ``rho -> (1 - p) rho + p I/2``, Kraus forms.

Each definition is compared with what the family takes under the same name. What agrees is blanked, so that nobody reads
gates or probabilities into it; what differs by a factor gives the factor; what is not understood is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.scalars import scalar_at
from labwright.tools.forge.families.circuits.spec import NoiseKind

_SYMBOL = r"(?:p(?:_\{?\w+\}?)?|gamma|lambda|eta|epsilon|mu|(?<![A-Za-z])[b-hk-qs-z](?![\w(]))"
_ROTATION = re.compile(
    r"R_?\{?(?P<axis>[xyzXYZ])\}?\s*\(\s*(?P<angle>\w+)\s*\)\s*(?::=|=|is|means|denotes|stands for)\s*"
    r"(?:exp\(|e\^\{?\(?)\s*-\s*[ij]\s*\*?\s*(?P<inside>[^(){}]*(?:\((?:[^(){}]|\([^(){}]*\))*\)[^(){}]*)*)[)}]+"
)
_APPLIED = re.compile(
    r"\b(?:by|an?|apply|applied|then|gate|rotation|next|finally|to|through|on|receives|gets)\s*$", re.I
)
_MAPS = (
    r"(?:rho'?\s*(?:->|mapsto|\|->|becomes|=|goes (?:over )?(?:in)?to|"
    r"(?:is )?(?:mapped|replaced|taken|turned)? ?(?:in)?(?:to|by))\s*)?"
)
_W = rf"(?P<w>\(*\s*(?:\d*\.?\d+\s*\*?\s*)?{_SYMBOL}\s*\)*(?:\s*/\s*\(?\d+\)?)?\)*|\(?\d*\.?\d+(?:\s*/\s*\d+)?\)?)"
_REST = r"\(*\s*(?:1\s*-\s*[\w.*/ ()]{1,16}|\d*\.\d+|\d+\s*/\s*\d+)\)*\s*\*?\s*rho\s*\+\s*"
_MIXED = re.compile(
    rf"{_MAPS}{_REST}{_W}\s*\*?\s*(?:Tr\(rho\)\s*)?(?:\(*\s*(?:I|1|Id|"
    rf"identity|mathbbm?\s*\{{?1\}}?)(?:_\w+)?\s*\)*\s*(?:/\s*\(?(?P<d>\d+(?:\^\{{?\w+\}}?)?|d|N)\)?\)*)?"
    r"|(?:times )?(?:the |a )?(?:maximally|completely|fully|totally) mixed(?: state)?(?: of (?:the|that) (?:pair|"
    r"qubit|two qubits|register))?)"
)
_PAULI = re.compile(
    rf"{_MAPS}{_REST}{_W}\s*\*?\s*[([]?\s*(?P<terms>[XYZ]_?\w?\s*\*?\s*rho\s*\*?\s*[XYZ]_?\w?(?:\s*\+\s*[XYZ]\s*\*?\s*rho\s*\*?\s*[XYZ])*)\s*[)\]]?"
)
_KRAUS_AT = re.compile(r"\b[KEMA]_?\{?(?P<k>[0-3])\}?\s*=\s*")
_INTRO = r"(?:,?\s*(?:with|i\.e\.,?|by|of|and|the|two)?\s*\(?\s*(?:Kraus operators|operators)?\s*\(?\s*)?"


@dataclass(frozen=True, slots=True)
class Definition:
    """A channel as a task writes it.

    Attributes:
        kind: as the family calls it.
        factor: of its probability, where the task's symbol is one.
        convention: of depolarising noise.
        value: its probability, where the formula holds a number in place of a symbol.
        symbol: of its probability, as written; empty for a number.
        start: offset of the first character.
        end: behind the last one.
    """

    kind: NoiseKind
    factor: float
    convention: str
    start: int
    end: int
    value: float | None = None
    symbol: str = ""


def rotation_definitions(text: str) -> tuple[list[tuple[int, int]], str]:
    """Stretches that define a rotation as it is taken here, and one that defines it otherwise (empty for none)."""
    spans = []
    for match in _ROTATION.finditer(text):
        half = rf"\(*\s*{match['angle']}\s*\)?"
        letter = rf"(?:sigma_?\^?)?\{{?{match['axis']}\}}?(?:_\w)?"
        forms = (
            rf"{half}\s*/\s*\(?2\s*\)*\s*\*?\s*{letter}",
            rf"{half}\s*\*?\s*{letter}\s*\)?\s*/\s*2",
            rf"(?:0\.5|\(?1/2\)?)\s*\*?\s*{half}\s*\*?\s*{letter}",
        )
        inside = match["inside"].strip()
        if not any(re.fullmatch(rf"\(*{form}\)*", inside, re.I) for form in forms):
            return [], match[0]
        start = match.start()
        if _APPLIED.search(text[max(0, start - 14) : start]):  # applied and defined at once
            start = match.start() + match[0].index(")") + 1
        spans.append((start, match.end()))
    return spans, ""


def channel_definitions(text: str) -> tuple[list[Definition], str]:
    """The channels that a text writes as formulas, and words of one that is not understood (empty for none)."""
    found = [*_mixtures(text), *_paulis(text)]
    kraus, strange = _kraus(text)
    return sorted([*found, *kraus], key=lambda one: one.start), strange


def _weight(word: str) -> tuple[float, str]:
    """The factor of the symbol in a weight such as ``3 p/4``, or the number itself; and the symbol, if there is one."""
    symbol = re.search(_SYMBOL, word)
    plain = re.sub(_SYMBOL, "1", word)
    item = scalar_at(re.sub(r"(?<=\d)\s+1\b", " * 1", plain.replace("(", " ").replace(")", " ")).strip(), 0, [])
    return item.value({}) if item else 1.0, symbol[0] if symbol else ""


def _mixtures(text: str) -> Iterable[Definition]:
    for match in _MIXED.finditer(text):
        factor, symbol = _weight(match["w"])
        if match["d"] is None and factor < 1 and symbol:
            factor *= round(1 / factor)  # p/4 I: the identity is not normalised
        value = None if symbol else factor
        yield Definition("depolarizing", factor if symbol else 1.0, "mixing", *match.span(), value, symbol)


def _paulis(text: str) -> Iterable[Definition]:
    kinds: dict[frozenset[str], NoiseKind] = {
        frozenset("X"): "bit_flip",
        frozenset("Y"): "bit_phase_flip",
        frozenset("Z"): "phase_flip",
        frozenset("XYZ"): "depolarizing",
    }
    for match in _PAULI.finditer(text):
        letters = frozenset(re.findall(r"[XYZ]", match["terms"]))
        factor, symbol = _weight(match["w"])
        if letters in kinds:
            total = factor * len(letters)
            value = None if symbol else total
            yield Definition(kinds[letters], total if symbol else 1.0, "pauli", *match.span(), value, symbol)


_OPERATORS: tuple[tuple[str, str], ...] = (
    ("quiet", rf"diag\(\s*1\s*,\s*sqrt\(\s*1\s*-\s*{_SYMBOL}\s*\)\s*\)"),
    ("quiet", rf"\[\s*\[\s*1\s*,\s*0\s*\]\s*,\s*\[\s*0\s*,\s*sqrt\(\s*1\s*-\s*{_SYMBOL}\s*\)\s*\]\s*\]"),
    ("quiet", rf"\|0>\s*<0\|\s*\+\s*sqrt\(\s*1\s*-\s*{_SYMBOL}\s*\)\s*\*?\s*\|1>\s*<1\|"),
    ("quiet", rf"sqrt\(\s*1\s*-\s*{_SYMBOL}\s*\)\s*\*?\s*(?:I|1|Id)\b"),
    ("phase_damping", rf"diag\(\s*0\s*,\s*sqrt\(\s*{_SYMBOL}\s*\)\s*\)"),
    ("phase_damping", rf"\[\s*\[\s*0\s*,\s*0\s*\]\s*,\s*\[\s*0\s*,\s*sqrt\(\s*{_SYMBOL}\s*\)\s*\]\s*\]"),
    ("phase_damping", rf"sqrt\(\s*{_SYMBOL}\s*\)\s*\*?\s*\|1>\s*<1\|"),
    ("amplitude_damping", rf"\[\s*\[\s*0\s*,\s*sqrt\(\s*{_SYMBOL}\s*\)\s*\]\s*,\s*\[\s*0\s*,\s*0\s*\]\s*\]"),
    ("amplitude_damping", rf"sqrt\(\s*{_SYMBOL}\s*\)\s*\*?\s*(?:\|0>\s*<1\||sigma_?\^?-|sigma_?minus)"),
    ("phase_flip", rf"sqrt\(\s*{_SYMBOL}\s*\)\s*\*?\s*Z\b"),
    ("bit_flip", rf"sqrt\(\s*{_SYMBOL}\s*\)\s*\*?\s*X\b"),
    ("bit_phase_flip", rf"sqrt\(\s*{_SYMBOL}\s*\)\s*\*?\s*Y\b"),
)  # fmt: skip


_KINDS: dict[str, NoiseKind] = {"phase_damping": "phase_damping", "amplitude_damping": "amplitude_damping"}
_BARE = tuple(
    (kind, re.compile(rf"(?:{quiet})\s*(?:,|;|and)+\s*(?:{form})"))
    for kind, form in _OPERATORS
    if kind in {"phase_damping", "amplitude_damping"}
    for name, quiet in _OPERATORS[:3]
)


def _kraus(text: str) -> tuple[list[Definition], str]:
    """The channel that two Kraus operators make; others are strange."""
    for bare, pattern in _BARE:
        if pair := pattern.search(text):
            symbol = re.search(_SYMBOL, pair[0].partition("sqrt")[2])
            return [Definition(_KINDS[bare], 1.0, "", *pair.span(), None, symbol[0] if symbol else "")], ""
    kinds: list[NoiseKind] = []
    spans: list[tuple[int, int]] = []
    for match in _KRAUS_AT.finditer(text):
        found = next(
            (
                (name, one.end())
                for name, form in _OPERATORS
                if (one := re.compile(form).match(text, match.end())) is not None
            ),
            None,
        )
        if found is None:
            return [], text[match.start() : match.start() + 60].split("\n")[0]
        spans.append((match.start(), found[1]))
        kinds += [
            kind
            for kind in ("phase_damping", "amplitude_damping", "phase_flip", "bit_flip", "bit_phase_flip")
            if kind == found[0]
        ]
    if not spans:
        return [], ""
    if len(set(kinds)) != 1 or len(spans) != 2:
        return [], text[spans[0][0] : spans[-1][1]]
    symbol = re.search(_SYMBOL, text[slice(*spans[0])].partition("=")[2])
    return [Definition(kinds[0], 1.0, "", *span, None, symbol[0] if symbol else "") for span in spans], ""
