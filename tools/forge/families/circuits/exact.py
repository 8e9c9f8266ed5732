"""The script of a circuit task without shots: expectation values, probabilities and measures of the exact state."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from labwright.tools.forge.families.circuits.expand import operations
from labwright.tools.forge.families.circuits.spec import Case, CircuitSpec
from labwright.tools.forge.families.circuits.sweeps import ALONG, sweep_of
from labwright.tools.forge.families.program import program


def exact_recipes(spec: CircuitSpec) -> list[str]:
    """The recipes that the script imports."""
    return ["circuit_density_matrix", "plot_lines" if sweep_of(spec) else "plot_bars"]


def exact_source(spec: CircuitSpec, imports: Mapping[str, str]) -> str:
    """The script; each case's state once, with all observables and measures."""
    body = _COMMON + (ALONG + _SWEEP if sweep_of(spec) else _BARS) + _END
    return program(f"{spec.title}: exact expectation values", imports, exact_recipes(spec), _given(spec), body)


def _given(spec: CircuitSpec) -> dict[str, Any]:
    cases = []
    for case in spec.cases:
        quiet = [one.model_copy(update={"on_basis_change": False}) for one in case.noise if one.kind != "readout"]
        steps, _ = operations(case.model_copy(update={"noise": quiet}), spec.n_qubits, "")
        cases.append(
            {
                "labels": case.labels,
                "operations": [[one["name"], one["qubits"], one["value"]] for one in steps],
                "kept": _kept(case, spec.n_qubits),
            }
        )
    return {
        "title": spec.title,
        "n_qubits": spec.n_qubits,
        "observables": spec.observables,
        "outcomes": spec.outcomes,
        "wants": list(spec.wants),
        "names": spec.label_names,
        "target": spec.target,
        "entropy_unit": spec.entropy_unit,
        "sweep": sweep_of(spec),
        "sweep_unit": spec.axis_unit,
        "cases": cases,
    }


def _kept(case: Case, n_qubits: int) -> list[float]:
    """The part of each qubit's expectation value that errors of the readout leave: 1 - 2 p for symmetric flips."""
    readout = [one for one in case.noise if one.kind == "readout"]
    return [
        prod((1 - 2 * one.probability for one in readout if not one.qubits or qubit in one.qubits), start=1.0)
        for qubit in range(n_qubits)
    ]


_COMMON = """
SCALE = {"bit": 1.0, "nat": math.log(2)}[GIVEN["entropy_unit"]]
NAMES = {one: GIVEN["names"].get(one, one) for one in GIVEN["observables"]}


def parities(outcome):
    \"\"\"Strings of I and Z over the qubits that an outcome fixes, with the sign that its ones give.\"\"\"
    found = [("", 1.0)]
    for bit in outcome:
        more = [(word + "Z", -sign if bit == "1" else sign) for word, sign in found] if bit != "-" else []
        found = [(word + "I", sign) for word, sign in found] + more
    return found


WORDS = sorted({word for outcome in GIVEN["outcomes"] for word, _ in parities(outcome) if set(word) != {"I"}})
for case in GIVEN["cases"]:
    steps = [{"name": name, "qubits": qubits, "value": value} for name, qubits, value in case["operations"]]
    wanted = list(dict.fromkeys([*GIVEN["observables"], *WORDS]))
    state = circuit_density_matrix(CircuitDensityMatrixInput(
        n_qubits=GIVEN["n_qubits"], operations=steps, observables=wanted, target=GIVEN["target"]))
    labels = case["labels"]
    values = {"I" * GIVEN["n_qubits"]: 1.0}
    for word, value in zip(wanted, state.expectations):
        # errors of the readout flip outcomes, so that each qubit that is measured loses a factor
        values[word] = value * math.prod(kept for kept, letter in zip(case["kept"], word) if letter != "I")
    for word, name in NAMES.items():
        record("expectation", values[word], observable=name, **labels)
    for outcome in GIVEN["outcomes"]:
        terms = parities(outcome)
        record("probability", sum(sign * values[word] for word, sign in terms) / len(terms), outcome=outcome, **labels)
    if state.fidelity is not None:
        record("fidelity", state.fidelity, **labels)
    record("purity", state.purity, **labels)
    record("entropy", SCALE * state.entropy, GIVEN["entropy_unit"], **labels)
    if GIVEN["n_qubits"] > 1:
        record("entanglement_entropy", SCALE * state.entanglement_entropy, GIVEN["entropy_unit"], **labels)
    print(labels, {name: round(values[word], 5) for word, name in NAMES.items()})
Path("img").mkdir(exist_ok=True)
"""
_END = """
save("results/circuit.json", {"n_qubits": GIVEN["n_qubits"], "method": "exact density matrix, no sampling",
                               "bit_order": "leftmost bit is qubit 0"})
"""
_SWEEP = """

SWEEP, UNIT = GIVEN["sweep"], GIVEN["sweep_unit"]
curves = along(RECORDS, SWEEP)
for (quantity, labels), one in curves.items():
    record(quantity, one["y"], one["unit"], [(SWEEP, one["x"], UNIT)], **dict(labels))
X_LABEL = f"{SWEEP} ({UNIT})" if UNIT else SWEEP
panels = picture(curves, {"expectation"}, "expectation value", X_LABEL)
panels += picture(curves, {"probability"}, "probability", X_LABEL)
both = [name for name in ("fidelity", "purity") if name in GIVEN["wants"]]
panels += picture(curves, set(both), " and ".join(both), X_LABEL)
for name in ("entropy", "entanglement_entropy"):
    if name in GIVEN["wants"]:
        panels += picture(curves, {name}, name.replace("_", " ") + f" ({GIVEN['entropy_unit']})", X_LABEL)
for number, panel in enumerate(panels):
    name = f"img/sweep{'' if number == 0 else f'_{number + 1}'}.png"
    plot_lines(PlotLinesInput(path=name, title=GIVEN["title"], panels=[panel]))
"""
_BARS = """

def drawn(name, what, y_label, quantity):
    panels = []
    for case in GIVEN["cases"]:
        found = [one for one in RECORDS if one["quantity"] == quantity
                 and all(one["labels"].get(key) == value for key, value in case["labels"].items())]
        panels.append({
            "title": ", ".join(f"{k} = {v}" for k, v in case["labels"].items()), "x_label": what, "y_label": y_label,
            "labels": [str(one["labels"][what]) for one in found], "values": [one["value"] for one in found]})
    plot_bars(PlotBarsInput(path=name, title=GIVEN["title"], panels=panels[:6]))


if GIVEN["observables"]:
    drawn("img/expectation.png", "observable", "expectation value", "expectation")
if GIVEN["outcomes"]:
    drawn("img/probability.png", "outcome", "probability", "probability")
"""
