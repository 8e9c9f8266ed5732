"""``labwright compile``: a procedure in prose is read by a model once, into a plan that later runs take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labwright.apps.calibrate import Answers, Approve, Budget, Json, Model, asker, check_budget
from labwright.apps.command_outcome import leave
from labwright.apps.exits import complain, endings
from labwright.apps.output_writing import write_document
from labwright.apps.permission_options import Device, DeviceOption, Lab
from labwright.apps.progress import Progress
from labwright.apps.run import granted_of
from labwright.apps.terminal_output import err, out
from labwright.tools.errors import InputError
from labwright.tools.runs import read_json, write_atomic

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome

TARGET = "compile.json"  # in the run folder: whose prose it reads


def compile_procedure(
    file: Annotated[Path, typer.Argument(metavar="FILE.md", help="A procedure in prose.")],
    model: Model = None,
    approve: Approve = "always",  # a plan that will be run without being asked about is looked at once
    answers: Answers = "ask",
    budget: Budget = "",
    device: Device = "simulated",
    device_option: DeviceOption = None,
    lab: Lab = "",
    qubits: Annotated[str, typer.Option(help="Qubits meant where the text names none, such as Q1,Q2.")] = "",
    json_file: Json = None,
) -> None:
    """Have a model read a procedure in prose, once; its plan is written beside it and taken by later runs."""
    with endings() as watch:
        from labwright.agents.settings import Settings
        from labwright.graphs.lab_calibration.plan_reading_graph import COMPILING
        from labwright.graphs.specification_runs import choices_of

        check_budget(budget)
        if file.suffix != ".md":
            raise InputError(f"File {str(file)!r} is no Markdown. `labwright run` runs a specification as it is.")
        try:
            prose = file.expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"File {str(file)!r} cannot be read ({error}). Check the path.") from error
        settings = Settings()
        watch.root = settings.runs
        granted = granted_of(
            mind=model or settings.model, approval=approve, answers=answers, budget=budget, qubits=qubits,
            device=device, device_option=device_option or [], lab=lab, toolset="", weak=False,
        )  # fmt: skip
        with Progress(err(), watch, quiet=True) as progress:
            choices = choices_of("lab_calibration", granted)
            target = {TARGET: json.dumps({"file": str(file.expanduser().absolute())}).encode()}
            outcome = COMPILING.start(
                prose, choices, settings.runs, on_event=progress.hear, on_question=asker(progress), files=target
            )
        finish_reading(outcome, None, json_file)


def finish_reading(outcome: Outcome, out_dir: Path | None, json_file: Path | None) -> None:
    """Write the plan beside the prose, or say why there is none, and leave with the exit code."""
    from labwright.graphs.lab_calibration.plan_reading_graph import plan_of
    from labwright.tools.specifications.compiled_plan_files import beside

    write_document(json_file, outcome.document)
    prose = Path(read_json(outcome.run_dir / TARGET, "Compile the procedure again.")["file"])
    if outcome.status == "complete":
        write_atomic(beside(prose), plan_of(outcome).encode())
        out().print(f"{beside(prose)}\nrun it with: labwright run {prose}", soft_wrap=True, markup=False)
    elif outcome.status != "stopped":
        complain(f"{prose}: {outcome.reason}")
    leave(outcome, outcome.reason)
