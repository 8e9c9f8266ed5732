"""A laboratory on paper for tests of plans: the shipped cards, four qubits, no device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from labwright.tools.specifications import short_form_parser
from labwright.tools.specifications.catalogue import Catalogue, library
from labwright.tools.specifications.plan_completion import Completed, Lab, complete

QUBITS, PAIRS = ("Q1", "Q2", "Q3", "Q4"), ("Q1-Q2", "Q3-Q4")


@cache
def catalogue() -> Catalogue:
    """The shipped experiments and procedures."""
    return library()


def lab(**changes: Any) -> Lab:
    """Four qubits in two pairs."""
    return replace(Lab(catalogue(), QUBITS, PAIRS), **changes)


def plan(*steps: Any, **fields: Any) -> dict[str, Any]:
    """Plain data of a plan; `for_` is ``for``."""
    names = {name.rstrip("_"): value for name, value in fields.items()}
    return {"system": "lab_calibration", "steps": list(steps), **names}


def t1(**fields: Any) -> dict[str, Any]:
    """A step that measures T1 of Q1."""
    return {"experiment": "t1", "qubits": ["Q1"], **fields}


def completed(*steps: Any, within: Lab | None = None, **fields: Any) -> Completed:
    """The plan of these steps, made whole."""
    return complete(plan(*steps, **fields), within or lab())


def said(text: str, within: Lab | None = None) -> Completed:
    """A text of the short form, made whole."""
    return complete(short_form_parser.read(text, catalogue()).plan(), within or lab())


def sentences(done: Completed) -> Sequence[str]:
    """What is wrong with a plan, one sentence each."""
    return [problem.sentence() for problem in done.problems]
