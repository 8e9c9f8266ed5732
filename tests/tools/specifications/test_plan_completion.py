"""Plans made whole: defaults, procedures, qubits, late values, and every fact checked beforehand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_labs import PAIRS, catalogue, completed, lab, plan, said, sentences, t1

from labwright.tools.errors import InputError
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.calibration import CalibrationPlan, Step
from labwright.tools.specifications.plan_completion import arguments_of, complete, line_of_step, on_pairs, side_by_side
from labwright.tools.specifications.yaml_files import read_document, to_yaml


def fields(*steps: Any, **more: Any) -> list[str]:
    """Where a plan is wrong."""
    return [problem.field for problem in completed(*steps, **more).problems]


def test_defaults_are_resolved_and_kept_when_the_cards_change() -> None:
    done = completed(t1())
    assert done.problems == []
    assert done.plan.defaults["t1"] == {"stop": 400.0, "points": 61, "shots": 2000}
    (step,) = (step for step in done.plan.steps if isinstance(step, Step))
    assert arguments_of(step, catalogue().cards["t1"], {"stop": 300.0}) == ({"qubit": "Q1", "stop": 300.0}, {})
    again = completed(t1(), defaults={"t1": {"stop": 300.0}})
    assert again.plan.defaults["t1"]["stop"] == 300.0


@pytest.mark.parametrize("slug", sorted(catalogue().procedures))
def test_every_shipped_procedure_completes_and_is_embedded(slug: str) -> None:
    procedure = catalogue().procedures[slug]
    qubits = ["Q1", "Q2"][: len(procedure.parameters)]
    done = completed({"procedure": slug, "qubits": qubits})
    assert sentences(done) == []
    assert slug in done.plan.procedures
    for each in done.plan.procedures.values():
        assert all(isinstance(step, Step) for step in each.steps)


TEXTS = [
    "t1 Q1, stop = 0.3 ms; spin_echo Q1, stop = 3 * t1.t1",
    "Bring up Q1 and benchmark it",
    "resonator_spectroscopy Q1, range = -5 to 5 MHz. Repeat at most 3 times. If exhausted, go to FAILED",
    "t1",
    "t1 Q9; ramsey Q1, stop = 3 MHz",
    "Measure T1 of all qubits",
    "find sizzle gate parameters Q1-Q2",
    "ramsey Q1, writes = none",
]


@pytest.mark.parametrize("text", TEXTS)
def test_completing_a_completed_plan_changes_nothing(text: str) -> None:
    once = said(text)
    again = complete(read_document(to_yaml(once.plan.plain())).data, lab())
    assert again.plan == once.plan
    assert sentences(again) == sentences(once)


@given(
    st.lists(
        st.sampled_from(["t1 Q1", "rabi Q2", "ramsey Q1, offset = 3 MHz", "hello", "t1 Q1, stop = 9 s"]), max_size=4
    )
)
def test_no_line_is_ever_lost(lines: list[str]) -> None:
    if not lines:
        return
    done = completed(*lines)
    assert len(done.plan.steps) == len(lines)
    again = complete(done.plan.plain(), lab())
    assert sentences(again) == sentences(done)
    assert ("hello" in lines or "t1 Q1, stop = 9 s" in lines) == bool(done.problems)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("t1 Q9", "steps.0.qubits: The device has no qubit 'Q9'. It has: Q1, Q2, Q3, Q4."),
        ("t1 'dut'", "steps.0.qubits: The device has no qubit 'dut'."),
        ("two_qubit_rb Q1, Q2, Q3", "steps.0.qubits: two_qubit_rb takes 2 (qubit, partner), but has 3."),
        ("state_tomography Q1, Q1", "steps.0.qubits: A qubit comes twice: Q1, Q1. Name each once."),
        ("t1 Q1, stop = 9 s", "steps.0.parameters.stop: It must be between 0.5 and 1400 us, but is 9e+06."),
        ("t1 Q1, stop = 5 MHz", "steps.0.parameters.stop: '5 MHz' is in MHz, but must be in us."),
        ("t1 Q1, stop = Q1.frequency", "steps.0.parameters.stop: 'Q1.frequency' is in MHz, but must be in us."),
        ("t1 Q1, shots = 99.5", "steps.0.parameters.shots: It must be a whole number, but is 99.5."),
        ("t1 Q1, stop = 1e999", "steps.0.parameters.stop: inf is not a finite number."),
        ("t1 Q1, stop = 1e308 s", "steps.0.parameters.stop: '1e308 s' is too large."),
        ("t1 Q1, stopp = 3", "steps.0.parameters.stopp: t1 has no parameter `stopp`. Did you mean `stop`?"),
        ("t1 Q1, colour = 3", "t1 has no parameter `colour`. t1 has: stop, points, shots."),
        ("ramsey Q1, update = maybe", "'maybe' is neither yes nor no. Write yes or no."),
        ("ramsey Q1, start = 5 us, stop = 1 us", "steps.0.parameters: `start` (5) must be below `stop` (1)."),
        ("ramsey Q1, range = 0 to 3 us, start = 1 us", "The sweep is said twice: range, start."),
        ("rabi Q1, centre = 1 us", "A centre needs a `span`."),
        ("resonator_power_sweep Q1, centre = 1 MHz, span = 5 MHz", "has no parameter `centre`."),
        ("spin_echo Q1, stop = 3 * t1.t1", "'t1.t1' is not known before this step."),
        ("t1 Q1; spin_echo Q2, stop = 3 * t1.t1", "'t1.t1' is not known before this step. Did you mean Q1.t1.t1?"),
        ("two_qubit_rb Q1-Q2, seed = drag", "'drag' is not known before this step."),
        ("t1 Q1. If t2 < 5 us, go to FAILED", "steps.0.on.0.if: 't2' is not known here. t1 gives: t1, t1_error"),
        ("t1 Q1. If t1 < 5 MHz, go to FAILED", "A number in us cannot be compared with one in MHz."),
        ("t1 Q1. If stop < 5 us, go to FAILED", "'stop' is not known here."),
        ("t1 Q1. If no_respons, go to next", "t1 reports no cause 'no_respons'. Did you mean no_response?"),
        ("t1 Q1. If failed, go to Stage 7", "steps.0.on.0.go: There is no step 'Stage 7'. Steps are: Stage 1;"),
        (
            "t1 all qubits; ramsey Q2",
            "steps.1.qubits: The plan is for several qubits side by side, but this step names",
        ),
        ("calibrate Q1, stop = 3", "calibrate single qubit has no parameter `stop`."),
    ],
)
def test_every_fact_is_checked_and_named(text: str, problem: str) -> None:
    (found,) = sentences(said(text))
    assert problem in found


@pytest.mark.parametrize(
    "text",
    [
        "t1 Q1; spin_echo Q2, stop = 3 * Q1.t1.t1",
        "t1 Q1; spin_echo Q1, stop = 3 * t1",
        "Characterise coherence Q1; t2_ramsey Q1, stop = t1.t1",
        "rabi Q1, amplitude = half of amplitude_pi",
        "rabi Q1, amplitude = 20 %",
        "t1 Q1. If t1 < 0.05 ms and not exhausted or t1.t1_error > 3 us, go to FAILED",
        "conditional_stark_continuous Q1-Q2, frequency = Q1.frequency + 80 MHz, amplitude = 0.3",
        "hamiltonian_tomography Q1-Q2, phase = 90 °",
    ],
)
def test_right_values(text: str) -> None:
    assert sentences(said(text)) == []


def test_a_missing_qubit_is_asked_for_with_the_device_s() -> None:
    (problem,) = said("t1").problems
    assert (problem.field, problem.missing, problem.options) == ("steps.0.qubits", True, ("Q1", "Q2", "Q3", "Q4"))
    assert problem.fix == "Which qubit is meant?"
    (problem,) = said("two_qubit_rb Q1").problems
    assert problem.missing


def test_qubits_that_were_chosen_beside_the_plan() -> None:
    done = said("t1; two_qubit_rb", lab(chosen=("Q1", "Q2")))
    assert [step.qubits for step in done.plan.steps if isinstance(step, Step)] == [["Q1"], ["Q2"], ["Q1", "Q2"]]
    done = said("t1", lab(qubits=("Q7",), pairs=()))
    assert done.assumptions == ["The qubit is Q7, the only one there is."]


@pytest.mark.parametrize(
    ("scope", "step", "qubits"),
    [
        ("Q1", "t1", ["dut"]),
        (["Q1", "Q2"], "t1", ["dut"]),
        ("all", "t1", ["dut"]),
        ("pairs", "two_qubit_rb", ["qubit", "partner"]),
        ("Q1-Q2", "two_qubit_rb 'qubit', 'partner'", ["qubit", "partner"]),
    ],
)
def test_scopes(scope: Any, step: str, qubits: list[str]) -> None:
    done = completed(step, for_=scope)
    assert (sentences(done), done.assumptions) == ([], [])
    assert done.plan.steps[0].qubits == qubits  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("scope", "where"),
    [
        ("Q9", ["for"]),
        ([], ["for"]),
        (["Q1", "Q1"], ["for"]),
        (["Q1-Q2", "Q3"], ["for", "steps.0.qubits"]),
        ("all, Q1", ["for"]),
    ],
)
def test_wrong_scopes(scope: Any, where: list[str]) -> None:
    assert fields("t1 'dut'", for_=scope) == where


@pytest.mark.parametrize(
    ("scope", "together", "pairwise"),
    [
        ("", False, False),
        ("all", True, False),
        ("pairs", False, True),
        (["Q1"], False, False),
        (["Q1", "Q2"], True, False),
        (["Q1-Q2"], False, True),
        (list(PAIRS), False, True),
    ],
)
def test_what_runs_side_by_side_and_what_on_pairs(scope: Any, together: bool, pairwise: bool) -> None:
    made = CalibrationPlan.model_validate(plan("t1", for_=scope))
    assert (side_by_side(made, PAIRS), on_pairs(made, PAIRS)) == (together, pairwise)


def test_couplers_come_after_qubits_side_by_side() -> None:
    assert completed("t1", for_="all", couplers=["all"]).plan.couplers == list(PAIRS)
    assert fields("t1 Q1", couplers=["all"]) == ["couplers"]
    assert fields("t1", for_="all", couplers=["Q1-Q4"]) == ["couplers.0"]
    rb = {"experiment": "two_qubit_rb", "qubits": ["qubit", "partner"]}
    assert fields(rb, for_=list(PAIRS)) == []
    assert fields(rb, for_=list(PAIRS), couplers=["all"]) == ["couplers"]  # pairs come one after the other


A = {"title": "A 'dut'", "parameters": ["dut"]}


@pytest.mark.parametrize(
    ("procedures", "where", "why"),
    [
        ({"a": {**A, "steps": ["a 'dut'"]}}, "procedures.a.steps.0", "calls itself: a -> a. Break the circle"),
        (
            {"a": {**A, "steps": ["b 'dut'"]}, "b": {**A, "title": "B 'dut'", "steps": ["a 'dut'"]}},
            "procedures.b.steps.0",
            "a -> b -> a",
        ),
        ({"a": {**A, "steps": ["two_qubit_rb 'dut'"]}}, "procedures.a.steps.0.qubits", "takes 2 (qubit, partner)"),
        ({"a": {**A, "steps": ["t1 'other'"]}}, "procedures.a.steps.0.qubits", "no qubit 'other'"),
        ({"a": {**A, "steps": ["hello"]}}, "procedures.a.steps.0", "Not read"),
        ({"a": {**A, "steps": ["spin_echo 'dut', stop = t1.t1"]}}, "procedures.a.steps.0.parameters.stop", "not known"),
    ],
)
def test_embedded_procedures_are_checked_and_ask_nobody(procedures: Any, where: str, why: str) -> None:
    (problem,) = completed({"procedure": "a", "qubits": ["Q1"]}, procedures=procedures).problems
    assert problem.field == where
    assert why in problem.sentence()
    assert not problem.missing


@pytest.mark.slow
def test_procedures_nest_six_deep() -> None:
    def chain(number: int) -> dict[str, Any]:
        inner = {
            f"p{n}": {"title": f"P{n} 'dut'", "parameters": ["dut"], "steps": [f"p{n + 1} 'dut'"]}
            for n in range(number)
        }
        return inner | {f"p{number}": {"title": f"P{number} 'dut'", "parameters": ["dut"], "steps": ["t1 'dut'"]}}

    assert fields({"procedure": "p0", "qubits": ["Q1"]}, procedures=chain(5)) == []
    assert fields({"procedure": "p0", "qubits": ["Q1"]}, procedures=chain(6)) == ["procedures.p5.steps.0"]


def test_what_a_procedure_measures_is_known_behind_it_for_its_own_qubit() -> None:
    own = {"a": {**A, "steps": ["t1 'dut'"]}}
    later = {"experiment": "spin_echo", "qubits": ["Q2"], "parameters": {"stop": "t1.t1"}}
    one, two = ({"procedure": "a", "qubits": [name]} for name in ("Q1", "Q2"))
    assert fields(one, two, later, procedures=own) == []
    assert fields(one, later, procedures=own) == ["steps.1.parameters.stop"]


def test_with_gives_every_role_a_qubit() -> None:
    done = completed({"procedure": "calibrate single qubit", "with": {"dut": "Q2"}})
    assert (sentences(done), done.plan.steps[0].qubits) == ([], ["Q2"])  # type: ignore[union-attr]
    wrong = fields({"procedure": "calibrate single qubit", "qubits": ["Q1"], "with": {"dat": "Q2"}})
    assert wrong[:3] == ["steps.0.with", "steps.0.with.dat", "steps.0.with.dut"]


@pytest.mark.parametrize(
    ("steps", "where"),
    [
        ([t1(label="next")], ["steps.0.label"]),
        ([t1(label="a"), t1(label="a")], ["steps"]),
        (["t1 Q1, Q2", "ramsey Q1. If failed, go to Stage 2"], ["steps.2.on.0.go"]),
        ([t1(experiment="t11")], ["steps.0.experiment"]),
        ([t1(parameters={"Stop": 3, "stop": 5})], ["steps.0.parameters.Stop", "steps.0.parameters.stop"]),
        ([t1(on=[{"rule": "if it looks odd, stop"}])], ["steps.0.on.0.rule"]),
        ([t1(on=[{"if": "failed", "go": "repeat", "change": {"stop": "5 MHz", "foo": 1}}])],
         ["steps.0.on.0.change.stop", "steps.0.on.0.change.foo"]),
        (["t1 all qubits"], ["steps.0"]),
        (["maintain Q1"], ["steps.0"]),
        (["t1 Q1. Repeat 99 times"], ["steps.0.repeats"]),
    ],
)  # fmt: skip
def test_wrong_steps(steps: list[Any], where: list[str]) -> None:
    assert fields(*steps) == where


def test_a_change_is_kept_as_a_parameter_is() -> None:
    on = [{"if": "failed", "go": "repeat", "change": {"Update": "no", "STOP": "300 ns", "step": "2 * step"}}]
    done = completed({"experiment": "rabi", "qubits": ["Q1"], "on": on})
    assert sentences(done) == []
    assert done.plan.steps[0].on[0].change == {"update": False, "stop": "0.3 us", "step": "2 * step"}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("step", "change", "why"),
    [
        (t1(), {"qubit": "Q2"}, "`qubit` cannot be changed: the step is measured where it was."),
        ({"procedure": "calibrate single qubit", "qubits": ["Q1"]}, {"dut": "Q2"}, "`dut` cannot be changed"),
        (t1(), {"stop": "1 us", "Stop": "2 us"}, "`stop` is given twice."),
        ({"experiment": "rabi", "qubits": ["Q1"]}, {"stop": "update * 1 us"}, "'update' is not known"),
    ],
)
def test_what_no_repetition_can_change(step: dict[str, Any], change: dict[str, Any], why: str) -> None:
    found = sentences(completed({**step, "on": [{"if": "failed", "go": "repeat", "change": change}]}))
    assert any(why in sentence for sentence in found), found


def test_a_number_that_a_model_read_needs_its_unit_and_stays_as_it_was() -> None:
    strict = lab(strict_units=True)
    for parameters, name in (({"stop": 300}, "stop"), ({"range": "0 to 30"}, "range"), ({"span": 3}, "span")):
        done = completed({"experiment": "ramsey", "qubits": ["Q1"], "parameters": parameters}, within=strict)
        (problem,) = done.problems
        assert (problem.field, problem.missing) == (f"steps.0.parameters.{name}", True)
        assert problem.options == ("ns", "us", "ms", "s")
        assert sentences(complete(done.plan.plain(), strict)) == sentences(done)
    assert completed(t1(parameters={"points": 31, "stop": "300 us"}), within=strict).problems == []


@pytest.mark.parametrize(
    ("rule", "where", "why"),
    [
        ({"if": "t1 < 50", "go": "FAILED"}, "if", "50 has no unit, but is compared with a number in us. Write 50 us,"),
        ({"if": "failed or 0.05 > t1.t1", "go": "FAILED"}, "if", "0.05 has no unit"),
        ({"if": "failed", "go": "repeat", "change": {"stop": "300"}}, "change.stop", "300 has no unit."),
    ],
)
def test_a_transition_that_a_model_read_needs_its_units(rule: dict[str, Any], where: str, why: str) -> None:
    (problem,) = completed(t1(on=[rule]), within=lab(strict_units=True)).problems
    assert problem.field == f"steps.0.on.0.{where}"
    assert why in problem.sentence()
    assert completed(t1(on=[rule])).problems == []  # a person's own plan means the unit of the card


def test_numbers_without_a_unit_need_none() -> None:
    texts = ("t1 > 0", "contrast < 0.5", "t1 < 2 * t1_error", "t1 < 50 us")
    rules = [{"if": text, "go": "FAILED"} for text in texts]
    assert sentences(completed(t1(on=rules), within=lab(strict_units=True))) == []


def test_a_procedure_that_a_person_wrote_is_not_asked_for_units() -> None:
    own = {"title": "Look at 'dut'", "parameters": ["dut"], "steps": ["t1 'dut', stop = 300. If t1 < 50, go to FAILED"]}
    call = {"procedure": "look-at", "qubits": ["Q1"]}
    assert sentences(completed(call, within=lab(strict_units=True), procedures={"look-at": own})) == []


def test_rehearsal_is_asked_for_what_is_complete_only() -> None:
    asked: list[ExperimentCall] = []

    def refuse(call: ExperimentCall) -> None:
        asked.append(call)
        raise InputError("It drives too hard. Lower the amplitude.")

    steps = [t1(), t1(qubits=["Q9"]), "spin_echo Q1, stop = t1.t1"]
    done = completed(*steps, within=lab(rehearse=refuse))
    assert asked == [ExperimentCall("t1", {"qubit": "Q1"})]
    assert "steps.0: It drives too hard. Lower the amplitude." in sentences(done)


def test_versions_and_maintenance() -> None:
    with pytest.raises(SpecificationError, match=r"spec: Version 2 is not known; this one is 1\. Upgrade Labwright"):
        completed(t1(), spec=2)
    assert complete({"system": "lab_calibration", "mode": "maintain"}, lab()).problems == []
    with pytest.raises(SpecificationError, match="A plan that maintains has no steps"):
        completed(t1(), mode="maintain")
    assert line_of_step(Step(experiment="ramsey", qubits=["Q1"], writes="none")) == "ramsey Q1, writes = none"
    assert plan("t1 Q1") == {"system": "lab_calibration", "steps": ["t1 Q1"]}
