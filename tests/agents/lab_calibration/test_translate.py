"""The translation agents: what the policy says, and which wrong answers of a model the checks catch."""

import pytest

from labwright.agents.call import Question, Refusal
from labwright.agents.lab_calibration.activation import ActivationIn, ActivationOut, check_activation
from labwright.agents.lab_calibration.procedure_match import (
    Mapped,
    ProcedureIn,
    ProcedureOut,
    check_procedure,
    translate_procedure_by_rules,
)
from labwright.agents.lab_calibration.revise import ReviseIn, ReviseOut, check_revision, revise_call
from labwright.agents.lab_calibration.select import Offer, SelectIn, SelectOut, check_select, choose, select_by_rules
from labwright.agents.lab_calibration.translate import Situation, build_library, candidates
from labwright.agents.lab_calibration.translate_code import CodeIn, CodeOut, check_code, translate_code_by_rules
from labwright.agents.rules import RulesMind
from labwright.tools.experiments import registry
from labwright.tools.experiments.check_call import CheckContext
from labwright.tools.knowledge.procedures import load_procedures

QUBITS = ["Q1", "Q2", "Q8"]
CARDS = {name: registry.card(kind) for name, kind in registry.experiments().items()}


@pytest.fixture(scope="module")
def library():
    return build_library(RulesMind(), CARDS, load_procedures())


def given(instruction, name="ramsey", variables=None):
    return CodeIn(instruction=instruction, card=CARDS[name], variables=variables or {}, qubits=QUBITS)


def answer(code, named="Ramsey", missing=(), applicable=True, suitable=True):
    return CodeOut(analysis="", named=named, applicable=applicable, code=code, missing=list(missing), suitable=suitable)


@pytest.mark.parametrize(
    ("instruction", "name", "code"),
    [
        ("Run Ramsey on q2 with a 500 kHz offset for 4000 ns", "ramsey", "ramsey(qubit='Q2', stop=4.0, offset=0.5)"),
        ("Ramsey on qubit 8 between 100 ns and 2 us", "ramsey", "ramsey(qubit='Q8', start=0.1, stop=2.0)"),
        ("Take a Rabi at 25 % amplitude on Q1", "rabi", "rabi(qubit='Q1', amplitude=0.25)"),
        ("T1 of Q9", "t1", "t1(qubit='Q9')"),
        ("Rabi on Q1 with 2 ns steps to 200 ns", "rabi", "rabi(qubit='Q1', stop=0.2, step=0.002)"),
        ("Do pingpong on Q1", "amplitude_pingpong", "amplitude_pingpong(qubit='Q1')"),
        ("RB on Q1 with 15 seeds", "single_qubit_rb", "single_qubit_rb(qubit='Q1', kinds=15)"),
        ("Measure T1 of it", "t1", "t1(qubit=dut)"),
        (
            "scan the readout resonator of Q2 +-5 MHz",
            "resonator_spectroscopy",
            "resonator_spectroscopy(qubit='Q2', start=-5.0, stop=5.0)",
        ),
        ("Ramsey Q1 offset 0,5 MHz", "ramsey", "ramsey(qubit='Q1', offset=0.5)"),
        (
            "Scan the resonator of Q1 over ±4 MHz",
            "resonator_spectroscopy",
            "resonator_spectroscopy(qubit='Q1', start=-4.0, stop=4.0)",
        ),
    ],
)
def test_the_policy_writes_the_call_with_converted_units(instruction, name, code):
    assert translate_code_by_rules(given(instruction, name, {"dut": "Q1"})).code == code


@pytest.mark.parametrize(
    ("instruction", "name"),
    [
        ("Make me coffee", "ramsey"),
        ("Run Rabi on Q1", "ramsey"),
        ("Run Ramsey and Rabi on Q1", "ramsey"),
        ("Run Ramsey on Q1 with a flux pulse", "ramsey"),
        ("Run Ramsey on Q1 at 20 mK", "ramsey"),
        ("Run Ramsey on Q1 and Q2", "ramsey"),
        ("Fine-tune the amplitude of Q1", "rabi"),
        ("Coarse frequency search on Q1", "ramsey"),
    ],
)
def test_the_policy_leaves_what_is_not_its_own(instruction, name):
    said = translate_code_by_rules(given(instruction, name))
    assert not (said.applicable and said.suitable)
    assert said.analysis


def test_a_number_that_fits_several_parameters_is_asked_about():
    said = translate_code_by_rules(given("Ramsey on Q1, 0.5 us"))
    assert said.code == ""
    assert said.missing == ["start = 0.5 us or stop = 0.5 us or step = 0.5 us"]


@pytest.mark.parametrize(
    ("instruction", "wrong", "says"),
    [
        ("Run Ramsey on Q1", answer("rabi(qubit='Q1')"), "no experiment 'rabi'"),
        ("Run Ramsey on Q1", answer("ramsey(qubit='Q1', averages=10)"), "no parameter `averages`"),
        ("Run Ramsey on Q1", answer("ramsey(qubit='Q1', stop=20.0)"), "Nothing supports `stop=20`"),
        ("Run Ramsey on Q1, stop 500 ns", answer("ramsey(qubit='Q1', stop=500.0)"), ""),
        ("Run Ramsey on Q1, offset 3 MHz", answer("ramsey(qubit='Q1', offset=3.1)"), "Nothing supports `offset=3.1`"),
        ("Run Ramsey on Q1, offset 3 MHz", answer("ramsey(qubit='Q1')"), "says 3 MHz"),
        ("Run Ramsey on Q1", answer("ramsey(qubit='Q2')"), "names Q1, but the call uses Q2"),
        ("Run Ramsey between Q1 and Q2", answer("ramsey(qubit='Q1')"), "also names Q2"),
        ("Run Ramsey on Q1", answer("Sure! I would run a Ramsey."), "not Python"),
        ("Run Ramsey on Q1", answer("import os\nramsey(qubit='Q1')"), "2 statements"),
        ("Run Ramsey on Q1", answer("ramsey(qubit=qubits[0])"), "Subscript is not accepted"),
        ("Run Ramsey on Q1", answer("ramsey(qubit='Q1', shots='many')"), "must be int"),
        ("Run Ramsey on Q1", answer("ramsey()"), "needs `qubit`"),
        ("Run Ramsey on Q1", answer("", missing=["stop"]), "no required parameter"),
        ("Run Ramsey on Q1", answer(""), "0 statements"),
        ("Do a measurement on Q1", answer("ramsey(qubit='Q1')"), "must quote the instruction"),
        ("Run Ramsey", answer("ramsey(qubit='Q1')"), "put `qubit` into `missing`"),
        ("Make tea on Q1", answer("ramsey(qubit='Q1')", named="Make tea"), "does not speak of ramsey"),
    ],
)
def test_wrong_code_of_a_model_is_caught(instruction, wrong, says):
    found = " ".join(check_code(given(instruction), wrong))
    assert found
    assert says in found


@pytest.mark.parametrize(
    "right",
    [
        answer("ramsey(qubit='Q1', stop=0.5, offset=3)"),
        answer("result = ramsey('Q1', stop=0.5, offset=3.0)"),
        answer("", applicable=False, suitable=False, named=""),
    ],
)
def test_right_code_of_a_model_passes(right):
    assert check_code(given("Run Ramsey on Q1, offset 3 MHz, stop 500 ns"), right) == []


PROCEDURE = ProcedureIn(
    instruction="Calibrate qubit Q2",
    title="Calibrate single qubit 'dut'",
    parameters=["dut"],
    background="",
    variables={},
    qubits=QUBITS,
)


def match(mapping, missing=(), named="Calibrate"):
    items = [Mapped(name=name, value=value) for name, value in mapping]
    return ProcedureOut(analysis="", named=named, proper=True, rewritten="", mapping=items, missing=list(missing))


def test_the_procedure_policy_maps_the_qubit():
    said = translate_procedure_by_rules(PROCEDURE)
    assert said.proper
    assert said.rewritten == "Calibrate single qubit Q2"
    assert check_procedure(PROCEDURE, said) == []


@pytest.mark.parametrize(
    "instruction",
    ["Calibrate the frequency of Q1", "Calibrate Q1 with 3 MHz offset", "Calibrate the CZ gate of Q1", "Benchmark Q1"],
)
def test_the_procedure_policy_leaves_what_is_not_its_title(instruction):
    assert not translate_procedure_by_rules(PROCEDURE.model_copy(update={"instruction": instruction})).proper


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (match([("dut", "Q1")]), "Nothing says that 'dut' is 'Q1'"),
        (match([("dut", "Q7")]), "Nothing says that 'dut' is 'Q7'"),
        (match([("dut", "Q2"), ("speed", "fast")]), "no parameter 'speed'"),
        (match([]), "must stand once"),
        (match([("dut", "Q2")], missing=["dut"]), "must stand once"),
        (match([("dut", "Q2")], named="Bring up"), "must quote"),
    ],
)
def test_a_wrong_mapping_of_a_model_is_caught(wrong, says):
    assert says in " ".join(check_procedure(PROCEDURE, wrong))


def test_a_second_qubit_makes_a_procedure_improper():
    both = PROCEDURE.model_copy(update={"instruction": "Calibrate the gate between Q1 and Q2"})
    assert "also names Q1" in " ".join(check_procedure(both, match([("dut", "Q2")])))


def test_numbers_make_a_procedure_improper():
    with_number = PROCEDURE.model_copy(update={"instruction": "Calibrate qubit Q2 with 3 MHz"})
    assert "takes no numbers" in " ".join(check_procedure(with_number, match([("dut", "Q2")])))


@pytest.mark.parametrize("n_k", [3, 5, 7, 9, 14])
@pytest.mark.parametrize(
    "instruction",
    ["Make me coffee", "Order pizza", "Measure the iSWAP gate", "Cool down to 4 K", "Write a poem on Rabi"],
)
def test_out_of_domain_instructions_have_no_candidate(library, instruction, n_k):
    assert candidates(RulesMind(), instruction, library, Situation({"dut": "Q1"}, QUBITS), n_k) == []


def test_a_missing_qubit_is_asked_for_with_the_devices_qubits(library):
    asked = candidates(RulesMind(), "Measure T1", library, Situation({}, QUBITS), 3)
    assert isinstance(asked, Question)
    assert asked.options == QUBITS


def test_the_variable_table_answers_for_the_qubit(library):
    (found,) = candidates(RulesMind(), "Measure T1", library, Situation({"dut": "Q8"}, QUBITS), 3)
    assert found.code == "t1(qubit=dut)"


def test_every_card_and_procedure_is_activated_by_its_own_name(library):
    for name in library.cards:
        spoken = name.removeprefix("procedure:").replace("_", " ").replace("-", " ")
        assert name in [agent for agent, _ in library.index.rank(f"Run {spoken} on Q1", 3)], name


def offer(agent, named, score):
    return Offer(agent=agent, code=f"{agent}(qubit='Q1')", named=named, analysis="", score=score)


def test_the_more_specific_candidate_is_chosen():
    given = SelectIn(
        instruction="Fine amplitude calibration of Q1",
        candidates=[offer("coarse", "amplitude", 0.9), offer("fine", "fine amplitude", 0.2)],
    )
    assert select_by_rules(given).agent == "fine"


def test_equal_candidates_are_asked_about_and_the_answer_settles_it():
    both = [offer("a", "decay", 0.30), offer("b", "decay", 0.31)]
    asked = select_by_rules(SelectIn(instruction="Measure the decay of Q1", candidates=both))
    assert isinstance(asked, Question)
    assert set(asked.options) == {"a", "b"}
    answered = SelectIn(instruction="Measure the decay of Q1. a", candidates=both)
    assert select_by_rules(answered).agent == "a"


def test_a_choice_outside_the_candidates_is_caught():
    given = SelectIn(instruction="x", candidates=[offer("a", "x", 0.3)])
    assert "must be one of a" in check_select(given, SelectOut(analysis="", agent="rabi"))[0]


def test_a_lone_candidate_is_chosen_by_rules_and_may_be_refused_by_a_model():
    lone = [{"agent": "t1", "code": "t1(qubit='Q1')", "named": "T1", "analysis": "", "score": 0.5}]
    chosen = choose(RulesMind(), "Measure T1 of Q1", lone, Situation())
    assert chosen.agent == "t1"

    class Refuses:
        def answer(self, call, input, runtime=None):
            return Refusal(reason="none does what is asked")

    assert isinstance(choose(Refuses(), "Tune the CZ gate", lone, Situation()), Refusal)


def finding(check, message, mend):
    return {"check": check, "message": message, "mend": mend}


def test_the_reviser_applies_computable_mends_and_gives_up_on_others(library):
    context = CheckContext("Run Ramsey on Q1", library.cards, {}, tuple(QUBITS))
    wrong = "ramsey(qubit='Q1', averages=10)"
    mend = finding("argument_names", "No such parameter.", "Drop `averages`.")
    assert revise_call(RulesMind(), wrong, [mend], context, library) == "ramsey(qubit='Q1')"
    hopeless = finding("ranges", "Out of range.", "Choose a value inside the range.")
    assert revise_call(RulesMind(), wrong, [hopeless], context, library) == ""


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("rabi(qubit='Q1')", "no experiment 'rabi'"),
        ("ramsey(qubit='Q1', stop=1200.0)", "unchanged"),
        ("ramsey(qubit='Q1', stop=900.0)", "Nothing supports `stop=900`"),
        ("ramsey(qubit='Q1', end=1200.0)", "no parameter `end`"),
    ],
)
def test_a_wrong_revision_of_a_model_is_caught(code, says):
    revise = ReviseIn(
        instruction="Run Ramsey on Q1, stop 1200 us",
        code="ramsey(qubit='Q1', stop=1200.0)",
        findings=[],
        card=CARDS["ramsey"],
        variables={},
        qubits=QUBITS,
        trusted=[],
    )
    assert says in " ".join(check_revision(revise, ReviseOut(analysis="", code=code)))


@pytest.mark.parametrize(
    ("sentences", "says"),
    [
        (["Run a Ramsey"] * 4, "equal"),
        (["Run a Ramsey", "Measure Ramsey fringes", "Do Ramsey"], "must be 4"),
        (["Run a Ramsey", "Ramsey fringes", "Measure T2*", "Order a pizza"], "'Order a pizza' does not speak"),
    ],
)
def test_wrong_activation_sentences_are_caught(sentences, says):
    given = ActivationIn(name="ramsey", docstring=CARDS["ramsey"].docstring)
    assert says in " ".join(check_activation(given, ActivationOut(sentences=sentences)))
