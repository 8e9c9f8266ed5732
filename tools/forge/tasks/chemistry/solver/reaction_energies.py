"""What follows from several molecules: reactions, strain, acids."""

from __future__ import annotations

import itertools
import math
from typing import Any

from labwright.results import parameter

from .task import KCAL, Plain, Task, records

GAS = 0.00198720425864  # kcal/(mol K)
JOULE = 4184.0  # J of a kcal
Values = dict[tuple[str, str], Any]
Rows = list[dict[str, float]]


def main(given: Plain, tools: Any) -> None:
    """Record what follows at every level, and draw the reactions."""
    task = Task(given, tools)
    parameter(**given["parameters"])
    several = len(given["levels"]) > 1
    shown: dict[str, Rows] = {}
    constants: dict[str, Any] = {}
    firsts: list[tuple[Values, dict[str, Rows]]] = []
    for level in given["levels"]:
        values = known(task.of(level)) | bare_protons(task)
        how = task.of(level)
        rows = {one["name"]: energies(task, one, values) for one in given["reactions"]}
        for reaction in given["reactions"]:
            constant = recorded(task, reaction, rows[reaction["name"]], values, how)
            if constant is not None:
                constants[reaction["name"]] = constant
            correlated(task, reaction, level, values)
        tag = f", {how['method']}/{how['basis']}" if several else ""
        tag += f", {how['solvent']}" if "solvent" in how else ""
        shown |= {name + tag: each for name, each in rows.items()}
        firsts.append((values, rows))
    values, by_name = firsts[0]
    if given["strain_reference"] is not None:
        ladder(task, by_name)
    if given["acids"]:
        acids(task, values)
    if given["figures"] and shown:
        (bars if hasattr(tools, "plot_bars") else curves)(task, shown, constants)


def known(labels: Plain) -> Values:
    """(quantity, molecule) -> value, of the molecules' results at a level."""
    found: Values = {}
    for one in records():
        own = one["labels"]
        if "molecule" in own and "state" not in own and all(own.get(key) == value for key, value in labels.items()):
            found.setdefault((one["quantity"], own["molecule"]), one["value"])
    return found


def bare_protons(task: Task) -> Values:
    """Protons have no electrons: a gas of them has heat, and no other energy."""
    found: Values = {}
    for name in task.given["bare_protons"]:
        gas = [
            task.tools.ideal_gas_thermochemistry(
                energy=0.0, masses=[1.00728], positions=[[0.0, 0.0, 0.0]], frequencies=[], multiplicity=1,
                symmetry_number=1, temperature=temperature, pressure=task.given["pressure"],
            )
            for temperature in task.temperatures
        ]  # fmt: skip
        found["energy", name] = 0.0
        found |= {(each, name): task.along([getattr(one, each) for one in gas]) for each in ("enthalpy", "gibbs")}
    return found


def quantities(task: Task) -> list[str]:
    """Of a reaction."""
    return ["energy", "enthalpy", "gibbs"] if task.given["thermochemistry"] else ["energy"]


def energies(task: Task, reaction: Plain, values: Values) -> Rows:
    """Quantity -> kcal/mol at each temperature."""

    def at(value: Any, k: int) -> Any:
        return value[k] if isinstance(value, list) else value

    rows: Rows = []
    for k in range(len(task.temperatures)):
        species = [
            {
                "formula": term["formula"], "charge": term["charge"], "coefficient": term["coefficient"],
                "values": {each: at(values[each, term["species"]], k) for each in quantities(task)},
            }
            for term in reaction["terms"]
        ]  # fmt: skip
        rows.append(task.tools.reaction_thermochemistry(species=species).kcal_per_mol)
    return rows


def recorded(task: Task, reaction: Plain, rows: Rows, values: Values, how: Plain) -> Any:
    """Record a reaction at one level; its equilibrium constants if they are wanted."""
    given, labels = task.given, {"reaction": reaction["name"], **how}
    unit, scale = given["energy_unit"], given["unit_per_kcal"]

    for quantity in quantities(task):
        each = [scale * one[quantity] for one in rows]
        value, axes = (each[0], {}) if quantity == "energy" else (task.along(each), task.warm())
        task.note(f"reaction_{quantity}", value, unit, labels, axes)
    if not given["thermochemistry"]:
        return None
    still = {key: value for (what, key), value in values.items() if what == "zero_point_energy"}
    energies = [(one["coefficient"], one["species"]) for one in reaction["terms"]]
    zero = sum(count * (values["energy", name] + still.get(name, 0.0)) for count, name in energies)
    task.note("reaction_energy_with_zpe", zero * scale * KCAL, unit, labels)
    pairs = list(zip(rows, task.temperatures, strict=True))
    entropy = [JOULE * (one["enthalpy"] - one["gibbs"]) / t for one, t in pairs]
    task.note("reaction_entropy", task.along(entropy), "J/(mol K)", labels, task.warm())
    for (low, t0), (high, t1) in itertools.pairwise(pairs):
        if low["gibbs"] * high["gibbs"] < 0:
            task.note("sign_change_temperature", crossing((t0, t1), (low, high)), "K", labels)
    if not given["equilibrium"]:
        return None
    # the standard state is the ideal gas at the pressure of the task
    constant = task.along([math.exp(-one["gibbs"] / (GAS * t)) for one, t in pairs])
    task.note("equilibrium_constant", constant, "1", labels, task.warm())
    return constant


def crossing(temperatures: tuple[float, float], ends: tuple[Plain, Plain]) -> float:
    """Where the Gibbs energy vanishes between two temperatures: a cubic with its values and slopes -S at both ends."""
    from scipy.interpolate import CubicHermiteSpline
    from scipy.optimize import brentq

    slopes = [(one["gibbs"] - one["enthalpy"]) / t for one, t in zip(ends, temperatures, strict=True)]
    return float(brentq(CubicHermiteSpline(temperatures, [one["gibbs"] for one in ends], slopes), *temperatures))


def correlated(task: Task, reaction: Plain, level: Plain, values: Values) -> None:
    """The energy of reaction by every treatment that is wanted at a level."""
    for treatment in task.given["treated"][level["basis"]]:
        labels = {**task.of(level), "method": task.name(treatment)}
        better = values | {key: value for key, value in known(labels).items() if key[0] == "energy"}
        energy = sum(one["coefficient"] * better["energy", one["species"]] for one in reaction["terms"])
        how = {"reaction": reaction["name"], "method": labels["method"], "basis": level["basis"]}
        task.note("reaction_energy", energy * KCAL * task.given["unit_per_kcal"], task.given["energy_unit"], how)


def ladder(task: Task, by_name: dict[str, Rows]) -> None:
    """Ring strain from the reactions that grow a ring by one atom."""
    rungs = [one for one in task.given["reactions"] if one["ring"]]
    for quantity in quantities(task)[1:]:
        found = task.tools.ring_strain_ladder(
            ring_sizes=[one["ring"] for one in rungs], reference=task.given["strain_reference"],
            reaction_energies=[by_name[one["name"]][0][quantity] for one in rungs],
        )  # fmt: skip
        task.note("ring_strain", found.strain, "kcal/mol", {"quantity": quantity}, {"ring_size": found.ring_sizes})


def acids(task: Task, values: Values) -> None:
    """pKa, with a proton calibrated by acids whose pKa is known."""
    given = task.given
    ends = {one["acid"]: (values["gibbs", one["acid"]], values["gibbs", one["base"]]) for one in given["acids"]}
    for name, (acid, base) in ends.items():
        task.note("reaction_gibbs", base - acid, "hartree", {"reaction": f"{name} deprotonation"})
    measured = {one["acid"]: one["pka"] for one in given["acids"] if one["pka"] is not None}
    pairs = [(*ends[name], pka) for name, pka in measured.items()]
    calibration = [{"gibbs_acid": acid, "gibbs_base": base, "pka": pka} for acid, base, pka in pairs]
    for name in [one for one in ends if one not in measured]:
        found = task.tools.acid_dissociation_constant(
            gibbs_acid=ends[name][0], gibbs_base=ends[name][1], temperature=task.temperatures[0],
            proton_free_energy=None if calibration else given["proton_free_energy"], known_acids=calibration,
        )  # fmt: skip
        task.note("pka", found.pka, "1", {"acid": name})
        if calibration:
            task.note("proton_free_energy", found.proton_free_energy, "kcal/mol", {})
            task.note("proton_spread", found.proton_spread, "kcal/mol", {})
            for one, value in zip(measured, found.proton_of_each, strict=True):
                task.note("proton_of_acid", value, "kcal/mol", {"acid": one})


def bars(task: Task, shown: dict[str, Rows], _: Plain) -> None:
    """Reactions as bars: the quantities of one, or each quantity of all."""
    given, temperatures = task.given, task.temperatures
    drawn = quantities(task)[-2:]

    def panel(title: str, x_label: str, heights: dict[str, float]) -> dict[str, Any]:
        values = [given["unit_per_kcal"] * one for one in heights.values()]
        told = {"title": title, "x_label": x_label, "y_label": given["energy_unit"]}
        return {**told, "labels": [*heights], "values": values}

    tags = [f", {t:g} K" if len(temperatures) > 1 else "" for t in temperatures]
    if len(shown) == 1:
        name, rows = next(iter(shown.items()))
        heights = {each + tag: one[each] for one, tag in zip(rows, tags, strict=True) for each in drawn}
        panels = [panel(name, "quantity", heights)]
    else:
        columns = [(each + tag, each, k) for each in drawn for k, tag in enumerate(tags)]
        heights_of = [{name: rows[k][each] for name, rows in shown.items()} for _, each, k in columns]
        panels = [panel(one[0], "reaction", each) for one, each in zip(columns, heights_of, strict=True)]
    task.tools.plot_bars(path="img/reactions.png", title="Energies of reaction", panels=panels)


def curves(task: Task, shown: dict[str, Rows], constants: Plain) -> None:
    """Reactions over temperatures."""
    given = task.given

    def panel(label: str, series: dict[str, list[float]], **how: Any) -> dict[str, Any]:
        lines = [{"label": name, "x": task.temperatures, "y": y} for name, y in series.items()]
        return {"title": "", "x_label": "temperature (K)", "y_label": label, "series": lines, **how}

    panels = [
        panel(
            f"{each} of reaction ({given['energy_unit']})",
            {
                name if len(shown) > 1 else "": [one[each] * given["unit_per_kcal"] for one in rows]
                for name, rows in shown.items()
            },
        )
        for each in quantities(task)[1:]
    ]
    if constants:
        panels.append(panel("equilibrium constant", dict(constants), y_log=True))
    task.tools.plot_lines(path="img/reactions.png", title="Energies of reaction", panels=panels)
