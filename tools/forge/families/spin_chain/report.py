"""The report of a spin-chain task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.families.spin_chain.spec import Case, Pattern, SpinChainSpec
from labwright.tools.forge.results import Record, Results

_METHODS = {
    "product_1": "first-order product formula",
    "product_2": "second-order (symmetric) product formula",
    "exact": "exact exponential of the Hamiltonian",
    "floquet": "one unitary a period, layer by layer",
}


def report(spec: SpinChainSpec, results: Results, figures: Sequence[str]) -> str:
    """What was done, the numbers, and what they mean."""
    where = {"cudaq": "CUDA-Q (target `qpp-cpu`)", "numpy": "numpy state vector"}[spec.backend]
    parts = [
        "### Chain, evolution and conventions\n",
        f"{spec.n_qubits} qubits, {spec.boundary} boundary conditions, numbered from 0; Z = +1 for |0>. "
        f"{_METHODS[spec.method]}, simulated with"
        f" {'scipy' if spec.method == 'exact' else where}; "
        + (
            f"{spec.steps} periods."
            if spec.method == "floquet"
            else f"{spec.steps} steps over a time of {spec.total_time:g} {spec.time_unit}, hbar = 1.".replace(" ,", ",")
        ),
        "",
        *[f"- {_told(case)}: {written(case)}" for case in spec.cases],
        *[
            (
                f"- initial state {one.label}: "
                f"{one.kind}{f', seed {one.seed}' if one.seed is not None else ''}"
                f"{f' {one.bits}' if one.bits else ''}"
            )
            for one in spec.initial
        ],
        *[f"- {name}: {value}" for name, value in spec.parameters.items()],
        "",
        *_table(results),
        *_quality(results),
        "### What the numbers mean\n",
        *_meaning(spec, results),
        "",
        *[f"![{path}]({path})" for path in figures],
    ]
    return "\n".join(parts)


def written(case: Case) -> str:
    """Hamiltonian or period as text."""
    if case.layers:
        return "one period is, first layer first, " + ", then ".join(
            f"exp(-i [{_sum(layer)}])" for layer in case.layers
        )
    return f"H = {_sum(case.patterns)}"


def _sum(patterns: Sequence[Pattern]) -> str:
    parts = []
    for one in patterns:
        if one.power is not None:
            word = f"sum_(i<j) {one.letters[0]}_i {one.letters[1]}_j / |i-j|^{one.power:g}"
        else:
            word = "sum_i " + " ".join(
                f"{letter}_{f'i+{k}' if k else 'i'}" for letter, k in zip(one.letters, one.offsets, strict=True)
            )
        parts.append(f"{one.coefficient:+.6g} {word}" + (" x random" if one.per_site else ""))
    return " ".join(parts).lstrip("+")


def _told(case: Case) -> str:
    return ", ".join(f"{name} = {value}" for name, value in case.labels.items()) or "the chain"


def _table(results: Results) -> list[str]:
    rows = []
    for one in results.records:
        values = np.asarray(one.value, dtype=float)
        if values.ndim == 0:
            continue
        labels = ", ".join(f"{name} {value}" for name, value in one.labels.items())
        start, end = values[0].mean(), values[-1].mean()
        rows.append(
            f"| {one.quantity} | {labels} | {start:+.4f} | {end:+.4f} | {values.min():+.4f} | "
            f"{values.max():+.4f} | {_speed(values):.4f} |"
        )
    return [
        "### Numbers\n",
        ("| quantity | case | mean at the start | mean at the end | least | greatest | rms change a record |"),
        "|---|---|---:|---:|---:|---:|---:|",
        *rows,
        "",
    ]


def _speed(values: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(np.diff(values, axis=0) ** 2))) if len(values) > 1 else 0.0


def _quality(results: Results) -> list[str]:
    norm = max((float(np.asarray(one.value)) for one in results.find("norm_error")), default=0.0)
    off = [float(np.asarray(one.value)) for one in results.find("product_formula_infidelity")]
    said = [f"The norm stays one within {norm:.1e}."]
    if off:
        said.append(
            f"Against exact evolution the final states have an infidelity of at most {max(off):.1e}: that is "
            f"the error of the product formula."
        )
    return [" ".join(said), ""]


def _meaning(spec: SpinChainSpec, results: Results) -> list[str]:
    said = []
    for one in results.find("magnetisation"):
        said.append(_moves(spec, one))
    if any(start.kind == "haar" for start in spec.initial):
        size = 2**spec.n_qubits
        said.append(
            f"- A Haar-random state is already as mixed up as a state can be: each <Z_i> is small, about "
            f"1/sqrt({size} + 1) = {1 / np.sqrt(size + 1):.3f}, and"
            " stays so. What evolves is this small pattern; it tells what the dynamics keeps and what it turns over."
        )
    said += [_regime(case) for case in spec.cases if case.patterns and _regime(case)]
    if spec.method == "floquet":
        said += _kicks(spec)
    return said


def _moves(spec: SpinChainSpec, one: Record) -> str:
    values = np.asarray(one.value, dtype=float)
    fixed = np.abs(values.mean(axis=0)).mean()
    swing = values.std(axis=0).mean()
    labels = ", ".join(f"{name} {value}" for name, value in one.labels.items())
    kind = (
        "stripes that hardly move"
        if swing < 0.5 * fixed
        else "oscillations at every site"
        if swing > 2 * fixed
        else "a pattern that keeps part of its mean"
    )
    return (
        f"- Magnetisation ({labels}): time averages of about {fixed:.4f}, swings of about {swing:.4f} around "
        f"them - {kind}."
    )


def _regime(case: Case) -> str:
    """What dominates a Hamiltonian of ZZ couplings and transverse fields."""
    bonds = sum(abs(one.coefficient) for one in case.patterns if one.letters == "ZZ")
    field = sum(abs(one.coefficient) for one in case.patterns if one.letters in ("X", "Y"))
    others = [one for one in case.patterns if one.letters not in ("ZZ", "X", "Y", "Z")]
    if others or not bonds or not field:
        return ""
    if bonds > field:
        return (
            f"- {_told(case)}: the coupling exceeds the transverse field ({bonds:g} against {field:g}), the "
            f"ordered (ferromagnetic for a negative sign) regime."
            " Z_i nearly commutes with the Hamiltonian; a field can flip a spin only by paying for domain "
            "walls, so the pattern of <Z_i> freezes into stripes."
        )
    return (
        f"- {_told(case)}: the transverse field exceeds the coupling ({field:g} against {bonds:g}), the "
        f"paramagnetic regime. Every spin precesses about the field with"
        f" nearly its own frequency 2 h = {2 * field:g}; <Z_i> oscillates fast at all sites, and the weak "
        f"coupling dephases them slowly."
    )


def _kicks(spec: SpinChainSpec) -> list[str]:
    said = []
    for case in spec.cases:
        kick = [one.coefficient for layer in case.layers for one in layer if one.letters in ("X", "Y")]
        if kick:
            turns = [f"{2 * abs(angle):.4g} rad ({2 * abs(angle) / np.pi:.3f} pi)" for angle in kick]
            said.append(
                f"- {_told(case)}: the kick exp(-i h sum X) turns each spin by 2 h = {', '.join(turns)}; "
                f"only at odd multiples of pi would it flip all spins and leave the"
                " period doubled. In between, kicks and ZZ layers do not commute, energy is not conserved, "
                "and a chain without other conserved quantities heats towards"
                " infinite temperature, where local magnetisations vanish but for finite-size noise; a "
                "pattern that persists would be a sign of broken ergodicity. The"
                " kicked Ising chain without a longitudinal field is integrable (free fermions), so its "
                "revivals and structure outlast those of a chaotic chain."
            )
    return said
