"""Criteria of any task with an ``expected.yaml``: values, figures, files, named packages. One grader for a folder."""

from __future__ import annotations

from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.forge.criteria import Criterion, Missing, Seen, all_of, check, share
from labwright.evaluation.forge.expected import Expectation, Expected, File, Pulses, Shown
from labwright.evaluation.forge.figures import bars, panels, shows_curve, together
from labwright.evaluation.forge.finding import Candidate, Source, candidates, in_file, in_results
from labwright.evaluation.forge.methodology import called, staged
from labwright.evaluation.forge.records import same
from labwright.evaluation.forge.references.circuits import PAULIS, kron
from labwright.evaluation.forge.references.open_systems import pulse_states
from labwright.evaluation.forge.workspace import Workspace

Array = NDArray[np.float64]
Matrix = NDArray[np.complex128]
FILE_WEIGHT = 0.25  # a file that was asked for, but whose numbers are in the results: a small fault, no wrong science


def accuracy(expectation: Expectation, folder: Path, workspace: Workspace) -> list[Criterion]:
    """Values, figures and files."""
    by_name = {one.name: one for one in expectation.results}
    files = _files(folder)
    found = [
        check(f"I{k}", _demand(one), partial(_result, one, workspace, files))
        for k, one in enumerate(expectation.results, 1)
    ]
    for k, shown in enumerate(expectation.figures, 1):
        wanted = [by_name[name] for name in shown.show]
        demand = f"{shown.kind} of {', '.join(shown.show)}" if shown.show else shown.kind
        found.append(check(f"F{k}", demand, partial(_figure, shown, wanted, workspace, files)))
    for k, file in enumerate(expectation.files, 1):
        wanted = [by_name[name] for name in file.hold]
        look = partial(_file, file, wanted, workspace, folder)
        found.append(check(f"D{k}", f"file {file.name} with what it should hold", look, FILE_WEIGHT))
    return found


def methodology(expectation: Expectation, workspace: Workspace) -> list[Criterion]:
    """The expected workflow; without one, the packages that the task names."""
    if expectation.methodology is not None:
        return staged(expectation.methodology, workspace)
    parts = [(any(called(workspace, name) for name in line), " or ".join(line)) for line in expectation.packages]
    return [check("M1", "the packages that the task names were used", lambda: share(parts))] if parts else []


def _files(folder: Path) -> list[Source]:
    inside = (path for path in sorted(folder.rglob("*.csv")) if "tool_smith" not in path.parts)
    return [in_file(path) for path in inside if not {"inputs", "tools"} & set(path.relative_to(folder).parts)]


def _demand(one: Expected) -> str:
    if one.at_least is not None or one.at_most is not None:
        bounds = [f">= {one.at_least:g}" if one.at_least is not None else "",
                  f"<= {one.at_most:g}" if one.at_most is not None else ""]  # fmt: skip
        return f"{one.name} {' and '.join(bound for bound in bounds if bound)}"
    if isinstance(one.values, str):
        return f"{one.name} is {one.values}"
    return f"{one.name} within {one.tolerance:g}{' of its size' if one.relative else ''} {one.unit}".rstrip()


def _candidates(one: Expected, workspace: Workspace, files: list[Source]) -> list[Candidate]:
    """In results.json; in a file where results.json has nothing of the kind.

    Raises:
        Missing: nothing of the kind is anywhere.
    """
    for source in (in_results(workspace), *files):
        if found := candidates(source, one):
            return found
    labels = ", ".join(f"{key} {accepted[0]}" for key, accepted in one.labels.items())
    along = f" along {one.axis}" if one.axis else ""
    raise Missing(f"no {one.quantity[0]}{' with ' + labels if labels else ''}{along}")


def _result(one: Expected, workspace: Workspace, files: list[Source]) -> Seen:
    if one.pulses is not None:
        return _pulses(one, one.pulses, workspace, files)
    scored = [_scored(one, candidate) for candidate in _candidates(one, workspace, files)]
    return max(scored, key=lambda seen: float(seen[0]))


def _scored(one: Expected, candidate: Candidate) -> Seen:
    if one.shots:
        return _counts(one, candidate.value)
    if isinstance(one.values, str):
        said = str(candidate.value)
        return same(said, one.values), said
    numbers = _numbers(candidate)
    if one.points and numbers.size < one.points:
        return False, f"{numbers.size} points in place of {one.points}"
    if one.at_least is not None or one.at_most is not None:
        low = one.at_least is None or bool(np.min(numbers) >= one.at_least)
        high = one.at_most is None or bool(np.max(numbers) <= one.at_most)
        return low and high, f"{np.min(numbers):.6g} to {np.max(numbers):.6g}"
    options = one.either or {"": one.values if one.values is not None else []}
    return max((_compared(one, candidate, numbers, how, wanted) for how, wanted in options.items()),
               key=lambda seen: float(seen[0]))  # fmt: skip


def _numbers(candidate: Candidate) -> Array:
    try:
        numbers = np.array(candidate.value, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        raise Missing(f"{candidate.named} is no number") from None
    if not numbers.size or not np.isfinite(numbers).all():
        raise Missing(f"{candidate.named} holds values that are not finite")
    return numbers


def _compared(one: Expected, candidate: Candidate, numbers: Array, how: str, wanted: Any) -> Seen:
    true = np.array(wanted, dtype=float).reshape(-1)
    if candidate.x is not None:
        order, at = np.argsort(candidate.x), np.array(one.at, dtype=float)
        reach = 1e-3 * max(1e-9, float(np.ptp(at)))
        if candidate.x.min() > at.min() + reach or candidate.x.max() < at.max() - reach:
            return False, f"covers {candidate.x.min():g} to {candidate.x.max():g}, wanted {at.min():g} to {at.max():g}"
        have = np.interp(at, candidate.x[order], numbers[order])
    elif numbers.size != true.size:
        return False, f"{numbers.size} values in place of {true.size}"
    else:
        have = numbers
    scale = float(np.max(np.abs(true))) if one.relative else 1.0
    worst = float(np.max(np.abs(have - true))) / scale
    score = 1.0 if worst <= one.tolerance else 0.5 if one.half is not None and worst <= one.half else 0.0
    shown = f"{have[0]:.6g}, reference {true[0]:.6g}" if true.size == 1 else f"largest difference {worst:.2e}"
    return score, f"{shown} ({how})" if how else shown


def _counts(one: Expected, value: Any) -> Seen:
    if not isinstance(value, dict):
        return False, "counts are no table of bitstrings"
    table = {str(bits).replace(" ", ""): float(n) for bits, n in value.items()}
    total = sum(table.values())
    if total != one.shots:
        return False, f"{total:g} shots in place of {one.shots}"
    outcomes = set(table) | set(one.probabilities)
    worst = max(abs(table.get(bits, 0.0) / total - one.probabilities.get(bits, 0.0)) for bits in outcomes)
    return worst <= one.tolerance, f"shares differ by at most {worst:.4f}"


def _operator(form: str | list[list[float]]) -> Matrix:
    """A sum such as ``0.5 ZZ + 0.1 XI``, or a real matrix."""
    if not isinstance(form, str):
        return np.array(form, dtype=complex)
    total: Any = 0.0
    for term in form.replace("- ", "+ -").split("+"):
        *factor, word = term.split()
        total = total + (float(factor[0]) if factor else 1.0) * kron([PAULIS[letter] for letter in word])
    return np.asarray(total, dtype=complex)


def _pulses(one: Expected, problem: Pulses, workspace: Workspace, files: list[Source]) -> Seen:
    """What the recorded pulses do under our own propagation."""
    best = (-1.0, "no pulses")
    for columns in _columns(one, problem, workspace, files):
        slots = min(len(column) for column in columns)
        amplitudes = np.array([column[:slots] for column in columns]).T
        highest = float(np.max(np.abs(amplitudes)))
        if one.points and slots < one.points:
            seen = (0.0, f"{slots} slots in place of {one.points}")
        elif problem.bound is not None and highest > problem.bound * (1 + 1e-6):
            seen = (0.0, f"amplitudes reach {highest:.4g}, allowed {problem.bound:g}")
        else:  # a value may stand at the very end, beyond the last slot
            reached = max(_reached(problem, amplitudes[:used]) for used in {slots, slots - 1})
            said = f"the recorded pulses reach {reached:.5f}, amplitudes up to {highest:.3g}"
            seen = (float(reached >= (one.at_least or 0.0)), said)
        best = max(best, seen, key=lambda found: found[0])
    return best


def _columns(one: Expected, problem: Pulses, workspace: Workspace, files: list[Source]) -> list[list[Array]]:
    """The amplitudes of all controls, once for each way of naming them under which all are there.

    Raises:
        Missing: there is no such way.
    """
    found, why = [], Missing("no pulses")
    for names in _namings(list(problem.controls)):
        labels = [{**one.labels, "control": accepted} if accepted else one.labels for accepted in names]
        alone = [one.model_copy(update={"pulses": None, "labels": each}) for each in labels]
        try:
            found.append([_numbers(_candidates(each, workspace, files)[0]) for each in alone])
        except Missing as missing:
            why = missing
    if not found:
        raise why
    return found


def _reached(problem: Pulses, amplitudes: Array) -> float:
    drift, controls = _operator(problem.drift), [_operator(form) for form in problem.controls.values()]
    step = problem.duration / max(1, len(amplitudes))

    def final(psi: Any) -> Matrix:
        return np.asarray(pulse_states(drift, controls, amplitudes, step, np.asarray(psi, dtype=complex))[-1])

    if problem.gate:
        gate = np.array(problem.gate, dtype=float)
        wanted = gate[..., 0] + 1j * gate[..., 1]
        made = np.array([final(column) for column in np.eye(len(wanted))]).T
        return float(abs(np.trace(wanted.conj().T @ made)) / len(wanted)) ** 2
    target = np.array(problem.target) / np.linalg.norm(problem.target)
    return float(abs(np.vdot(target, final(problem.initial))) ** 2)


def _namings(names: list[str]) -> list[list[list[str | float]]]:
    """Ways of naming controls: as given; by qubit counted from 0, from 1, in words; by number; one alone by nothing."""
    ways: list[list[list[str | float]]] = [[[name, name.lower(), "-".join(name)] for name in names]]
    at = [next((k for k, letter in enumerate(name) if letter in "XYZ"), 0) for name in names]
    axes = [name[k].lower() for name, k in zip(names, at, strict=True)]
    for base in (("0", "1", "2"), ("1", "2", "3")):
        ways.append([[f"{a}{base[k]}", f"{a}_{base[k]}", f"sigma_{a}{base[k]}", f"sigma_{a}_{base[k]}"]
                     for a, k in zip(axes, at, strict=True)])  # fmt: skip
    for words in (("left", "right"), ("first", "second"), ("a", "b")):
        if max(at) < len(words):
            ways.append([[f"{a} {words[k]}", f"{words[k]} {a}"] for a, k in zip(axes, at, strict=True)])
    for first in (0, 1):
        ways.append([[k, f"u{k}", f"u_{k}", f"control {k}", f"drive {k}"] for k in range(first, first + len(names))])
    return [*ways, [[]]] if len(names) == 1 else ways


def _shown(one: Expected, workspace: Workspace, files: list[Source]) -> list[Array]:
    """What the run found for a result; each control's pulse of a control problem."""
    if one.pulses is not None:
        return _columns(one, one.pulses, workspace, files)[0]
    return [_numbers(_best(one, workspace, files))]


def _best(one: Expected, workspace: Workspace, files: list[Source]) -> Candidate:
    """The candidate that scores most, the first of equals."""
    return max(_candidates(one, workspace, files), key=lambda candidate: float(_scored(one, candidate)[0]))


def _figure(shown: Shown, wanted: list[Expected], workspace: Workspace, files: list[Source]) -> Seen:
    if shown.kind == "orbitals":
        kinds = [str(figure.get("kind")) for figure in workspace.figures.values()]
        return bool(set(kinds) - {"lines", "bars"}), f"figures of kind {', '.join(kinds) or 'none'}"
    if shown.kind == "bars":
        return _bars(workspace, [(one.name, _best(one, workspace, files)) for one in wanted])
    curves = [(one.name, each) for one in wanted for each in _shown(one, workspace, files)]
    if shown.kind == "heatmap":
        return all_of((_in_heatmap(workspace, curve), f"{name} in a heatmap") for name, curve in curves)
    absent = [name for name, curve in curves if not _drawn(workspace, curve)]
    if absent:
        return False, f"no line plot shows {', '.join(absent)} as in the results"
    if shown.together and not together(workspace, [curve for _, curve in curves]):
        return 0.5, "not in one panel"
    return True, f"{len(curves)} curves as in the results"


def _drawn(workspace: Workspace, curve: Array) -> bool:
    return bool(shows_curve(workspace, curve)) or _in_heatmap(workspace, curve)


def _bars(workspace: Workspace, values: list[tuple[str, Candidate]]) -> Seen:
    shown = [value for panel in bars(workspace) for value in panel.values()]
    if not shown:
        raise Missing("no bar chart")
    absent = []
    for name, one in values:
        heights = list(one.value.values()) if isinstance(one.value, dict) else _numbers(one).tolist()
        total = sum(abs(float(h)) for h in heights) or 1.0
        for scale in (1.0, total):
            if all(
                min(abs(bar - float(h) / scale) for bar in shown) <= 1e-3 * max(1.0, abs(float(h))) for h in heights
            ):
                break
        else:
            absent.append(name)
    return not absent, f"no bar for {', '.join(absent)}" if absent else f"{len(values)} sets of bars"


def _in_heatmap(workspace: Workspace, curve: Array) -> bool:
    """Whether the values stand along a row or a column of some heatmap, which may be thinned out evenly."""
    for _, panel in panels(workspace, "heatmap"):
        try:
            cells = np.array(panel.get("values", []), dtype=float)
        except (TypeError, ValueError):
            continue
        lines = [*cells, *cells.T] if cells.ndim == 2 else []
        for line in lines:
            step = max(1, round((len(curve) - 1) / max(1, len(line) - 1)))
            thin = curve[::step][: len(line)]
            if (
                len(line) >= min(10, len(curve))
                and len(thin) == len(line)
                and np.allclose(line, thin, rtol=0, atol=1e-6)
            ):
                return True
    return False


def _file(file: File, wanted: list[Expected], workspace: Workspace, folder: Path) -> Seen:
    """1 if the file is there and right; half if only the results hold what it should."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and fnmatch(path.name, file.name)]
    for path in paths:
        sources = [in_file(path)] if path.suffix == ".csv" else _files(folder)
        if all(_held(one, sources) for one in wanted):
            return True, path.name
    held = all(_held(one, [in_results(workspace)]) for one in wanted)
    why = "there, without what it should hold" if paths else "not there"
    return (0.5 if held else 0.0), f"{file.name} is {why}"


def _held(one: Expected, sources: list[Source]) -> bool:
    found = [candidate for source in sources for candidate in candidates(source, one)]
    try:
        return any(float(_scored(one, candidate)[0]) >= 0.5 for candidate in found)
    except Missing:
        return False
