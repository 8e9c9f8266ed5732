"""The list of commands: quick, and as the commands themselves say."""

from __future__ import annotations

import subprocess
import sys

import pytest

from labwright.apps.cli import COMMANDS, command


def test_help_imports_no_command() -> None:
    code = (
        "import atexit, sys; from labwright.apps.cli import main; sys.argv = ['labwright', '--help'];"
        "heavy = ('labwright', 'langgraph', 'numpy', 'pydantic');"
        "atexit.register(lambda: print(*(name for name in sys.modules if name.startswith(heavy)))); main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert "Usage: labwright" in done.stdout
    assert done.stdout.splitlines()[-1] == "labwright labwright.apps labwright.apps.terminal_output labwright.apps.cli"


@pytest.mark.parametrize("name", COMMANDS)
def test_list_says_what_the_command_says(name: str) -> None:
    found = command(name)
    assert (found.name, " ".join(found.help.partition("\n\n")[0].split())) == (name, COMMANDS[name])
