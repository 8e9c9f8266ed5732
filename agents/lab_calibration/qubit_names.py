"""The qubits that an instruction names, as written or as spoken, and which of two is the control."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labwright.tools.experiments.stated import SPOKEN_QUBITS
from labwright.tools.knowledge.quantities import WORDS


def qubits_in(instruction: str, qubits: Sequence[str]) -> list[str]:
    """The qubits an instruction names, the device's spelling where it has them, unknown ones as written."""
    known = {qubit.lower(): qubit for qubit in qubits}
    pattern = "|".join([*map(re.escape, sorted(known, key=len, reverse=True)), r"q\d+"])
    found = [
        (m.start(), known.get(m.group().lower(), m.group().upper()))
        for m in re.finditer(rf"(?<![A-Za-z])(?:{pattern})(?=q\d|(?![\w*]))", instruction, re.I)
    ]
    for spoken in SPOKEN_QUBITS.finditer(instruction):
        for number in re.findall(r"\d+|[a-z]+", spoken["numbers"].lower()):
            digits = number if number.isdigit() else f"{WORDS.get(number, '')}"
            if digits:
                found.append((spoken.start(), known.get(f"q{digits}", f"Q{digits}")))
    return list(dict.fromkeys(name for _, name in sorted(found, key=lambda item: item[0])))


def with_names(text: str, qubits: Sequence[str]) -> str:
    """`text` with every spoken or misspelled qubit by the device's name: "q eight" and "q8" become "Q8"."""
    known = {qubit.lower(): qubit for qubit in qubits}

    def written(found: re.Match[str]) -> str:
        numbers = re.findall(r"\d+|[a-z]+", found["numbers"].lower())
        named = [f"q{number if number.isdigit() else WORDS.get(number, '')}" for number in numbers]
        named = [known[name] for name in named if name in known]
        lead = "pair " if found.group().lower().startswith("pair") else ""
        return lead + " and ".join(named) if named else found.group()

    text = SPOKEN_QUBITS.sub(written, text)
    pattern = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    return re.sub(rf"(?<![A-Za-z\d])(?:{pattern})(?![\w*])", lambda found: known[found[0].lower()], text, flags=re.I)


def by_role(instruction: str, named: list[str]) -> list[str]:
    """The qubits in order, the one that is called the control first."""
    for role, place in (("control", 0), ("target", -1)):
        named_so = re.search(
            rf"\b({'|'.join(map(re.escape, named))})\W+(?:as|is|being|acts as|for)\W+(?:the\s+)?{role}\b",
            instruction,
            re.I,
        )
        told = named_so or re.search(
            rf"\b{role}\w*\W+(?:(?:is|qubit|on|the|=)\W+)*({'|'.join(map(re.escape, named))})\b", instruction, re.I
        )
        if told and len(named) == 2:
            name = next(one for one in named if one.lower() == told[1].lower())
            other = next(one for one in named if one != name)
            return [name, other] if place == 0 else [other, name]
    return named
