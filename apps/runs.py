"""``labwright runs``: list, show, resume, fork, pause, compare, verify, export."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from labwright.apps.calibrate import Json, Quiet, asker
from labwright.apps.exits import FAILED, Watch, endings, polite
from labwright.apps.numbers import seconds
from labwright.apps.output_writing import write_document
from labwright.apps.system_displays import face_of, live
from labwright.apps.terminal_output import STYLE, err, escape, out, plain_table, where_to_look
from labwright.tools.errors import ForeignRunError, InputError
from labwright.tools.runs import Run, list_runs, open_run, read_result, request_pause, runs_root, summarise

if TYPE_CHECKING:
    from labwright.graphs.questions import Answer, Question

app = typer.Typer(no_args_is_help=True, help="Runs: list, show, resume, fork, pause, compare, verify, export.")
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Run id, a unique beginning of one, or latest.")]


@app.command("list")
def list_command(json_file: Json = None) -> None:
    """All runs, newest first."""
    with endings():
        found = list_runs(runs_root())
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("run", no_wrap=True)
        table.add_column("status", no_wrap=True)
        table.add_column("asked", no_wrap=True, overflow="ellipsis", max_width=44)
        table.add_column("reason", overflow="fold")
        for run in found:
            style = STYLE.get(run.status, "bold cyan" if run.status == "running" else "yellow")
            asked = " ".join(run.asked.split())
            table.add_row(escape(run.run_id), f"[{style}]{run.status}[/]", escape(asked), escape(run.reason))
        out().print(table if found else f"No runs in {runs_root().absolute()}. Start one: labwright demo")
        rows = [{"run_id": run.run_id, "status": run.status, "reason": run.reason, "asked": run.asked} for run in found]
        write_document(json_file, _plain_document("runs", {"runs": rows}))


@app.command()
def show(run: RunId = "latest", json_file: Json = None) -> None:
    """What a run was asked, did and found."""
    with endings():
        found = open_run(runs_root(), run)
        state, console = summarise(found), out()
        console.print(
            f"[bold]{escape(found.run_id)}[/]  [{STYLE.get(state.status, 'yellow')}]{state.status}[/]", soft_wrap=True
        )
        if state.reason:
            console.print(escape(state.reason), soft_wrap=True)
        record = found.record
        console.print(f"asked     {escape(' '.join(record.asked.split()))}", soft_wrap=True)
        console.print(f"seed      {record.seed}, mind {escape(str(record.choices.get('mind', 'rules')))}")
        if record.parent:
            console.print(f"forked    from {escape(str(record.parent.get('run_id', '')))}")
        console.print()
        face = face_of(found)
        console.print(face.history(found, console.width))
        result = read_result(found) or {}
        for table in face.found(result.get("result", {}), found.folder):
            console.print()
            console.print(table)
        console.print()
        console.print(where_to_look(found.folder, found.run_id).rpartition("\n")[0] or "no report yet", soft_wrap=True)
        if state.status in ("stopped", "interrupted", "dead"):
            console.print(f"resume    labwright runs resume {found.run_id}", soft_wrap=True)
        write_document(json_file, result or _plain_document(record.system, {}, found.run_id))


@app.command()
def resume(
    run: RunId = "latest",
    answer: Annotated[list[str] | None, typer.Option(help="QUESTION=DECISION, for a question that waits.")] = None,
    budget: Annotated[str | None, typer.Option(help="Replaces the budget the run was started with.")] = None,
    rebuild: Annotated[bool, typer.Option(help="Set a damaged checkpoint aside and replay the journal.")] = False,
    adopt: Annotated[
        bool, typer.Option(help="Take over a run that another lab began or that was changed; replays its journal.")
    ] = False,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Go on with a run that was stopped, killed or waits. Nothing is measured twice."""
    with endings() as watch:
        from labwright.graphs.registry import driver_of

        found = open_run(runs_root(), run)
        watch.root, watch.run_id = runs_root(), found.run_id
        given = answers_of(answer or [], found)
        face = face_of(found)
        with polite(), live(face, found, err(), watch, quiet=quiet) as progress:
            outcome = driver_of(found).resume(
                found.run_id,
                runs_root(),
                answers=given,
                budget=budget,
                rebuild=rebuild,
                adopt=adopt,
                on_event=progress.hear,
                on_question=asker(progress),
            )
        face.finish(outcome, None, json_file)


@app.command()
def fork(
    run: RunId = "latest",
    stage: Annotated[
        int, typer.Option(help="How many finished stages, or trials of a search, to keep; 0 starts over.")
    ] = 0,
) -> None:
    """A new run that begins where this one had finished some of its stages; the old one is not changed."""
    with endings(Watch(runs_root())):
        from labwright.graphs.registry import driver_of

        found = open_run(runs_root(), run)
        new = driver_of(found).fork(found.run_id, runs_root(), stage=stage)
        out().print(f"{new}\nstart it with: labwright runs resume {new}", soft_wrap=True)


@app.command()
def pause(run: RunId = "latest") -> None:
    """Ask a running run to stop before its next stage."""
    with endings():
        found = open_run(runs_root(), run)
        state = summarise(found).status
        if state != "running":
            raise InputError(f"Run {found.run_id} is {state}, so it cannot be paused. `labwright runs list` shows all.")
        request_pause(found)
        out().print(f"{found.run_id} pauses before its next stage.", soft_wrap=True)


@app.command()
def compare(first: RunId, second: RunId, json_file: Json = None) -> None:
    """Two runs side by side: choices, what was done and found, and each field of the specification that differs."""
    from labwright.graphs.front_desk.facts import difference

    with endings():
        runs = [open_run(runs_root(), name) for name in (first, second)]
        table = plain_table("", *(run.run_id for run in runs), "")
        facts = [facts_of(run) for run in runs]
        names = list(dict.fromkeys([*facts[0], *facts[1]]))
        for name in names:
            values = [each.get(name, "-") for each in facts]
            table.add_row(escape(name), *map(escape, values), difference(*values))
        changed = spec_differences(*runs)
        for path, *values in changed:
            table.add_row(f"spec: {escape(path)}", *("-" if value is None else escape(str(value)) for value in values))
        out().print(table)
        listed = [{"path": path, "first": one, "second": other} for path, one, other in changed]
        found = {"runs": dict(zip((first, second), facts, strict=True)), "spec": listed}
        write_document(json_file, _plain_document("runs", found))


@app.command()
def verify(run: RunId = "latest", json_file: Json = None) -> None:
    """What of a run is whole, changed, missing, cut off or moved since it was written, by file and line."""
    with endings():
        from labwright.graphs.checkpoints import checkpoint_damage
        from labwright.tools.runs.verifying import verify as verified

        found = open_run(runs_root(), run)
        result, console = verified(found.folder), out()
        damage = checkpoint_damage(found.folder)
        for one in result.findings:
            style = "yellow" if one.kind == "unfinished" else "red"
            console.print(f"[{style}]{one.kind:10}[/] {escape(one.where)}  {escape(one.what)}", soft_wrap=True)
        if damage:
            console.print(f"[red]changed   [/] {escape(damage)}", soft_wrap=True)
        counted = f"{result.events} events and {result.files} files are as they were written"
        whole = result.whole and not damage
        kind = "whole" if whole else "not whole" if result.ours else "not of this lab"
        console.print(f"[bold]{escape(found.folder.name)}[/]  [{'green' if whole else 'red'}]{kind}[/]: {counted}.")
        if not result.ours:
            console.print(escape(str(ForeignRunError(found.folder.name, changed=found.chain.changed))), soft_wrap=True)
        if result.apart:
            console.print(f"not covered: {escape(', '.join(result.apart))}", soft_wrap=True)
        write_document(json_file, _plain_document("runs", {"whole": whole, **asdict(result), "checkpoints": damage}))
        if not whole:
            raise typer.Exit(FAILED)


@app.command()
def export(
    run: RunId = "latest",
    to: Annotated[
        Path | None,
        typer.Option("--out", help="A new folder, NAME.zip, or NAME.nc for the measurements alone. Default RUN-crate."),
    ] = None,
    html: Annotated[bool, typer.Option("--html", help="One HTML file with the report and its figures.")] = False,
) -> None:
    """Write a run as an RO-Crate: specification, measurements with units, figures, hashes, and who approved what."""
    with endings():
        from labwright.tools.runs.export import save_crate, save_measurements

        found = open_run(runs_root(), run)
        if html:
            from labwright.apps.run_html_export import save_page

            save_page(found, to or Path(f"{found.run_id}.html"))
            out().print(str(to or f"{found.run_id}.html"), soft_wrap=True)
            return
        place = to or Path(f"{found.run_id}-crate")
        alone = place.suffix in (".nc", ".h5")
        n = (save_measurements if alone else save_crate)(found, place)
        out().print(f"{place}: {n} {'measurements' if alone else 'files'}", soft_wrap=True)


def facts_of(run: Run) -> dict[str, str]:
    """What is worth comparing about a run, name -> shown value."""
    from labwright.graphs.front_desk.facts import findings

    result = read_result(run) or {}
    facts = {"status": summarise(run).status, "asked": " ".join(run.record.asked.split())[:60]}
    facts |= {name: str(value) for name, value in run.record.choices.items() if value not in ("", [], {}, None)}
    facts["seconds"] = seconds(float(result.get("seconds", 0.0)))
    return facts | findings(run)


def spec_differences(one: Run, other: Run) -> list[tuple[str, Any, Any]]:
    """What differs between the specifications of two runs; nothing if one has none."""
    from labwright.graphs.front_desk.run_requests import specification_of
    from labwright.tools.specifications.differences import differences

    first, second = specification_of(one), specification_of(other)
    return list(differences(first, second)) if first and second else []


def answers_of(pairs: list[str], run: Run) -> dict[str, Answer]:
    """``["ID=run"]`` as answers to the questions the run waits with; of a single one the id may be left out.

    Raises:
        InputError: no such question, or the decision does not fit it.
    """
    if not pairs:
        return {}
    from labwright.apps.terminal_questions import answer_of
    from labwright.graphs.questions import Question, problems

    waiting = [Question.model_validate(plain) for plain in (read_result(run) or {}).get("questions", [])]
    found = {}
    for pair in pairs:
        question, said = _meant(waiting, pair)
        answer = answer_of(question, said)
        if wrong := problems(question, answer):
            raise InputError(f"Option `--answer` {pair!r}: {' '.join(wrong)}")
        found[question.id] = answer
    return found


def _meant(waiting: list[Question], pair: str) -> tuple[Question, str]:
    """The question whose id `pair` begins with, and the rest. Both sides of the equals sign may hold another one."""
    named = [each for each in waiting if pair.startswith(f"{each.id}=")]
    if named:
        question = max(named, key=lambda each: len(each.id))
        return question, pair[len(question.id) + 1 :].strip()
    first, said = pair.split()[:1], pair.strip()
    offered = [option.value for each in waiting for option in each.options]
    if len(waiting) == 1 and ("=" not in said.removeprefix("=") or said[:1] == "=" or first[0] in offered):
        return waiting[0], said.removeprefix("=").strip()
    open_ids = ", ".join(repr(question.id) for question in waiting) or "none"
    raise InputError(f"Option `--answer` {pair!r} names no open question. Open: {open_ids}. Write QUESTION=DECISION.")


def _plain_document(system: str, result: dict[str, Any], run_id: str = "") -> dict[str, Any]:
    return {"run_id": run_id, "system": system, "status": "complete", "result": result}
