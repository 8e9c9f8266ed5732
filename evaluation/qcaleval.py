"""Suite `qcaleval`: six published questions about each picture of a calibration, to a model that sees pictures.

`--data` names the folder of nvidia/QCalEval (Cao and others, arXiv:2604.25884; CC BY 4.0): Parquet files with ``id,
experiment_type, images, q1_prompt, q1_answer, ... q6_answer``, and ``experiment_config.json`` with ``q5_scoring`` and
``q6_status_mapping`` by family. These names are those of the published scripts (NVIDIA/QCalEval); the data could not
be had here, so the test writes a folder of that form. Graded by the published rules as far as they are code: plot type
and scales (Q1), class (Q2), reliability of the fit (Q4), numbers within tolerances (Q5), status (Q6). The key points of
Q1 and all of Q3 are wording, which a model judges there: Q3 is asked and its answer kept, in no score.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, cast

from labwright.evaluation.published_questions import (
    CHOOSES,
    OPTIONS,
    Case,
    Item,
    PublishedIn,
    asked,
    chosen,
    graded,
    items_of,
    path_of,
    read_answer,
)
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.tools.errors import InputError

WHAT = "QCalEval's folder (*.parquet and experiment_config.json)"
CLASSES = ["Expected behavior", "Suboptimal parameters", "Anomalous behavior", "Apparatus issue"]
FITS = ["Reliable", "Unreliable", "No fit"]
ALIKE = {"TOO_MANY_OSC", "SAMPLING_TOO_COARSE"}  # either is right for the other there
LABELS = ("classification", "assessment", "status")
UNKNOWN = ("unreliable", "null", "none")
FORMS = {1: "JSON", 5: "JSON"}
CHOICES = {2: CLASSES, 4: FITS}
Spec = dict[str, Any]


class Plot(Item):
    """A picture or several, with six questions and answers."""

    id: str
    experiment_type: str
    images: list[dict[str, Any] | None]
    q1_prompt: str
    q1_answer: str
    q2_prompt: str
    q2_answer: str
    q3_prompt: str
    q3_answer: str
    q4_prompt: str
    q4_answer: str
    q5_prompt: str
    q5_answer: str
    q6_prompt: str
    q6_answer: str

    @property
    def key(self) -> str:
        """Its published name."""
        return self.id


@cache
def read(folder: str) -> tuple[dict[str, Plot], dict[str, Any]]:
    """Plots by name, and the rules for the numbers by experiment type.

    Raises:
        InputError: PyArrow is missing, or the folder is not what was published.
    """
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise InputError("Reading Parquet files needs PyArrow: pip install 'labwright[public]'.") from error
    files, config = sorted(Path(folder).rglob("*.parquet")), Path(folder) / "experiment_config.json"
    if not files or not config.is_file():
        raise InputError(f"{folder} is not {WHAT}.")
    families = json.loads(config.read_text(encoding="utf-8"))
    rules = {kind: one.get("q5_scoring", {}) for one in families.values() for kind in one["q6_status_mapping"]}
    rows = [row for file in files for row in cast(list[Any], parquet.read_table(file).to_pylist())]
    return items_of(rows, folder, Plot, WHAT), rules


def cases_of(options: Options) -> list[Case]:
    """Each question of each plot, named ``ID Q1`` and so on."""
    plots, _ = read(path_of(options, WHAT))
    return chosen([f"{name} Q{number}" for name in plots for number in range(1, 7)], options)


def run(case: Case, context: Context) -> Row:
    """One question about one plot."""
    name, _, number = case.name.rpartition(" Q")
    plots, rules = read(path_of(context.options, WHAT))
    plot, n = plots[name], int(number)
    if not context.mind.sees_images:
        return graded(
            {
                "question": f"Q{n}",
                "said": "",
                "outcome": "refused",
                "reason": "No model sees pictures: set LABWRIGHT_MODEL_VISION.",
            },
            0,
        )
    pictures = []
    for k, image in enumerate(one for one in plot.images if one is not None):
        pictures.append(context.folder / f"{k}.png")
        pictures[-1].write_bytes(image["bytes"])
    choices = CHOICES.get(n, [])
    form = FORMS.get(n, "one of the choices" if choices else "text")
    given = PublishedIn.model_validate({"question": getattr(plot, f"q{n}_prompt"), "choices": choices, "form": form})
    said, row = asked(context, given, pictures)
    row |= {"question": f"Q{n}", "experiment": plot.experiment_type}
    if n == 3:
        return {**row, "score": None, "outcome": row.get("outcome", "right"), "faults": "not graded: wording"}
    truth = getattr(plot, f"q{n}_answer")
    return graded(row, scored(n, said.answer, truth, rules.get(plot.experiment_type, {})) if said else 0.0)


def scored(number: int, said: str, truth: str, rules: Spec) -> float:
    """How right an answer is, 0 to 1, by the published rule of its question."""
    if number == 1:
        return axes_score(read_answer(said), read_answer(truth))
    if number == 5:
        mine, theirs = read_answer(said), read_answer(truth) or {}
        mine = mine if isinstance(mine, dict) else {}
        parts = [value_score(mine.get(name), theirs[name], rule) for name, rule in rules.items() if name in theirs]
        return sum(parts) / len(parts) if parts else 0.0
    wanted = labelled(truth)
    if number in CHOICES:
        wanted = next((one for one in CHOICES[number] if wanted.lower().startswith(one.lower())), wanted)
    return float(said.strip().lower() == wanted.lower() or {said.strip().upper(), wanted.upper()} == ALIKE)


def labelled(answer: str) -> str:
    """What stands after the label of a published answer, such as ``Status: NO_SIGNAL``; else its first line."""
    lines = answer.strip().splitlines() or [""]
    parts = [line.partition(":") for line in lines]
    found = [rest for label, _, rest in parts if label.strip(" *-").lower() in LABELS]
    return (found or lines)[0].strip(" *.")


def axes_score(said: Any, true: Any) -> float:
    """Share of plot types and scales of both axes that agree, over all pictures; one too many counts as wrong."""
    mine, theirs = (each if isinstance(each, list) else [each] for each in (said, true))
    agree = [kind == other and kind is not None for a, b in zip(mine, theirs, strict=False)
             for kind, other in zip(_looks(a), _looks(b), strict=True)]  # fmt: skip
    return sum(agree) / (3 * max(len(mine), len(theirs)))


def _looks(plot: Any) -> list[str | None]:
    plot = plot if isinstance(plot, dict) else {}
    axes = [plot.get(axis) if isinstance(plot.get(axis), dict) else {} for axis in ("x_axis", "y_axis")]
    found = [plot.get("plot_type"), *(axis.get("scale") for axis in axes)]
    return [None if one is None else str(one).strip().lower() for one in found]


def value_score(said: Any, true: Any, rule: Spec) -> float:
    """One field of Q5: 1 within `tol_full`, 0.5 within `tol_half`, by the type of its rule."""
    if true is None or true == "Unreliable":
        return float(said is None or str(said).lower() in UNKNOWN)
    kind = rule["type"]
    if said is None or kind == "enum":
        return float(said is not None and str(said).strip().lower() == str(true).strip().lower())
    if kind == "bool":
        return float(str(said).lower() in (("true", "1") if true else ("false", "0")))
    several = isinstance(true, list) or isinstance(said, list)
    mine, theirs = (each if isinstance(each, list) else [each] for each in (said, true))
    if kind == "array_int_match":
        return _matched(mine, theirs, rule["tol_full"])
    if several and (not theirs or not mine or (kind == "coord_list" and len(mine) != len(theirs))):
        return float(not theirs and (not mine or kind == "array_float_match"))
    relative = kind in ("pct", "array_float_match")
    halves = {} if kind == "array_float_match" else rule
    parts = [
        _near(a, b, rule["tol_full"], halves.get("tol_half", -1.0), relative)
        for a, b in zip(mine, theirs, strict=False)
    ]
    return sum(parts) / max(len(mine), len(theirs))


def _near(said: Any, true: Any, full: float, half: float, relative: bool) -> float:
    try:
        error, true = abs(float(said) - float(true)), float(true)
    except (TypeError, ValueError):
        return 0.0
    if relative and not true:
        return float(error < 0.01)
    error /= abs(true) if relative else 1.0
    return 1.0 if error <= full else 0.5 if error <= half else 0.0


def _matched(mine: list[Any], theirs: list[Any], within: float) -> float:
    """F1 of numbers that are paired within a tolerance, each once."""
    left, hits = list(theirs), 0
    for one in mine:
        near = next((k for k, other in enumerate(left) if _near(one, other, within, -1.0, False)), None)
        if near is not None:
            del left[near]
            hits += 1
    return 2 * hits / (len(mine) + len(theirs)) if mine or theirs else 1.0


def summarise(rows: list[Row], _context: Context) -> dict[str, Any]:
    """The mean score of each question, 0 to 100 as published."""
    by: dict[str, list[float]] = {}
    for row in rows:
        if row["score"] is not None:
            by.setdefault(row["question"], []).append(100 * row["score"])
    return {"summary": {name: sum(scores) / len(scores) for name, scores in sorted(by.items())}}


SUITE = Suite(
    name="qcaleval",
    doc="Six published questions about pictures of calibrations (--data FOLDER); tested on data made in that form",
    cases=cases_of,
    run=run,
    options=OPTIONS,
    summarise=summarise,
    chooses=CHOOSES,
    columns=("case", "experiment", "score", "said"),
)
