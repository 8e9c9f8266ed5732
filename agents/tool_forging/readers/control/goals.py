"""The goal of a control task: a gate by name, matrix or exponential, or else a state to be reached."""

from __future__ import annotations

import re

import numpy as np

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.control.gates import GATES, Array
from labwright.agents.tool_forging.readers.control.transfer import TransferWords
from labwright.agents.tool_forging.readers.control.words_of_task import Goal
from labwright.agents.tool_forging.readers.language.matrices import matrices
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol, expression_at


class GoalWords(TransferWords):
    """Reads the target."""

    def goal(self) -> tuple[Goal, list[list[float]], str, Array, str] | Question:
        gates = self.gate()
        if isinstance(gates, Question):
            return gates
        if gates is not None:
            name, matrix = gates
            start = [[1.0, 0.0]] + [[0.0, 0.0]] * (len(self.levels) - 1)
            return "gate", start, f"|{self.levels[0]}>", matrix, name
        return self.transfer()

    def gate(self) -> tuple[str, Array] | Question | None:
        if not re.search(r"\bgates?\b|\bunitary\b|\bCNOT\b|\biSWAP\b|\bHadamard\b|\bCZ\b", self.text):
            return None
        written = self.gate_matrix()
        if written is not None:
            return written
        if re.search(r"\b[UGV]\s*=\s*\\begin\{", self.text):
            return Question(text="Not every entry of the target's matrix is understood. What are its entries?")
        rotation = self.rotation()
        if rotation is not None:
            return rotation
        found: dict[str, tuple[Array, int]] = {}
        rest = self.text
        for name, words, matrix in GATES:
            match = re.search(words, rest)
            if match:
                found[name] = (matrix, match.start())
                for other in re.finditer(words, self.text):
                    self.account.use(*other.span())
                rest = re.sub(words, lambda m: " " * len(m[0]), rest)
        root = re.search(r"\b(?:root of|sqrt)\W{1,3}(?:an? |the )?(?:iSWAP|SWAP|C?NOT|CZ|Hadamard|[XYZ])\b", self.text)
        if root and not any(name.startswith("sqrt") for name in found):
            return Question(text=f"Which matrix is meant by {root[0].strip()!r}?")
        fitting = {name: matrix for name, (matrix, _) in found.items() if len(matrix) == len(self.levels)}
        if len(fitting) > 1:
            return Question(text="Several gates are named. Which one is the target?", options=list(fitting))
        if fitting:
            return next(iter(fitting.items()))
        if found:
            return Question(
                text=(
                    f"The gate {next(iter(found))} does not fit {len(self.levels)} levels. On which levels does it act?"
                )
            )
        return (
            Question(text="Which gate is the target?")
            if re.search(r"\btarget gate|gate synthesis|implement a gate", self.text)
            else None
        )

    def gate_matrix(self) -> tuple[str, Array] | None:
        """A unitary matrix of the system's size that is called U, G or V; rounded entries are mended."""
        for one in matrices(self.body.plain):
            matrix = np.array(one.rows)
            if (
                re.match(r"U|G|V", one.name)
                and matrix.shape == (len(self.levels),) * 2
                and np.allclose(matrix @ matrix.conj().T, np.eye(len(matrix)), atol=1e-3)
            ):
                left, _, right = np.linalg.svd(matrix)
                self.account.use(one.start, one.end)
                return one.name, left @ right
        return None

    def rotation(self) -> tuple[str, Array] | None:
        """A gate that is written as an exponential, ``exp(-i pi X / 4)``."""
        for match in re.finditer(r"\bexp\(\s*-\s*i\s*|\be\^\{\s*-\s*i\s*", self.text):
            try:
                found = expression_at(self.text, match.end(), self.values)
            except UnknownSymbol:
                continue
            matrix = self.space.matrix(found) if found else None
            if found is not None and matrix is not None and len(matrix) == len(self.levels):
                self.account.use(match.start(), found.end + 1)
                values, vectors = np.linalg.eigh(matrix)
                return f"exp(-i {self.text[match.end() : found.end].strip()})", (
                    vectors * np.exp(-1j * values)
                ) @ vectors.conj().T
        return None
