"""Two-qubit experiments on the simulated pair, beside what the oracle knows."""

from __future__ import annotations

import numpy as np
import pytest

from labwright.tools.errors import FitError, InputError
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.conditional_stark import ConditionalStarkContinuous
from labwright.tools.experiments.named_state_circuits import prepared
from labwright.tools.experiments.pair_benchmarking_sequences import confusion, layered_sequence
from labwright.tools.experiments.qubit_pairs import pair_of
from labwright.tools.experiments.residual_zz import ResidualZz
from labwright.tools.experiments.sizzle_amplitude_search import SizzleAmplitudeAttempt
from labwright.tools.experiments.sizzle_policy import (
    Attempt,
    Situation,
    first_in,
    next_amplitude,
    next_drive,
    next_frequency,
)
from labwright.tools.experiments.stark_echo_tuneup import StarkEchoTuneup
from labwright.tools.experiments.state_tomography import StateTomography
from labwright.tools.experiments.thermal_population import thermal_population
from labwright.tools.experiments.tomography_estimation import (
    average_fidelity,
    chi_of,
    choi_of,
    effects,
    fidelity,
    most_likely_state,
    physical,
    settings_of,
    transfer_matrix,
    unitary_transfer,
)
from labwright.tools.experiments.two_qubit_cliffords import (
    SIZE,
    element_layers,
    inverse_layers,
    random_clifford,
    unitary,
)
from labwright.tools.experiments.zz_fit import fit_zz
from labwright.tools.qpu.oracle_pair import pair_error, zz_rate
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.qpu.truth import paper_device

PAIRS = (("Q1", "Q2"), ("Q1", "Q8"))
DRIVE = {"frequency": 4759.0, "amplitude_first": 0.3477, "amplitude_second": 0.3463, "edge": 0.08}


def test_fit_recovers_what_made_the_signal() -> None:
    rng = np.random.default_rng(0)
    still, known = np.array([[1.0], [-1.0]]) * np.ones(30), np.full((2, 30), 0.05)
    for rate, common in ((0.61, 0.05), (-0.44, -0.3), (0.2, 0.0)):
        t = np.linspace(0.3, 3.3, 30)
        half = np.array([[-1.0], [1.0]]) * (0.3 + 2 * np.pi * rate * t) / 2
        clean = 0.9 * np.exp(-0.1 * t) * np.exp(-1j * (1.0 + 2 * np.pi * common * t + half))
        noisy = clean + 0.05 * (rng.standard_normal(clean.shape) + 1j * rng.standard_normal(clean.shape))
        fit = fit_zz(t, noisy, known, still, known, 0.0, "none")
        assert abs(fit["rate"] - rate) < 5 * fit.error("rate")
        assert fit.error("rate") < 0.01
        assert fit.reduced_chi_square < 1.6
    with pytest.raises(FitError, match="no oscillation"):
        fit_zz(t, 0.001 * noisy, 10 * known, still, known, 0.0, "none")


@pytest.mark.slow
@pytest.mark.parametrize(("frequency", "sign"), [(4752.0, 1), (4832.0, -1)])
def test_conditional_stark_shift_is_the_driven_zz_rate(device: SimulatedProcessor, frequency: float, sign: int) -> None:
    bench = Bench(device, "look")
    pair = pair_of(bench, "Q2", "Q1")
    assert pair.names == ("Q1", "Q2")
    look = ConditionalStarkContinuous(bench)
    look.run("Q1", "Q2", frequency, 0.3)
    report = look.report()
    assert report.verdict == "success", report
    drive = pair.driven(frequency, 0.3, 0.08)
    true = zz_rate(device.register(("Q1", "Q2")), frequency, (drive.amplitude_first, drive.amplitude_second))
    rate = report.estimates["zz_rate"]
    assert np.sign(rate.value) == sign
    assert abs(rate.value - true) < 4 * rate.error + 0.01 * abs(true)


def test_residual_zz_is_that_of_the_dressed_states(device: SimulatedProcessor) -> None:
    static = ResidualZz(Bench(device, "zz"))
    static.run("Q1", "Q2")
    report = static.report()
    assert report.verdict == "success", report
    rate = report.estimates["zz_rate"]
    assert abs(rate.value - 0.01509) < 4 * rate.error
    assert rate.error < 0.001


@pytest.mark.slow
def test_a_drive_on_a_transition_disturbs_the_control_and_says_so(device: SimulatedProcessor) -> None:
    look = ConditionalStarkContinuous(Bench(device, "look"))
    look.run("Q1", "Q2", 4882.0, 0.3)
    report = look.report()
    assert report.verdict == "wrong_setup"
    assert "lower the amplitude or move away" in report.diagnosis


def test_a_weak_drive_asks_for_a_longer_sweep(device: SimulatedProcessor) -> None:
    look = ConditionalStarkContinuous(Bench(device, "look"))
    look.run("Q1", "Q2", 4740.0, 0.05)
    assert look.report().proposal == {"stop": 9.0}


@pytest.mark.slow
def test_tune_up_makes_a_cz(device: SimulatedProcessor) -> None:
    device.settings.update("Q1-Q2", {**DRIVE, "duration": 0.44}, key="drive", reason="a search")
    tune = StarkEchoTuneup(Bench(device, "tune"))
    tune.run("Q1", "Q2", gates=24)
    report = tune.report()
    assert report.verdict == "success", report
    tune.update()
    gate = pair_error(device, "Q1-Q2")
    assert abs(gate.conditional_phase - 0.5) < 0.003
    assert gate.total - gate.best_turns < 2e-4
    assert gate.total < 0.014


def test_thermal_population_is_told_from_readout_errors(device: SimulatedProcessor) -> None:
    device.settings.update(
        "Q1", {"amplitude_pi": 1.03 * device.settings.current("Q1").amplitude_pi}, key="x", reason=""
    )
    found = thermal_population(Bench(device, "warm"), "Q1", 20000)
    assert found is not None
    assert found.error < 0.002
    assert abs(found.value - paper_device().qubit("Q1").thermal) < 4 * found.error
    assert found.value > 8 * found.error


def test_a_product_state_has_the_fidelity_of_a_warm_qubit_not_of_a_pure_one(device: SimulatedProcessor) -> None:
    tomography = StateTomography(Bench(device, "zero"))
    tomography.run("Q1", "zero", shots=20000)
    found = tomography.report().estimates["fidelity"]
    warm = paper_device().qubit("Q1").thermal
    assert abs(found.value - (1 - warm)) < 2 * found.error
    assert found.value < 1 - 2 * found.error


def test_pure_readout_follows_from_warm_references() -> None:
    warm, low, high = 0.02, 0.08, 0.7
    zero, one = (1 - warm) * low + warm * high, warm * low + (1 - warm) * high
    counts = np.round(1e7 * np.array([[1 - zero, zero], [1 - one, one]])).astype(np.int64)
    assert confusion(counts, 10**7, 1, [warm]) == pytest.approx(np.array([[0.92, 0.3], [0.08, 0.7]]), abs=1e-6)
    assert confusion(counts, 10**7, 1)[1] == pytest.approx([zero, one])


@pytest.mark.slow
def test_bell_state_of_a_tuned_gate(device: SimulatedProcessor) -> None:
    gate = {**DRIVE, "duration": 0.4528, "z_first": -np.pi / 2, "z_second": -np.pi / 2}
    device.settings.update("Q1-Q2", gate, key="gate", reason="a search")
    tomography = StateTomography(Bench(device, "bell"))
    tomography.run("Q1, Q2", "bell", shots=4000)
    report = tomography.report()
    assert report.verdict == "success", report
    assert tomography.rho is not None
    assert np.linalg.eigvalsh(tomography.rho)[0] > -1e-9
    fidelity_found = report.estimates["fidelity"]
    warm = [paper_device().qubit(name).thermal for name in ("Q1", "Q2")]
    assert fidelity_found.value == pytest.approx(0.985 * (1 - sum(warm)), abs=4 * fidelity_found.error)


def test_without_a_gate_nothing_is_entangled(device: SimulatedProcessor) -> None:
    with pytest.raises(InputError, match="no calibrated CZ"):
        StateTomography(Bench(device, "ghz")).run("Q2,Q1,Q8")
    with pytest.raises(InputError, match="No coupling joins"):
        prepared("ghz", ("Q2", "Q8"), PAIRS)
    with pytest.raises(InputError, match="not coupled"):
        pair_of(Bench(device, "x"), "Q2", "Q8")
    assert device.log == ()


@pytest.mark.parametrize("qubits", [("Q2", "Q1", "Q8"), ("Q1", "Q8", "Q2"), ("Q8", "Q1")])
def test_ghz_circuits_make_ghz_states(qubits: tuple[str, ...]) -> None:
    psi = prepared("ghz", qubits, PAIRS).state()
    assert abs(psi[0] + psi[-1]) ** 2 / 2 == pytest.approx(1.0)


def test_clifford_group_has_all_classes_and_inverses() -> None:
    czs = [sum(layer.cz for layer in element_layers(576 * k)) for k in range(SIZE // 576)]
    assert np.mean(czs) == 1.5
    rng = np.random.default_rng(1)
    for _ in range(20):
        layers = random_clifford(rng) + random_clifford(rng)
        both = layers + inverse_layers(unitary(layers))
        assert abs(np.trace(unitary(both))) == pytest.approx(4.0)
    closed = unitary(layered_sequence(rng, 5))
    assert abs(closed[0, 0]) == pytest.approx(1.0)


def test_most_likely_state_is_the_state_and_positive() -> None:
    rng = np.random.default_rng(2)
    psi = rng.standard_normal(4) + 1j * rng.standard_normal(4)
    psi /= np.linalg.norm(psi)
    rho = 0.9 * np.outer(psi, psi.conj()) + 0.1 * np.eye(4) / 4
    readout = np.kron([[0.9, 0.3], [0.1, 0.7]], [[0.92, 0.25], [0.08, 0.75]])
    measured = effects(2, readout)
    assert np.allclose(measured.sum(axis=1), np.eye(4))
    counts = rng.multinomial(50000, np.einsum("srab,ba->sr", measured, rho).real)
    found = most_likely_state(counts, measured)
    assert fidelity(found, psi) == pytest.approx(fidelity(rho, psi), abs=0.01)
    assert np.linalg.eigvalsh(found)[0] > -1e-9
    assert len(settings_of(3)) == 27


def test_transfer_choi_and_chi_of_a_cz() -> None:
    cz = np.diag([1, 1, 1, -1]).astype(complex)
    transfer = unitary_transfer(cz)
    choi = choi_of(transfer)
    assert np.trace(choi) == pytest.approx(1.0)
    assert np.linalg.eigvalsh(choi)[-1] == pytest.approx(1.0)
    assert np.allclose(physical(choi), choi, atol=1e-9)
    strong = np.argwhere(np.abs(chi_of(choi)) > 0.1)
    assert {int(k) for k in strong.ravel()} == {0, 3, 12, 15}
    assert average_fidelity(transfer, transfer) == pytest.approx(1.0)
    states = [np.outer(v, v.conj()) for v in np.linalg.qr(np.random.default_rng(3).standard_normal((4, 4)))[0]]
    states += [np.diag(np.roll([0.7, 0.3, 0, 0], k)).astype(complex) for k in range(4)]
    rng = np.random.default_rng(4)
    random = [rng.standard_normal((4, 4)) + 1j * rng.standard_normal((4, 4)) for _ in range(20)]
    states += [m @ m.conj().T / np.trace(m @ m.conj().T).real for m in random]
    measured = effects(2, np.eye(4))
    chances = np.array([np.einsum("srab,ba->sr", measured, cz @ s @ cz.conj().T).real for s in states])
    exact = np.round(chances * 1e9).astype(np.int64)
    assert np.allclose(transfer_matrix(exact, states, measured), transfer, atol=1e-5)


NOW = Situation((4888.0, 4795.0), (-197.0, -197.0), 0.35, (), 20, 36)


def tried(frequency: float, amplitude: float = 0.35, **more: float) -> Attempt:
    return Attempt(frequency, amplitude, "success", "clear lines", **{"zz_rate": 0.6, "duration": 0.45, **more})


def test_policy_looks_on_both_sides_of_the_lower_qubit_first_and_above_where_that_fails() -> None:
    now, seen = NOW, []
    for _ in range(5):
        advice = next_frequency(now)
        assert not advice.stop
        seen.append(now.region(advice.frequency))
        assert all(abs(advice.frequency - a.frequency) > 5 for a in now.attempts)
        assert next_amplitude(now, advice.frequency).amplitude == pytest.approx(0.35)
        now = Situation(*NOW_PARTS, (*now.attempts, Attempt(advice.frequency, 0.28, "failed", "moved")), 20, 36)
    assert seen == ["below", "below", "between", "between", "above"]


NOW_PARTS = (NOW.frequencies, NOW.anharmonicities, NOW.highest)


def test_policy_raises_after_success_lowers_after_failure_and_approaches_the_best() -> None:
    worked = Situation(*NOW_PARTS, (tried(4760.0, 0.26),), 20, 36)
    assert next_amplitude(worked, 4760.0).amplitude == 0.35
    failed = Situation(*NOW_PARTS, (Attempt(4760.0, 0.35, "failed", "moved"),), 20, 36)
    assert next_amplitude(failed, 4760.0).amplitude == pytest.approx(0.28)
    harmed = (*(tried(f, gate_error=0.02) for f in (4760.0, 4752.0)), tried(4740.0, duration=0.33, gate_error=0.03))
    weaker = next_drive(Situation(*NOW_PARTS, harmed, 20, 36))
    assert (weaker.frequency, weaker.amplitude) == (4740.0, pytest.approx(0.87 * 0.35))
    looked = (tried(4760.0, gate_error=0.012), tried(4830.0, gate_error=0.03), tried(4920.0, gate_error=0.05))
    advice = next_frequency(Situation(*NOW_PARTS, looked, 20, 36))
    assert advice.frequency == 4768.0  # nearer to the transition, in the best region
    assert next_frequency(Situation(*NOW_PARTS, looked, 0, 36)).stop
    assert next_drive(Situation(*NOW_PARTS, looked, 20, 1)).stop


def test_regions_begin_clear_of_the_other_transitions() -> None:
    far = Situation((4930.0, 4700.0), (-189.0, -272.0), 0.35, (), 20, 36)
    start = first_in(far, "between")
    assert start is not None
    assert abs(start - (4930.0 - 189.0)) >= 25.0


@pytest.mark.slow
def test_an_attempt_at_one_frequency_asks_for_amplitudes_and_keeps_the_gate(device: SimulatedProcessor) -> None:
    attempt = SizzleAmplitudeAttempt(Bench(device, "attempt"))
    attempt.run("Q1", "Q2", 4759.0)
    report = attempt.report()
    assert report.verdict == "success", report
    assert attempt.bench.acquisitions == 2  # a look and a benchmark: the full drive works
    attempt.update()
    assert device.settings.pair("Q1-Q2").calibrated
    error = report.estimates["gate_error"]
    assert abs(error.value - pair_error(device, "Q1-Q2").total) < 0.005
    hopeless = SizzleAmplitudeAttempt(Bench(device, "hopeless"))
    hopeless.run("Q1", "Q2", 4890.0)
    assert hopeless.report().verdict == "wrong_setup"
    assert len(hopeless.trials.attempts) == 2  # weaker after the failure, then no more


def test_a_region_that_a_line_divides_is_looked_at_in_both_parts() -> None:
    wide = Situation((4930.0, 4700.0), (-189.0, -272.0), 0.35, (), 20, 36)
    for _ in range(3):
        place = next_frequency(wide).frequency
        seen = (*wide.attempts, tried(place, gate_error=0.02))
        wide = Situation(wide.frequencies, wide.anharmonicities, 0.35, seen, 20, 36)
    below, *inside = sorted(a.frequency for a in wide.attempts)
    assert below < 4700 < inside[0] < 4741 < inside[1] < 4930
