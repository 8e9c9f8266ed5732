"""Lines of the short form: drawn from the cards they come back equal; damaged, they are read as said or not at all."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from labwright.evaluation.benchmarks.random_short_forms import Draw, Order, differences, paper_lab, shipped
from labwright.tools.errors import InputError
from labwright.tools.specifications import short_form_parser
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.catalogue import aliases
from labwright.tools.specifications.plan_completion import Completed, complete, line_of_step
from labwright.tools.specifications.yaml_files import validated

SEEDS = st.integers(0, 10**9)
TOKEN = re.compile(r"[A-Za-zµμ_][\w*]*|[0-9]+(?:\.[0-9]+)?|\.[0-9]+|[^\s\w]", re.ASCII)
# Words and signs of `short_form.lark` itself.
GRAMMAR = frozenset(
    "please measure run do perform find make calibrate determine the a an experiment measurement calibration procedure"
    " time qubit qubits of on for with and it them each all every whole chip device processor repeat at most times once"
    " twice if go to stage step then maintain keep calibrated couplers dut . , ; & - * ( ) = ' \" range".split()
)
STRANGE = (
    "\x00",
    "µ",
    "ſ",
    "١",
    "\u202e",
    "½",
    "🧪",
    "−",
    "Ω",
    "\t",
    "\u00a0",
    "'",
    "(",
    "=",
    "..",
    "1e999",
    "not ",
    "nan",
)


def drawn(seed: int) -> tuple[str, list[Order]]:
    """A text, and what it means."""
    draw = Draw(seed)
    orders, rng = draw.orders(), draw.rng
    texts = [_written(order, rng) for order in orders]
    separator = rng.choice(("; ", ". ", "\n", "\n- ", ", then ")) if not any(". " in text for text in texts) else ". "
    return separator.join(texts) + rng.choice(("", ".", "\n")), orders


def _written(order: Order, rng: random.Random) -> str:
    verb = rng.choice(("", "", "measure ", "Please run the ", "Determine "))
    settings = [f"{name}{rng.choice((' = ', '='))}{value.text}" for name, value in order.settings.items()]
    paired = all(len(group) == 2 for group in order.groups) and "qubits" not in {p.name for p in order.card.parameters}
    names = ["-".join(group) if order.card.parameters and paired else ", ".join(group) for group in order.groups]
    text = f"{verb}{order.said} {rng.choice(('', 'of ', 'of qubit '))}{rng.choice((', ', ' and ')).join(names)}"
    if settings:
        text += rng.choice((", ", " with ")) + rng.choice((", ", " and ")).join(settings)
    if order.repeats is not None:
        text += f". Repeat at most {order.repeats} times"
    return text + "".join(f". If {condition}, go to {goal}" for condition, goal in order.rules)


def understood(text: str) -> Completed:
    return complete(short_form_parser.read(text, shipped()).plan(), paper_lab())


def bare(done: Completed) -> list[Any]:
    """Tasks, qubits and values; what a line of the short form holds."""
    steps = [step for step in done.plan.steps if isinstance(step, Step)]
    return [(step.experiment, step.procedure.lower(), step.qubits, step.parameters) for step in steps]


@given(SEEDS)
def test_drawn_orders_come_back_equal(seed: int) -> None:
    text, orders = drawn(seed)
    done = understood(text)
    assert differences(orders, done) == [], text
    again = [line_of_step(step) for step in done.plan.steps if isinstance(step, Step)]
    assert bare(understood("; ".join(again))) == bare(done), text


def damaged(text: str, rng: random.Random) -> str:
    """`text` after one to three random mutations."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        text = _mutated(text, rng)
    return text


def _mutated(text: str, rng: random.Random) -> str:
    at, words = rng.randrange(len(text) + 1), text.split(" ")
    word, other = rng.randrange(len(words)), rng.randrange(len(words))
    match rng.randrange(9):
        case 0:
            return text[:at] + text[at + 1 :]
        case 1:
            return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
        case 2:
            return text[:at] + rng.choice("aQ19.,=-+*/ ;'%s") + text[at:]
        case 3:
            return text[:at] + rng.choice(STRANGE) + text[at:]
        case 4:
            return " ".join(words[:word] + words[word + 1 :])
        case 5:
            return " ".join([*words[: word + 1], *words[word:]])
        case 6:
            words[word], words[other] = words[other], words[word]
            return " ".join(words)
        case 7:
            return text[:at] if rng.random() < 0.5 else text[at:]
    return text * rng.choice((2, 3, 3000)) if rng.random() < 0.1 else text.replace(" = ", " ", 1)


def silent(text: str, done: Completed) -> list[str]:
    """What an accepted text says and its plan does not, or the other way round.

    The reading is rendered before it is made whole. Every token of the text has to stand there, or in a name of the
    card that was read, or be a word of the grammar; every token there has to stand in the text; it is the same plan.
    """
    reading = short_form_parser.read(text, shipped())
    raw = [validated(Step, each) for each in reading.steps]
    again = ". ".join(_whole(step) for step in raw)
    if reading.everywhere or reading.maintain:  # said by words of the grammar alone
        again = text
    elif understood(again).plan.steps != done.plan.steps:
        return [f"{again!r} is another plan"]
    cards = [card for step in raw if (card := shipped().card(step.experiment, step.procedure))]
    names = {token for card in cards for alias in [*aliases(card), card.name] for token in _tokens(alias)}
    said, kept = Counter(_tokens(text)), Counter(_tokens(again))
    found = [f"{token!r} of the text is used nowhere" for token in said if token not in {*kept, *names, *GRAMMAR}]
    found += [f"{token!r} was never said" for token in kept if token not in {*said, *names, *GRAMMAR}]
    return found + [
        f"{token!r} is said {times} times, and kept {kept[token]} times"
        for token, times in said.items()
        if any(each.isdigit() for each in token) and token not in names and times > kept[token]
    ]


def _whole(step: Step) -> str:
    limit = [f"Repeat at most {step.repeats} times"] if step.repeats is not None else []
    return ". ".join([line_of_step(step), *limit, *(f"If {each.if_}, go to {each.go}" for each in step.on)])


def _tokens(text: str) -> Sequence[str]:
    """Words, signs and numbers; 00.5 and .50 are the same number, and a plus sign before one changes nothing."""
    found = [token for token in TOKEN.findall(text.lower()) if token != "+"]
    return [repr(float(token)) if token.replace(".", "", 1).isdigit() else token for token in found]


@given(SEEDS)
def test_damaged_orders_are_read_literally_or_not_at_all(seed: int) -> None:
    text = damaged(drawn(seed)[0], random.Random(seed))
    try:
        done = understood(text)
    except InputError:
        return
    assert done.problems or silent(text, done) == [], text[:200]


def test_the_oracle_sees_what_is_left_out_added_or_changed() -> None:
    done = understood("t1 Q1, stop = 300 us")
    assert silent("t1 Q1, stop = 300 us", done) == []
    assert silent("t1 Q1, stop = 300 us", understood("t1 Q1, stop = 310 us")) != []
    text, orders = drawn(3)
    assert differences(orders, understood(text)) == []
    assert differences(orders[:-1] or Draw(9).orders(), understood(text)) != []
