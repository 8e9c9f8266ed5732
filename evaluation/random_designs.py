"""Designs drawn at random that are right by construction: every dose is large enough, every vial full enough.

Each liquid reagent gets a share of the volume first, and its number in the text's units follows from that; so a
protocol that the checks refuse would be the planner's fault or the checks'.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

from labwright.tools.chemistry.chemicals import Chemical, lookup
from labwright.tools.liquid_handler.design import ExperimentDesign

SOLIDS = ("sodium chloride", "potassium chloride", "glucose", "urea", "sucrose", "caffeine", "sodium nitrate")
LIQUIDS = ("ethanol", "methanol", "acetonitrile", "dimethyl sulfoxide", "glycerol", "toluene", "acetic acid")
SOLVENTS = ("water", "ethanol", "2-propanol", "dimethylformamide")
TOTALS = (0.6, 1.0, 1.5, 3.0, 6.0, 12.0)  # mL
VIALS = ((1600.0, 48), (6400.0, 24), (16000.0, 8))  # uL that a capped vial takes, and how many stand on a plate
MOST_SHARE = 0.2  # of the volume, for one reagent; four at most leave room for what fills up


@dataclass
class _Draw:
    """One design under construction. `free` is how many vials may still be multiplied in."""

    rng: random.Random
    total: float  # uL
    free: int
    solvent: str
    factors: list[dict[str, Any]]
    doses: list[dict[str, Any]]
    stocks: list[dict[str, Any]]
    names: list[str]


def random_design(rng: random.Random) -> ExperimentDesign:
    """One to four reagents in a solvent, of any dose kind, with factors, conditions and sometimes a second plate.

    Args:
        rng: `random.Random`, or Hypothesis's stand-in for it, which then finds the smallest design that fails.
    """
    total = 1000 * rng.choice(TOTALS)
    second = rng.choice(("", "", "", "dilution", "timers"))
    room = next(count for most, count in VIALS if total <= most)
    draw = _Draw(rng, total, room if second else 2 * room, rng.choice(SOLVENTS), [], [], [], [])
    draw.names.append(draw.solvent)
    conditions, workup = _treatments(draw, second)
    combine = "cross" if second == "timers" else rng.choice(("cross", "cross", "zip"))
    length = rng.randint(1, min(4, draw.free)) if combine == "zip" else 0
    if length:
        draw.free //= length
    pool = [name for name in (*SOLIDS, *LIQUIDS) if name != draw.solvent]
    for name in rng.sample(pool, rng.randint(1, 4)):
        _reagent(draw, name, length)
    draw.doses.append({"substance": draw.solvent, "kind": "remainder"})
    group = {
        "factors": draw.factors,
        "combine": combine,
        "doses": draw.doses,
        "total_volume": f"{total:g} uL",
        "replicates": rng.randint(1, max(1, min(3, draw.free))),
    }
    document = {
        "title": f"drawn {rng.randint(0, 10**6)}",
        "chemicals": [{"name": name} for name in dict.fromkeys(draw.names)],
        "stocks": draw.stocks,
        "groups": [group],
        "conditions": conditions,
        "workup": workup,
    }
    return ExperimentDesign.model_validate(document)


def _treatments(draw: _Draw, second: str) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    rng = draw.rng
    minutes = [f"{rng.randint(1, 120)} min" for _ in range(3)]
    if second == "timers":
        times = [f"{15 * step} min" for step in range(1, rng.randint(2, 4))]
        draw.factors.append({"name": "minutes", "levels": times})
        draw.free //= len(times)
        return [{"kind": "heat", "temperature": f"{rng.randint(40, 90)} degC", "time_factor": "minutes"}], None
    steps: list[dict[str, Any]] = []
    if rng.random() < 0.6:
        steps.append({"kind": "mix", "by": rng.choice(("vortex", "stir")), "time": minutes[0]})
    if rng.random() < 0.5:
        steps.append({"kind": "heat", "by": "stir", "temperature": f"{rng.randint(40, 90)} degC", "time": minutes[1]})
        if rng.random() < 0.5:
            steps.append({"kind": "cool"})
    if rng.random() < 0.2 or not steps:
        steps.append({"kind": "wait", "time": minutes[2]})
    if second != "dilution":
        return steps, None
    draw.names.append("water")
    conditions = [{"kind": "mix", "time": f"{rng.randint(1, 20)} min"}] if rng.random() < 0.5 else []
    convention = rng.choice(("total", "added"))
    workup = {"factor": rng.choice((5, 10, 20)), "convention": convention, "total_volume": "1 mL", "diluent": "water"}
    return steps, {**workup, "conditions": conditions}


def _reagent(draw: _Draw, name: str, length: int) -> None:
    """Its dose, with a stock or a factor where the dice say so."""
    rng, chemical = draw.rng, lookup(name)
    assert isinstance(chemical, Chemical)
    draw.names.append(name)
    count = length or rng.randint(1, min(3, draw.free))
    if not length:
        draw.free //= count
    stocked = chemical.state == "solid" and rng.random() < 0.6
    strength = _plain(rng.uniform(0.3, 2.0))
    dose: dict[str, Any] = {"substance": name}
    if stocked:
        stock = {"name": f"{name} stock", "solute": name, "solvent": draw.solvent}
        draw.stocks.append({**stock, "concentration": f"{strength:g} M", "basis": "M"})
        dose["via"] = f"{name} stock"
        mass_in = strength * chemical.molar_mass / 1000  # mg/uL
        kinds = ["mass", "moles", "molarity"]
    else:
        mass_in = chemical.density or 1.0
        kinds = ["mass", "moles", "molarity"] + (["volume", "fraction"] if chemical.state == "liquid" else [])
    dose["kind"] = rng.choice(kinds)
    if dose["kind"] == "fraction":
        dose["basis"] = "v/v"
    # A solid goes in by weight, its volume not counted; 2 to 40 mg in a mL can be weighed.
    least, most = (0.05, MOST_SHARE) if stocked or chemical.state == "liquid" else (0.004 / mass_in, 0.04 / mass_in)
    volumes = [draw.total * rng.uniform(least, most) for _ in range(count)]
    amounts = [_asked(dose["kind"], volume, mass_in, chemical, draw.total) for volume in volumes]
    if count == 1 and rng.random() < 0.7:
        dose["amount"] = amounts[0]
    else:
        dose["factor"] = f"amount of {name}"
        draw.factors.append({"name": dose["factor"], "levels": amounts})
    draw.doses.append(dose)


def _asked(kind: str, volume: float, mass_in: float, chemical: Chemical, total: float) -> str:
    """The number a person would write so that about `volume` uL are dispensed."""
    mass = volume * mass_in  # mg
    if kind == "mass":
        return f"{_plain(mass):g} mg"
    if kind == "moles":
        return f"{_plain(mass / chemical.molar_mass):g} mmol"
    if kind == "molarity":
        return f"{_plain(1e6 * mass / chemical.molar_mass / total):g} mM"
    if kind == "fraction":
        return f"{_plain(100 * volume / total):g} %"
    return f"{_plain(volume):g} uL"


def _plain(value: float) -> float:
    """Three significant digits."""
    return round(value, 2 - math.floor(math.log10(value)))
