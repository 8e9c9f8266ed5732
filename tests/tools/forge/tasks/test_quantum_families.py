"""Families of control, exciton dynamics, variational circuits and tensor networks: scripts, judgements, small tasks."""

from __future__ import annotations

import ast
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from forge_bench import run_spec
from tiers import sampled

from labwright.tools.forge.tasks.control import FAMILY as CONTROL
from labwright.tools.forge.tasks.control.card import ControlCard
from labwright.tools.forge.tasks.heom import FAMILY as HEOM
from labwright.tools.forge.tasks.heom.card import ExcitonCard
from labwright.tools.forge.tasks.results import Axis, Record, Results
from labwright.tools.forge.tasks.task_type import Family
from labwright.tools.forge.tasks.tensor_network import FAMILIES
from labwright.tools.forge.tasks.tensor_network.cards import DrivenCard, GroundCard, Observable, ThermalCard, symmetry
from labwright.tools.forge.tasks.vqe import FAMILY as VQE
from labwright.tools.forge.tasks.vqe.card import VqeCard
from labwright.tools.forge.tasks.vqe.solver import main as vqe_main
from labwright.tools.forge.toolset.builtin_tools import Toolbox

GROUND, THERMAL, DRIVEN = FAMILIES


LAMBDA_CARD = {
    "title": "Lambda", "levels": [1, 2, 3], "start": 1, "target": 3, "time": 12, "slots": 80, "guess_scale": 0.5,
    "controls": {"pump": "hc(ket(1)*bra(2))", "stokes": "hc(ket(2)*bra(3))"}, "penalties": {"2": 0.5},
}  # fmt: skip
LAMBDA = ControlCard.model_validate(LAMBDA_CARD).compiled()
SHAPED = ControlCard.model_validate(LAMBDA_CARD | {"first_guess": "counter_intuitive", "penalties": {}}).compiled()
DIMER = ExcitonCard(
    title="Dimer", hamiltonian=[[100, 60], [60, 0]], temperatures=[300, 77], reorganization=20, cutoff_time=50, depth=3,
    terms=1, start=0, time=300, records=31, coherences=[[0, 1]], wanted=["purity"],
).compiled()  # fmt: skip
H2 = VqeCard(title="H2", molecule="H2", atoms=["H 0 0 0", "H 0 0 d"], sweep={"d": [0.6, 0.75, 0.9]})
CLUSTER_CARD = {
    "title": "Cluster", "sizes": [5, 7], "boundary": "periodic", "sweep": {"theta": [0.2, 0.5, 0.7, 0.9, 1.2, 1.5]},
    "hamiltonian": {"ZXZ": "-cos(theta)", "X": "-sin(theta)"}, "bond_dimension": 20,
    "observables": [{"kind": "string"}], "wanted": ["critical_point"],
}  # fmt: skip
CLUSTER = GroundCard.model_validate(CLUSTER_CARD).compiled()
HEISENBERG = GroundCard(
    title="Heisenberg", sizes=[8], hamiltonian={a * 2: 0.25 for a in "XYZ"}, bond_dimension=30,
    observables=[Observable(kind="entropy"), Observable(kind="correlator", letters="ZZ", scale=0.25)],
).compiled()  # fmt: skip
HUBBARD = ThermalCard(
    title="Hubbard", model="hubbard", sites=4, hopping=1, interaction=4, betas="linspace(0, 1, 5)", step=0.125
).compiled()
SPINS = ThermalCard(
    title="XXZ", model="xyz", sites=4, exchange=[1, 1, 0.5], betas=[0, 0.5, 1], step=0.1, wanted=["entropy"]
).compiled()
DRIVE = DrivenCard.model_validate({
    "title": "Drive", "sites": 5, "sweep": {"epsilon": [0, 0.2]}, "periods": 4, "start": [0, 0, 1], "dt": 0.1,
    "disorder_width": 1, "realisations": 2, "bond_dimension": 16, "axis": "z", "spin_scale": 1, "bulk": [1, 2, 3],
    "segments": [
        {"time": 1, "terms": {"X": "1.5*(1 - epsilon)"}}, {"time": 1, "terms": {"ZZ": 0.3}, "disorder": {"Z": 1}},
    ],
}).compiled()  # fmt: skip
ALL: list[tuple[Family[Any], Any]] = [
    (CONTROL, LAMBDA), (CONTROL, SHAPED), (HEOM, DIMER), (VQE, H2), (GROUND, CLUSTER), (GROUND, HEISENBERG),
    (THERMAL, HUBBARD), (THERMAL, SPINS), (DRIVEN, DRIVE),
]  # fmt: skip
PACKAGES = {"control": "qutip_qtrl", "heom": "qutip", "vqe": "tequila"}


@pytest.mark.parametrize(("family", "spec"), ALL, ids=lambda one: one.name if isinstance(one, Family) else one.title)
def test_scripts_are_python_and_use_what_they_need(family: Family[Any], spec: Any) -> None:
    needs = list(family.tools(spec))
    assert set(needs) <= set(Toolbox().contracts)
    scripts = family.scripts(spec, {name: f"tools.dynamics.{name}" for name in needs})
    whole = "\n".join(one.source for one in scripts)
    for one in scripts:
        ast.parse(one.source)
        assert one.wall_seconds >= 60
    for name in needs:
        assert f"from tools.dynamics.{name} import" in whole


@pytest.mark.parametrize(("family", "spec"), ALL, ids=lambda one: one.name if isinstance(one, Family) else one.title)
def test_nothing_there_is_never_right(family: Family[Any], spec: Any) -> None:
    judged = family.judge(spec, Results(), {})
    assert any(not one.passed and one.fault == "script_incomplete" for one in judged)
    assert any(not one.passed and one.fault == "result_incomplete" for one in judged)


def _record(quantity: str, value: Any, axes: list[Axis] | None = None, **labels: Any) -> Record:
    return Record(quantity=quantity, value=value, axes=axes or [], labels=labels)


def test_a_low_fidelity_and_a_disagreement_are_seen() -> None:
    rows = [_record("fidelity", 0.8), _record("optimiser_fidelity", 0.9), _record("norm_error", 1e-9)]
    failed = {one.name for one in CONTROL.judge(LAMBDA, Results(records=rows), {}) if not one.passed}
    assert {"fidelity", "verification"} <= failed


def test_lost_trace_and_negative_populations_are_seen() -> None:
    good = [[1.0, 0.0]] + [[0.6, 0.4]] * 30
    for bad, name in (([[1.0, 0.0]] + [[0.6, 0.3]] * 30, "trace"), ([[1.0, 0.0]] + [[1.2, -0.2]] * 30, "positivity")):
        rows = [_record("population", one, temperature=t) for one, t in ((good, 300.0), (bad, 77.0))]
        judged = HEOM.judge(DIMER, Results(records=rows), {"img/populations.png": {}})
        failed = [one.name for one in judged if not one.passed]
        assert failed == [f"{name} temperature 77"]


def test_energies_below_the_exact_ones_are_seen() -> None:
    def judged(vqe: list[float]) -> list[str]:
        rows = [
            _record("energy", values, method=name, molecule="H2")
            for name, values in (("vqe", vqe), ("fci", [-1.1] * 3), ("hf", [-1.0] * 3))
        ]
        return [one.name for one in VQE.judge(H2, Results(records=rows), {"img/energies.png": {}}) if not one.passed]

    assert judged([-1.1, -1.0999, -1.0995]) == []
    assert judged([-1.1, -1.1001, -1.1]) == ["variational bound H2"]
    assert judged([-1.1, -1.09, -1.1]) == ["accuracy H2"]


def test_geometries_whose_circuits_differ_in_parameters_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A square has fewer amplitudes that do not vanish than a rectangle; each parameter keeps its place by name."""
    kept: dict[str, Any] = {}
    monkeypatch.setattr(vqe_main, "record", lambda quantity, value, **more: kept.update({quantity: value}))
    monkeypatch.setattr(vqe_main, "parameter", lambda **more: None)

    def solver(positions: Any, start: list[float], **more: Any) -> SimpleNamespace:
        names = ["a"] if positions[1][2] == 1 else ["b", "a"]
        if start and len(start) != len(names):
            raise ValueError("`start` has another number of values than the circuit has parameters.")
        numbers = {"n_electrons": 2, "n_qubits": 4, "n_terms": 15, "variance": 0.0}
        return SimpleNamespace(
            energy=-1.0, hartree_fock=-0.9, names=names, parameters=[0.1, 0.2][: len(names)], **numbers
        )

    tools = SimpleNamespace(molecular_vqe=solver, casci_states=lambda **more: SimpleNamespace(energies=[-1.0]))
    card = VqeCard(molecule="H2", atoms=["H 0 0 0", "H 0 0 d"], sweep={"d": [1, 2, 3]})
    given = card.model_dump(mode="json") | {"circuits": card.circuits}
    vqe_main.computed(given, tools, asdict(card.scans()[0]))
    assert kept["optimal_parameters"] == [[0.1, 0.0], [0.2, 0.1], [0.2, 0.1]]


def test_a_rising_energy_and_shifted_occupations_are_seen() -> None:
    beta = [0.0, 0.25, 0.5, 0.75, 1.0]
    ones = [[1.0] * 4] * 5

    def judged(energy: list[float], total: list[list[float]]) -> set[str]:
        half = [[value / 2 for value in row] for row in total]
        rows = [
            _record("energy_per_site", energy),
            _record("grand_energy_per_site", [one - 2 for one in energy]),
            _record("occupation", total, spin="total"),
            _record("occupation", half, spin="up"),
            _record("occupation", half, spin="down"),
            _record("double_occupancy", [0.25, 0.2, 0.17, 0.15, 0.14]),
            _record("step_effect", 1e-5),
            _record("truncation_error", [0.0] * 5),
        ]
        assert len(energy) == len(beta)
        found = THERMAL.judge(HUBBARD, Results(records=rows), {"img/thermal.png": {}})
        return {one.name for one in found if not one.passed}

    falling = [1.0, 0.6, 0.3, 0.1, 0.0]
    assert judged(falling, ones) == set()
    assert judged([1.0, 0.6, 0.7, 0.1, 0.0], ones) == {"monotonic"}
    assert judged(falling, [*ones[:4], [1.1, 1.0, 1.0, 0.9]]) == {"half filling"}


def test_symmetries_are_those_that_all_patterns_have() -> None:
    def of(*strings: str) -> str:
        patterns = [{"letters": one, "offsets": list(range(len(one)))} for one in strings]
        return symmetry(patterns, [[1.0] * len(patterns)])

    assert of("ZZ", "X") == "parity_x"
    assert of("XX", "YY", "ZZ") == "sz"
    assert of("XX", "YY", "Z") == "parity_z"
    assert of("XX", "ZZ") == "parity_z"
    assert of("ZXZ", "X") == "parity_x"
    assert of("ZZ", "X", "Z") == "none"
    assert of("ZZ", "Z") == "parity_z"


@pytest.mark.parametrize(
    ("family", "spec"), sampled(ALL, 4, lambda one: f"{one[0].name}-{one[1].title}", ("slow", "nightly"))
)
def test_small_tasks_to_their_end(family: Family[Any], spec: Any, tmp_path: Path) -> None:
    pytest.importorskip(PACKAGES.get(family.name, "tenpy"))
    bench = run_spec(family, spec, tmp_path)
    assert bench.failed == []
    assert bench.figures
    assert len(bench.report) > 500


def test_points_that_ran_out_of_sweeps_count_only_with_a_tiny_error_bar() -> None:
    def judged(variance: float) -> bool:
        theta = [Axis(name="theta", values=CLUSTER.values)]
        made = [
            _record("energy", [-5.0] * 6, theta, N=5, method="dmrg"),
            _record("energy_variance", [1e-12] * 5 + [variance], theta, N=5),
            _record("converged", [True] * 5 + [False], theta, N=5),
        ]
        spec = GroundCard.model_validate(CLUSTER_CARD | {"sizes": [5]}).compiled()
        found = {one.name: one.passed for one in GROUND.judge(spec, Results(records=made), {})}
        return found["convergence N = 5"]

    assert judged(1e-8)
    assert not judged(1e-5)  # an error bar of 6e-4 of the energy
