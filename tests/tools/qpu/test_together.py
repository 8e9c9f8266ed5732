"""Several qubits at the same time: one line of the journal, the time of the longest, and each feels the others."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from labwright.tools.errors import InputError
from labwright.tools.qpu.chip_grid import drawn_grid, neighbours
from labwright.tools.qpu.device import IdleDevice, SharedDevice
from labwright.tools.qpu.joint_program import JointProgram
from labwright.tools.qpu.program import Delay, Program, Pulse
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated
from labwright.tools.qpu.starting_settings import choose

STILL: dict[str, float | str] = {"drift_sigma": 0.0, "amplitude_drift": 0.0, "jump_rate": 0.0}


def opened(folder: Path, **options: float | str) -> SimulatedProcessor:
    return open_simulated(folder, 5, {"device": "grid:3", **options})


def flips(device: SimulatedProcessor, qubit: str, most: int = 20, shots: int = 400) -> Program:
    """0, 1, ... pi pulses, there and back, so that a wrong angle does not add up."""
    pulse = Pulse(device.settings.current(qubit).amplitude_pi, 0.03, drag=0.5)
    there_and_back = (pulse, replace(pulse, phase=np.pi))
    return Program(qubit, there_and_back, tuple(np.arange(n) % 2 for n in range(most)), shots)


def test_a_chip_is_a_lattice_of_sixteen_around_the_paper_with_neighbours_well_apart() -> None:
    for seed in range(20):
        qubits, couplings = drawn_grid(seed)
        assert len(qubits) == 16
        assert len(couplings) == len(neighbours()) == 24
        apart = [abs(qubits[a].frequency - qubits[b].frequency) for a, b, _ in couplings]
        assert min(apart) > 50
        assert np.mean([q.frequency for q in qubits.values()]) == pytest.approx(4837, abs=12)
        assert all(40 <= q.t1 <= 130 for q in qubits.values())
        spread = [abs(a.resonator_frequency - b.resonator_frequency) for a, b in combinations(qubits.values(), 2)]
        assert min(spread) > 25
    assert drawn_grid(3) == drawn_grid(3) != drawn_grid(4)


def test_every_qubit_of_a_chip_starts_wrong_in_its_own_way() -> None:
    truth, settings = choose({"device": "grid:3"})
    offsets = {name: settings[name].frequency - truth.qubits[name].frequency for name in truth.qubits}
    assert len({round(offset, 6) for offset in offsets.values()}) == 16
    assert all(0.2 <= abs(offset) <= 3 for offset in offsets.values())
    assert any(offset > 0 for offset in offsets.values())
    assert any(offset < 0 for offset in offsets.values())


def test_the_device_is_busy_for_as_long_as_the_longest(tmp_path: Path) -> None:
    device = opened(tmp_path / "d")
    assert isinstance(device, SharedDevice)
    assert isinstance(device, IdleDevice)
    short, long = flips(device, "Q1", 10), flips(device, "Q3", 30)
    got = device.acquire_together({"a": short, "b": long})
    assert got["a"].clock == got["b"].clock == 0.0
    assert got["a"].seconds < got["b"].seconds == device.clock
    assert {entry["qubit"] for entry in device.log} == {"Q1", "Q3"}
    assert [entry["ordinal"] for entry in device.log] == [0, 1]
    assert [device.status(key) for key in ("a", "b", "c")] == ["done", "done", "absent"]
    device.close()


def test_the_order_of_asking_does_not_matter_and_a_key_is_played_once(tmp_path: Path) -> None:
    one, two = opened(tmp_path / "one"), opened(tmp_path / "two")
    programs = {"a": flips(one, "Q1"), "b": flips(one, "Q3"), "c": flips(one, "Q6")}
    first = one.acquire_together(programs)
    second = two.acquire_together(dict(reversed(programs.items())))
    assert all(np.array_equal(first[key].counts, second[key].counts) for key in programs)
    clock = one.clock
    again = one.acquire_together({**programs, "d": flips(one, "Q8")})
    assert np.array_equal(again["b"].counts, first["b"].counts)
    assert np.array_equal(one.acquire(programs["c"], "c").counts, first["c"].counts)
    assert one.clock == pytest.approx(clock + again["d"].seconds)
    one.close()
    reopened = opened(tmp_path / "one")
    assert [entry["key"] for entry in reopened.log] == ["a", "b", "c", "d"]
    after = reopened.acquire(flips(reopened, "Q2"), "e")
    two.acquire(flips(two, "Q8"), "d")
    assert after.counts is not None
    assert reopened.log[-1]["ordinal"] == 4
    for device in (reopened, two):
        device.close()


def test_a_line_that_a_kill_tore_off_never_happened_for_any_member(tmp_path: Path) -> None:
    device = opened(tmp_path / "d")
    programs = {"a": flips(device, "Q1"), "b": flips(device, "Q3")}
    first = device.acquire_together(programs)
    device.close()
    journal = tmp_path / "d" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])
    device = opened(tmp_path / "d")
    assert device.status("a") == device.status("b") == "absent"
    assert device.clock == 0.0
    again = device.acquire_together(programs)
    assert all(np.array_equal(first[key].counts, again[key].counts) for key in programs)
    assert len([json.loads(line) for line in journal.read_text().splitlines()]) == 1
    device.close()


def test_one_qubit_cannot_play_two_programs_at_once(tmp_path: Path) -> None:
    device = opened(tmp_path / "d")
    with pytest.raises(InputError, match="different qubits"):
        device.acquire_together({"a": flips(device, "Q1"), "b": flips(device, "Q1")})
    assert device.log == ()
    device.close()


def test_pairs_are_played_at_the_same_time_each_with_all_its_counts(tmp_path: Path) -> None:
    device = opened(tmp_path / "d")

    def both(first: str, second: str, most: int) -> JointProgram:
        alphabets = tuple(flips(device, name).operations for name in (first, second))
        sequences = tuple(np.array([[0, 1]] * n, dtype=np.intp).reshape(n, 2) for n in range(most))
        return JointProgram((first, second), alphabets, sequences, 500)

    got = device.acquire_together({"a": both("Q1", "Q2", 3), "b": both("Q13", "Q14", 6), "c": flips(device, "Q8")})
    for key, points in (("a", 3), ("b", 6)):
        counts = got[key].counts
        assert counts is not None
        assert counts.shape == (points, 4)
        assert (counts.sum(axis=1) == 500).all()
    assert {acquired.clock for acquired in got.values()} == {0.0}
    assert device.clock == max(acquired.seconds for acquired in got.values())
    again = device.acquire_together({"a": both("Q1", "Q2", 3)})["a"]
    assert np.array_equal(again.counts, got["a"].counts)
    with pytest.raises(InputError, match="different qubits"):
        device.acquire_together({"d": both("Q1", "Q2", 3), "e": both("Q2", "Q3", 3)})
    assert len(device.log) == 3
    device.close()


def test_a_neighbour_at_the_same_frequency_spoils_a_gate_and_one_far_away_does_not(tmp_path: Path) -> None:
    """Gates, driven alone, beside a neighbour on resonance, and beside one 62 MHz away."""
    left = {}
    for name, frequency in (("alone", None), ("resonant", "same"), ("far", "own")):
        device = opened(tmp_path / name, frequency_offset=0.0, amplitude_error=0.0, drag=0.5, **STILL)
        own = flips(device, "Q1", 201, 4000)
        if frequency is None:
            got = device.acquire(own, "a")
        else:
            other = flips(device, "Q3", 201, 4000)
            at = device.settings.current("Q1" if frequency == "same" else "Q3").frequency
            other = Program(other.qubit, other.operations, other.sequences, other.shots, frequency=at)
            got = device.acquire_together({"a": own, "b": other})["a"]
        assert got.counts is not None
        fraction = got.counts / got.shots
        left[name] = float((fraction[1::2] - fraction[:-1:2])[-40:].mean())
        device.close()
    assert left["alone"] > 0.5
    assert left["far"] == pytest.approx(left["alone"], abs=0.01)
    assert left["resonant"] < left["alone"] - 0.03


def test_time_passes_only_once_and_leaves_the_random_numbers_alone(tmp_path: Path) -> None:
    device, other = opened(tmp_path / "d"), opened(tmp_path / "e", **STILL)
    device.wait(3600.0, "night")
    device.wait(3600.0, "night")
    assert device.clock == 3600.0
    assert device.log == ()
    idle = Program("Q1", (Delay(0.1),), (np.zeros(1, np.intp),) * 5, 500)
    got = device.acquire(idle, "a")
    assert got.clock == 3600.0
    assert np.array_equal(got.counts, other.acquire(idle, "a").counts)
    with pytest.raises(InputError, match="negative"):
        device.wait(-1.0, "back")
    for one in (device, other):
        one.close()
