"""Joint programs on the simulated processor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from labwright.tools.errors import HardwareLimitError, InputError, UnknownQubitError
from labwright.tools.qpu.crosstalk import felt_channels
from labwright.tools.qpu.dynamics import Tone, Transmon
from labwright.tools.qpu.joint_acquisition import components, level_populations, outcome_chances
from labwright.tools.qpu.joint_playback import Player, joint_populations
from labwright.tools.qpu.joint_program import NOTHING, JointProgram, Stark, Turn, one_qubit, slot_times
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.program import Delay, Program, Pulse
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated
from labwright.tools.qpu.starting_settings import choose
from labwright.tools.qpu.transmon_register import register
from labwright.tools.qpu.truth import DeviceTruth, paper_device

EXACT: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


@pytest.fixture
def device(tmp_path: Path) -> SimulatedProcessor:
    return open_simulated(tmp_path / "device", 5, EXACT)


def half_turn(device: SimulatedProcessor, qubit: str) -> Pulse:
    settings = device.settings.current(qubit)
    return Pulse(settings.amplitude_pi, settings.pulse_duration, drag=settings.drag)


def row(*slots: tuple[int, ...]) -> np.ndarray:
    return np.array(slots, dtype=np.intp)


def test_uncoupled_qubits_that_do_not_hear_each_other_are_two_one_qubit_programs() -> None:
    truths = [replace(paper_device().qubit(name), crosstalk=0.0) for name in ("Q1", "Q2")]
    transmons = [Transmon(truths[0], 0.4), Transmon(truths[1], -0.2)]
    alphabet = (Pulse(0.2, 0.03, drag=0.5), Pulse(0.1, 0.06, "square", 1.0), Delay(1.0))
    order = np.array([0, 2, 1])
    same = JointProgram(("Q1", "Q2"), (alphabet, alphabet), (np.stack([order, order], axis=1),))
    both = joint_populations(register(transmons, [0.0, 0.0], []), same)[0].reshape(4, 4)
    alone = [populations(t, Program("Q1", alphabet, (order,)))[0] for t in transmons]
    assert np.allclose(both, np.outer(*alone), atol=1e-6)


def test_a_long_wait_is_many_short_ones(device: SimulatedProcessor) -> None:
    """A control that falls at any moment of it lets the target turn the other way from then on."""
    player = Player(device.register(("Q1", "Q2")), np.zeros((1, 2)))
    plus, one = np.zeros(4), np.zeros(4)
    plus[:2], one[1] = 2**-0.5, 1.0
    psi = np.kron(one, plus)
    begun = np.outer(psi, psi).astype(complex)[None, None]
    whole = player.play_slot((Delay(80.0), Delay(80.0)), begun)[0, 0]
    parts = begun
    for _ in range(400):
        parts = player.play_slot((Delay(0.2), Delay(0.2)), parts)
    coherence = [np.einsum("abac->bc", rho.reshape(4, 4, 4, 4))[0, 1] for rho in (whole, parts[0, 0])]
    assert abs(coherence[0] - coherence[1]) < 3e-4


def loud(a: str, b: str) -> list[Transmon]:
    """Two qubits at -20 dB of drive crosstalk."""
    return [Transmon(replace(paper_device().qubit(name), crosstalk=0.1), 0.0) for name in (a, b)]


def test_a_pulse_beside_another_feels_its_crosstalk() -> None:
    transmons = loud("Q2", "Q8")
    frames = [transmon.truth.frequency for transmon in transmons]
    own, other = Pulse(0.2, 0.03, drag=0.5), Pulse(0.35, 0.03, phase=1.0, drag=0.5)
    sequences = (row(*[(0, 0)] * 20), row(*[(0, NOTHING)] * 20), row(*[(NOTHING, 0)] * 20))
    program = JointProgram(("Q2", "Q8"), ((own,), (other,)), sequences)
    got = joint_populations(register(transmons, frames, []), program).reshape(3, 4, 4).sum(axis=2)
    truth = transmons[1].truth
    tone = Tone(frames[1] - frames[0], replace(other, phase=0.0), 1.0, truth.compression, truth.anharmonicity)
    for found, operation, tones in zip(got, (own, own, Delay(0.03)), ((tone,), (), (tone,)), strict=True):
        state = transmons[0].thermal_state()
        for _ in range(20):
            state = felt_channels(replace(transmons[0], tones=tones), (operation,))[0] @ state
        assert np.allclose(found, state.reshape(4, 4).diagonal().real, atol=1e-4)  # slow detuning is averaged besides
    assert np.abs(got[0] - got[1]).max() > 0.005


def test_groups_hear_each_other_and_wait_for_each_other() -> None:
    transmons = loud("Q2", "Q8")
    frames = [transmon.truth.frequency for transmon in transmons]
    alphabets = ((Pulse(0.2, 0.03), Delay(0.2)), (Pulse(0.3, 0.03, phase=0.4), Pulse(0.3, 0.03, phase=1.4), Delay(2.0)))
    sequences = (row(*[(0, 0), (0, 1)] * 10), row((0, NOTHING), (NOTHING, 2), (0, 1)), np.zeros((0, 2), np.intp))
    program = JointProgram(("Q2", "Q8"), alphabets, sequences)
    whole = joint_populations(register(transmons, frames, []), program).reshape(3, 4, 4)
    alone = [register([transmon], [frame], []) for transmon, frame in zip(transmons, frames, strict=True)]
    first, second = level_populations(program, [["Q2"], ["Q8"]], alone)
    assert np.allclose(first, whole.sum(axis=2), atol=1e-5)
    assert np.allclose(second, whole.sum(axis=1), atol=1e-5)


def test_what_is_too_far_to_be_heard_still_takes_its_time() -> None:
    transmon = Transmon(paper_device().qubit("Q1"), 0.0)
    near, far = register([transmon], [4888.0], []), register([Transmon(paper_device().qubit("Q2"), 0.0)], [4000.0], [])
    program = JointProgram(("Q1", "Q2"), ((Pulse(0.17, 0.03),), (Delay(50.0),)), (row((0, NOTHING), (NOTHING, 0)),))
    first, _ = level_populations(program, [["Q1"], ["Q2"]], [near, far])
    expected = populations(transmon, Program("Q1", (Pulse(0.17, 0.03), Delay(50.0)), (np.array([0, 1]),)))
    assert np.allclose(first, expected, atol=1e-4)


def test_shared_beginnings_and_different_lengths_give_what_each_sequence_gives_alone() -> None:
    truths = [paper_device().qubit(name) for name in ("Q1", "Q2")]
    its = register([Transmon(t, 0.1) for t in truths], [t.frequency for t in truths], [(0, 1, 0.76)])
    alphabet = (Pulse(0.2, 0.03), Delay(0.5), Turn(0.7), Stark(4750.0, 0.2, 0.4))
    sequences = (
        row((0, 0), (1, NOTHING), (0, 2)),
        row((0, 0), (3, 3), (0, 0), (NOTHING, 0)),
        row((0, 0)),
        np.zeros((0, 2), np.intp),
        row((0, 0), (1, NOTHING), (2, 0)),
    )
    together = joint_populations(its, JointProgram(("Q1", "Q2"), (alphabet, alphabet), sequences))
    for sequence, expected in zip(sequences, together, strict=True):
        alone = joint_populations(its, JointProgram(("Q1", "Q2"), (alphabet, alphabet), (sequence,)))
        assert np.allclose(alone[0], expected, atol=1e-9)
    assert np.allclose(together.sum(axis=1), 1, atol=1e-6)


def test_a_virtual_z_turns_the_axis_of_the_next_pulse() -> None:
    truth = paper_device().qubit("Q1")
    its = register([Transmon(truth, 0.0)], [truth.frequency], [])
    quarter = 0.18
    alphabet = (Pulse(quarter, 0.03, drag=0.5), Turn(np.pi / 2), Pulse(quarter, 0.03, phase=-np.pi / 2, drag=0.5))
    turned, moved = joint_populations(its, JointProgram(("Q1",), (alphabet,), (row((0,), (1,), (0,)), row((0,), (2,)))))
    assert np.allclose(turned, moved, atol=1e-9)


def test_slots_last_as_long_as_their_longest_operation() -> None:
    program = JointProgram(
        ("Q1", "Q2"), ((Pulse(0.1, 0.03), Turn(1.0)), (Delay(0.5),)), (row((0, 0), (1, NOTHING), (0, NOTHING)),)
    )
    assert slot_times(program)[0].tolist() == [0.5, 0.0, 0.03]


def test_joint_counts_come_back_once_and_survive_a_restart(device: SimulatedProcessor, tmp_path: Path) -> None:
    alphabets = tuple((half_turn(device, name),) for name in ("Q1", "Q2"))
    sequences = (np.zeros((0, 2), np.intp), row((0, NOTHING)), row((NOTHING, 0)), row((0, 0)))
    program = JointProgram(("Q1", "Q2"), alphabets, sequences, 4000)
    got = device.acquire(program, "bell")
    assert got.counts is not None
    assert got.counts.shape == (4, 4)
    assert (got.counts.sum(axis=1) == 4000).all()
    assert got.counts.argmax(axis=1).tolist() == [0, 2, 1, 3]
    clock = device.clock
    device.close()
    again = open_simulated(tmp_path / "device", 5, EXACT)
    assert again.status("bell") == "done"
    assert np.array_equal(again.acquire(program, "bell").counts, got.counts)
    assert again.clock == clock


def test_marginals_are_the_sums_of_the_joint_counts(device: SimulatedProcessor) -> None:
    names = ("Q2", "Q1", "Q8")
    alphabets = tuple((half_turn(device, name),) for name in names)
    sequences = (row((0, NOTHING, NOTHING)), row((NOTHING, 0, 0)))
    joint = device.acquire(JointProgram(names, alphabets, sequences, 20000), "a").counts
    ones = device.acquire(JointProgram(names, alphabets, sequences, 20000, "marginals"), "b").counts
    assert joint is not None
    assert ones is not None
    assert joint.shape == (2, 8)
    bits = np.arange(8)[:, None] >> np.array([2, 1, 0]) & 1
    assert np.allclose(joint @ bits, ones, atol=5 * np.sqrt(20000 / 4) * np.sqrt(2))


def test_coupling_changes_nothing_for_one_qubit(tmp_path: Path) -> None:
    """A one-qubit program sees the dressed qubit with its neighbours in 0, which is what `frequency` means."""
    truth, start = choose(EXACT)
    program = Program("Q1", (Pulse(0.3, 0.03), Delay(5.0)), (np.array([0, 1, 0]),) * 5)
    counts = []
    for name, couplings in (("with", truth.couplings), ("without", ())):
        device = SimulatedProcessor(tmp_path / name, 3, DeviceTruth(truth.qubits, couplings), start)
        counts.append(device.acquire(program, "k").counts)
        device.close()
    assert np.array_equal(*counts)


def test_groups_and_their_limit() -> None:
    truth = paper_device()
    assert components(("Q2", "Q8"), truth) == [["Q2"], ["Q8"]]
    assert components(("Q2", "Q8", "Q1"), truth) == [["Q2", "Q8", "Q1"]]
    chain = DeviceTruth(
        {f"Q{i}": truth.qubit("Q1") for i in range(5)}, tuple((f"Q{i}", f"Q{i + 1}", 0.7) for i in range(4))
    )
    with pytest.raises(InputError, match="At most 3 coupled qubits"):
        components(tuple(chain.qubits), chain)


def test_outcomes_of_perfect_readout_are_the_levels() -> None:
    ones = [np.array([0.0, 1.0, 1.0, 1.0])] * 2
    populations = np.zeros((1, 16))
    populations[0, [1, 4, 6]] = [0.5, 0.3, 0.2]  # 01, 10, 12
    assert np.allclose(outcome_chances(populations, ones), [[0, 0.5, 0.3, 0.2]])


def test_what_the_hardware_refuses(device: SimulatedProcessor) -> None:
    stark = Stark(4750.0, 0.2, 0.4)
    good = ((stark, Pulse(0.1, 0.03)), (stark,))
    with pytest.raises(UnknownQubitError):
        device.check(JointProgram(("Q1", "Q9"), good, (row((0, 0)),)))
    with pytest.raises(HardwareLimitError, match="amplitude"):
        device.check(JointProgram(("Q1", "Q2"), ((Stark(4750.0, 1.2, 0.4),), (stark,)), (row((0, 0)),)))
    with pytest.raises(HardwareLimitError, match="edge"):
        device.check(JointProgram(("Q1", "Q2"), ((Stark(4750.0, 0.2, 0.05),), (stark,)), (row((0, 0)),)))
    with pytest.raises(InputError, match="alphabet lacks"):
        device.check(JointProgram(("Q1", "Q2"), good, (row((0, 1)),)))
    with pytest.raises(InputError, match="n_slots"):
        device.check(JointProgram(("Q1", "Q2"), good, (np.array([0]),)))
    with pytest.raises(InputError, match="nothing else"):
        device.check(JointProgram(("Q1", "Q2"), good, (row((1, 0)),)))
    other = (Stark(4760.0, 0.2, 0.4),)
    with pytest.raises(InputError, match="one frequency, duration and edge"):
        device.check(JointProgram(("Q1", "Q2"), (good[0], other), (row((0, 0)),)))
    with pytest.raises(InputError, match="one qubit at a time"):
        one_qubit(JointProgram(("Q1", "Q2"), good, ()))
    assert device.log == ()


def test_pairs_have_settings_with_history(device: SimulatedProcessor) -> None:
    book = device.settings
    assert book.pairs == (("Q1", "Q2"), ("Q1", "Q8"))
    assert not book.pair("Q1-Q2").calibrated
    entry = book.update("Q1-Q2", {"duration": 0.5, "frequency": 4750.0}, key="a", reason="test")
    assert book.pair("Q1-Q2").calibrated
    book.update("Q1-Q2", {"duration": 0.7}, key="a", reason="the same key writes nothing")
    assert book.pair("Q1-Q2").duration == 0.5
    book.revert(entry.version, key="b", reason="test")
    assert not book.pair("Q1-Q2").calibrated
    assert [v.qubit for v in book.history("Q1-Q2")] == ["Q1-Q2", "Q1-Q2"]
    with pytest.raises(InputError, match="no coupled pair"):
        book.pair("Q2-Q8")
    with pytest.raises(HardwareLimitError, match="duration"):
        book.update("Q1-Q2", {"duration": 0.05}, key="c", reason="shorter than its edges")
