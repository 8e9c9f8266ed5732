"""Spin chains that are told by name or term by term, as patterns of Pauli matrices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import Assignment, phrase
from labwright.agents.tool_forging.readers.tensor_network.formulas import Formula, Key

# where a formula begins: ``H = ``, ``H_1(t) = ``, ``Hamiltonian: ``
HAMILTONIAN = (
    r"(?<![\w|<])H(?:_?\{?\w{0,8}\}?)?(?:\s*\([^()=]{1,20}\))?\s*=\s*|"
    r"\b[Hh]amiltonian\s*(?:is|:|reads|=|:=|of the form)\s*(?=[-+\d(]|[A-Za-z](?:_\w+)?\s*\*?\s*sum|sum)"
)
_NAMED = (
    r"(?P<xxz>\bXXZ\b)|(?P<xy>\bXX\b(?= (?:chain|model|spin))|\bXY\b)|(?P<ising>\bIsing\b)|"
    r"(?P<heisenberg>\bHeisenberg\b|\bXXX\b|\bJ_?1\s*-\s*J_?2\b)"
)
SYMBOLS = frozenset(
    "J J1 J2 Jxy Jz Delta lambda h g B Gamma hx hz hX hZ".split()
)  # that a model's name gives a meaning
_TRANSVERSE = r"(?:transverse|x)[- ](?:magnetic )?field(?: strength)?|field (?:along|in) (?:the )?x(?:[- ]direction)?"
_LONGITUDINAL = (
    r"(?:longitudinal|z|magnetic)[- ](?:magnetic )?field(?: strength)?|field (?:along|in) (?:the )?z(?:[- ]direction)?"
)
_NEXT = r"(?:next|second)[- ]nearest[- ]neighbou?r (?:coupling|exchange|interaction|one)?|frustrat\w+ coupling"
_TERM = re.compile(
    r"(?P<weight>[-+]?\s*\d+(?:\.\d+)?)\s*(?:times|\*|x)?\s*(?P<op>(?:S[xyz]|[XYZ])(?:\s*\*?\s*(?:S[xyz]|[XYZ]))*)"
    r"\s*(?:acts?\s+)?(?:on|for|at|over|between|per|across)\s+"
    r"(?:all\s+|each\s+|every\s+|the\s+|a\s+|pairs? of\s+|any two\s+)*"
    r"(?P<over>(?:next|second)[- ]nearest[- ]neighbou?rs?|(?:nearest[- ])?neighbou?r\w*|adjacent\s+\w+|bonds?|links?|"
    r"sites?|spins?|qubits?)",
)


@dataclass(frozen=True, slots=True)
class Model:
    """A chain by its name.

    Attributes:
        told: its Hamiltonian in words of formulas.
        assumed: conventions that the text leaves open.
    """

    formula: Formula
    told: str
    assumed: list[str] = field(default_factory=list)


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


def listed_terms(account: Account) -> Formula | None:
    """``-1.0 times Z Z on neighbours``, ``0.5 X on each site``: terms one by one."""
    terms: dict[Key, float] = {}
    spins = False
    for match in _TERM.finditer(account.body.text):
        letters = re.findall(r"S[xyz]|[XYZ]", match["op"])
        pair = not re.match(r"sites?|spins?|qubits?", match["over"])
        if len(letters) != (2 if pair else 1):
            continue
        weight = float(match["weight"].replace(" ", ""))
        far = 2 if re.match(r"next|second", match["over"]) else 1
        spins = spins or letters[0].startswith("S")
        scale = 0.5 ** sum(one.startswith("S") for one in letters)
        key = ("".join(one[-1].upper() for one in letters), (0, far) if pair else (0,))
        terms[key] = terms.get(key, 0.0) + weight * scale
        account.use(*match.span())
    return Formula(terms, spins, 0) if terms else None
