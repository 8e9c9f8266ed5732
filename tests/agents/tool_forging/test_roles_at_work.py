"""Roles of tool forging as agents with tools, through the real client: they draft, run, submit, and are held to it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from scripted_model import Reply, ScriptedModel
from sums_family import CONTRACT, PLAN

import labwright.results
from labwright.agents.backend_selection import make_mind
from labwright.agents.model_backend import ModelMind
from labwright.agents.tool_forging import script_rerun
from labwright.agents.tool_forging.analyse import ANALYSE, AnalyseIn, Analysis
from labwright.agents.tool_forging.evaluate_solution import EvaluateIn, Evaluation, evaluating
from labwright.agents.tool_forging.expected_value_comparison import compared
from labwright.agents.tool_forging.solution import Executed, ExecuteIn
from labwright.agents.tool_forging.solve_task import EXECUTE
from labwright.agents.viewing_log import Looks
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.forge.tasks.results import Record, Results
from labwright.tools.forge.toolset.builtin_tools import Toolbox
from labwright.tools.jobs import JobLimits
from labwright.tools.jobs.job_service import JobService
from labwright.tools.jobs.local import LocalRunner
from labwright.tools.sandbox import open_sandbox
from labwright.tools.workspace.workspace import Workspace

EXAMPLES = Path(__file__).parents[2] / "prompts" / "examples"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "workspace"
    (root / "tools").mkdir(parents=True)
    (root / "question.md").write_text("# Sums\n\nAdd the numbers 1 and 2.\n")
    (root / "tools" / "INDEX.md").write_text("- `double`: twice a number\n")
    (root / "tools" / "double.py").write_text("def double(x):\n    return 2 * x\n")
    return Workspace(root, open_sandbox())


def worked(
    task: WorkspaceTask[Any, Any], given: Any, workspace: Workspace, replies: Sequence[Reply]
) -> tuple[Any, ScriptedModel]:
    with ScriptedModel(replies) as server:
        mind = make_mind("openai:scripted", server.settings(workspace.folder.parent / "state"))
        return mind.work(task, given, workspace), server


def write(path: str, content: str) -> Reply:
    return Reply.use("write_file", path=f"/{path}", text=content)


def test_an_analyser_plans_only_with_what_is_there(workspace: Workspace) -> None:
    stages = [{"purpose": "Add.", "tool": "add_numbers"}, {"purpose": "Double.", "tool": "double"}]
    new = [CONTRACT.model_dump(mode="json")]
    analysis = {**PLAN, "stages": stages, "reuse": ["double", "triple"], "new": new, "packages": ["numpy"]}
    replies = [
        Reply.use("read_file", path="/tools/INDEX.md"),
        write("notes.md", "x"),
        Reply.answer(analysis),
        Reply.answer({**analysis, "reuse": ["double"]}),
    ]
    reply, server = worked(ANALYSE, AnalyseIn(task=workspace.question), workspace, replies)
    assert isinstance(reply, Analysis)
    assert "no triple" in server.requests[3].complaints[0]
    assert "write_file" not in server.requests[0].tools  # it changes nothing
    assert not workspace.files.exists("notes.md")


def typed(text: str) -> dict[str, Any]:
    """A contract whose first input has this type."""
    plain = CONTRACT.model_dump(mode="json")
    return {**plain, "inputs": [{**plain["inputs"][0], "type": text}, *plain["inputs"][1:]]}


@pytest.mark.parametrize(
    ("change", "mode", "said"),
    [
        ({"packages": ["no-such-distribution"]}, "forge", "pip install no-such-distribution"),
        ({}, "reuse", "no tool is made"),
        ({"stages": [{"purpose": "x", "tool": "triple"}]}, "forge", "neither in `reuse` nor in `new`"),
        ({"new": [{**CONTRACT.model_dump(mode="json"), "name": "double"}]}, "forge", "in tools/ already"),
        ({"new": [{**CONTRACT.model_dump(mode="json"), "invariants": []}]}, "forge", "no invariant"),
        ({"new": [typed("complex matrix")]}, "forge", "must be a Python type"),
        ({"new": [typed("list[float")]}, "forge", "must be a Python type"),
    ],
)
def test_an_analysis_is_held_to_what_there_is(
    change: dict[str, Any], mode: str, said: str, workspace: Workspace
) -> None:
    plain = {**PLAN, "new": [CONTRACT.model_dump(mode="json")]}
    given = AnalyseIn(task="x", mode=mode)  # type: ignore[arg-type]
    findings = ANALYSE.check(given, Analysis.model_validate({**plain, **change}), workspace)
    assert any(said in one for one in findings)


@pytest.mark.slow
def test_an_executor_submits_a_job_looks_and_reports(workspace: Workspace, tmp_path: Path) -> None:
    jobs = JobService(tmp_path / "jobs", LocalRunner(1))
    workspace = Workspace(workspace.folder, workspace.sandbox, jobs)
    script = (
        "import json; from tools.double import double\n"
        "record = {'quantity': 'sum', 'value': double(1.5)}\n"
        "open('results.json', 'w').write(json.dumps({'parameters': {}, 'records': [record]}))\n"
        "print('wrote', double(1.5))\n"
    )
    answer = {**CLAIMED, "summary": "3."}

    def play(request: Any) -> Reply:
        results = request.results
        if not results:
            return write("script_1.py", script)
        if len(results) == 1:
            return Reply.use("submit_job", script="/script_1.py", name="add", seconds=60)
        if len(results) == 2:
            return Reply.use("wait_job", job=results[1].split()[1], seconds=60)
        if len(results) == 3:
            return Reply.use("cancel_job", job="somebody-else")
        if len(results) == 4:
            return (
                Reply.answer(answer) if not request.complaints else write("report.md", "# Sum\n\n" + "It is 3. " * 40)
            )
        return Reply.answer(answer)

    with ScriptedModel(play) as server:
        mind = make_mind("openai:scripted", server.settings(tmp_path / "state"))
        done = mind.work(EXECUTE, asked_to_execute(), workspace)
    assert done == Executed.model_validate(answer)
    results = server.requests[-1].results
    assert results[2].startswith("COMPLETED")
    assert "wrote 3.0" in results[2]
    assert results[3].startswith("Error")
    assert "report.md is missing" in server.requests[5].complaints[0]
    assert workspace.files.exists("results.json")


FLAGS = {"bug_need_fix": False, "script_complete": True, "further_simulation_needed": False, "result_complete": True}
SUM = """def expected():
    return [{"quantity": "sum", "value": VALUE, "within": 1e-9, "why": "one and two on paper"}]
"""


def verdict(bug: bool, check: str) -> dict[str, Any]:
    told = {"passed": True, "where": "results.json"}
    evidence = [{"flag": flag, "statement": f"The one number was looked at for {flag}.", **told} for flag in FLAGS]
    evidence[0]["passed"] = not bug
    plan = "1. Add again." if bug else ""
    return {**FLAGS, "bug_need_fix": bug, "evidence": evidence, "check": check, "next_step_plan": plan}


@pytest.mark.slow
def test_an_evaluator_is_held_to_what_its_check_computes(workspace: Workspace) -> None:
    workspace.files.write("results.json", json.dumps({"parameters": {}, "records": [{"quantity": "sum", "value": 4}]}))
    right = SUM.replace("VALUE", "1.0 + 2.0")
    reading = "import json\n" + SUM.replace("VALUE", "json.load(open('results.json'))['records'][0]['value']")
    replies = [
        Reply.answer(verdict(False, "")),
        Reply.answer(verdict(False, reading)),  # what is expected is computed, not read
        Reply.answer(verdict(False, right)),
        Reply.answer(verdict(True, right)),
    ]
    with ScriptedModel(replies) as server:
        mind = make_mind("openai:scripted", server.settings(workspace.folder.parent / "state"))
        assert isinstance(mind, ModelMind)
        found = replace(mind, repairs=3).answer(evaluating(workspace), EvaluateIn(task="Add 1 and 2."))
    assert isinstance(found, Evaluation)
    assert found.next_step_needed
    no_check, no_file, missed = server.requests[3].complaints
    assert "there is no `check`" in no_check
    assert "proves nothing" in no_file
    assert "`sum` is 4, expected 3 within 1e-09: one and two on paper" in missed
    assert workspace.files.text("logs/evaluation_check.txt").startswith("NOT: `sum` is 4")


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("1/0", "ZeroDivisionError"),
        ("def expected(): return []", "gave no number"),
        (SUM.replace("VALUE", "1").replace('"sum"', '"product"'), "must hold one 'product'"),
        (SUM.replace("VALUE", "float('nan')"), "proves nothing"),
        (SUM.replace('"value": VALUE, ', '"at": [0], "value": 4.0, '), "nothing at [0]"),
    ],
)
def test_a_check_that_computes_nothing_proves_nothing(check: str, said: str, workspace: Workspace) -> None:
    workspace.files.write("results.json", json.dumps({"parameters": {}, "records": [{"quantity": "sum", "value": 4}]}))
    assert said in compared(workspace, check).wrong


MAKING = """import json
from tools.double import double
record = {"quantity": "sum", "value": double(1.5)}
with open("results.json", "w") as file:
    json.dump({"parameters": {}, "records": [record]}, file)
"""
IDLE = "print('done')\n"
TOLD = "# Sum\n\n" + "The two numbers were added with the tool, and their sum lies in the results. " * 4
INVENTED = '{"parameters": {}, "records": [{"quantity": "sum", "value": 4.125}]}'
CLAIMED = {
    "scripts": ["script_1.py"], "figures": [], "tools": ["double"], "trial": "None: it is short.", "failures": [],
    "summary": "A sum.",
}  # fmt: skip


def asked_to_execute() -> ExecuteIn:
    example = json.loads((EXAMPLES / "tool_forging.execute.json").read_text())
    return ExecuteIn.model_validate({**example, "task": "x"})


def test_invented_results_do_not_pass_for_computed_ones(workspace: Workspace) -> None:
    run = Reply.use("execute", command="python script_1.py")
    replies = [
        write("script_1.py", IDLE),
        write("results.json", INVENTED),  # by a file tool
        Reply.use("execute", command=f"python script_1.py; echo '{INVENTED}' > results.json"),
        write("report.md", TOLD),
        Reply.answer(CLAIMED),  # no script imports the tool
        Reply.answer({**CLAIMED, "tools": []}),  # no script makes the numbers
        Reply.use("execute", command="rm script_1.py"),
        write("script_1.py", MAKING),
        run,
        Reply.answer(CLAIMED),
    ]
    done, server = worked(EXECUTE, asked_to_execute(), workspace, replies)
    assert isinstance(done, Executed)
    assert "written by scripts, not by hand" in server.requests[2].results[1]
    assert "No script imports the tool double" in server.requests[5].complaints[-1]
    assert "left no results" in server.requests[6].complaints[-1]
    assert workspace.files.text("logs/run_again.txt").startswith("All 1 records came out again")


@pytest.mark.parametrize(
    ("script", "tools", "said"),
    [
        (MAKING.replace("double(1.5)", "double(1.5) + 1e-4"), ["double"], "`sum` is 3.0 in the file and 3.0001 again"),
        (MAKING.replace("double(1.5)", "double(1.5) + 1e-9"), ["double"], ""),
        (MAKING.replace('"value"', '"labels": {"n": 1}, "value"'), ["double"], "`sum` did not come out at all"),
        (MAKING.replace("json.dump", "open('hand.txt'); json.dump"), ["double"], "ended with an error"),
        (MAKING, ["double", "triple"], "No script imports the tool triple"),
    ],
)
def test_results_are_what_the_scripts_make(script: str, tools: list[str], said: str, workspace: Workspace) -> None:
    workspace.files.write("script_1.py", script)
    workspace.files.write("hand.txt", "3")  # no script makes it
    workspace.files.write("results.json", INVENTED.replace("4.125", "3.0"))
    workspace.files.write("report.md", TOLD)
    given, answer = asked_to_execute(), Executed.model_validate({**CLAIMED, "tools": tools})
    found = [*EXECUTE.check(given, answer, workspace), *EXECUTE.doubts(given, answer, workspace, Looks(1))]
    assert len(found) == bool(said)
    assert said in "".join(found)


@pytest.mark.slow
def test_scripts_that_take_too_long_are_passed_over_and_it_is_said(workspace: Workspace) -> None:
    workspace = Workspace(workspace.folder, workspace.sandbox, job_limits=JobLimits(wall_seconds=1.0))
    workspace.files.write("script_1.py", f"import time; time.sleep(30)\n{MAKING}")
    workspace.files.write("results.json", INVENTED)
    assert script_rerun.run_again(workspace, ["script_1.py"]) == []
    assert workspace.files.text(script_rerun.AGAIN) == "Not run again: the scripts take more than 1 s on one thread.\n"


def record(value: float, unit: str = "", uncertainty: float | None = None) -> Record:
    return Record(quantity="x", value=value, unit=unit, uncertainty=uncertainty, labels={"value": uncertainty or 0.0})


@pytest.mark.parametrize(
    ("mine", "its", "other", "differ"),
    [
        (record(1e-9, "eV"), record(3e-9, "eV"), record(2.0, "eV"), False),  # rounding beside the largest of its unit
        (record(1e-9, "eV"), record(3e-9, "eV"), record(2.0, "s"), True),
        (record(1.0, "", 0.1), record(1.05, "", 0.1), record(1.0), False),
        (record(1.0, "", 0.1), record(1.2, "", 0.1), record(1.0), True),
    ],
)
def test_rounding_and_known_errors_are_no_difference(mine: Record, its: Record, other: Record, differ: bool) -> None:
    far = other.model_copy(update={"quantity": "y"})
    have, made = (Results(records=[one, far]) for one in (mine, its))
    assert bool(list(script_rerun.differences(have, made))) == differ


@pytest.mark.slow
def test_what_came_out_once_is_not_run_again_until_something_changes(workspace: Workspace) -> None:
    counting = f"open('{workspace.folder.parent}/ran', 'a')\n"  # outside of the walls: a run would fail
    workspace.files.write("script_1.py", MAKING)
    workspace.files.write("results.json", INVENTED.replace("4.125", "3.0"))
    assert script_rerun.run_again(workspace, ["script_1.py"]) == []
    told = workspace.files.text(script_rerun.AGAIN)
    workspace.files.write(script_rerun.AGAIN, "All is well, says the executor.")
    sandbox, idle = workspace.sandbox, Workspace(workspace.folder, cast(Any, object()))  # which can run nothing
    assert script_rerun.run_again(idle, ["script_1.py"]) == []
    assert workspace.files.text(script_rerun.AGAIN) == told
    workspace.files.write("script_1.py", counting + MAKING)
    assert "ended with an error" in "".join(
        script_rerun.run_again(Workspace(workspace.folder, sandbox), ["script_1.py"])
    )


def test_confined_scripts_record_their_results(workspace: Workspace) -> None:
    package = Path(labwright.results.__file__).parents[1]  # as an installation has it on its path
    lines = ["import sys", f"sys.path.insert(0, {str(package)!r})", "from labwright.results import record"]
    workspace.files.write("script_1.py", "\n".join([*lines, "record('sum', 3.0, unit='1')"]))
    done = workspace.run(["python", "script_1.py"]).completed
    assert done.returncode == 0, done.stderr
    assert script_rerun.read_solution(workspace).one("sum").value == 3.0


def test_a_failed_try_does_not_inherit_what_was_said_of_an_earlier_one(workspace: Workspace) -> None:
    earlier = {"script_1.py": MAKING, "report.md": TOLD, script_rerun.AGAIN: "All 1 records came out again."}
    for path, text in earlier.items():
        workspace.files.write(path, text)
    failed = Executed.model_validate({**CLAIMED, "failures": ["The sum did not converge."]})
    assert EXECUTE.doubts(asked_to_execute(), failed, workspace, Looks(1)) == []
    assert workspace.files.text(script_rerun.AGAIN).startswith("Not run again: the executor says")


def test_a_trial_is_told(workspace: Workspace) -> None:
    answer = Executed.model_validate({**CLAIMED, "trial": " "})
    assert any("`trial` is empty" in one for one in EXECUTE.check(asked_to_execute(), answer, workspace))


def test_the_types_of_the_toolbox_are_types(workspace: Workspace) -> None:
    plan = Analysis.model_validate({**PLAN, "new": list(Toolbox().contracts.values())})
    assert len(plan.new) > 40
    assert not [one for one in ANALYSE.check(AnalyseIn(task="x"), plan, workspace) if "Python type" in one]
