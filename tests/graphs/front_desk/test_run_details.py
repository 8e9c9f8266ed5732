"""What an agent that explains a run is given: values, stocks and steps, in whole lines."""

from __future__ import annotations

from pathlib import Path

from talks import DILUTION, settled, talk

from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.front_desk.facts import (
    begun_with,
    comparable,
    difference,
    findings,
    listed,
    values_of,
    whole,
    whole_lines,
    with_error,
)
from labwright.graphs.front_desk.run_details import details
from labwright.graphs.front_desk.run_log_account import account_of
from labwright.tools.forge.tasks.results import Axis, Record, Results
from labwright.tools.runs.run import create_run, open_run


def test_a_protocol_has_its_stocks_and_its_steps_in_order(root: Path) -> None:
    with talk(approval="auto", answers="defaults") as conversation:
        settled(conversation, conversation.say(DILUTION))
        facts = account_of(open_run(root, conversation.runs[0])).facts
    assert "10 mM caffeine: 30 uL in all, in 2 vials" in facts
    assert "water: 1970 uL in all, in 2 vials" in facts
    steps = [fact for fact in facts if fact.startswith("step ")]
    assert steps[0].startswith("step 1: Add water 980 to 990 uL, 2 vials of Plate 1")
    assert any("uL of 10 mM caffeine" in fact and "position" in fact for fact in facts)


def test_a_protocol_that_waits_has_what_it_would_do_and_what_is_to_be_put_out(root: Path) -> None:
    with talk() as conversation:
        settled(conversation, conversation.say(DILUTION))
        conversation.desk.workers.wait(60)
        facts = account_of(open_run(root, conversation.runs[0])).facts
    assert "Order of addition, each into the vials that get it: water, 10 mM caffeine." in facts
    assert "To put out: 530 uL of 10 mM caffeine; 30 are dispensed." in facts
    assert any(fact.startswith("step 1: Add water") for fact in facts)


def test_a_task_has_the_values_that_its_scripts_found(root: Path) -> None:
    run = create_run(root, "tool_forging", "a pendulum", {}, 0)
    axis = Axis(name="time", values=[0.0, 1.0, 2.0], unit="s")
    period = Record(quantity="period", labels={"length": 1.0}, value=2.006, unit="s", uncertainty=0.004)
    angle = Record(quantity="angle", axes=[axis], value=[0.1, -0.1, 0.05], unit="rad")
    run.save_text("results.json", Results(parameters={"g": 9.81}, records=[period, angle]).model_dump_json())
    run.save_json("result.json", {"status": "complete", "result": {"criteria": [{"passed": True, "message": "m"}]}})
    assert listed(findings(run)) == [
        "period (length = 1.0) 2.0060 +- 0.0040 s",
        "angle 3 values from -0.1 to 0.1 rad, along time 0 to 2 s",
        "criteria that hold 1 of 1",
    ]
    for more, names in (("", ["angle"]), ("named: {period: {of: time}}\n", ["period (length = 1.0)", "angle"])):
        run.save_text("spec.yaml", f"system: tool_forging\nwanted: [angle]\n{more}")
        assert [name for name, _ in values_of(run.folder)] == names
    cases = [Record(quantity="angle", labels={"length": k}, value=0.1) for k in range(20)]
    run.save_text("results.json", Results(records=[*cases, period]).model_dump_json())
    assert next(values_of(run.folder))[0] == "period (length = 1.0)"  # what is named is not cut off by many cases
    run.save_text("results.json", Results(parameters={"g": 9.81}, records=[period, angle]).model_dump_json())
    assert details(run)[:3] == [
        "used g = 9.81",
        "period (length = 1.0) = 2.0060 +- 0.0040 s",
        "angle: rad at time s: 0: 0.1; 1: -0.1; 2: 0.05",
    ]


def test_a_search_has_how_it_chooses_and_what_each_method_came_to(root: Path) -> None:
    run = create_run(root, "feature_map_search", "a map", Choices(trials=2, baselines=["rbf_default"]).model_dump(), 0)
    run.save_text("spec.yaml", "system: feature_map_search\ntrials: 2\nbaselines: [rbf_default, standard_rbf]\n")
    tuned = {"validation_accuracy": 0.9, "test_accuracy": 0.8, "evaluations": 14, "hyperparameters": {"gamma": 0.5}}
    compared = {**tuned, "p": 0.25, "p_adjusted": 0.5, "verdict": "open"}
    best = {"name": "Ring", "trial": 1, "hyperparameters": {"scale": 3.0}, "penalty": 4.5, "concentration": 0.125}
    result = {"feature_map": {**best, "circuit": {"gates": 12}}, "baselines": {"standard_rbf": compared}}
    run.save_json("result.json", {"status": "complete", "result": result})
    found = "\n".join(details(run))
    assert "the map that was found, Ring of trial 1: scale 3, C 4.5, concentration 0.125, gates 12" in found
    for told in ("2 trials are at most 4 maps", "at most 14 settings", "opened once, at the end", "(no grid)"):
        assert told in found
    assert "RBF, default: not tuned: gamma = 1 gamma0, C = 1." in found
    assert "tuned over C 0.1 to 1000, gamma 0.1 to 100 gamma0." in found
    assert "accuracy validation 0.9000, test 0.8000; 14 evaluations; gamma 0.5, p 0.25, corrected 0.5" in found


def test_a_calibration_has_each_setting_before_and_after_and_where_its_report_lies(root: Path) -> None:
    with talk() as conversation:
        settled(conversation, conversation.say("ramsey Q1, offset = 3 MHz, stop = 2 us, shots = 400"))
        run = open_run(root, conversation.runs[0])
        facts = account_of(run).facts
    assert f"report {run.folder}/report.md" in facts
    assert any(fact.startswith("setting Q1 frequency = 48") and "MHz (before 4889.5" in fact for fact in facts)
    assert "setting Q1 drag = 0 (unchanged)" in facts
    assert any(fact.startswith("measured Q1 ramsey.frequency_error = ") and "+-" in fact for fact in facts)


def test_what_has_no_room_ends_with_a_sentence_or_a_line() -> None:
    assert whole("It was kept. The fit was poor, and so on.", 30) == "It was kept. ..."
    assert whole("one two three four", 10) == "one two ..."
    assert begun_with("see /runs/one/report.md", 12) == "see ..."
    assert begun_with("line\nand 12.5 us", 10) == "line\nand ..."
    assert whole_lines("first line\nsecond line\n", 15) == "first line\n..."


def test_a_fit_tells_each_number_with_its_error_and_nothing_about_itself(root: Path) -> None:
    run = create_run(root, "tool_forging", "a decay", {}, 0)
    numbers = {"T2": 124.245, "T2 error": 0.5, "residual": 2e-9, "A": 0.5, "A error": 1e-17}
    records = [Record(quantity="fit", labels={"parameter": name}, value=one) for name, one in numbers.items()]
    run.save_text("results.json", Results(records=records).model_dump_json())
    assert [*values_of(run.folder)] == [("fit (parameter = T2)", "124.25 +- 0.50"), ("fit (parameter = A)", "0.5")]


def test_a_comparison_tells_no_choice_that_nobody_made(root: Path) -> None:
    chosen = Choices(dataset="digits").model_dump(mode="json")
    told = comparable(create_run(root, "feature_map_search", "a map for wine", chosen, 0))
    assert "dataset" not in told
    assert "seed" not in told


def test_two_numbers_agree_or_not_within_their_combined_error() -> None:
    one = with_error(86.0, 1.0, "us")
    assert (
        difference(one, with_error(88.0, 1.5, "us")) == "difference -2.0 +- 1.8 us: they agree within 2 combined errors"
    )
    assert "lie 5.5 combined errors apart" in difference(one, with_error(96.0, 1.5, "us"))
    assert difference(one, with_error(96.0, None, "us")) == difference(one, with_error(0.1, 0.1, "MHz")) == ""
