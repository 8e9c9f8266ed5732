"""Initial states that are listed one by one under letters, and mixtures of pure states with their shares."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.open_system.ket_sums import state_near
from labwright.agents.tool_forging.readers.open_system.operators import System
from labwright.agents.tool_forging.readers.open_system.states import SpokenState, amplitudes

_SHARE = re.compile(
    r"(?:\b(?:weights?|probabilit(?:y|ies)|fractions?|shares?|proportion)\s+(?:of\s+)?(?:p\s*=\s*)?)?"
    r"(?<![\w.^/])(?P<number>\d*\.?\d+)\s*(?P<percent>%|percent|per cent)?\s*"
    r"(?:\*|of|in|for|to be in|probability(?: of)?|weight(?: of| on)?|the|state|pure|pair|system|"
    r"atoms?|qubits?|two|both|it|"
    r"they|is|are|found|prepared|:|-|=|\s|\()*$"
)
_MIXED = re.compile(
    r"\bmix(?:ture|ed|es)\b|\bweights?\b|%|\bpercent\b|\bprobabilit|\bincoherent|\bstatistical|\bensemble", re.I
)
_LABEL = re.compile(
    r"(?:^|\n)\s*(?:[-*]\s+)?(?i:(?:start|state|case|preparation|initial state)\s+)?"
    r"[\[(]?\s*(?P<label>[A-Z]|[a-d]|[ivx]{1,4}|\d)\s*(?:[:.)\]=]+\s*[:.)\]]*|\s)\s*(?=\S)"
    r"|(?<![\w|])[\[(](?P<inline>[A-Z]|[a-d]|[ivx]{1,4}|\d)[\])]:?\s+",
)


def mixture(text: str, system: System, names: Mapping[str, float]) -> SpokenState | Question | None:
    """``60 % (|01> + |10>)/sqrt(2), 40 % |00>``; None where no shares stand in front of states."""
    if not _MIXED.search(text):
        return None
    parts: list[tuple[float, Sequence[complex]]] = []
    place = start = 0
    while near := state_near(text, place, names):
        share = _SHARE.search(text[place : near[1]])
        psi = amplitudes(near[0], system.dims, system.levels, not system.flipped)
        if share is None or psi is None:
            return None
        start = start if parts else place + share.start()
        parts.append((float(share["number"]) / (100 if share["percent"] else 1), psi))
        place = near[2]
    total = sum(weight for weight, _ in parts)
    if len(parts) < 2:
        return None
    if not math.isclose(total, 1.0, abs_tol=0.005):
        return Question(text=f"The shares of the initial mixture add up to {total:g}, not to 1. Which are meant?")
    rows = tuple(
        tuple(sum(w / total * a[i] * a[j].conjugate() for w, a in parts) for j in range(len(parts[0][1])))
        for i in range(len(parts[0][1]))
    )
    return SpokenState("mixture", ("mixture", "mixed"), matrix=rows, start=start)


def listed(text: str, system: System, names: Mapping[str, float]) -> list[SpokenState] | Question:
    """The states of a list whose items have letters or numbers; empty where there is no such list."""
    marks = list(_LABEL.finditer(text))
    found: list[SpokenState] = []
    for mark, after in zip(marks, [*marks[1:], None], strict=False):
        piece = text[mark.end() : after.start() if after else len(text)]
        if after is None:
            piece = re.split(r"\n\s*\n", piece)[0]
        made = mixture(piece, system, names)
        if isinstance(made, Question):
            return made
        if made is None:
            near = state_near(piece, 0, names)
            psi = amplitudes(near[0], system.dims, system.levels, not system.flipped) if near else None
            if psi is None or near is None or near[1] > 40:
                continue
            made = SpokenState("", (), psi)
        label = mark["label"] or mark["inline"]
        found.append(replace(made, name=label, aliases=(label.lower(), *made.aliases), start=mark.start()))
    labels = [one.name for one in found]
    telling = all(label.isupper() for label in labels) or any(one.matrix for one in found)
    return found if len(found) > 1 and len(set(labels)) == len(labels) and telling else []
