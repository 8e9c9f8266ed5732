"""``labwright run``: run any specification, whichever system it is for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labwright.apps.calibrate import (
    Answers,
    Budget,
    DeviceFolder,
    Json,
    Model,
    Quiet,
    absolute,
    check_budget,
    device_options,
)
from labwright.apps.command_outcome import carry_out
from labwright.apps.exits import endings
from labwright.apps.permission_options import Device, DeviceOption, Lab, Toolset
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome
    from labwright.tools.specifications.base import Path as Place
    from labwright.tools.specifications.kinds import Written

With = Annotated[
    list[str] | None,
    typer.Option("--with", help="PATH=VALUE: change a field first, such as steps.0.stop='2 us'; may be repeated."),
]


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A specification (YAML or Markdown), or an example.")],
    changes: With = None,
    model: Model = None,
    approve: Annotated[
        str, typer.Option(help="What a person must allow: auto, risky or always; of a protocol auto if left out.")
    ] = "",
    answers: Answers = "ask",
    budget: Budget = "",
    qubits: Annotated[str, typer.Option(help="Qubits of steps that name none, such as Q1,Q2.")] = "",
    device: Device = "simulated",
    device_option: DeviceOption = None,
    device_folder: DeviceFolder = "",
    lab: Lab = "",
    toolset: Toolset = "",
    allow_weak_sandbox: Annotated[
        bool, typer.Option("--allow-weak-sandbox", help="Run new code with resource limits only.")
    ] = False,
    out_dir: Annotated[Path | None, typer.Option("--out", help="Copy report, figures and results here.")] = None,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Run a specification; `system:` in it says what for. What you grant (model, device, budget) are options."""
    with endings() as watch:
        from labwright.agents.settings import Settings
        from labwright.graphs.specification_runs import job_of

        check_budget(budget)
        written, settings = written_in(file, patches_of(changes or [])), Settings()
        granted = granted_of(
            mind=model or settings.model, approval=approve, answers=answers, budget=budget, qubits=qubits,
            device=device, device_option=device_option or [], lab=lab, toolset=toolset,
            weak=allow_weak_sandbox, device_folder=absolute(device_folder),
        )  # fmt: skip
        job = job_of(written, granted)
        of_file = partial(named, file=file, patched=bool(changes))
        carry_out(job, watch, out_dir, json_file, quiet=quiet, named=of_file)


def named(outcome: Outcome, file: Path, *, patched: bool) -> Outcome:
    """A refusal with the file's name before each line; the lines of a changed document are not those of the file."""
    if outcome.status != "refused":
        return outcome
    lines = outcome.reason.splitlines()
    if patched:
        lines = [line.partition(": ")[2] if line.startswith("line ") else line for line in lines]
    place = {True: f"{file}: ", False: f"{file}, "}
    return replace(outcome, reason="\n".join(place[not line.startswith("line ")] + line for line in lines))


def granted_of(
    *, qubits: str, device: str, device_option: list[str], lab: str, toolset: str, weak: bool, **more: Any
) -> dict[str, Any]:
    """What the options of a command grant, as choices of whichever system has them."""
    from labwright.tools.qpu.opening import absolute_spec

    return {
        **more,
        "qubits": tuple(name.strip() for name in qubits.split(",") if name.strip()),
        "device": absolute_spec(device),
        "device_options": device_options(device_option),
        "lab": absolute(lab),
        "toolset": toolset,
        "sandbox": "rlimits" if weak else "landlock",
    }


def patches_of(changes: list[str]) -> list[tuple[Place, Any]]:
    """``["steps.0.stop=2 us"]`` as patches.

    Raises:
        InputError: one is not PATH=VALUE.
    """
    from labwright.tools.specifications.patches import read_patches

    found: list[tuple[Place, Any]] = []
    for change in changes:
        read = read_patches(change)
        if not read:
            raise InputError(f"Option `--with` must be PATH=VALUE, such as steps.0.stop='2 us', but is {change!r}.")
        found += read
    return found


def written_in(file: Path, patches: list[tuple[Place, Any]]) -> Written:
    """The specification in a file or of a shipped example; a Markdown procedure without one is a calibration.

    Raises:
        InputError: it cannot be read, is none, or a field is wrong.
    """
    from labwright.tools.specifications.compiled_plan_files import read_text
    from labwright.tools.specifications.examples import named
    from labwright.tools.specifications.kinds import is_procedure, procedure_in, read_written

    file = named(str(file)) or file
    if not file.expanduser().exists():
        words = (
            "Words are for calibrate, search, design, or forge (computations), and need a model, which --model names."
        )
        raise InputError(f"There is no file and no example {str(file)!r}. {words}")
    text, folder = read_text(file), file.expanduser().parent
    if is_procedure(text):
        return procedure_in(text, str(file), folder, patches)
    return read_written(text, str(file), folder, patches)
