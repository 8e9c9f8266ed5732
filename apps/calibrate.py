"""``labwright calibrate`` and ``labwright demo``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labwright.apps.calibration_summary import print_summary
from labwright.apps.command_outcome import carry_out, finishing
from labwright.apps.exits import Watch, endings
from labwright.apps.maintained_device import SENTENCE, device_of_run
from labwright.apps.progress import TableProgress
from labwright.apps.request_text import request_text
from labwright.apps.terminal_output import err, escape
from labwright.tools.errors import InputError
from labwright.tools.runs.run import runs_root

if TYPE_CHECKING:
    from labwright.graphs.questions import Answer, Question
    from labwright.graphs.running import OnQuestion

DEMO_SENTENCE = "Calibrate qubit Q1 and benchmark it"
# The demo's mis-set qubit: 1.5 MHz off in frequency, 15 % off in amplitude, no DRAG.
DEMO_DEVICE: dict[str, float | str] = {"frequency_offset": 1.5, "amplitude_error": 0.15, "drag": 0.0}

EXAMPLE = 'Say what to calibrate, such as "Calibrate qubit Q1".'

Model = Annotated[
    str | None,
    typer.Option(
        help="Who answers: rules, provider:name such as openai:gpt-4.1, record:DIR,provider:name, or replay:DIR."
    ),
]
Approve = Annotated[str, typer.Option(help="What a person must allow: auto (nothing), risky, always.")]
Answers = Annotated[str, typer.Option(help="Open questions: ask, or take the stated defaults.")]
Budget = Annotated[str, typer.Option(help="Such as tokens=20000,calls=50,seconds=600,money=2.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the result document to this file.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]
Seed = Annotated[int, typer.Option(help="Of every random draw of the simulated device.")]
DeviceFolder = Annotated[str, typer.Option(help="Where the device keeps its memory, if it is to outlive the run.")]
Retries = Annotated[int, typer.Option(help="Repetitions of one stage.")]


def demo(
    seed: Seed = 0,
    model: Model = None,
    budget: Budget = "",
    out_dir: Annotated[Path | None, typer.Option("--out", help="Copy report, figures and result here.")] = None,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Calibrate a mis-set qubit of the simulated processor and benchmark it, unattended."""
    choices: dict[str, Any] = {"seed": seed, "budget": budget, "approval": "auto", "answers": "defaults"}
    choices["device_options"] = DEMO_DEVICE
    with endings() as watch:
        if not quiet:
            err().print(f'"{DEMO_SENTENCE}"  [dim](1.5 MHz and 15 % off, no DRAG; seed {seed})[/]')
        _run(watch, DEMO_SENTENCE, choices, model, out_dir, json_file, quiet)


def calibrate(
    request: Annotated[
        str,
        typer.Argument(metavar="TEXT|FILE", help="The short form, a plan or procedure, or words.", show_default=False),
    ] = "",
    qubits: Annotated[str, typer.Option(help="Qubits meant where the text names none, such as Q1,Q2.")] = "",
    device: Annotated[str, typer.Option(help="simulated, package.module:factory, or file.py:factory.")] = "simulated",
    device_option: Annotated[list[str] | None, typer.Option(help="name=value for the device's factory.")] = None,
    seed: Seed = 0,
    model: Model = None,
    approve: Approve = "risky",
    answers: Answers = "ask",
    budget: Budget = "",
    max_retries: Retries = 5,
    lab: Annotated[str, typer.Option(help="Folder with your own experiments (*.py) and procedures (*.md).")] = "",
    maintain: Annotated[
        bool, typer.Option("--maintain", help="Measure only what has gone stale on a device that was calibrated.")
    ] = False,
    run: Annotated[str, typer.Option(help="With --maintain: the run whose device is meant; the newest if empty.")] = "",
    after: Annotated[float, typer.Option(help="Hours that pass first, for a simulated device.", min=0.0)] = 0.0,
    device_folder: DeviceFolder = "",
    out_dir: Annotated[Path | None, typer.Option("--out", help="Copy report, figures and result here.")] = None,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Calibrate qubits from words, a plan or a Markdown procedure, or keep them calibrated."""
    from labwright.tools.qpu.opening import absolute_spec

    with endings() as watch:
        choices = {
            "qubits": tuple(name.strip() for name in qubits.split(",") if name.strip()),
            "device": absolute_spec(device),
            "device_options": device_options(device_option or []),
            "seed": seed,
            "approval": approve,
            "answers": answers,
            "budget": budget,
            "max_retries": max_retries,
            "lab": absolute(lab),
            "device_folder": absolute(device_folder),
            "idle_hours": after,
        }
        if maintain:
            request = request or SENTENCE
            choices |= {} if device_folder else device_of_run(runs_root(), run)
        _run(
            watch,
            request_text(request, (".md", ".yaml", ".yml"), EXAMPLE),
            choices,
            model,
            out_dir,
            json_file,
            quiet,
        )


def absolute(path: str) -> str:
    """An absolute path, so that a run means the same folder wherever it is resumed; empty stays empty."""
    return str(Path(path).expanduser().absolute()) if path else ""


def device_options(pairs: list[str]) -> dict[str, float | str]:
    """``["drag=0"]`` as ``{"drag": 0.0}``.

    Raises:
        InputError: an item has no ``=``.
    """
    found: dict[str, float | str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise InputError(f"Option `--device-option` must be name=value, but is {pair!r}.")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            found[name.strip()] = value
    return found


def check_budget(text: str) -> None:
    """Notice a badly written budget before a run is made.

    Raises:
        InputError: it does not read.
    """
    from labwright.agents.meter import Budget

    try:
        Budget.parse(text)
    except ValueError as error:
        raise InputError(f"Option `--budget`: {error}") from error


def _run(
    watch: Watch,
    text: str,
    choices: dict[str, Any],
    model: str | None,
    out_dir: Path | None,
    json_file: Path | None,
    quiet: bool,
) -> None:
    from labwright.agents.settings import Settings
    from labwright.graphs.lab_calibration.choices import Choices
    from labwright.graphs.specification_runs import Job

    check_budget(choices["budget"])
    chosen = Choices.model_validate({**choices, "mind": model or Settings().model})
    carry_out(Job("lab_calibration", text, chosen), watch, out_dir, json_file, quiet=quiet)


def asker(progress: TableProgress[Any]) -> OnQuestion:
    """Who answers a run's questions: the person at the terminal, or the lines of a pipe until they end."""
    from labwright.apps.terminal_questions import ask

    def put(question: Question) -> Answer | None:
        folder = progress.watch.folder
        if sys.stdin.isatty():
            with progress.aside():
                return ask(question, err(), input, str(folder or ""))
        lines = iter(sys.stdin.readline, "")
        if not (first := next(lines, "")):
            return None  # the pipe has ended: the run waits, and its end shows the question
        return ask(question, err(), _echoed(chain([first], lines)), str(folder or ""))

    return put


def _echoed(lines: Iterator[str]) -> Callable[[], str]:
    """Reads the next line of a pipe and shows it, as a terminal would."""

    def read() -> str:
        if (line := next(lines, None)) is None:
            raise EOFError
        err().print(escape(line.rstrip("\n")), soft_wrap=True)
        return line

    return read


finish = finishing(print_summary)
