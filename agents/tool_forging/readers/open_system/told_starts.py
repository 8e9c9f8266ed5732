"""Product states told part by part: ``spin 1 starts up, spin 2 down``, ``one qubit is excited, the other is not``."""

from __future__ import annotations

import math
import re

from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.open_system.operators import System
from labwright.agents.tool_forging.readers.open_system.states import SpokenState

_BODY = r"(?i:qubits?|spins?|atoms?|ions?|emitters?|dots?|particles?|systems?|ones?)"
_WHO = re.compile(
    rf"\b{_BODY}\s+#?(?P<name>\d|[A-Z])\b|\b(?P<order>(?i:first|second|third|fourth|left|right|"
    rf"donor|acceptor))\b(?:\s+{_BODY})?|"
    rf"\b(?P<other>(?i:the other|other))\b(?:\s+{_BODY})?|\b"
    rf"(?P<one>(?i:one))\s+{_BODY}\b|\b(?P<all>(?i:both|all|each|every))"
    rf"\b(?:\s+(?:the\s+)?{_BODY})?|"
    r"(?<![\w|<_])(?P<letter>[B-HJ-Z]|A)(?=\s+(?:is|starts|begins|in|has|excited|up|down|being|ground|not)\b)"
)
_WAY = re.compile(
    r"(?P<no>\bnot\b(?:\s+excited|\s+in\s+the\s+excited)?|\bunexcited\b)|\b(?P<excited>excited)\b|"
    r"\b(?P<ground>ground)\b|\b(?P<up>up)\b|\b(?P<down>down)\b|"
    r"\|\s*(?P<bit>[01eg])\s*>|Z\s*=\s*(?P<sign>[+-]?)\s*1\b"
)
_PUT = re.compile(
    r"\b(?:the|an|one|a single) (?:excitation|photon|quantum|exciton)\s+(?:is |starts |sits |begins )?(?:put |"
    r"placed |injected |located )?"
    rf"(?:in|into|on|at|onto)\s+(?:the\s+)?(?:{_BODY}\s+)?(?:(?P<name>\d|[A-D])\b|(?P<order>first|second|left|"
    rf"right|donor|acceptor)\b)"
    r"(?P<all>(?!))?(?P<one>(?!))?(?P<other>(?!))?(?P<letter>(?!))?"
)
_PLACES = {"first": 0, "left": 0, "donor": 0, "second": 1, "right": 1, "acceptor": 1, "third": 2, "fourth": 3}
_PHOTONS = re.compile(
    r"\b(?P<many>\d+|no|zero|one|two|three|four|five|six|single|a)\s+(?:\w+\s+)?(?:photons?|quant(?:a|um)|"
    r"excitations? in the (?:cavity|resonator))\b|"
    r"\b(?:Fock|number) state\s+(?:with\s+)?(?:n\s*=\s*)?\|?(?P<fock>\d+)|\bn\s*=\s*(?P<n>\d+)\s+(?:Fock|number) state|"
    r"(?P<empty>\bvacuum\b|\bempty\b|\bno light\b)"
)


def told_product(text: str, system: System) -> SpokenState | str | None:
    """The state that names every qubit; None where qubits are not told apart, ``partial`` where some are left out."""
    n = len(system.qubits)
    if n < 2 or system.oscillators or re.search(r"\|[01eg+-]{2,}>|\|[01eg]\s*,?\s*[01eg]>", text):
        return None
    bits: list[int | None] = [None] * n
    excited = 1 if system.flipped else 0
    for match in _PUT.finditer(text):
        for site in _who(match, system, bits):
            bits[site] = excited
    pending: list[int] = []
    last_end = 0
    for mark in sorted([*_WHO.finditer(text), *_WAY.finditer(text)], key=lambda one: one.start()):
        if mark.re is _WHO:
            if re.search(r"[.;]\s", text[last_end : mark.start()]):
                pending = []
            pending += _who(mark, system, bits)
            last_end = mark.end()
        elif pending and mark.start() - last_end < 50:
            bit = _bit(mark, system)
            for site in pending:
                bits[site] = bit if bits[site] is None else bits[site]
            pending = []
    if all(bit is None for bit in bits):
        return None
    if None in bits:
        return "partial"
    word = "".join(str(bit) for bit in bits)
    psi = [0j] * math.prod(system.dims)
    psi[int(word, 2)] = 1
    return SpokenState(word, (word,), tuple(psi))


def _who(mark: re.Match[str], system: System, bits: list[int | None]) -> list[int]:
    n = len(system.qubits)
    if mark["all"]:
        return list(range(n))
    if mark["one"]:
        return [0]
    if mark["other"]:
        return [k for k in range(n) if bits[k] is None][:1] if n == 2 else []
    if mark["order"]:
        place = _PLACES[mark["order"].lower()]
        return [place] if place < n else []
    name = mark["name"] or mark["letter"]
    if name in system.sites:
        return [system.qubits.index(system.sites[name])]
    place = int(name) - 1 if name.isdigit() else ord(name) - ord("A")
    return [place] if 0 <= place < n else []


def _bit(mark: re.Match[str], system: System) -> int:
    excited = 1 if system.flipped else 0
    if mark["sign"] is not None:
        return int(mark["sign"] == "-")
    if mark["bit"] and mark["bit"].isdigit():
        return int(mark["bit"])
    if mark["up"] or mark["down"]:
        return int(mark["down"] is not None)
    up = bool(mark["excited"]) or mark["bit"] == "e"
    return excited if up else 1 - excited


def photons(text: str) -> int | None:
    """How many quanta an oscillator holds at the beginning; None where the text does not say."""
    match = _PHOTONS.search(text)
    if match is None:
        return None
    if match["empty"]:
        return 0
    word = match["fock"] or match["n"] or match["many"]
    return {"no": 0, "single": 1, "a": 1}.get(word.lower(), integer(word))
