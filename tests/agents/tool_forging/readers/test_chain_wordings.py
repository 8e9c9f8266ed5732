"""Mechanisms by which chain tasks are read: sums in words, starts told spin by spin, periods, prose Hamiltonians."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.spin_chain import READER
from labwright.agents.tool_forging.readers.spin_chain.told_bits import repeated_bits, told_bits
from labwright.tools.forge.families.spin_chain.report import written
from labwright.tools.forge.families.spin_chain.script import whole_layers
from labwright.tools.forge.families.spin_chain.spec import SpinChainSpec

TAIL = "Start: all spins up. Exact evolution from t = 0 to t = 2 in steps of 0.1. <Z> of each site."


def _read(text: str) -> Any:
    return READER.read(TaskText(text))


def _spec(text: str) -> SpinChainSpec:
    reply = _read(text)
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, SpinChainSpec)
    return reply.spec


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("H = J * sum over all pairs i<j of Z_i Z_j / |i-j|^3 + h * sum over i of X_i",
         "0.5 sum_(i<j) Z_i Z_j / |i-j|^3 +0.25 sum_i X_i"),
        ("H: J sum_i (X_i X_i+1 + Y_i Y_i+1)", "0.5 sum_i X_i X_i+1 +0.5 sum_i Y_i Y_i+1"),
        ("H = J sum over bonds (i, i+1) of Z_i Z_{i+1} - h sum over sites of X_i", "0.5 sum_i Z_i Z_i+1 -0.25 sum_i X_i"),
        ("H = J sum_j Z[j] Z[j+1]", "0.5 sum_i Z_i Z_i+1"),
        ("H = J sum_{i<j} Z_i Z_j + h sum_i X_i", "0.5 sum_(i<j) Z_i Z_j / |i-j|^0 +0.25 sum_i X_i"),
        ("H = sum_{i<j} J X_i X_j / |i-j|^2 + h sum_i Z_i Z_{i+1}",
         "0.5 sum_(i<j) X_i X_j / |i-j|^2 +0.25 sum_i Z_i Z_i+1"),
        ("Neighbours are coupled by Pauli XX and YY with strength 0.5, and a field 0.25 along Z acts on each site",
         "0.5 sum_i X_i X_i+1 +0.5 sum_i Y_i Y_i+1 +0.25 sum_i Z_i"),
        ("Every pair interacts through ZZ; the strength is 0.5 for neighbours and falls off as the inverse cube",
         "0.5 sum_(i<j) Z_i Z_j / |i-j|^3"),
    ],
)  # fmt: skip
def test_hamiltonians(formula: str, told: str) -> None:
    spec = _spec(f"An open chain of 6 spins. {formula}. J = 0.5, h = 0.25. {TAIL}")
    assert written(spec.cases[0]) == f"H = {told}"


@pytest.mark.parametrize(
    ("start", "bits"),
    [
        ("Sites 1 and 4 are down, all others up", "010010"),
        ("All spins down except the middle two, which are up", "110011"),
        ("All up but the last spin", "000001"),
        ("Even sites up, odd sites down", "010101"),
        ("Site 0 down, site 1 up, site 2 down, and so on", "101010"),
        ("Initial state: 001100", "001100"),
        ("Initial bitstring 110000 (1 = up, 0 = down)", "001111"),
        ("The start is up, up, down, down, up, up", "001100"),
    ],
)
def test_starts(start: str, bits: str) -> None:
    text = f"An open chain of 6 spins, sites 0 to 5, H = sum_i Z_i Z_{{i+1}} + 0.5 sum_i X_i. {start}."
    spec = _spec(f"{text} At time zero this holds. Exact evolution from t = 0 to t = 2 in steps of 0.1. <Z> per site.")
    assert [one.bits for one in spec.initial] == [bits]


def test_told_bits_are_whole_or_asked_about() -> None:
    assert told_bits("spins 0 and 3 down", 5) == ""
    assert told_bits("nothing of the kind", 5) is None
    assert repeated_bits("up, down, up, down, ...", 6) == "010101"
    assert repeated_bits("up, down, up", 6) is None


def test_layers_that_do_not_commute_are_taken_whole() -> None:
    text = (
        "A kicked open chain of 6 spins. One period: first exp[-i 0.3 sum_j (X_j X_{j+1} + Y_j Y_{j+1})], then "
        "exp(-i theta sum_j Z_j). theta = 0.1 and 0.4. Repeated 12 times from the Neel state. <Z> averaged over the six sites."
    )
    spec = _spec(text)
    assert whole_layers(spec)
    assert (spec.method, spec.steps, spec.axis) == ("floquet", 12, "theta")
    assert not whole_layers(_spec(text.replace("(X_j X_{j+1} + Y_j Y_{j+1})", "Z_j Z_{j+1}")))


def test_correlators_on_a_ring_count_every_bond() -> None:
    text = "A ring of 6 spins, H = sum_i Z_i Z_{i+1} + sum_i X_i. " + TAIL.replace("<Z> of each site", "<Z_i Z_{i+1}>")
    terms = _spec(text).sums[0].terms
    assert len(terms) == 6
    assert terms[-1] == (pytest.approx(1 / 6), "ZZ", [5, 0])
    assert len(_spec(text.replace("A ring", "An open chain")).sums[0].terms) == 5


def test_ends() -> None:
    text = f"A row of 6 spins, ends not joined, H = sum_i Z_i Z_{{i+1}} + sum_i X_i. {TAIL}"
    assert _spec(text).boundary == "open"
    assert _spec(text.replace("not joined", "joined")).boundary == "periodic"


@pytest.mark.parametrize(
    "more",
    ["J = 1 for the first three bonds and 0.5 for the others", "alternating couplings 1 and 0.5"],
)
def test_uneven_couplings_are_refused(more: str) -> None:
    assert isinstance(_read(f"An open chain of 6 spins. H = J sum_i Z_i Z_{{i+1}}, {more}. {TAIL}"), Unread)


def test_a_start_with_spins_of_both_kinds_is_asked_about() -> None:
    text = f"An open chain of 6 spins, H = sum_i Z_i Z_{{i+1}} + sum_i X_i. {TAIL}"
    assert isinstance(_read(text.replace("all spins up", "some spins up and the first two down")), Question)


@pytest.mark.parametrize(
    ("words", "cut", "unit"),
    [
        ("the first two spins in bits", 2, "bit"),
        ("the left four spins (ln, not log2)", 4, "nat"),
        ("the last two spins", 4, "nat"),
        ("sites 0-1 with the others, log base 2", 2, "bit"),
    ],
)
def test_where_and_in_what_unit_the_entropy_is_taken(words: str, cut: int, unit: str) -> None:
    text = "An open chain of 6 spins, H = sum_i Z_i Z_{i+1} + sum_i X_i. "
    spec = _spec(text + TAIL.replace("<Z> of each site", f"Entanglement entropy of {words}"))
    assert (spec.cuts, spec.entropy_unit) == ([cut], unit)
