"""Mutated protocols never crash the reader or the planner, and no law is broken in silence."""

from __future__ import annotations

import random

from labwright.evaluation.benchmarks.protocol_fuzz import laws_of, measure, mutated, sources
from labwright.tools.liquid_handler.protocol import Made, make_protocol
from labwright.tools.specifications.protocol import ProtocolSpec
from labwright.tools.specifications.reading import read_document


def test_a_hundred_and_fifty_files() -> None:
    result = measure(150, seed=1)
    assert result["wrong"] == []
    assert result["protocol"] > 10
    assert result["refusal"] > 10


def test_mutations_repeat_and_change_something() -> None:
    texts = [mutated(random.Random(seed), sources()) for seed in range(40)]
    assert texts == [mutated(random.Random(seed), sources()) for seed in range(40)]
    assert sum(text not in sources() for text in texts) > 30


def test_a_vial_that_is_missing_is_a_guess() -> None:
    spec = ProtocolSpec.model_validate(read_document(sources()[0]).data)
    made = make_protocol(spec.design)
    assert isinstance(made, Made)
    assert list(laws_of(made, spec)) == []
    assert list(laws_of(made, spec.model_copy(update={"expect": 17}))) == ["16 vials instead of 17"]
