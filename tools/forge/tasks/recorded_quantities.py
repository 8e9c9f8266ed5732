"""What a card will record, as far as it says so: a wrong name under `named` is refused before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from labwright.tools.forge.tasks.chemistry.smiles import counted
from labwright.tools.forge.tasks.expressions import CONSTANTS, FUNCTIONS, ExpressionError, at, names_in
from labwright.tools.forge.tasks.results import OF_CURVES, same
from labwright.tools.specifications.task import Named

Labels = dict[str, Any]  # label -> its values; None where only the results tell
Known = dict[str, Any]  # quantity -> the labels that a record of it may have; None where only the results tell


def check_named(kind: str, task: Any, named: Mapping[str, Named]) -> None:
    """Refuse a name that is a quantity, too, and one of what the card does not record.

    Raises:
        ValidationError: says which, and what there will be.
    """
    if not named or kind not in QUANTITIES:
        return
    known, above = QUANTITIES[kind](task), set[str]()
    for name, one in named.items():
        with at("named", name):
            if name in known:
                told = f"{name!r} is a quantity that this card records, too: there would be two of that name."
                raise ExpressionError(f"{told} Choose another name, such as my_{name}.")
            if one.of:
                _check_record(one, known)
            else:
                words = names_in(one.expression) - {*CONSTANTS, *FUNCTIONS, *OF_CURVES, *above}
                _check(sorted(words - {*known}), [*above, *known])
            above.add(name)


def _check_record(one: Named, known: Known) -> None:
    _check([] if one.of in known else [one.of], known)
    labels = known[one.of]
    for label, value in one.labels.items() if labels is not None else ():
        if label not in labels:
            there = f"Its labels are: {', '.join(labels)}." if labels else "It has none; leave `labels` out."
            raise ExpressionError(f"{one.of} has no label {label!r}. {there}")
        values = labels[label]
        if values is not None and not any(same(value, each) for each in values):
            told = f"No {one.of} has {label} = {value}."
            raise ExpressionError(f"{told} Write one of: {', '.join(dict.fromkeys(map(str, values)))}.")


def _check(absent: list[str], there: Iterable[str]) -> None:
    if absent:
        raise ExpressionError(f"This card records no {', '.join(absent)}. There will be: {', '.join(sorted(there))}.")


def _of_cases(task: Any) -> Labels:
    """Labels of the cases and values of a sweep."""
    found: dict[str, list[Any]] = {}
    for case in task.cases:
        for label, value in case["labels"].items():
            found.setdefault(label, []).append(value)
    return dict(found)


def _circuit(task: Any) -> Known:
    chsh = ["a b", "a b'", "a' b", "a' b'"] if task.chsh else []
    bases, words = ([task.names.get(one, one) for one in each] for each in (task.bases, task.observables))
    found: Known = {}
    if task.sampled:
        found |= {"counts": {"basis": [*bases, *chsh]}, "standard_error": {"observable": words}}
    if words or chsh:
        found["expectation"] = {"observable": [*words, *chsh]}
    if task.exact:
        found |= {"exact_expectation": {"observable": words}} if words else {}
        found |= {"purity": {}, "entropy": {}} | ({"fidelity": {}} if task.target else {})
        found |= {"entanglement_entropy": {}} if task.qubits > 1 else {}
    found |= {"probability": {"outcome": task.outcomes}} if task.outcomes else {}
    return _with(found | ({"chsh": {}} if chsh else {}), _of_cases(task))


def _chain(task: Any) -> Known:
    axis: Labels = {"axis": task.axes}
    found: Known = {"mean_magnetisation": axis, "energy": {}, "norm_error": {}}
    found |= {one: axis for one in ("magnetisation", "total_magnetisation", "imbalance") if one in task.wanted}
    found |= {"entropy": {"cut": task.cuts}} if task.cuts else {}
    found |= {"return_probability": {}} if "return_probability" in task.wanted else {}
    found |= {"expectation": {"observable": [one["label"] for one in task.sums]}} if task.sums else {}
    found |= {"product_formula_infidelity": {}} if task.reference else {}
    return _with(found, _of_cases(task))


def _control(task: Any) -> Known:
    levels: Labels = {"level": task.levels, "case": ["reported", "without penalty"]}
    found: Known = {"mean_occupation": levels, "peak_occupation": levels}
    found["pulse"] = {"control": [one["label"] for one in task.controls]}
    found["population"] = {"level": [int(one) if one.isdigit() and len(one) == 1 else one for one in task.levels]}
    gate = ("process_fidelity", "average_gate_fidelity") if task.goal == "gate" else ()
    for one in ("fidelity", "optimiser_fidelity", "start_fidelity", "iterations", "norm_error", *gate):
        found[one] = {}
    return found


def _excitons(task: Any) -> Known:
    sites: Labels = {"site": task.sites} if task.sites else {}
    found: Known = dict.fromkeys(("population", "final_population", "boltzmann_population"), sites)
    alone = "trace_error lowest_eigenvalue n_operators depth_effect beat_amplitude series_error terminator_effect"
    found |= {one: {} for one in [*alone.split(), *["purity"] * ("purity" in task.wanted)]}
    if task.coherences:
        pairs = {"pair": ["-".join(task.called[one] for one in pair) for pair in task.coherences]}
        found |= dict.fromkeys(("coherence", "coherence_real", "coherence_imaginary"), pairs)
    return _with(found, _of_cases(task))


def _vqe(task: Any) -> Known:
    scans, methods = task.scans(), {"method": ["vqe", "fci", "hf"]}
    whole = ["vqe_error", "energy_variance", "optimal_parameters", "qubits", "pauli_terms", "circuit_parameters"]
    energies = ["energy", "correlation_energy"]
    if any(len(one.distances) > 1 for one in scans):
        whole += ["equilibrium_distance", "minimum_energy"]
        energies += ["lowest_distance", "lowest_energy", "well_depth"]
    labels: Labels = {"molecule": [one.molecule for one in scans]}
    labels |= {"ansatz": task.circuits} if len(task.circuits) > 1 else {}
    return _with({one: {} for one in whole} | dict.fromkeys(energies, methods), labels)


def _ground(task: Any) -> Known:
    size: Labels = {"N": task.sizes}
    point = {**size, **({task.parameter: task.values} if task.parameter else {})}
    found: Known = dict.fromkeys(
        "energy_variance bond_dimension converged truncation_error sector sector_gap".split(), size
    )
    found["energy"] = {"method": ["dmrg", "exact"], **point}
    if "energy_per_site" in task.wanted or (len(task.sizes) > 1 and not task.parameter):
        found["energy_per_site"] = size
    if min(task.sizes) <= task.exact_sites:
        found |= {"gap": point, "energy_difference": point}
    kinds = {
        kind: [one.letters for one in task.observables if one.kind == kind]
        for kind in {one.kind for one in task.observables}
    }
    told = {
        "site": ("magnetisation", "axis"),
        "bond": ("bond_correlation", "observable"),
        "correlator": ("correlator", "observable"),
    }
    for kind, (quantity, label) in told.items():
        if kind in kinds:
            values = [one.lower() if label == "axis" else one for one in kinds[kind]]
            found[quantity] = {label: values, **size}
            found |= {f"mean_{quantity}": {label: values, **size}} if kind != "correlator" else {}
    found |= {"string_order": size} if "string" in kinds else {}
    if "half_entropy" in kinds or "entropy" in kinds:
        found["entropy"] = {"cut": ["middle", *(n // 2 for n in task.sizes)], **size}
        found |= {"entropy_maximum_at": size} if task.parameter else {}
    found |= {"central_charge": point} if "central_charge" in task.wanted else {}
    if "critical_point" in task.wanted and len(task.values) > 4:
        found |= {one: {"estimator": None} for one in ("critical_point", "steepest_parameter")}
        found["energy_curvature_peak"] = size
    return found


def _thermal(task: Any) -> Known:
    names = "energy_per_site heat_capacity_per_site initial_slope bond_dimension truncation_error entropy step_effect"
    found: Known = {one: {} for one in names.split()}
    found["energy"] = {"method": ["purification"]}
    if task.model == "hubbard":
        spins: Labels = {"spin": ["up", "down", "total"]}
        names = "double_occupancy double_occupancy_sites local_moment grand_energy_per_site"
        return {**found, "occupation": spins, "density": spins, **{one: {} for one in names.split()}}
    axis, pair = {"axis": ["x", "z"]}, {"observable": ["ZZ" if task.spin_scale == 2 else "SzSz"]}
    found |= {"magnetisation": axis, "mean_magnetisation": axis, "free_energy_per_site": {}}
    return {**found, "correlator": pair, "mean_bond_correlation": pair}


def _driven(task: Any) -> Known:
    swept: Labels = {task.parameter: task.values} if task.parameter else {}
    axis = {"axis": [task.axis], **swept}
    return {
        "magnetisation": axis, "magnetisation_spread": axis, "entropy": {"cut": [task.sites // 2], **swept},
        "subharmonic_weight": {"part": ["all", "second half"], **swept}, "lifetime": swept, "sign_changes": swept,
        "disorder": {}, "truncation_error": {}, "bond_dimension": {}, "trotter_error": {"periods": None},
    }  # fmt: skip


def _chemistry(task: Any) -> Known:
    methods = ["hf" if one.method.upper() == "HF" else one.method for one in task.levels]
    treated, models = [one.lower() for one in task.treatments], {one.solvent_model for one in task.levels}
    level: Labels = {"method": methods, "basis": [one.basis for one in task.levels]}
    level |= {"solvent": ["gas phase", *(one.solvent for one in task.levels)]} if len(models) > 1 else {}
    better: Labels = {**level, "method": [*methods, *treated]}
    if task.scan:
        names = ["energy", "equilibrium_distance", "scan_minimum", *["correlation_energy"] * bool(treated)]
        names += ["relative_energy"] * task.scan.relative
        return _with(dict.fromkeys(names, better), {"molecule": [task.scan.molecule]})
    names = "coordinates dipole dipole_vector mulliken_charges occupied_orbitals homo_lumo_gap point_group".split()
    names += ["spin_square"] * any(one.multiplicity > 1 for one in task.species)
    names += ["frequencies", "saddles_left"] * task.frequencies
    names += ["enthalpy", "gibbs", "entropy", "heat_capacity", "zero_point_energy"] * task.thermochemistry
    names += ["polarisability", "polarisability_principal", "polarisability_tensor"] * ("polarisability" in task.wanted)
    found: Known = dict.fromkeys([*names, *["solvation_energy"] * (len(models) > 1)], level)
    found |= {"energy": better, "orbital_energies": {**level, "spin": ["alpha", "beta"]}}
    found |= {"correlation_energy": better} if treated else {}
    if "mulliken_charges" in task.wanted:
        found["mulliken_charge"] = {**level, "atom": None, "numbered": None}
    if "geometry" in task.wanted:
        elements = sorted({one for each in task.species for one in counted(each.formula)[0]})
        found["rotational_constants"] = level
        for quantity, size in (("bond_length", 2), ("bond_angle", 3), ("dihedral_angle", 4)):
            atoms = ["-".join(row) for row in product(elements, repeat=size) if row <= row[::-1]]
            found[quantity] = {**level, "atoms": atoms, "numbered": None}
    state = {**level, "method": ["tddft", "casci"], "functional": None, "state": None, "multiplicity": None}
    if spaces := [f"{one['electrons']},{one['orbitals']}" for one in task.active_spaces]:
        state["active_space"] = spaces
        found["energy"] = {**better, "method": [*methods, *treated, "casci"], "active_space": spaces}
        found |= dict.fromkeys(("casci_energies", "casci_spin_square", "natural_occupations"), state)
    names = "excitation_energies wavelength wavelengths oscillator_strength oscillator_strengths transition".split()
    names = [*names, "brightest_state", "singlet_triplet_gap"] if task.excited else []
    found |= dict.fromkeys([*names, *["excitation_energy"] * bool(task.excited or spaces)], state)
    found = _with(found, {"molecule": [one.name for one in task.species]})
    names = ["reaction_energy", *["equilibrium_constant"] * task.equilibrium]
    if task.thermochemistry:
        names += "reaction_enthalpy reaction_gibbs reaction_energy_with_zpe reaction_entropy".split()
        names += ["sign_change_temperature"] * (len(task.temperatures) > 1)
    reactions = [*(one.name for one in task.reactions), *(f"{one.acid} deprotonation" for one in task.acids)]
    if reactions:
        found |= {one: {"reaction": reactions, **better} for one in names}
    found |= {"ring_strain": {"quantity": None}} if task.strain_reference is not None else {}
    acid: Labels = {"acid": [one.acid for one in task.acids]}
    found |= {"pka": acid, "proton_of_acid": acid, "proton_free_energy": {}, "proton_spread": {}} if task.acids else {}
    return found


def _with(found: Known, more: Labels) -> Known:
    return {name: {**(labels or {}), **more} for name, labels in found.items()}


QUANTITIES: dict[str, Callable[[Any], Known]] = {
    "dynamics": lambda task: dict.fromkeys([*task.wanted, "norm_error", "lowest_eigenvalue", "scale", "truncation"]),
    "circuit": _circuit, "chain": _chain, "control": _control,
    "excitons": _excitons, "vqe": _vqe, "ground_state_chain": _ground, "thermal_chain": _thermal,
    "driven_chain": _driven, "chemistry": _chemistry,
}  # fmt: skip
