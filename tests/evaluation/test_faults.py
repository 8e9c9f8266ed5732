"""The fault bench: a drawn sample of it, and the faults that it found."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.agents.backend_selection import ping
from labwright.agents.errors import ModelUnavailable
from labwright.agents.settings import Settings
from labwright.evaluation.faults.model_server import FaultyModel
from labwright.evaluation.faults.random_faults import drawn
from labwright.evaluation.faults.suite import run_case
from labwright.evaluation.runner import Context

QUICK = [number for number in range(40) if drawn(number).run not in ("search", "forge")][:12]
LONG = [number for number in range(60) if drawn(number).run in ("search", "forge")][:6]
# What the bench found: a failing disk was called a full one, a full one a damaged file, a changed file other options.
FOUND = (15, 22, 44)


@pytest.mark.parametrize("number", [*FOUND, *(pytest.param(one, marks=pytest.mark.slow) for one in (*QUICK, *LONG))])
def test_a_fault_ends_equal_or_with_its_cause(number: int, tmp_path: Path) -> None:
    row = run_case(drawn(number), Context({}, tmp_path))
    assert row["hit"]
    assert row["faults"] == ""


@pytest.mark.parametrize(("failure", "seconds"), [("trickles", 0.5), ("endless", 30.0)])
def test_a_reply_without_end_is_not_waited_for(failure: str, seconds: float, tmp_path: Path) -> None:
    settings = {"api_key": "none", "timeout": seconds, "retries": 0, "state": tmp_path}
    with FaultyModel(failure) as model, pytest.raises(ModelUnavailable, match=r"in time|cannot be reached"):
        ping("openai:scripted", Settings(base_url=model.url, **settings))
