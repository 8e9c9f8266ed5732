"""Counts, correlators and exact values of every case of a circuit, curves along its sweep, figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from labwright.results import parameter, record

from .figures import Kept, curves, draw_bars, draw_counts, draw_curves
from .noisy_gate_list import CHSH_SETTINGS, Step, chsh, measured, prepared, undone

Given = Mapping[str, Any]
BACKENDS = {"qiskit": "qiskit-aer", "cudaq": "cudaq (qpp-cpu; density-matrix-cpu with noise)"}


def main(given: Given, tools: Any) -> None:
    """Record and draw everything that is asked for."""
    parameter(**parameters(given))
    kept: Kept = []
    seeds = count(given["seed"])
    for case in given["cases"]:
        if given["sampled"]:
            sample(given, tools, case, seeds, kept)
        if given["chsh"]:
            inequality(given, tools, case, seeds, kept)
        if given["exact"]:
            exact_values(given, tools, case, kept)
            measures(given, tools, case, kept)
        print(case["labels"], {one[0]: one[2] for one in kept if one[1] == case["labels"]})
    if given["sampled"]:
        draw_counts(given, tools, [one for one in kept if one[0] == "counts" and one[1]["basis"] not in CHSH_SETTINGS])
    if given["axis"]:
        found = curves(given, kept)
        for (quantity, *labels), (x, y, unit) in found.items():
            record(quantity, y, unit=unit, axes={given["axis"]: (x, given["sweep_unit"])}, labels=dict(labels))
        draw_curves(given, tools, found)
    elif not given["sampled"]:
        draw_bars(given, tools, kept)


def parameters(given: Given) -> dict[str, Any]:
    """What the results depend on."""
    made: dict[str, Any] = {"n_qubits": given["qubits"], "bit_order": "leftmost bit is qubit 0"}
    if given["sampled"]:
        made |= {"shots": given["shots"], "seed": given["seed"], "backend": BACKENDS[given["backend"]]}
    else:
        made["method"] = "exact density matrix, no sampling"
    noises = given["cases"][0]["noise"]
    if noises:
        made["noise_on"] = "; ".join(dict.fromkeys(_place(one) for one in noises))
        made["noise_kind"] = ", ".join(dict.fromkeys(one["kind"] for one in noises))
    for noise in noises:
        if noise["kind"] == "depolarizing":
            made |= {"depolarizing_convention": noise["convention"], "depolarizing_joint": noise["joint"]}
    if given["axis"]:
        made[given["axis"]] = list(dict.fromkeys(case["labels"][given["axis"]] for case in given["cases"]))
    return made


def _place(noise: Given) -> str:
    if noise["kind"] == "readout":
        return "readout"
    place = str(noise["place"]).removeprefix("after_").replace("_qubit", "-qubit").replace("_", " ")
    if noise["place"] not in ("every_gate", "one_qubit_gates"):
        return place
    change = "the gates that change the basis included" if noise["on_basis_change"] else "not the change of basis"
    return f"{place}, {change}"


def keep(kept: Kept, quantity: str, labels: Mapping[str, Any], value: Any, unit: str = "") -> None:
    """Record a result, and keep it for curves and figures."""
    record(quantity, value, unit=unit, labels=labels)
    kept.append((quantity, labels, value, unit))


def named(given: Given, word: str) -> str:
    """What the results call a Pauli string."""
    return str(given["names"].get(word, word))


def sample(given: Given, tools: Any, case: Given, seeds: Iterator[int], kept: Kept) -> None:
    """Counts in every basis, and what they say of outcomes and observables."""
    labels, n = case["labels"], given["qubits"]
    taken: set[str] = set()
    for basis in given["bases"]:
        counts = counted(given, tools, measured(case, n, basis), seeds)
        keep(kept, "counts", {"basis": named(given, basis), **labels}, counts)
        for outcome in given["outcomes"] if set(basis) == {"Z"} else []:
            keep(kept, "probability", {"outcome": outcome, **labels}, share(counts, outcome) / given["shots"])
        words = [one for one in given["observables"] if fits(one, basis) and one not in taken]
        values, errors = correlators(tools, counts, words)
        for one, value, error in zip(words, values, errors, strict=True):
            keep(kept, "expectation", {"observable": named(given, one), **labels}, value)
            keep(kept, "standard_error", {"observable": named(given, one), **labels}, error)
        taken.update(words)


def counted(given: Given, tools: Any, steps: list[Step], seeds: Iterator[int]) -> dict[str, int]:
    """Outcome -> shots."""
    tool, n = getattr(tools, f"sample_circuit_{given['backend']}"), given["qubits"]
    made = tool(n_qubits=n, operations=steps, basis="Z" * n, shots=given["shots"], seed=next(seeds))
    counts: dict[str, int] = made.counts
    return counts


def correlators(tools: Any, counts: Mapping[str, int], words: list[str]) -> tuple[list[float], list[float]]:
    """Values and standard errors."""
    subsets = [[qubit for qubit, letter in enumerate(one) if letter != "I"] for one in words]
    found = tools.pauli_correlators(counts=counts, subsets=subsets) if subsets else None
    return (found.values, found.errors) if found else ([], [])


def fits(word: str, basis: str) -> bool:
    """Whether counts in a basis give an observable."""
    return all(letter in ("I", have) for letter, have in zip(word, basis, strict=True))


def share(weights: Mapping[str, float], outcome: str) -> float:
    """The weight of an outcome, in which a dash stands for a qubit whose value does not matter."""
    fitting = (n for bits, n in weights.items() if all(a in ("-", b) for a, b in zip(outcome, bits, strict=True)))
    return float(sum(fitting))


def inequality(given: Given, tools: Any, case: Given, seeds: Iterator[int], kept: Kept) -> None:
    """The CHSH value of the first two qubits from counts at four settings."""
    labels, values = case["labels"], {}
    for setting in CHSH_SETTINGS:
        counts = counted(given, tools, chsh(case, given["qubits"], setting), seeds)
        keep(kept, "counts", {"basis": setting, **labels}, counts)
        [values[setting]], _ = correlators(tools, counts, ["ZZ"])
        keep(kept, "expectation", {"observable": setting, **labels}, values[setting])
    keep(kept, "chsh", labels, values["a b"] + values["a b'"] + values["a' b"] - values["a' b'"])


def density(given: Given, tools: Any, steps: list[Step], **more: Any) -> Any:
    """The exact state after `steps`."""
    return tools.circuit_density_matrix(n_qubits=given["qubits"], operations=steps, **more)


def exact_values(given: Given, tools: Any, case: Given, kept: Kept) -> None:
    """Exact expectation values: beside counts those of the measured circuit, else those of the prepared state."""
    labels, n = case["labels"], given["qubits"]
    if given["sampled"]:
        for one in given["observables"]:
            for basis in [basis for basis in given["bases"] if fits(one, basis)][:1]:
                word = "".join("I" if letter == "I" else "Z" for letter in one)
                [value] = density(given, tools, measured(case, n, basis), observables=[word]).expectations
                keep(kept, "exact_expectation", {"observable": named(given, one), **labels}, value)
        return
    found = density(given, tools, prepared(case, n), observables=given["observables"]).expectations
    for one, value in zip(given["observables"], found, strict=True):
        for quantity in ("expectation", "exact_expectation"):  # they are one where nothing is sampled
            keep(kept, quantity, {"observable": named(given, one), **labels}, value * contrast(case, one))
    if given["outcomes"]:
        weights = density(given, tools, measured(case, n, "Z" * n)).probabilities
        for outcome in given["outcomes"]:
            keep(kept, "probability", {"outcome": outcome, **labels}, share(weights, outcome))


def contrast(case: Given, word: str) -> float:
    """What errors of the readout leave of an observable: 1 - 2 p for every qubit that is read."""
    left = 1.0
    for noise in case["noise"]:
        if noise["kind"] == "readout":
            read = [qubit for qubit in noise["qubits"] or range(len(word)) if word[qubit] != "I"]
            left *= (1 - 2 * noise["probability"]) ** len(read)
    return left


def measures(given: Given, tools: Any, case: Given, kept: Kept) -> None:
    """Fidelity, purity and entropies of the prepared state."""
    labels, unit, steps = case["labels"], given["entropy_unit"], prepared(case, given["qubits"])
    scale = {"bit": 1.0, "nat": math.log(2)}[unit]
    if given["target"] == "noiseless":
        zero = [[1.0, 0.0]] + [[0.0, 0.0]] * (2 ** given["qubits"] - 1)
        fidelity = density(given, tools, steps + undone(case["gates"]), target=zero).fidelity
        state = density(given, tools, steps)
    else:
        state = density(given, tools, steps, target=case["target"])
        fidelity = state.fidelity
    if fidelity is not None:
        keep(kept, "fidelity", labels, fidelity)
    keep(kept, "purity", labels, state.purity)
    keep(kept, "entropy", labels, scale * state.entropy, unit)
    if given["qubits"] > 1:
        keep(kept, "entanglement_entropy", labels, scale * state.entanglement_entropy, unit)
