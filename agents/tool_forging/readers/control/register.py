"""Which levels or qubits the system of a control task has."""

from __future__ import annotations

import re

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.control.gates import GATES
from labwright.agents.tool_forging.readers.control.told import ToldWords
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.matrices import matrices

_MOST_QUBITS = 4


class RegisterWords(ToldWords):
    """Reads levels and their labels."""

    def system(self) -> Question | Unread | None:
        """Levels and their labels, from kets or counts."""
        kets = [match.strip() for match in re.findall(r"\|([^|<>\s]{1,6})>", self.text)]
        spoken = count(self.body.plain, r"qubits?") or count(self.body.plain, r"spins?")
        levels = count(self.body.plain, r"levels?")
        for said in (spoken, levels):
            if said:
                self.account.use(said[1], said[2])
        told = levels[0] if levels else 3 if re.search(r"\bqutrit\b", self.text) else None
        self.qubits = self.register(kets, spoken[0] if spoken else None, told)
        if self.qubits > _MOST_QUBITS:
            return Unread(f"{self.qubits} qubits", "GRAPE by full propagators is done for four qubits at the most.")
        if self.qubits:
            self.levels = [format(k, f"0{self.qubits}b") for k in range(2**self.qubits)]
            return None
        return self.one_body(kets, told)

    def register(self, kets: list[str], spoken: int | None, levels: int | None) -> int:
        """How many qubits there are; 0 for levels of one body."""
        bits = [one for one in kets if re.fullmatch(r"[01]{2,}", one)]
        paired = any(re.search(words, self.text) for _, words, gate in GATES if len(gate) == 4)
        if bits or (spoken and spoken > 1) or paired:
            return len(bits[0]) if bits else (spoken or 2)
        alone = spoken or re.search(r"\b(?:a|single|one) (?:qubit|spin)\b|\bqubit\b", self.text)
        return 1 if levels is None and alone else 0

    def one_body(self, kets: list[str], told: int | None) -> Question | None:
        """Levels of one body: by the names in kets, by their number, or by the size of a matrix."""
        whole = re.sub(r"\|[^|<>\s]{1,6}>\s*<[^|<>\s]{1,6}\|", " ", self.text)
        alone = {match.strip() for match in re.findall(r"\|([^|<>\s]{1,6})>", whole)}
        if told and len(alone) == told < len(set(kets)):
            kets = [one for one in kets if one in alone]  # |a><b| with letters that stand for any level
        names = list(dict.fromkeys(one for one in kets if re.fullmatch(r"\d|[a-z]|[A-Z]", one)))
        if names and all(one.isdigit() for one in names):
            low, high = min(map(int, names)), max(map(int, names))
            first = min(low, 1)
            size = max(told or high - low + 1, high - first + 1)
            self.levels = [str((first if low <= 1 else low) + k) for k in range(size)]
        elif names:
            self.levels = names
        elif told:
            self.levels = [str(k) for k in range(told)]
            self.assumed.append("Levels are counted from 0.")
        else:
            found = [one for one in matrices(self.body.plain) if len(one.rows) == len(one.rows[0])]
            if not found:
                return Question(text="Which levels or qubits does the system have?")
            self.levels = [str(k) for k in range(len(found[0].rows))]
        if told and len(self.levels) != told:
            named = ", ".join(self.levels)
            return Question(
                text=f"The task speaks of {told} levels, but names {len(self.levels)}: {named}. Which are there?"
            )
        return None
