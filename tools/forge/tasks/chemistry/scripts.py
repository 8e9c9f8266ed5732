"""The tools and scripts of a task: a trial, one script for each molecule, and one that puts them together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from labwright.tools.forge.tasks.chemistry.smiles import ELEMENTS, counted
from labwright.tools.forge.tasks.chemistry.spec import PER_HARTREE, Level, Species
from labwright.tools.forge.tasks.solver_scripts import script
from labwright.tools.forge.tasks.task_type import Computed, Script

KERNEL = Path(__file__).parent / "solver"
COARSE, FINE = 11, 29  # order of the cavity's grid for solvated structures and Hessians, and for energies
USUAL = {name: name for name in ("hf", "mp2", "ccsd", "ccsd(t)", "fci", "casci", "tddft")}  # methods in results
CORES = ((30, 9), (12, 5), (4, 1))  # elements beyond -> core orbitals, as PySCF's chemcore
STRUCTURE = ("molecule_from_smiles", "molecule_from_xyz", "mean_field_energy")
TOGETHER = ("reaction_thermochemistry", "ring_strain_ladder", "acid_dissociation_constant", "plot_bars", "plot_lines")
MORE = ("thermochemistry", "strain_reference", "proton_free_energy", "temperatures", "active_spaces")


def needs(task: Computed) -> dict[str, str]:
    """Tool -> why."""
    alone, draws = not task.scan, task.figures and bool(task.reactions)
    curves = len(task.temperatures) > 1 and task.thermochemistry
    rows = {
        "molecule_from_smiles": ("structures to start from", any(one.smiles for one in _with_electrons(task))),
        "molecule_from_xyz": ("structures from files", any(one.file or one.xyz for one in task.species)),
        "mean_field_energy": ("energies, dipole moments, orbitals and charges", True),
        "stretched_bond": ("structures along a bond", task.scan),
        "geometry_optimization": ("structures of least energy", alone and task.optimise),
        "harmonic_frequencies": ("vibrations: minima and thermal motion", alone and task.frequencies),
        "normal_mode_displacement": ("to leave saddle points", alone and task.frequencies and task.optimise),
        "molecular_point_group": ("point groups and symmetry numbers", alone),
        "ideal_gas_thermochemistry": ("enthalpies and free energies", alone and task.thermochemistry),
        "excited_states_tddft": ("excited states", alone and task.excited),
        "casci_states": ("states in active spaces", alone and task.active_spaces),
        "correlated_energy": ("correlation", task.treatments),
        "plot_molecule": ("pictures of structures", alone and "image" in task.wanted),
        "plot_orbital_contours": ("pictures of orbitals", alone and "orbitals" in task.wanted),
        "reaction_thermochemistry": ("energies of reaction", alone and task.reactions),
        "ring_strain_ladder": ("relative strain", alone and task.strain_reference is not None),
        "acid_dissociation_constant": ("pKa", alone and task.acids),
        "plot_bars": ("bars", alone and draws and not curves),
        "plot_lines": ("curves", task.scan or (draws and curves)),
    }
    return {name: why for name, (why, needed) in rows.items() if needed}


def scripts(task: Computed, imports: Mapping[str, str]) -> list[Script]:
    """The scripts, the trial first."""
    every = _with_electrons(task)
    common = {
        **task.card.model_dump(mode="json", exclude={"molecules", "structure_level"}),
        **{name: getattr(task, name) for name in MORE},
        "levels": [_level(one) for one in task.levels], "names": USUAL, "n_conformers": 10,
        "parameters": parameters(task), "all": [asdict(one) for one in every],
        "treated": {one.basis: list(task.treatments) for one in task.levels},
        "acids": [asdict(one) for one in task.acids], "reactions": _reactions(task),
        "scan": task.scan.model_dump() if task.scan else None,
        "bare_protons": [one.name for one in task.species if one.bare],
        "unit_per_kcal": PER_HARTREE[task.energy_unit] / PER_HARTREE["kcal/mol"],
    }  # fmt: skip

    def made(purpose: str, module: str, tools: Any, given: Mapping[str, Any], seconds: float, **how: Any) -> Script:
        taken = {name: place for name, place in imports.items() if name in tools}
        return script(purpose, KERNEL, taken, {**common, **given}, module, wall_seconds=seconds, threads=2, **how)

    purpose = "Trial: all structures, and one energy of the smallest molecule."
    found = [made(purpose, "trial_run", STRUCTURE, {}, 900, subset=True)]
    if task.scan:
        species = next(one for one in task.species if one.name == task.scan.molecule)
        bases = {one.basis: one for one in reversed(task.levels)} if task.treatments else {}
        given = _of(task, species) | {"references": [_level(one, method="HF") for one in bases.values()]}
        return [*found, made(f"{species.name}: energies along a bond.", "scan", imports, given, 3600)]
    steps = [word for word, used in (("optimisation", task.optimise), ("vibrations", task.frequencies)) if used]
    for one in every:
        purpose = f"{one.name}: {', '.join([*steps, 'properties'])}."
        seconds = max(1200.0, 60.0 * counted(one.formula)[0].total() ** 2)
        found.append(made(purpose, "molecule_calculation", {*imports} - {*TOGETHER}, _of(task, one), seconds))
    if task.reactions or task.acids:
        told = ["Energies of reaction", *["strain"] * bool(task.strain_ladder), *["pKa"] * bool(task.acids)]
        tools = [*TOGETHER, *["ideal_gas_thermochemistry"] * any(one.bare for one in task.species)]
        found.append(made(f"{', '.join(told)}.", "reaction_energies", tools, {}, 300))
    return found


def slug(name: str) -> str:
    """A name as part of a file's."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "molecule"


def parameters(task: Computed) -> dict[str, Any]:
    """What goes into ``results.json`` as the task's numbers and conventions."""
    level, temperatures = task.levels[0], task.temperatures
    found: dict[str, Any] = {
        "functional" if level.method.upper() != "HF" else "method": level.method, "basis": level.basis,
        "levels": [one.title for one in task.levels], "grid_level": level.grid_level, "pressure": task.pressure,
        "temperature": temperatures[0] if len(temperatures) == 1 else temperatures, "seed": task.seed,
        "cartesian": task.cartesian,
        "density_fitting": "structures and Hessians only" if task.fitted_structures else False,
    }  # fmt: skip
    if level.solvent_model != "none":
        found |= {"solvent_model": level.solvent_model, "epsilon": level.dielectric, "solvent": level.solvent}
        found |= {"lebedev_order_structures": COARSE if task.frequencies else FINE, "lebedev_order_energies": FINE}
    if task.excited:
        found |= task.excited.model_dump()
    if task.acids:
        found["calibration_acids"] = [one.acid for one in task.acids if one.pka is not None]
        found |= {} if found["calibration_acids"] else {"proton_free_energy": task.proton_free_energy}
    if task.strain_reference is not None:
        found["reference"] = f"cyclo-C{task.strain_reference}"
    if task.structure_level:
        found["structure_level"] = task.structure_level.title
    return found


def _with_electrons(task: Computed) -> list[Species]:
    return [one for one in task.species if not one.bare]


def _level(level: Level, **changes: Any) -> dict[str, Any]:
    return asdict(level) | {"lebedev_order": FINE} | changes


def _of(task: Computed, species: Species) -> dict[str, Any]:
    """What a script of one molecule gets: structures are fitted and in the coarse cavity where that is said."""

    def shape(level: Level) -> dict[str, Any]:
        wet = level.solvent_model != "none" and task.frequencies
        return _level(level, density_fitting=task.fitted_structures, lebedev_order=COARSE if wet else FINE)

    return {
        "species": asdict(species), "slug": slug(species.name), "frozen": _frozen(task, species),
        "shapes": [shape(one) for one in task.levels],
        "structure_level": shape(task.structure_level) if task.structure_level else None,
    }  # fmt: skip


def _frozen(task: Computed, species: Species) -> int:
    """Core orbitals that correlation leaves out: the noble gas below each element."""
    total = 0
    for symbol, count in counted(species.formula)[0].items() if task.frozen_core else ():
        number = ELEMENTS.index(symbol) + 1
        total += count * next((orbitals for beyond, orbitals in CORES if number > beyond), 0)
    return total


def _reactions(task: Computed) -> list[dict[str, Any]]:
    known = {one.name: {"species": one.name, "formula": one.formula, "charge": one.charge} for one in task.species}
    return [
        {
            "name": one.name, "ring": int(one.name.removeprefix("n=")) if task.strain_reference is not None else 0,
            "terms": [{**known[name], "coefficient": count} for name, count in one.terms.items()],
        }
        for one in task.reactions
    ]  # fmt: skip
