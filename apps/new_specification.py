"""``labwright new`` and ``labwright schema``: a specification to begin with, and what one may hold."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labwright.apps.exits import endings
from labwright.apps.terminal_output import err, escape, out
from labwright.tools.errors import InputError
from labwright.tools.runs import write_atomic

if TYPE_CHECKING:
    from labwright.tools.specifications.base import Problem
    from labwright.tools.specifications.form import Prompt

SYSTEM_HELP = "calibration, search, task, protocol or sequence."
SystemName = Annotated[str, typer.Argument(metavar="SYSTEM", help=f"{SYSTEM_HELP[:-1]}; or limits, of a lab.")]


def new(
    system: SystemName,
    kind: Annotated[str, typer.Argument(help="Such as chip, maintain or procedure; the first if left out.")] = "",
    ask: Annotated[bool, typer.Option("--ask", help="Ask field by field; ? shows help.")] = False,
    list_all: Annotated[bool, typer.Option("--list", help="List the experiments and procedures there are.")] = False,
    lab: Annotated[str, typer.Option(help="Folder with your own experiments (*.py) and procedures (*.md).")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write it into this file.")] = None,
) -> None:
    """Print a filled, commented specification to change and run; or ask for its fields."""
    with endings():
        from labwright.tools.specifications.examples import FOLDER, KINDS, conventions, example
        from labwright.tools.specifications.kinds import SHORT, system_named

        if output is not None and output.exists() and not list_all:
            raise InputError(f"File {str(output)!r} is there already. Remove it, or write another one.")
        if system == "limits":
            _give((FOLDER / "limits.yaml").read_text(encoding="utf-8"), output, then="see what holds: labwright limits")
            return
        name = system_named(system)
        short, folder = SHORT[name], Path(lab).expanduser() if lab else None
        if list_all:
            if short != "calibration":
                raise InputError("Option `--list` lists experiments and procedures: labwright new calibration --list")
            out().print(escape(listed(folder)), soft_wrap=True)
            return
        text = example(short, kind)
        if ask:
            text = f"{example(short).splitlines()[0]}\n{asked_at_terminal(name, kind, folder)}"
        elif short == "task":
            text += "".join(f"# {one}\n" for one in conventions(kind or KINDS[short][0]))
        _give(text, output, then=f"run it with: labwright run {output}")


def schema(
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help=SYSTEM_HELP)] = "",
    kind: Annotated[str, typer.Argument(help="Of a task: circuit, chain, free ...; all kinds if left out.")] = "",
    write: Annotated[Path | None, typer.Option(help="Write the schemas of all systems into this folder.")] = None,
) -> None:
    """Print the JSON Schema of a specification, which editors check and complete with."""
    with endings():
        from labwright.tools.specifications.kinds import system_named
        from labwright.tools.specifications.schema import schema_of, write_schemas

        if write is not None:
            for path in write_schemas(write.expanduser()):
                out().print(str(path), soft_wrap=True, markup=False)
        elif not system:
            raise InputError("Argument `SYSTEM` is missing. Name one, or write all with --write DIR.")
        else:
            typer.echo(json.dumps(schema_of(system_named(system), kind), indent=1, ensure_ascii=False))


def listed(lab: Path | None) -> str:
    """Experiments and procedures with one line each."""
    from labwright.tools.specifications.card_text import one_line
    from labwright.tools.specifications.catalogue import library

    return "\n".join(one_line(card) for card in library(lab).cards.values())


def asked_at_terminal(system: str, kind: str, lab: Path | None) -> str:
    """The specification that the answers at the terminal make, as YAML.

    Raises:
        InputError: the input ended before the last question.
    """
    from labwright.tools.specifications.yaml_files import to_yaml

    asking = asked(system, kind, lab)
    console = err()
    console.print("Enter takes the default in brackets, ? shows help.", style="dim", markup=False)
    try:
        prompt = next(asking)
        while True:
            shown(prompt)
            prompt = asking.send(input())
    except StopIteration as done:
        return to_yaml(done.value)
    except EOFError:
        raise InputError("The input ended before the last question; nothing is written.") from None


def asked(system: str, kind: str, lab: Path | None) -> Generator[Prompt, str, dict[str, Any]]:
    """The questions about a specification; a protocol has its own, in the order in which chemists think of them."""
    from labwright.tools.specifications.form import interview
    from labwright.tools.specifications.protocol_form import protocol_interview
    from labwright.tools.specifications.schema import schema_of
    from labwright.tools.specifications.task import FREE

    if system == "protocol_design":
        return protocol_interview()
    return interview(schema_of(system, kind or FREE), checks(system, lab))


def shown(prompt: Prompt) -> None:
    """What was said of the last answer, and the next question."""
    if prompt.said:
        err().print(prompt.said, style="yellow", markup=False, soft_wrap=True)
    err().print(f"{prompt.text} ", end="", markup=False, soft_wrap=True)


def checks(system: str, lab: Path | None) -> Any:
    """What is wrong with a specification as far as it has come; steps in the short form are read."""
    from labwright.tools.specifications.base import SpecificationError
    from labwright.tools.specifications.kinds import typed

    def check(data: dict[str, Any]) -> list[Problem]:
        try:
            typed(data)
        except SpecificationError as wrong:
            return list(wrong.problems)
        return _unread_steps(data.get("steps", []), lab) if system == "lab_calibration" else []

    return check


def _unread_steps(steps: list[Any], lab: Path | None) -> list[Problem]:
    from labwright.tools.specifications.base import Problem
    from labwright.tools.specifications.catalogue import library
    from labwright.tools.specifications.short_form_parser import NotRead, read

    catalogue, found = library(lab), []
    for at, step in enumerate(steps):
        if isinstance(step, str):
            try:
                read(step, catalogue)
            except NotRead as wrong:
                found.append(Problem(("steps", at), str(wrong), "Write a step as in: t1 Q1, stop = 300 us"))
    return found


def _give(text: str, output: Path | None, then: str) -> None:
    """Print it; or write it, with the schemas that its first line names beside it."""
    if output is None:
        typer.echo(text, nl=False)
        return
    from labwright.tools.specifications.schema import FOLDER, write_schemas

    target = output.expanduser().absolute()
    write_atomic(target, text.encode())
    write_schemas(target.parent / FOLDER)
    out().print(f"{output}\n{then}", soft_wrap=True, markup=False)
