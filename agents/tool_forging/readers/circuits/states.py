"""States of several qubits in words and kets: ``(|00> + |11>)/sqrt(2)``, a GHZ state, the singlet."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.scalars import scalar_at
from labwright.tools.forge.families.circuits.spec import Gate

_SUM = re.compile(
    r"(?P<scale>(?:\(?1\s*/\s*sqrt\(\s*\d+\s*\)\)?|\(\(1\)/\(sqrt\(\d+\)\)\))\s*\*?\s*)?"
    r"(?P<open>[([])?\s*(?P<body>(?:[+-]?\s*[\w.()/*^]*\s*\|[01]+>\s*)(?:[+-]\s*[\w.()/*^]*?\s*\|[01]+>\s*|"
    r"\+\s*\.\.\.\s*)+)(?P<close>[)\]])?(?P<norm>\s*/\s*(?:sqrt\(?\d+\)?|\d))?"
)
_PIECE = re.compile(r"(?P<sign>[+-]?)\s*(?P<factor>[\w.()/*^]*?)\s*\|(?P<bits>[01]+)>")


@dataclass(frozen=True, slots=True)
class SpokenState:
    """A state of the text.

    Attributes:
        amplitudes: normalised, leftmost bit is qubit 0.
        name: as written.
        gates: a standard circuit for it, if it is a known one; None where only amplitudes are known.
    """

    amplitudes: tuple[complex, ...]
    name: str
    gates: tuple[Gate, ...] | None
    start: int
    end: int


def ket_sum(text: str) -> SpokenState | None:
    """The first superposition that is written out in kets of one length."""
    for match in _SUM.finditer(text):
        pieces = [_PIECE.fullmatch(one[0].strip()) for one in _PIECE.finditer(match["body"].lstrip(" (["))]
        lengths = {len(piece["bits"]) for piece in pieces if piece}
        if len(lengths) != 1 or "..." in match["body"]:
            continue
        n = lengths.pop()
        amplitudes = [0j] * 2**n
        for piece in (one for one in pieces if one):
            factor = _factor(piece["factor"])
            if factor is None:
                break
            amplitudes[int(piece["bits"], 2)] += -factor if piece["sign"] == "-" else factor
        else:
            norm = math.sqrt(sum(abs(one) ** 2 for one in amplitudes))
            if norm > 0:
                made = tuple(one / norm for one in amplitudes)
                return SpokenState(made, " ".join(match[0].split()), standard(made), match.start(), match.end())
    return None


def _factor(text: str) -> complex | None:
    plain = text.strip().strip("*")
    if plain == "":
        return 1.0
    if plain in {"i", "j"}:
        return 1j
    value = scalar_at(plain, 0, [])
    return complex(value.value({})) if value is not None and value.end == len(plain) else None


def named_state(text: str, n: int | None) -> SpokenState | None:
    """GHZ, W, and the four Bell states by name."""
    bell = re.search(r"\b(?:Phi|Psi)[\^_]?\{?[+-]\}?|\bsinglet\b", text)
    bell = bell or re.search(r"\bBell[- ](?:state|pair)s?\b|\bEPR\b", text)
    ghz, w = re.search(r"\bGHZ\b|\bcat states?\b", text), re.search(r"\bW[- ]states?\b", text)
    if ghz and n:
        amplitudes = [0j] * 2**n
        amplitudes[0] = amplitudes[-1] = math.sqrt(0.5)
        return SpokenState(tuple(amplitudes), f"GHZ state of {n} qubits", _ghz(n), ghz.start(), ghz.end())
    if w and n:
        amplitudes = [0j] * 2**n
        for qubit in range(n):
            amplitudes[1 << qubit] = math.sqrt(1 / n)
        return SpokenState(tuple(amplitudes), f"W state of {n} qubits", _w(n), w.start(), w.end())
    cluster = re.search(
        r"\b[Cc]luster[- ]states?\b|\blinear cluster\b|\bgraph state of (?:a|the) (?:line|chain)\b", text
    )
    if cluster and n:
        return SpokenState(_cluster_amplitudes(n), f"linear cluster state of {n} qubits", _cluster(n), *cluster.span())
    if bell and n in (None, 2):
        word = bell[0].replace("{", "").replace("}", "")
        psi = word.startswith("Psi") or word == "singlet"
        sign = -1 if word.endswith("-") or word == "singlet" else 1
        half = math.sqrt(0.5)
        made = (0j, half, sign * half, 0j) if psi else (half, 0j, 0j, sign * half)
        return SpokenState(
            tuple(map(complex, made)),
            word if word.startswith("Bell") else f"Bell state {word}",
            standard(made),
            bell.start(),
            bell.end(),
        )
    return None


def _cluster(n: int) -> tuple[Gate, ...]:
    return (
        *(Gate(name="h", qubits=[q]) for q in range(n)),
        *(Gate(name="cz", qubits=[q, q + 1]) for q in range(n - 1)),
    )


def _cluster_amplitudes(n: int) -> tuple[complex, ...]:
    """Equal sizes; the sign counts neighbours that are both one."""
    return tuple(complex((-1) ** (k & k >> 1).bit_count() / math.sqrt(2**n)) for k in range(2**n))


def standard(amplitudes: tuple[complex, ...] | tuple[float | complex, ...]) -> tuple[Gate, ...] | None:
    """A circuit for a Bell, GHZ or W state; None for others."""
    n = len(amplitudes).bit_length() - 1
    filled = [k for k, one in enumerate(amplitudes) if abs(one) > 1e-12]
    if (
        n > 2
        and filled == [1 << q for q in range(n)]
        and len({complex(round(complex(a).real, 9)) for a in amplitudes if a}) == 1
    ):
        return _w(n)
    if len(filled) != 2 or filled[0] + filled[1] != 2**n - 1 or n < 2:
        return None
    ratio = complex(amplitudes[filled[1]]) / complex(amplitudes[filled[0]])
    if abs(abs(ratio) - 1) > 1e-9 or abs(ratio.imag) > 1e-9 or filled[0] >= 2 ** (n - 1):
        return None
    flips = tuple(Gate(name="x", qubits=[q]) for q in range(1, n) if filled[0] >> (n - 1 - q) & 1)
    turn = (Gate(name="x", qubits=[0]),) if ratio.real < 0 else ()
    return (*turn, *flips, *_ghz(n))


def _ghz(n: int) -> tuple[Gate, ...]:
    return (Gate(name="h", qubits=[0]), *(Gate(name="cx", qubits=[q, q + 1]) for q in range(n - 1)))


def _w(n: int) -> tuple[Gate, ...]:
    """Share one excitation along the chain: a controlled rotation and a CNOT a step."""
    made = [Gate(name="x", qubits=[0])]
    for q in range(n - 1):
        angle = 2 * math.acos(math.sqrt(1 / (n - q)))
        made += [Gate(name="cry", qubits=[q, q + 1], value=angle), Gate(name="cx", qubits=[q + 1, q])]
    return tuple(made)
