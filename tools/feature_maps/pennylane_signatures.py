"""Signatures of everything that the installed PennyLane offers, as plain data.

Importing PennyLane takes seconds, so another process does it once and the answer is kept in the user's cache folder,
by version. Run as a module, this file prints the signatures.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import inspect
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from labwright.tools.errors import ToolError

SECONDS = 120


class Parameter(BaseModel):
    """One parameter of a callable."""

    name: str
    kind: str  # as `inspect.Parameter.kind.name`
    required: bool


class Signature(BaseModel):
    """How a name of PennyLane is called.

    Attributes:
        kind: ``operation``, ``callable``, ``module`` or ``value``.
        parameters: in order; None if they cannot be told.
        wires: how many an operation acts on; None if any number.
    """

    kind: str
    parameters: list[Parameter] | None = None
    wires: int | None = None

    def shown(self) -> str:
        """Names of the parameters, as a person would write the call."""
        names = [one.name for one in self.parameters or [] if one.name != "id"]
        return ", ".join(names)


_TABLE = TypeAdapter(dict[str, Signature])


@cache
def signatures() -> dict[str, Signature]:
    """Every public name of the ``pennylane`` namespace.

    Raises:
        ToolError: PennyLane cannot be imported here.
    """
    version = importlib.metadata.version("pennylane")
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = root / "labwright" / f"pennylane-{version}-signatures-1.json"
    with contextlib.suppress(OSError, ValidationError):
        return _TABLE.validate_json(path.read_bytes())
    command = [sys.executable, "-W", "ignore", "-m", "labwright.tools.feature_maps.pennylane_signatures"]
    done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise ToolError(f"PennyLane cannot be imported: {done.stderr.decode()[-400:]} Install it again.")
    table = _TABLE.validate_json(done.stdout)
    with contextlib.suppress(OSError):  # a cache that cannot be written costs seconds, nothing else
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(done.stdout)
        fresh.replace(path)
    return table


def _read() -> dict[str, dict[str, Any]]:
    import pennylane as qml

    return {name: _signature(getattr(qml, name), qml) for name in dir(qml) if not name.startswith("_")}


def _signature(item: Any, qml: Any) -> dict[str, Any]:
    if inspect.ismodule(item):
        return {"kind": "module"}
    if not callable(item):
        return {"kind": "value"}
    is_operation = isinstance(item, type) and issubclass(item, qml.operation.Operator)
    wires = getattr(item, "num_wires", None) if is_operation else None
    return {
        "kind": "operation" if is_operation else "callable",
        "parameters": _parameters(item, is_operation),
        "wires": wires if type(wires) is int else None,
    }


def _parameters(item: Any, is_operation: bool) -> list[dict[str, Any]] | None:
    try:
        found = inspect.signature(item).parameters.values()
    except (TypeError, ValueError):
        return None
    # `S(*params, wires=None)` and its like take no parameter, but need wires
    generic = is_operation and any(one.name == "params" and one.kind is one.VAR_POSITIONAL for one in found)
    if generic and item.num_params == 0:
        return [{"name": "wires", "kind": "POSITIONAL_OR_KEYWORD", "required": True}, _ID]
    return [
        {
            "name": one.name,
            "kind": one.kind.name,
            "required": one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD),
        }
        for one in found
    ]


_ID = {"name": "id", "kind": "POSITIONAL_OR_KEYWORD", "required": False}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(_read()))
