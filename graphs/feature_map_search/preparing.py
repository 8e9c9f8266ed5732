"""The first node: choices made whole, a run folder, data that can be classified, a sandbox that confines."""

from __future__ import annotations

from typing import Any

from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.hardware_evaluation import calibrated
from labwright.graphs.feature_map_search.run_context import (
    DATA_SET,
    SYSTEM,
    Workbench,
    check_choices,
    identity,
    workbench,
)
from labwright.graphs.feature_map_search.state import SearchState
from labwright.graphs.run_creation import opened
from labwright.tools.errors import InputError
from labwright.tools.specifications.kinds import from_choices
from labwright.tools.specifications.search import SearchSpec

Update = dict[str, Any]


def prepare(state: SearchState) -> Update:
    """Open the run and its data, or refuse it; what is said in words is read first."""
    begun = opened(state, SYSTEM, Choices)
    if not state.get("run_dir") and _is_unchosen(begun["choices"]):  # from Studio: words, and no form filled in
        begun["choices"]["words"] = state["request"]
    bench = workbench({**state, **begun})
    bench.emit({"kind": "run_started", "run_id": bench.run.run_id, "request": state["request"]}, once="run_started")
    empty: Update = {"queue": [], "answers": {}, "assumptions": [], "test": {}, "compared": []}
    quiet: Update = {"trial": 0, "work": None, "review": None, "ended": "", "cause": "", "question": None}
    fresh: Update = {**begun, **empty, **quiet, "status": "running"}
    if bench.choices.words:
        words: Update = {"words": bench.choices.words, "draft": {}, "correction": "", "asks": 0}
        return {**fresh, **words, "phase": "understand"}
    return {**fresh, **open_data(bench)}


def _is_unchosen(choices: Update) -> bool:
    """Whether nothing is chosen that a specification says."""
    return from_choices(SearchSpec, Choices.model_validate(choices)).keys() == {"spec", "system"}


def open_data(bench: Workbench) -> Update:
    """The data, the chip, the papers and the sandbox of a search whose choices are settled, or why it is refused."""
    try:
        check_choices(bench.choices)
        task = bench.task
        if bench.choices.processor is not None:
            calibrated(bench)
        bench.papers  # noqa: B018 - a folder without a readable paper is said now
    except InputError as refused:
        return {"guidance": [], "phase": "report", "status": "refused", "cause": str(refused)}
    bench.confined  # noqa: B018 - an unusable sandbox is said now, not after the first idea
    bench.run.save_json(DATA_SET, identity(bench.split))
    facts = {"task": task.model_dump(mode="json"), **bench.split.facts}
    bench.emit({"kind": "prepared", **facts}, once="prepared")
    return {"guidance": bench.choices.model_dump(mode="json")["persons_ideas"], "phase": "next"}
