"""Labwright: LangGraph agents for autonomous science.

>>> import labwright
>>> outcome = labwright.calibrate("Calibrate qubit Q1", device_options={"frequency_offset": 0.5})  # doctest: +SKIP
>>> outcome.table  # doctest: +SKIP

`calibrate`, `search`, `forge` and `design` run a system each, and have a twin that is awaited, such as
`calibrate_async`. `run` runs a specification, `load` opens the result of an earlier run, `resume` goes on with one.
Whatever is wrong with the input is an `InputError`. The compiled graphs are ``labwright.graphs.<system>.graph``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labwright.graphs.python_api import (
        calibrate,
        calibrate_async,
        design,
        design_protocol,
        design_protocol_async,
        forge,
        forge_async,
        load,
        resume,
        run,
        search,
        search_feature_map,
        search_feature_map_async,
    )
    from labwright.graphs.questions import Answer
    from labwright.tools.errors import InputError
    from labwright.tools.feature_maps.product.saved import load_pipeline

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "InputError",
    "calibrate",
    "calibrate_async",
    "design",
    "design_protocol",
    "design_protocol_async",
    "forge",
    "forge_async",
    "load",
    "load_pipeline",
    "resume",
    "run",
    "search",
    "search_feature_map",
    "search_feature_map_async",
]
ELSEWHERE = {
    "Answer": "graphs.questions",
    "InputError": "tools.errors",
    "load_pipeline": "tools.feature_maps.product.saved",
}


def __getattr__(name: str) -> Any:
    """A function of Python, imported when it is asked for: code in the sandbox sees `labwright.tools` alone."""
    if name not in __all__:
        raise AttributeError(f"module 'labwright' has no attribute {name!r}")
    return getattr(importlib.import_module(f"labwright.{ELSEWHERE.get(name, 'graphs.python_api')}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
