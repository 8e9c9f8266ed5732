"""A task with words that nobody understands, from the question to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from forging import forge

from labwright.agents.tool_forging.clarified import GO_ON
from labwright.graphs.questions import Answer, Question
from labwright.tools.forge.starter import copy_starter

pytestmark = pytest.mark.slow
TASK = (
    "A qubit with H = 0.5 X and T1 = 5 starts in |0>.\nCompute <Z> for t = 0 to 10 in 101 points.\n"
    "Also compute its emission spectrum.\n"
)


@pytest.fixture
def toolset(tmp_path: Path) -> str:
    """A copy of the starter toolset: a run writes into its toolset what it used."""
    return str(copy_starter(tmp_path / "toolset").folder)


def test_with_a_persons_word_the_rest_is_done_and_the_report_says_what_was_left_out(root: Path, toolset: str) -> None:
    seen: list[Question] = []

    def agree(question: Question) -> Answer:
        seen.append(question)
        return Answer(id=question.id, decision=GO_ON)

    outcome = forge(TASK, root, mode="reuse", toolset=toolset, on_question=agree)
    assert len(seen) == 1
    assert "emission spectrum" in seen[0].title
    assert "hamiltonian 0.5 X" in seen[0].body_markdown
    assert (outcome.status, outcome.reason) == ("complete", "")
    report = (outcome.run_dir / "report.md").read_text()
    assert (
        "Left out because it was not understood, as a person decided: Also compute its emission spectrum.\n" in report
    )


@pytest.mark.parametrize(
    "choices", [{"answers": "defaults"}, {"on_question": lambda q: Answer(id=q.id, decision="stop")}]
)
def test_without_it_nothing_is_left_out(root: Path, toolset: str, choices: dict[str, Any]) -> None:
    outcome = forge(TASK, root, mode="reuse", toolset=toolset, **choices)
    assert outcome.status == "refused"
    assert "no recipe for: Also compute its emission spectrum." in outcome.reason


def test_with_nobody_there_the_run_waits(root: Path, toolset: str) -> None:
    outcome = forge(TASK, root, mode="reuse", toolset=toolset)
    assert outcome.status == "stopped"
    assert [one["default"] for one in outcome.questions] == ["stop"]
