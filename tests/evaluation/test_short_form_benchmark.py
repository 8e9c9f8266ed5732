"""A sample of the benchmark of the short form; the whole of it is run by hand."""

from __future__ import annotations

import random

from plan_labs import catalogue

from labwright.evaluation.benchmarks.drawn_calls import Draw, differences
from labwright.evaluation.benchmarks.short_form import (
    damaged,
    drawn,
    measure_damaged,
    measure_drawn,
    measure_lines,
    measure_runs,
    silent,
    understood,
)


def test_drawn_orders_come_back_equal() -> None:
    result = measure_drawn(30, seed=500_000)
    assert result["wrong"] == []


def test_damaged_texts_are_read_literally_or_not_at_all() -> None:
    result = measure_damaged(80, seed=600_000)
    assert (result["crashes"], result["silently_wrong"]) == ([], [])
    assert result["not read"] > 40
    assert result["accepted"] > 0


def test_a_damaged_text_plays_nothing_unless_it_parses() -> None:
    result = measure_runs(4, seed=700_000)
    assert result["played_without_parsing"] == []


def test_free_lines_are_executed_only_where_they_are_read_right() -> None:
    result = measure_lines(30, seed=1)
    assert (result["crashes"], result["parsed_wrong"]) == ([], [])
    right, lines, *_ = result["all"]["right_among_three"]
    assert right / lines > 0.7


def test_the_oracle_sees_what_is_left_out_added_or_changed() -> None:
    done = understood("t1 Q1, stop = 300 us")
    assert silent("t1 Q1, stop = 300 us", done) == []
    assert silent("t1 Q1, stop = 300 us", understood("t1 Q1, stop = 310 us")) != []
    text, orders = drawn(3)
    assert differences(orders, understood(text)) == []
    assert differences(orders[:-1] or Draw(9).orders(), understood(text)) != []


def test_damage_repeats_and_changes_something() -> None:
    texts = [damaged("t1 Q1, stop = 300 us", random.Random(seed)) for seed in range(40)]
    assert texts == [damaged("t1 Q1, stop = 300 us", random.Random(seed)) for seed in range(40)]
    assert sum(text != "t1 Q1, stop = 300 us" for text in texts) > 30
    assert set(catalogue().cards) >= {order.card.name for seed in range(30) for order in Draw(seed).orders()}
