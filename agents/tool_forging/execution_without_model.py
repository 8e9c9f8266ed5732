"""The rules mind's execution: the families' scripts in order, their results as one, and a report."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labwright.agents.tool_forging.analyse import Mode, module_of, tools_there
from labwright.agents.tool_forging.card_suggestions import handed_back
from labwright.agents.tool_forging.known_task_types import STANDARD, Known
from labwright.agents.tool_forging.report_without_model import report_of
from labwright.agents.tool_forging.solution import (
    FIGURES,
    LARGEST,
    PARTS,
    REPORT,
    RESULTS,
    SUBSET,
    Executed,
    ExecuteIn,
    figure_paths,
    read_solution,
)
from labwright.agents.typed_call import Refusal
from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.results import (
    Record,
    Results,
    computed,
    csv_of,
    fitted,
    in_unit,
    merged,
    picked,
    quantities,
)
from labwright.tools.forge.tasks.task_type import Family, Script
from labwright.tools.jobs.records import JobLimits
from labwright.tools.runs.hashed_files import to_json
from labwright.tools.specifications.task import Card
from labwright.tools.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Ran:
    """One script and how it ended; `said` is the end of what it printed."""

    path: str
    script: Script
    ok: bool
    said: str
    seconds: float


def execute_by_rules(given: ExecuteIn, workspace: Workspace, known: Known = STANDARD) -> Executed | Refusal:
    """Write and run the scripts of the card's family, the subsets first."""
    found = known.card(given.task)
    if found is None:
        return Refusal(reason=handed_back(given.task))
    family, card = found
    imports = _imports(list(family.tools(card.compiled())), given.mode, workspace, known)
    absent = sorted(name for name, module in imports.items() if not module)
    if absent:
        return Refusal(reason=f"tools/ has no {', '.join(absent)}, which this task needs. Let the analyser ask for it.")
    _begin(given.iteration, workspace)
    ran = _run_all(_scripts(family, card, imports, workspace), given, workspace)
    failures = [f"{one.path} ended with an error: {one.said}" for one in ran if not one.ok]
    failures += _gather(workspace)
    if not failures:
        failures += [*_named(card, workspace), *_tables(card, workspace)]
    workspace.files.write(REPORT, report_of(given.task, family, card, ran_lines(ran), sorted(imports), workspace))
    return Executed(
        scripts=[one.path for one in ran],
        figures=figure_paths(workspace),
        tools=sorted(imports) if given.mode != "direct" else [],
        trial=_trial(ran),
        failures=failures,
        summary=_summary(ran, workspace),
    )


def _imports(names: Sequence[str], mode: Mode, workspace: Workspace, known: Known) -> dict[str, str]:
    """Recipe -> module to import it from; an empty one where it is missing."""
    if mode != "direct":
        there = tools_there(workspace)
        return {name: module_of(there[name]) if name in there else "" for name in names}
    for name in names:  # beside the scripts, as plain code that no gate has seen
        source = known.toolbox.candidate(name).source
        workspace.files.write(
            f"lib_{name}.py", re.sub(r"^from tools\.(\w+) import", r"from lib_\1 import", source, flags=re.M)
        )
    return {name: f"lib_{name}" for name in names}


def _scripts(
    family: Family[Any], card: Card, imports: Mapping[str, str], workspace: Workspace
) -> list[tuple[str, Script]]:
    """All scripts, written down; the trials come before anything long."""
    ordered = sorted(family.scripts(card.compiled(), imports), key=lambda script: not script.subset)
    named = [(f"script_{number}{'_subset' * one.subset}.py", one) for number, one in enumerate(ordered, 1)]
    for path, script in named:
        for name, content in {path: script.source, **script.modules}.items():
            workspace.files.write(name, content)
    return named


def _run_all(scripts: Sequence[tuple[str, Script]], given: ExecuteIn, workspace: Workspace) -> list[Ran]:
    """Run the scripts one by one up to the first that fails: those after it may build on it."""
    ran: list[Ran] = []
    for path, script in scripts:
        ran.append(_run(path, script, given, workspace))
        workspace.files.write(f"logs/{path.removesuffix('.py')}.txt", ran[-1].said)
        if not ran[-1].ok:
            break
    return ran


def _run(path: str, script: Script, given: ExecuteIn, workspace: Workspace) -> Ran:
    seconds, threads = min(script.wall_seconds, given.job_seconds), min(script.threads, given.threads)
    limits = JobLimits(
        cpu_seconds=seconds * threads,
        wall_seconds=seconds,
        memory_mb=given.memory_mb,
        threads=threads,
    )
    # The same job after a restart, another one in the next iteration or with another script.
    said = (given.iteration, path, script.source, *sorted(script.modules.items()))
    key = hashlib.sha256(repr(said).encode()).hexdigest()
    end = workspace.job(["python", path], limits=limits, name=f"{path}: {script.purpose}", key=key)
    return Ran(path, script, end.ok, end.said, end.seconds)


def _begin(iteration: int, workspace: Workspace) -> None:
    """Remove what an earlier iteration left: it must not pass for this one's. Once: a restart finds its own results."""
    mark = f"logs/begun_{iteration}.txt"
    if workspace.files.exists(mark):
        return
    _clear(workspace)
    workspace.files.write(mark, "Results of earlier iterations were removed.\n")


def _clear(workspace: Workspace) -> None:
    for folder in (PARTS, FIGURES):
        if any(one.path == folder for one in workspace.files.entries()):
            for one in workspace.files.files(folder):
                workspace.files.remove(one.path)
    if workspace.files.exists(RESULTS):
        workspace.files.remove(RESULTS)


def _gather(workspace: Workspace) -> list[str]:
    """Write ``results/*.json`` as one ``results.json``, without those of the trials; the parts that do not read."""
    if not any(one.path == PARTS for one in workspace.files.entries()):
        return []
    found: list[Results] = []
    faults: list[str] = []
    for part in workspace.files.files(PARTS, "*.json"):
        if part.path.endswith(SUBSET):
            continue
        try:
            found.append(read_solution(workspace, part.path))
        except InputError as wrong:
            faults.append(str(wrong))
    if found:
        workspace.files.write(RESULTS, to_json(merged(found).model_dump(mode="json")).decode(), LARGEST)
    return faults


def _named(card: Card, workspace: Workspace) -> list[str]:
    """Write the results that the card names; those that there are not, one sentence each."""
    results, faults, made = read_solution(workspace), [], dict[str, Record]()
    known = quantities(results)
    for name, one in card.named.items():
        try:
            found = computed(name, one.expression, known | made) if one.expression else None
            found = found or picked(results, name, one.of, one.labels, one.at)
            found = fitted(found, name, one) if one.fit else found
            if one.expression or one.fit:
                made[name] = found.model_copy(update={"unit": one.unit})
            else:
                made[name] = in_unit(found, one.unit) if one.unit else found
        except InputError as wrong:
            faults.append(str(wrong))
    if made:
        whole = merged([results, Results(records=[*made.values()])])
        workspace.files.write(RESULTS, to_json(whole.model_dump(mode="json")).decode(), LARGEST)
    return faults


def _tables(card: Card, workspace: Workspace) -> list[str]:
    """Write the card's tables; the columns for which nothing was computed, one sentence each."""
    faults = []
    for path, columns in card.tables.items():
        text, missing = csv_of(read_solution(workspace), columns)
        faults += [f"{path}: column {one}." for one in missing]
        workspace.files.write(path, text)
    return faults


def ran_lines(ran: Sequence[Ran]) -> list[str]:
    """One line for each script, for the report."""
    return [
        f"`{one.path}`{' (trial on a small part)' if one.script.subset else ''}: {one.script.purpose}"
        f" {'Done' if one.ok else 'FAILED'} after {one.seconds:.1f} s."
        for one in ran
    ]


def _trial(ran: Sequence[Ran]) -> str:
    trials = [one for one in ran if one.script.subset]
    if not trials:
        return "No trial: the whole calculation is short."
    return " ".join(f"{one.path} {'passed' if one.ok else 'failed'} in {one.seconds:.1f} s." for one in trials)


def _summary(ran: Sequence[Ran], workspace: Workspace) -> str:
    done = sum(one.ok for one in ran)
    try:
        records = len(read_solution(workspace).records)
    except InputError:
        records = 0
    return f"{done} of {len(ran)} scripts ended well; results.json holds {records} records."
