"""The scripts of a task: a trial, one script for each molecule, and one that puts them together."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from labwright.tools.forge.families.base import Script
from labwright.tools.forge.families.chemistry.programs import figures, frame, molecule, scan, states, together
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec, Level, Species

NAME = "chemistry"
COARSE = 11  # order of the cavity's grid for solvated structures and Hessians
FINE = 29
_PER_KCAL: dict[str, float] = {
    "kcal/mol": 1.0,
    "kJ/mol": 4.184,
    "eV": 27.211386245988 / 627.5094740631,
    "hartree": 1 / 627.5094740631,
    "1/cm": 219474.6313632 / 627.5094740631,
}
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


def needs(spec: ChemistrySpec) -> dict[str, str]:
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


def _of_molecules(spec: ChemistrySpec) -> list[str]:
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


def _of_all(spec: ChemistrySpec) -> list[str]:
    wanted = {
        "reaction_thermochemistry": bool(spec.reactions),
        "ring_strain_ladder": spec.strain_reference is not None,
        "acid_dissociation_constant": bool(spec.acids),
        "plot_bars": _draws(spec) and _bars(spec),
        "plot_lines": _draws(spec) and _curves(spec),
        "quantum_subspace_expansion": bool(spec.qse),
    }
    return [name for name, needed in wanted.items() if needed]


def _draws(spec: ChemistrySpec) -> bool:
    """Whether numbers are drawn; a pKa alone is not."""
    return spec.figures and bool(spec.reactions or not spec.acids)


def _curves(spec: ChemistrySpec) -> bool:
    """Whether figures run over temperatures; bars of reactions show several temperatures, too."""
    over = len(spec.at) > 1 and not (spec.bars and spec.reactions) and spec.thermochemistry
    return over or _sticks(spec)


def _sticks(spec: ChemistrySpec) -> bool:
    """Whether a spectrum is drawn."""
    return spec.excited is not None and not spec.reactions and "oscillator_strength" in spec.drawn


def _bars(spec: ChemistrySpec) -> bool:
    """Whether there are bars: in the figure of all quantities, those that do not run over temperatures."""
    return not spec.reactions or not _curves(spec)


def scripts(spec: ChemistrySpec, imports: Mapping[str, str]) -> list[Script]:
    """The scripts, the trial first."""
    if spec.scan:
        return [_trial(spec, imports), _scan(spec, imports)]
    made = [_trial(spec, imports)]
    made += [_molecule(spec, one, imports) for one in _with_electrons(spec)]
    if spec.qse:
        made += [_expansion(spec, one, imports) for one in _with_electrons(spec)]
    if spec.reactions or spec.acids:
        made.append(_together(spec, imports))
    elif _draws(spec):
        made.append(_overview(spec, imports))
    return made


def slug(name: str) -> str:
    """A name as part of a file's."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "molecule"


def parameters(spec: ChemistrySpec) -> dict[str, Any]:
    """What goes into ``results.json`` as the task's numbers and conventions."""
    level = spec.levels[0]
    found: dict[str, Any] = {
        "functional" if level.method.upper() != "HF" else "method": level.method,
        "basis": level.basis,
        "levels": [one.title for one in spec.levels],
        "grid_level": level.grid_level,
        "temperature": spec.temperature if len(spec.at) == 1 else list(spec.at),
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


def _with_electrons(spec: ChemistrySpec) -> list[Species]:
    return [one for one in spec.species if not _bare(one)]


def _bare(species: Species) -> bool:
    return species.formula == "H" and species.charge == 1


def _level(level: Level, **changes: Any) -> dict[str, Any]:
    return level.model_dump(exclude={"treatments"}) | {"lebedev_order": FINE} | changes


def _shape(spec: ChemistrySpec, level: Level) -> dict[str, Any]:
    """The level at which structures are optimised: fitted and with the coarse cavity where that is said."""
    wet = level.solvent_model != "none" and spec.frequencies
    return _level(
        level,
        density_fitting=level.density_fitting or spec.fitted_structures,
        lebedev_order=COARSE if wet else FINE,
    )


def _names(spec: ChemistrySpec) -> dict[str, str]:
    usual = {
        "hf": "hf",
        "mp2": "mp2",
        "ccsd": "ccsd",
        "ccsd(t)": "ccsd(t)",
        "fci": "fci",
        "casci": "casci",
        "tddft": "tddft",
    }
    return usual | spec.spellings


def _data(spec: ChemistrySpec, path: str, **more: Any) -> dict[str, Any]:
    return {
        "levels": [_level(one) for one in spec.levels],
        "seed": spec.seed,
        "n_conformers": 10,
        "names": _names(spec),
        "path": path,
        "parameters": parameters(spec),
        "temperatures": list(spec.at),
        **more,
    }


def _source(
    purpose: str, names: Sequence[str], parts: Sequence[str], data: Mapping[str, Any], imports: Mapping[str, str]
) -> str:
    lines = [
        f"from {imports[name]} import {camel(name)}Input, {name}"
        for name in sorted(names, key=lambda one: (imports[one], one))
    ]
    head = frame.HEAD.format(purpose=purpose, imports="\n".join(lines), data=json.dumps(data, indent=1))
    return head + "".join(parts)


def camel(name: str) -> str:
    """``mean_field_energy`` -> ``MeanFieldEnergy``."""
    return "".join(part.capitalize() for part in name.split("_"))


def _structure_tools(species: Sequence[Species]) -> tuple[list[str], str]:
    """Tools that make structures, and the source that uses them: nothing is imported that is not needed."""
    smiles, files = any(one.smiles for one in species), any(one.file for one in species)
    texts = any(one.xyz for one in species)
    source = frame.STRUCTURE
    for there, field in ((files, "file"), (texts, "xyz")):
        if not there:
            source = re.sub(rf'    if species\["{field}"\]:\n(?:        .*\n)+', "", source)
    if not smiles:
        start = source.index("    given = MoleculeFromSmilesInput")
        source = source[:start] + source[source.index("\n\ndef at(") :]
    names = (["molecule_from_smiles"] if smiles else []) + (["molecule_from_xyz"] if files or texts else [])
    return names, source


def _trial(spec: ChemistrySpec, imports: Mapping[str, str]) -> Script:
    every = _with_electrons(spec)
    names, structure = _structure_tools(every)
    data = _data(spec, "results/chemistry_subset.json", all=[one.model_dump() for one in every])
    purpose = "Trial: all structures, and one energy of the smallest molecule."
    source = _source(purpose, [*names, "mean_field_energy"], [structure, frame.TRIAL], data, imports)
    return Script(purpose, source, subset=True, wall_seconds=900, memory_mb=8192, threads=2)


def _molecule(spec: ChemistrySpec, species: Species, imports: Mapping[str, str]) -> Script:
    names, structure = _structure_tools([species])
    names += ["mean_field_energy", *_of_molecules(spec)]
    rest = {
        "excited_states_tddft": (states.EXCITED, "excited(level, symbols, positions, species, labels)"),
        "casci_states": (states.CASCI, "active(level, symbols, positions, species, labels)"),
        "active_space_qubit_hamiltonian": (
            states.QUBITS,
            "on_qubits(level, symbols, positions, species, labels)",
        ),
        "correlated_energy": (states.CORRELATED, _CORRELATED_LINES),
        "nuclear_electron_density": (states.NUCLEUS, "nucleus(level, symbols, positions, species, labels)"),
        "plot_molecule": ("", _PICTURE_LINES),
        "plot_orbital_contours": (states.ORBITALS, "orbital_figure(level, symbols, positions, species, scf)"),
    }
    minimum = molecule.MINIMUM if spec.optimise or spec.frequencies else molecule.MINIMUM_OF_NOTHING
    parts = [structure, minimum, molecule.PROPERTIES, molecule.GROUP]
    parts += [molecule.THERMO] if spec.thermochemistry else []
    parts += [rest[name][0] for name in names if name in rest]
    lines = "\n".join(f"        {line}" for name in names if name in rest for line in rest[name][1].splitlines())
    thermo = "            thermochemistry(species, symbols, positions, scf.energy, vibrations, labels, group)"
    main = molecule.MAIN.replace("$REST\n", lines + "\n" if lines else "")
    main = main.replace("$GEOMETRY\n", _geometry(spec, parts))
    parts.append(main.replace("$THERMO\n", thermo + "\n" if spec.thermochemistry else ""))
    atoms = sum(int(count or 1) for count in re.findall(r"[A-Z][a-z]?(\d*)", species.formula))
    data = _data(
        spec,
        "results/chemistry.json",
        species=species.model_dump(),
        slug=slug(species.name),
        shapes=[_shape(spec, one) for one in spec.levels],
        structure_level=_shape(spec, spec.structure_level) if spec.structure_level else None,
        optimise=spec.optimise,
        frequencies=spec.frequencies,
        each_charge="mulliken_charges" in spec.wanted,
        pressure=spec.pressure,
        excited=spec.excited.model_dump() if spec.excited else None,
        active_spaces=[one.model_dump() | {"roots": _roots(one.electrons, one.orbitals)} for one in spec.active_spaces],
        qse=[one.model_dump() | {"roots": _roots(one.electrons, one.orbitals)} for one in spec.qse],
        treated=_treated(spec),
        frozen=_frozen(spec, species),
        nucleus=spec.nucleus.model_dump() if spec.nucleus else None,
    )
    steps = [word for word, used in (("optimisation", spec.optimise), ("vibrations", spec.frequencies)) if used]
    purpose = f"{species.name}: {', '.join([*steps, 'properties'])}."
    source = _source(purpose, names, parts, data, imports)
    return Script(purpose, source, wall_seconds=max(1200.0, 60.0 * atoms**2), memory_mb=10240, threads=2)


def _treated(spec: ChemistrySpec) -> dict[str, list[str]]:
    """Basis set -> correlation that is wanted in it."""
    found: dict[str, list[str]] = {}
    for level in spec.levels:
        row = found.setdefault(level.basis, [])
        row += [one for one in spec.treated(level) if one not in row]
    return found


def _frozen(spec: ChemistrySpec, species: Species) -> int:
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
    from math import comb

    alpha = (electrons + electrons % 2) // 2
    return min(4, comb(orbitals, alpha) * comb(orbitals, electrons - alpha))


_CORRELATED_LINES = """if fixed is not None and level["basis"] in treated:
    continue
treated.add(level["basis"])
field = mean_field_energy(MeanFieldEnergyInput(**at(level, symbols, positions, species, method="HF"))).energy
for treatment, energy in correlated(level, symbols, positions, species, labels).items():
    how = labels | {"method": GIVEN["names"][treatment.lower()]}
    note("energy", energy, "hartree", **how)
    note("correlation_energy", energy - field, "hartree", **how)"""
_PICTURE_LINES = """plot_molecule(
    PlotMoleculeInput(
        path=f"img/{GIVEN['slug']}.png", title=species["name"], symbols=symbols, positions=positions
    )
)"""


def _expansion(spec: ChemistrySpec, species: Species, imports: Mapping[str, str]) -> Script:
    bases = list(dict.fromkeys(one.basis for one in spec.levels))
    data = _data(spec, "results/chemistry.json", molecule=species.name, slug=slug(species.name), bases=bases)
    purpose = f"{species.name}: quantum subspace expansion."
    source = _source(purpose, ["quantum_subspace_expansion"], [states.QSE], data, imports)
    return Script(purpose, source, wall_seconds=1800, memory_mb=8192, threads=2)


def _scan(spec: ChemistrySpec, imports: Mapping[str, str]) -> Script:
    assert spec.scan is not None
    species = spec.named(spec.scan.species)
    names, structure = _structure_tools([species])
    names += ["mean_field_energy", "stretched_bond", "plot_lines", *(["correlated_energy"] if spec.treatments else [])]
    bases = {one.basis: one for one in reversed(spec.levels)}
    data = _data(
        spec,
        "results/chemistry.json",
        species=species.model_dump(),
        slug=slug(species.name),
        scan=spec.scan.model_dump(),
        treated=_treated(spec),
        frozen=_frozen(spec, species),
        references=[_level(one, method="HF") for one in bases.values()],
    )
    purpose = f"{species.name}: energies along a bond."
    parts = [structure, *([states.CORRELATED] if spec.treatments else []), scan.SCAN]
    source = _source(purpose, names, parts, data, imports)
    if not spec.treatments:
        source = source.replace("correlated(level, symbols, points, species, {}).items()", "()")
    return Script(purpose, source, wall_seconds=3600, memory_mb=10240, threads=2)


def _geometry(spec: ChemistrySpec, parts: list[str]) -> str:
    """The lines that measure a structure, if it is wanted; `parts` gets their source."""
    if "geometry" not in spec.wanted:
        return ""
    parts.append(molecule.GEOMETRY)
    return "        internal(symbols, positions, labels)\n        rotation(symbols, positions, labels)\n"


def _overview(spec: ChemistrySpec, imports: Mapping[str, str]) -> Script:
    """Figures of the wanted quantities of all molecules and levels."""
    telling = [
        name
        for name, several in (
            ("molecule", len(spec.species) > 1),
            ("method", len({one.method for one in spec.levels}) > 1 or bool(spec.treatments)),
            ("basis", len({one.basis for one in spec.levels}) > 1),
        )
        if several
    ]
    title = ", ".join(one.name for one in spec.species[:4])
    names = [name for name in ("plot_bars", "plot_lines") if name in _of_all(spec)]
    data = _data(spec, "results/chemistry.json", drawn=list(spec.drawn), telling=telling, title=title)
    source = figures.OVERVIEW
    for name in ("bars", "curves", "sticks"):
        tool = {"bars": "plot_bars", "curves": "plot_lines", "sticks": "plot_lines"}[name]
        if tool not in names:
            source = re.sub(rf"    if {name}:\n(?:        .*\n)+", "", source)
    return Script("Figures.", _source("Figures.", names, [source], data, imports), wall_seconds=300, threads=1)


def _together(spec: ChemistrySpec, imports: Mapping[str, str]) -> Script:
    names = [name for name in _of_all(spec) if name != "quantum_subspace_expansion"]
    bare = [one.name for one in spec.species if _bare(one)]
    if bare:
        names.append("ideal_gas_thermochemistry")
    reactions = [
        {
            "name": one.name,
            "ring": int(one.name.removeprefix("n=")) if spec.strain_reference is not None else 0,
            "terms": [
                term.model_dump()
                | {"formula": spec.named(term.species).formula, "charge": spec.named(term.species).charge}
                for term in one.terms
            ],
        }
        for one in spec.reactions
    ]
    data = _data(
        spec,
        "results/chemistry.json",
        reactions=reactions,
        bare_protons=bare,
        thermochemistry=spec.thermochemistry,
        temperature=spec.temperature,
        pressure=spec.pressure,
        treated=_treated(spec),
        inverted=spec.inverted,
        unit=spec.energy_unit,
        unit_per_kcal=_PER_KCAL[spec.energy_unit],
        equilibrium=spec.equilibrium and spec.thermochemistry,
        drawn=[one for one in ("energy", "enthalpy", "gibbs") if one in spec.drawn],
        strain_reference=spec.strain_reference,
        acids=[one.model_dump() for one in spec.acids],
        proton_free_energy=spec.proton_free_energy,
    )
    source = together.COMBINE
    for mark, part, used in (
        ("$PROTONS", together.PROTONS, bool(bare)),
        ("$REACTIONS", together.REACTIONS, bool(spec.reactions)),
        ("$LADDER", together.LADDER, spec.strain_reference is not None),
        ("$ACIDS", together.ACIDS, bool(spec.acids)),
        ("$BARS", figures.BARS if "plot_bars" in names else figures.CURVES, spec.figures and bool(spec.reactions)),
    ):
        source = source.replace(mark, part if used else "")
    purpose = (
        "Energies of reaction"
        + (", strain" if spec.strain_reference is not None else "")
        + (", pKa" if spec.acids else "")
        + "."
    )
    return Script(purpose, _source(purpose, names, [source], data, imports), wall_seconds=300, threads=1)
