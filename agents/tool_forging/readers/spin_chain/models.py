"""Models by name: transverse-field Ising, XXZ, Heisenberg, XX, and the kicked Ising chain."""

from __future__ import annotations

import re
from collections.abc import Mapping

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.assignments import phrase
from labwright.agents.tool_forging.readers.language.numbers import Numbers
from labwright.tools.forge.families.spin_chain.spec import Pattern

_COUPLING = ("Jcoup", "Jzz", "Jz", "J")
_FIELD = ("h", "hx", "hX", "g", "Gamma", "B", "Bx", "lambda")
_LONG = ("hz", "hZ", "hpar", "hl", "hlong")


def named_model(
    text: str, names: Mapping[str, float], unit: str
) -> tuple[list[Pattern], list[str]] | Question | Unread:
    """The Hamiltonian of a model that a text names without writing it out, and what was settled."""
    coupling = _value(
        text,
        names,
        _COUPLING,
        r"(?:nearest-neighbou?r |Ising |exchange |ZZ )?(?:coupling|interaction)(?: strength| constant)?",
    )
    if coupling is None and unit and not re.search(r"Ising", text):
        coupling = 1.0
    if re.search(r"\bIsing\b", text):
        return _ising(text, names, coupling if coupling is not None else (1.0 if unit == "J" else None))
    if re.search(r"\bXXZ\b|\bHeisenberg\b|\bXXX\b|\bXX[ -](?:chain|model)|\bXY[ -](?:chain|model)", text):
        return _exchange(text, names, coupling)
    return Question(
        text=(
            "What is the Hamiltonian of the chain? Please write it as a sum, such as H = -J sum_i Z_i Z_{i+1} - "
            "h sum_i X_i."
        )
    )


def _value(text: str, names: Mapping[str, float], symbols: tuple[str, ...], words: str) -> float | None:
    for symbol in symbols:
        if symbol in names:
            return names[symbol]
    found = phrase(text, words)
    return _number(found[0], names) if found else None


def _number(numbers: Numbers, names: Mapping[str, float]) -> float | None:
    return numbers.items[0].value_or_none(names)


def _ising(text: str, names: Mapping[str, float], coupling: float | None) -> tuple[list[Pattern], list[str]] | Question:
    field = _value(text, names, _FIELD, r"transverse(?:-| )field(?: strength)?(?: of strength)?|field(?: strength)?")
    if coupling is None:
        return Question(text="How strong is the Ising coupling J?")
    if field is None:
        return Question(text="How strong is the transverse field h?")
    along = (
        _value(text, names, _LONG, r"longitudinal field(?: strength)?(?: of strength)?")
        if re.search(r"\blongitudinal\b|\btilted\b|\bh_?z\b", text)
        else None
    )
    if along is None and re.search(r"\blongitudinal\b|\btilted\b", text):
        return Question(text="How strong is the longitudinal field?")
    made = [
        Pattern(letters="ZZ", offsets=[0, 1], coefficient=-coupling),
        Pattern(letters="X", offsets=[0], coefficient=-field),
    ]
    said = "H = -J sum Z_i Z_(i+1) - h sum X_i"
    if along is not None:
        made.append(Pattern(letters="Z", offsets=[0], coefficient=-along))
        said += " - h_z sum Z_i"
    return made, [
        (
            f"The task names the model only: {said}, with Pauli matrices. Other signs or spins one half would "
            f"change the speed and the sign of the order."
        )
    ]


def _exchange(
    text: str, names: Mapping[str, float], coupling: float | None
) -> tuple[list[Pattern], list[str]] | Question:
    strength = coupling if coupling is not None else 1.0
    said = [] if coupling is not None else ["The coupling is not given; J = 1 sets the unit of energy."]
    heisenberg = bool(re.search(r"\bHeisenberg\b|\bXXX\b", text)) and not re.search(r"\bXXZ\b", text)
    anisotropy = 1.0 if heisenberg else _value(text, names, ("Delta", "delta"), r"anisotropy")
    if anisotropy is None:
        if re.search(r"\bXXZ\b", text):
            return Question(text="What is the anisotropy Delta of the XXZ chain?")
        anisotropy = 0.0
    quarter = strength / 4
    made = [Pattern(letters=word, offsets=[0, 1], coefficient=quarter) for word in ("XX", "YY")]
    if anisotropy:
        made.append(Pattern(letters="ZZ", offsets=[0, 1], coefficient=quarter * anisotropy))
    field = (
        _value(text, names, ("h", "hz", "B"), r"(?:magnetic |longitudinal )?field")
        if re.search(r"\bfield\b", text)
        else None
    )
    if field is not None:
        made.append(Pattern(letters="Z", offsets=[0], coefficient=-field / 2))
    said.append(
        "The task names the model only: H = J sum (Sx Sx + Sy Sy + Delta Sz Sz) with spins one half, S = "
        "Pauli/2. With Pauli matrices everything would be four times as fast."
    )
    return made, said


def named_layers(text: str, names: Mapping[str, float]) -> tuple[list[list[Pattern]], list[str]] | Question | Unread:
    """The period of a kicked Ising chain by its words: the coupling during the period, and the kick behind it."""
    coupling = _value(text, names, _COUPLING, r"(?:ZZ )?coupling(?: strength)?")
    period = names.get("T", names.get("tau", 1.0))
    if not re.search(r"\bIsing\b|\bZ\s*_?\w*\s*@?\s*Z|\bZZ\b", text):
        return Unread(
            "Floquet", "Only kicked chains with ZZ interaction, or periods written as exponentials, can be read."
        )
    if coupling is None:
        return Question(text="How strong is the Ising coupling J between the kicks?")
    said = []
    kick = _kick(text, names)
    if kick is None:
        return Question(text="How strong is the kick?")
    letter, angle, how = kick
    said.append(how)
    first = [Pattern(letters="ZZ", offsets=[0, 1], coefficient=coupling * period)]
    along = next((names[name] for name in _LONG if name in names), None)
    if along is not None:
        first.append(Pattern(letters="Z", offsets=[0], coefficient=along * period))
        said.append("The longitudinal field acts during the whole period, together with the coupling.")
    elif re.search(r"\blongitudinal\b|\btilted\b", text):
        return Question(text="How strong is the longitudinal field?")
    said.append(
        f"One period is U = exp(-i theta sum {letter}) exp(-i J T sum Z Z): the coupling acts for T = "
        f"{period:g}, then the kick, with Pauli matrices and hbar = 1."
    )
    return [first, [Pattern(letters=letter, offsets=[0], coefficient=angle)]], said


def _kick(text: str, names: Mapping[str, float]) -> tuple[str, float, str] | None:
    about = " ".join(re.findall(r"[^.;]*\b(?:kick\w*|field|pulse|rotation)\b[^.;]*", text))
    letter = (
        "Y"
        if re.search(
            (
                r"(?:field|kick|pulse|rotation)\w*\s+(?:along|in|about|around) (?:the )?[Yy]\b|\bY[- ](?:kick|"
                r"rotation|pulse)"
            ),
            about,
        )
        else "X"
    )
    turned = re.search(
        (
            r"(?:rotation|rotates?|turn\w*|pulse)s?[^.;]{0,40}?(?:by|of|angle)\s+(?:an "
            r"angle\s+)?(?:of\s+)?(?:theta\s*=\s*|phi\s*=\s*)?"
        ),
        text,
    )
    for symbol in ("h", "hx", "g", "b", "K"):
        if symbol in names:
            return (
                letter,
                names[symbol],
                (
                    f"The kick has the strength {symbol}: exp(-i {symbol} sum {letter}), which turns each spin "
                    f"by 2 {symbol}."
                ),
            )
    for symbol in ("theta", "phi"):
        if symbol in names:
            return (
                letter,
                names[symbol] / 2,
                f"The kick turns each spin by the angle {symbol}: exp(-i {symbol}/2 sum {letter}).",
            )
    if turned:
        from labwright.agents.tool_forging.readers.language.numbers import numbers_at

        numbers = numbers_at(text, turned.end())
        value = _number(numbers, names) if numbers else None
        if value is not None:
            return letter, value / 2, f"The kick turns each spin by {value:g} rad: exp(-i {value / 2:g} sum {letter})."
    found = phrase(text, r"(?:kick(?:ing)?(?: strength)?|strength)")
    value = _number(found[0], names) if found else None
    return (
        None
        if value is None
        else (letter, value, f"The kick has the strength {value:g}: exp(-i {value:g} sum {letter}).")
    )
