"""Instructions for a pair or a group of qubits: one call, and one order in the plan."""

import pytest

from labwright.agents.call import Question
from labwright.agents.lab_calibration.language import each_qubit, orders
from labwright.agents.lab_calibration.translate import Candidate, Situation, question_for
from labwright.agents.lab_calibration.translate_code import CodeIn, check_code, translate_code_by_rules
from labwright.tools.experiments.call import ExperimentCard, ParameterCard
from labwright.tools.experiments.check_call import CheckContext, check, places, qubits_of

QUBITS = ["Q1", "Q2", "Q8"]


def parameter(name, kind, required=True, default=None, unit="", bounds=(None, None), description=""):
    return ParameterCard(name, kind, required, default, unit, *bounds, description)


ONE, OTHER = parameter("qubit", "str"), parameter("partner", "str")
SHOTS = parameter("shots", "int", False, 1000, "", (50, 20000), "repetitions of every point.")
SWING = ExperimentCard(
    "pair_swing",
    "Pair swing: measures how a pair swings.",
    "Pair swing: measures how a pair swings.\n\nAsked for as: pair swing, swing rate of the coupler.",
    (
        ONE, OTHER,
        parameter("frequency", "float", True, None, "MHz", (4000.0, 6000.0), "of the drive, in MHz."),
        parameter("echo", "bool", False, True, description="whether an echo is played. Default True."),
        SHOTS,
    ),
)  # fmt: skip
PORTRAIT = ExperimentCard(
    "group_portrait",
    "Group portrait: draws a state of several qubits.",
    "Group portrait: draws a state of several qubits.\n\nAsked for as: group portrait, portrait of the state.",
    (
        parameter("qubits", "str"),
        parameter("state", "str", False, "round", description="round, flat, one or two. Default round."),
        SHOTS,
    ),
)


def said(card, instruction, variables=None):
    given = CodeIn(instruction=instruction, card=card, variables=variables or {}, qubits=QUBITS)
    answer = translate_code_by_rules(given)
    assert check_code(given, answer) == []
    return answer


@pytest.mark.parametrize(
    ("card", "instruction", "code"),
    [
        (SWING, "Pair swing of Q2 and Q1 at 4.8 GHz", "pair_swing(qubit='Q2', partner='Q1', frequency=4800.0)"),
        (
            SWING,
            "Pair swing between Q1 and Q8 with a frequency of 4750 MHz, without echo",
            "pair_swing(qubit='Q1', partner='Q8', frequency=4750.0, echo=False)",
        ),
        (PORTRAIT, "Group portrait of Q8, Q1 and Q2", "group_portrait(qubits='Q8,Q1,Q2')"),
        (
            PORTRAIT,
            "Draw a portrait of the flat state of Q1 and Q2, 500 shots",
            "group_portrait(qubits='Q1,Q2', state='flat', shots=500)",
        ),
        (PORTRAIT, "One group portrait of Q1", "group_portrait(qubits='Q1')"),
        (PORTRAIT, "Portrait of the one state of Q1", "group_portrait(qubits='Q1', state='one')"),
    ],
)
def test_pairs_and_groups_are_called_once(card, instruction, code):
    assert said(card, instruction).code == code


def test_a_pair_has_room_for_two():
    assert (places(SWING), places(PORTRAIT)) == (2, None)
    assert "one call measures 2 qubits" in said(SWING, "Pair swing of Q1, Q2 and Q8 at 4.8 GHz").analysis
    lonely = said(SWING, "Pair swing of Q1 at 4800 MHz")
    assert lonely.missing == ["partner"]
    offer = Candidate(agent="pair_swing", code="", named="pair swing", analysis="", score=0, missing=["partner"])
    question = question_for(offer, SWING, Situation({}, QUBITS))
    assert isinstance(question, Question)
    assert "Which qubits" in question.text


def test_a_model_may_not_leave_a_qubit_out_or_name_one_that_is_not_there():
    given = CodeIn(instruction="Group portrait of Q1, Q2 and Q8", card=PORTRAIT, variables={}, qubits=QUBITS)
    answer = translate_code_by_rules(given)
    short = answer.model_copy(update={"code": "group_portrait(qubits='Q1,Q2')"})
    assert any("also names Q8" in fault for fault in check_code(given, short))
    context = CheckContext("Group portrait of Q1 and Q5", {"group_portrait": PORTRAIT}, {}, tuple(QUBITS))
    [finding] = check("qubit", "group_portrait(qubits='Q1,Q5')", context)
    assert "no qubit 'Q5'" in finding.message
    assert qubits_of({"qubit": "Q1", "partner": "Q2"}) == [("qubit", "Q1"), ("partner", "Q2")]


@pytest.mark.parametrize(
    "order",
    [
        "Find siZZle gate parameters for Q1 and Q2",
        "Measure the ZZ interaction between Q1 and Q8",
        "Simultaneous RB on Q1, Q2 and Q8",
        "Prepare a GHZ state on Q2, Q1, Q8",
    ],
)
def test_what_is_done_together_stays_one_order(order):
    assert each_qubit(order, QUBITS) == [order]


def test_what_is_done_one_by_one_is_parted():
    assert each_qubit("Measure T1 of Q1 and Q2", QUBITS) == ["Measure T1 of Q1", "Measure T1 of Q2"]
    whole = "Prepare a three-qubit GHZ state on Q2, Q1, Q8 and do tomography"
    assert orders(whole) == [whole]
    assert orders("Run Rabi on Q1, then Ramsey on it") == ["Run Rabi on Q1", "Ramsey on it"]
    assert orders("Run Rabi on Q1, then again with 500 shots") == ["Run Rabi on Q1, then again with 500 shots"]
