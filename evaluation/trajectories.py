"""Suite `search_trajectories`: how far the first idea of a search decides what the later ones reach.

Every search gives one abscissa, the best validation accuracy of its first trial, and one ordinate for each later
trial: the best of that trial, not the best so far. A line is fitted to all of them by least squares, as in Fig. 3 of
Sakka et al., Automating quantum feature map design via large language models (2025). The test part stays sealed.

Two kinds of searches: ungraded ones after a first map that the seed draws, and random ones, which draw every map and
learn nothing. In a random search the first trial cannot act on the later ones, so that what slope random searches show
tells how far chance goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labwright.evaluation.case import Case, seeds_of
from labwright.evaluation.feature_maps import searched
from labwright.evaluation.regression import PUBLISHED, Line, Trajectory, regression
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.evaluation.sample_data import label
from labwright.evaluation.winners import finished_runs
from labwright.tools.errors import InputError

FIGURE = "later_against_first.png"
COLUMNS = ("case", "kind", "status", "first", "last", "best", "gained", "seconds")
SCALES = (0.3, 12.0)  # rad; drawn evenly in the logarithm, from hardly any rotation to a concentrated kernel


def cases_of(options: Options) -> list[Case]:
    """Ungraded searches after a drawn start, and random ones; or the finished searches at or below ``source``.

    Raises:
        InputError: ``source`` holds no finished search, or several data sets were named.
    """
    if options["source"] is not None:
        return _finished(Path(options["source"]))
    if len(options["dataset"]) != 1:
        raise InputError(
            f"This suite takes one data set, but {len(options['dataset'])} were named. Run it once for each."
        )
    [dataset] = options["dataset"]
    cases = []
    for seed in seeds_of(options):
        common: dict[str, Any] = {"dataset": dataset, "trials": options["trials"], "ideas": 1, "baselines": []}
        common |= {"preparation": "min-max", "evaluations": options["trials"]}
        begun = {**common, "strategy": "ungraded", "persons_ideas": [drawn_start(seed)]}
        cases.append(Case(f"{label(dataset)} drawn start {seed}", seed, begun))
        cases.append(Case(f"{label(dataset)} random {seed}", seed, {**common, "strategy": "random"}))
    return cases


def _finished(folder: Path) -> list[Case]:
    cases = [
        Case(run.run_id, run.record.seed or 0, {"folder": str(run.folder.absolute())})
        for run, _ in finished_runs(folder)
    ]
    if not cases:
        raise InputError(f"{folder} holds no finished search. Name a folder of runs, or leave it out to run searches.")
    return cases


def search(case: Case, context: Context) -> Row:
    """One search, run or read, and the accuracies of its trials."""
    if "folder" not in case.options:
        return _row(searched(case, context), kind_of(case.options))
    [(run, result)] = finished_runs(Path(str(case.options["folder"])))
    return _row({"passed": True, "faults": "", **result}, kind_of(run.record.choices))


def drawn_start(seed: int) -> dict[str, Any]:
    """A first map as a recipe; scale, axis and entangling gate are drawn."""
    from labwright.tools.feature_maps.evolve import plain_recipe

    rng = np.random.default_rng([seed, 45])
    low, high = np.log(SCALES)
    axis = ("RX", "RY")[int(rng.integers(2))]
    gate = ("CNOT", "CZ", "ISWAP", "IsingXX")[int(rng.integers(4))]
    angle = np.pi / 2 if gate == "IsingXX" else 0.0
    scale = float(np.exp(rng.uniform(low, high)))
    drawn = plain_recipe(axes=[axis], scale=scale, decay=1.0, entangler=gate, entangler_angle=angle)
    return drawn.model_dump(mode="json")


def kind_of(choices: dict[str, Any]) -> str:
    """How a search went about it, from its choices."""
    return f"{choices['strategy']}, start given" if choices.get("persons_ideas") else str(choices["strategy"])


def _row(row: Row, kind: str) -> Row:
    """What is kept of a search, from a row of the suite `search` or the result of a run."""
    best = [[one["trial"], one["validation_accuracy"]] for one in row.get("trajectory", [])]
    known = [accuracy for _, accuracy in best if accuracy is not None]
    first = best[0][1] if best else None
    return {
        **{name: row[name] for name in ("status", "passed", "faults", "seconds", "usage") if name in row},
        "kind": kind,
        "first": first,
        "last": best[-1][1] if best else None,
        "best": max(known, default=None),
        "gained": max(known) - first if first is not None else None,
        "trials": best,
    }


def trajectory_of(row: Row) -> Trajectory:
    """The accuracies of a row."""
    known = tuple((int(trial), float(value)) for trial, value in row["trials"] if value is not None)
    return Trajectory(row["case"], row["kind"], known)


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Lines through all searches and those of each kind, and the figure if the folder is kept."""
    found = [trajectory_of(row) for row in rows]
    kinds = dict.fromkeys(one.kind for one in found)
    fits = {"all": regression(found)}
    if len(kinds) > 1:
        fits |= {kind: regression([one for one in found if one.kind == kind]) for kind in kinds}
    lines = {name: fit for name, fit in fits.items() if fit is not None}
    return {
        "passed": "all" in lines,
        "regression": {name: line.plain() for name, line in lines.items()},
        "reference": PUBLISHED.plain(),
        "notes": _notes(lines),
        "figures": [_drawn(found, lines["all"], context.folder)] if context.kept and "all" in lines else [],
    }


def _notes(lines: dict[str, Line]) -> list[str]:
    if "all" not in lines:
        return ["No line can be fitted: it takes searches with later trials, and two different first accuracies."]
    told = [f"later trials against the first, {name}: {line.words()}" for name, line in lines.items()]
    return [*told, f"for comparison, other data and other minds ({PUBLISHED.what}): {PUBLISHED.words()}"]


def _drawn(found: Sequence[Trajectory], line: Line, folder: Path) -> str:
    from labwright.evaluation.figures import trajectories_figure
    from labwright.tools.experiments.figures import save

    save(trajectories_figure(found, line, PUBLISHED), folder / FIGURE)
    return f"{folder.name}/{FIGURE}"


SUITE = Suite(
    name="search_trajectories",
    doc="How far the first idea of a search decides what the later ones reach; --source reads finished searches",
    cases=cases_of,
    run=search,
    options={"seeds": 5, "first": 0, "mind": "rules", "source": None, "dataset": ("digits",), "trials": 6},
    summarise=summarise,
    columns=COLUMNS,
    required=1.0,
    workers=2,
)
