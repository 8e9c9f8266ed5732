"""A document in the person's editor, or in a prompt of several lines where none is set."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from labwright.tools.errors import InputError

HINT = "Change it and press Esc, then Enter. Ctrl-C leaves it as it was."


def edited(text: str) -> str:
    """`text` as the person leaves it.

    Raises:
        InputError: the editor cannot be started or fails, or the person left the prompt.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    return _in_editor(editor, text) if editor else _in_prompt(text)


def _in_editor(editor: str, text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "specification.yaml"
        path.write_text(text, encoding="utf-8")
        try:
            ended = subprocess.run([*shlex.split(editor), str(path)], check=False).returncode
        except OSError as fault:
            raise InputError(f"The editor {editor!r} cannot be started ({fault}). Set EDITOR.") from fault
        if ended:
            raise InputError(f"The editor {editor!r} ended with an error, so nothing is changed.")
        return path.read_text(encoding="utf-8")


def _in_prompt(text: str) -> str:
    from prompt_toolkit import prompt

    try:
        return prompt(default=text, multiline=True, bottom_toolbar=HINT)
    except (KeyboardInterrupt, EOFError) as left:
        raise InputError("Nothing is changed.") from left
