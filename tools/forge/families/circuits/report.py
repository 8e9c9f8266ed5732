"""The report of a circuit task."""

from __future__ import annotations

import math
from collections.abc import Sequence

from labwright.tools.forge.families.circuits.script import parameters
from labwright.tools.forge.families.circuits.spec import Case, CircuitSpec
from labwright.tools.forge.results import Results

_SEPARABLE = 1.0  # largest |<XX>| + |<ZZ>| without entanglement (Toth and Guehne, PRL 94, 060501)


def report(spec: CircuitSpec, results: Results, figures: Sequence[str]) -> str:
    """What was done, the numbers, and what they mean."""
    parts = [
        "### Circuit\n",
        f"{spec.n_qubits} qubits from |{'0' * spec.n_qubits}>: {_gates(spec.cases[0])}."
        + (f" Meant state: {spec.target_name}." if spec.target_name else ""),
        "",
        *[f"- {name}: {value}" for name, value in parameters(spec).items()],
        "",
        *_expectations(spec, results),
        *_conventions(spec, results),
        *_states(spec, results),
        *_counts(spec, results),
        "### What the numbers mean\n",
        *_meaning(spec, results),
        "",
        *[f"![{path}]({path})" for path in figures],
    ]
    return "\n".join(parts)


def _gates(case: Case) -> str:
    names = [
        f"{gate.name}({'' if gate.value is None else f'{gate.value:.6g}; '}{', '.join(map(str, gate.qubits))})"
        for gate in case.gates
    ]
    return ", ".join(names) or "no gates"


def _told(case: Case) -> str:
    return ", ".join(f"{name} = {value}" for name, value in case.labels.items()) or "the circuit"


def _value(results: Results, quantity: str, labels: dict[str, str | float | int]) -> float | None:
    found = [
        one
        for one in results.find(quantity, **labels)
        if set(one.labels) == set(labels) and isinstance(one.value, float | int)
    ]
    return float(found[0].value) if found else None  # type: ignore[arg-type]


def _expectations(spec: CircuitSpec, results: Results) -> list[str]:
    rows = []
    for case in spec.cases:
        for one in spec.observables:
            labels = {"observable": spec.label_names.get(one, one), **case.labels}
            value, error = _value(results, "expectation", labels), _value(results, "standard_error", labels)
            sure = _value(results, "exact_expectation", labels)
            if value is not None and error is None and not spec.sampled:
                rows.append(f"| {_told(case)} | {labels['observable']} | {value:+.6f} | 0 | {value:+.6f} |")
            if value is not None and error is not None:
                exact = "" if sure is None else f"{sure:+.4f}"
                rows.append(f"| {_told(case)} | {labels['observable']} | {value:+.4f} | {error:.4f} | {exact} |")
    if not rows:
        return []
    return [
        "### Expectation values from the counts\n" if spec.sampled else "### Exact expectation values\n",
        "| case | observable | sampled | standard error | exact |",
        "|---|---|---:|---:|---:|",
        *rows,
        "",
        "A standard error of 0 means that all shots agreed; it is then below about one over the shots.",
        "",
    ]


def _conventions(spec: CircuitSpec, results: Results) -> list[str]:
    names = list(
        dict.fromkeys(
            str(one.labels["convention"]) for one in results.find("exact_expectation") if "convention" in one.labels
        )
    )
    if not names:
        return []
    columns = [spec.label_names.get(one, one) for one in spec.observables]
    rows = []
    for name in names:
        for case in spec.cases:
            cells = []
            for column in columns:
                value = _value(results, "exact_expectation", {"observable": column, "convention": name, **case.labels})
                cells.append("" if value is None else f"{value:+.4f}")
            rows.append(f"| {name} | {_told(case)} | {' | '.join(cells)} |")
    head = ["| the channel acts | case | " + " | ".join(columns) + " |", "|---|---|" + "---:|" * len(columns)]
    return [
        "### Exact values under other readings of the noise\n",
        (
            "The task does not fix where the channel acts; the results above follow the convention listed with "
            "the parameters.\n"
        ),
        *head,
        *rows,
        "",
    ]


def _states(spec: CircuitSpec, results: Results) -> list[str]:
    quantities = [
        name for name in ("fidelity", "purity", "entropy", "entanglement_entropy", "chsh") if results.find(name)
    ]
    if not quantities:
        return []
    rows = []
    for case in spec.cases:
        cells = [_value(results, name, dict(case.labels)) for name in quantities]
        rows.append(f"| {_told(case)} | " + " | ".join("" if c is None else f"{c:.4f}" for c in cells) + " |")
    return [
        "### The prepared state\n",
        f"Fidelity, purity and entropies (in {spec.entropy_unit}s) are those of the exact density matrix before the measurement; CHSH is"
        " from counts.\n",
        "| case | " + " | ".join(quantities) + " |",
        "|---|" + "---:|" * len(quantities),
        *rows,
        "",
    ]


def _counts(spec: CircuitSpec, results: Results) -> list[str]:
    rows = []
    for one in results.find("counts"):
        if isinstance(one.value, dict):
            largest = sorted(one.value.items(), key=lambda pair: -pair[1])[:8]
            said = ", ".join(f"{bits}: {count}" for bits, count in largest)
            labels = ", ".join(f"{name} {value}" for name, value in one.labels.items())
            rows.append(f"| {labels} | {said} |")
    return ["### Counts\n", "| measurement | largest counts |", "|---|---|", *rows, ""]


def _meaning(spec: CircuitSpec, results: Results) -> list[str]:
    said: list[str] = []
    pairs = [one for one in spec.observables if one in ("ZZ", "XX", "YY")]
    for case in spec.cases:
        values = {
            one: _value(results, "expectation", {"observable": spec.label_names.get(one, one), **case.labels})
            for one in pairs
        }
        have = {one: value for one, value in values.items() if value is not None}
        if {"ZZ", "XX"} <= have.keys():
            said.append(_witness(case, have))
    if said:
        said.insert(
            0,
            "Each qubit of an entangled pair is random by itself, so single outcomes are even; the "
            "correlations are not."
            " A state whose two outcomes agree perfectly in Z could be a classical mixture of 00 and 11; that they are"
            " also correlated in X shows the phase between the two terms, which a mixture does not have. Without"
            f" entanglement |<ZZ>| + |<XX>| cannot exceed {_SEPARABLE:g}; measured with the best settings, the CHSH"
            " value is sqrt(2) (|<ZZ>| + |<XX>|), above 2 for no local model and at most 2 sqrt(2).\n",
        )
    if any(case.noise for case in spec.cases):
        said.append(_decay(spec, results))
    return said or ["The counts follow Born's rule for the prepared state, within the statistical errors above."]


def _witness(case: Case, have: dict[str, float]) -> str:
    total = abs(have["ZZ"]) + abs(have["XX"])
    chsh = math.sqrt(2) * total
    verdict = "entangled" if total > _SEPARABLE else "not shown to be entangled by this witness"
    bell = "violates" if chsh > 2 else "does not violate"
    return (
        f"- {_told(case)}: |<ZZ>| + |<XX>| = {total:.3f}, {verdict};"
        f" the CHSH value that follows, {chsh:.3f}, {bell} the classical bound 2."
    )


def _decay(spec: CircuitSpec, results: Results) -> str:
    lines = []
    for one in spec.observables:
        name = spec.label_names.get(one, one)
        values = [_value(results, "exact_expectation", {"observable": name, **case.labels}) for case in spec.cases]
        have = [value for value in values if value is not None]
        if len(have) > 1 and abs(have[0]) > 1e-9:
            lines.append(f"<{name}> goes from {have[0]:+.3f} to {have[-1]:+.3f}")
    fall = "; ".join(lines)
    return (
        "\nNoise multiplies each correlator once for every channel that the correlator feels: (1 - p)^k for "
        "k depolarising"
        " channels, (1 - 2 p)^k for flips about another axis, (1 - p)^(k/2) and (1 - p)^k for damping."
        + (f" Exactly, {fall}." if fall else "")
        + " A correlator that passes more noisy gates, such as one whose basis change is itself noisy, falls faster."
    )
