"""Suite `protocol_configurations`: steps written by agents in twenty ways, scored like whole protocols.

An ablation: single or several agents, how much of them reasons, with or without tools and self-checks. Nobody is
asked; a question gets the one reply of an unattended run. Under `rules` every way writes the planner's own steps, which
shows what the scores are when nothing is lost on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean
from typing import Any

from labwright.agents.protocol_design.written.configuration import CONFIGURATIONS
from labwright.agents.protocol_design.written.tagged import parse
from labwright.evaluation.case import Case
from labwright.evaluation.procedures import Experiment, Procedure, load_experiments, procedure_of
from labwright.evaluation.protocol_experiments import LEAST_F1, MOST_ERROR, compared
from labwright.evaluation.runner import Context, Options, Row, Suite, spent
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.running import DesignRequest, Outcome, start
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.steps import Protocol

COLUMNS = ("configuration", "runs", "steps_written", "files", "f1", "nrmse", "content_nrmse", "path_length", "tokens")
AVERAGED = (
    "f1", "f1_additions", "f1_parameters", "fair_f1", "nrmse", "content_nrmse", "spearman", "spearman_corrected",
    "superfluous", "path_length", "tokens",
)  # fmt: skip


def cases_of(options: Options) -> list[Case]:
    """Every configuration on every experiment (all if none is named), drawn `seeds` times.

    Raises:
        InputError: there is no such configuration or experiment.
    """
    return [
        Case(f"{name} {experiment}", seed, {"configuration": name, "experiment": experiment})
        for name in _known(options["configurations"], CONFIGURATIONS)
        for experiment in _known(options["experiments"] or list(_experiments()), _experiments())
        for seed in range(options["seeds"])
    ]


def _known(names: Sequence[str], known: Any) -> Sequence[str]:
    if strange := [name for name in names if name not in known]:
        raise InputError(f"There is no {strange[0]!r}. There are: {', '.join(known)}.")
    return names


def _experiments() -> dict[str, Experiment]:
    return {experiment.name: experiment for experiment in load_experiments()}


def scored(case: Case, context: Context) -> Row:
    """One run of one configuration on one experiment."""
    mind, retrieve = context.options["mind"], context.options["retrieve"]
    experiment = _experiments()[str(case.options["experiment"])]
    chosen = {"mind": mind, "seed": case.seed, "retrieve": retrieve, "approval": "auto", "figures": False}
    choices = Choices.model_validate({**chosen, "configuration": case.options["configuration"]})
    return row_of(case, start(DesignRequest(experiment.text, choices), context.folder), experiment)


def row_of(case: Case, outcome: Outcome, experiment: Experiment) -> Row:
    """What came of a run: its steps, whether or not a file was written of them."""
    draft = (outcome.result or {}).get("draft", "")
    usage = outcome.document["usage"]["total"]
    row: Row = {
        **case.options,
        "status": outcome.status,
        "reason": outcome.reason,
        "steps_written": bool(draft),
        "path": (outcome.result or {}).get("path", []),
        "path_length": len((outcome.result or {}).get("path", [])),
        "tokens": usage["input_tokens"] + usage["output_tokens"],
        "calls": usage["calls"],
        **spent(usage),
    }
    if not draft:  # its own outcome: no score of nothing is averaged with scores of steps
        return {**row, "passed": False, "faults": f"no steps: {outcome.reason}"}
    row |= compared(_procedure(draft), experiment.reference)
    row["superfluous"] = sum(row["superfluous_additions"].values())
    faults = [] if outcome.status == "complete" else [f"{outcome.status}: {outcome.reason}"]
    faults += [f"contents differ by {row['content_nrmse']}"] if row["content_nrmse"] > MOST_ERROR else []
    faults += [f"step F1 {row['f1']}"] if row["f1"] < LEAST_F1 else []
    return {**row, "passed": not faults, "faults": "; ".join(faults)}


def _procedure(draft: str) -> Procedure:
    read = parse(draft)
    return procedure_of(Protocol("", read.plates, (), read.steps))


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Means by configuration, and by configuration and experiment."""
    return {
        "table": summary(rows, ("configuration",)),
        "by_experiment": summary(rows, ("configuration", "experiment")),
    }


def summary(runs: Sequence[Row], keys: tuple[str, ...]) -> list[Row]:
    """Means over the runs that have steps, one row for each value of `keys`; how many have steps, and a file."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in runs:
        groups.setdefault(tuple(str(row[key]) for key in keys), []).append(row)
    return [{**dict(zip(keys, values, strict=True)), **_averages(rows)} for values, rows in groups.items()]


def _averages(rows: Sequence[Row]) -> Row:
    done = [row for row in rows if row.get("steps_written")]
    table: Row = {
        "runs": len(rows),
        "steps_written": len(done),
        "files": sum(row["status"] == "complete" for row in rows),
    }
    for name in AVERAGED:
        values = [float(row[name]) for row in done if row.get(name) is not None]
        table[name] = round(mean(values), 5) if values else None
    return table


SUITE = Suite(
    name="protocol_configurations",
    doc="Steps written by agents in twenty ways, scored like whole protocols",
    cases=cases_of,
    run=scored,
    # retrieve: earlier experiments, and notes on the instrument, that are shown to who reads the description
    options={
        "seeds": 1,
        "mind": "rules",
        "configurations": tuple(CONFIGURATIONS),
        "experiments": (),
        "retrieve": 0,
    },
    summarise=summarise,
    chooses=("seeds", "configurations", "experiments"),
    columns=COLUMNS,
    workers=1,
)
RETRIEVED = replace(
    SUITE,
    name="protocol_configurations_retrieved",
    doc="Protocol configurations that are shown three earlier experiments",
    options={**SUITE.options, "retrieve": 3},
)
