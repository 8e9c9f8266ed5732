"""The rules mind's evaluation: computed judgements, each under the flag that it raises."""

from __future__ import annotations

from collections.abc import Sequence

from labwright.agents.tool_forging.computed_judgements import delivered, judged
from labwright.agents.tool_forging.evaluation_schema import EvaluateIn, Evaluation, Evidence
from labwright.agents.tool_forging.known_task_types import STANDARD, Known
from labwright.agents.tool_forging.solution import RESULTS, Flag
from labwright.tools.forge.tasks.task_type import Fault, Judgement
from labwright.tools.workspace.workspace import Workspace

FLAGS: dict[Fault, Flag] = {
    "bug": "bug_need_fix",
    "script_incomplete": "script_complete",
    "more_simulation": "further_simulation_needed",
    "result_incomplete": "result_complete",
}


def evaluate_by_rules(given: EvaluateIn, workspace: Workspace, known: Known = STANDARD) -> Evaluation:
    """Judge by what can be computed: what the card demands, and what its family knows must hold."""
    found = known.card(given.task)
    made = [*_failures(given), *delivered(workspace)]
    made += judged(*found, workspace) if found else [_unread()]
    failed = [one for one in made if not one.passed]
    faults = {one.fault for one in failed}
    return Evaluation(
        bug_need_fix="bug" in faults,
        script_complete="script_incomplete" not in faults,
        further_simulation_needed="more_simulation" in faults,
        result_complete="result_incomplete" not in faults,
        evidence=[*(_evidence(one, workspace) for one in made), *_silent(made, workspace)],
        check="",
        next_step_plan=_plan(failed),
    )


def _failures(given: EvaluateIn) -> list[Judgement]:
    said = given.executed.failures if given.executed is not None else []
    return [Judgement("execution", False, text, "bug", "Fix the cause and run again.") for text in said]


def _unread() -> Judgement:
    return Judgement("science", True, "The task is no card; only deliverables were looked at.")


def _evidence(one: Judgement, workspace: Workspace) -> Evidence:
    where = next((path for path in (one.name, RESULTS) if workspace.files.exists(path)), "")
    return Evidence(
        flag=FLAGS[one.fault],
        statement=f"{one.name} {'holds' if one.passed else 'fails'}: {one.message}",
        passed=one.passed,
        where=where,
    )


def _silent(made: Sequence[Judgement], workspace: Workspace) -> list[Evidence]:
    """For each flag under which nothing was computed, that this is so."""
    silent = [flag for fault, flag in FLAGS.items() if all(one.fault != fault for one in made)]
    where = RESULTS if workspace.files.exists(RESULTS) else ""
    said = f"None of the {len(made)} computed judgements is about"
    return [
        Evidence(
            flag=flag, statement=f"{said} `{flag}`; nothing speaks against the solution.", passed=True, where=where
        )
        for flag in silent
    ]


def _plan(failed: Sequence[Judgement]) -> str:
    steps = dict.fromkeys(f"{one.name}: {one.mend or 'Look into it.'} ({one.message})" for one in failed)
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
