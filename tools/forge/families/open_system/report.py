"""The report of a few-level task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labwright.tools.forge.families.open_system.spec import OpenSystemSpec, Operator
from labwright.tools.forge.results import Record, Results


def report(spec: OpenSystemSpec, results: Results, figures: Sequence[str]) -> str:
    """What was done, the numbers, and what they mean."""
    parts = [
        "### System and conventions\n",
        (
            f"Subsystems with {', '.join(map(str, spec.dims))} levels; basis states in order: "
            f"{', '.join(spec.levels)}. hbar = 1;"
        )
        + (
            f" times in {spec.time_unit}, frequencies in radian per {spec.time_unit}."
            if spec.time_unit
            else " units as in the task."
        ),
        "",
        *[f"- {name}: {_short(value)}" for name, value in spec.parameters.items()],
        "",
        "| case | method | Hamiltonian | collapse operators | times |",
        "|---|---|---|---|---|",
        *[_case_row(case) for case in spec.cases],
        "",
        "Unitary cases solve Schroedinger's equation (QuTiP `sesolve`), open ones the Lindblad equation "
        "(`mesolve`), both with"
        " tolerances of 1e-11 and 1e-9.\n",
        *_table(spec, results),
        *_steady(results),
        "### What the numbers mean\n",
        *_meaning(spec, results),
        "",
        *[f"![{path}]({path})" for path in figures],
    ]
    return "\n".join(parts)


def written(operator: Operator) -> str:
    """An operator as text."""
    if operator.matrix:
        return f"matrix {len(operator.matrix)} x {len(operator.matrix)}"
    parts = []
    for term in operator.terms:
        re, im = term.coefficient
        number = f"{re:+.6g}" if im == 0 else f"+({re:.6g}{im:+.6g}i)"
        factors = " ".join(f"{f.op}_{f.site}" if f.site else f.op for f in term.factors)
        parts.append(f"{number} {factors}".strip())
    return " ".join(parts).lstrip("+") or "0"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) < 160 else text[:157] + "..."


def _told(labels: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in labels.items()) or "the evolution"


def _case_row(case: Any) -> str:
    drives = "".join(f" + cos({d.frequency:.6g} t{d.phase:+.4g}) ({written(d.operator)})" for d in case.drives)
    jumps = "; ".join(_pipes(written(one)) for one in case.collapse) if case.method == "lindblad" else "none"
    return (
        f"| {_told(case.labels)} | {case.method} | {_pipes(written(case.hamiltonian) + drives)} | {jumps or 'none'} |"
        f" {case.start:g} to {case.stop:g}, {case.points} points |"
    )


def _pipes(text: str) -> str:
    return text.replace("|", "\\|")


def _series(results: Results) -> list[Record]:
    hidden = {"energy"}
    return [one for one in results.records if one.axes and one.quantity not in hidden]


def _table(spec: OpenSystemSpec, results: Results) -> list[str]:
    rows = []
    for one in _series(results):
        values = np.asarray(one.value, dtype=float)
        half = values[len(values) // 2 :]
        rows.append(
            f"| {one.quantity} | {_told(one.labels)} | {values[0]:+.4f} | {values.min():+.4f} | {values.max():+.4f} |"
            f" {values[-1]:+.4f} | {np.ptp(half):.4f} |"
        )
    return [
        "### Time traces\n",
        "| quantity | case | start | least | greatest | end | swing in the second half |",
        "|---|---|---:|---:|---:|---:|---:|",
        *rows,
        "",
    ]


def _steady(results: Results) -> list[str]:
    rows = [
        f"| {_told(one.labels)} | {float(one.value):+.6f} |"
        for one in results.find("steady_state")
        if isinstance(one.value, float | int)
    ]
    rates = [
        f"Slowest relaxation rate ({_told(one.labels)}): {float(one.value):.6g} {one.unit}."
        for one in results.find("slowest_rate")
        if isinstance(one.value, float | int)
    ]
    return ["### Steady state\n", "| quantity | value |", "|---|---:|", *rows, "", *rates, ""] if rows else []


def _meaning(spec: OpenSystemSpec, results: Results) -> list[str]:
    said = []
    if any(case.method == "unitary" for case in spec.cases):
        swing = [_swing(one) for one in _series(results) if one.labels.get("evolution", "unitary") == "unitary"]
        said.append(
            "- Closed: the Hamiltonian alone turns the state about its eigenvectors; norm and energy stay, and the"
            " oscillations go on with one amplitude"
            + (f" (swing in the second half up to {max(swing):.3f})." if swing else ".")
        )
    if spec.lindblad:
        swing = [_swing(one) for one in _series(results) if one.labels.get("evolution", "lindblad") == "lindblad"]
        said.append(
            "- Open: each collapse operator carries excitation or phase information into an environment that "
            "does not give it"
            " back. That breaks the oscillations: coherences decay, and every initial state is led to one "
            "steady state, where"
            " what the Hamiltonian builds up and what damping takes away are in balance"
            + (f" (swing left in the second half at most {max(swing):.3f})." if swing else ".")
        )
        said += _meeting(spec, results)
    return said or ["- The traces follow the equation of motion within the tolerances above."]


def _swing(one: Record) -> float:
    values = np.asarray(one.value, dtype=float)
    return float(np.ptp(values[len(values) // 2 :]))


def _meeting(spec: OpenSystemSpec, results: Results) -> list[str]:
    """Whether different initial states come to one end."""
    said = []
    for one in spec.observables:
        ends: dict[str, list[float]] = {}
        for found in results.find("expectation", observable=one.label):
            if "initial" in found.labels and found.labels.get("evolution", "lindblad") != "unitary":
                rest = {n: v for n, v in found.labels.items() if n not in ("initial", "observable")}
                ends.setdefault(_told(rest), []).append(float(np.asarray(found.value, dtype=float)[-1]))
        for case, values in ends.items():
            if len(values) > 1:
                said.append(
                    f"- <{one.label}>, {case}: the {len(values)} initial states end at {np.mean(values):+.4f}"
                    f" within {np.ptp(values):.1e}."
                )
    return said
