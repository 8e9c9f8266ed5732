"""Schedules: nobody meets whom they must not, in as few rounds as there can be."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.qpu.chip_grid import drawn_grid, neighbours
from labwright.tools.qpu.qubit_schedule import APART, Conflict, conflicts, distance, lattice, pair_conflicts, rounds
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.starting_settings import choose

NAMES = [f"Q{n}" for n in range(1, 9)]
PLAIN = QubitSettings(4800.0, 0.35, 0.17, 0.5, 0.03, -200.0, 9500.0, 0.4, 0.0, 0.0)


@pytest.mark.parametrize(("side", "most"), [(8, 11), (12, 24)])
def test_large_chips_take_as_few_rounds_as_their_busiest_frequency_allows(side: int, most: int) -> None:
    """The exact search used to take minutes for 144 qubits; a set of qubits that all conflict ends it."""
    truth, believed = choose({"device": f"grid:0:{side}"})
    apart = conflicts(list(truth.qubits), believed, [(a, b) for a, b, _ in truth.couplings])
    assert len(rounds(list(truth.qubits), apart)) == most


@pytest.mark.parametrize("seed", range(6))
def test_a_chip_takes_three_rounds(seed: int) -> None:
    truth, believed = choose({"device": f"grid:{seed}"})
    pairs = [(a, b) for a, b, _ in truth.couplings]
    scheduled = rounds(list(truth.qubits), conflicts(list(truth.qubits), believed, pairs))
    assert sorted(name for each in scheduled for name in each) == sorted(truth.qubits)
    assert [len(each) for each in scheduled] == [6, 5, 5]
    for members in scheduled:
        for one, two in combinations(members, 2):
            assert distance(believed[one], believed[two]) >= APART
            assert frozenset((one, two)) not in {frozenset(pair) for pair in pairs}


def test_the_reason_of_every_conflict_is_told() -> None:
    believed = {"A": PLAIN, "B": replace(PLAIN, frequency=4820.0), "C": replace(PLAIN, frequency=4610.0)}
    found = {(each.first, each.second): each.reason for each in conflicts("ABC", believed, [("A", "C")])}
    assert found == {("A", "B"): "20 MHz apart", ("A", "C"): "neighbours", ("B", "C"): "10 MHz apart"}


def test_a_drive_on_the_upper_line_counts_from_either_side() -> None:
    one, two = PLAIN, replace(PLAIN, frequency=5000.0 - 3.0, anharmonicity=-197.0)
    assert distance(one, two) == distance(two, one) == pytest.approx(0.0)
    assert distance(one, replace(two, frequency=4900.0)) == pytest.approx(97.0)


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=20))
def test_the_search_is_exact(pairs: list[tuple[str, str]]) -> None:
    apart = [Conflict(a, b, "drawn") for a, b in pairs if a != b]
    scheduled = rounds(NAMES, apart)
    assert sorted(name for each in scheduled for name in each) == NAMES
    together = {frozenset(pair) for each in scheduled for pair in combinations(each, 2)}
    assert not together & {frozenset((each.first, each.second)) for each in apart}
    assert len(scheduled) == _chromatic({frozenset((each.first, each.second)) for each in apart})


def _chromatic(edges: set[frozenset[str]]) -> int:
    """Fewest colours, by trying all partitions one qubit at a time."""

    def fits(place: int, groups: list[list[str]], most: int) -> bool:
        if place == len(NAMES):
            return True
        name = NAMES[place]
        for group in groups:
            if all(frozenset((name, other)) not in edges for other in group):
                group.append(name)
                if fits(place + 1, groups, most):
                    return True
                group.pop()
        return len(groups) < most and fits(place + 1, [*groups, [name]], most)

    return next(most for most in range(1, len(NAMES) + 1) if fits(0, [], most))


def test_nobody_is_nothing_to_do() -> None:
    assert rounds([], []) == []


def test_a_lattice_is_drawn_as_one_and_anything_else_in_rows() -> None:
    truth, _ = choose({"device": "grid:0"})
    places = lattice(list(truth.qubits), neighbours())
    assert places["Q1"] == (0, 0)
    assert places["Q6"] == (1, 1)
    assert places["Q16"] == (3, 3)
    assert lattice(["Q1", "Q2", "Q8"], [("Q1", "Q2"), ("Q1", "Q8")])["Q8"] == (1, 0)
    assert lattice(["A"], []) == {"A": (0, 0)}
    assert len(drawn_grid(0)[1]) == len(neighbours())


def test_pairs_that_share_a_qubit_or_lie_beside_each_other_are_kept_apart() -> None:
    truth, believed = choose({"device": "grid:3"})
    couplers = [(a, b) for a, b, _ in truth.couplings]
    apart = {frozenset((one.first, one.second)): one.reason for one in pair_conflicts(couplers, believed, couplers)}
    assert apart[frozenset(("Q1-Q2", "Q2-Q3"))] == "both have Q2"
    assert apart[frozenset(("Q1-Q2", "Q5-Q6"))].endswith("neighbours")
    names = ["-".join(pair) for pair in couplers]
    for each in rounds(names, pair_conflicts(couplers, believed, couplers)):
        members = [name.split("-") for name in each]
        assert len({qubit for pair in members for qubit in pair}) == 2 * len(members)
        for one, two in combinations(members, 2):
            assert [found for a in one for b in two for found in conflicts((a, b), believed, couplers)] == []
