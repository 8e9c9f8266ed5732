"""The scripts of a spin-chain task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any

from labwright.tools.forge.tasks.base import Script
from labwright.tools.forge.tasks.spin_chain.spec import Pattern, SpinChainSpec

LONG = 400  # steps in all from which a short trial comes first
TRIAL_STEPS = 10


def evolver(spec: SpinChainSpec) -> str:
    """The recipe that evolves."""
    exact = spec.method == "exact" or whole_layers(spec)
    return "chain_exact_evolution" if exact else f"chain_rotations_{spec.backend}"


def whole_layers(spec: SpinChainSpec) -> bool:
    """Whether a layer of a kicked chain holds terms that do not commute, so that it is no product of rotations."""
    return spec.method == "floquet" and any(
        not _commute(one, other, spec.n_qubits)
        for case in spec.cases
        for layer in case.layers
        for one in layer
        for other in layer
    )


def _commute(one: Pattern, other: Pattern, n_qubits: int) -> bool:
    """Whether all strings of two patterns commute: they differ on an even number of common sites at every distance."""
    for shift in range(-n_qubits, n_qubits + 1):
        first = dict(zip(one.offsets, one.letters, strict=True))
        second = {site + shift: letter for site, letter in zip(other.offsets, other.letters, strict=True)}
        if sum(letter != second.get(site, letter) for site, letter in first.items()) % 2:
            return False
    return (one.power is None and other.power is None) or one.letters == other.letters


def recipes(spec: SpinChainSpec) -> dict[str, str]:
    """Recipe -> why."""
    made = {
        "spin_chain_state": "prepares the initial state from its seed or bits",
        "pauli_chain_terms": "writes the Hamiltonian or the layers as Pauli strings",
        evolver(spec): "evolves the state and takes expectation values",
    }
    if evolver(spec) != "chain_exact_evolution":
        made["product_formula_step"] = "turns Pauli strings into the rotations of one step"
    if reference(spec):
        made["chain_exact_evolution"] = "gives exact values to hold the product formula against"
    if "magnetisation" in spec.wants:
        made["plot_heatmap"] = "draws the magnetisation over site and time"
    made["plot_lines"] = "draws averages, entropy, energy and the echo"
    return made


def reference(spec: SpinChainSpec) -> bool:
    """Whether the product formula is compared with exact evolution."""
    return spec.method.startswith("product") and spec.n_qubits <= 11


def scripts(spec: SpinChainSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """A trial of a few steps where the whole is long, then the whole."""
    whole = Script(
        "Evolve the chain in every case and record what is wanted.", _source(spec, imports, None), wall_seconds=1800.0
    )
    if spec.steps * len(spec.cases) * len(spec.initial) < LONG:
        return [whole]
    trial = Script(
        f"Trial: the first {TRIAL_STEPS} steps of each case.",
        _source(spec, imports, TRIAL_STEPS),
        subset=True,
        wall_seconds=300.0,
    )
    return [trial, whole]


def _source(spec: SpinChainSpec, imports: Mapping[str, str], trial: int | None) -> str:
    lines = []
    for name in recipes(spec):
        camel = "".join(part.capitalize() for part in name.split("_"))
        lines.append(f"from {imports[name]} import {camel}Input, {name}")
    body = _BODY
    for mark, keep in (
        ("#EXACT", spec.method == "exact"),
        ("#STEPS", evolver(spec) != "chain_exact_evolution"),
        ("#KICKED", spec.method == "floquet" and not whole_layers(spec)),
        ("#LAYERS", whole_layers(spec)),
        ("#FORMULA", spec.method.startswith("product")),
        ("#REFERENCE", reference(spec)),
        ("#MAP", "magnetisation" in spec.wants),
        ("#WHOLE", trial is None),
    ):
        kept = [line for line in body.splitlines() if keep or mark not in line]
        body = "\n".join(line.replace(mark, "").rstrip() for line in kept)
    name = evolver(spec)
    camel = "".join(part.capitalize() for part in name.split("_"))
    body = body.replace("EVOLVE_INPUT", f"{camel}Input").replace("EVOLVE", name)
    data = _data(spec)
    data["target"] = "results/chain.json"
    if trial is not None:
        done = min(trial, spec.steps)
        data |= {
            "total_time": spec.total_time * done / spec.steps,
            "steps": done,
            "target": "results/chain_subset.json",
        }
        data["record_every"] = 1
    return (
        _HEAD.format(
            title=spec.title.replace('"', "'"),
            imports="\n".join(sorted(lines)),
            data=pformat(data, width=116, compact=True, sort_dicts=False),
        )
        + body
        + "\n"
    )


def _data(spec: SpinChainSpec) -> dict[str, Any]:
    whole = spec.model_dump(mode="json", exclude={"parameters", "label_initial"})
    whole["initial"] = [one.model_dump(exclude_defaults=True) for one in spec.initial]
    whole["cases"] = [case.model_dump(exclude_defaults=True) for case in spec.cases]
    return {
        **whole,
        "label_initial": spec.label_initial,
        "order": 1 if spec.method == "product_1" else 2,
        "parameters": spec.parameters,
    }


_HEAD = '''"""{title}: evolution of a chain of qubits, case by case."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads cost more than they bring at this size

import json
import math
from pathlib import Path

{imports}

# Terms are Pauli matrices; a layer is exp(-i sum coefficient P); hbar = 1; qubit 0 is the first site.
TASK = {data}
'''
_BODY = """
N, SITES = TASK["n_qubits"], [float(site) for site in range(TASK["n_qubits"])]
CLOCK = "period" if TASK["method"] == "floquet" else "time"
UNIT = TASK["time_unit"]
ENTROPY_UNIT = {"nat": 1.0, "bit": math.log(2)}[TASK["entropy_unit"]]  # in nats
records, maps, curves = [], [], {}


def record(quantity, labels, value, axes=(), unit=""):
    records.append({"quantity": quantity, "labels": labels, "axes": list(axes), "value": value, "unit": unit})


def terms(patterns):
    given = PauliChainTermsInput(n_qubits=N, boundary=TASK["boundary"], patterns=patterns)
    return [term.model_dump() for term in pauli_chain_terms(given).terms]


def rotations(strings, time_step, order):  #STEPS
    given = ProductFormulaStepInput(terms=strings, time_step=time_step, order=order)  #STEPS
    return product_formula_step(given)  #STEPS


def one_step(case):  #STEPS
    made = []  #KICKED
    for layer in case["layers"]:  #KICKED
        part = rotations(terms(layer), 1.0, 1)  #KICKED
        if part.layers != 1:  #KICKED
            raise RuntimeError("The terms of a layer do not commute, so it is no product of rotations.")  #KICKED
        made += part.rotations  #KICKED
    return [one.model_dump() for one in made]  #KICKED
    part = rotations(terms(case["patterns"]), TASK["total_time"] / TASK["steps"], TASK["order"])  #FORMULA
    return [one.model_dump() for one in part.rotations]  #FORMULA


def observables(case):
    made = []
    for axis in TASK["axes_of_spin"]:
        for site in range(N):
            string = {"coefficient": 1.0, "letters": axis.upper(), "sites": [site]}
            made.append({"label": f"{axis}{site}", "terms": [string]})
    if "patterns" in case:
        made.append({"label": "energy", "terms": terms(case["patterns"])})
    for one in TASK["sums"]:
        strings = [{"coefficient": c, "letters": letters, "sites": sites} for c, letters, sites in one["terms"]]
        made.append({"label": one["label"], "terms": strings})
    return made


def evolve(case, start):
    if case.get("layers"):  #LAYERS
        return periods(case, start)  #LAYERS
    common = {"n_qubits": N, "initial_state": start, "observables": observables(case), "cuts": TASK["cuts"]}
    times = [TASK["total_time"] * k / TASK["steps"] for k in range(0, TASK["steps"] + 1, TASK["record_every"])]  #EXACT
    given = EVOLVE_INPUT(**common, hamiltonian=terms(case["patterns"]), times=times)  #EXACT
    return times, EVOLVE(given)  #EXACT
    given = EVOLVE_INPUT(  #STEPS
        **common, step=one_step(case), n_steps=TASK["steps"], record_every=TASK["record_every"]  #STEPS
    )  #STEPS
    made = EVOLVE(given)  #STEPS
    return [TASK["total_time"] * step / TASK["steps"] for step in made.steps], made  #STEPS


def periods(case, start):  #LAYERS
    # each layer as a whole: exp(-i sum c P) is the evolution under the sum for a time of one
    layers = [terms(layer) for layer in case["layers"] if any(one["coefficient"] for one in layer)]  #LAYERS
    seen, state, first = None, start, [complex(*pair) for pair in start]  #LAYERS
    for period in range(TASK["steps"] + 1):  #LAYERS
        for layer in layers if period else []:  #LAYERS
            state = EVOLVE(EVOLVE_INPUT(  #LAYERS
                n_qubits=N, initial_state=state, hamiltonian=layer, times=[1.0], observables=[]  #LAYERS
            )).final_state  #LAYERS
        norm = sum(re * re + im * im for re, im in state) ** 0.5  #LAYERS
        state = [[re / norm, im / norm] for re, im in state]  #LAYERS
        if period % TASK["record_every"]:  #LAYERS
            continue  #LAYERS
        made = EVOLVE(EVOLVE_INPUT(  #LAYERS
            n_qubits=N, initial_state=state, hamiltonian=terms(case["layers"][0]), times=[0.0],  #LAYERS
            observables=observables(case), cuts=TASK["cuts"]  #LAYERS
        ))  #LAYERS
        overlap = sum(a.conjugate() * complex(*b) for a, b in zip(first, state))  #LAYERS
        made.return_probability = [abs(overlap) ** 2]  #LAYERS
        if seen is None:  #LAYERS
            seen = made  #LAYERS
        else:  #LAYERS
            for label, values in made.expectations.items():  #LAYERS
                seen.expectations[label] += values  #LAYERS
            seen.entropies += made.entropies  #LAYERS
            seen.return_probability += made.return_probability  #LAYERS
        seen.norm_error = max(seen.norm_error, abs(norm - 1))  #LAYERS
    return [float(k) for k in range(0, TASK["steps"] + 1, TASK["record_every"])], seen  #LAYERS


def keep(quantity, labels, clock, values, unit="", **more):
    axis = {"name": CLOCK, "values": clock, "unit": UNIT}
    record(quantity, {**more, **labels}, values, [axis], unit)
    curves.setdefault((quantity, *more.values()), []).append((labels, clock, values))


def told(labels):
    return ", ".join(f"{name} = {v:g}" if isinstance(v, float) else f"{v}" for name, v in labels.items())


def shown(values):  #WHOLE
    return [0.0 if abs(value) < 1e-12 else value for value in values]  # rounding is not drawn  #WHOLE


for initial in TASK["initial"]:
    fields = {name: value for name, value in initial.items() if name != "label"}
    start = spin_chain_state(SpinChainStateInput(n_qubits=N, **fields)).amplitudes
    for case in TASK["cases"]:
        labels = dict(case.get("labels", {}))
        if TASK["label_initial"]:
            labels["initial"] = initial["label"]
        clock, made = evolve(case, start)
        for axis in TASK["axes_of_spin"]:
            table = [[TASK["spin_scale"] * made.expectations[f"{axis}{site}"][row] for site in range(N)] for row in range(len(clock))]
            if "magnetisation" in TASK["wants"]:
                both = [{"name": CLOCK, "values": clock, "unit": UNIT}, {"name": "site", "values": SITES}]
                record("magnetisation", {"axis": axis, **labels}, table, both)
                maps.append((axis, labels, clock, table))
            keep("mean_magnetisation", labels, clock, [sum(row) / N for row in table], axis=axis)
            if "total_magnetisation" in TASK["wants"]:
                keep("total_magnetisation", labels, clock, [sum(row) for row in table], axis=axis)
            if "imbalance" in TASK["wants"]:
                signs = [1 if value >= 0 else -1 for value in table[0]]
                values = [sum(sign * value for sign, value in zip(signs, row)) / N for row in table]
                keep("imbalance", labels, clock, values, axis=axis)
        if "energy" in made.expectations:
            keep("energy", labels, clock, made.expectations["energy"])
        for index, cut in enumerate(TASK["cuts"]):
            values = [row[index] / ENTROPY_UNIT for row in made.entropies]
            keep("entropy", labels, clock, values, TASK["entropy_unit"], cut=cut)
        if "return_probability" in TASK["wants"]:
            keep("return_probability", labels, clock, made.return_probability)
        for one in TASK["sums"]:
            keep("expectation", labels, clock, made.expectations[one["label"]], observable=one["label"])
        record("norm_error", labels, made.norm_error)
        given = ChainExactEvolutionInput(  #REFERENCE
            n_qubits=N, initial_state=start, observables=[], times=[clock[-1]],  #REFERENCE
            hamiltonian=terms(case["patterns"]),  #REFERENCE
        )  #REFERENCE
        sure = [complex(*pair) for pair in chain_exact_evolution(given).final_state]  #REFERENCE
        overlap = sum(a.conjugate() * complex(*b) for a, b in zip(sure, made.final_state))  #REFERENCE
        record("product_formula_infidelity", labels, max(0.0, 1.0 - abs(overlap) ** 2))  #REFERENCE
        name = told({"initial": initial["label"], **labels})
        print(name, f"{len(clock)} records, norm error {made.norm_error:.1e}")

Path("results").mkdir(exist_ok=True)
Path(TASK["target"]).write_text(json.dumps({"parameters": TASK["parameters"], "records": records}))
X_LABEL = {"time": f"time ({UNIT})" if UNIT else "time", "period": "Floquet period"}[CLOCK]
panels = []  #WHOLE #MAP
for axis, labels, clock, table in maps:  #WHOLE #MAP
    step = max(1, len(clock) // 500)  #WHOLE #MAP
    panel = {"title": told(labels), "x_label": "qubit", "y_label": X_LABEL}  #WHOLE #MAP
    panel["colour_label"] = f"<{axis.upper()}_i>"  #WHOLE #MAP
    panels.append({**panel, "x": SITES, "y": clock[::step], "values": table[::step]})  #WHOLE #MAP
for begin in range(0, len(panels), 6):  #WHOLE #MAP
    name = f"img/magnetisation{'' if begin == 0 else f'_{begin // 6 + 1}'}.png"  #WHOLE #MAP
    drawn = panels[begin : begin + 6]  #WHOLE #MAP
    plot_heatmap(PlotHeatmapInput(path=name, title=TASK["title"], panels=drawn, symmetric=True))  #WHOLE #MAP
Y_LABELS = {"entropy": f"entanglement entropy ({TASK['entropy_unit']})"}  #WHOLE
OF = {"entropy": "the first {} sites and the rest", "expectation": "{}", "energy": ""}  #WHOLE
figures = {}  #WHOLE
for (quantity, *rest), runs in curves.items():  #WHOLE
    if quantity == "energy" and "energy" not in TASK["wants"]:  #WHOLE
        continue  #WHOLE
    series = [{"label": told(labels), "x": clock, "y": shown(values)} for labels, clock, values in runs]  #WHOLE
    about = OF.get(quantity, "along {}").format(*rest) if rest else ""  #WHOLE
    panel = {"title": about, "x_label": X_LABEL, "series": series}  #WHOLE
    panel["y_label"] = Y_LABELS.get(quantity, quantity.replace("_", " "))  #WHOLE
    figures.setdefault(quantity, []).append(panel)  #WHOLE
for quantity, drawn in figures.items():  #WHOLE
    plot_lines(PlotLinesInput(path=f"img/{quantity}.png", title=TASK["title"], panels=drawn))  #WHOLE
print(f"{len(records)} records")
"""
