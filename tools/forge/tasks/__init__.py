"""The types of tasks that known tools can do, found by name; see `labwright.tools.forge.tasks.task_type`."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.task_type import Family

# Modules of this package that define FAMILY, or FAMILIES.
MODULES = ("dynamics", "circuits", "spin_chain", "control", "heom", "vqe", "tensor_network", "chemistry")


@cache
def families() -> dict[str, Family[Any]]:
    """Name -> type of task."""
    loaded = [importlib.import_module(f"{__name__}.{module}") for module in MODULES]
    return {one.name: one for each in loaded for one in getattr(each, "FAMILIES", None) or (each.FAMILY,)}


def family(name: str) -> Family[Any]:
    """The type of task called `name`.

    Raises:
        InputError: there is none; names those there are.
    """
    found = families()
    if name not in found:
        raise InputError(f"There is no type of task {name!r}. There are: {', '.join(sorted(found))}.")
    return found[name]
