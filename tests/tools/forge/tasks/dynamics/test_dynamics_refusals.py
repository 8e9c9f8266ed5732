"""Cards that cannot be computed are refused with the field, the cause and what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.tools.forge.tasks.dynamics.spec import DynamicsSpec
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.yaml_files import validated

GOOD: dict[str, Any] = {
    "parts": {"q": {"levels": 2}, "c": {"oscillator": 4}},
    "parameters": {"g": "2*pi*5 MHz", "kappa": "0.3/us"},
    "hamiltonian": "g*(sigmap(q)*a(c) + sigmam(q)*adag(c))",
    "collapse": ["sqrt(kappa)*a(c)"],
    "initial": "ket(0, 0)",
    "times": "linspace(0, 1, 11) us",
    "wanted": {"n": {"of": "n(c)"}, "settled": {"kind": "steady_state", "of": "n(c)"}},
}
OPEN = {"parts": {"q": {"levels": 2}}, "wanted": {"Z": "Z(q)"}, "initial": "ket(0)", "times": [0, 1]}
FIT = {"kind": "fit", "of": "n(c)", "model": "exp(-k*x)", "guess": {"k": "0.3/us"}}
REFUSED = [
    ({"hamiltonian": "g*(sigmap(q)*b(c))"}, "hamiltonian", "no function or operator 'b'"),
    ({"hamiltonian": "g*X(q)*lam"}, "hamiltonian", "'lam' is not known"),
    ({"hamiltonian": "g*sigmap(q)*a(c)"}, "hamiltonian", "not Hermitian"),
    ({"hamiltonian": "1j*g*X(q)"}, "hamiltonian", "not Hermitian"),
    ({"hamiltonian": "g*X(c)"}, "hamiltonian", "4 levels"),
    ({"hamiltonian": "5*X(q)", "parameters": {"kappa": "0.3/us"}}, "hamiltonian", "has no unit, but the times"),
    ({"hamiltonian": "g/2/pi*X(q)"}, "hamiltonian", "Hz"),
    ({"hamiltonian": "g*X(q) + 3*Z(q)"}, "hamiltonian", "cannot be added"),
    ({"hamiltonian": "g*matrix([[0, 1], [1, 0]])"}, "hamiltonian", "not 8 x 8"),
    ({"hamiltonian": "g*X(q)/0"}, "hamiltonian", "division by zero"),
    ({"hamiltonian": "g*X(q)*exp(1000)"}, "hamiltonian", "not a finite number"),
    ({"hamiltonian": "g*cos(t)*X(q)"}, "hamiltonian", "has the unit s"),
    ({"hamiltonian": "__import__('os').system('id')"}, "hamiltonian", "by their name"),
    ({"hamiltonian": "(lambda: 1)()"}, "hamiltonian", ""),
    ({"hamiltonian": "g.real*X(q)"}, "hamiltonian", "full stop"),
    ({"hamiltonian": "g*sum(sum(X(q) for i in range(999)) for j in range(999))"}, "hamiltonian", "20000 steps"),
    ({"hamiltonian": "g*X(q" }, "hamiltonian", "not an expression"),
    ({"initial": "ket(0)"}, "initial", "1 levels for 2 parts"),
    ({"initial": "ket(0, 4)"}, "initial", "no level 4"),
    ({"initial": "ket(0, 0) + ket(1, 0)"}, "initial", "not normalised"),
    ({"initial": "state(q, 0)"}, "initial", "says nothing about c"),
    ({"initial": "1.5*dm(ket(0, 0)) - 0.5*dm(ket(1, 0))"}, "initial", "not positive"),
    ({"initial": "0.5*dm(ket(0, 0))"}, "initial", "not normalised"),
    ({"initial": "X(q)"}, "initial", "not normalised"),
    ({"initial": "3"}, "initial", "is no state"),
    ({"times": "[0, 2, 1] us"}, "times", "not sorted"),
    ({"times": "linspace(0, 1, 11)"}, "hamiltonian", "the times have no unit"),
    ({"times": "linspace(-1, 1, 11) us"}, "times", "before t = 0"),
    ({"times": "linspace(0, 1, 1e9) us"}, "times", "points"),
    ({"times": "linspace(0, 1, 11) MHz"}, "times", ""),
    ({"collapse": ["sqrt(-kappa)*a(c)"]}, "collapse.0", "negative"),
    ({"collapse": ["kappa*a(c)"]}, "collapse.0", "s**-2"),
    ({"collapse": ["sqrt(kappa)"]}, "collapse.0", "operator is needed"),
    ({"relaxation": {"q": {"T1": "3 us", "T2": "7 us"}}}, "relaxation.q", "longer than 2 T1"),
    ({"relaxation": {"q": {"T1": 3}}}, "relaxation.q", "no unit"),
    ({"relaxation": {"r": {"T1": "3 us"}}}, "relaxation.r", "no such part"),
    ({"relaxation": {"q": {"T1": "-3 us"}}}, "relaxation.q", "positive"),
    ({"parts": {"q": {"levels": 2}, "c": {"oscillator": 100_000}}}, "parts.c", "whole number"),
    ({"parts": {"q": {"levels": 2, "count": 11}, "c": {"oscillator": 4}}}, "parts", "levels"),
    ({"parts": {"q": {"levels": 2, "spin": 1}, "c": {"oscillator": 4}}}, "parts.q", "one of"),
    ({"parameters": {"g": "2*pi*5 MHz", "kappa": "0.3/us", "forgotten": 3}}, "parameters.forgotten", "Nothing uses it"),
    ({"parameters": {"g": "2*pi*5 MHz", "kappa": "0.3/us", "t": 3}}, "parameters.t", "taken"),
    ({"parameters": {"c": "2*pi*5 MHz", "g": 1, "kappa": "0.3/us"}}, "parts.c", "taken"),
    ({"hamiltonian": "J*X(q)"}, "hamiltonian", "'J' is not known"),
    ({"cases": [{"name": "A", "kappa": "1/us"}, {"name": "A", "kappa": "1/us"}]}, "cases.1", "same labels"),
    ({"parameters": {"g": "nan", "kappa": "0.3/us"}}, "parameters.g", "not known"),
    ({"cases": {"gama": [1, 2]}}, "cases.gama", "nothing uses it"),
    ({"cases": {"initial": {"A": "ket(0, 0)", "B": "ket(0, 9)"}}}, "cases.initial.B", "no level 9"),
    ({"cases": {"evolution": {"open": ["sqrt(kappa)*a(d)"]}}}, "cases.evolution.open.0", "'d' is not known"),
    ({"cases": {"kappa": "linspace(1, 2, 9999)/us"}}, "cases", "9999 cases"),
    ({"cases": {"evolution": {"closed": [], "open": ["sqrt(kappa)*a(c)"]}}}, "wanted.settled", "no damping"),
    ({"wanted": {"n": "adag(c)*X(d)"}}, "wanted.n", "'d' is not known"),
    ({"wanted": {"x": {"kind": "expectation", "of": "a(c)"}}}, "wanted.x", "not Hermitian"),
    ({"wanted": {"x": {"kind": "expectatoin", "of": "n(c)"}}}, "wanted.x", "Did you mean expectation"),
    ({"wanted": {"x": {"of": "concurrence()"}}}, "wanted.x", "two parts with two levels"),
    ({"wanted": {"x": {"of": "n(c)", "where": "kapa == 3"}}}, "wanted.x.where", "no condition"),
    ({"wanted": {"x": {"of": "value_at(n(c), 2 us)"}}}, "wanted.x", "not inside the evolution"),
    ({"wanted": {"x": {"of": "crossing(n(c), 1 us)"}}}, "wanted.x", "unit of what crosses"),
    ({"wanted": {"x": {"of": "quasi_energies(1 us)"}}}, "wanted.x", "no damping"),
    ({"wanted": {"x": {"of": "n(c)", "unit": "us"}}}, "wanted.x.unit", "not in us"),
    ({"wanted": {"x": "overlap(ket(0, 0))"}}, "wanted.x", "pure states"),
    ({"wanted": {"x": "q"}}, "wanted.x", "no result"),
    ({"wanted": {"x": 1e300}}, "wanted.x", "fixed number"),
    ({"define": {"e": "expect(Z(q))"}, "wanted": {"x": "e"}}, "define.e", "under `wanted`"),
    ({"wanted": {"x": {"of": "n(c)", "at": {"index": 0}}}}, "wanted.x.at", "picked under `named`"),
    ({"wanted": {"x": {"of": "g2(a(c), [0, 1] us)", "at": [0]}}}, "wanted.x.at", "it runs along delay"),
    ({"define": {"A": "comm(H, X(q))"}, "hamiltonian": "g*X(q) + A"}, "hamiltonian", "A is made of H"),
    ({"define": {"A": "ground(H)"}, "hamiltonian": "g*cos(g*t)*X(q)", "initial": "A"}, "define.A", "at(H, 0)"),
    ({"wanted": {"x": "value_at(n(c)", "2 us)": None}}, "wanted", "cut at its comma, before '2 us)'"),
    ({"wanted": {"x": {"of": "value_at(n(c)", "2 us)": None}}}, "wanted.x", "needs quotation marks"),
    ({"wanted": {"x": {"kind": "fit", "of": "n(c)"}}}, "wanted.x", "needs a model"),
    ({"wanted": {"x": FIT | {"model": "exp(-k*t)"}}}, "wanted.x.model", "does not use x"),
    ({"wanted": {"x": FIT | {"guess": {"k": "0.3/us", "b": 1}}}}, "wanted.x.model", "does not use b"),
    ({"wanted": {"x": FIT | {"guess": {"k": 0.3}}}}, "wanted.x", "has the unit s"),
    ({"wanted": {"x": FIT | {"model": "x/k", "guess": {"k": "1/us"}}}}, "wanted.x", "cannot be added"),
    ({"wanted": {"x": FIT | {"model": "exp(-g*x)", "guess": {"g": "1/us"}}}}, "wanted.x.guess.g", "taken"),
    ({"wanted": {"x": FIT | {"tolerance": 2}}}, "wanted.x.tolerance", "share"),
    ({"wanted": {"x": FIT | {"unit": "us"}}}, "wanted.x.unit", "no unit of its own"),
    ({"wanted": {"x": FIT | {"of": "final(n(c))"}}}, "wanted.x", "needs a real curve"),
    ({"wanted": {"x": FIT | {"kind": "mean"}}}, "wanted.x", "no meaning for mean"),
    ({"average": {"g": "1"}}, "average.g", "no axis of numbers"),
    ({"cases": {"d": [1, 2]}, "hamiltonian": "g*d*X(q)", "average": {"d": "1 - d"}}, "average.d", "no weights"),
    ({"parameters": {"g": True, "kappa": "0.3/us"}}, "parameters.g", ""),
]  # fmt: skip


def _refused(card: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(SpecificationError) as error:
        validated(DynamicsSpec, card)
    (problem,) = error.value.problems
    assert problem.fix or problem.message
    return problem.field, problem.sentence()


def test_the_card_that_is_broken_below_is_good() -> None:
    assert validated(DynamicsSpec, GOOD)


@pytest.mark.parametrize(("change", "field", "said"), REFUSED)
def test_refused_with_field_and_cause(change: dict[str, Any], field: str, said: str) -> None:
    place, sentence = _refused(GOOD | change)
    assert place.startswith(field), sentence
    assert said in sentence


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"times": None}, "no times"),
        ({"initial": None}, "no initial state"),
        ({"wanted": {"x": "steady(Z(q))"}}, "no damping"),
        ({"wanted": {"x": "correlation(X(q), X(q), [0, 1])"}}, "correlation(A, B, delays, ket(0))"),
        ({"wanted": {"x": "g2(sigmam(q), [0, 1])"}}, "no damping"),
        ({"hamiltonian": "cos(2*t)*X(q)", "collapse": ["sigmam(q)"], "wanted": {"x": "steady(Z(q))"}}, "depends on t"),
        ({"hamiltonian": "cos(2*t)*X(q)", "wanted": {"x": "quasi_energies(1)"}}, "does not repeat"),
        ({"hamiltonian": "cos(2*t)*X(q)", "wanted": {"x": "energies()"}}, "depends on t"),
        ({"hamiltonian": "box(t % 1e-4, 0, 1e-5)*X(q)"}, "jumps"),
        ({"parts": {"q": {"levels": ["g", "e"]}}, "initial": "ket(g)"}, "sign of a Pauli matrix"),
    ],
)
def test_wanted_without_a_source(change: dict[str, Any], said: str) -> None:
    assert said in _refused({name: one for name, one in (OPEN | change).items() if one is not None})[1]
