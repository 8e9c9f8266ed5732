"""``labwright person`` and ``labwright sign``: who may accept what needs a named person, and doing it."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Annotated

import typer

from labwright.apps.exits import endings
from labwright.apps.terminal_output import err, escape, out
from labwright.tools.errors import InputError

app = typer.Typer(no_args_is_help=True, help="Persons who may accept findings that need a named person.")
Name = Annotated[str, typer.Argument(help="Such as jane or jane@lab.org; not `me`.")]


@app.command()
def add(name: Name) -> None:
    """Add a person, or give them another passphrase; both are typed unseen."""
    from labwright.tools import named_persons

    with endings():
        first = typed("New passphrase: ")
        if typed("Once more: ") != first:
            raise InputError("The two passphrases differ. Nothing was changed.")
        named_persons.add(_file(), name, first)
        out().print(f"{escape(name)} may sign.")


@app.command()
def remove(name: Name) -> None:
    """Remove a person; what they have signed counts no more."""
    from labwright.tools import named_persons

    with endings():
        named_persons.remove(_file(), name)


@app.command("list")
def list_command() -> None:
    """Who may sign."""
    from labwright.tools import named_persons

    with endings():
        out().print("\n".join(map(escape, named_persons.names(_file()))) or "Nobody yet: labwright person add NAME")


def sign(run: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or a unique beginning of one.")]) -> None:
    """Accept, as a named person, the findings that a run waits with; then resume it."""
    from labwright.agents.settings import Settings
    from labwright.tools.named_persons import FINDINGS
    from labwright.tools.runs import open_run
    from labwright.tools.runs.hashed_files import read_json

    with endings():
        found = open_run(Settings().runs, run)
        if not (found.folder / FINDINGS).exists():
            raise InputError(f"Run {found.run_id} waits with nothing that needs a named person.")
        kept = read_json(found.folder / FINDINGS, "Resume the run to write it anew.")
        for line in kept["findings"]:
            err().print(f"- {escape(line)}", soft_wrap=True)
        name = sign_here(found.folder, kept["digest"])
        out().print(f"Signed by {escape(name)}. Go on: labwright runs resume {found.run_id} --answer accept")


def sign_here(run_dir: Path, findings: str) -> str:
    """Ask for name and passphrase, and sign; returns the name.

    Raises:
        InputError: they do not belong together, or there is no terminal to type them at.
    """
    from labwright.tools import named_persons

    if not sys.stdin.isatty():
        raise InputError("A passphrase is typed at a terminal. Run `labwright sign RUN` at one.")
    err().print("Name: ", end="")
    name = input().strip()
    return named_persons.sign(_file(), run_dir, findings, name, typed("Passphrase: ")).name


def typed(prompt: str) -> str:
    """A line that is not shown.

    Raises:
        InputError: there is no terminal.
    """
    if not sys.stdin.isatty():
        raise InputError("A passphrase is typed at a terminal; this is none.")
    return getpass.getpass(prompt)


def _file() -> Path:
    from labwright.agents.settings import Settings

    return Settings().people
