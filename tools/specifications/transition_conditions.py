"""Conditions of transitions: read by a grammar, checked against an experiment's card, evaluated by code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from lark import Token, Tree
from lark.exceptions import LarkError

from labwright.tools.errors import InputError
from labwright.tools.specifications.lark_grammars import parser
from labwright.tools.specifications.values import Names, Quantity, evaluate, in_unit, tokens_of
from labwright.tools.units import converted, dimension

VERDICTS = ("success", "adjust", "bad_data", "wrong_setup")
TIMES = {"once": 1, "twice": 2}
LONGEST = 300


class PredicateProblem(InputError):
    """A condition cannot be read or evaluated; says what may be written."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A step after a run.

    Attributes:
        verdict: one of `VERDICTS`.
        cause: why, one of the experiment's causes; empty on a plain success.
        executed: runs of the step, this one included.
        failed: of these without success.
        succeeded: of these with.
        went_back: times that this step has sent the run back.
        exhausted: no success, and another repetition is not allowed or cannot help.
        names: estimates, variables and settings that comparisons may refer to.
    """

    verdict: str
    cause: str = ""
    executed: int = 1
    failed: int = 0
    succeeded: int = 0
    went_back: int = 0
    exhausted: bool = False
    names: Names = field(default_factory=dict)


@lru_cache(maxsize=2048)
def parsed(text: str) -> Tree[Token]:
    """The syntax tree of a condition.

    Raises:
        PredicateProblem: it is not one.
    """
    if len(text) > LONGEST:
        raise PredicateProblem(f"A condition has at most {LONGEST} characters, but this one has {len(text)}.")
    try:
        return parser("predicates").parse(text)
    except LarkError as error:
        raise PredicateProblem(
            f"{text!r} is not a condition. Write success, failed, exhausted, a cause such as no_response, a count such"
            " as `failed 2 times`, or a comparison such as `t1 < 50 us`; join them by and, or, not."
        ) from error


def causes_in(text: str) -> list[str]:
    """The causes that a condition names."""
    return tokens_of(parsed(text), "CAUSE")


def names_in(text: str) -> list[str]:
    """The estimates, variables and settings that its comparisons refer to."""
    return tokens_of(parsed(text), "NAME")


def count_of(word: str) -> int | None:
    """The count that ``2`` or ``twice`` means; None if it is not whole, or above a thousand million."""
    times = TIMES.get(word.lower()) or float(word)
    return int(times) if times == int(min(times, 1e9)) else None


def check(text: str, names: Names, *, strict_units: bool = False) -> None:
    """Notice what could not be evaluated after a run: other units, fractions of a count, words that are not counted.

    Args:
        text: a condition.
        names: a stand-in of the right unit for every name that will be known.
        strict_units: a bare number beside one with a unit is a mistake, because a model read it from words.

    Raises:
        PredicateProblem: says what may be written.
    """
    tree = parsed(text)
    now = Situation("success", names=names)
    for counted in tree.find_data("counted"):
        _counted(counted, now)
    for comparison in tree.find_data("comparison"):
        _comparison(comparison, now)
        if strict_units:
            _with_units(*_sides(comparison, now))


def holds(text: str, now: Situation) -> bool:
    """Whether the condition holds. A comparison with something that was not measured does not hold.

    Raises:
        PredicateProblem: it cannot be read, or compares different units.
    """
    return _holds(parsed(text), now)


def _holds(tree: Tree[Token], now: Situation) -> bool:
    return _NODES[str(tree.data)](tree, now)


def _child(tree: Tree[Token], number: int = 0) -> Tree[Token]:
    child = tree.children[number]
    assert isinstance(child, Tree)
    return child


def _word(tree: Tree[Token], now: Situation) -> bool:
    word = str(tree.children[0])
    if word in VERDICTS:
        return now.verdict == word
    good = now.verdict == "success"
    return {"succeeded": good, "failed": not good, "always": True, "exhausted": now.exhausted}.get(word, False)


def _counted(tree: Tree[Token], now: Situation) -> bool:
    counts: Mapping[str, int] = {
        "ran": now.executed,
        "failed": now.failed,
        "succeeded": now.succeeded,
        "success": now.succeeded,
        "went_back": now.went_back,
    }
    word, wanted = str(tree.children[0]), str(_child(tree, 1).children[0])
    if word not in counts:
        raise PredicateProblem(f"{word!r} is not counted. Counted are: {', '.join(counts)}.")
    if (times := count_of(wanted)) is None:
        raise PredicateProblem(f"{wanted} is not a count. Write a whole number, as in `failed 2 times`.")
    return counts[word] >= times


def _comparison(tree: Tree[Token], now: Situation) -> bool:
    names = {str(each.children[0]) for each in tree.find_data("name")}
    if names - set(now.names):
        return False
    return _COMPARED[str(tree.children[1])](*_same_unit(*_sides(tree, now)))


def _sides(tree: Tree[Token], now: Situation) -> tuple[Quantity, Quantity]:
    """What a comparison compares."""
    left, right = (evaluate(_child(tree, number), now.names, "the condition") for number in (0, 2))
    return left, right


def _with_units(first: Quantity, second: Quantity) -> None:
    for bare, other in ((first, second), (second, first)):
        if bare.unit is None and other.unit is not None and bare.value and dimension(other.unit) != "number":
            number = f"{bare.value:g}"
            raise PredicateProblem(
                f"{number} has no unit, but is compared with a number in {other.unit}. Write {number} {other.unit}, if"
                " that is meant."
            )


def _same_unit(first: Quantity, second: Quantity) -> tuple[float, float]:
    if first.unit is None or second.unit is None:
        return first.value, second.value
    if converted(second.value, second.unit, first.unit) is None:
        raise PredicateProblem(f"A number in {first.unit or '1'} cannot be compared with one in {second.unit or '1'}.")
    return first.value, in_unit(second, first.unit)


_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}
_NODES: dict[str, Callable[[Tree[Token], Situation], bool]] = {
    "start": lambda tree, now: _holds(_child(tree), now),
    "either": lambda tree, now: any(_holds(_child(tree, n), now) for n in range(len(tree.children))),
    "all": lambda tree, now: all(_holds(_child(tree, n), now) for n in range(len(tree.children))),
    "negation": lambda tree, now: not _holds(_child(tree), now),
    "single": lambda tree, now: _holds(_child(tree), now),
    "word": _word,
    "counted": _counted,
    "cause": lambda tree, now: now.cause == str(tree.children[0]),
    "comparison": _comparison,
}
