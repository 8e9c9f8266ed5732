"""Labwright: LangGraph agents for autonomous science.

>>> import labwright
>>> outcome = labwright.calibrate("Calibrate qubit Q1", device_options={"frequency_offset": 0.5})  # doctest: +SKIP
>>> outcome.status, outcome.qubits["Q1"].after["frequency"]  # doctest: +SKIP

Every function has a twin that is awaited, such as `calibrate_async`. The compiled graphs, for those who compose their
own, are ``labwright.graphs.<system>.graph``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labwright.graphs.library import (
        calibrate,
        calibrate_async,
        design,
        design_protocol,
        design_protocol_async,
        forge,
        forge_async,
        search,
        search_feature_map,
        search_feature_map_async,
    )
    from labwright.tools.feature_maps.product.saved import load_pipeline

__version__ = "0.1.0"
__all__ = [
    "calibrate",
    "calibrate_async",
    "design",
    "design_protocol",
    "design_protocol_async",
    "forge",
    "forge_async",
    "load_pipeline",
    "search",
    "search_feature_map",
    "search_feature_map_async",
]


def __getattr__(name: str) -> Any:
    """A function of Python, imported when it is asked for: code in the sandbox sees `labwright.tools` alone."""
    if name not in __all__:
        raise AttributeError(f"module 'labwright' has no attribute {name!r}")
    if name == "load_pipeline":
        from labwright.tools.feature_maps.product.saved import load_pipeline

        return load_pipeline
    from labwright.graphs import library

    return getattr(library, name)
