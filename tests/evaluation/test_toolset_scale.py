"""What an analyser reads grows with the answer, not with the toolset."""

from __future__ import annotations

import pytest

from labwright.evaluation.benchmarks.toolset_scale import measure


@pytest.mark.parametrize("large", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_reading_does_not_grow_with_the_toolset(large: int) -> None:
    small, big = measure(10), measure(large)
    assert big["read_most"] < 2 * small["read_most"]
    assert big["all_descriptions"] > 0.9 * large / 10 * small["all_descriptions"]
    assert big["read_most"] < 2 / large * big["all_descriptions"] + 6000
    assert big["largest_listing"] < 1600  # ten lines
    assert (big["crowded_folders"], big["broken"]) == (0, 0)
