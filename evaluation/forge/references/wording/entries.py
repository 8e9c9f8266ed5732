"""Entries of an ``expected.yaml`` from arrays, and common labels in the spellings that a reader would accept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Entry = dict[str, Any]
Plain = dict[str, Any]
EXACT = 2e-3  # what integrators at their usual tolerances keep, with room for a coarse one


def rounded(values: Any) -> Any:
    """Six significant digits, as plain lists."""
    if np.ndim(values) == 0:
        return float(f"{float(values):.8g}")
    return [float(f"{float(value):.6g}") for value in np.asarray(values)]


def entry(name: str, quantity: str | Sequence[str], values: Any = None, **more: Any) -> Entry:
    """One result."""
    found: Entry = {"name": name, "quantity": [quantity] if isinstance(quantity, str) else list(quantity)}
    if values is not None:
        found["values"] = values if isinstance(values, str) else rounded(values)
    found.update(more)
    return found


def curve(name: str, quantity: str | Sequence[str], axis: str, x: Any, y: Any, /, every: int = 1, **more: Any) -> Entry:
    """A series, compared at every so many of its points, that has to have as many points as `x`."""
    x, y = np.asarray(x), np.asarray(y)
    more = {"tolerance": EXACT, **more}
    return entry(name, quantity, y[::every], axis=axis, at=rounded(x[::every]), points=len(x), **more)


def pauli(word: str) -> list[str]:
    """How the expectation value of one Pauli matrix is labelled."""
    low = word.lower()
    return [word, f"sigma_{low}", f"sigma{low}", f"<{word}>", f"{low}-component"]


def correlator(word: str) -> list[str]:
    """How a Pauli string is labelled: ZZI, Z0Z1, Z1Z2, Z(x)Z(x)I."""
    at = [k for k, letter in enumerate(word) if letter != "I"]
    forms = [word, "".join(f"{word[k]}{k}" for k in at), "".join(f"{word[k]}{k + 1}" for k in at)]
    if len(at) == len(word) == 2:
        forms.append(f"{word[0]}(x){word[1]}")
    return forms


def expectation(
    results: Sequence[Entry],
    figures: Sequence[Mapping[str, Any]] = (),
    files: Sequence[Mapping[str, Any]] = (),
    packages: Sequence[Sequence[str]] = (),
) -> Plain:
    """The whole file."""
    return {
        "results": list(results),
        "figures": [dict(one) for one in figures],
        "files": [dict(one) for one in files],
        "packages": [list(one) for one in packages],
    }


def lines(*names: str, together: bool = False) -> Plain:
    """A line plot of these results."""
    return {"kind": "lines", "show": list(names), **({"together": True} if together else {})}
