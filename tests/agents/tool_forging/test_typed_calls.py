"""Review and grouping: what the rules say, and which answers the checks refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sums_family import CONTRACT

from labwright.agents.tool_forging.evaluate_solution import (
    ALARMING,
    EvaluateIn,
    Evaluation,
    Evidence,
    evaluating,
)
from labwright.agents.tool_forging.group_tools import (
    Group,
    GroupIn,
    Grouping,
    ToolSummary,
    check_grouping,
    group_by_rules,
)
from labwright.agents.tool_forging.review_tool import Accepted, Bug, Review, ReviewIn, check_review, reviewing
from labwright.agents.tool_forging.solution import Flag
from labwright.agents.tool_forging.view_figure import Seen, ViewIn, view_by_rules
from labwright.tools.forge.toolset.contract import Parameter, ToolContract
from labwright.tools.workspace.workspace import Workspace

TASK = "Evolve 7 spins with J = 0.35 for 250 steps."


def contract(**changes: Any) -> ToolContract:
    return CONTRACT.model_copy(update=changes)


def tools(*names: str) -> list[ToolSummary]:
    return [ToolSummary(name=name, purpose=name.replace("_", " "), package="numpy") for name in names]


NAMES = (
    "plot_lines plot_bars plot_heatmap lindblad_evolution steady_state_lindblad heom_dynamics circuit_counts"
    " noisy_circuit_counts bell_circuit grape_pulse spin_chain_evolution dmrg_ground_state floquet_evolution"
).split()


def test_tools_are_grouped_by_the_first_words_of_their_names() -> None:
    given = GroupIn(folder="", tools=tools(*NAMES))
    answer = group_by_rules(given)
    assert check_grouping(given, answer) == []
    where = {name: group.folder for group in answer.groups for name in group.tools}
    assert set(where) == set(NAMES)
    assert where["plot_lines"] == where["plot_bars"] == where["plot_heatmap"] != where["circuit_counts"]


def test_an_overfull_subject_is_cut_and_no_folder_hides_a_tool() -> None:
    given = GroupIn(folder="", tools=tools(*(f"plot_{n}" for n in "abcdefghijklmnop"), "plotting"), most=10)
    answer = group_by_rules(given)
    assert check_grouping(given, answer) == []


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([Group(folder="a", purpose="x", tools=["nothing"])], "no tool nothing"),
        (
            [Group(folder="a", purpose="x", tools=["plot_bars"]), Group(folder="b", purpose="x", tools=["plot_bars"])],
            "several",
        ),
        ([Group(folder="plot_bars", purpose="x", tools=["plot_lines"])], "tool's name"),
        ([Group(folder="a", purpose="x", tools=list(NAMES))], "would hold 13"),
        ([Group(folder="a", purpose="x", tools=["plot_bars"])], "12 tools stay"),
        (
            [Group(folder="a", purpose="x", tools=NAMES[:7]), Group(folder="a", purpose="x", tools=NAMES[7:])],
            "Two groups",
        ),
    ],
)
def test_a_grouping_that_loses_or_hides_tools_goes_back(groups: list[Group], said: str) -> None:
    assert any(said in one for one in check_grouping(GroupIn(folder="", tools=tools(*NAMES)), Grouping(groups=groups)))


START = Parameter(name="start", type="float", description="First value.", unit="1")


@pytest.mark.parametrize("bug", [True, False])
@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("more", [True, False])
@pytest.mark.parametrize("result", [True, False])
def test_whether_it_goes_on_is_derived_from_the_flags(bug: bool, script: bool, more: bool, result: bool) -> None:
    evaluation = Evaluation(
        bug_need_fix=bug,
        script_complete=script,
        further_simulation_needed=more,
        result_complete=result,
        evidence=[Evidence(flag="bug_need_fix", statement="x", passed=True, where="")],
        check="",
        next_step_plan="Do more.",
    )
    clean = not bug and script and not more and result
    assert evaluation.next_step_needed is not clean
    assert evaluation.plan == ("" if clean else "Do more.")
    assert evaluation.as_file()["next_step_needed"] is not clean
    assert "next_step_needed" not in Evaluation.model_fields  # nobody is asked


def test_a_figure_that_nobody_can_look_at_is_told_by_its_data_or_refused() -> None:
    told = view_by_rules(ViewIn(figure="img/x.png", question="?", data='{"panels": [{"title": "T", "series": []}]}'))
    assert isinstance(told, Seen)
    assert "no vision model is set" in told.seen
    for data in ('{"x": [0, 1], "y": [2.5, 3]}', '[{"label": "a", "y": [2.5, 3]}]', '{"panels": [{"y": [2.5, 3]}]}'):
        told = view_by_rules(ViewIn(figure="img/x.png", question="?", data=data))
        assert isinstance(told, Seen)
        assert "2.5 to 3, 2 points" in told.seen
    for data in ("", "{half"):
        assert not isinstance(view_by_rules(ViewIn(figure="img/x.png", question="?", data=data)), Seen)


def test_evidence_is_each_flags_own(tmp_path: Path) -> None:
    flags: list[Flag] = list(ALARMING)
    same = [Evidence(flag=flag, statement="All was looked at well.", passed=True, where="") for flag in flags]
    values = {"bug_need_fix": False, "script_complete": True, "further_simulation_needed": False}
    clean = Evaluation.model_validate(
        {**values, "result_complete": True, "evidence": same, "check": "", "next_step_plan": ""}
    )
    given = EvaluateIn(task=TASK)
    check = evaluating(Workspace(tmp_path)).check
    assert "One sentence is evidence for" in " ".join(check(given, clean))
    thin = clean.model_copy(update={"evidence": [same[0].model_copy(update={"statement": "All there."})]})
    said = " ".join(check(given, thin))
    assert "No evidence for `script_complete`, `further_simulation_needed`, `result_complete`" in said
    assert "what was looked at" in said


def test_a_review_keeps_to_lines_and_survivors_that_exist() -> None:
    given = ReviewIn(contract=CONTRACT, source="x = 1\n", tests="", survivors=["line 1: `1` -> `2`"])
    bug = Bug(what="x", line=1)
    no = Review(approved=False, bugs=[bug], reason="r", test="", accepted=[])
    assert check_review(given, no) == []
    other = Accepted(mutant="line 9: `+` -> `-`", reason="No test could tell.")
    wrong = {"approved": True, "bugs": [bug.model_copy(update={"line": 2})], "accepted": [other]}
    found = check_review(given, no.model_copy(update=wrong))
    assert [one.split()[0] for one in found] == ["A", "The", "`accepted`"]


@pytest.mark.parametrize(
    ("approved", "test", "wrong", "said"),
    [
        (True, "", [], "There is no `test`"),
        (True, "def test_x(): ...", ["It fails."], "You approve, but your test does not hold: It fails."),
        (True, "def test_x(): ...", [], ""),
        (False, "def test_x(): ...", [], "your test passes, so it shows no bug"),
        (False, "def test_x(): ...", ["It fails."], ""),
        (False, "", [], ""),
    ],
)
def test_a_verdict_is_held_to_what_its_test_shows(approved: bool, test: str, wrong: list[str], said: str) -> None:
    given = ReviewIn(contract=CONTRACT, source="x = 1\n", tests="")
    bugs = [] if approved else [Bug(what="x", line=1)]
    answer = Review(approved=approved, bugs=bugs, reason="r", test=test, accepted=[])
    found = reviewing(lambda _test: wrong).check(given, answer)
    assert len(found) == bool(said)
    assert said in "".join(found)


def test_paths_of_a_reply_may_begin_as_the_file_tools_paths_do() -> None:
    assert Evidence(flag="bug_need_fix", statement="x", passed=True, where="/a.py:3").where == "a.py:3"
