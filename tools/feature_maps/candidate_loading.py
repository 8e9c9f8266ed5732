"""Load unread feature-map code and make one instance of its class. Runs inside the sandbox only."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from traceback import walk_tb
from typing import Any

import numpy as np

from labwright.tools.feature_maps.base import PENNYLANE_PLATFORM, BaseFeatureMap
from labwright.tools.feature_maps.rules import ALLOWED_IMPORTS

FILE = "feature_map.py"  # the name under which the candidate stands in tracebacks


@dataclass(slots=True)
class Broken(Exception):
    """A rule that the candidate breaks.

    Attributes:
        rule: a key of `labwright.tools.feature_maps.rules.RULES`.
        facts: what the message of the rule names.
    """

    rule: str
    facts: dict[str, Any] = field(default_factory=dict)


def load_class(source: str) -> type[Any]:
    """Run the module text and return its feature-map class.

    Raises:
        Broken: the text does not run, or does not define exactly one feature map.
    """
    module = types.ModuleType("feature_map_candidate")
    sys.modules[module.__name__] = module  # dataclasses and pickles look their module up by name
    try:
        exec(compile(source, FILE, "exec"), module.__dict__)
    except SyntaxError as wrong:
        raise Broken("syntax", {"error": wrong.msg, "line": wrong.lineno}) from wrong
    except BaseException as wrong:
        raise broken_by(wrong) from wrong
    found = [
        item
        for item in vars(module).values()
        if isinstance(item, type)
        and item.__module__ == module.__name__
        and callable(getattr(item, "feature_map", None))
    ]
    leaves = [item for item in found if not any(other is not item and issubclass(other, item) for other in found)]
    if len(leaves) != 1:
        raise Broken("one_class", {"found": ", ".join(item.__name__ for item in leaves) or "none"})
    return leaves[0]


def instance_of(made_by: type[Any], n_qubits: int, hyperparameters: Mapping[str, Any]) -> Any:
    """An instance for so many qubits; classes that ask for QXMT's ``platform`` get it.

    Raises:
        Broken: the constructor fails.
    """
    try:
        asked = inspect.signature(made_by).parameters
        if "platform" in asked and "n_qubits" in asked:
            return made_by(platform=PENNYLANE_PLATFORM, n_qubits=n_qubits, **hyperparameters)
        return made_by(n_qubits, **hyperparameters)
    except BaseException as wrong:
        raise broken_by(wrong, made_by) from wrong


def hyperparameters_of(feature_map: Any) -> dict[str, Any]:
    """Names and values of the constructor's parameters after n_qubits, as far as they are numbers, words or lists.

    The attribute of the same name counts before the default: a default of None often stands for a list made later.
    """
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(type(feature_map)).parameters.items():
        if name in ("platform", "n_qubits") or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        value = getattr(feature_map, name, parameter.default)
        value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        if isinstance(value, bool | int | float | str | list | tuple):
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def broken_by(wrong: BaseException, made_by: type[Any] | None = None) -> Broken:
    """The rule that an exception of the candidate stands for, with the candidate's line."""
    if isinstance(wrong, Broken):
        return wrong
    facts: dict[str, Any] = {"line": line_of(wrong), "error": f"{type(wrong).__name__}: {wrong}"}
    if isinstance(wrong, ImportError) or (
        isinstance(wrong, OSError)
        and any(frame.f_code.co_filename.startswith("<frozen importlib") for frame, _ in walk_tb(wrong.__traceback__))
    ):
        return Broken("import_failed", facts)
    if isinstance(wrong, OSError):
        return Broken("reaches_out", facts)
    if isinstance(wrong, MemoryError):
        return Broken("too_much_memory", facts)
    if isinstance(wrong, ValueError) and "read-only" in str(wrong):
        return Broken("writes_into_x", facts)
    if made_by is not None and isinstance(wrong, TypeError) and "__init__" in str(wrong):
        return Broken("signature", {"where": f"{made_by.__name__}.__init__", "seen": str(wrong), "line": facts["line"]})
    return Broken("crashed", facts)


def line_of(wrong: BaseException) -> int:
    """The last line of the candidate that its traceback passed; 0 if none."""
    own = [line for frame, line in walk_tb(wrong.__traceback__) if frame.f_code.co_filename == FILE]
    return own[-1] if own else 0


def import_allowed() -> None:
    """Import what candidates may use, before the right to open files is given up."""
    for name in sorted(ALLOWED_IMPORTS - {"qxmt", "labwright", "__future__"}):
        importlib.import_module(name)
    install_qxmt()


def install_qxmt() -> None:
    """Let ``from qxmt...`` work where QXMT is not installed: its base class and platform name, nothing else."""
    if "qxmt" in sys.modules:
        return
    with contextlib.suppress(ImportError):
        importlib.import_module("qxmt.feature_maps")
        return
    parts: dict[str, dict[str, Any]] = {"qxmt": {}, "qxmt.constants": {"PENNYLANE_PLATFORM": PENNYLANE_PLATFORM}}
    parts["qxmt.feature_maps"] = {"BaseFeatureMap": BaseFeatureMap}
    parts["qxmt.feature_maps.base"] = parts["qxmt.feature_maps"]
    for name, content in parts.items():
        module = types.ModuleType(name)
        module.__dict__.update(content, __path__=[])
        sys.modules[name] = module
