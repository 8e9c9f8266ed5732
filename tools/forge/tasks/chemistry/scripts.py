"""The scripts of a task: a trial, one script for each molecule, and one that puts them together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import comb
from pathlib import Path
from typing import Any

from labwright.tools.forge.tasks.base import Computed, Script
from labwright.tools.forge.tasks.beside import script
from labwright.tools.forge.tasks.chemistry.smiles import ELEMENTS
from labwright.tools.forge.tasks.chemistry.spec import PER_HARTREE, Level, Scan, Species

KERNEL = Path(__file__).parent / "kernel"

NAME = "chemistry"
USUAL = {name: name for name in ("hf", "mp2", "ccsd", "ccsd(t)", "fci", "casci", "tddft")}  # methods in results
COARSE = 11  # order of the cavity's grid for solvated structures and Hessians
FINE = 29
_WHY = {
    "molecule_from_smiles": "structures to start from",
    "molecule_from_xyz": "structures from files",
    "mean_field_energy": "energies, dipole moments, orbitals and charges",
    "geometry_optimization": "structures of least energy",
    "harmonic_frequencies": "vibrations: minima and thermal motion",
    "normal_mode_displacement": "to leave saddle points",
    "molecular_point_group": "point groups and symmetry numbers",
    "ideal_gas_thermochemistry": "enthalpies and free energies",
    "reaction_thermochemistry": "energies of reaction",
    "ring_strain_ladder": "relative strain",
    "acid_dissociation_constant": "pKa",
    "excited_states_tddft": "excited states",
    "casci_states": "states in active spaces",
    "active_space_qubit_hamiltonian": "the active space on qubits",
    "quantum_subspace_expansion": "excited states by a quantum algorithm",
    "correlated_energy": "correlation",
    "nuclear_electron_density": "density at nuclei",
    "stretched_bond": "structures along a bond",
    "plot_molecule": "pictures of structures",
    "plot_orbital_contours": "pictures of orbitals",
    "plot_lines": "curves",
    "plot_bars": "bars",
}


def needs(spec: Computed) -> dict[str, str]:
    """Recipe -> why."""
    names: list[str] = []
    if any(one.smiles for one in _with_electrons(spec)):
        names.append("molecule_from_smiles")
    if any(one.file or one.xyz for one in spec.species):
        names.append("molecule_from_xyz")
    names.append("mean_field_energy")
    if spec.scan:
        names += ["stretched_bond", "plot_lines", *(["correlated_energy"] if spec.treatments else [])]
    else:
        names += _of_molecules(spec)
        names += _of_all(spec)
    return {name: _WHY[name] for name in dict.fromkeys(names)}


def _of_molecules(spec: Computed) -> list[str]:
    wanted = {
        "geometry_optimization": spec.optimise,
        "harmonic_frequencies": spec.frequencies,
        "normal_mode_displacement": spec.frequencies and spec.optimise,
        "molecular_point_group": True,
        "ideal_gas_thermochemistry": spec.thermochemistry,
        "excited_states_tddft": spec.excited is not None,
        "casci_states": bool(spec.active_spaces),
        "active_space_qubit_hamiltonian": bool(spec.qse),
        "correlated_energy": bool(spec.treatments),
        "nuclear_electron_density": spec.nucleus_density,
        "plot_molecule": "image" in spec.wanted,
        "plot_orbital_contours": "orbitals" in spec.wanted,
    }
    return [name for name, needed in wanted.items() if needed]


def _of_all(spec: Computed) -> list[str]:
    wanted = {
        "reaction_thermochemistry": bool(spec.reactions),
        "ring_strain_ladder": spec.strain_reference is not None,
        "acid_dissociation_constant": bool(spec.acids),
        "plot_bars": _draws(spec) and _bars(spec),
        "plot_lines": _draws(spec) and _curves(spec),
        "quantum_subspace_expansion": bool(spec.qse),
    }
    return [name for name, needed in wanted.items() if needed]


def _draws(spec: Computed) -> bool:
    """Whether numbers are drawn; a pKa alone is not."""
    return spec.figures and bool(spec.reactions or not spec.acids)


def _curves(spec: Computed) -> bool:
    """Whether figures run over temperatures; bars of reactions show several temperatures, too."""
    over = len(spec.temperatures) > 1 and not (spec.bars and spec.reactions) and spec.thermochemistry
    return over or _sticks(spec)


def _sticks(spec: Computed) -> bool:
    """Whether a spectrum is drawn."""
    return spec.excited is not None and not spec.reactions and "oscillator_strength" in spec.drawn


def _bars(spec: Computed) -> bool:
    """Whether there are bars: in the figure of all quantities, those that do not run over temperatures."""
    return not spec.reactions or not _curves(spec)


def scripts(spec: Computed, imports: Mapping[str, str]) -> list[Script]:
    """The scripts, the trial first."""
    every = _with_electrons(spec)
    made = [_trial(spec, imports)]
    if spec.scan:
        return [*made, _scan(spec, spec.scan, imports)]
    made += [_molecule(spec, one, imports) for one in every]
    made += [_expansion(spec, one, imports) for one in every if spec.qse]
    if spec.reactions or spec.acids:
        made.append(_together(spec, imports))
    elif _draws(spec):
        made.append(_overview(spec, imports))
    return made


def slug(name: str) -> str:
    """A name as part of a file's."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "molecule"


def parameters(spec: Computed) -> dict[str, Any]:
    """What goes into ``results.json`` as the task's numbers and conventions."""
    level = spec.levels[0]
    found: dict[str, Any] = {
        "functional" if level.method.upper() != "HF" else "method": level.method,
        "basis": level.basis,
        "levels": [one.title for one in spec.levels],
        "grid_level": level.grid_level,
        "temperature": spec.temperatures[0] if len(spec.temperatures) == 1 else list(spec.temperatures),
        "pressure": spec.pressure,
        "seed": spec.seed,
        "density_fitting": "structures and Hessians only" if spec.fitted_structures else level.density_fitting,
    }
    if level.solvent_model != "none":
        found |= {"solvent_model": level.solvent_model, "epsilon": level.dielectric, "solvent": level.solvent}
        found |= {"lebedev_order_structures": COARSE if spec.frequencies else FINE, "lebedev_order_energies": FINE}
    if spec.excited:
        found |= spec.excited.model_dump()
    if spec.acids:
        known = [one.acid for one in spec.acids if one.pka is not None]
        found["calibration_acids"] = known
        if not known:
            found["proton_free_energy"] = spec.proton_free_energy
    if spec.strain_reference is not None:
        found["reference"] = f"cyclo-C{spec.strain_reference}"
    if spec.structure_level:
        found["structure_level"] = spec.structure_level.title
    return found


def _with_electrons(spec: Computed) -> list[Species]:
    return [one for one in spec.species if not one.bare]


def _level(level: Level, **changes: Any) -> dict[str, Any]:
    return level.model_dump(exclude={"treatments"}) | {"lebedev_order": FINE} | changes


def _shape(spec: Computed, level: Level) -> dict[str, Any]:
    """The level at which structures are optimised: fitted and with the coarse cavity where that is said."""
    wet = level.solvent_model != "none" and spec.frequencies
    return _level(
        level,
        density_fitting=level.density_fitting or spec.fitted_structures,
        lebedev_order=COARSE if wet else FINE,
    )


def _given(spec: Computed, **more: Any) -> dict[str, Any]:
    return {
        "levels": [_level(one) for one in spec.levels],
        "seed": spec.seed,
        "n_conformers": 10,
        "names": USUAL | spec.names,
        "parameters": parameters(spec),
        "temperatures": list(spec.temperatures),
        "treated": _treated(spec),
        **more,
    }


def _script(
    purpose: str, module: str, tools: Sequence[str], imports: Mapping[str, str], given: dict[str, Any], **how: Any
) -> Script:
    taken = {name: place for name, place in imports.items() if name in tools}
    return script(purpose, KERNEL, taken, given, module, **how)


STRUCTURE = ("molecule_from_smiles", "molecule_from_xyz", "mean_field_energy")


def _trial(spec: Computed, imports: Mapping[str, str]) -> Script:
    given = _given(spec, all=[asdict(one) for one in _with_electrons(spec)])
    purpose = "Trial: all structures, and one energy of the smallest molecule."
    return _script(purpose, "trial", STRUCTURE, imports, given, subset=True, wall_seconds=900, threads=2)


def _molecule(spec: Computed, species: Species, imports: Mapping[str, str]) -> Script:
    atoms = sum(int(count or 1) for count in re.findall(r"[A-Z][a-z]?(\d*)", species.formula))
    given = _given(
        spec,
        species=asdict(species),
        slug=slug(species.name),
        shapes=[_shape(spec, one) for one in spec.levels],
        structure_level=_shape(spec, spec.structure_level) if spec.structure_level else None,
        optimise=spec.optimise,
        frequencies=spec.frequencies,
        thermochemistry=spec.thermochemistry,
        wanted=list(spec.wanted),
        pressure=spec.pressure,
        excited=spec.excited.model_dump() if spec.excited else None,
        active_spaces=[one.model_dump() | {"roots": _roots(one.electrons, one.orbitals)} for one in spec.active_spaces],
        qse=[one.model_dump() | {"roots": _roots(one.electrons, one.orbitals)} for one in spec.qse],
        frozen=_frozen(spec, species),
        nucleus_density=spec.nucleus_density,
        nucleus=spec.nucleus.model_dump() if spec.nucleus else None,
    )
    steps = [word for word, used in (("optimisation", spec.optimise), ("vibrations", spec.frequencies)) if used]
    purpose = f"{species.name}: {', '.join([*steps, 'properties'])}."
    tools = [*STRUCTURE, *_of_molecules(spec)]
    return _script(purpose, "molecule", tools, imports, given, wall_seconds=max(1200.0, 60.0 * atoms**2), threads=2)


def _treated(spec: Computed) -> dict[str, list[str]]:
    """Basis set -> correlation that is wanted in it."""
    found: dict[str, list[str]] = {}
    for level in spec.levels:
        row = found.setdefault(level.basis, [])
        row += [one for one in level.treatments or () if one not in row]
    return found


def _frozen(spec: Computed, species: Species) -> int:
    """Core orbitals that correlation leaves out: the noble gas below each element."""
    if not spec.frozen_core:
        return 0
    cores = ((30, 9), (12, 5), (4, 1))  # elements beyond -> orbitals, as PySCF's chemcore
    total = 0
    for symbol, count in re.findall(r"([A-Z][a-z]?)(\d*)", species.formula):
        number = ELEMENTS.index(symbol) + 1
        total += int(count or 1) * next((orbitals for beyond, orbitals in cores if number > beyond), 0)
    return total


def _roots(electrons: int, orbitals: int) -> int:
    """States of an active space to look at: four, or all where there are fewer."""
    alpha = (electrons + electrons % 2) // 2
    return min(4, comb(orbitals, alpha) * comb(orbitals, electrons - alpha))


def _expansion(spec: Computed, species: Species, imports: Mapping[str, str]) -> Script:
    bases = list(dict.fromkeys(one.basis for one in spec.levels))
    given = _given(spec, molecule=species.name, slug=slug(species.name), bases=bases)
    purpose = f"{species.name}: quantum subspace expansion."
    how = {"wall_seconds": 1800, "threads": 2}
    return _script(purpose, "expansion", ["quantum_subspace_expansion"], imports, given, **how)


def _scan(spec: Computed, scan: Scan, imports: Mapping[str, str]) -> Script:
    species = next(one for one in spec.species if one.name == scan.species)
    bases = {one.basis: one for one in reversed(spec.levels)} if spec.treatments else {}
    given = _given(
        spec,
        species=asdict(species),
        slug=slug(species.name),
        scan=asdict(scan),
        frozen=_frozen(spec, species),
        references=[_level(one, method="HF") for one in bases.values()],
    )
    purpose = f"{species.name}: energies along a bond."
    return _script(purpose, "scan", [*imports], imports, given, wall_seconds=3600, threads=2)


def _overview(spec: Computed, imports: Mapping[str, str]) -> Script:
    """Figures of the wanted quantities of all molecules and levels."""
    several = {
        "molecule": len(spec.species) > 1,
        "method": len({one.method for one in spec.levels}) > 1 or bool(spec.treatments),
        "basis": len({one.basis for one in spec.levels}) > 1,
    }
    telling = [name for name, more in several.items() if more]
    given = _given(spec, drawn=list(spec.drawn), telling=telling, title=", ".join(one.name for one in spec.species[:4]))
    return _script("Figures.", "overview", ["plot_bars", "plot_lines"], imports, given, wall_seconds=300)


def _together(spec: Computed, imports: Mapping[str, str]) -> Script:
    bare = [one.name for one in spec.species if one.bare]
    known = {one.name: {"species": one.name, "formula": one.formula, "charge": one.charge} for one in spec.species}
    reactions = [
        {
            "name": one.name,
            "ring": int(one.name.removeprefix("n=")) if spec.strain_reference is not None else 0,
            "terms": [{**known[name], "coefficient": count} for name, count in one.terms.items()],
        }
        for one in spec.reactions
    ]
    given = _given(
        spec,
        reactions=reactions,
        bare_protons=bare,
        thermochemistry=spec.thermochemistry,
        temperature=spec.temperatures[0],
        pressure=spec.pressure,
        inverted=spec.inverted,
        unit=spec.energy_unit,
        unit_per_kcal=PER_HARTREE[spec.energy_unit] / PER_HARTREE["kcal/mol"],
        equilibrium=spec.equilibrium and spec.thermochemistry,
        drawn=[one for one in ("energy", "enthalpy", "gibbs") if one in spec.drawn],
        figures=spec.figures,
        strain_reference=spec.strain_reference,
        acids=[asdict(one) for one in spec.acids],
        proton_free_energy=spec.proton_free_energy,
    )
    told = ["Energies of reaction", *["strain"] * (spec.strain_reference is not None), *["pKa"] * bool(spec.acids)]
    tools = [*_of_all(spec), *["ideal_gas_thermochemistry"] * bool(bare)]
    return _script(f"{', '.join(told)}.", "together", tools, imports, given, wall_seconds=300)
