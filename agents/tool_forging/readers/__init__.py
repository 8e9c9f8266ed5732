"""Readers of tasks: each knows one family's words. All of them read a task; together they have to account for it."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import TYPE_CHECKING

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reader, Reading, TaskText

if TYPE_CHECKING:
    from labwright.agents.tool_forging.reading_task import NoRecipe

# Modules of this package that define READER, or READERS. One that is not there yet is passed over.
MODULES = ("circuits", "open_system", "spin_chain", "control", "heom", "vqe", "tensor_network", "chemistry")


@cache
def readers() -> tuple[Reader, ...]:
    """Every reader that is there, in the order of `MODULES`."""
    found: list[Reader] = []
    for module in MODULES:
        where = f"{__name__}.{module}"
        if importlib.util.find_spec(where) is not None:
            loaded = importlib.import_module(where)
            found += getattr(loaded, "READERS", None) or [loaded.READER]
    return tuple(found)


def read_task(task: TaskText) -> list[Reading] | Question | NoRecipe:
    """All readers on one task; see `labwright.agents.tool_forging.reading_task`."""
    from labwright.agents.tool_forging import reading_task  # it reads with `readers`

    return reading_task.read_task(task)
