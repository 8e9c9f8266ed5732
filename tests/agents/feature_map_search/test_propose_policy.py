"""The rules mind's ideas: accepted by the same check as a model's, a person's words read, and a search that learns."""

from __future__ import annotations

import pytest

from labwright.agents.call import Refusal
from labwright.agents.feature_map_search.code_policy import code_by_rules
from labwright.agents.feature_map_search.ideas import CodeIn, CodeOut, ProposeIn, ProposeOut, Task, Tried
from labwright.agents.feature_map_search.propose_ideas import check_ideas
from labwright.agents.feature_map_search.propose_policy import facts_of, propose_by_rules
from labwright.agents.feature_map_search.wishes import recipe_of_wish
from labwright.agents.feature_map_search.write_code import check_code
from labwright.tools.feature_maps.evolve import STRATEGIES, Strategy
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.recipe import Recipe, circuit_of


def task(strategy: Strategy = "graded", gates: list[str] | None = None) -> Task:
    return Task(
        dataset="any",
        n_classes=10,
        n_train=100,
        n_features=12,
        n_qubits=4,
        gates=sorted(GATES) if gates is None else gates,
        max_trials=10,
        ideas_per_trial=2,
        seed=1,
        strategy=strategy,
    )


def asked(history: list[Tried], trial: int = 1, wishes: tuple[str, ...] = (), on: Task | None = None) -> ProposeIn:
    return ProposeIn(
        task=on or task(),
        trial=trial,
        history=history,
        review=None,
        scores_before=[],
        persons_ideas=list(wishes),
        n_ideas=2,
    )


def tried(trial: int, name: str, recipe: Recipe | None, selection: float | None) -> Tried:
    return Tried(
        trial=trial,
        name=name,
        summary="",
        recipe=recipe,
        score=None,
        outcome="vetoed" if selection is None else "evaluated",
        reason="",
        selection=selection,
        validation_accuracy=selection,
        cross_validation=selection,
        precision=None,
        recall=None,
        f1=None,
        alignment=None,
        concentration=None,
        seconds=0.1,
        gates=1,
        two_qubit_gates=0,
        depth=1,
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_ten_trials_pass_the_check_and_repeat_nothing(strategy: Strategy) -> None:
    history: list[Tried] = []
    for trial in range(1, 11):
        given = asked(history, trial, on=task(strategy))
        answer = propose_by_rules(given)
        assert check_ideas(given, answer) == []
        assert propose_by_rules(given) == answer
        for place, idea in enumerate(answer.ideas):
            assert idea.recipe is not None
            history.append(tried(trial, idea.name, idea.recipe, None if place and trial == 2 else 0.9 - trial / 100))
    assert len({circuit_of(one.recipe, 4, 12).digest() for one in history if one.recipe}) == 20


def test_facts_are_those_of_the_task() -> None:
    facts = facts_of(task(gates=["RX", "CZ"]))
    assert (facts.n_qubits, facts.n_features, facts.n_evaluations) == (4, 12, 20)
    assert facts.gates == {"RX", "CZ"}


def test_a_persons_ideas_come_first_and_keep_their_gates() -> None:
    wishes = ("RX rotations with a line of CZ gates, scale 2, decay 0.3", "Toffoli gates on every triple of qubits")
    given = asked([], wishes=wishes)
    answer = propose_by_rules(given)
    assert check_ideas(given, answer) == []
    first, second = answer.ideas
    assert first.recipe is not None
    assert (first.recipe.axes, first.recipe.entangler, first.recipe.pattern) == (["RX"], "CZ", "line")
    assert (first.recipe.scale, first.recipe.decay) == (2.0, 0.3)
    assert wishes[0] in first.explanation
    assert second.recipe is None
    assert wishes[1] in second.explanation


def test_one_wish_leaves_room_for_the_search_and_names_stay_new() -> None:
    wish = ("RY with a CNOT ring, scale 2",)
    before = propose_by_rules(asked([], wishes=wish)).ideas
    history = [tried(1, idea.name, idea.recipe, 0.9) for idea in before]
    given = asked(history, 2, wishes=wish)
    answer = propose_by_rules(given)
    assert check_ideas(given, answer) == []
    assert answer.ideas[0].recipe == before[0].recipe
    assert answer.ideas[0].name != before[0].name
    assert answer.ideas[1].recipe not in [idea.recipe for idea in before]


def test_the_same_wish_twice_and_a_long_one() -> None:
    for wishes in (("CZ ring, scale 2", "CZ ring, scale 2"), ("word " * 400, "Use x squared.")):
        given = asked([], wishes=wishes)
        assert check_ideas(given, propose_by_rules(given)) == []


def test_a_wish_for_a_gate_that_may_not_be_used_is_not_bent() -> None:
    given = asked([], wishes=("IsingXX gates in a ring",), on=task(gates=["RY", "CNOT"]))
    assert propose_by_rules(given).ideas[0].recipe is None


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("Start with Hadamards, then RZ and RY in turn", {"start": "hadamard", "axes": ["RZ", "RY"]}),
        ("scale of 0.5 pi without entanglement", {"scale": 1.571, "entangler": "none"}),
        ("ZZ couplings around the ring", {"entangler": "IsingZZ", "entangler_angle": 1.571, "pattern": "ring"}),
        ("upload the data three times with CX in pairs", {"repeats": 3, "entangler": "CNOT", "pattern": "pairs"}),
        ("a flat map, CRZs between next but one", {"decay": 1.0, "entangler": "CRZ", "pattern": "skip"}),
        ("RZ rotations", {"axes": ["RZ"], "start": "hadamard"}),
        ("angles that fall with the rank", {"decay": 0.5}),
    ],
)
def test_reading_a_wish(words: str, fields: dict[str, object]) -> None:
    recipe = recipe_of_wish(words)
    assert recipe is not None
    assert {name: getattr(recipe, name) for name in fields} == fields


@pytest.mark.parametrize(
    "words", ["", "something clever", "Use CSWAP gates and RY", "decay 7", "RY by x squared", "train the CZ angle"]
)
def test_words_that_say_no_recipe(words: str) -> None:
    assert recipe_of_wish(words) is None


def test_code_of_every_idea_and_none_without_a_recipe() -> None:
    ideas = propose_by_rules(asked([], wishes=("nothing to read",))).ideas
    assert isinstance(ideas, list)
    without, with_recipe = (CodeIn(task=task(), idea=idea, template="class A:", operations=[]) for idea in ideas)
    refused = code_by_rules(without)
    assert isinstance(refused, Refusal)
    assert "no recipe" in refused.reason
    written = code_by_rules(with_recipe)
    assert isinstance(written, CodeOut)
    assert check_code(with_recipe, written) == []
    assert written.class_name == ideas[1].name


def test_the_answer_survives_json() -> None:
    answer = propose_by_rules(asked([]))
    assert ProposeOut.model_validate_json(answer.model_dump_json()) == answer


@pytest.mark.parametrize(("most", "planned"), [(None, 20), (7, 7), (50, 20)])
def test_the_plan_is_for_no_more_evaluations_than_there_will_be(most: int | None, planned: int) -> None:
    assert facts_of(task().model_copy(update={"max_evaluations": most})).n_evaluations == planned
