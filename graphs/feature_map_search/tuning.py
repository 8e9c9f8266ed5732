"""The node that tunes: the constants of a map and the penalty C, inside the budget of evaluations."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from labwright.agents.feature_map_search.ideas import Tried
from labwright.graphs.feature_map_search.run_context import Workbench, workbench
from labwright.graphs.feature_map_search.state import Row, SearchState
from labwright.graphs.feature_map_search.trial_records import best, candidate, evaluations, facts_of, kept, numbers_of
from labwright.tools.feature_maps.recipe import Recipe
from labwright.tools.runs.action_journal import action_key

if TYPE_CHECKING:
    from labwright.tools.feature_maps.tuning import TunedMap

Update = dict[str, Any]
AROUND = 1.6  # of the winner's constants, which were found by a search already; a new map's are less certain
MARK = "Tuned"
FEWEST = 10  # settings of a new map; fewer do no better than all of them for the best map at the end


def share(bench: Workbench) -> int:
    """Evaluations for the constants of each new map: what the budget leaves, shared alike; none if too little."""
    from labwright.tools.feature_maps.preparation_choice import COST

    chosen = bench.choices
    if not chosen.tune:
        return 0
    room = chosen.budget_of_evaluations - (COST if chosen.preparation == "auto" else 0)
    found = room // (chosen.trials * chosen.ideas) - 1
    return found if found >= FEWEST else 0


def tune(state: SearchState) -> Update:
    """Tune the last map by its share of the budget, or at the end the best map by all that is left."""
    bench, rows = workbench(state), state["tried"]
    left = bench.choices.budget_of_evaluations - evaluations(bench, rows)
    over = bool(state["ended"])
    row = best(rows) if over else rows[-1]
    assert row is not None
    count = (left if bench.choices.tune else 0) if over else min(left, share(bench))
    onward: Update = {"phase": state["after"]}
    if count < 1 or (row["file"].endswith(f"{MARK.lower()}.json") and not over):
        return onward
    return {**onward, "tried": [_tuned(state, bench, row, count)]}


def _tuned(state: SearchState, bench: Workbench, row: Row, count: int) -> Row:
    record = candidate(bench, row)
    over = bool(state["ended"])
    found = _performed(state, bench, row, count)
    tried = Tried.model_validate(record["tried"])
    name = row["name"] if row["name"].endswith(MARK) else f"{row['name']}{MARK}"
    reason = f"{count} settings of {row['name']} were tried."
    recipe = _with(tried.recipe, found["numbers"]["constants"])
    changed = tried.model_copy(update={"name": name, "reason": reason, "recipe": recipe, **found["numbers"]})
    place = f"{row['trial']}-{row['n']}-{MARK.lower()}" + ("-last" if over else "")
    return kept(bench, changed, row["n"], place, {**record, **found["record"]}, state["tried"], cost=count)


def _with(recipe: Recipe | None, constants: dict[str, float]) -> Recipe | None:
    """The recipe with tuned numbers; None if they leave its bounds."""
    if recipe is None:
        return None
    plain = recipe.model_dump()
    try:
        return Recipe.model_validate({**plain, **{name: constants[name] for name in constants if name in plain}})
    except ValidationError:
        return None


def _performed(state: SearchState, bench: Workbench, row: Row, count: int) -> dict[str, Any]:
    """The best of the settings, journaled: a killed run does not evaluate them again."""
    from labwright.tools.feature_maps.tuning import REACH, tune_map

    record, chosen = candidate(bench, row), bench.choices
    code = (bench.run.folder / record["source"]).read_text()
    settings: dict[str, Any] = {
        "evaluations": count,
        "reach": AROUND if state["ended"] else REACH,
        "known": (record["penalty"], row["selection"]),
        **chosen.model_dump(include={"precision", "memory_mb", "seed"}),
    }
    asked = {"circuit": record["digest"], "split": bench.split_digest, **settings}
    key = action_key(bench.run.run_id, state["branch"], "tune", row["trial"], row["n"], asked)
    return bench.run.action(key).perform(
        lambda: tune_map(
            partial(bench.confined.compile, code, bench.task.n_qubits, bench.split.n_features, seed=chosen.seed),
            bench.split,
            hyperparameters=record["hyperparameters"],
            **settings,
        ),
        _plain,
        ask=lambda: "absent",
        note={"what": "tuning", "name": row["name"], "evaluations": count},
    )


def _plain(found: TunedMap) -> dict[str, Any]:
    circuit = found.compiled.circuit
    assessment = asdict(found.assessment)
    record = {"digest": circuit.digest(), "assessment": assessment, "penalty": found.C, **facts_of(found.compiled)}
    constants = {name: value for name, value in found.compiled.hyperparameters.items() if isinstance(value, float)}
    numbers = numbers_of(circuit, assessment)
    return {"record": record, "numbers": {**numbers, "constants": {**constants, "C": found.C}}}
