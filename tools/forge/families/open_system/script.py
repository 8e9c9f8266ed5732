"""The script of a task about few-level systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any

from labwright.tools.forge.families.base import Script
from labwright.tools.forge.families.open_system.spec import OpenSystemSpec


def recipes(spec: OpenSystemSpec) -> dict[str, str]:
    """Recipe -> why."""
    made = {"operator_from_terms": "builds the matrices of Hamiltonian, collapse operators and observables"}
    if any(case.method == "unitary" for case in spec.cases):
        made["unitary_evolution"] = "integrates Schroedinger's equation for the closed system"
    if spec.lindblad:
        made["lindblad_evolution"] = "integrates the Lindblad equation for the open system"
    if "steady_state" in spec.wants:
        made["lindblad_steady_state"] = "gives the limit of long times"
    if spec.measures:
        made["density_matrix_measures"] = "takes purity, coherence, entropies and fidelity from the states"
    made["plot_lines"] = "draws the time traces"
    return made


def scripts(spec: OpenSystemSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """One script; evolutions of few levels take seconds."""
    lines = []
    for name in recipes(spec):
        camel = "".join(part.capitalize() for part in name.split("_"))
        lines.append(f"from {imports[name]} import {camel}Input, {name}")
    body = _BODY
    for mark, keep in (
        ("#UNITARY", "unitary_evolution" in recipes(spec)),
        ("#LINDBLAD", spec.lindblad),
        ("#STEADY", "steady_state" in spec.wants),
        ("#MEASURES", spec.measures),
    ):
        kept = [line for line in body.splitlines() if keep or mark not in line]
        body = "\n".join(line.replace(mark, "").rstrip() for line in kept)
    source = _HEAD.format(
        title=spec.title.replace('"', "'"),
        imports="\n".join(sorted(lines)),
        data=pformat(_data(spec), width=116, compact=True, sort_dicts=False),
    )
    return [Script("Evolve the system in every case and record what is wanted.", source + body + "\n")]


def _data(spec: OpenSystemSpec) -> dict[str, Any]:
    """The specification as plain data; operators that several cases share are written once."""
    shelf: list[dict[str, Any]] = []

    def put(operator: Any) -> int:
        plain = operator.model_dump(exclude_defaults=True)
        if plain not in shelf:
            shelf.append(plain)
        return shelf.index(plain)

    cases = [
        {
            "labels": case.labels,
            "method": case.method,
            "times": [case.start, case.stop, case.points],
            "hamiltonian": put(case.hamiltonian),
            "collapse": [put(one) for one in case.collapse],
            "drives": [[put(one.operator), one.frequency, one.phase] for one in case.drives],
            "initial": case.initial.model_dump(exclude_defaults=True),
        }
        for case in spec.cases
    ]
    observables = [[one.label, put(one.operator)] for one in spec.observables]
    return {
        "title": spec.title,
        "dims": spec.dims,
        "levels": spec.levels,
        "wants": list(spec.wants),
        "axis": spec.axis,
        "time_unit": spec.time_unit,
        "populations": spec.populations,
        "numbered_levels": spec.numbered_levels,
        "target": spec.target,
        "coherence_of": spec.coherence_of,
        "constants": spec.constants,
        "parameters": spec.parameters,
        "observables": observables,
        "operators": shelf,
        "cases": cases,
    }


_HEAD = '''"""{title}: time evolution of a few-level system, case by case."""

import json
import math
from pathlib import Path

{imports}

# Operators are sums of products of elementary operators, or matrices of [re, im]; hbar = 1.
TASK = {data}
'''
_BODY = '''
records = []
SIZE = math.prod(TASK["dims"])
TIME = "time" + (f" ({TASK['time_unit']})" if TASK["time_unit"] else "")


def record(quantity, labels, value, times=None, unit=""):
    axes = [] if times is None else [{"name": "time", "values": times, "unit": TASK["time_unit"]}]
    records.append({"quantity": quantity, "labels": labels, "axes": axes, "value": value, "unit": unit})


def matrix(operator):
    if "matrix" in operator:
        return operator["matrix"]
    terms = [{"factors": [], **term} for term in operator.get("terms", [])]
    terms = [{**term, "factors": [{"site": 0, **factor} for factor in term["factors"]]} for term in terms]
    return operator_from_terms(OperatorFromTermsInput(dims=TASK["dims"], terms=terms)).matrix


def projector(indices):
    return [[[float(i == j and i in indices), 0.0] for j in range(SIZE)] for i in range(SIZE)]


def density(state):
    if "matrix" in state:
        return state["matrix"]
    psi = [complex(re, im) for re, im in state["amplitudes"]]
    return [[[(a * b.conjugate()).real, (a * b.conjugate()).imag] for b in psi] for a in psi]


MATRICES = [matrix(operator) for operator in TASK["operators"]]
OBSERVABLES = [{"label": label, "matrix": MATRICES[index]} for label, index in TASK["observables"]]
OBSERVABLES += [
    {"label": f"population {name}", "matrix": projector(indices)} for name, indices in TASK["populations"].items()
]


def evolve(case):
    start, stop, points = case["times"]
    times = [start + (stop - start) * k / (points - 1) for k in range(points)]
    drives = [{"matrix": MATRICES[k], "frequency": w, "phase": phase} for k, w, phase in case["drives"]]
    common = {"hamiltonian": MATRICES[case["hamiltonian"]], "drives": drives, "times": times}
    keep = not set(TASK["wants"]) <= {"expectation", "population", "steady_state"}
    common |= {"observables": [*OBSERVABLES, {"label": "energy", "matrix": common["hamiltonian"]}], "keep_states": keep}
    if case["method"] == "unitary":  #UNITARY
        made = unitary_evolution(UnitaryEvolutionInput(**common, initial_state=case["initial"]["amplitudes"]))  #UNITARY
        record("norm_error", case["labels"], made.norm_error)  #UNITARY
        return times, made  #UNITARY
    collapse = [MATRICES[k] for k in case["collapse"]]  #LINDBLAD
    made = lindblad_evolution(  #LINDBLAD
        LindbladEvolutionInput(**common, collapse=collapse, initial_state=density(case["initial"]))  #LINDBLAD
    )  #LINDBLAD
    record("norm_error", case["labels"], made.trace_error)  #LINDBLAD
    record("lowest_eigenvalue", case["labels"], made.lowest_eigenvalue)  #LINDBLAD
    return times, made  #LINDBLAD


curves = {}


def level(name):
    return int(name) if TASK["numbered_levels"] else name


def keep_curve(quantity, label, case, times, values, unit=""):
    name = {"observable": label} if quantity == "expectation" else {}
    if quantity == "population":
        name = {"level": level(label)}
    record(quantity, {**name, **case["labels"]}, values, times, unit)
    curves.setdefault((quantity, label), []).append((case["labels"], times, values))


for name, value in TASK["constants"].items():
    record(name, {}, value)
for case in TASK["cases"]:
    times, made = evolve(case)
    if "expectation" in TASK["wants"]:
        for label, _ in TASK["observables"]:
            keep_curve("expectation", label, case, times, made.expectations[label])
    for name in TASK["populations"]:
        keep_curve("population", name, case, times, made.expectations[f"population {name}"])
    record("energy", case["labels"], made.expectations["energy"], times)
    if made.states:  #MEASURES
        given = DensityMatrixMeasuresInput(states=made.states, dims=TASK["dims"], target=TASK["target"])  #MEASURES
        measures = density_matrix_measures(given)  #MEASURES
        coherence = measures.coherence  #MEASURES
        if TASK["coherence_of"]:  #MEASURES
            row, column = TASK["coherence_of"]  #MEASURES
            coherence = [math.hypot(*rho[row][column]) for rho in made.states]  #MEASURES
        found = {  #MEASURES
            "coherence": coherence, "purity": measures.purity, "entropy": measures.entropy,  #MEASURES
            "concurrence": measures.concurrence, "entanglement_entropy": measures.reduced_entropy,  #MEASURES
            "fidelity": measures.fidelity,  #MEASURES
        }  #MEASURES
        for quantity, values in found.items():  #MEASURES
            if quantity in TASK["wants"] and values:  #MEASURES
                keep_curve(quantity, "", case, times, values, "bit" if "entropy" in quantity else "")  #MEASURES
    shown = {one["label"]: made.expectations[one["label"]][-1] for one in OBSERVABLES}
    print(case["labels"], "at the end:", {name: round(value, 5) for name, value in shown.items()})

done = []  #STEADY
for case in TASK["cases"]:  #STEADY
    labels = {name: value for name, value in case["labels"].items() if name not in ("initial", "evolution")}  #STEADY
    if case["method"] == "unitary" or labels in done or case["drives"]:  #STEADY
        continue  #STEADY
    done.append(labels)  #STEADY
    steady = lindblad_steady_state(  #STEADY
        LindbladSteadyStateInput(  #STEADY
            hamiltonian=MATRICES[case["hamiltonian"]], collapse=[MATRICES[k] for k in case["collapse"]],  #STEADY
            observables=OBSERVABLES,  #STEADY
        )  #STEADY
    )  #STEADY
    for label, _ in TASK["observables"]:  #STEADY
        record("steady_state", {"observable": label, **labels}, steady.expectations[label])  #STEADY
    for name in TASK["populations"]:  #STEADY
        value = steady.expectations[f"population {name}"]  #STEADY
        record("steady_state", {"observable": "population", "level": level(name), **labels}, value)  #STEADY
    unit = f"1/{TASK['time_unit']}" if TASK["time_unit"] else ""  #STEADY
    record("slowest_rate", labels, steady.slowest_rate, unit=unit)  #STEADY


def told(labels, without=()):
    shown = {name: value for name, value in labels.items() if name not in without}
    return ", ".join(f"{name} = {v:g}" if isinstance(v, float) else str(v) for name, v in shown.items())


NAMES = {"coherence": "coherence", "purity": "purity", "entropy": "entropy (bit)", "concurrence": "concurrence",
         "entanglement_entropy": "entanglement entropy (bit)", "fidelity": "fidelity"}


def by_case(quantity):
    """One panel a case, one curve a label: for several populations."""
    panels = {}
    for (kind, label), runs in curves.items():
        for labels, times, values in runs if kind == quantity else []:
            panels.setdefault(told(labels), []).append({"label": label, "x": times, "y": values})
    return [
        {"title": title, "x_label": TIME, "y_label": "population", "series": series} for title, series in panels.items()
    ]


def by_label(quantity):
    """One panel for each kind of evolution, one curve a case: for expectation values and measures."""
    panels = {}
    for (kind, label), runs in curves.items():
        for labels, times, values in runs if kind == quantity else []:
            evolution = str(labels.get("evolution", ""))
            name = f"<{label}>" if quantity == "expectation" else NAMES.get(quantity, f"population {label}")
            series = {"label": told(labels, ("evolution",)), "x": times, "y": values}
            panels.setdefault((evolution, name), []).append(series)
    return [
        {"title": evolution, "x_label": TIME, "y_label": name, "series": series}
        for (evolution, name), series in panels.items()
    ]


for quantity in dict.fromkeys(kind for kind, _ in curves):
    several = quantity == "population" and len(TASK["populations"]) > 1
    panels = by_case(quantity) if several else by_label(quantity)
    for start in range(0, len(panels), 6):
        name = f"img/{quantity}{'' if start == 0 else f'_{start // 6 + 1}'}.png"
        plot_lines(PlotLinesInput(path=name, title=TASK["title"], panels=panels[start : start + 6]))
swept = [one for one in records if TASK["axis"] and one["quantity"] == "steady_state" and TASK["axis"] in one["labels"]]
if len(swept) > 1:
    series = {}
    for one in swept:
        label = told(one["labels"], (TASK["axis"], "observable")) or str(one["labels"]["observable"])
        label = label if one["labels"]["observable"] == "population" else str(one["labels"]["observable"])
        series.setdefault(label, []).append((one["labels"][TASK["axis"]], one["value"]))
    for label, pairs in series.items():  # the same once more as curves along the swept quantity
        alike = next(one["labels"] for one in swept if label in (told(one["labels"], (TASK["axis"], "observable")),
                                                                 one["labels"]["observable"]))
        kept = {name: value for name, value in alike.items() if name != TASK["axis"]}
        axis = {"name": TASK["axis"], "values": [float(x) for x, _ in pairs], "unit": ""}
        value = [y for _, y in pairs]
        records.append({"quantity": "steady_state", "labels": kept, "axes": [axis], "value": value, "unit": ""})
    drawn = [{"label": n, "x": [float(x) for x, _ in p], "y": [y for _, y in p]} for n, p in series.items()]
    panel = {"title": "", "x_label": TASK["axis"], "y_label": "steady state", "series": drawn}
    plot_lines(PlotLinesInput(path="img/steady_state.png", title=TASK["title"], panels=[panel]))
Path("results").mkdir(exist_ok=True)
Path("results/open_system.json").write_text(json.dumps({"parameters": TASK["parameters"], "records": records}))
print(f"{len(records)} records")
'''
