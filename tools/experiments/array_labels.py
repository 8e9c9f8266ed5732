"""What the arrays of an experiment are: dimensions, units, and the words along a dimension that has no numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from labwright.tools.qpu.settings import pair_name

if TYPE_CHECKING:
    from labwright.tools.experiments.base import Experiment


@dataclass(frozen=True, slots=True)
class Array:
    """How one array of `Experiment.data` is labelled.

    Attributes:
        dims: name of each dimension, outermost first. An array whose only dimension has its own name is a coordinate.
        unit: of its values; "" for a pure number.
        words: what stands along its dimension where that has no numbers, such as the two trains of a DRAG calibration.
    """

    dims: tuple[str, ...]
    unit: str = ""
    words: tuple[str, ...] = ()


def swept(name: str, unit: str = "") -> dict[str, Array]:
    """The array `name` is what was swept."""
    return {name: Array((name,), unit)}


def words(name: str, *along: str) -> dict[str, Array]:
    """The dimension `name` has no array of its own; `along` says what its places are."""
    return {name: Array((name,), words=along)}


def over(dims: str, *names: str, unit: str = "") -> dict[str, Array]:
    """The arrays `names` stand over the dimensions `dims`, separated by blanks.

    A ``#`` at the end of a name and of a dimension stands for the number of a round: ``fraction_#`` over ``gate_#``.
    """
    return {name: Array(tuple(dims.split()), unit) for name in names}


def labelled(experiment: Experiment) -> dict[str, dict[str, Any]]:
    """JSON-plain labels of everything in ``experiment.data``, and of the dimensions that have words.

    An array that is not declared, or has other dimensions than were declared, gets dimensions of its own.
    """
    found: dict[str, Array] = {}
    for name, values in experiment.data.items():
        declared = declared_for(name, type(experiment).arrays)
        fits = declared is not None and len(declared.dims) == values.ndim
        found[name] = declared if declared and fits else Array(tuple(f"{name}_{n}" for n in range(values.ndim)))
    used = {dim for each in found.values() for dim in each.dims}
    found |= {name: each for name, each in type(experiment).arrays.items() if each.words and name in used}
    return {name: {"dims": list(e.dims), "unit": e.unit, "words": list(e.words)} for name, e in found.items()}


def settings_of(experiment: Experiment) -> dict[str, dict[str, float]]:
    """The settings that the measurement was made with: of its qubits and of their pair, by name."""
    bench, settings = experiment.bench, experiment.bench.device.settings
    names = [name for name in bench.device.qubits if name in experiment.qubit.split("-")]
    pairs = [pair_name(*pair) for pair in settings.pairs if set(pair) <= set(names)]
    return {n: asdict(bench.settings(n)) for n in names} | {n: asdict(bench.pair_settings(n)) for n in pairs}


def declared_for(name: str, arrays: Mapping[str, Array]) -> Array | None:
    """The declaration of the array `name`; one with a ``#`` serves every round."""
    if name in arrays:
        return arrays[name]
    stem = name.rstrip("0123456789")
    number = name.removeprefix(stem)
    found = arrays.get(f"{stem}#")
    return replace(found, dims=tuple(dim.replace("#", number) for dim in found.dims)) if found else None
