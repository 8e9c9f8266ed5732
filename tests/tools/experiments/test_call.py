import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import CallSyntaxError
from labwright.tools.experiments.call import (
    ExperimentCall,
    ExperimentCard,
    ParameterCard,
    parse_call,
    render_call,
)

RABI = ExperimentCard(
    "rabi",
    "Rabi.",
    "Rabi.",
    (
        ParameterCard("qubit", "str", True, None, "", None, None, ""),
        ParameterCard("amplitude", "float", False, 0.2, "", 0.0, 1.0, ""),
        ParameterCard("shots", "int", False, 1000, "", 1, 20000, ""),
    ),
)
PROCEDURE = ExperimentCard("procedure:bring-up", "Bring up 'dut'", "", (RABI.parameters[0],))
CARDS = {card.name: card for card in (RABI, PROCEDURE)}
VARIABLES = {"dut": "Q2", "t1": 88.0}


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("rabi(qubit='Q1')", {"qubit": "Q1"}),
        ("result = rabi(qubit=dut, amplitude=2 * 0.1)", {"qubit": "Q2", "amplitude": 0.2}),
        ("rabi('Q1', 0.3, shots=500)", {"qubit": "Q1", "amplitude": 0.3, "shots": 500}),
        ("rabi(qubit='Q1', amplitude=-(1 - t1 / 88))", {"qubit": "Q1", "amplitude": 0.0}),
        ("  rabi(qubit='Q1', update=False)\n", {"qubit": "Q1", "update": False}),
    ],
)
def test_one_call_is_read(code, arguments):
    assert parse_call(code, CARDS, VARIABLES) == ExperimentCall("rabi", arguments)


def test_a_procedure_is_called_by_its_slug():
    call = parse_call("procedure('bring-up', dut='Q1')", CARDS, {})
    assert call == ExperimentCall("procedure:bring-up", {"dut": "Q1"})
    assert call.procedure == "bring-up"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("", "0 statements"),
        ("import os", "Import statement"),
        ("rabi(qubit='Q1'); rabi(qubit='Q2')", "2 statements"),
        ("x, y = rabi(qubit='Q1')", "one plain name"),
        ("rabi", "not an experiment call but a Name"),
        ("os.system('ls')", "plain experiment name"),
        ("__import__('os')", "no experiment '__import__'"),
        ("eval('1')", "no experiment 'eval'"),
        ("pizza(qubit='Q1')", "known here: procedure:bring-up, rabi"),
        ("procedure('absent', dut='Q1')", "no experiment 'procedure:absent'"),
        ("procedure(dut='Q1')", "its slug"),
        ("rabi(**{'qubit': 'Q1'})", "name every argument"),
        ("rabi(*['Q1'])", "Starred"),
        ("rabi('Q1', qubit='Q1')", "given twice"),
        ("rabi('Q1', 1, 2, 3)", "at most 3 arguments"),
        ("rabi(qubit=open('x'))", "a Call is not accepted"),
        ("rabi(qubit=[1])", "a List is not accepted"),
        ("rabi(qubit=lambda: 1)", "a Lambda is not accepted"),
        ("rabi(qubit=f'{dut}')", "a JoinedStr is not accepted"),
        ("rabi(qubit=other)", "no variable 'other'; the table has: dut, t1"),
        ("rabi(qubit='Q1', amplitude=2**9**9**9)", "a BinOp is not accepted"),
        ("rabi(qubit='Q'*3)", "arithmetic needs numbers"),
        ("rabi(qubit='Q1', amplitude=1/0)", "the arithmetic fails"),
        ("rabi(qubit='Q1', amplitude=1e999)", "not finite"),
        ("rabi(qubit='Q1', amplitude=1e308*10)", "not finite"),
        ("rabi(qubit=b'Q1')", "a bytes is not accepted"),
        ("rabi(qubit='Q1'", "not Python"),
        ("rabi(" + " " * 3000 + ")", "at most 2000"),
        ("rabi(qubit='\x00')", "null bytes"),
    ],
)
def test_everything_else_is_refused_and_nothing_runs(code, says):
    with pytest.raises(CallSyntaxError) as error:
        parse_call(code, CARDS, VARIABLES)
    assert says in str(error.value)


def test_an_error_says_where():
    with pytest.raises(CallSyntaxError, match=r"Line 1, column 23: a List is not accepted"):
        parse_call("rabi(qubit='Q1', shots=[1])".replace("shots=[", "shot=["), CARDS, {})


values = st.one_of(
    st.booleans(), st.integers(-(10**9), 10**9), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=20)
)
names = st.from_regex(r"[a-z_]{1,8}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name))


@given(st.dictionaries(names, values, max_size=5), st.sampled_from(sorted(CARDS)))
def test_what_is_rendered_reads_back(arguments, name):
    call = ExperimentCall(name, arguments)
    assert parse_call(render_call(call), CARDS, {}) == call
