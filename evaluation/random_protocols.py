"""Designs drawn at random that are right by construction: every dose is large enough, every vial full enough.

Each liquid reagent gets a share of the volume first, and its number in the text's units follows from that; so a
protocol that the checks refuse would be the planner's fault or the checks'.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

from labwright.tools.chemistry.chemical_table import Chemical, lookup
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.required_data import weighed

SOLIDS = ("sodium chloride", "potassium chloride", "glucose", "urea", "sucrose", "caffeine", "sodium nitrate")
LIQUIDS = ("ethanol", "methanol", "acetonitrile", "dimethyl sulfoxide", "glycerol", "toluene", "acetic acid")
SOLVENTS = ("water", "ethanol", "2-propanol", "dimethylformamide")
TOTALS = (0.6, 1.0, 1.5, 3.0, 6.0, 12.0)  # mL
VIALS = ((1600.0, 48), (6400.0, 24), (16000.0, 8))  # uL that a capped vial takes, and how many stand on a plate
MOST_SHARE = 0.2  # of the volume, for one reagent; four at most leave room for what fills up
MOST_LATER = 0.04  # of the volume, for one addition in between; two at most, or one and a portion of another vial
MOST_PORTION = 0.03
MOTHER_VIALS = (2000.0, 4000.0, 8000.0, 20000.0)  # uL
LEAST_IN_PORTIONS = 30.0  # uL; a third of half of it can still be dispensed
SAMPLE_VIALS = 48  # of the second plate


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

    Also additions in between, samples at times, serial dilutions, and vials that are treated otherwise than the rest.

    Args:
        rng: `random.Random`, or Hypothesis's stand-in for it, which then finds the smallest design that fails.
    """
    total = 1000 * rng.choice(TOTALS)
    second = rng.choice(("", "", "", "dilution", "timers", "samples", "parts", "temperatures", "mother"))
    room = next(count for most, count in VIALS if (1 + 2 * MOST_LATER) * total <= most)
    draw = _Draw(rng, total, room if second else 2 * room, rng.choice(SOLVENTS), [], [], [], [])
    draw.names.append(draw.solvent)
    serial = _serial(draw) if second not in ("timers", "mother") and rng.random() < 0.2 else None
    conditions, last = _treatments(draw, second, 1 + serial["steps"] if serial else 1)
    combine = "cross" if second in ("timers", "temperatures") else rng.choice(("cross", "cross", "zip"))
    length = rng.randint(1, min(4, draw.free)) if combine == "zip" else 0
    if length:
        draw.free //= length
    pool = [name for name in (*SOLIDS, *LIQUIDS) if name != draw.solvent]
    chosen = rng.sample(pool, rng.randint(1, 4))
    for name in chosen:
        _reagent(draw, name, length)
    later = [name for name in pool if name not in chosen]
    most = {"timers": 0, "mother": 1}.get(second, 2)
    added = rng.sample(later, min(most, rng.choice((0, 0, 1, 2))))
    apart = "samples" if second in ("parts", "mother") else ""
    for name in added:
        _later(draw, name, conditions, apart)
    mother = _mother(draw, next(name for name in later if name not in added), conditions) if second == "mother" else {}
    for one in conditions:
        if one["kind"] in ("mix", "heat", "wait") and "groups" not in one and rng.random() < 0.15:
            # Vials that are sampled hot stand open.
            one["cap"] = False if one.get("sample_at") else rng.random() < 0.5
            if not one["cap"] and not {"time_factor", "temperature_factor"} & set(one) and rng.random() < 0.5:
                one["atmosphere"] = rng.choice(("air", "argon"))
    by_mass = any(dose.get("basis") == "w/w" for dose in draw.doses)
    late = bool(added) or (second == "mother" and not by_mass)
    final = late and not (second == "mother" and by_mass) and serial is None and second != "samples"
    final = final and rng.random() < 0.4
    if len(added) < 2 and not final and serial is None and second not in ("timers", "parts") and rng.random() < 0.3:
        full = f"{(1 + 2 * MOST_LATER) * total:g} uL"
        who = {"groups": [apart]} if apart else {}
        conditions.append({"kind": "add", "substance": draw.solvent, "up_to": full, **who})
    if rng.random() < 0.2:
        _unknown(draw)
    draw.doses.append({"substance": draw.solvent, "kind": "remainder"})
    group = {
        "total_is": "final" if final else "filled",
        "factors": draw.factors,
        "combine": combine,
        "doses": draw.doses,
        "total_volume": f"{total:g} uL",
        "replicates": rng.randint(1, max(1, min(3, draw.free))),
        "serial": serial,
    }
    control = {"name": "control", "doses": [{"substance": draw.solvent, "kind": "volume", "amount": f"{total:g} uL"}]}
    document = {
        "title": f"drawn {rng.randint(0, 10**6)}",
        "chemicals": [{"name": name} for name in dict.fromkeys(draw.names)],
        "stocks": draw.stocks,
        "groups": [group, *([control] if second == "parts" else [mother] if mother else [])],
        "conditions": conditions,
        "workup": last if second == "dilution" else None,
        "sampling": last if second == "samples" else None,
        "manner": _manner(rng) if rng.random() < 0.1 else None,
        "by_hand": ["keep dark"] if rng.random() < 0.1 else [],
        "septa": rng.choice((*[None] * 6, "slit", "slit", "whole")),
        "atmosphere": rng.choice((None, None, None, "air", "nitrogen", "argon")),
        "temperature": rng.choice((*[None] * 7, "25 degC", "32 degC", "37 degC")) if second != "temperatures" else None,
    }
    counted = weighed(ExperimentDesign.model_validate(document))
    for stock in (one for one in draw.stocks if one["name"] in counted and "density" not in one):
        solute = lookup(stock["solute"])
        if isinstance(solute, Chemical) and solute.density is None:  # nothing else says how heavy the stock is
            stock["density"] = f"{rng.uniform(1.0, 1.2):.2f} g/mL"
    return ExperimentDesign.model_validate(document)


def _serial(draw: _Draw) -> dict[str, Any]:
    """Dilutions of the same volume as the first vial."""
    steps = draw.rng.randint(1, 3)
    draw.free //= steps + 1
    factor, diluent = draw.rng.choice((2, 3, 5, 10)), draw.solvent
    volume = draw.rng.choice(({"total_volume": f"{draw.total:g} uL"}, {"transfer": f"{draw.total / factor:g} uL"}))
    return {"factor": factor, "steps": steps, "diluent": diluent, **volume}


def _mother(draw: _Draw, name: str, conditions: list[dict[str, Any]]) -> dict[str, Any]:
    """A solution made in one vial, of which a portion goes into every other: on their plate, or on one of its own."""
    rng, chemical = draw.rng, lookup(name)
    assert isinstance(chemical, Chemical)
    portion = draw.total * rng.uniform(MOST_PORTION / 3, MOST_PORTION)
    room = next(count for most, count in VIALS if (1 + 2 * MOST_LATER) * draw.total <= most)
    volume = max(draw.total, 1.3 * room * portion)
    size = next(each for each in MOTHER_VIALS if volume <= 0.8 * each)
    draw.names.append(name)
    dose: dict[str, Any] = {"substance": name, "kind": "volume", "amount": f"{0.1 * volume:.0f} uL"}
    if chemical.state == "solid":
        draw.stocks.append({"name": f"early {name}", "solute": name, "solvent": draw.solvent, "concentration": "1 M"})
        dose["substance"] = f"early {name}"
    taken: dict[str, Any] = {
        "kind": "add",
        "from_vials": "mother",
        "amount": f"{_plain(portion):g} uL",
        "groups": ["samples"],
    }
    taken |= {"manner": _manner(rng)} if rng.random() < 0.3 else {}
    conditions.insert(rng.randint(0, len(conditions)), {**taken, **_meanwhile(rng)})
    doses = [dose, {"substance": draw.solvent, "kind": "remainder"}]
    return {"name": "mother", "doses": doses, "total_volume": f"{volume:.0f} uL", "vial_volume": f"{size:g} uL"}


def _meanwhile(rng: random.Random) -> dict[str, Any]:
    """What an addition is made into: vials that stand still, are stirred, or are warm."""
    stirred = {"by": "stir", "speed": f"{rng.randint(100, 700)} rpm"} if rng.random() < 0.3 else {}
    return {**stirred, **({"temperature": f"{rng.randint(25, 80)} degC"} if rng.random() < 0.2 else {})}


def _unknown(draw: _Draw) -> None:
    """A compound of which nothing but its stock is known: by moles, by volume, or in x; with something else in it."""
    rng, molar = draw.rng, draw.rng.random() < 0.6
    draw.names += ["compound 7", "additive", "medium X"]
    also = [{"solute": "additive", "concentration": "5 mg/mL"}] if rng.random() < 0.5 else []
    stock = {"solute": "compound 7", "solvent": "medium X", "concentration": "20 mM" if molar else "50x", "also": also}
    draw.stocks.append({"name": "C7 stock", "density": f"{rng.uniform(0.95, 1.1):.2f} g/mL", **stock})
    share = rng.uniform(0.02, 0.06)
    asked = {"kind": "molarity", "amount": f"{_plain(20 * share):g} mM"}
    asked = asked if molar else {"kind": "fraction", "amount": f"{_plain(50 * share):g}x"}
    by_volume = {"substance": "C7 stock", "kind": "volume", "amount": f"{_plain(share * draw.total):g} uL"}
    dose = by_volume if rng.random() < 0.3 else {"substance": "compound 7", "via": "C7 stock", **asked}
    draw.doses.append(dose)


def _later(draw: _Draw, name: str, conditions: list[dict[str, Any]], group: str) -> None:
    """An addition somewhere among the conditions."""
    rng, chemical = draw.rng, lookup(name)
    assert isinstance(chemical, Chemical)
    draw.names.append(name)
    volume = draw.total * rng.uniform(MOST_LATER / 2, MOST_LATER)
    added: dict[str, Any] = {"kind": "add", "substance": name, **({"groups": [group]} if group else {})}
    mass = volume * (chemical.density or 1.0)
    if chemical.state == "solid" and rng.random() < 0.6:
        draw.stocks.append({"name": f"late {name}", "solute": name, "solvent": draw.solvent, "concentration": "1 M"})
        added["via"], mass = f"late {name}", volume * chemical.molar_mass / 1000
    kinds = ["mass", "moles", "molarity"] + (["volume"] if chemical.state == "liquid" else [])
    added["amount"] = _asked(rng.choice(kinds), volume, mass / volume, chemical, draw.total)
    if rng.random() < 0.3:
        portions = {"portions": rng.randint(2, 3), **({"every": "60 min"} if rng.random() < 0.5 else {})}
        added |= portions if volume >= LEAST_IN_PORTIONS else {}
    if rng.random() < 0.3:
        added["manner"] = _manner(rng)
    added |= _meanwhile(rng)
    conditions.insert(rng.randint(0, len(conditions)), added)


def _samples(draw: _Draw, each: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A treatment with samples, far enough apart for all vials, and how they are taken."""
    rng = draw.rng
    times = [0] if rng.random() < 0.3 else sorted(rng.sample((0, 30, 60, 90, 120), rng.randint(1, 3)))
    draw.free = max(1, min(draw.free, SAMPLE_VIALS // (len(times) * each)))
    hot = {"kind": "heat", "temperature": f"{rng.randint(30, 80)} degC", "by": rng.choice(("stir", "none"))}
    kind = rng.choice((hot, hot, {"kind": "wait"}, {"kind": "mix", "by": "stir"}))
    quench = {"quench": "acetonitrile", "quench_volume": f"{rng.randint(150, 400)} uL"} if rng.random() < 0.8 else {}
    if quench:
        draw.names.append("acetonitrile")
    conditions = _after(draw, 700)
    volume = f"{rng.randint(20, 60)} uL" if quench else "120 uL"
    when = [f"{time} min" for time in times]
    taken = {"kind": "sample"} if times == [0] else {**kind, "time": "130 min", "sample_at": when}
    return taken, {"volume": volume, **quench, "conditions": conditions, **_portioned(rng)}


def _treatments(draw: _Draw, second: str, each: int) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The conditions, and what is done with the second plate; every vial is `each` vials of a serial dilution."""
    rng = draw.rng
    minutes = [f"{rng.randint(2, 120)} min" for _ in range(3)]
    if second == "samples":
        taken, how = _samples(draw, each)
        return [taken] if rng.random() < 0.5 else [{"kind": "mix", "time": minutes[0]}, taken], how
    if second == "parts":
        draw.free -= 1
        heat = {"kind": "heat", "temperature": f"{rng.randint(40, 90)} degC", "time": minutes[0], "groups": ["samples"]}
        other = {**heat, "temperature": f"{rng.randint(30, 60)} degC", "time": minutes[1], "groups": ["control"]}
        return [heat, other] if rng.random() < 0.5 else [heat, {"kind": "cool"}], None
    if second == "temperatures":
        levels = [f"{degrees} degC" for degrees in rng.sample(range(30, 91, 10), rng.randint(1, 2))]
        draw.factors.append({"name": "degrees", "levels": levels})
        return [{"kind": "heat", "temperature_factor": "degrees", "time": minutes[0]}], None
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
        if rng.random() < 0.2:
            steps[-1] |= {"ramp": f"{rng.randint(1, 5)} degC/min"}
            steps[-1].pop("time", None) if rng.random() < 0.5 else None
        if rng.random() < 0.5:
            steps.append({"kind": "cool", **({"by": "stir"} if rng.random() < 0.3 else {})})
    if rng.random() < 0.2 or not steps:
        steps.append({"kind": "wait", "time": minutes[2]})
    if second != "dilution":
        return steps, None
    draw.names.append("water")
    conditions = _after(draw, 1200)
    convention = rng.choice(("total", "added"))
    workup = {"factor": rng.choice((5, 10, 20)), "convention": convention, "total_volume": "1 mL", "diluent": "water"}
    return steps, {**workup, "conditions": conditions, **_portioned(rng)}


def _after(draw: _Draw, full: int) -> list[dict[str, Any]]:
    """What is done to the second plate: mixed, something added, filled up to `full` uL."""
    rng, found = draw.rng, list[dict[str, Any]]()
    if rng.random() < 0.3:
        draw.names.append("methanol")
        found.append({"kind": "add", "substance": "methanol", "amount": f"{rng.randint(20, 50)} uL", **_meanwhile(rng)})
        found[0].pop("temperature", None)  # capped vials of a warm plate would have to cool before they are opened
    if rng.random() < 0.5:
        found.insert(rng.randint(0, len(found)), {"kind": "mix", "time": f"{rng.randint(2, 20)} min"})
    if rng.random() < 0.3:
        draw.names.append("acetonitrile")
        found.append({"kind": "add", "substance": "acetonitrile", "up_to": f"{full} uL"})
    return found


def _portioned(rng: random.Random) -> dict[str, Any]:
    """How portions for the second plate are pipetted, sometimes."""
    return {"manner": _manner(rng)} if rng.random() < 0.3 else {}


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
        kinds = ["mass", "moles", "molarity", "parts by mass"]
        kinds += ["volume", "fraction"] if chemical.state == "liquid" else []
    dose["kind"] = kind = rng.choice(kinds)
    if kind in ("fraction", "parts by mass"):
        dose |= {"kind": "fraction", "basis": "v/v" if kind == "fraction" else "w/w"}
    # A solid goes in by weight, its volume not counted; 2 to 40 mg in a mL can be weighed.
    least, most = (0.05, MOST_SHARE) if stocked or chemical.state == "liquid" else (0.004 / mass_in, 0.04 / mass_in)
    volumes = [draw.total * rng.uniform(least, most) for _ in range(count)]
    amounts = [_asked(kind, volume, mass_in, chemical, draw.total) for volume in volumes]
    if count == 1 and rng.random() < 0.7:
        dose["amount"] = amounts[0]
    else:
        dose["factor"] = f"amount of {name}"
        draw.factors.append({"name": dose["factor"], "levels": amounts})
    if kind in ("volume", "mass") and "amount" in dose and rng.random() < 0.5:
        dose["comes_to"] = f"{volumes[0] * mass_in / chemical.molar_mass:.4g} mmol"
    if chemical.state == "solid" and not stocked and rng.random() < 0.3:
        dose["weighed"] = True
    elif rng.random() < 0.3:
        dose["manner"] = _manner(rng)
    draw.doses.append(dose)


def _manner(rng: random.Random) -> dict[str, Any]:
    """How something is pipetted, of everything that a protocol can say of it."""
    words = [{"speed": word} for word in ("slow", "fast", "dropwise")]
    pace: list[dict[str, Any]] = [*words, {"rate": f"{rng.randint(5, 400)} uL/s"}, {"over": f"{rng.randint(5, 60)} s"}]
    found: dict[str, Any] = {**rng.choice([*pace, {}])}
    if rng.random() < 0.5:
        found["at"] = rng.choice(("liquid", "wall", "above", "bottom"))
    if rng.random() < 0.3:
        found["draw_at"] = rng.choice(("top", "bottom"))
    if rng.random() < 0.3:
        found["mix"] = rng.randint(1, 5)
        found |= {"mix_volume": f"{rng.randint(5, 2000)} uL"} if rng.random() < 0.5 else {}
    if rng.random() < 0.3:
        found |= {"pre_wet": rng.randint(1, 3), "hold": f"{rng.randint(1, 9)} s"}
    if rng.random() < 0.3:
        found |= {"blow_out": rng.random() < 0.5, "new_tip": rng.random() < 0.5}
    return found


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
    if kind == "parts by mass":  # as if the rest had the density of water
        return f"{_plain(100 * mass / (total + mass)):g} %"
    return f"{_plain(volume):g} uL"


def _plain(value: float) -> float:
    """Three significant digits."""
    return round(value, 2 - math.floor(math.log10(value)))
