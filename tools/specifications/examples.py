"""Filled, commented examples: what `labwright new` prints, and what repairing agents are shown."""

from __future__ import annotations

from pathlib import Path

from labwright.tools.errors import InputError

FOLDER = Path(__file__).parent / "templates"


def example(kind: str) -> str:
    """The example of that name, as text.

    Raises:
        InputError: there is none.
    """
    path = FOLDER / f"{kind}.yaml"
    if not path.is_file():
        raise InputError(f"There is no example {kind!r}. There are: {', '.join(kinds())}.")
    return path.read_text(encoding="utf-8")


def kinds() -> list[str]:
    """The examples there are."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))
