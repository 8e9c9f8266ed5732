"""Skills: short guides on methods, conventions and figures, read when they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from labwright.tools.errors import InputError

FOLDER = Path(__file__).resolve().parent / "skills"


@dataclass(frozen=True, slots=True)
class Skill:
    """One guide; `about` says when to read it."""

    name: str
    about: str
    text: str


@cache
def skills(folder: Path = FOLDER) -> dict[str, Skill]:
    """Every skill by name, from ``<name>.md``: a heading, a line that says when to read it, the guide."""
    return {path.stem: _read(path) for path in sorted(folder.glob("*.md"))}


def read_skill(name: str) -> str:
    """The guide called `name`.

    Raises:
        InputError: there is none; names those there are.
    """
    found = skills().get(name.strip().removesuffix(".md"))
    if found is None:
        raise InputError(f"There is no skill {name!r}. There are: {', '.join(skills())}.")
    return found.text


def _read(path: Path) -> Skill:
    text = path.read_text(encoding="utf-8").strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return Skill(path.stem, lines[1] if len(lines) > 1 else "", text)
