import pytest

from labwright.tools.experiments.call import ExperimentCard, ParameterCard
from labwright.tools.experiments.check_call import CHECKS, CheckContext, check, check_all, repair

CARD = ExperimentCard(
    "ramsey",
    "Ramsey.",
    "Ramsey.",
    (
        ParameterCard("qubit", "str", True, None, "", None, None, ""),
        ParameterCard("start", "float", False, 0.0, "us", 0.0, 100.0, ""),
        ParameterCard("stop", "float", False, 1.0, "us", 0.05, 300.0, ""),
        ParameterCard("offset", "float", False, 10.0, "MHz", 0.001, 50.0, ""),
        ParameterCard("points", "int", False, 101, "", 5, 401, ""),
        ParameterCard("update", "bool", False, True, "", None, None, ""),
    ),
)
LINE = ExperimentCard(
    "line_search",
    "Line search.",
    "Line search.",
    (
        ParameterCard("qubit", "str", True, None, "", None, None, ""),
        ParameterCard("start", "float", False, -60.0, "MHz", -500.0, 500.0, ""),
        ParameterCard("stop", "float", False, 60.0, "MHz", -500.0, 500.0, ""),
        ParameterCard("step", "float", False, 1.0, "MHz", 0.01, 5.0, ""),
    ),
)


def context(instruction="Run Ramsey on Q1", variables=None, trusted=()):
    cards = {card.name: card for card in (CARD, LINE)}
    return CheckContext(instruction, cards, variables or {}, ("Q1", "Q2"), trusted)


def faults(code, *args, **kwargs):
    return {finding.check for finding in check_all(code, context(*args, **kwargs))}


@pytest.mark.parametrize(
    ("code", "instruction"),
    [
        ("ramsey(qubit='Q1')", "Run Ramsey on Q1"),
        ("ramsey(qubit='Q1', stop=0.5, offset=3.0)", "Ramsey on Q1, 3000 kHz offset, stop 500 ns"),
        ("ramsey(qubit='Q1', start=1.0, stop=20.0, points=39)", "Ramsey on Q1 from 1 to 20 us in steps of 0.5 us"),
        ("ramsey(qubit='Q1', update=False)", "Ramsey on Q1 without updating"),
        ("ramsey(qubit='Q1')", "Ramsey on Q1 with 10 MHz offset; repeat at most 4 times"),
        ("line_search(qubit='Q1', start=-10.0, stop=10.0)", "Search Q1 over a span of 20 MHz"),
        ("line_search(qubit='Q1', step=0.6)", "Search Q1 with 201 points"),
    ],
)
def test_a_sound_call_has_no_finding(code, instruction):
    assert check_all(code, context(instruction)) == []


@pytest.mark.parametrize(
    ("code", "instruction", "name", "says"),
    [
        ("ramsey(", "Run Ramsey on Q1", "syntax", "not Python"),
        ("rabbi(qubit='Q1')", "Run Ramsey on Q1", "syntax", "no experiment 'rabbi'"),
        ("ramsey(qubit='Q1', ofset=3.0)", "Ramsey on Q1, 3 MHz", "argument_names", "Did you mean `offset`?"),
        ("ramsey(stop=2.0)", "Ramsey, stop 2 us", "argument_names", "needs `qubit`"),
        ("ramsey(qubit='Q1', points='many')", "Run Ramsey on Q1", "types", "must be int, but is 'many'"),
        ("ramsey(qubit='Q1', points=True)", "Run Ramsey on Q1", "types", "must be int"),
        ("ramsey(qubit='Q1', stop=500)", "Ramsey on Q1, stop 500 ns", "ranges", "500 ns is 0.5 us"),
        ("ramsey(qubit='Q1', stop=500)", "Ramsey on Q1, stop=500", "ranges", "Was 500 ns meant?"),
        ("ramsey(qubit='Q1', start=2.0, stop=1.0)", "Q1 from 2 us to 1 us", "order", "2 is not below 1"),
        ("ramsey(qubit='Q7')", "Run Ramsey on Q7", "qubit", "no qubit 'Q7'. It has: Q1, Q2"),
        ("ramsey(qubit='Q2')", "Run Ramsey on Q1", "qubit", "names Q1, but the call uses Q2"),
        ("ramsey(qubit='Q1', stop=7.0)", "Run Ramsey on Q1", "unsupported_numbers", "Nothing supports `stop=7`"),
        ("ramsey(qubit='Q1', stop=5.0)", "Ramsey on Q1, offset 5 MHz", "unsupported_numbers", "`stop=5`"),
        ("ramsey(qubit='Q1')", "Ramsey on Q1 with 3 MHz", "ignored_numbers", "says 3 MHz"),
        ("ramsey(qubit='Q1')", "Ramsey on Q1 at 20 mK", "ignored_numbers", "says 20 mK"),
        ("line_search(qubit='Q1')", "Search Q1 over 20 MHz", "ignored_numbers", "says 20 MHz"),
    ],
)
def test_each_fault_is_found_by_its_check(code, instruction, name, says):
    found = check(name, code, context(instruction))
    assert says in " ".join(finding.message for finding in found)


def test_trusted_numbers_and_variables_need_no_support():
    assert "unsupported_numbers" in faults("ramsey(qubit='Q1', stop=7.0)")
    assert faults("ramsey(qubit='Q1', stop=7.0)", trusted=(7.0,)) == set()
    assert faults("ramsey(qubit='Q1', stop=t1)", variables={"t1": 88.0}) == set()


@pytest.mark.parametrize(
    ("code", "instruction", "mended"),
    [
        ("ramsey(qubit='Q1', ofset=3.0)", "Ramsey on Q1, 3 MHz", "ramsey(qubit='Q1', offset=3.0)"),
        ("ramsey(qubit='q1')", "Run Ramsey on Q1", "ramsey(qubit='Q1')"),
        ("ramsey(qubit='Q2')", "Run Ramsey on Q1", "ramsey(qubit='Q1')"),
        ("ramsey(qubit='Q1', stop=500)", "Ramsey on Q1, stop 500 ns", "ramsey(qubit='Q1', stop=0.5)"),
        ("ramsey(qubit='Q1', points=41.0)", "Ramsey on Q1, 41 points", "ramsey(qubit='Q1', points=41)"),
        ("ramsey(qubit='Q1', stop=7.0)", "Run Ramsey on Q1", "ramsey(qubit='Q1')"),
        ("ramsey(qubit='Q1', wibble=3)", "Run Ramsey on Q1", "ramsey(qubit='Q1')"),
    ],
)
def test_computable_faults_are_mended(code, instruction, mended):
    where = context(instruction)
    findings = next(found for name in CHECKS if (found := check(name, code, where)))
    assert repair(code, [finding.mend for finding in findings], where) == mended
    assert check_all(mended, where) == []


def test_nothing_is_guessed_where_a_person_must_choose():
    where = context("Ramsey on Q1, stop=500")
    assert (
        repair(
            "ramsey(qubit='Q1', stop=500)",
            [f.mend for f in check("ranges", "ramsey(qubit='Q1', stop=500)", where)],
            where,
        )
        == ""
    )
    assert repair("ramsey(qubit='Q7')", [f.mend for f in check("qubit", "ramsey(qubit='Q7')", where)], where) == ""
