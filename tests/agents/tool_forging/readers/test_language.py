"""What readers share: spans, sentences, numbers, assignments, operators, matrices, units, deliverables."""

from __future__ import annotations

import math

import pytest

from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.readers.language.assignments import assignments, count, phrase, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.agents.tool_forging.readers.language.deliverables import deliverables
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.matrices import matrices
from labwright.agents.tool_forging.readers.language.numbers import numbers_at
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol, expression_at
from labwright.agents.tool_forging.readers.language.sentences import sentences
from labwright.agents.tool_forging.readers.language.units import angular

SYMBOLS = {"J": 2.0, "h": 0.5, "gamma": 0.25, "omega": 3.0, "Omega": 0.2, "omegad": 5.0, "g": 0.1}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$\gamma = 0.2$", "gamma = 0.2"),
        (r"\ket{00}+\ket{11}", "|00>+|11>"),
        ("Z ⊗ Z and Z (x) Z", "Z @ Z and Z@Z"),
        (r"\frac{\omega}{2}\sigma_z", "((omega)/(2))sigma_z"),
        ("τ₁ = 5 µs", "tau_1 = 5 us"),
        ("5×10^{-3}", "5e-3"),
        (r"J\sum_{i} Z_i Z_{i+1}", "J sum_{i} Z_i Z_{i+1}"),
        ("a†a", "a^dag a"),
    ],
)
def test_clean(text: str, plain: str) -> None:
    assert clean(text).text == plain


def test_spans_lead_back_to_the_words() -> None:
    text = r"Let $J_{\text{coup}}=10\,J$ and **γ** = 0.2."
    found = assignments(clean(text))
    assert [text[slice(*clean(text).span(one.start, one.end))] for one in found] == [
        r"J_{\text{coup}}=10\,J$",
        "γ** = 0.2",
    ]


def test_sentences_know_headings_bullets_and_decimals() -> None:
    made = sentences(clean("# Title\n\nUse p = 0.5, e.g. here. Then stop.\n\n## Part\n- one\n2. two"))
    assert [(one.text, one.heading, one.is_heading) for one in made] == [
        ("Title", "title", True),
        ("Use p = 0.5, e.g. here.", "title", False),
        ("Then stop.", "title", False),
        ("Part", "part", True),
        ("one", "part", False),
        ("two", "part", False),
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.2", [0.2]),
        ("4,096", [4096]),
        ("2 pi", [2 * math.pi]),
        ("pi/4", [math.pi / 4]),
        ("ten", [10]),
        ("{0, 0.05, 0.1}", [0, 0.05, 0.1]),
        ("1, 2 and 3", [1, 2, 3]),
        ("300 K and 77 K", [300, 77]),
        ("from 0 to 1 in 3 points", [0, 0.5, 1]),
        ("0 to 1 in 4 steps", [0, 0.25, 0.5, 0.75, 1]),
        ("from 0.4 to 1 in steps of 0.2", [0.4, 0.6, 0.8, 1.0]),
        ("0, 0.5, ..., 2", [0, 0.5, 1, 1.5, 2]),
        ("1e-3", [0.001]),
        ("3, h = 2", [3]),
        ("0.5 and 10 qubits", [0.5]),
    ],
)
def test_numbers(text: str, values: list[float]) -> None:
    found = numbers_at(text, 0)
    assert found is not None
    assert found.values() == pytest.approx(values)


def test_symbols_on_the_right_are_resolved() -> None:
    found = assignments(clean("J_coup = 10 J with h = 0.1 J, or J_coup = 0.1 J with h = 10 J; tau = pi/(2 W), W = 4"))
    assert resolved(found, {"J": 1.0}) == {
        "Jcoup": [10, 0.1],
        "h": [0.1, 10],
        "tau": [pytest.approx(math.pi / 8)],
        "W": [4],
    }
    assert "Jcoup" not in resolved(found)


def test_phrases_and_counts() -> None:
    task = clean("A ten-qubit chain with a detuning of 2 MHz, 4,096 shots and the time 6 with time step 0.1.")
    found = phrase(task, "detuning")
    assert found is not None
    assert (found[0].values(), found[0].unit) == ([2], "megahertz")
    assert [one and one[0] for one in (count(task, "qubits?"), count(task, "shots"), count(task, "steps?"))] == [
        10,
        4096,
        None,
    ]


def _told(text: str, oscillator: bool = False) -> list[tuple[complex, list[tuple[str, object]]]]:
    found = expression_at(clean(text).text, 0, SYMBOLS, oscillator)
    assert found is not None
    return [(complex(t.coefficient), [(f.op, f.site) for f in t.factors]) for t in found.terms]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("X + 0.5 * Z. Then", [(1, [("X", None)]), (0.5, [("Z", None)])]),
        ("sqrt(gamma) * sigmam() with", [(0.5, [("M", None)])]),
        ("-J sum_i Z_i Z_{i+1}", [(-2, [("Z", "i"), ("Z", "i+1")])]),
        ("0.25 Z(x)Z and", [(0.25, [("Z", 0), ("Z", 1)])]),
        ("1(x)X", [(1, [("X", 1)])]),
        ("J (X_1 X_2 + Y_1 Y_2)/2", [(1, [("X", "1"), ("X", "2")]), (1, [("Y", "1"), ("Y", "2")])]),
        ("g (a† σ_- + h.c.)", [(0.1, [("adag", None), ("M", None)]), (0.1, [("P", None), ("a", None)])]),
        ("sqrt(0.25) |e><f|", [(0.5, [("|e><f|", None)])]),
        ("tensor(sigmaz(), qeye(2)) + 2 ZX", [(1, [("Z", 0), ("I", 1)]), (2, [("Z", 0), ("X", 1)])]),
        ("0.8 X (hbar = 1) from", [(0.8, [("X", None)])]),
        (r"\frac{\omega}{2}\sigma_z^{(1)}", [(1.5, [("Z", "1")])]),
    ],
)
def test_operator_expressions(text: str, terms: list[tuple[complex, list[tuple[str, object]]]]) -> None:
    made = _told(text, oscillator="a†" in text)
    assert [factors for _, factors in made] == [factors for _, factors in terms]
    assert [value for value, _ in made] == pytest.approx([value for value, _ in terms])


def test_drives() -> None:
    found = expression_at("omega/2 sigma_z + Omega cos(omega_d t + 0.5) sigma_x", 0, SYMBOLS)
    assert found is not None
    assert [term.drive for term in found.terms] == [None, (5.0, 0.5)]
    assert found.terms[1].coefficient == pytest.approx(0.2)


@pytest.mark.parametrize("text", ["X + kappa Z", "0.5 X + foo Z", "X + cos(t**2) Z"])
def test_symbols_without_value_are_named(text: str) -> None:
    with pytest.raises(UnknownSymbol):
        expression_at(text, 0, SYMBOLS)


def test_matrices() -> None:
    latex = matrices(clean(r"$$H=\begin{pmatrix}1&-2i\\ 2i&3.5\end{pmatrix}$$"))
    assert (latex[0].name, latex[0].rows) == ("H", ((1, -2j), (2j, 3.5)))
    assert matrices("H = [[0, 0.5], [0.5, 0.2]] and [[1, 2], [3]]")[0].rows == ((0, 0.5), (0.5, 0.2))
    assert len(matrices("[[1, 2], [3]]")) == 0
    assert len(matrices("[[1, x], [2, 3]]")) == 0


def test_units() -> None:
    assert angular(5, "megahertz", "microsecond") == pytest.approx(10 * math.pi)
    assert angular(1, "radian/nanosecond", "microsecond") == pytest.approx(1000)
    assert angular(100, "1/centimeter", "picosecond") == pytest.approx(18.8365, rel=1e-5)
    assert angular(1, "electron_volt", "femtosecond") == pytest.approx(1.519267, rel=1e-5)


def test_deliverables() -> None:
    text = (
        "Do.\n\n## results.json\n\n- `magnetisation` with labels `axis` = `z` and `case` (`f` for J = 1, `p` for "
        "h = 1), axes `time` and `site`.\n- `population` with label `level` (0, 1).\n- `parameters`: `seed`.\n"
    )
    first, second, third = deliverables(text)
    assert (first.quantities, first.axes) == (("magnetisation",), ("time", "site"))
    assert [(one.value, one.note) for one in first.labels["case"]] == [("f", "for J = 1"), ("p", "for h = 1")]
    assert [one.typed for one in second.labels["level"]] == [0, 1]
    assert third.quantities == ("parameters",)
    assert "magnetisation" not in Body(TaskText(text)).text


def test_words_that_nobody_knows() -> None:
    assert unknown_words("Compute the Wigner function of a cavity.", {"cavity"}) == ["Wigner"]
    assert unknown_words("Plot <ZZ> and gamma against time, physically analysed.", set()) == []
