"""Four ways to judge a result: its numbers, its figure without and with examples, and both together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from labwright.agents.lab_calibration.inspect_result import (
    LOOK,
    SUMMARISE,
    FigureIn,
    FigureOut,
    SummariseOut,
    summarise_by_rules,
)
from labwright.agents.typed_call import Mind, Runtime
from labwright.evaluation.inspection.case import Measured
from labwright.graphs.lab_calibration.executing import REFERENCE, numeric, summary_input, with_references
from labwright.tools.experiments import figures, registry
from labwright.tools.experiments.base import Verdict
from labwright.tools.experiments.perform import plain_report, visual_prompts

Method = Literal["fit only", "figure, zero-shot", "figure, few-shot", "combined"]
METHODS: tuple[Method, ...] = ("fit only", "figure, zero-shot", "figure, few-shot", "combined")
BLIND: tuple[Method, ...] = ("fit only",)  # what a mind without eyes can do


@dataclass(frozen=True, slots=True)
class Judged:
    """What a method says of one result.

    Attributes:
        status: the verdict; of a figure alone ``success``, ``bad_data`` for a failure, or empty for "unclear".
        diagnosis: in a few words.
        proposal: parameter -> value for the next run.
    """

    status: Verdict | Literal[""]
    diagnosis: str
    proposal: dict[str, float]


def judge(mind: Mind, case: Measured, method: Method, folder: Path) -> Judged:
    """Have `mind` judge `case`; its figures are drawn into `folder`."""
    if method == "fit only":
        return _weighed(mind, case, [])
    seen = [_looked(mind, case, name, folder, method != "figure, zero-shot") for name in _figures(case)]
    reports = [one for one in seen if one is not None]
    if method == "combined":
        return _weighed(mind, case, reports)
    verdicts = {one.verdict for one in reports}
    status: Verdict | Literal[""] = ""
    if verdicts == {"success"}:
        status = "success"
    elif "failure" in verdicts:
        status = "bad_data"
    return Judged(status, " ".join(one.observations for one in reports), {})


def _weighed(mind: Mind, case: Measured, reports: list[FigureOut]) -> Judged:
    kind, tried = registry.experiments()[case.kind.experiment], case.experiment
    parameters = numeric(registry.card(kind), tried.arguments)
    given = summary_input(kind, tried.qubit, plain_report(case.report), parameters, reports)
    answer = mind.answer(SUMMARISE, given)
    if not isinstance(answer, SummariseOut):
        answer = summarise_by_rules(given)  # as the graph does: a question is no verdict
    proposal = {item.name: item.value for item in answer.proposal}
    return Judged(answer.verdict, answer.diagnosis, proposal)


def _figures(case: Measured) -> tuple[str, ...]:
    return tuple(visual_prompts(type(case.experiment)))


def _looked(mind: Mind, case: Measured, name: str, folder: Path, examples: bool) -> FigureOut | None:
    """The report on one figure; None if the mind cannot or will not look."""
    path = folder / f"{case.kind.name.replace(' ', '_')}_{case.number}_{name}.png"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        figures.save(getattr(case.experiment, name)(), path)
    text, images = with_examples(visual_prompts(type(case.experiment))[name], examples)
    given = FigureIn(experiment=case.kind.experiment, criteria=text)
    answer = mind.answer(LOOK, given, Runtime(images=(*images, path)))
    return answer if isinstance(answer, FigureOut) else None


def with_examples(prompt: str, examples: bool) -> tuple[str, tuple[Path, ...]]:
    """The criteria with their reference pictures numbered, or without the lines that show one."""
    if not examples:
        kept = [line for line in prompt.splitlines() if not REFERENCE.search(line)]
        return "\n".join(kept), ()
    return with_references(prompt)
