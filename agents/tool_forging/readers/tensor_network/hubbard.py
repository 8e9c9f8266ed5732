"""The Hubbard chain of a task: hopping, interaction, filling, and what counts as its energy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.framed import Framed
from labwright.agents.tool_forging.readers.language.assignments import phrase

_HOPPING = (
    r"hopping(?: amplitude| parameter| strength| energy| matrix element)?|tunnell?ing(?: amplitude)?|"
    r"hopping between neighbou?r\w*(?: sites)? (?:with|of) (?:an? )?(?:amplitude|strength)"
)
_INTERACTION = r"(?:on-?site )?(?:interaction|repulsion|attraction)(?: strength| energy)?"
_HALF = (
    r"half[- ]?fill(?:ing|ed)|one (?:electron|particle|fermion|atom) (?:a|per|on each|on every) site|"
    r"chemical potential "
    r"(?:sits at|is|of|=|at|equal to|mu\s*=)\s*U\s*/\s*2|\bmu\s*=\s*U\s*/\s*2"
)
_DENSITY = (
    r"\b(?:at|with|to|fixed)\s+(?:an?\s+|the\s+)?(?:mean\s+|average\s+)?(?:filling|density)(?:\s+(?:of|n|=|"
    r"is))*\s*(\d+(?:\.\d+)?)|"
    r"(?:filling|density)\s*(?:n\s*)?(?:=|:|of|is)\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*electrons per site|\bdoped\b|"
    r"\bdoping\b|\bholes?\b"
)
# which energy is meant, with or without the chemical potential
_PLAIN_ENERGY = (
    r"\b(?:the\s+)?(?:-\s*)?(?:mu\s*\*?\s*N|chemical[- ]potential)\s+(?:term|part)\s+(?:is\s+)?(?:not|"
    r"NOT)\s+(?:counted|included|"
    r"part of it)|\bwithout\s+(?:the\s+)?(?:-\s*)?(?:mu\s*\*?\s*N|chemical[- ]potential)(?:\s+(?:part|term))?|"
    r"\b(?:kinetic|hopping)\s+(?:plus|and|\+)\s+(?:interaction|potential|repulsion)"
)
_GRAND_ENERGY = (
    r"<\s*H\s*-\s*mu\s*\*?\s*N\s*>|"
    r"\b(?:including|with)\s+(?:the\s+)?(?:-\s*mu\s*\*?\s*N|chemical[- ]potential)\s*(?:part|term)\b"
)


def number(task: Framed, values: Mapping[str, float], names: Sequence[str], words: str) -> float | None:
    """What a symbol is set to, or what the words for it say."""
    for one in task.sets:
        if one.key in names:
            task.account.use(one.start, one.end)
    known = next((values[name] for name in names if name in values), None)
    spoken = phrase(task.body.plain, words)
    if spoken and len(spoken[0].items) == 1:
        value = spoken[0].items[0].value_or_none(values)
        if value is not None and known in (None, value):
            task.account.use(spoken[1], spoken[0].end)
            return value
    return known


def hubbard(task: Framed, values: Mapping[str, float]) -> dict[str, object] | Question | Unread:
    """The fields of the specification that say the model."""
    t = number(task, values, ("t", "t0"), _HOPPING)
    u = number(task, values, ("U", "U/t"), _INTERACTION)
    if "U/t" in values and "U" not in values:
        u = values["U/t"] * (t if t is not None else 1.0)
    if u is None:
        return Question(text="How large is the interaction U of the Hubbard chain?")
    if t is None:
        t = 1.0
        task.assumed.append("No hopping is given; t = 1 is the unit of energy.")
    mu = filling(task, values, u)
    if not isinstance(mu, float):
        return mu
    convention = energy(task)
    return {
        "model": "hubbard",
        "hopping": t,
        "interaction": u,
        "chemical_potential": mu,
        "energy_convention": convention,
        "formula": "-t sum (c^dag_i c_i+1 + h.c.) + U sum n_up n_down",
    }


def filling(task: Framed, values: Mapping[str, float], u: float) -> float | Question | Unread:
    """The chemical potential: as given, or U/2 at half filling."""
    mu = number(task, values, ("mu",), r"chemical potential")
    half = [one for one in task.account.every(_HALF) if not _off_half(task, one)]
    if mu is None and not half:
        density = task.account.find(_DENSITY)
        if density:
            return Unread(
                task.body.original(*density.span()),
                "A density other than half filling needs its chemical potential mu.",
            )
        return Question(text="What is the filling: half filling (mu = U/2), or which chemical potential?")
    if mu is not None and half and abs(mu - u / 2) > 1e-9:
        return Question(
            text=f"Half filling needs mu = U/2 = {u / 2:g}, but the task says mu = {mu:g}. Which is meant?",
            options=["half filling", f"mu = {mu:g}"],
        )
    if mu is None:
        task.assumed.append(
            f"Half filling is set by the chemical potential mu = U/2 = {u / 2:g}, exact by particle-hole symmetry."
        )
        return u / 2
    return float(mu)


def _off_half(task: Framed, match: re.Match[str]) -> bool:
    """Whether half filling is only what the chain is not at: ``away from half filling``."""
    text = task.text
    if any(a <= match.start() < b for a, b in task.elsewhere):
        return True
    before, behind = text[max(0, match.start() - 30) : match.start()], text[match.end() : match.end() + 20]
    away = r"\b(?:below|above|away from|off|not(?: at)?|beyond|from|far from)\s+$"
    return bool(re.search(away, before)) or bool(re.match(r"\s+would\b", behind))


def energy(task: Framed) -> Literal["hubbard", "grand"]:
    """Whether energies hold the chemical potential."""
    plain, grand = task.account.every(_PLAIN_ENERGY), task.account.every(_GRAND_ENERGY)
    if grand and not plain:
        return "grand"
    if not plain:
        task.assumed.append(
            "Energies are <H> of hopping and interaction, without -mu N; the other convention is recorded beside."
        )
    return "hubbard"
