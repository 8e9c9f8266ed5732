"""Spin chains that are told by name or term by term, as patterns of Pauli matrices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import Assignment, phrase
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol
from labwright.agents.tool_forging.readers.language.spin_operators import plain_operators
from labwright.agents.tool_forging.readers.tensor_network.formulas import Formula, Key, NotASpinChain, formula_at
from labwright.agents.tool_forging.readers.tensor_network.told_terms import listed_terms

# where a formula begins: ``H = ``, ``H_1(t) = ``, ``Hamiltonian: ``
HAMILTONIAN = (
    r"(?<![\w|<])H(?:_?\{?\w{0,8}\}?)?(?:\s*\([^()=]{1,20}\))?\s*=\s*|"
    r"\b[Hh]amiltonian\s*(?:is|:|reads|=|:=|of the form)\s*(?=[-+\d(]|[A-Za-z](?:_\w+)?\s*\*?\s*sum|sum)"
)
_FORMULA = r"(?<![\w|<])(?:H|[A-Z])(?:_\{?\w+\}?)?(?:\s*\([^()=]{1,20}\))?\s*=\s*[^\n;]*"
_DEFINED = r"(?<![A-Za-z_])([A-Z])_\{?i\}?\s*=\s*((?:\s*(?:[XYZ]|sigma\^?_?[xyz]?)_\{?i(?:[+-]\d)?\}?(?:\^[xyz])?)+)"
_NAMED = (
    r"(?P<xxz>\bXXZ\b)|(?P<xy>\bXX\b(?= (?:chain|model|spin))|\bXY\b)|(?P<ising>\bIsing\b)|"
    r"(?P<heisenberg>\bHeisenberg\b|\bXXX\b|\bMajumdar\b|\bJ_?1\s*-\s*J_?2\b)"
)
SYMBOLS = frozenset(
    "J J1 J2 Jxy Jz Delta lambda h g B Gamma hx hz hX hZ".split()
)  # that a model's name gives a meaning
_TRANSVERSE = r"(?:transverse|x)[- ](?:magnetic )?field(?: strength)?|field (?:along|in) (?:the )?x(?:[- ]direction)?"
_LONGITUDINAL = (
    r"(?:longitudinal|z|magnetic)[- ](?:magnetic )?field(?: strength)?|field (?:along|in) (?:the )?z(?:[- ]direction)?"
)
_NEXT = r"(?:next|second)[- ]nearest[- ]neighbou?r (?:coupling|exchange|interaction|one)?|frustrat\w+ coupling"


# a further term that could not be read: its coefficient is a word without a value
_CUT = re.compile(r"\s*[-+]\s*(?:\d[\d.]*\s*\*?\s*)?(?P<name>[A-Za-z]\w*)[ \t*]*(?:sum|[XYZ]_|S_|sigma)")


@dataclass(frozen=True, slots=True)
class Model:
    """A chain.

    Attributes:
        told: its Hamiltonian as a formula.
        assumed: conventions that the text leaves open.
    """

    formula: Formula
    told: str
    assumed: list[str] = field(default_factory=list)


def hamiltonian(account: Account, known: Mapping[str, float], sets: Sequence[Assignment]) -> Model | Question | Unread:
    """The Hamiltonian of the text: written as a formula, told term by term, or by its name."""
    text = plain_operators(account.body.text, defined(account))
    missing = ""
    for match in re.finditer(HAMILTONIAN, text):
        try:
            found = formula_at(text, match.end(), known)
        except UnknownSymbol as unknown:
            missing = missing or unknown.name
            continue
        except NotASpinChain as strange:
            return Unread(
                text[match.start() : match.end() + 60],
                f"The Hamiltonian holds {strange.words}, which is no uniform sum of Pauli strings.",
            )
        if found is not None and (cut := _CUT.match(text, found.end)):
            missing = missing or " ".join(cut["name"].split())
            continue
        if found is not None:
            use_formula(account, sets)
            return Model(found, " ".join(text[match.end() : found.end].split()))
    if not missing:
        try:
            listed = listed_terms(account, known)
        except UnknownSymbol as unknown:
            missing = unknown.name
        else:
            if listed is None:
                return named_model(account, known, sets)
            for one in sets:
                if one.key in SYMBOLS:
                    account.use(one.start, one.end)
            return Model(listed, "as listed in the task")
    return Question(text=f"What is the value of {missing} in the Hamiltonian?")


def use_formula(account: Account, sets: Sequence[Assignment]) -> None:
    """The lines of the formula and of its definitions are understood."""
    for match in re.finditer(_FORMULA, account.body.text):
        if re.search(r"[XYZ]_|sigma|S_|S\^|S[xyz]|K_|sum", match[0]):
            stop = re.search(r"(?<! )\.\s|,\s+(?:with|where|theta|and)", match[0])
            account.use(match.start(), match.start() + (stop.start() if stop else len(match[0])))
            account.use_symbols(sets, match[0])


def defined(account: Account) -> dict[str, str]:
    """Operators that the text defines for itself: ``K_i = Z_{i-1} X_i Z_{i+1}``."""
    found = {}
    for match in re.finditer(_DEFINED, account.body.text):
        found[match[1]] = match[2].strip()
        account.use(*match.span())
    return found


def named_model(account: Account, known: Mapping[str, float], sets: Sequence[Assignment]) -> Model | Question:
    """The model that the text names, with the couplings it sets by symbol or in words."""
    match = account.find(_NAMED, 0)
    if match is None:
        return Question(text="What is the Hamiltonian of the chain?")
    for one in sets:
        if one.key in SYMBOLS:
            account.use(one.start, one.end)
    assumed: list[str] = []
    j = _value(
        account, known, ("J", "J1", "Jxy"), r"(?:exchange|nearest[- ]neighbou?r)(?: coupling| constant)?|couplings?"
    )
    if j is None:
        j = 1.0
        assumed.append("No J is given; J = 1 is the unit of energy.")
    hx = _value(account, known, ("hx", "Gamma", "hX"), _TRANSVERSE)
    hz = _value(account, known, ("hz", "hZ"), _LONGITUDINAL)
    if match["ising"]:
        return _ising(account, known, j, hx, hz, assumed)
    delta = _value(account, known, ("Delta", "lambda"), r"(?:exchange )?anisotropy(?: parameter)?")
    delta = known["Jz"] / j if delta is None and "Jz" in known else delta
    if match["xxz"] and delta is None:
        return Question(text="How large is the anisotropy Delta of the XXZ chain?")
    delta = delta if delta is not None else 0.0 if match["xy"] else 1.0
    if re.search(r"(?<!anti)ferromagnet", account.body.text, re.I) and not re.search(
        "antiferro", account.body.text, re.I
    ):
        j = -abs(j)
    second = _value(account, known, ("J2",), _NEXT)
    if second is None and "ratio" in known:
        second = known["ratio"] * j
    field = hz if hz is not None else known.get("h", known.get("B"))
    terms: dict[Key, float] = {}
    for weight, offset in ((j, 1), (second or 0.0, 2)):
        for letters, scale in (("XX", 1.0), ("YY", 1.0), ("ZZ", delta)):
            terms[letters, (0, offset)] = weight * scale / 4
    terms["X", (0,)], terms["Z", (0,)] = -(hx or 0.0) / 2, -(field or 0.0) / 2
    assumed.append(
        f"H = J sum (Sx Sx + Sy Sy + Delta Sz Sz) with S = sigma/2 and Delta = {delta:g}; J > 0 is antiferromagnetic."
        + (" Fields enter as -h sum S." if hx or field else "")
    )
    told = "J sum (Sx Sx + Sy Sy + Delta Sz Sz)" + (" + J2 (the same) at distance two" if second else "")
    return Model(Formula({key: value for key, value in terms.items() if value}, True, 0), told, assumed)


def _ising(
    account: Account, known: Mapping[str, float], j: float, hx: float | None, hz: float | None, assumed: list[str]
) -> Model | Question:
    transverse = (
        hx if hx is not None else next((known[name] for name in ("h", "g", "lambda", "B") if name in known), None)
    )
    if transverse is None:
        found = phrase(account.body.plain, r"fields?(?: strength)?")
        if found and len(found[0].items) == 1:
            transverse = found[0].items[0].value_or_none(known)
            account.use(found[1], found[0].end)
    if transverse is None:
        return Question(text="How strong is the transverse field of the Ising chain?")
    sign = 1.0 if re.search(r"antiferro", account.body.text, re.I) else -1.0
    terms: dict[Key, float] = {("ZZ", (0, 1)): sign * abs(j) if sign > 0 else -j, ("X", (0,)): -transverse}
    if hz:
        terms["Z", (0,)] = -hz
    told = ("J" if sign > 0 else "-J") + " sum Z_i Z_{i+1} - h sum X_i" + (" - hz sum Z_i" if hz else "")
    assumed.append(f"Ising chain: H = {told} with Pauli matrices.")
    return Model(Formula(terms, False, 0), told, assumed)


def _value(account: Account, known: Mapping[str, float], names: tuple[str, ...], words: str) -> float | None:
    """What a symbol is set to, or what the words for it say."""
    value = next((known[name] for name in names if name in known), None)
    if value is not None:
        return value
    found = phrase(account.body.plain, words)
    if found is None or len(found[0].items) != 1:
        return None
    value = found[0].items[0].value_or_none(known)
    if value is not None:
        account.use(found[1], found[0].end)
    return value
