"""Suite `inspection`: whether a result is good, and if not, what is wrong with it and what to do.

The generators (`paper_cases`, `harder_sweeps`, `harder_pictures`) were committed before the inspector was tuned. The
development half may be looked at; the sealed half has other seeds and other values, and is run to report.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from labwright.agents.call import Mind
from labwright.agents.models import make_mind
from labwright.evaluation.inspection import harder_pictures, harder_sweeps, paper_cases
from labwright.evaluation.inspection.baseline import scores
from labwright.evaluation.inspection.case import Kind, Measured, measured, met, right_number, trusted
from labwright.evaluation.inspection.draws import Draw, Split
from labwright.evaluation.inspection.methods import BLIND, METHODS, Judged, Method, judge
from labwright.evaluation.scoring import wilson
from labwright.evaluation.tokens import tokenizer

Row = dict[str, Any]
PAPER, HARDER = paper_cases.KINDS, harder_sweeps.KINDS + harder_pictures.KINDS
COLUMNS = ("set", "kind", "expected", "right", "n", "said")
PAPERS_TOKENS = {
    "rabi": 6056, "resonator_spectroscopy": 6886, "readout_calibration": 7840, "drag_calibration": 7899,
}  # fmt: skip


def run(
    mind: str = "rules",
    on_progress: Callable[[str], None] = lambda _: None,
    out: Path | None = None,
    split: Split = "dev",
    share: float = 1.0,
) -> dict[str, Any]:
    """The paper's four synthetic cases and a harder set, development half: {suite, n, score, interval, rows}."""
    began = time.perf_counter()
    answering = make_mind(mind)
    with tempfile.TemporaryDirectory() as spare:
        folder = out or Path(spare)
        paper = _part("paper", PAPER, answering, split, share, folder, on_progress)
        harder = _part("harder", HARDER, answering, split, share, folder, on_progress)
        tokens = tokens_an_inspection(answering, folder)
    return {
        "suite": "inspection" if split == "dev" else f"inspection-{split}",
        "split": split,
        "mind": answering.name,
        "tokenizer": tokenizer(),
        "n": paper["n"] + harder["n"],
        "score": (paper["score"] * paper["n"] + harder["score"] * harder["n"]) / (paper["n"] + harder["n"]),
        "interval": wilson(paper["passed"] + harder["passed"], paper["n"] + harder["n"]),
        "columns": COLUMNS,
        "rows": paper.pop("rows") + harder.pop("rows"),
        "paper": paper,
        "harder": harder,
        "input_tokens": tokens,
        "notes": [_line("paper", paper), _line("harder", harder), *(_cost(name, tokens[name]) for name in tokens)],
        "seconds": round(time.perf_counter() - began, 3),
    }


def run_sealed(
    mind: str = "rules", on_progress: Callable[[str], None] = lambda _: None, out: Path | None = None
) -> dict[str, Any]:
    """The same with other seeds and other values, run to report: {suite, n, score, interval, rows}."""
    return run(mind, on_progress, out, "sealed")


def drawn(kinds: Sequence[Kind], split: Split, share: float = 1.0) -> list[Measured]:
    """The measured cases of one half; a `share` of each kind, one at least."""
    return [
        measured(kind, number, Draw(split, kind.name, number))
        for kind in kinds
        for number in range(max(1, round(share * kind.number)))
    ]


def tokens_an_inspection(mind: Mind, folder: Path) -> dict[str, dict[str, int]]:
    """Input tokens that one inspection of each of the paper's cases costs by every method, beside the paper's own."""
    table = {}
    for kind in PAPER:
        if kind.status == "success":
            case = measured(kind, 0, Draw("dev", kind.name, 0))
            costs = {str(method): judge(mind, case, method, folder).counted.total for method in METHODS}
            table[kind.experiment] = {**costs, "paper": PAPERS_TOKENS[kind.experiment]}
    return table


def _part(
    name: str, kinds: Sequence[Kind], mind: Mind, split: Split, share: float, folder: Path, tell: Callable[[str], None]
) -> dict[str, Any]:
    """One of the two sets: rows by kind, score by method, baseline, reliability of fits, actions, tokens."""
    cases = drawn(kinds, split, share)
    methods = METHODS if mind.sees_images else BLIND
    told: dict[Method, list[Judged]] = {}
    for method in methods:
        tell(f"{name} set, {method}: {len(cases)} results")
        told[method] = [judge(mind, case, method, folder) for case in cases]
    best = told["combined" if "combined" in told else "fit only"]
    passed = sum(_right(name, case, said) for case, said in zip(cases, best, strict=True))
    training = cases if split == "dev" else drawn(kinds, "dev", share)
    return {
        "n": len(cases),
        "passed": passed,
        "score": passed / len(cases),
        "interval": wilson(passed, len(cases)),
        "methods": {method: _method(name, cases, said) for method, said in told.items()},
        "baseline": scores(training, cases),
        "reliability": _reliability(cases),
        "actions": _actions(cases, best),
        "rows": _rows(name, kinds, cases, best),
    }


def _right(name: str, case: Measured, said: Judged) -> bool:
    """Of the paper's cases good or not; of the harder ones the status itself."""
    if name == "paper":
        return (said.status == "success") == (case.kind.status == "success") and said.status != ""
    return said.status == case.kind.status


def _method(name: str, cases: Sequence[Measured], told: Sequence[Judged]) -> dict[str, Any]:
    passed = sum(_right(name, case, said) for case, said in zip(cases, told, strict=True))
    good = sum(_right("paper", case, said) for case, said in zip(cases, told, strict=True))
    return {
        "score": passed / len(cases),
        "interval": wilson(passed, len(cases)),
        "good_or_not": good / len(cases),
        "input_tokens_mean": round(sum(said.counted.total for said in told) / len(told)),
    }


def _reliability(cases: Sequence[Measured]) -> dict[str, Any]:
    """How often a number that the report gives on is right, and one that it holds back would have been."""
    known = [case for case in cases if case.made.truth]
    table = {}
    for word, chosen in (("given on", True), ("held back", False)):
        part = [case for case in known if trusted(case) == chosen]
        table[word] = {"n": len(part), "right": sum(right_number(case) for case in part)}
    return table


def _actions(cases: Sequence[Measured], told: Sequence[Judged]) -> dict[str, int]:
    """Proposals that go where they have to, of the cases that demand one."""
    demanding = [(case, said) for case, said in zip(cases, told, strict=True) if case.made.actions]
    good = sum(met(case.made.actions, said.proposal, case.experiment.arguments) for case, said in demanding)
    return {"n": len(demanding), "right": good}


def _rows(name: str, kinds: Sequence[Kind], cases: Sequence[Measured], told: Sequence[Judged]) -> list[Row]:
    rows = []
    for kind in kinds:
        own = [(case, said) for case, said in zip(cases, told, strict=True) if case.kind is kind]
        words = [said.status or "unclear" for _, said in own]
        rows.append(
            {
                "set": name,
                "kind": kind.name,
                "experiment": kind.experiment,
                "expected": kind.status if name == "harder" else "good" if kind.status == "success" else "not good",
                "n": len(own),
                "right": sum(_right(name, case, said) for case, said in own),
                "said": ", ".join(f"{word} {words.count(word)}" for word in sorted(set(words))),
            }
        )
    return rows


def _line(name: str, part: dict[str, Any]) -> str:
    methods = ", ".join(f"{method} {table['score']:.3f}" for method, table in part["methods"].items())
    baseline = ", ".join(f"{number} {value:.3f}" for number, value in part["baseline"].items())
    actions = part["actions"]
    said = f"{name} set: {methods}; one threshold, good or not: {baseline}"
    return f"{said}; right proposals {actions['right']} of {actions['n']}" if actions["n"] else said


def _cost(name: str, costs: dict[str, int]) -> str:
    return f"input tokens, {name}: " + ", ".join(f"{method} {tokens}" for method, tokens in costs.items())
