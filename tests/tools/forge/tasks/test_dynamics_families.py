"""Families of circuits and chains: scripts, results, judgements and reports of small specifications."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import forge_bench
import numpy as np
import pytest
from scipy.linalg import expm

from labwright.tools.forge.tasks import circuits, spin_chain
from labwright.tools.forge.tasks.circuits.card import CircuitCard
from labwright.tools.forge.tasks.circuits.solver import main as circuit_main
from labwright.tools.forge.tasks.circuits.solver.noisy_gate_list import Step, measured, undone
from labwright.tools.forge.tasks.results import Record, Results
from labwright.tools.forge.tasks.spin_chain.card import ChainCard

DEPOLARIZING = {"kind": "depolarizing", "probability": 0.3}
NOISY = CircuitCard.model_validate(
    {
        "qubits": 2, "gates": ["h 0", "cx 0 1"], "sweep": {"noise": [0, 0.3]}, "bases": ["ZZ", "XX"],
        "noise": [{"kind": "depolarizing", "probability": "noise"}], "observables": ["ZZ", "XX"], "shots": 4000,
    }
)  # fmt: skip
PRECESSING = {
    "qubits": 3, "start": "000", "hamiltonian": {"X": -0.5}, "time": 3, "steps": 60,
    "wanted": ["magnetisation", "energy"],
}  # fmt: skip


def chain(**fields: Any) -> Any:
    return ChainCard.model_validate(PRECESSING | fields).compiled()


LONG = chain(time=30, steps=5000)  # enough for a trial
EVERY = {"circuit": (circuits, NOISY.compiled()), "chain": (spin_chain, LONG)}


def changed(**fields: Any) -> CircuitCard:
    return CircuitCard.model_validate({**NOISY.model_dump(exclude_unset=True), **fields})


def steps(basis: str, *noise: dict[str, Any], gates: tuple[str, ...] = ("h 0", "cx 0 1")) -> list[tuple[Any, ...]]:
    [case] = changed(gates=gates, noise=noise, sweep={}).compiled().cases
    return [(one["name"], tuple(one["qubits"]), one["value"]) for one in measured(case, 2, basis)]


def test_noise_stands_where_the_card_says() -> None:
    every = [
        ("h", (0,), None), ("depolarizing", (0,), 0.3), ("cx", (0, 1), None), ("depolarizing", (0, 1), 0.3),
        ("h", (0,), None), ("depolarizing", (0,), 0.3), ("h", (1,), None), ("depolarizing", (1,), 0.3),
    ]  # fmt: skip
    assert steps("XX", DEPOLARIZING) == every
    still = {**DEPOLARIZING, "on_basis_change": False}
    assert steps("XX", still) == [*every[:4], every[4], every[6]]
    assert steps("XX", still, {**still, "kind": "bit_flip", "on_basis_change": True})[-1] == ("bit_flip", (1,), 0.3)
    assert steps("XX", {**DEPOLARIZING, "place": "one_qubit_gates"}) == every[:3] + every[4:]
    assert steps("ZZ", {**DEPOLARIZING, "place": "after_preparation"})[2:] == [every[5], every[7]]
    pauli = {**DEPOLARIZING, "convention": "pauli", "place": "two_qubit_gates"}
    assert steps("ZZ", pauli)[-1] == ("depolarizing", (0, 1), pytest.approx(0.32))
    assert steps("XZ", {"kind": "readout", "probability": 0.1}, gates=()) == [
        ("h", (0,), None), ("bit_flip", (0,), 0.1), ("bit_flip", (1,), 0.1),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("sampled", [True, False])
def test_a_noiseless_target_is_what_the_gates_give_in_every_case(sampled: bool, tmp_path: Path) -> None:
    """A state c|00> + s|11> whose phase flips with p: the overlap with itself is 1 - p sin(a)^2."""
    card = changed(
        sweep={"a": [0.4, 1.1, 2.0]}, gates=["ry(a) 0", "s 0", "cx 0 1"], target="noiseless", sampled=sampled,
        noise=[{"kind": "phase_flip", "probability": 0.2, "place": "after_preparation", "qubits": [0]}],
        wanted=["fidelity", "entanglement_entropy"],
    )  # fmt: skip
    bench = forge_bench.run_spec(circuits.FAMILY, card.compiled(), tmp_path)
    assert bench.failed == []
    for a in (0.4, 1.1, 2.0):
        assert bench.results.one("fidelity", a=a).value == pytest.approx(1 - 0.2 * math.sin(a) ** 2)
        p = math.cos(a / 2) ** 2
        entropy = -p * math.log2(p) - (1 - p) * math.log2(1 - p)
        assert bench.results.one("entanglement_entropy", a=a).value == pytest.approx(entropy)
    assert "Meant state: that of the same gates without noise." in bench.report


def test_exact_values_are_called_so_where_nothing_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    given = changed(sampled=False, sweep={}, noise=[], bases=[]).compiled().given
    monkeypatch.setattr(circuit_main, "record", lambda *one, **more: None)
    found = SimpleNamespace(expectations=[1.0, 0.5])
    kept: Any = []
    circuit_main.exact_values(
        given, SimpleNamespace(circuit_density_matrix=lambda **more: found), given["cases"][0], kept
    )
    for name in ("expectation", "exact_expectation"):
        assert [one[2] for one in kept if one[0] == name] == [1.0, 0.5]


def test_gates_are_undone_by_their_inverses() -> None:
    texts = ["h 0", "s 0", "t 1", "rx(0.3) 1", "p(1.1) 0", "cx 0 1", "ch 1 0", "crz(0.7) 0 1", "tdg 0", "swap 0 1"]
    [case] = changed(gates=texts, noise=[], sweep={}).compiled().cases
    recipe = forge_bench.recipe("circuit_density_matrix")
    whole: list[Step] = measured(case, 2, "ZZ") + undone(case["gates"])
    given = recipe.CircuitDensityMatrixInput(n_qubits=2, operations=whole)
    assert recipe.circuit_density_matrix(given).probabilities == {"00": pytest.approx(1)}


@pytest.mark.parametrize("name", EVERY)
def test_scripts_are_python_that_imports_the_tools_it_needs(name: str) -> None:
    module, spec = EVERY[name]
    family: Any = module.FAMILY
    recipes = list(family.tools(spec))
    scripts = family.scripts(spec, {recipe: f"tools.sub.{recipe}" for recipe in recipes})
    assert [script.subset for script in scripts] == ([True, False] if name == "chain" else [False])
    for script in scripts:
        compile(script.source, name, "exec")
        assert all(f"from tools.sub.{recipe} import " in script.source for recipe in recipes)


def test_wrong_counts_are_seen() -> None:
    spec = changed(sweep={"noise": [0]}).compiled()
    fine = [
        Record(quantity="counts", labels={"basis": basis, "noise": 0.0}, value={"00": 2000, "11": 2000})
        for basis in ("ZZ", "XX")
    ]
    for name in ("expectation", "exact_expectation"):
        fine += [Record(quantity=name, labels={"observable": basis, "noise": 0.0}, value=1.0) for basis in ("ZZ", "XX")]
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
@pytest.mark.parametrize("backend", ["qiskit", "cudaq"])
def test_a_noisy_pair_end_to_end(backend: str, tmp_path: Path) -> None:
    pytest.importorskip({"qiskit": "qiskit_aer", "cudaq": "cudaq"}[backend])
    card = changed(
        sweep={"noise": [0, 0.1, 0.25]}, backend=backend, target="ket(00) + ket(11)", wanted=["fidelity"], chsh=True,
        noise=[
            {"kind": "phase_flip", "place": "after_preparation", "probability": "noise"},
            {"kind": "readout", "probability": 0.05, "qubits": [0]},
        ],
    )  # fmt: skip
    bench = forge_bench.run_spec(circuits.FAMILY, card.compiled(), tmp_path)
    assert bench.failed == []
    for p in (0.0, 0.1, 0.25):
        x = (1 - 2 * p) ** 2
        assert bench.results.one("expectation", observable="ZZ", noise=p).value == pytest.approx(0.9, abs=0.04)
        assert bench.results.one("expectation", observable="XX", noise=p).value == pytest.approx(0.9 * x, abs=0.08)
        assert bench.results.one("exact_expectation", observable="XX", noise=p).value == pytest.approx(0.9 * x)
        # errors of the readout act after the turns: every correlator loses the same factor
        chsh = 0.9 * math.sqrt(2) * (1 + x)
        assert bench.results.one("chsh", noise=p).value == pytest.approx(chsh, abs=0.12)
    assert {one["kind"] for one in bench.figures.values()} == {"bars", "lines"}
    assert "phase_flip" in bench.report


@pytest.mark.slow
def test_exact_values_see_the_readout_and_draw_measures_together(tmp_path: Path) -> None:
    """<ZZ> falls by 1 - 2 e for each qubit that is read; the state's purity does not know of it."""
    card = CircuitCard.model_validate(
        {
            "qubits": 2, "sweep": {"alpha": [0, 60, 120, 180]}, "sweep_unit": "deg", "sampled": False,
            "gates": ["rx(alpha*deg) 0", "cx 0 1"], "noise": [{"kind": "readout", "probability": 0.1}],
            "observables": ["ZI", "ZZ"], "outcomes": ["11"], "wanted": ["purity", "entropy"], "entropy_unit": "nat",
        }
    )  # fmt: skip
    bench = forge_bench.run_spec(circuits.FAMILY, card.compiled(), tmp_path)
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


@pytest.mark.slow
def test_a_period_of_whole_layers_end_to_end(tmp_path: Path) -> None:
    """One excitation hops between two sites: exp(-i c (XX + YY)) turns it by the angle 2 c."""
    period = [{p + p: 0.2 for p in "XYZ"}, dict.fromkeys("XZ", 0.3)]
    spec = ChainCard.model_validate(
        {"qubits": 2, "start": "10", "period": period, "steps": 2, "wanted": ["magnetisation", "return_probability"]}
    ).compiled()
    bench = forge_bench.run_spec(spin_chain.FAMILY, spec, tmp_path)
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
@pytest.mark.parametrize("backend", ["numpy", "cudaq"])
def test_a_chain_end_to_end(backend: str, tmp_path: Path) -> None:
    """Decoupled spins precess: <Z> = cos(2 h t)."""
    if backend == "cudaq":
        pytest.importorskip("cudaq")
    bench = forge_bench.run_spec(spin_chain.FAMILY, chain(backend=backend), tmp_path)
    assert bench.failed == []
    made = bench.results.one("magnetisation", axis="z")
    expected = [math.cos(time) for time in made.axes[0].values]
    assert np.allclose(np.array(made.value), np.array(expected)[:, None], atol=1e-6)
    assert bench.figures["img/magnetisation.png"]["kind"] == "heatmap"
