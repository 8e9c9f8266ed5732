"""Orders drawn at random from the cards, with what each of them has to become; arithmetic is done here in fractions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from labwright.tools.experiments.call import PROCEDURE, ExperimentCard, ParameterCard
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.catalogue import Catalogue, library, places, roles, spoken
from labwright.tools.specifications.plan_completion import Completed, Lab
from labwright.tools.specifications.step_checks import split_arguments
from labwright.tools.units import UNITS, canonical_unit

QUBITS, PAIRS = ("Q1", "Q2", "Q3", "Q4", "Q12"), ("Q1-Q2", "Q3-Q4", "Q2-Q12")
CLOSE = 1e-12  # relative, in the card's unit
SIZES = {unit: Fraction(repr(size)) for unit, (_, size) in UNITS.items()}
SPELLINGS = {"us": ("us", "µs", "μs"), "deg": ("deg", "°")}
VERDICTS = ("success", "failed", "exhausted", "bad_data", "adjust", "wrong_setup", "succeeded", "not success")
COUNTS = ("failed 2 times", "ran 3 times", "succeeded twice", "went_back once")
GOALS = ("next", "repeat", "previous", "COMPLETE", "FAILED")


@dataclass(frozen=True)
class Value:
    """A value as it is written, and what it means: a number in the card's unit, a truth value, or a text."""

    text: str
    means: Any


@dataclass
class Order:
    """One order: what is written, and the steps that it has to become.

    Attributes:
        card: what is run.
        said: what it is called.
        groups: qubits of each step.
        settings: name -> value as written; `range`, `centre` and `span` among them.
        means: parameter -> value that it has to have.
        repeats: most repetitions.
        rules: (condition, goal).
    """

    card: ExperimentCard
    said: str
    groups: list[list[str]]
    settings: dict[str, Value] = field(default_factory=dict)
    means: dict[str, Any] = field(default_factory=dict)
    repeats: int | None = None
    rules: list[tuple[str, str]] = field(default_factory=list)


@cache
def shipped() -> Catalogue:
    """The catalogue of the shipped experiments and procedures."""
    return library()


def paper_lab(**changes: Any) -> Lab:
    """Five qubits and three pairs, without a device."""
    return Lab(shipped(), QUBITS, PAIRS, **changes)


def document(orders: Sequence[Order]) -> dict[str, Any]:
    """The orders as a plan that a model would write."""
    steps = []
    for order in orders:
        kind, name = ("procedure", order.card.name.partition(":")[2]) if PROCEDURE in order.card.name else (
            "experiment",
            order.card.name,
        )  # fmt: skip
        parameters = {key: _yaml(value.text, order.means.get(key)) for key, value in order.settings.items()}
        for group in order.groups:
            step: dict[str, Any] = {kind: name, "qubits": group}
            step |= {"parameters": dict(parameters)} if parameters else {}
            step |= {"repeats": order.repeats} if order.repeats is not None else {}
            step |= {"on": [{"if": condition, "go": goal} for condition, goal in order.rules]} if order.rules else {}
            steps.append(step)
    return {"spec": 1, "system": "lab_calibration", "steps": steps}


def _yaml(text: str, means: Any) -> Any:
    """A value as YAML has it: truth values and whole numbers plain, late values as mappings at times."""
    if isinstance(means, bool):
        return means
    if isinstance(means, int) and text == str(means):
        return means
    if text.startswith("2 * t1"):
        return {"from": "t1.t1", "times": 2}
    return text.strip("'")


class Draw:
    """Draws orders."""

    def __init__(self, seed: int, *, units: bool = False) -> None:
        self.rng = random.Random(seed)
        self.units = units  # every number with a dimension has its unit, as a model has to write it

    def orders(self) -> list[Order]:
        """One to three orders; later ones may refer to what earlier ones give."""
        cards = [self.rng.choice(list(shipped().cards.values())) for _ in range(self.rng.choice((1, 1, 1, 2, 3)))]
        found = [self.order(card) for card in cards]
        if self.rng.random() < 0.15:
            found = [*self._late(), *found]
        total = sum(len(order.groups) for order in found)
        single = total == len(found)
        for order in found:
            if self.rng.random() < 0.4:
                order.repeats = self.rng.randint(0, 9)
            goals = [*GOALS, f"Stage {self.rng.randint(1, total)}"] if single else GOALS
            for _ in range(self.rng.choice((0, 0, 1, 2))):
                order.rules.append((self.condition(order.card), self.rng.choice(goals)))
        return found

    def order(self, card: ExperimentCard) -> Order:
        """An order of `card` whose values lie inside its bounds."""
        names = [name for name, task in shipped().names.items() if task == card.name]
        said = self.rng.choice(
            [*names, card.name.removeprefix(f"{PROCEDURE}:")] if PROCEDURE not in card.name else names
        )
        order = Order(card, self.rng.choice((said, said, said.upper(), said.capitalize())), self.groups(card))
        own = {each.name: each for each in card.parameters if each.name not in roles(card)}
        if {"start", "stop"} <= set(own):
            self._sweep(order, own.pop("start"), own.pop("stop"), with_span="span" not in own)
        wanted = [each for each in own.values() if each.required]
        free = [each for each in own.values() if not each.required]
        for each in [*wanted, *self.rng.sample(free, self.rng.randint(0, min(3, len(free))))]:
            order.settings[each.name] = self.value(each)
            order.means[each.name] = order.settings[each.name].means
        items = list(order.settings.items())
        self.rng.shuffle(items)
        order.settings = dict(items)
        return order

    def groups(self, card: ExperimentCard) -> list[list[str]]:
        """The qubits of one to three steps."""
        room = places(card)
        if room is None:
            return [self.rng.sample(QUBITS, self.rng.randint(2, 4))]
        if room == 2:
            return [pair.split("-") for pair in self.rng.sample(PAIRS, self.rng.choice((1, 1, 2)))]
        return [[name] for name in self.rng.sample(QUBITS, self.rng.choice((1, 1, 1, 2, 3)))]

    def value(self, each: ParameterCard) -> Value:
        """A value inside the bounds of a parameter."""
        if each.type == "bool":
            means = self.rng.random() < 0.5
            return Value(self.rng.choice(("yes", "true", "on") if means else ("no", "false", "off")), means)
        if each.type == "str":
            return Value(f"'{each.default}'" if self.rng.random() < 0.5 else str(each.default), str(each.default))
        low, high = (Fraction(repr(bound)) for bound in (each.minimum, each.maximum))
        return self.whole(int(low), int(high)) if each.type == "int" else self.number(low, high, each.unit)

    def whole(self, low: int, high: int) -> Value:
        """A whole number from `low` to `high`, at times as arithmetic."""
        number = self.rng.randint(low, min(high, low + 10 ** self.rng.randint(1, 6)))
        forms = [str(number), f"{number}.0", f"twice {number // 2}", f"{number + 7} - 7", f"(2 * {number}) / 2"]
        forms = [form for form in forms if not form.startswith("twice") or number % 2 == 0]
        return Value(self.rng.choice([str(number), *forms]), number)

    def number(self, low: Fraction, high: Fraction, unit: str) -> Value:
        """A number between `low` and `high`, in any unit of the dimension, at times as arithmetic."""
        for _ in range(20):
            found = self._written(Fraction(self.rng.uniform(float(low), float(high))), canonical_unit(unit))
            if low <= found.means <= high:
                return Value(found.text, float(found.means))
        return Value(_plain(low) + (f" {unit}" if canonical_unit(unit) else ""), float(low))

    def _written(self, about: Fraction, unit: str) -> Value:
        """A text whose meaning is near to `about`; the meaning is exact."""
        first, size = self._unit(unit)
        number = _rounded(about / size, self.rng.randint(2, 5))
        form, times = self.rng.random(), self.rng.randint(2, 9)
        text, means = f"{_plain(number)}{first}", number * size
        if form < 0.55:
            return Value(text, means)
        if form < 0.65:
            return Value(f"{times} * {text}" if number >= 0 else f"{times} * ({text})", times * means)
        if form < 0.75:
            return Value(f"{text} / {times}" if times in (2, 4, 5, 8) else f"half of {text}",
                         means / (times if times in (2, 4, 5, 8) else 2))  # fmt: skip
        if first.strip() == "" and canonical_unit(unit):
            return Value(text, means)
        second, other = self._unit(unit, stated=bool(first.strip()))
        added = _rounded(Fraction(self.rng.uniform(0, float(abs(about)) or 1)) / other, 3)
        sign = self.rng.choice("+-")
        return Value(f"({text} {sign} {_plain(added)}{second})", means + (added if sign == "+" else -added) * other)

    def _unit(self, unit: str, *, stated: bool | None = None) -> tuple[str, Fraction]:
        """A unit of the same dimension as it is written, and its size in `unit`; at times none is stated."""
        if stated is False or (stated is None and not self.units and self.rng.random() < 0.2):
            return "", Fraction(1)
        kind = UNITS[unit][0]
        chosen = self.rng.choice([each for each, (other, _) in UNITS.items() if other == kind and (each or not stated)])
        written = self.rng.choice(SPELLINGS.get(chosen, (chosen,)))
        space = self.rng.choice(("", " ")) if written else ""
        return f"{space}{written}", SIZES[chosen] / SIZES[unit]

    def _sweep(self, order: Order, start: ParameterCard, stop: ParameterCard, *, with_span: bool) -> None:
        """No ends, both, ``range``, or ``centre`` and ``span``."""
        form = self.rng.choice(("none", "both", "range", "around") if with_span else ("none", "both", "range"))
        bounds = [Fraction(repr(each)) for each in (start.minimum, start.maximum, stop.minimum, stop.maximum)]
        low, high = max(bounds[0], bounds[2]), min(bounds[1], bounds[3])
        unit = canonical_unit(stop.unit)
        spelling, size = self._unit(unit, stated=True if unit else None)
        ends = sorted(_rounded(Fraction(self.rng.uniform(float(low), float(high))) / size, 4) * size for _ in "12")
        if form == "none" or ends[0] == ends[1] or not low <= ends[0] < ends[1] <= high:
            return
        first, last = (end / size for end in ends)
        if form == "both":
            order.settings |= {"start": Value(_plain(first) + spelling, 0), "stop": Value(_plain(last) + spelling, 0)}
        elif form == "range":
            between = self.rng.choice((" to ", " .. "))
            begin = self.rng.choice((_plain(first), _plain(first) + spelling))
            order.settings["range"] = Value(f"{begin}{between}{_plain(last)}{spelling}", 0)
        else:
            centre = Value(_plain((first + last) / 2) + spelling, 0)
            name = self.rng.choice(("centre", "center"))
            order.settings |= {name: centre, "span": Value(_plain(last - first) + spelling, 0)}
        order.means |= {"start": float(ends[0]), "stop": float(ends[1])}

    def _late(self) -> list[Order]:
        """T1, and an experiment on the same qubit that refers to it."""
        qubit = self.rng.choice(QUBITS)
        name, parameter = self.rng.choice((("spin_echo", "stop"), ("t2_ramsey", "stop"), ("single_qubit_rb", "t1")))
        text = self.rng.choice(("t1.t1", "t1", "2 * t1.t1", "half of t1.t1", "t1.t1 + 3 us", f"3 * {qubit}.t1.t1"))
        cards = shipped().cards
        later = Order(cards[name], spoken(name), [[qubit]], {parameter: Value(text, text)}, {parameter: text})
        return [Order(cards["t1"], "t1", [[qubit]]), later]

    def condition(self, card: ExperimentCard) -> str:
        """A condition that the card allows."""
        known = [(name, canonical_unit(unit)) for name, unit in card.results.items() if canonical_unit(unit) in UNITS]
        parts = []
        for _ in range(self.rng.choice((1, 1, 2))):
            kinds = [self.rng.choice(VERDICTS), self.rng.choice(COUNTS), *card.causes][:9]
            if known:
                name, unit = self.rng.choice(known)
                limit = f"{self.rng.randint(1, 999)}{self._unit(unit, stated=True if unit else None)[0]}"
                kinds += [f"{name} {self.rng.choice(('<', '>', '<=', '>='))} {limit}"] * 2
            parts.append(self.rng.choice(kinds))
        return self.rng.choice((" and ", " or ")).join(parts)


def _rounded(value: Fraction, digits: int) -> Fraction:
    return Fraction(Decimal(f"{float(value):.{digits}g}"))


def _plain(value: Fraction) -> str:
    """A fraction with a finite decimal expansion, written out."""
    number = Decimal(value.numerator) / Decimal(value.denominator)
    return format(number.normalize(), "f")


def differences(orders: Sequence[Order], done: Completed) -> list[str]:
    """How a completed plan differs from what the orders mean; empty if it does not."""
    wanted = [(order, group) for order in orders for group in order.groups]
    if done.problems or len(wanted) != len(done.plan.steps):
        return [problem.sentence() for problem in done.problems] or [f"{len(done.plan.steps)} steps, not {len(wanted)}"]
    found = []
    for (order, group), step in zip(wanted, done.plan.steps, strict=True):
        assert isinstance(step, Step)
        card = done_card(step)
        plain = [(each.if_, each.go) for each in step.on]
        for name, is_, should in (
            ("task", card.name, order.card.name),
            ("qubits", step.qubits, group),
            ("repeats", step.repeats, order.repeats),
            ("rules", plain, order.rules),
            ("parameters", sorted(step.parameters), sorted(order.means)),
        ):
            if is_ != should:
                found.append(f"{card.name}: {name} {is_!r}, not {should!r}")
        now, late = split_arguments(step, card)
        found += [
            f"{card.name}: {name} {(now | late).get(name)!r}, not {means!r}"
            for name, means in order.means.items()
            if not same((now | late).get(name), means)
        ]
    return found


def done_card(step: Step) -> ExperimentCard:
    """The card of a step."""
    card = shipped().card(step.experiment, step.procedure)
    assert card is not None
    return card


def same(value: Any, means: Any) -> bool:
    """Equal; numbers to `CLOSE`."""
    if isinstance(means, float) and isinstance(value, int | float) and not isinstance(value, bool):
        return abs(value - means) <= CLOSE * max(abs(means), 1e-9)
    return type(value) is type(means) and value == means
