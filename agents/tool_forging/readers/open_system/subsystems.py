"""What a Hamiltonian acts on: qubits, oscillators and levels, by the operators that occur and the words beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.operators import Factor, Term
from labwright.agents.tool_forging.readers.open_system.excited import excited_is_one
from labwright.agents.tool_forging.readers.open_system.operators import System, site_names
from labwright.tools.forge.families.open_system.spec import Drive, Operator

_DEFAULT_FOCK = 12


@dataclass(frozen=True, slots=True)
class Generator:
    """Hamiltonian and system."""

    system: System
    hamiltonian: Operator
    drives: tuple[Drive, ...] = ()
    assumed: tuple[str, ...] = ()


_NO_OSCILLATOR = re.compile(
    r"\b(?:no|without(?: any| a)?|not in a)\s+(?:\w+\s+)?(?:cavity|resonator|oscillator)\b", re.I
)


def has_oscillator(text: str) -> bool:
    """Whether ``a`` is a ladder operator in this text."""
    return bool(
        re.search(
            (
                r"\ba\s*\^\s*\{?dag|a\.dag\(\)|\badag\b|\bannihilat\w+|\bcavity\b|\bresonator\b|\boscillator\b|"
                r"\bdestroy\(|\bJaynes\b|\bharmonic mode\b|\bbosonic mode\b"
            ),
            _NO_OSCILLATOR.sub(" ", text),
        )
    )


def system_of(body: Body, terms: list[Term]) -> tuple[System, list[str]] | tuple[Unread, list[str]]:
    """Subsystems by the operators that occur: qubits, an oscillator, or levels."""
    text, assumed = body.text, list[str]()
    factors = [factor for term in terms for factor in term.factors]
    kets = [factor for factor in factors if factor.op.startswith("|")]
    ladder = any(factor.op in ("a", "adag", "n") for factor in factors)
    spins = [factor for factor in factors if not factor.op.startswith("|") and factor.op not in ("a", "adag", "n", "I")]
    if kets and not spins and not ladder:
        levels = _ket_levels(body, kets)
        return System([len(levels)], levels, flipped=False), assumed
    width = max([term.width for term in terms], default=0)
    said = count(body.plain, r"qubits?|spins?|two-level (?:systems?|atoms?)|atoms?|sites?")
    subscripts = {
        str(factor.site) for factor in spins if isinstance(factor.site, str) and not re.match(r"[ijk]", factor.site)
    }
    n = width or len(subscripts) or 0
    # a subscript that counts one qubit, and "single qubit", say the same
    n = max(
        n,
        said[0]
        if said and (said[0] > 1 or not n) and said[0] < 9 and any(isinstance(f.site, str) for f in spins)
        else 0,
    )
    n = n or (1 if spins else 0)
    if n > 8:
        return Unread(f"{n} qubits", "The family of open systems keeps whole matrices; at most 8 qubits fit."), assumed
    dims = [2] * n
    oscillators = []
    if ladder:
        cut = fock_states(body)
        if cut is None:
            cut = _DEFAULT_FOCK
            assumed.append(
                f"The task does not truncate the oscillator; {cut} Fock states are kept, enough while it "
                f"holds few quanta."
            )
        first = bool(
            re.search(r"tensor\(\s*(?:destroy|a\b)|cavity (?:first|\(x\)|@)|\|n,\s*[eg]>|\|0,\s*[eg]>", text)
        ) and bool(n)
        oscillators = [0 if first else n]
        dims.insert(oscillators[0], cut)
    flipped = excited_is_one(body.text)
    if flipped:
        assumed.append(
            "|1> is the excited level and sigma minus takes it to |0>; QuTiP's own sigmam() would do the opposite."
        )
    system = System(dims, [], flipped=flipped, oscillators=oscillators)
    named = site_names(terms, n)
    told = {name: k for name, k in told_sites(text, n).items() if not named or name.isalpha()}
    system.sites = {name: system.qubits[k] for name, k in {**told, **named}.items()}
    system.levels = level_names(system)
    return system, assumed


_CALLED = re.compile(
    r"\b(?:qubits?|atoms?|spins?|transmons?|ions?|emitters?|dots?|them)\b[^.;\n]{0,24}?\(?\s*"
    r"(?P<a>[A-Z]|\d)\s*(?:,|and|&)\s*(?:(?:qubit|atom|spin)\s+)?(?P<b>[A-Z]|\d)(?![\w.])"
)


def told_sites(text: str, n_qubits: int) -> dict[str, int]:
    """Names of qubits as the text calls them: ``qubits A and B``, ``atoms 1 and 2``; else numbers from 1."""
    called = _CALLED.search(text)
    if called and n_qubits == 2 and called["a"] != called["b"]:
        return {called["a"]: 0, called["b"]: 1}
    base = 0 if re.search(r"(?:sigma\w*|[XYZ]|T_\{\w+?)_?\^?[({]*0[)}]", text) else 1
    return {str(k + base): k for k in range(n_qubits)} if n_qubits > 1 else {}


def level_names(system: System) -> list[str]:
    """Names of the basis states: indices of the subsystems, joined."""
    names = [""]
    for size in system.dims:
        names = [
            name + (str(k) if max(system.dims) < 10 else f"{',' if name else ''}{k}")
            for name in names
            for k in range(size)
        ]
    return names


def fock_states(body: Body) -> int | None:
    """How many Fock states are kept; None where the text does not say."""
    for pattern in (
        r"(?:truncat\w+|cut ?off|cut (?:at|to|after|down to)|keep\w*|kept|dimension)\D{0,40}?(\d+)",
        r"(?:Fock|Hilbert) space\s+(?:of|with|has|:|=)\D{0,20}?(\d+)",
        r"\bFock states?(?: kept)?\s*(?:=|:|is|of)?\s*(\d+)",
        r"(\d+)\s*(?:Fock|photon|number)[- ](?:states|levels)",
        r"\bdestroy\((\d+)\)",
        r"\bN\s*=\s*(\d+)",
    ):
        found = re.search(pattern, body.text, re.I if "runcat" in pattern else 0)
        if found and 2 <= int(found[1]) <= 60:
            return int(found[1])
    said = count(body.plain, r"Fock states|Fock levels|levels")
    return said[0] if said and said[0] > 2 else None


def _ket_levels(body: Body, kets: list[Factor]) -> list[str]:
    names = list(dict.fromkeys(name for one in kets for name in one.op[1:].rstrip("|").split("><")))
    if all(len(name) == 1 for name in names):  # a level that no coupling reaches has its ket elsewhere in the text
        names = list(dict.fromkeys([*names, *re.findall(r"\|([a-z\d])>", body.text)]))
    size = count(body.plain, r"levels?(?! atom)|level")
    listed = listed_levels(body, max(len(names), size[0] if size else 0))
    if set(names) <= set(listed):
        return listed
    return sorted(names) if all(name.isdigit() for name in names) else names


def listed_levels(body: Body, size: int) -> list[str]:
    """Names that the text lists for its levels, else the indices from 0."""
    listed = re.search(
        (
            r"(?:levels?|states?|basis)\s*(?:the\s+)?(?:(?:are\s+)?(?:labelled|labeled|named|denoted|called|"
            r"numbered)(?:\s+(?:by|as))?|are|:|=|order|in the "
            r"order)?\s*[({]?\s*((?:\|?\b[a-z0-9]\b>?(?:\s*\([^)]*\))?(?:\s*,\s*(?:and\s+)?|"
            r"\s+and\s+))+\|?[a-z0-9]\b>?)"
        ),
        body.text,
    )
    if listed:
        names = re.findall(r"(?<![a-z])\|?([a-z0-9])\b>?", re.sub(r"\band\b|\([^)]*\)", ",", listed[1]))
        if len(names) == size and len(set(names)) == size:
            return names
    return [str(k) for k in range(size)]
