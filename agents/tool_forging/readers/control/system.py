"""Drift and control Hamiltonians of a control task."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.control.gates import Array
from labwright.agents.tool_forging.readers.control.register import RegisterWords
from labwright.agents.tool_forging.readers.control.told import Unclear
from labwright.agents.tool_forging.readers.control.words_of_task import Operator
from labwright.agents.tool_forging.readers.language.deliverables import label_values, wanted
from labwright.agents.tool_forging.readers.language.matrices import matrices
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol, expression_at

_NAME = r"[A-Za-z]\w*(?:_\{[^{}]*\})?"


class SystemWords(RegisterWords):
    """Reads operators."""

    def operators(self) -> tuple[Array, list[Operator]] | Question | Unread:
        """Drift and control Hamiltonians, and a word where there is no drift."""
        found = self.either()
        if isinstance(found, tuple) and not np.abs(found[0]).any():
            if not re.search(r"\bno drift\b|without (?:a )?drift|resonan", self.text, re.I):
                self.assumed.append("No drift Hamiltonian is given; it is zero (rotating frame on resonance).")
            self.account.find(r"\bno drift\b|without (?:a )?drift")
        return found

    def either(self) -> tuple[Array, list[Operator]] | Question | Unread:
        """Drift and controls by the words around each operator, or by names and matrices."""
        if self.formula is not None:
            self.account.use(self.formula.start, self.formula.end)
            self.account.use_symbols(self.sets, self.text[self.formula.start : self.formula.end])
            return self.formula.drift, self.formula.controls
        told = self.told_operators()
        named = self.named_operators()
        if isinstance(told, Unclear):
            return told
        if not isinstance(told, tuple):
            return named if isinstance(named, tuple) else told
        drift, controls, spans = told
        if isinstance(named, tuple) and (
            len(named[1]) > len(controls)
            or (len(named[1]) == len(controls) and np.abs(named[0]).any() and not np.abs(drift).any())
        ):
            return named
        if not controls:
            return named if isinstance(named, Unread) else Question(text="What are the control Hamiltonians?")
        for span in spans:
            self.account.use(*span)
        return drift, controls

    def named_operators(self) -> tuple[Array, list[Operator]] | Question | Unread:
        """Drift and control Hamiltonians, from expressions and matrices with a name in front."""
        drift = np.zeros((len(self.levels),) * 2, dtype=complex)
        controls: list[Operator] = []
        found = self.written()
        if isinstance(found, Unread):
            return found
        last, drifting = 0, False
        for name, matrix, start, end in found:
            if matrix.shape != drift.shape:
                continue
            line = self.text[max(last, self.text.rfind("\n\n", 0, start) + 1) : start]
            last = end
            following = self.text[end : (self.text.find("\n", end) if "\n" in self.text[end:] else len(self.text))][:60]
            if not np.allclose(matrix, matrix.conj().T):
                if name.lower().startswith("h"):
                    return Question(text=f"The Hamiltonian {name} is not Hermitian. What is it?")
                continue
            self.account.use(start, end)
            drifting = self.is_drift(name, line, drifting)
            if drifting:
                drift = drift + matrix
            else:
                controls.append(Operator(name or _called(line), matrix, following))
        if not controls:
            bare = self.listed()
            if isinstance(bare, Unread):
                return bare
            controls = bare
        if not controls:
            return Question(text="What are the control Hamiltonians?")
        return drift, controls

    def is_drift(self, name: str, line: str, before: bool) -> bool:
        """By its name, by the last word in front of it that says so, else as the one before it."""
        plain = re.sub(r"[_{}]", "", name).lower()
        if plain in {"h0", "hd", "hdrift", "hsys"}:
            return True
        if re.match(r"h(?:c|ctrl|p|s|x|y|\d)", plain) and not re.search(r"drift|free Hamiltonian|static", line, re.I):
            return False
        marks = list(
            re.finditer(
                (
                    r"(?P<drift>\bdrift|free Hamiltonian|static|internal|always on)|control|driv\w+|pump|stokes|"
                    r"pulse|knob|through"
                ),
                line,
                re.I,
            )
        )
        return bool(marks[-1]["drift"]) if marks else before

    def written(self) -> list[tuple[str, Array, int, int]] | Unread:
        """Everything that stands as ``name = operator``."""
        made: list[tuple[str, Array, int, int]] = []
        for one in matrices(self.body.plain):
            if len(one.rows) == len(one.rows[0]):
                made.append((one.name, np.array(one.rows), one.start, one.end))
        for match in re.finditer(rf"(?<![\w|<])({_NAME}(?:\s*\(t\))?)\s*(?:=|:)\s*", self.text):
            if any(start <= match.start() < end for _, _, start, end in made) or not re.match(
                r"[HhCVKBUX](?!bar)", match[1]
            ):
                continue
            try:
                found = expression_at(self.text, match.end(), self.values, oscillator=self.qubits == 0)
            except UnknownSymbol as missing:
                if re.match(r"H_?\{?(?:c|ctrl|\d)", match[1]):
                    return Unread(
                        self.body.original(match.start(), match.end() + 30),
                        f"The symbol {missing.name!r} has no value.",
                    )
                continue
            matrix = self.space.matrix(found) if found else None
            if found and matrix is not None:
                made.append((match[1], matrix, match.start(), found.end))
        return sorted([*made, *self.unnamed(made)], key=lambda one: one[2])

    def unnamed(self, made: list[tuple[str, Array, int, int]]) -> list[tuple[str, Array, int, int]]:
        """Operators without a name: kets and bras behind a verb or preposition, Pauli letters behind a role."""
        found: list[tuple[str, Array, int, int]] = []
        kets = (
            r"\b(?:is|through|by|via|with|drift|controls?|operators?|Hamiltonians?|and|of|"
            r":)\s+(?=[-+]?[\d.\s(]*\|[^|<>]{1,6}><)"
        )
        paulis = (
            r"\b(?:drift(?: Hamiltonian| term)?(?: of| is| by)?|static(?: field| term)?(?: of)?|knob(?: on)?|"
            r"multiplying|multiplies|drives?(?: along| on)?|controls?(?: along| of| is)?|couples? (?:to|"
            r"via))\s+"
            r"(?:the\s+)?(?=[-+]?[\d.]*\s*\*?\s*(?:[XYZ]\b|sigma))"
        )
        places = [
            *re.finditer(kets, self.text),
            *(re.finditer(paulis, self.text) if self.qubits == 1 and len(made) < 2 else []),
        ]
        for match in places:
            if any(start <= match.end() < end for _, _, start, end in [*made, *found]):
                continue
            try:
                expression = expression_at(self.text, match.end(), self.values)
            except UnknownSymbol:
                continue
            matrix = self.space.matrix(expression) if expression else None
            if expression is None or matrix is None or not np.allclose(matrix, matrix.conj().T):
                continue
            levels = [self.levels[k] for k in np.flatnonzero(np.abs(matrix).sum(axis=0))]
            name = (
                "".join(levels)
                if match.re.pattern == kets
                else self.text[match.end() : expression.end].strip(" *0123456789.")
            )
            found.append((name, matrix, match.end(), expression.end))
        return found

    def listed(self) -> list[Operator] | Unread:
        """Controls without names: Pauli letters that are listed for every qubit."""
        match = self.account.find(

                r"controls?(?: Hamiltonians?| fields?| operators?)?[^.;\n]{0,30}?(?:are|:|is|=|along|of|by|"
                r"with)\s*((?:(?:sigma_?\{?[xyz]\}?|[XYZ]|S_?[xyz])\s*(?:,\s*(?:and\s+)?|"
                r"and\s+)?)+)(?P<where>[^.;\n]{0,40})"

        )  # fmt: skip
        if match is None or not self.qubits:
            return self.products()
        letters = [one[-1].upper() for one in re.findall(r"sigma_?\{?[xyz]|[XYZ]|S_?[xyz]", match[1])]
        half = 0.5 if re.search(r"S_?[xyz]", match[1]) else 1.0
        if self.qubits > 1 and not re.search(r"each|every|both|all", match["where"]):
            return []
        return [
            Operator(f"{letter}{site}", half * self.space.on(letter, site), "")
            for site in range(self.qubits)
            for letter in letters
        ]

    def products(self) -> list[Operator]:
        """Controls as bare tensor products of Pauli letters and ones."""
        made: list[Operator] = []
        for match in re.finditer(r"(?<![\w@*.])(?<!\d )(?P<word>[XYZI1](?:\s*@\s*[XYZI1])+)(?![\w@])", self.text):
            letters = re.sub(r"[\s@]", "", match["word"]).replace("1", "I")
            if len(letters) != self.qubits:
                continue
            matrix = np.eye(2**self.qubits, dtype=complex)
            for site, letter in enumerate(letters):
                matrix = matrix @ self.space.on(letter, site)
            self.account.use(*match.span())
            made.append(Operator(letters, matrix, ""))
        return made

    def labels(self, controls: Sequence[Operator]) -> list[str]:
        """Names for results: those that the results section gives, words such as pump, or the Hamiltonians' own."""
        asked = [one.value for one in label_values(wanted(self.body.wanted, "pulse"), "control")]
        if len(asked) == len(controls):
            return asked
        own = []
        for one in controls:
            word = re.search(r"\b(pump|Stokes|probe|dump|signal)\b", one.note, re.I)
            own.append(word[1].lower() if word else one.name)
        own = own if len(set(own)) == len(own) else [one.name for one in controls]
        unclear = len(set(own)) < len(own) or not all(own)
        return [f"control {k}" for k in range(1, len(own) + 1)] if unclear else own


def _called(line: str) -> str:
    """The name of a control whose Hamiltonian stands behind ``control x:``."""
    named = re.search(r"\b(?:control|drive|pulse|H_?c?)\s+(?P<name>\w{1,8})\s*(?:Hamiltonian)?\s*[:=]?\s*$", line, re.I)
    return named["name"] if named else ""
