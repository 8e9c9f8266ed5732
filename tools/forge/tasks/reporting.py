"""Reports of tasks: a Markdown template beside each family, filled with its specification and results."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from numpy.typing import NDArray

from labwright.tools.forge.tasks.results import Results

PLAIN = ("abs", "any", "enumerate", "float", "len", "list", "max", "min", "range", "round", "set", "sorted", "zip")


def values(results: Results, quantity: str, **labels: Any) -> NDArray[np.float64] | None:
    """The first such record as an array; None if there is none."""
    found = results.find(quantity, **labels)
    return np.atleast_1d(np.array(found[0].value, dtype=float)) if found else None


def number(results: Results, quantity: str, **labels: Any) -> float:
    """The first such record as a number; nan if there is none."""
    found = results.find(quantity, **labels)
    value = found[0].value if found else None
    return float(value) if isinstance(value, int | float) else math.nan


def only(results: Results, quantity: str, **labels: Any) -> float | None:
    """The number whose labels are just these; None if there is none."""
    found = [one.value for one in results.find(quantity, **labels) if set(one.labels) == set(labels)]
    return next((float(value) for value in found if isinstance(value, float | int)), None)


def told(labels: dict[str, Any], otherwise: str = "") -> str:
    """Labels in a few words, or `otherwise` where there are none."""
    return ", ".join(f"{name} = {value}" for name, value in labels.items()) or otherwise


@cache
def _template(path: str) -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    made = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    made.globals |= {name: getattr(builtins, name) for name in PLAIN} | {"math": math, "np": np, "told": told}
    return made.get_template(path)


def report_of(path: str, **more: Any) -> Callable[[Any, Results, Sequence[str]], str]:
    """What fills the template at `path` below this folder.

    Args:
        more: further names that the template uses.
    """

    def report(spec: Any, results: Results, figures: Sequence[str]) -> str:
        own = {name: partial(one, results) for name, one in (("number", number), ("values", values), ("only", only))}
        return _template(path).render(spec=spec, results=results, figures=figures, find=results.find, **own, **more)

    return report
