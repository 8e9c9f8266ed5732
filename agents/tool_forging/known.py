"""What the rules mind knows: readers for the words, families for the science, recipes for the tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from labwright.agents.tool_forging.clarified import mended
from labwright.agents.tool_forging.readers import readers
from labwright.agents.tool_forging.readers.base import Reader, TaskText
from labwright.tools.forge.book import Book
from labwright.tools.forge.families import families
from labwright.tools.forge.families.base import Family
from labwright.tools.forge.workspace import Workspace


@dataclass(frozen=True)
class Known:
    """A body of knowledge; `STANDARD` is the one that comes with the package.

    Attributes:
        readers: every reader.
        families: name -> family.
        book: the recipes.
    """

    readers: Callable[[], Sequence[Reader]] = readers
    families: Callable[[], Mapping[str, Family[Any]]] = families
    book: Book = field(default_factory=Book)


STANDARD = Known()


def task_of(text: str, workspace: Workspace) -> TaskText:
    """The task with its input files, a person's answers worked in."""
    return TaskText(mended(text), workspace.inputs())
