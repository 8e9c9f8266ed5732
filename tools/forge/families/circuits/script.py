"""The scripts of a circuit task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any

from labwright.tools.forge.families.base import Script
from labwright.tools.forge.families.circuits.exact import exact_source
from labwright.tools.forge.families.circuits.expand import CHSH_ANGLES, CHSH_SETTINGS, conventions, operations
from labwright.tools.forge.families.circuits.spec import Case, CircuitSpec
from labwright.tools.forge.families.circuits.sweeps import ALONG, sweep_of

EXACT_QUBITS = 6  # the density matrix of more takes longer than the sampling


def sampler(spec: CircuitSpec) -> str:
    """The recipe that samples."""
    return f"sample_circuit_{spec.backend}"


def exact(spec: CircuitSpec) -> bool:
    """Whether the exact state is computed beside the counts."""
    return spec.n_qubits <= EXACT_QUBITS or bool(spec.wants)


def scripts(spec: CircuitSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """One script: circuits are quick."""
    if not spec.sampled:
        return [Script("Take exact expectation values of the circuits.", exact_source(spec, imports))]
    name = sampler(spec)
    camel = "".join(part.capitalize() for part in name.split("_"))
    lines = [
        f"from {imports[name]} import {camel}Input, {name}",
        f"from {imports['pauli_correlators']} import PauliCorrelatorsInput, pauli_correlators",
        f"from {imports['plot_bars']} import PlotBarsInput, plot_bars",
    ]
    if sweep_of(spec):
        lines.append(f"from {imports['plot_lines']} import PlotLinesInput, plot_lines")
    if exact(spec):
        lines.append(
            f"from {imports['circuit_density_matrix']} import CircuitDensityMatrixInput, circuit_density_matrix"
        )
    body = _BODY
    body = body.replace("CURVES\n", ALONG + _CURVES if sweep_of(spec) else "")
    body = _kept(body, "#EXACT", exact(spec))
    body = body.replace("SAMPLER_INPUT", f"{camel}Input").replace("SAMPLER", name)
    source = _HEAD.format(
        title=spec.title.replace('"', "'"),
        imports="\n".join(sorted(lines)),
        data=pformat(_data(spec), width=116, compact=True, sort_dicts=False),
    )
    return [Script(f"Sample the circuits with {spec.backend} and evaluate the counts.", source + body + "\n")]


def _kept(body: str, mark: str, keep: bool) -> str:
    """The script with the lines that bear a mark, or without them; the marks are taken off."""
    lines = [line for line in body.splitlines() if keep or mark not in line]
    return "\n".join(line.replace(mark, "").rstrip() for line in lines)


def _data(spec: CircuitSpec) -> dict[str, Any]:
    return {
        "n_qubits": spec.n_qubits,
        "shots": spec.shots,
        "seed": spec.seed,
        "sweep": sweep_of(spec),
        "sweep_unit": spec.axis_unit,
        "bases": spec.bases,
        "observables": spec.observables,
        "names": spec.label_names,
        "target": spec.target,
        "wants": list(spec.wants),
        "outcomes": spec.outcomes,
        "entropy_unit": spec.entropy_unit,
        "parameters": parameters(spec),
        "title": spec.title,
        "cases": [_case(case, spec) for case in spec.cases],
        "conventions": {name: [_exact(case, spec) for case in cases] for name, cases in conventions(spec).items()}
        if exact(spec)
        else {},
    }


def parameters(spec: CircuitSpec) -> dict[str, Any]:
    """What goes into the results as parameters."""
    made: dict[str, Any] = {
        "n_qubits": spec.n_qubits,
        "shots": spec.shots if spec.sampled else "none: exact",
        "seed": spec.seed,
        "backend": {"qiskit": "qiskit-aer", "cudaq": "cudaq (qpp-cpu; density-matrix-cpu with noise)"}[spec.backend],
        "bit_order": "leftmost bit is qubit 0",
    }
    noises = [noise for case in spec.cases for noise in case.noise]
    if noises:
        first = noises[0]
        place = {
            "every_gate": "every gate",
            "one_qubit_gates": "one-qubit gates",
            "two_qubit_gates": "two-qubit gates",
            "after_preparation": "preparation",
        }
        followed = (
            ", the gates that change the basis included" if first.on_basis_change else ", not the change of basis"
        )
        made["noise_on"] = "readout" if first.kind == "readout" else place[first.place] + followed
        made["noise_kind"] = ", ".join(dict.fromkeys(noise.kind for noise in noises))
        if any(noise.kind == "depolarizing" for noise in noises):
            made["depolarizing_convention"] = first.convention
            made["depolarizing_joint"] = first.joint
    if spec.axis:
        made[spec.axis] = list(dict.fromkeys(case.labels[spec.axis] for case in spec.cases))
    return made


def _case(case: Case, spec: CircuitSpec) -> dict[str, Any]:
    runs = []
    for basis in spec.bases:
        steps, left = operations(case, spec.n_qubits, basis)
        runs.append({"basis": basis, "operations": _short(steps), "left": left})
    made: dict[str, Any] = {"labels": case.labels, "runs": runs, "exact": _exact(case, spec)}
    if spec.chsh:
        made["chsh"] = {name: _short(_chsh(case, spec, a, b)) for name, (a, b) in CHSH_SETTINGS.items()}
    return made


def _chsh(case: Case, spec: CircuitSpec, first: int, second: int) -> list[dict[str, Any]]:
    turn = [
        {"name": "ry", "qubits": [qubit], "value": -CHSH_ANGLES[qubit][index]}
        for qubit, index in enumerate((first, second))
    ]
    turned = case.model_copy(update={"noise": [n.model_copy(update={"on_basis_change": False}) for n in case.noise]})
    steps, _ = operations(turned, spec.n_qubits, "Z" * spec.n_qubits)
    return [*steps, *turn]


def _exact(case: Case, spec: CircuitSpec) -> dict[str, Any]:
    """What the exact density matrix needs: the prepared state, and each observable with its change of basis."""
    prepared, _ = operations(case.model_copy(update={"noise": [_still(n) for n in case.noise]}), spec.n_qubits, "")
    runs = {}
    for label in spec.observables:
        basis = measured_in(label, spec)
        if basis:
            steps, left = operations(case, spec.n_qubits, basis)
            word = "".join(
                "I" if letter == "I" else kept for letter, kept in zip(label, left if left else basis, strict=True)
            )
            runs[label] = {"operations": _short(steps), "observable": word}
    return {"prepared": _short(prepared), "runs": runs}


def _still(noise: Any) -> Any:
    """The noise of the preparation alone: no basis change, no readout."""
    update: dict[str, Any] = {"on_basis_change": False}
    if noise.kind == "readout":
        update |= {"kind": "bit_flip", "place": "two_qubit_gates", "probability": 0.0}
    return noise.model_copy(update=update)


def measured_in(observable: str, spec: CircuitSpec) -> str:
    """The basis whose counts give an observable; empty if none does."""
    for basis in spec.bases:
        if all(letter in ("I", have) for letter, have in zip(observable, basis, strict=True)):
            return basis
    return ""


def _short(steps: list[dict[str, Any]]) -> list[list[Any]]:
    return [[one["name"], one["qubits"], one["value"]] for one in steps]


_HEAD = '''"""{title}: counts, correlators, and the exact values beside them."""

import json
import math
from pathlib import Path

{imports}

# Operations are [name, qubits, angle or probability]; the noise is written out where it acts.
TASK = {data}


def listed(steps):
    return [{{"name": name, "qubits": qubits, "value": value}} for name, qubits, value in steps]

'''
_BODY = """
records, tables = [], []


def record(quantity, labels, value, **more):
    records.append({"quantity": quantity, "labels": labels, "value": value, **more})


def sampled(steps, basis, seed):
    given = SAMPLER_INPUT(
        n_qubits=TASK["n_qubits"], operations=listed(steps), basis=basis, shots=TASK["shots"], seed=seed
    )
    return SAMPLER(given).counts


def share(counts, outcome):
    # a dash in an outcome stands for a qubit whose value does not matter
    fitting = [n for bits, n in counts.items() if all(a in ("-", b) for a, b in zip(outcome, bits))]
    return sum(fitting) / TASK["shots"]


def correlators(counts, observables):
    subsets = [[qubit for qubit, letter in enumerate(one) if letter != "I"] for one in observables]
    return pauli_correlators(PauliCorrelatorsInput(counts=counts, subsets=subsets))


def exact_state(steps, observables=(), target=()):  #EXACT
    given = CircuitDensityMatrixInput(  #EXACT
        n_qubits=TASK["n_qubits"], operations=listed(steps), observables=list(observables), target=list(target)  #EXACT
    )  #EXACT
    return circuit_density_matrix(given)  #EXACT


def exact_value(case, observable):  #EXACT
    run = case["runs"][observable]  #EXACT
    return exact_state(run["operations"], [run["observable"]]).expectations[0]  #EXACT


SCALE = {"bit": 1.0, "nat": math.log(2)}[TASK["entropy_unit"]]
seed = TASK["seed"]
histograms, measured = [], {}
for number, case in enumerate(TASK["cases"]):
    labels = case["labels"]
    for run in case["runs"]:
        counts = sampled(run["operations"], run["left"], seed)
        seed += 1
        basis = TASK["names"].get(run["basis"], run["basis"])
        record("counts", {"basis": basis, **labels}, counts)
        histograms.append((labels, run["basis"], counts))
        for outcome in TASK["outcomes"] if set(run["basis"]) == {"Z"} else []:
            record("probability", {"outcome": outcome, **labels}, share(counts, outcome))
        fitting = [
            one for one in TASK["observables"]
            if all(a in ("I", b) for a, b in zip(one, run["basis"])) and (number, one) not in measured
        ]
        if fitting:
            found = correlators(counts, fitting)
            for one, value, error in zip(fitting, found.values, found.errors):
                measured[number, one] = (value, error)
                name = TASK["names"].get(one, one)
                record("expectation", {"observable": name, **labels}, value)
                record("standard_error", {"observable": name, **labels}, error)
        print(labels, run["basis"], dict(sorted(counts.items(), key=lambda pair: -pair[1])[:4]))
    if "chsh" in case:
        values = {}
        for setting, steps in case["chsh"].items():
            counts = sampled(steps, "Z" * TASK["n_qubits"], seed)
            seed += 1
            record("counts", {"basis": setting, **labels}, counts)
            values[setting] = correlators(counts, ["ZZ"]).values[0]
            record("expectation", {"observable": setting, **labels}, values[setting])
        record("chsh", labels, values["a b"] + values["a b'"] + values["a' b"] - values["a' b'"])
    state = exact_state(case["exact"]["prepared"], target=TASK["target"])  #EXACT
    for one in case["exact"]["runs"]:  #EXACT
        named = {"observable": TASK["names"].get(one, one), **labels}  #EXACT
        record("exact_expectation", named, exact_value(case["exact"], one))  #EXACT
    if state.fidelity is not None:  #EXACT
        record("fidelity", labels, state.fidelity)  #EXACT
    record("purity", labels, state.purity)  #EXACT
    record("entropy", labels, SCALE * state.entropy, unit=TASK["entropy_unit"])  #EXACT
    if TASK["n_qubits"] > 1:  #EXACT
        record("entanglement_entropy", labels, SCALE * state.entanglement_entropy, unit=TASK["entropy_unit"])  #EXACT
for name, cases in TASK["conventions"].items():  #EXACT
    for case, shown in zip(cases, TASK["cases"]):  #EXACT
        for one in case["runs"]:  #EXACT
            labels = {"observable": TASK["names"].get(one, one), "convention": name, **shown["labels"]}  #EXACT
            record("exact_expectation", labels, exact_value(case, one))  #EXACT


def shown_name(labels):
    return ", ".join(f"{name} = {value}" for name, value in labels.items())


outcomes = [format(k, f"0{TASK['n_qubits']}b") for k in range(2 ** TASK["n_qubits"])]
panels = []
for labels, basis, counts in histograms:
    bars = outcomes if len(outcomes) <= 16 else sorted(counts, key=lambda bits: -counts[bits])[:16]
    title = f"{basis} basis" + (f", {shown_name(labels)}" if labels else "")
    values = [float(counts.get(bits, 0)) for bits in bars]
    panels.append({"title": title, "x_label": "outcome", "y_label": "shots", "labels": bars, "values": values})
few = len(TASK["bases"]) if 1 < len(TASK["bases"]) <= 3 else 3
for start in range(0, len(panels), 4 * few):
    name = f"img/counts{'' if start == 0 else f'_{start // (4 * few) + 1}'}.png"
    plot_bars(PlotBarsInput(path=name, title=TASK["title"], panels=panels[start : start + 4 * few]))

CURVES
Path("results").mkdir(exist_ok=True)
results = {"parameters": TASK["parameters"], "records": records}
Path("results/circuit.json").write_text(json.dumps(results, indent=1))
print(f"{len(records)} records")
"""
_CURVES = """

SWEEP, UNIT = TASK["sweep"], TASK["sweep_unit"]
X_LABEL = f"{SWEEP} ({UNIT})" if UNIT else SWEEP
curves = along(records, SWEEP)
for (quantity, labels), one in curves.items():
    axis = {"name": SWEEP, "values": one["x"], "unit": UNIT}
    record(quantity, dict(labels), one["y"], axes=[axis], unit=one["unit"])
panels = picture(curves, {"expectation"}, "expectation value", X_LABEL)
for panel in panels:
    for one in panel["series"]:
        one["label"] += ", sampled"
        one["style"] = "points"
    sure = picture(curves, {"exact_expectation"}, "", X_LABEL)  #EXACT
    for one in sure[0]["series"] if sure else []:  #EXACT
        panel["series"].append({**one, "label": one["label"] + ", exact", "style": "dashed"})  #EXACT
panels += picture(curves, {"probability"}, "probability", X_LABEL)
both = [name for name in ("fidelity", "purity") if name in TASK["wants"]]
panels += picture(curves, set(both), " and ".join(both), X_LABEL)
for name in ("entropy", "entanglement_entropy", "chsh"):
    if name in TASK["wants"] or name == "chsh":
        panels += picture(curves, {name}, name.replace("_", " "), X_LABEL)
for number, panel in enumerate(panels):
    name = f"img/sweep{'' if number == 0 else f'_{number + 1}'}.png"
    plot_lines(PlotLinesInput(path=name, title=TASK["title"], panels=[panel]))
"""
