"""What every specification has in common: version, system, title; problems with place, cause and fix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.tools.errors import InputError

VERSION = 1
LONGEST = 2000  # characters of a message that are shown
Path = tuple[str | int, ...]
# (system, old version) -> the document as the next version has it; empty, since version 1 is the only one there was
MIGRATIONS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}


class Specification(BaseModel):
    """The common part. `spec` is the version of the format."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    spec: Literal[1] = Field(default=1, description="Version of the format.")
    system: str = Field(description="Which system runs it.")
    title: str = Field(default="", max_length=200, description="What the report is called.")
    prose_sha256: str = Field(default="", max_length=64, description="Of the prose it was read from, by Labwright.")
    read_by: str = Field(default="", max_length=200, description="Who read it from prose, by Labwright.")

    @classmethod
    def kind_for(cls, data: Mapping[str, Any]) -> type[Specification]:
        """The type that `data` is of; a system with several kinds chooses among them."""
        return cls

    @classmethod
    def kinds(cls) -> Mapping[str, type[Specification]]:
        """Name of a kind -> its type; one without a name where there is only one."""
        return {"": cls}

    def plain(self) -> dict[str, Any]:
        """JSON-plain, without what was left at its default; `spec`, `system` and `title` first."""
        found = self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        return {"spec": self.spec, "system": self.system, **({"title": self.title} if self.title else {}), **found}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a specification.

    Attributes:
        path: field, such as ``("steps", 0, "stop")``; empty for the whole document.
        message: what is wrong, with the value.
        fix: what to write instead.
        missing: a value that only a person can give is absent; `options` are what it may be.
        options: possible values, if they can be listed.
    """

    path: Path
    message: str
    fix: str = ""
    missing: bool = False
    options: tuple[str, ...] = ()

    @property
    def field(self) -> str:
        """The path as people write it: ``steps.0.stop``."""
        return ".".join(map(str, self.path))

    def sentence(self) -> str:
        """Field, cause and fix in one line; of what is very long the beginning."""
        parts = (f"{self.field}:" if self.path else "", self.message, self.fix)
        return " ".join(part if len(part) <= LONGEST else f"{part[:LONGEST]}..." for part in parts if part)


class SpecificationError(InputError):
    """A specification cannot be used; one line a problem, each with file and line where they are known."""

    def __init__(self, problems: Sequence[Problem], name: str = "", lines: dict[Path, int] | None = None) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(_located(problem, name, lines or {}) for problem in problems))


def _located(problem: Problem, name: str, lines: dict[Path, int]) -> str:
    line = line_of(problem.path, lines)
    place = ", ".join(filter(None, (name, f"line {line}" if line else "")))
    return f"{place}: {problem.sentence()}" if place else problem.sentence()


def line_of(path: Path, lines: dict[Path, int]) -> int:
    """Line of `path` or of the nearest field around it; 0 if nothing is known."""
    for end in range(len(path), -1, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 0


def migrated(data: dict[str, Any]) -> dict[str, Any]:
    """`data` as today's version has it. No migration exists yet: version 1 is the only one there was.

    Raises:
        SpecificationError: the version is not known.
    """
    version, system = data.get("spec", VERSION), str(data.get("system", ""))
    while version != VERSION:
        step = MIGRATIONS.get((system, version)) if isinstance(version, int) else None
        if step is None:
            fix = "Upgrade Labwright to run it." if isinstance(version, int) and version > VERSION else "Write spec: 1."
            raise SpecificationError([Problem(("spec",), f"Version {version!r} is not known; this one is 1.", fix)])
        data = step(data)
        version = data["spec"]
    return data
