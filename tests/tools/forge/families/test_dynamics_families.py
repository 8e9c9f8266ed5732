"""Families of circuits, open systems and chains: scripts, results, judgements and reports of small specifications."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import forge_bench
import numpy as np
import pytest
from scipy.linalg import expm

from labwright.agents.tool_forging.readers import circuits as circuits_reader
from labwright.agents.tool_forging.readers import open_system as open_system_reader
from labwright.agents.tool_forging.readers import spin_chain as spin_chain_reader
from labwright.tools.forge.families import circuits, open_system, spin_chain
from labwright.tools.forge.families.circuits.expand import conventions, operations
from labwright.tools.forge.families.circuits.spec import Case, CircuitSpec, Gate, Noise
from labwright.tools.forge.results import Record, Results

BELL = [Gate(name="h", qubits=[0]), Gate(name="cx", qubits=[0, 1])]
NOISY = CircuitSpec(
    n_qubits=2,
    cases=[
        Case(labels={"noise": p}, gates=BELL, noise=[Noise(kind="depolarizing", probability=p)]) for p in (0.0, 0.3)
    ],
    axis="noise", bases=["ZZ", "XX"], observables=["ZZ", "XX"], shots=4000,
)  # fmt: skip
EVERY = {"circuits": circuits, "open_system": open_system, "spin_chain": spin_chain}
READERS = {"circuits": circuits_reader, "open_system": open_system_reader, "spin_chain": spin_chain_reader}


def _task(family: str, text: str, folder: Path) -> forge_bench.Bench:
    return forge_bench.run_task(READERS[family].READER, EVERY[family].FAMILY, text, folder)


def _steps(case: Case, basis: str) -> tuple[list[tuple[str, tuple[int, ...], float | None]], str]:
    made, left = operations(case, 2, basis)
    return [(one["name"], tuple(one["qubits"]), one["value"]) for one in made], left


def test_noise_stands_where_its_convention_says() -> None:
    noise = Noise(kind="depolarizing", probability=0.3)
    every, left = _steps(Case(gates=BELL, noise=[noise]), "XX")
    assert left == "ZZ"
    assert every == [
        ("h", (0,), None), ("depolarizing", (0,), 0.3), ("cx", (0, 1), None), ("depolarizing", (0, 1), 0.3),
        ("h", (0,), None), ("depolarizing", (0,), 0.3), ("h", (1,), None), ("depolarizing", (1,), 0.3),
    ]  # fmt: skip
    still, left = _steps(Case(gates=BELL, noise=[noise.model_copy(update={"on_basis_change": False})]), "XX")
    assert (still, left) == (every[:4], "XX")
    later = noise.model_copy(update={"place": "after_preparation"})
    assert _steps(Case(gates=BELL, noise=[later]), "ZZ")[0][2:] == [
        ("depolarizing", (0,), 0.3),
        ("depolarizing", (1,), 0.3),
    ]
    pauli = noise.model_copy(update={"convention": "pauli", "place": "two_qubit_gates"})
    assert _steps(Case(gates=BELL, noise=[pauli]), "ZZ")[0][-1] == ("depolarizing", (0, 1), pytest.approx(0.32))
    readout = Noise(kind="readout", probability=0.1)
    assert _steps(Case(gates=[], noise=[readout]), "XZ")[0] == [
        ("h", (0,), None), ("bit_flip", (0,), 0.1), ("bit_flip", (1,), 0.1),
    ]  # fmt: skip


def test_other_readings_of_the_noise_are_computed_beside_the_chosen_one() -> None:
    assert len(conventions(NOISY)) == 3
    assert conventions(NOISY.model_copy(update={"cases": [Case(gates=BELL)]})) == {}


@pytest.mark.parametrize("name", EVERY)
def test_scripts_are_python_that_imports_the_tools_it_needs(name: str) -> None:
    texts = {
        "circuits": (
            "Use Qiskit: Hadamard on qubit 0, CNOT from qubit 0 to qubit 1, depolarizing noise with p = 0, 0.1; "
            "100 shots, <ZZ>."
        ),
        "open_system": (
            "A qubit with H = 0.5 X from |0>, C = 0.1 sigmam(); QuTiP, <Z>, purity and steady state, t = 0 to t "
            "= 5 with 11 points."
        ),
        "spin_chain": (
            "Use CUDA-Q: open chain of 4 qubits, H = -sum_i Z_i Z_{i+1} - 0.5 sum_i X_i, all spins up, total "
            "time 5 with 500 second-order steps."
        ),
    }
    reply = READERS[name].READER.read(forge_bench.TaskText(texts[name]))
    family: Any = EVERY[name].FAMILY
    recipes = [need.recipe for need in family.needs(reply.spec)]
    scripts = family.scripts(reply.spec, {recipe: f"tools.sub.{recipe}" for recipe in recipes})
    assert [script.subset for script in scripts] == ([True, False] if name == "spin_chain" else [False])
    for script in scripts:
        compile(script.source, name, "exec")
        assert all(
            f"from tools.sub.{recipe} import " in script.source
            for recipe in recipes
            if not (script.subset and "plot" in recipe)
        )
        assert "#" not in "".join(
            line for line in script.source.splitlines() if line.endswith(("EXACT", "WHOLE", "STEPS", "UNITARY"))
        )


def test_wrong_counts_are_seen() -> None:
    spec = NOISY.model_copy(update={"cases": NOISY.cases[:1], "axis": ""})
    fine = [
        Record(quantity="counts", labels={"basis": basis, "noise": 0.0}, value={"00": 2000, "11": 2000})
        for basis in spec.bases
    ]
    for name in ("expectation", "exact_expectation"):
        fine += [Record(quantity=name, labels={"observable": basis, "noise": 0.0}, value=1.0) for basis in spec.bases]
    figures = {"img/counts.png": {"kind": "bars"}}
    assert all(one.passed for one in circuits.FAMILY.judge(spec, Results(records=fine), figures))
    off = [one.model_copy(update={"value": 0.9}) if one.quantity == "expectation" else one for one in fine]
    few = [one.model_copy(update={"value": {"00": 5}}) if one.quantity == "counts" else one for one in fine]
    judged = {
        name: circuits.FAMILY.judge(spec, Results(records=records), figures)
        for name, records in (("off", off), ("few", few), ("none", []))
    }
    assert [one.name for one in judged["off"] if not one.passed] == ["agreement with the exact state"]
    assert [one.name for one in judged["few"] if not one.passed] == ["shots"]
    assert "deliverables" in [one.name for one in judged["none"] if not one.passed]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["Qiskit", "CUDA-Q"])
def test_a_noisy_pair_end_to_end(backend: str, tmp_path: Path) -> None:
    pytest.importorskip({"Qiskit": "qiskit_aer", "CUDA-Q": "cudaq"}[backend])
    text = (
        f"With {backend} make a Bell state by a Hadamard on qubit 0 and a CNOT from qubit 0 to qubit 1. Each "
        f"qubit then suffers a phase flip with probability 0, 0.1 and 0.25. 4000 shots in the Z and the X basis; "
        f"<ZZ> and <XX>, fidelity."
    )
    bench = _task("circuits", text, tmp_path)
    assert bench.failed == []
    for p in (0.0, 0.1, 0.25):
        x = (1 - 2 * p) ** 2
        assert bench.results.one("expectation", observable="ZZ", noise=p).value == 1
        assert bench.results.one("expectation", observable="XX", noise=p).value == pytest.approx(x, abs=0.08)
        assert bench.results.one("exact_expectation", observable="XX", noise=p).value == pytest.approx(x)
    assert {one["kind"] for one in bench.figures.values()} == {"bars", "lines"}
    assert "phase_flip" in bench.report


def test_exact_values_see_the_readout_and_draw_measures_together(tmp_path: Path) -> None:
    """<ZZ> falls by 1 - 2 e for each qubit that is read; the state's purity does not know of it."""
    text = (
        "Two qubits: RX(alpha) on qubit 0, then a CNOT from qubit 0 to qubit 1. alpha = 0, 60, 120 and 180 degrees. "
        "Each qubit is read wrongly with probability 0.1. Exact <ZI>, <ZZ>, the probability of 11, the purity, and the "
        "von Neumann entropy in nats."
    )
    bench = _task("circuits", text, tmp_path)
    assert bench.failed == []
    [curve] = [one for one in bench.results.find("expectation", observable="ZZ") if one.axes]
    assert (curve.axes[0].values, curve.axes[0].unit) == ([0, 60, 120, 180], "deg")
    assert np.allclose(np.array(curve.value), 0.8**2)
    for angle in (0.0, 60.0, 120.0, 180.0):
        one = (1 - math.cos(math.radians(angle))) / 2
        found = bench.results.one("probability", outcome="11", alpha=angle).value
        assert found == pytest.approx(one * 0.9**2 + (1 - one) * 0.1**2)
        assert bench.results.one("purity", alpha=angle).value == pytest.approx(1)
    assert {one.unit for one in bench.results.find("entropy")} == {"nat"}
    labels = [
        one["label"] for figure in bench.figures.values() for panel in figure["panels"] for one in panel["series"]
    ]
    assert labels == ["<ZI>", "<ZZ>", "P(11)", "purity", "entropy"]


def test_a_period_of_whole_layers_end_to_end(tmp_path: Path) -> None:
    """One excitation hops between two sites: exp(-i c (XX + YY)) turns it by the angle 2 c."""
    text = (
        "A kicked open chain of 2 spins. One period: first exp(-i 0.2 sum_j (X_j X_{j+1} + Y_j Y_{j+1} + Z_j "
        "Z_{j+1})), then "
        "exp(-i 0.3 sum_j (X_j + Z_j)). 4 periods. Start: initial state 10. <Z> of each site, return probability."
    )
    bench = _task("spin_chain", text, tmp_path)
    assert bench.failed == []
    x, z = np.array([[0, 1], [1, 0]], complex), np.diag([1, -1]).astype(complex)
    y, one = 1j * x @ z, np.eye(2)
    bond = expm(-0.2j * sum(np.kron(a, a) for a in (x, y, z)))
    kick = expm(-0.3j * (np.kron(x + z, one) + np.kron(one, x + z)))
    psi = start = np.eye(4)[2].astype(complex)
    for row, back in zip(
        bench.results.one("magnetisation", axis="z").value, bench.results.one("return_probability").value, strict=True
    ):
        weights = np.abs(psi) ** 2
        assert np.allclose(row, [weights @ [1, 1, -1, -1], weights @ [1, -1, 1, -1]], atol=1e-9)
        assert back == pytest.approx(float(abs(np.vdot(start, psi)) ** 2), abs=1e-9)
        psi = kick @ bond @ psi


@pytest.mark.slow
def test_an_open_qubit_end_to_end(tmp_path: Path) -> None:
    """Resonant drive and decay: the optical Bloch equations' steady state."""
    text = (
        "A qubit with H = 0.4 X starts in the ground and, in a second run, nothing else. Starting in the ground "
        "state, the collapse operator is C = sqrt(gamma) * sigmam() with gamma = 0.5. Use QuTiP: <Z> and <Y>, "
        "unitary and Lindblad, t = 0 to t = 60 with 301 points, and the steady state."
    )
    text = text.replace("starts in the ground and, in a second run, nothing else. ", "is driven on resonance. ")
    bench = _task("open_system", text, tmp_path)
    assert bench.failed == []
    limit = -1 / (1 + 2 * (0.8 / 0.5) ** 2)
    assert bench.results.one("steady_state", observable="Z").value == pytest.approx(limit)
    lindblad = bench.results.one("expectation", observable="Z", evolution="lindblad")
    assert isinstance(lindblad.value, list)
    assert lindblad.value[-1] == pytest.approx(limit, abs=1e-4)
    unitary = np.array(bench.results.one("expectation", observable="Z", evolution="unitary").value)
    times = np.array(lindblad.axes[0].values)
    assert np.abs(unitary + np.cos(0.8 * times)).max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "CUDA-Q"])
def test_a_chain_end_to_end(backend: str, tmp_path: Path) -> None:
    """Decoupled spins precess: <Z> = cos(2 h t)."""
    if backend == "CUDA-Q":
        pytest.importorskip("cudaq")
    text = (
        f"Use {backend}: an open chain of 3 qubits, H = -J sum_i Z_i Z_{{i+1}} - h sum_i X_i with J = 0 and h = "
        f"0.5, starts with all spins up; total time 3 with 60 second-order steps; magnetisation and energy."
    )
    bench = _task("spin_chain", text, tmp_path)
    assert bench.failed == []
    made = bench.results.one("magnetisation", axis="z")
    expected = [math.cos(time) for time in made.axes[0].values]
    assert np.allclose(np.array(made.value), np.array(expected)[:, None], atol=1e-6)
    assert bench.figures["img/magnetisation.png"]["kind"] == "heatmap"
