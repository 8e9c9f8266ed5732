"""Words and small readings that all tensor-network readers share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import Assignment
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.language.scalars import NUMBER_WORDS

VOCABULARY = frozenset(
    """
    diagonalisation diagonalization diagonalise diagonalize adjacent anisotropic anisotropy antiferromagnet
    antiferromagnetic antiferromagnetically bond boundary boundaries bulk central charge chi cluster conformal
    conserved correlation correlations correlator critical cut cuts dimension dmrg edge eigenstate energetic
    entanglement entangled entropies entropy exchange exact exactly ferromagnet ferromagnetic field finite
    finite-size free-fermion free fermion gap gapless gapped ground ground-state hamiltonian heisenberg ising xx
    xy xxz xyz longitudinal magnet magnetic magnetisation magnetization matrix model modulo mps nearest
    nearest-neighbor nearest-neighbour neighbor neighbors neighbour neighbouring neighbors neighbours non-local
    nonlocal open operator operators order parameter pauli periodic phase phases physics product profile protected
    qubit qubits quantum renormalisation renormalization group ring rings scaling self-dual site sites spin spins
    spin-1/2 spin-half spt stabiliser stabilisers stabilizer stabilizers state string string-order sweep sweeps
    symmetric symmetry tenpy tensor theta thermodynamic topological transition transverse transverse-field
    truncation trivial von neumann von-neumann wavefunction half-chain half jordan-wigner fermions
    modes site-resolved pattern strength mean-field crossing crossings slope even odd singlet triplet coupling
    couplings onsite on-site variance logarithm logarithmic logarithmically limit bethe ansatz haldane
    universality class extrapolate extrapolation
    """.split()
)
COUNTED = r"sites?|spins?|qubits?"
_PART = re.compile(
    r"\b(?:first|last|leftmost|rightmost|left|right|middle|central|inner|outer|other|remaining|block of|segment of|"
    r"subsystem of|distance of)\s+$",
    re.I,
)


def sizes(account: Account, sets: Sequence[Assignment], names: Sequence[str] = ("N", "L", "n")) -> list[int]:
    """Numbers of sites: what N or L is set to, ``20 sites``, ``chain of 20 spins``."""
    found: list[int] = []
    for one in sets:
        if one.key in names and not one.numbers.unit and all(not item.names for item in one.numbers.items):
            account.use(one.start, one.end)
            found += [int(value) for value in one.numbers.values() if value == int(value) and int(value) not in found]
    number = rf"(?:\d+|{'|'.join(NUMBER_WORDS)})"
    spoken = (
        rf"(?<![\w.])((?:{number}\s*,\s*)*(?:{number}\s*,?\s+(?:and|or)\s+)?{number})[\s-]+(?:spin-1/2 |spin-half |"
        rf"lattice |"
        rf"open "
        rf"|coupled ){{0,2}}(?:{COUNTED})\b"
    )
    for match in re.finditer(spoken, account.body.text, re.I):
        values = [integer(word) for word in re.findall(number, match[1].lower())]
        numbers = [one for one in values if one is not None and one > 1]
        if _PART.search(account.body.text[: match.start()]):
            continue  # "the first seven sites" are a part of the chain
        algorithm = re.match(
            r"[\s-]*(?:i?DMRG|TDVP|TEBD|algorithm|updates?|gates?|unit cell|variant)\b",
            account.body.text[match.end() :],
        )
        if algorithm:  # "two-site DMRG" says how, not how many
            account.use(*match.span())
            continue
        if re.search(r"=\s*$", account.body.text[max(0, match.start() - 8) : match.start()]):
            numbers = numbers[-1:]  # "Delta = 2, 8 sites" sets a coupling first
        if numbers:
            account.use(*match.span())
            found += [one for one in numbers if one not in found]
    for match in re.finditer(
        r"\b(?:number of )?(?:sites|spins|qubits|chain lengths?|system sizes?|lengths?|sizes?)\s*[:=]\s*"
        r"((?:\d+\s*(?:,|and|&|/)\s*)*\d+)\b(?!\d|\.\d)",
        account.body.text,
        re.I,
    ):
        account.use(*match.span())
        found += [int(one) for one in re.findall(r"\d+", match[1]) if int(one) not in found]
    for match in re.finditer(
        r"\b(?:lengths?|sizes?)\s+(?:of\s+)?((?:\d+\s*,\s*)*(?:\d+\s*,?\s*and\s+)?\d+)\b", account.body.text
    ):
        account.use(*match.span())
        found += [int(one) for one in re.findall(r"\d+", match[1]) if int(one) not in found]
    return found or summed(account)


def summed(account: Account) -> list[int]:
    """The number of sites by the upper end of a sum over them, ``sum_{i=1}^{8}``; sums over bonds end one earlier."""
    ends = {
        int(one[2]) - int(one[1]) + 1
        for one in re.finditer(r"\bsum_\{\s*[ijkn]\s*=\s*([01])\s*\}\s*\^\s*\{?(\d+)\}?", account.body.text)
    }
    return [max(ends)] if ends and max(ends) - min(ends) <= 2 and max(ends) > 2 else []


def bond_dimension(account: Account, sets: Sequence[Assignment]) -> int | None:
    """The largest bond dimension that the text names."""
    for one in sets:
        if (
            one.key in {"chi", "chimax", "D", "Dmax", "m", "bonddim"}
            and len(one.numbers.items) == 1
            and not one.numbers.items[0].names
            and one.numbers.values()[0] >= 2
            and one.numbers.values()[0] == int(one.numbers.values()[0])
        ):
            account.use(one.start, one.end)
            return int(one.numbers.values()[0])
    number = r"(?<![.\d])(\d+)(?![.\d]*\d|\s*(?:spins?|sites?|qubits?))"
    for words in (
        (
            rf"(?:at most|up to|maximum of|no more than|keep\w*|with)\s+{number}\s+(?:states|Schmidt \w+|singular "
            rf"values)(?:\s+(?:are\s+)?(?:kept|retained))?"
        ),
        rf"{number}\s+(?:states|singular values)\s+(?:are\s+|to be\s+)?(?:kept|retained)",
        (
            rf"bond[- ]dimensions?(?:\s*\(?chi(?:_?max)?\)?)?\s*(?:of|=|:|is|up to|at most|limited to|no more than|"
            rf"not above|set to|below|chi|to|\s)*{number}"
        ),
        rf"bond[- ]dimensions?[^.;\n\d)]{{0,30}}?{number}",
        rf"{number}[- ](?:state|dimensional)?\s*bond[- ]dimension",
        rf"\b(?:chi|D|m)(?:_?\{{?max\}}?)?\s*(?:<=?|up to|at most|of|:|is|=|not above|limited to|capped at|\s)+\s*"
        rf"{number}",
    ):
        match = account.find(words)
        if match:
            return int(match[1])
    return None


def spin_half(account: Account) -> None:
    """Marks the words that say that spins are one half, and in which units entropies are."""
    account.every(
        r"\beigenvalues? (?:\+/?-|plus or minus|plus/minus)\s*(?:1\s*/\s*2|0\.5|one[- ]half)|"
        r"\b(?:units?|nats?|convention)\b[^.;\n()]{0,20}\bln ?\(?2\)?[^.;\n()]{0,30}\b(?:pair|singlet|qubits?|spins?)\b"
    )
    account.every(
        r"\b(?:spins?|S)[- ]*(?:=\s*|of\s+|is\s+)?(?:magnitude\s+)?(?:1\s*/\s*2|0\.5|one[- ]half|half|sigma\s*/\s*2)\b"
        r"|\b(?:1\s*/\s*2|0\.5|half)[- ]spins?\b|(?<=\()\s*1/2\s*(?=\))"
    )


def open_or_ring(account: Account) -> Literal["open", "periodic"] | None:
    """``open`` or ``periodic``; None if the text does not say."""
    if account.find(
        r"open[- ](?:[A-Z][\w-]+[- ]){0,2}(?:boundar\w+|ends?|chain|spin|row|line|string)|\bOBC\b|open boundary|"
        r"\((?:open|free)\)|free "
        r"(?:boundar\w+|ends?)|in an? (?:open )?(?:row|line)\b|open at both ends|(?<=\d)\s*,?\s+open\b|"
        r"\bboundar\w+\s*[:=]\s*open|\bopen\b(?=\s*(?:[.,;)\n]|$))"
    ):
        account.every(r"boundary conditions?")
        return "open"
    if account.find(
        r"periodic[- ](?:boundar\w+|chain|ring|spin)|\bPBC\b|\brings?\b|closed chain|\bboundar\w+\s*[:=]\s*periodic|"
        r"\bperiodic\b(?=\s*(?:[.,;)\n]|$))"
    ):
        account.every(r"boundary conditions?|indices modulo N|\brings?\b")
        return "periodic"
    lengths = {
        int(one[1]) for one in re.finditer(r"\bsum_\{\s*[ijkn]\s*=\s*1\s*\}\s*\^\s*\{?(\d+)\}?", account.body.text)
    }
    return "open" if len(lengths) == 2 and max(lengths) - min(lengths) == 1 else None
