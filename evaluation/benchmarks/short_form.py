"""The short form held to what it promises: all of a text is read, or nothing.

    python -m labwright.evaluation.benchmarks.short_form [--calls 10000] [--lines 1000] [--runs 300] [--json FILE]

1. Orders drawn from all cards are rendered and read back: equal after completion, values to 1e-12 in the card's unit.
2. The same texts, damaged: no crash, and what completes without problems says no more and no less than its text. The
   oracle renders the raw reading without completing it; every token of the text has to stand in that rendering, or in a
   name of the card that was read, or be one of the grammar's own words; every token of the rendering in the text; and
   the rendering has to complete to the same plan.
3. Damaged texts through the compiled graph, with a device that counts: nothing is played unless the text parses.
4. Free lines of `evaluation/cases/translation`: none is executed unless it parses, with the right experiment; and what
   is offered instead: the right experiment among the nearest lines, no line for what is out of scope.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from labwright.evaluation.benchmarks.drawn_calls import Draw, Order, Played, differences, paper_lab, shipped
from labwright.evaluation.results import provenance
from labwright.evaluation.scoring import wilson
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, start
from labwright.tools.durable import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.experiments import registry
from labwright.tools.experiments.call import PROCEDURE, ExperimentCall
from labwright.tools.experiments.perform import rehearse
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.specifications import nearest as near
from labwright.tools.specifications import short_form
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.catalogue import aliases
from labwright.tools.specifications.plans import Completed, Lab, complete, line_of_step
from labwright.tools.specifications.reading import validated

CASES = Path(__file__).parents[1] / "cases" / "translation"
QUBITS = ("Q1", "Q2", "Q8")  # that the cases name
TOKEN = re.compile(r"[A-Za-zµμ_][\w*]*|[0-9]+(?:\.[0-9]+)?|\.[0-9]+|[^\s\w]", re.ASCII)
# Words and signs of `short_form.lark` itself.
GRAMMAR = frozenset(
    "please measure run do perform find make calibrate determine the a an experiment measurement calibration procedure"
    " time qubit qubits of on for with and it them each all every whole chip device processor repeat at most times once"
    " twice if go to stage step then maintain keep calibrated couplers dut . , ; & - * ( ) = ' \" range".split()
)
Plain = dict[str, Any]


def rendered(orders: Sequence[Order], rng: random.Random) -> str:
    """The orders as a text of the short form."""
    texts = [_order(order, rng) for order in orders]
    separator = rng.choice(("; ", ". ", "\n", "\n- ", ", then ")) if not any(". " in text for text in texts) else ". "
    return separator.join(texts) + rng.choice(("", ".", "\n"))


def _order(order: Order, rng: random.Random) -> str:
    verb = rng.choice(("", "", "measure ", "Please run the ", "Determine "))
    settings = [f"{name}{rng.choice((' = ', '='))}{value.text}" for name, value in order.settings.items()]
    names = [
        "-".join(group) if len(order.card.parameters) and _pair(order) else ", ".join(group) for group in order.groups
    ]
    text = f"{verb}{order.said} {rng.choice(('', 'of ', 'of qubit '))}{rng.choice((', ', ' and ')).join(names)}"
    if settings:
        text += rng.choice((", ", " with ")) + rng.choice((", ", " and ")).join(settings)
    if order.repeats is not None:
        text += f". Repeat at most {order.repeats} times"
    return text + "".join(f". If {condition}, go to {goal}" for condition, goal in order.rules)


def _pair(order: Order) -> bool:
    return all(len(group) == 2 for group in order.groups) and "qubits" not in {
        each.name for each in order.card.parameters
    }


def understood(text: str) -> Completed:
    """A text made whole; raises InputError if it is not read."""
    return complete(short_form.read(text, shipped()).plan(), paper_lab())


def drawn(seed: int) -> tuple[str, list[Order]]:
    """A text and what it means."""
    draw = Draw(seed)
    orders = draw.orders()
    return rendered(orders, draw.rng), orders


def measure_drawn(number: int, seed: int = 0) -> Plain:
    """Part 1."""
    wrong: list[str] = []
    for each in range(number):
        text, orders = drawn(seed + each)
        try:
            done = understood(text)
            found = differences(orders, done)
            again = [line_of_step(step) for step in done.plan.steps if isinstance(step, Step)]
            if not found and _bare(understood("; ".join(again))) != _bare(done):
                found = ["rendered again, it is another plan"]
        except InputError as error:
            found = [str(error)]
        wrong += [f"{text!r}: {found[0]}"] if found else []
    return {"texts": number, "equal": number - len(wrong), "wrong": wrong[:20]}


def _bare(done: Completed) -> list[Any]:
    """Tasks, qubits and values; what a line of the short form holds."""
    steps = [step for step in done.plan.steps if isinstance(step, Step)]
    return [(step.experiment, step.procedure.lower(), step.qubits, step.parameters) for step in steps]


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


def damaged(text: str, rng: random.Random) -> str:
    """`text` after one to three random mutations."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        words = text.split(" ")
        word = rng.randrange(len(words))
        match rng.randrange(9):
            case 0:
                text = text[:at] + text[at + 1 :]
            case 1:
                text = text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
            case 2:
                text = text[:at] + rng.choice("aQ19.,=-+*/ ;'%s") + text[at:]
            case 3:
                text = text[:at] + rng.choice(STRANGE) + text[at:]
            case 4:
                text = " ".join(words[:word] + words[word + 1 :])
            case 5:
                text = " ".join([*words[: word + 1], *words[word:]])
            case 6:
                other = rng.randrange(len(words))
                words[word], words[other] = words[other], words[word]
                text = " ".join(words)
            case 7:
                text = text[:at] if rng.random() < 0.5 else text[at:]
            case _:
                text = text * rng.choice((2, 3, 3000)) if rng.random() < 0.1 else text.replace(" = ", " ", 1)
    return text


def silent(text: str, done: Completed) -> list[str]:
    """What an accepted text says and its plan does not, or the other way round."""
    reading = short_form.read(text, shipped())
    raw = [validated(Step, each) for each in reading.steps]
    again = ". ".join(_whole(step) for step in raw)
    if reading.everywhere or reading.maintain:  # said by words of the grammar alone
        again = text
    elif understood(again).plan.steps != done.plan.steps:
        return [f"{again!r} is another plan"]
    cards = [card for step in raw if (card := shipped().card(step.experiment, step.procedure))]
    names = Counter(token for card in cards for alias in [*aliases(card), card.name] for token in _tokens(alias))
    said, kept = Counter(_tokens(text)), Counter(_tokens(again))
    found = [f"{token!r} of the text is used nowhere" for token in said if token not in {*kept, *names, *GRAMMAR}]
    found += [f"{token!r} was never said" for token in kept if token not in {*said, *names, *GRAMMAR}]
    found += [
        f"{token!r} is said {times} times, and kept {kept[token]} times"
        for token, times in said.items()
        if any(each.isdigit() for each in token) and token not in names and times > kept[token]
    ]
    return found


def _whole(step: Step) -> str:
    limit = [f"Repeat at most {step.repeats} times"] if step.repeats is not None else []
    return ". ".join([line_of_step(step), *limit, *(f"If {each.if_}, go to {each.go}" for each in step.on)])


def _tokens(text: str) -> list[str]:
    """Words, signs and numbers; 00.5 and .50 are the same number, and a plus sign before one changes nothing."""
    found = [token for token in TOKEN.findall(text.lower()) if token != "+"]
    return [repr(float(token)) if token.replace(".", "", 1).isdigit() else token for token in found]


def measure_damaged(number: int, seed: int = 0) -> Plain:
    """Part 2."""
    ends: Counter[str] = Counter()
    crashes, wrong = [], []
    for each in range(number):
        text = damaged(drawn(seed + each)[0], random.Random(-1 - seed - each))
        try:
            done = understood(text)
        except InputError:
            ends["not read"] += 1
            continue
        except Exception as crash:  # noqa: BLE001 - a crash is what is looked for
            crashes.append(f"{text[:200]!r}: {type(crash).__name__}: {crash}")
            continue
        ends["problem" if done.problems else "accepted"] += 1
        found = [] if done.problems else silent(text, done)
        wrong += [f"{text[:200]!r}: {found[0]}"] if found else []
    return {"texts": number, **ends, "crashes": crashes, "silently_wrong": wrong}


def measure_runs(number: int, seed: int = 0) -> Plain:
    """Part 3."""
    ends: Counter[str] = Counter()
    wrong = []
    factory = "labwright.evaluation.benchmarks.drawn_calls:counting"
    device = {"device": factory, "device_options": {"device": "grid:3"}}
    choices = Choices.model_validate({"seed": 3, "figures": False, **device})
    for each in range(number):
        text = damaged(drawn(seed + each)[0], random.Random(-1 - seed - each)).replace("\x00", "?")
        with tempfile.TemporaryDirectory() as folder:
            plays, status = False, "measuring"
            try:
                status = str(start(CalibrationRequest(text, choices), Path(folder)).status)
            except Played:
                plays = True
        parses = _parses(text)
        ends[f"{status}, {'played' if plays else 'nothing played'}"] += 1
        wrong += [f"{text[:200]!r} played"] if plays and not parses else []
    return {"texts": number, **ends, "played_without_parsing": wrong}


def _parses(text: str) -> bool:
    try:
        return not understood(text).problems or True
    except InputError:
        return False


def free_lines(number: int, seed: int = 0) -> list[tuple[str, list[str]]]:
    """Lines of the cases and the experiments that each of them asks for; none if it is to be refused or asked about."""
    found = []
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            calls = case["calls"] if "calls" in case else [case] if case["experiment"] else []
            if case["outcome"] != "ask":  # an experiment is named there, and something of it is missing
                found.append((case["instruction"], [call["experiment"] for call in calls]))
    return random.Random(seed).sample(found, min(number, len(found)))


def offered(text: str) -> list[str]:
    """The cards of the lines that are offered for a text."""
    lines = near.nearest(text, text, shipped(), QUBITS).lines
    return [_card_of(line) for line in lines]


def _card_of(line: str) -> str:
    step = short_form.read(line, shipped()).steps[0]
    return step.get("experiment") or f"{PROCEDURE}:{step['procedure']}"


def measure_lines(number: int, seed: int = 0) -> Plain:
    """Part 4."""
    crashes, wrong = [], []
    parsed, halves = 0, {0: Counter[str](), 1: Counter[str]()}
    with tempfile.TemporaryDirectory() as folder:
        device = open_simulated(Path(folder), 3, {})
        lab = Lab(shipped(), tuple(device.qubits), rehearse=lambda call: _rehearsed(call, device))
        for place, (text, expected) in enumerate(free_lines(number, seed)):
            count = halves[place % 2]
            try:
                done = complete(short_form.read(text, shipped()).plan(), lab)
                if not done.problems:
                    parsed += 1
                    steps = [step for step in done.plan.steps if isinstance(step, Step)]
                    got = [step.experiment or f"{PROCEDURE}:{step.procedure}" for step in steps]
                    wrong += [f"{text!r}: {got}, not {expected}"] if got != expected else []
            except InputError:
                pass
            except Exception as crash:  # noqa: BLE001 - a crash is what is looked for
                crashes.append(f"{text!r}: {type(crash).__name__}: {crash}")
            lines = offered(text)
            if expected:
                count["in"] += 1
                count["in_right"] += expected[0] in lines
            else:
                count["out"] += 1
                count["out_right"] += not lines
    result: Plain = {"lines": number, "parsed": parsed, "parsed_wrong": wrong, "crashes": crashes}
    for name, counts in (("first_half", [halves[0]]), ("second_half", [halves[1]]), ("all", list(halves.values()))):
        total = sum(counts, Counter[str]())
        result[name] = {
            "right_among_three": [total["in_right"], total["in"], *wilson(total["in_right"], total["in"])],
            "none_out_of_scope": [total["out_right"], total["out"], *wilson(total["out_right"], total["out"])],
        }
    return result


def _rehearsed(call: ExperimentCall, device: Device) -> None:
    rehearse(registry.experiments(None)[call.experiment], call, device)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, number in (("calls", 10_000), ("lines", 1_000), ("runs", 300), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    began = perf_counter()
    result: Plain = {}
    parts: list[tuple[str, Callable[[int, int], Plain], int]] = [
        ("rendered", measure_drawn, given.calls),
        ("damaged", measure_damaged, given.calls),
        ("runs", measure_runs, given.runs),
        ("free_lines", measure_lines, given.lines),
    ]
    for name, measured, number in parts:
        result[name] = measured(number, given.seed)
        sys.stdout.write(f"{name}\n" + "".join(f"  {key:24} {value}\n" for key, value in result[name].items()))
        sys.stdout.flush()
    if given.json:
        whole = {**provenance(perf_counter() - began), "seed": given.seed, **result}
        write_atomic(given.json.absolute(), (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode())
    bad = [result["rendered"]["wrong"], result["damaged"]["crashes"], result["damaged"]["silently_wrong"]]
    bad += [
        result["runs"]["played_without_parsing"],
        result["free_lines"]["crashes"],
        result["free_lines"]["parsed_wrong"],
    ]
    return int(any(bad))


if __name__ == "__main__":
    sys.exit(main())
