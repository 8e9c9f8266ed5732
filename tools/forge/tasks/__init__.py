"""The families of tasks that known recipes can do, found by name; see `labwright.tools.forge.tasks.base`."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.base import Family

# Modules of this package that define FAMILY. A module that is not there (an extra may ship it) has no family.
MODULES = ("dynamics", "circuits", "spin_chain", "control", "heom", "vqe", "tensor_network", "chemistry")


@cache
def families() -> dict[str, Family[Any]]:
    """Name -> family of every module that is there."""
    found: dict[str, Family[Any]] = {}
    for module in MODULES:
        where = f"{__name__}.{module}"
        if importlib.util.find_spec(where) is None:
            continue
        loaded = importlib.import_module(where)
        for family in getattr(loaded, "FAMILIES", None) or (loaded.FAMILY,):
            found[family.name] = family
    return found


def family(name: str) -> Family[Any]:
    """The family called `name`.

    Raises:
        InputError: there is none; names those there are.
    """
    found = families()
    if name not in found:
        raise InputError(f"There is no family {name!r}. There are: {', '.join(sorted(found)) or 'none'}.")
    return found[name]
