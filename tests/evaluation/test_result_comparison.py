"""Paired comparison and scorers, against values worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.result_comparison import compare, joined, mcnemar, paired_difference, read_result
from labwright.evaluation.scoring import Ended, benchmark_faults, bootstrap, rb_deviation, wilson
from labwright.tools.errors import InputError
from labwright.tools.qpu.oracle import GateErrors


def result(passed: str, **numbers: list[float]) -> dict[str, Any]:
    """One row a character: + passed, - not, ! crashed."""
    rows: list[dict[str, Any]] = [
        {"case": f"case {k}", "seed": 0, "passed": sign == "+", "status": "crashed" if sign == "!" else "complete"}
        for k, sign in enumerate(passed)
    ]
    for name, values in numbers.items():
        for row, value in zip(rows, values, strict=True):
            row[name] = value
    return {"suite": "s", "rows": rows}


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        (0, 0, 1.0),
        (0, 5, 2 / 32),
        (1, 6, 2 * (1 + 7) / 128),
        (6, 1, 2 * (1 + 7) / 128),
        (3, 3, 1.0),  # twice 42 of 64, cut off
        (2, 9, 2 * (1 + 11 + 55) / 2048),
    ],
)
def test_mcnemar_is_the_exact_binomial(only_a: int, only_b: int, p: float) -> None:
    assert mcnemar(only_a, only_b) == pytest.approx(p)


def test_difference_of_paired_shares() -> None:
    # n = 10, A alone 1, B alone 4: 2/12 and 5/12, 0.25 +- 1.96 sqrt((7/12 - 1/16) / 12) = 0.25 +- 1.96 * 5/24
    assert paired_difference(3, 1, 4, 2) == (pytest.approx(0.3), (-0.1583, 0.6583))
    assert paired_difference(0, 0, 0, 0) == (0.0, (-1.0, 1.0))


def test_bootstrap_of_two_values_is_known() -> None:
    """Means of two draws of {0, 1}: 0, 1/2, 1 with 1/4, 1/2, 1/4, so that both tails are beyond 2.5 %."""
    assert bootstrap([0.0, 1.0]) == (0.0, 1.0)
    assert bootstrap([0.25] * 7) == (0.25, 0.25)
    low, high = bootstrap([float(k % 2) for k in range(400)])  # nearly normal: 0.5 +- 1.96 * 0.5 / 20
    assert (low, high) == (pytest.approx(0.451, abs=0.004), pytest.approx(0.549, abs=0.004))


def test_results_are_compared_case_by_case() -> None:
    a = result("++--+!", error=[1.0, 2.0, 3.0, 4.0, 5.0, 9.0])
    b = result("+-+-++", error=[0.5, 1.5, 2.5, 3.5, 4.5, 0.0])
    b["rows"] = [*reversed(b["rows"]), {"case": "another", "seed": 0, "passed": True}]
    found = compare(a, b)
    assert [found[name] for name in ("n", "both", "only_a", "only_b", "neither")] == [5, 2, 1, 1, 1]
    assert (found["p"], found["difference"]) == (1.0, 0.0)
    assert found["numbers"]["error"] == {"n": 5, "a": 3.0, "b": 2.5, "difference": -0.5, "interval": (-0.5, -0.5)}
    assert [(one["case"], one["a"], one["b"]) for one in found["changed"]] == [
        ("case 1", "right", "not right"), ("case 2", "not right", "right"),
    ]  # fmt: skip
    assert (found["crashed"], found["unpaired"]) == (["case 5"], {"a": [], "b": ["another"]})


def test_seeds_of_a_case_are_pairs_of_their_own_and_one_number() -> None:
    rows = [{"case": "x", "seed": seed, "passed": True, "value": float(seed)} for seed in range(3)]
    others = [{**row, "passed": False, "value": row["value"] + 1} for row in rows]
    found = compare({"rows": rows}, {"rows": others})
    assert (found["n"], found["only_a"]) == (3, 3)
    assert found["numbers"]["value"]["n"] == 1
    assert found["numbers"]["value"]["difference"] == 1.0


@pytest.mark.parametrize("name", ["arena", "offers", "forge_texts", "upkeep"])
def test_committed_results_can_be_compared(name: str) -> None:
    kept = read_result(FOLDER / f"{name}.json")
    found = compare(kept, kept)
    assert (found["n"], found["p"], found["changed"]) == (len(kept["rows"]), 1.0, [])


def test_what_is_no_result_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        read_result(tmp_path / "none.json")
    (tmp_path / "x.json").write_text(json.dumps({"result": {"rows": []}}))
    with pytest.raises(InputError, match="no rows"):
        read_result(tmp_path / "x.json")
    with pytest.raises(InputError, match="must have a case"):
        compare({"rows": [{"kind": "x"}]}, {"rows": []})


def test_a_later_run_of_some_cases_replaces_these_rows_only() -> None:
    older = {**result("+-"), "commit": "aaa", "seconds": 5.0, "score": 0.5}
    newer = {**result("-+"), "commit": "bbb", "seconds": 1.0}
    newer["rows"] = newer["rows"][1:]
    found = joined(older, newer)
    assert [(row["case"], row["passed"], row["commit"]) for row in found["rows"]] == [
        ("case 0", True, "aaa"),
        ("case 1", True, "bbb"),
    ]
    assert (found["score"], found["seconds"], found["passed"], found["n"]) == (1.0, 6.0, True, 2)


def test_an_arena_that_is_joined_has_the_table_of_all_its_entrants() -> None:
    whole = read_result(FOLDER / "arena.json")
    some = {**whole, "rows": [row for row in whole["rows"] if row["entrant"] == "labwright"], "table": []}
    assert joined(whole, some)["table"] == whole["table"]


def test_results_of_different_suites_are_not_joined() -> None:
    with pytest.raises(InputError, match="different suites"):
        joined(result("+"), {**result("+"), "suite": "t"})


TRUE = GateErrors(per_gate=1.3e-4, limit=1.2e-4, gates={})
GOOD = Ended("complete", rb_error=1.27e-4, rb_std=4e-6, measured_limit=1.2e-4)


def test_a_good_benchmark_has_no_faults():
    assert benchmark_faults(GOOD, TRUE) == []
    assert rb_deviation(GOOD, TRUE) == pytest.approx(-0.75)


@pytest.mark.parametrize(
    ("ended", "says"),
    [
        (replace(GOOD, rb_error=None), "not measured"),
        (replace(GOOD, rb_std=0.0), "not measured"),
        (replace(GOOD, rb_error=1.171e-4), "-3.2 of its sigma"),
        (replace(GOOD, rb_error=1.429e-4), "+3.2 of its sigma"),
        (replace(GOOD, rb_std=6.1e-6), "5.1 % of the limit"),
    ],
)
def test_every_demand_can_fail(ended, says):
    faults = benchmark_faults(ended, TRUE)
    assert len(faults) == 1
    assert says in faults[0]


def test_wilson_interval():
    # 19 of 20 by hand: (0.95 + 3.8416/40 -+ 1.96 sqrt(0.95*0.05/20 + 3.8416/1600)) / (1 + 3.8416/20)
    low, high = wilson(19, 20)
    assert low == pytest.approx(0.7639, abs=1e-4)
    assert high == pytest.approx(0.9911, abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(20, 20)[1] == 1.0
