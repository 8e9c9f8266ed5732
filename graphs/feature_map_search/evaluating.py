"""The nodes that measure: a candidate on train and validation, and the review of the trial."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from labwright.agents.feature_map_search.history import in_short, without_text
from labwright.agents.feature_map_search.ideas import Direction, Review, Tried, direction
from labwright.agents.feature_map_search.review_trial import REVIEW, Extent, ReviewIn
from labwright.graphs.feature_map_search.code_generation import verdict
from labwright.graphs.feature_map_search.reporting import save_progress
from labwright.graphs.feature_map_search.run_context import Workbench, workbench
from labwright.graphs.feature_map_search.state import Row, SearchState
from labwright.graphs.feature_map_search.trial_records import (
    best,
    candidate,
    facts_of,
    numbers_of,
    recorded,
    same_circuit,
    shown,
    untried,
)
from labwright.graphs.feature_map_search.tuning import share
from labwright.tools.runs.action_journal import action_key

if TYPE_CHECKING:
    from labwright.tools.feature_maps.circuit import Circuit
    from labwright.tools.feature_maps.compile import CompiledMap

Update = dict[str, Any]


def evaluate(state: SearchState) -> Update:
    """Measure the checked map once, or put on record why it was not."""
    bench, code = workbench(state), state["artifact"]["code"]
    work = state["work"]
    assert work is not None
    source = f"candidates/{state['trial']}-{work['n']}-{state['artifact']['class_name']}.py"
    bench.run.save_text(source, code)
    if state["check_status"] != "clean":
        outcome, reason = verdict(state["findings"])
        return recorded(state, untried(state, outcome, reason), {"source": source})
    compiled = bench.compiled(code)
    digest = compiled.circuit.digest()
    twin = same_circuit(bench, state.get("tried", []), digest)
    if twin is not None:
        measured = candidate(bench, twin)["assessment"]
        reason = f"Its circuit is that of {twin['name']}; the numbers are from there."
    else:
        measured, reason = _measured(state, bench, compiled.circuit), ""
    record = {
        "source": source,
        "class_name": state["artifact"]["class_name"],
        "digest": digest,
        "assessment": measured,
        "penalty": 1.0 if twin is None else candidate(bench, twin)["penalty"],
        **facts_of(compiled),
    }
    done = recorded(state, _tried(state, compiled, measured, reason), record, cost=int(twin is None))
    return {**done, "after": done["phase"], "phase": "tune"} if twin is None and share(bench) else done


def _measured(state: SearchState, bench: Workbench, circuit: Circuit) -> dict[str, Any]:
    """The assessment of a circuit, journaled: a killed run does not measure it again."""
    from labwright.tools.feature_maps.svm_assessment import assess

    work, chosen = state["work"], bench.choices
    assert work is not None
    settings = chosen.model_dump(include={"folds", "precision", "memory_mb", "seed"})
    asked = {"circuit": circuit.digest(), "split": bench.split_digest, **settings}
    key = action_key(bench.run.run_id, state["branch"], "evaluate", state["trial"], work["n"], asked)
    return bench.run.action(key).perform(
        lambda: assess(circuit, bench.split, **settings),
        asdict,
        ask=lambda: "absent",  # an evaluation leaves nothing behind but its result, so one without a result never was
        note={"what": "evaluation", "name": work["idea"]["name"], "circuit": circuit.digest()},
    )


def _tried(state: SearchState, compiled: CompiledMap, measured: dict[str, Any], reason: str) -> Tried:
    shown = {name: value for name, value in compiled.hyperparameters.items() if isinstance(value, float)}
    found = untried(state, "evaluated", " ".join([reason, *compiled.notes]).strip())
    extra: dict[str, Any] = {"code": compiled.source, "constants": {**shown, "C": 1.0}}
    return found.model_copy(update={**numbers_of(compiled.circuit, measured), **extra})


def review(state: SearchState) -> Update:
    """What the trial teaches the next one."""
    bench, rows, trial = workbench(state), state.get("tried", []), state["trial"]
    last = [row for row in rows if row["trial"] == trial]
    way = way_of(rows, trial)
    leader = best(rows)
    given = ReviewIn(
        task=Extent.model_validate(bench.task.model_dump()),
        trial=trial,
        last=shown(bench, last),
        direction=way,
        best=_leader(bench, leader, trial),
        # The maps of earlier trials, but for the best one, which stands by itself.
        past=shown(bench, [r for r in rows if r["trial"] < trial and r is not leader]) if "decline" in way else [],
    )
    # No trial follows the last one that could learn from it.
    answer = bench.ask(REVIEW, given) if trial < bench.choices.trials else None
    if not isinstance(answer, Review):  # a question or a refusal teaches nothing; the numbers speak to the next trial
        answer = Review(keep=[], suggestions=[], completed=False, reason="")
    plain = answer.model_dump()
    bench.emit({"kind": "reviewed", "trial": trial, "direction": way, **plain}, once=f"reviewed {trial}")
    save_progress({**state, "review": plain})
    return {"review": plain, "phase": "next"}


def _leader(bench: Workbench, leader: Row | None, trial: int) -> Tried | None:
    """The best map; without code and words where it stands among the maps of this trial, too."""
    if leader is None:
        return None
    [found] = in_short(shown(bench, [leader]))
    return without_text(found) if leader["trial"] == trial else found


def way_of(rows: list[Row], trial: int) -> Direction:
    """Which way the best selection of a trial moved; a trial without any counts as 0."""
    found = {number: [r["selection"] for r in rows if r["trial"] == number] for number in (trial - 1, trial)}
    top = {number: max((one for one in values if one is not None), default=None) for number, values in found.items()}
    return direction((top[trial - 1] or 0.0) if trial > 1 else None, top[trial])
