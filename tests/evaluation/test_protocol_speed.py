"""A full plate of twelve chemicals is planned, checked and written in less than a second."""

from __future__ import annotations

from labwright.evaluation.benchmarks.protocols import measure


def test_a_full_plate() -> None:
    result = measure(2)
    assert (result["vials"], result["chemicals"]) == (96, 12)
    assert result["best_processor_seconds"] < 1.0  # of the processor: other tests run beside this one
