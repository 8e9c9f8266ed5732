"""Evolution of a chain of qubits, case by case; terms are Pauli matrices, hbar = 1, qubit 0 is the first site."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labwright.results import parameter, record

from .figures import draw, told

os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads cost more than they bring at this size
Given = Mapping[str, Any]
Clock = list[float]


def terms(given: Given, tools: Any, patterns: Sequence[Given]) -> list[Any]:
    """Patterns along the chain as Pauli strings."""
    found = tools.pauli_chain_terms(n_qubits=given["qubits"], boundary=given["boundary"], patterns=patterns)
    return [term.model_dump() for term in found.terms]


def step(given: Given, tools: Any, case: Given) -> list[Any]:
    """The rotations of one step, or of one period.

    Raises:
        RuntimeError: the terms of a layer do not commute.
    """
    if not case["layers"]:
        order, time = 1 if given["method"] == "product_1" else 2, given["total_time"] / given["steps"]
        strings = terms(given, tools, case["patterns"])
        made = tools.product_formula_step(terms=strings, time_step=time, order=order)
        return [one.model_dump() for one in made.rotations]
    made = []
    for layer in case["layers"]:
        part = tools.product_formula_step(terms=terms(given, tools, layer), time_step=1.0, order=1)
        if part.layers != 1:
            raise RuntimeError("The terms of a layer do not commute, so it is no product of rotations.")
        made += [one.model_dump() for one in part.rotations]
    return made


def observables(given: Given, tools: Any, case: Given) -> list[dict[str, Any]]:
    """Every spin along every axis, the energy, and the card's own sums."""
    made = [
        {"label": f"{axis}{site}", "terms": [{"coefficient": 1.0, "letters": axis.upper(), "sites": [site]}]}
        for axis in given["axes"]
        for site in range(given["qubits"])
    ]
    if case["patterns"]:
        made.append({"label": "energy", "terms": terms(given, tools, case["patterns"])})
    for one in given["sums"]:
        strings = [{"coefficient": c, "letters": letters, "sites": sites} for c, letters, sites in one["terms"]]
        made.append({"label": one["label"], "terms": strings})
    return made


def evolved(given: Given, tools: Any, case: Given, start: Any) -> tuple[Clock, Any]:
    """Times of the records, and what the tool gives at them."""
    if given["whole_layers"]:
        return periods(given, tools, case, start)
    length, count, every = given["total_time"], given["steps"], given["record_every"]
    watched = {"observables": observables(given, tools, case), "cuts": given["cuts"]}
    common = {"n_qubits": given["qubits"], "initial_state": start, **watched}
    if given["method"] == "exact":
        times = [length * k / count for k in range(0, count + 1, every)]
        strings = terms(given, tools, case["patterns"])
        return times, tools.chain_exact_evolution(**common, hamiltonian=strings, times=times)
    made = getattr(tools, given["evolver"])(**common, step=step(given, tools, case), n_steps=count, record_every=every)
    return [length * k / count for k in made.steps], made


def periods(given: Given, tools: Any, case: Given, start: Any) -> tuple[Clock, Any]:
    """Each layer as a whole: exp(-i sum c P) is the evolution under the sum for a time of one."""
    n, whole = given["qubits"], [terms(given, tools, layer) for layer in case["layers"]]
    layers = [one for layer in whole if (one := [term for term in layer if term["coefficient"]])]
    watched = {"observables": observables(given, tools, case), "cuts": given["cuts"]}
    seen, state, first, off = None, start, _amplitudes(start), 0.0
    for period in range(given["steps"] + 1):
        for layer in layers if period else []:
            at = {"initial_state": state, "hamiltonian": layer, "times": [1.0], "observables": []}
            state = tools.chain_exact_evolution(n_qubits=n, **at).final_state
        psi = _amplitudes(state)
        norm = float(np.linalg.norm(psi))
        off, state = max(off, abs(norm - 1)), np.stack([psi.real, psi.imag], axis=1) / norm
        if period % given["record_every"]:
            continue
        start = {"n_qubits": n, "initial_state": state.tolist(), "hamiltonian": whole[0], "times": [0.0]}
        made = tools.chain_exact_evolution(**start, **watched)
        made.return_probability = [float(abs(np.vdot(first, psi / norm)) ** 2)]
        if seen is None:
            seen = made
            continue
        for label, values in made.expectations.items():
            seen.expectations[label] += values
        seen.entropies += made.entropies
        seen.return_probability += made.return_probability
    assert seen is not None
    seen.norm_error = max(seen.norm_error, off)
    return [float(k) for k in range(0, given["steps"] + 1, given["record_every"])], seen


def _amplitudes(state: Any) -> Any:
    return np.asarray(state) @ [1, 1j]


def main(given: Given, tools: Any) -> None:
    """Record every case, and draw it unless this is a trial."""
    name, unit, n = "period" if given["method"] == "floquet" else "time", given["time_unit"], given["qubits"]
    scale, wanted = given["spin_scale"], given["wanted"]
    nats = {"nat": 1.0, "bit": math.log(2)}[given["entropy_unit"]]
    maps: list[Any] = []
    curves: dict[tuple[Any, ...], list[Any]] = {}
    parameter(**given["parameters"])
    state = {key: value for key, value in given["initial"].items() if key != "label"}
    start = tools.spin_chain_state(n_qubits=n, **state).amplitudes
    for case in given["cases"]:
        labels = case["labels"]
        clock, made = evolved(given, tools, case, start)

        def keep(
            quantity: str, values: Any, of: str = "", labels: Given = labels, clock: Clock = clock, **more: Any
        ) -> None:
            record(quantity, values, unit=of, axes={name: (clock, unit)}, labels={**more, **labels})
            curves.setdefault((quantity, *more.values()), []).append((labels, clock, np.asarray(values)))

        for axis in given["axes"]:
            table = scale * np.transpose([made.expectations[f"{axis}{site}"] for site in range(n)])
            if "magnetisation" in wanted:
                both = {name: (clock, unit), "site": [float(site) for site in range(n)]}
                record("magnetisation", table, axes=both, labels={"axis": axis, **labels})
                maps.append((axis, labels, clock, table))
            keep("mean_magnetisation", table.mean(axis=1), axis=axis)
            if "total_magnetisation" in wanted:
                keep("total_magnetisation", table.sum(axis=1), axis=axis)
            if "imbalance" in wanted:
                keep("imbalance", table @ np.where(table[0] >= 0, 1, -1) / n, axis=axis)
        if "energy" in made.expectations:
            keep("energy", made.expectations["energy"])
        for place, cut in enumerate(given["cuts"]):
            keep("entropy", [row[place] / nats for row in made.entropies], given["entropy_unit"], cut=cut)
        if "return_probability" in wanted:
            keep("return_probability", made.return_probability)
        for one in given["sums"]:
            keep("expectation", made.expectations[one["label"]], observable=one["label"])
        record("norm_error", made.norm_error, labels=labels)
        if given["reference"]:
            sure = tools.chain_exact_evolution(
                n_qubits=n, initial_state=start, observables=[], times=[clock[-1]],
                hamiltonian=terms(given, tools, case["patterns"]),
            )  # fmt: skip
            overlap = np.vdot(_amplitudes(sure.final_state), _amplitudes(made.final_state))
            record("product_formula_infidelity", max(0.0, 1.0 - float(abs(overlap)) ** 2), labels=labels)
        shown = told({"initial": given["initial"]["label"], **labels})
        print(f"{shown} {len(clock)} records, norm error {made.norm_error:.1e}")
    if not given["trial"]:
        draw(given, tools, maps, curves)
