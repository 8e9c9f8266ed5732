"""Operators and states of a text as matrices on a system's levels or qubits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from labwright.agents.tool_forging.readers.control.gates import PAULI, Array
from labwright.agents.tool_forging.readers.language.operators import Expression, Factor, Term


@dataclass(frozen=True)
class Levels:
    """A finite system.

    Attributes:
        levels: labels of the basis states.
        qubits: how many qubits they are; 0 if they are levels of one body.
    """

    levels: list[str]
    qubits: int

    def on(self, letter: str, site: int) -> Array:
        """A one-qubit operator on one of the qubits."""
        matrix: Array = np.eye(1, dtype=complex)
        for k in range(self.qubits):
            matrix = np.asarray(np.kron(matrix, PAULI[letter] if k == site else PAULI["I"]), dtype=complex)
        return matrix

    def matrix(self, expression: Expression) -> Array | None:
        """An operator expression on the system's levels; None if it is none there."""
        size = len(self.levels)
        total = np.zeros((size, size), dtype=complex)
        sites = {
            int(f.site) for t in expression.terms for f in t.factors if isinstance(f.site, str) and f.site.isdigit()
        }
        first = 0 if 0 in sites or not sites else 1
        for term in expression.terms:
            if term.drive is not None or (term.summed is not None and not self.qubits):
                return None
            if term.summed is not None and not self.over_all(term):
                return None
            one = (
                self.summed(term.factors, first)
                if term.summed is not None
                else self.product(term.factors, term.width, first)
            )
            if one is None:
                return None
            total += term.coefficient * one
        return total

    def over_all(self, term: Term) -> bool:
        """Whether a sum runs over all sites or bonds, where it says so in numbers."""
        low = re.fullmatch(r"[a-z]\s*=\s*(\d)", str(term.summed).strip())
        if low is None or not term.upper.strip().isdigit():
            return True
        steps = [re.search(r"\+(\d)", str(factor.site or "")) for factor in term.factors]
        reach = max((int(step[1]) for step in steps if step), default=0)
        return int(term.upper) - int(low[1]) + 1 == self.qubits - reach

    def summed(self, factors: Sequence[Factor], first: int) -> Array | None:
        """A sum over qubits, of single ones or neighbours."""
        total = None
        for site in range(self.qubits):
            shifted = []
            for factor in factors:
                written = str(factor.site or "")
                step = re.fullmatch(r"[ijkn](?:([+-])(\d))?", written)
                if step is None:
                    return None
                place = site + (int(step[2]) if step[1] == "+" else -int(step[2]) if step[1] else 0)
                shifted.append(replace(factor, site=place))
            if all(0 <= int(one.site or 0) < self.qubits for one in shifted):
                one = self.product(shifted, self.qubits, first)
                total = one if total is None else (None if one is None else total + one)
        return total

    def product(self, factors: Sequence[Factor], width: int, first: int) -> Array | None:
        size = len(self.levels)
        matrix = np.eye(size, dtype=complex)
        for factor in factors:
            op, site = factor.op, factor.site
            one = self.elementary(op, site, width, first)
            if one is None:
                return None
            matrix = matrix @ one
        return matrix

    def elementary(self, op: str, site: int | str | None, width: int, first: int) -> Array | None:
        size = len(self.levels)
        if op.startswith("|"):
            ket, bra = (part.strip() for part in op[1:].rstrip("|").split("><"))
            if ket not in self.levels or bra not in self.levels:
                return None
            made = np.zeros((size, size), dtype=complex)
            made[self.levels.index(ket), self.levels.index(bra)] = 1
            return made
        if op == "I":
            return np.eye(size, dtype=complex)
        lower: Array = np.diag(np.sqrt(np.arange(1, size)), 1).astype(complex)
        if op in {"a", "adag", "n"} and not self.qubits:
            ladder: dict[str, Array] = {"a": lower, "adag": lower.conj().T, "n": lower.conj().T @ lower}
            return ladder[op]
        if op not in PAULI or not self.qubits:
            return PAULI.get(op) if size == 2 else None
        if self.qubits == 1:
            return PAULI[op]
        if isinstance(site, int) and width == self.qubits:
            place = site
        elif isinstance(site, str) and site.isdigit():
            place = int(site) - first
        else:
            return None
        if not 0 <= place < self.qubits:
            return None
        return self.on(op, place)

    def vector(self, text: str) -> Array | None:
        state = np.zeros(len(self.levels), dtype=complex)
        for sign, phase, name in re.findall(r"([+-]?)\s*(i?)\s*\|([^|<>]{1,6})>", text):
            if name not in self.levels:
                return None
            state[self.levels.index(name)] += (-1 if sign == "-" else 1) * (1j if phase else 1)
        norm = np.linalg.norm(state)
        return state / norm if norm > 0 else None
