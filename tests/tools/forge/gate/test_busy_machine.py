"""On a machine that is busy with other work a good tool's tests take longer, and nothing else is said of them."""

from __future__ import annotations

from typing import Any

from gate_corpus import good

from labwright.tools.forge.gate.candidate_process import GateLimits
from labwright.tools.forge.gate.mutation_testing import judge_mutants
from labwright.tools.forge.gate.parsed_candidate import Draft, read_draft

TAKES = 9.0  # s on the clock that the tests now need; they took 0.1 s when they were run first
BASE = {"outcomes": [{"test": "test_it", "seconds": 0.1, "hit": list(range(200))}]}


def busy(draft: Draft, asked: list[dict[str, Any]]) -> Any:
    def run(jobs: list[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
        asked.extend(jobs)
        return [_ran(draft, job) if min(job["wall"], seconds) > TAKES else {"ending": "late"} for job in jobs]

    return run


def _ran(draft: Draft, job: dict[str, Any]) -> dict[str, Any]:
    outcome = "passed" if job["source"] == draft.candidate.source else "failed"
    return {"ending": "ok", "stage": "done", "outcomes": [{"test": "test_it", "outcome": outcome, "error": {}}]}


def test_the_unchanged_tool_gets_all_the_time_there_is() -> None:
    draft, asked = read_draft(good("thermal_occupation")), list[dict[str, Any]]()
    assert isinstance(draft, Draft)
    _, _, findings = judge_mutants(draft, BASE, GateLimits(), busy(draft, asked))
    assert "mutation_baseline" not in {one.rule for one in findings}
    assert asked[0]["cpu"] < TAKES < asked[0]["wall"], "time on the clock, not of the processor"
