"""How the functions of a card are written: what each takes is read from these examples, and errors show them."""

from __future__ import annotations

import ast
from functools import cache

# name -> its forms; a name that is missing takes one argument, as sin(x), Z(q) and dag(A) do
USAGE: dict[str, str] = {
    one.partition("(")[0]: one
    for one in (
        # numbers, lists, functions of t
        "linspace(0, 10, 101)", "geomspace(0.01, 10, 31)", "logspace(-2, 1, 31)", "arange(0, 10, 0.5)",
        "nbar(frequency, temperature)", "where(t < 5, 1, 0)", "pulses(t, [0, 1, 3], [0.5, -0.5])",
        "interp(t, [0, 1, 3], [0, 1, 0])", "box(t, 0, 5)", "gauss(t, centre, sigma)", "ramp(t, 0, 5)",
        "clip(x, 0, 1)", "at(H, 10)",
        # operators and states
        "comm(A, B)", "anticomm(A, B)", "identity()", "proj(atom, e) or proj(ket(0, ...))", "ketbra(atom, g, e)",
        "matrix([[0, 1], [1, 0]]) or matrix(part, [[0, 1], [1, 0]])", "displace(c, 2)", "squeeze(c, 0.5)",
        "coherent(c, 2)", "thermal(c, 0.3)", "state(atom, e)", "ket(0, ...)", "tensor(state(q, 1), ...)",
        "mixed() or mixed(q)", "eigenstate(A, 1)", "gibbs(A, 2)",
        # what only `wanted` may use
        "expect(A)", "population(part, level) or population(ket(0))", "coherence() or coherence(part, i, j)",
        "purity() or purity(q, ...)", "entropy() or entropy(q, ...)", "concurrence() or concurrence(q1, q2)",
        "negativity() or negativity(q1, q2)", "fidelity(ket(0))", "overlap(ket(0))", "steady(A)", "final(f)",
        "value_at(f, time)", "max(f) or max(f, t0, t1) or max(a, b, ...)", "min(f) or min(f, t0, t1) or min(a, b, ...)",
        *(f"{name}(f) or {name}(f, t0, t1)" for name in (
            "time_of_max", "time_of_min", "first_max", "first_min", "time_of_first_max", "time_of_first_min", "mean",
            "integral",
        )),
        "crossing(f, level) or crossing(f, level, k)", "correlation(A, B, delays) or correlation(A, B, delays, state)",
        "trace_distance(ket(0))", "g1(A, delays)", "g2(A, delays)",
        "spectrum(A, frequencies)", "quasi_energies(period)", "energies()", "gap() or gap(0, 2)", "relaxation_rate()",
    )
}  # fmt: skip
RESULTS = frozenset(tuple(USAGE)[tuple(USAGE).index("expect") :]) - {"max", "min"}


def usage_of(name: str) -> str:
    """Its forms."""
    return USAGE.get(name, f"{name}(x)")


@cache
def fits(name: str, count: int) -> bool:
    """Whether it takes so many arguments; any number where a form ends with an ellipsis."""
    forms = [ast.parse(one, mode="eval").body for one in usage_of(name).split(" or ")]
    lists = [form.args for form in forms if isinstance(form, ast.Call)]
    rest = any(ast.unparse(one) == "..." for listed in lists for one in listed)
    counts = {len(listed) for listed in lists}
    return count in counts or (rest and count > 0)
