"""The script of a circuit task without shots: expectation values of the exact state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labwright.tools.forge.families.circuits.expand import operations
from labwright.tools.forge.families.circuits.spec import CircuitSpec
from labwright.tools.forge.families.program import program

RECIPES = ("circuit_density_matrix", "plot_bars", "plot_lines")


def exact_source(spec: CircuitSpec, imports: Mapping[str, str]) -> str:
    """The script; each case's state once, with all observables and measures."""
    used = ["circuit_density_matrix", "plot_lines" if spec.axis else "plot_bars"]
    return program(
        f"{spec.title}: exact expectation values", imports, used, _given(spec), _BODY_SWEEP if spec.axis else _BODY_BARS
    )


def _given(spec: CircuitSpec) -> dict[str, Any]:
    cases = []
    for case in spec.cases:
        quiet = case.model_copy(
            update={"noise": [one.model_copy(update={"on_basis_change": False}) for one in case.noise]}
        )
        steps, _ = operations(quiet, spec.n_qubits, "")
        cases.append(
            {"labels": case.labels, "operations": [[one["name"], one["qubits"], one["value"]] for one in steps]}
        )
    return {
        "title": spec.title,
        "n_qubits": spec.n_qubits,
        "observables": spec.observables,
        "names": spec.label_names,
        "target": spec.target,
        "axis": spec.axis,
        "cases": cases,
    }


_COMMON = """
NAMES = [GIVEN["names"].get(one, one) for one in GIVEN["observables"]]
found = []
for case in GIVEN["cases"]:
    steps = [{"name": name, "qubits": qubits, "value": value} for name, qubits, value in case["operations"]]
    state = circuit_density_matrix(CircuitDensityMatrixInput(
        n_qubits=GIVEN["n_qubits"], operations=steps, observables=GIVEN["observables"], target=GIVEN["target"]))
    found.append(state)
    labels = case["labels"]
    for name, value in zip(NAMES, state.expectations):
        record("expectation", value, observable=name, **labels)
    if state.fidelity is not None:
        record("fidelity", state.fidelity, **labels)
    record("purity", state.purity, **labels)
    record("entropy", state.entropy, "bit", **labels)
    if GIVEN["n_qubits"] > 1:
        record("entanglement_entropy", state.entanglement_entropy, "bit", **labels)
    print(labels, {name: round(value, 5) for name, value in zip(NAMES, state.expectations)})
Path("img").mkdir(exist_ok=True)
"""
_END = """
save("results/circuits.json", {"n_qubits": GIVEN["n_qubits"], "method": "exact density matrix, no sampling",
                               "bit_order": "leftmost bit is qubit 0"})
"""
_BODY_SWEEP = (
    _COMMON
    + """
where = [float(case["labels"][GIVEN["axis"]]) for case in GIVEN["cases"]]
series = []
for k, name in enumerate(NAMES):
    values = [state.expectations[k] for state in found]
    record("expectation", values, axes=[(GIVEN["axis"], where, "")], observable=name)
    series.append({"label": f"<{name}>", "x": where, "y": values})
plot_lines(PlotLinesInput(path="img/expectation.png", title=GIVEN["title"], panels=[
    {"title": "", "x_label": GIVEN["axis"], "y_label": "expectation value", "series": series}]))
"""
    + _END
)
_BODY_BARS = (
    _COMMON
    + """
plot_bars(PlotBarsInput(path="img/expectation.png", title=GIVEN["title"], panels=[
    {"title": ", ".join(f"{k} = {v}" for k, v in case["labels"].items()), "x_label": "observable",
     "y_label": "expectation value", "labels": [f"<{name}>" for name in NAMES], "values": list(state.expectations)}
    for case, state in zip(GIVEN["cases"], found)][:6]))
"""
    + _END
)
