"""Mutated descriptions through the grammar: `python -m labwright.evaluation.benchmarks.protocol_fuzz --texts 10000`.

Each of our open descriptions is spoilt at random, read, its questions answered by their defaults, and its vials
computed. Every text must end as a design, a question or a refusal: an exception is a crash, and a design is a silent
guess if

- a number of it quotes no words of the text or of an answer, or the words do not state it (`evidence.faults`);
- a number of the text stands in no quoted words, is no count of vials, no part of a chemical's name, and was neither
  asked about nor handed back as not understood;
- a chemical of the text is neither in the design nor asked about nor handed back.

A number that is read, but for the wrong thing, is not found this way.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from labwright.agents.call import Question, Refusal
from labwright.agents.protocol_design.evidence import faults
from labwright.agents.protocol_design.names import find_chemicals
from labwright.agents.protocol_design.reading import Reading, Settled, amounts_of, design_of
from labwright.agents.protocol_design.understand import UNDERSTAND, UnderstandIn
from labwright.agents.rules import RulesMind
from labwright.evaluation.protocols import load_cases
from labwright.tools.chemistry.chemicals import normal_name
from labwright.tools.chemistry.quantities import canonical_unit
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.amounts import Amounts, calculate

Mutation = Callable[[random.Random, list[str]], None]
NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
UNITS = (
    "mg",
    "g",
    "uL",
    "mL",
    "L",
    "mM",
    "M",
    "mmol",
    "%",
    "% v/v",
    "equivalents",
    "min",
    "h",
    "degC",
    "rpm",
    "stones",
)
STRANGE = (
    "🧪",
    "<A0>",
    "<C1>",
    "{{x}}",
    "</Name>",
    "\x00",
    "\u202e",
    "1e999",
    "-5 mg",
    "½",
    "NaN mg",
    "1:0",
    "0 mL",
    "'; --",
)
TURNS = (
    "not",
    "except",
    "instead of",
    "twice",
    "either",
    "without",
    "or",
    "respectively",
    "per vial",
    "of each",
    "total",
)
MOST_ROUNDS = 12


def _swap(rng: random.Random, words: list[str]) -> None:
    one, other = rng.randrange(len(words)), rng.randrange(len(words))
    words[one], words[other] = words[other], words[one]


def _drop(rng: random.Random, words: list[str]) -> None:
    if len(words) > 3:
        del words[rng.randrange(len(words))]


def _double(rng: random.Random, words: list[str]) -> None:
    at = rng.randrange(len(words))
    words.insert(at, words[at])


def _number(rng: random.Random, words: list[str]) -> None:
    numbered = [index for index, word in enumerate(words) if NUMBER.search(word)]
    if numbered:
        new = rng.choice(["0", "1", "7", "0.3", "250", "1000000", "1e5", "1,5", "3-4", f"{rng.uniform(0, 50):.3g}"])
        at = rng.choice(numbered)
        words[at] = NUMBER.sub(new, words[at], count=1)


def _unit(rng: random.Random, words: list[str]) -> None:
    after = [index for index in range(1, len(words)) if NUMBER.fullmatch(words[index - 1])]
    if after:
        words[rng.choice(after)] = rng.choice(UNITS)


def _typo(rng: random.Random, words: list[str]) -> None:
    at = rng.randrange(len(words))
    letters = list(words[at])
    letters[rng.randrange(len(letters))] = rng.choice("abcxyz019.,;:-%")
    words[at] = "".join(letters)


def _insert(rng: random.Random, words: list[str]) -> None:
    other = (f"and {rng.randint(1, 90)} {rng.choice(UNITS)} of {rng.choice(('sand', 'acetone', 'glucose', 'it'))}",)
    words.insert(rng.randrange(len(words) + 1), rng.choice([*STRANGE, *TURNS, *other * 8]))


def _blank(rng: random.Random, words: list[str]) -> None:
    """A blank or control, said in one of many ways, at the end or in the midst."""
    count = rng.choice(("a", "one", "two", "2", "the", "1.5", "no"))
    what = rng.choice(("blank", "blanks", "control", "negative control", "positive control", "vial"))
    says = rng.choice(("without", "with no", "with only", "of pure", "lacking", "but", "(no"))
    named = rng.choice([*(name for name, _, _ in find_chemicals(" ".join(words))), "solvent", "sand", "it"])
    tail = rng.choice(("", "", ".", "in triplicate", "and 5 mg of acetone", "for each solvent"))
    said = f"{rng.choice(('plus', 'and', 'Add', ''))} {count} {what} {says} {named} {tail}".split()
    at = rng.choice((len(words), rng.randrange(len(words) + 1)))
    words[at:at] = said


def _cut(rng: random.Random, words: list[str]) -> None:
    if len(words) > 8:
        del words[rng.randrange(5, len(words)) :]


def _sentences(rng: random.Random, words: list[str]) -> None:
    parts = re.split(r"(?<=\.)\s+", " ".join(words))
    rng.shuffle(parts)
    words[:] = " ".join(parts[: max(1, len(parts) - rng.randrange(2))]).split()


MUTATIONS: tuple[Mutation, ...] = (_swap, _drop, _double, _number, _unit, _typo, _insert, _blank, _cut, _sentences)


def mutated(rng: random.Random, texts: Sequence[str]) -> str:
    """One of `texts`, spoilt one to four times; sometimes with half of another behind it."""
    words = rng.choice(texts).split()
    if rng.random() < 0.1:
        other = rng.choice(texts).split()
        words += other[rng.randrange(len(other)) :]
    for _ in range(rng.choice((1, 1, 2, 4))):
        rng.choice(MUTATIONS)(rng, words)
    return " ".join(words)


def outcome(text: str, mind: RulesMind) -> tuple[str, str]:
    """``design``, ``question``, ``refusal``, or ``guess`` and what is guessed."""
    settled: list[Settled] = []
    for _ in range(MOST_ROUNDS):
        reading = mind.answer(UNDERSTAND, UnderstandIn(text=text, settled=settled))
        if isinstance(reading, Refusal):
            return "refusal", ""
        if isinstance(reading, Question) or reading.not_understood:
            return "question", ""
        assert isinstance(reading, Reading)
        if not reading.doubts:
            return _ended(text, settled, reading)
        doubt, known = reading.doubts[0], {one.id for one in settled}
        if doubt.default is None or doubt.id in known:
            return "question", ""
        settled.append(Settled(id=doubt.id, text=doubt.text, answer=doubt.default, by="default"))
    return "question", ""


def _ended(text: str, settled: list[Settled], reading: Reading) -> tuple[str, str]:
    try:
        amounts = calculate(design_of(reading, text))
    except InputError:
        return "refusal", ""
    if not isinstance(amounts, Amounts):
        return ("refusal" if amounts.infeasible else "question"), ""
    vials = Counter(vial.group for vial in amounts.vials)
    guesses = [*faults(text, settled, reading), *unused(text, settled, reading, vials)]
    return ("guess", guesses[0]) if guesses else ("design", "")


def unused(text: str, settled: list[Settled], reading: Reading, vials: Counter[str]) -> list[str]:
    """Numbers and chemicals of the text that the reading neither holds nor was asked about.

    Args:
        vials: how many each group has.
    """
    asked = " ".join(f"{one.text} {one.answer}" for one in settled)
    covered = [(start, end) for _, start, end in find_chemicals(text)]
    for words in {amount.words for amount in amounts_of(reading)}:
        covered += [(match.start(), match.end()) for match in re.finditer(re.escape(words), text)] if words else []
    replicates = {group.replicates for group in reading.groups}
    sizes = {vials.total(), *vials.values()}
    counts = {*sizes, *replicates, *(size // each for size in sizes for each in replicates)}
    found = []
    for match in NUMBER.finditer(text):
        inside = any(start <= match.start() and match.end() <= end for start, end in covered)
        counted = match.group().isdigit() and int(match.group()) in counts
        if not (inside or counted or match.group() in asked or _glued(text[match.end() :])):
            found.append(f"the number {match.group()} of the text is used nowhere")
    held = {normal_name(name) for name in _names(reading)}
    for name, start, end in find_chemicals(text):
        if normal_name(name) not in held and text[start:end] not in asked and name not in asked:
            found.append(f"the chemical {name!r} of the text is used nowhere")
    return found


def _glued(rest: str) -> bool:
    """Whether a number is part of a word, as in a mistyped "9he", and states no amount."""
    letters = re.match(r"[A-Za-z]*", rest)
    try:
        canonical_unit(letters.group() if letters else "")
    except InputError:
        return True
    return False


def _names(reading: Reading) -> list[str]:
    stocks = [part for stock in reading.stocks for part in (stock.solute, stock.solvent or "")]
    return [*(one.name for one in reading.chemicals), *stocks]


def measure(texts: int, seed: int = 0) -> dict[str, Any]:
    """How `texts` mutated descriptions end, with every crash and guess."""
    began, mind = perf_counter(), RulesMind()
    sources = [case.text for case in load_cases("dev")]
    ends: Counter[str] = Counter()
    wrong: list[dict[str, str]] = []
    for number in range(texts):
        text = mutated(random.Random(f"{seed} {number}"), sources)
        try:
            end, what = outcome(text, mind)
        except Exception as error:  # noqa: BLE001 - what is looked for here is any crash at all
            end, what = "crash", f"{type(error).__name__}: {error}"
        ends[end] += 1
        if end in {"crash", "guess"}:
            wrong.append({"end": end, "what": what, "text": text})
    return {"texts": texts, "seed": seed, **ends, "wrong": wrong, "seconds": round(perf_counter() - began, 1)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    result = measure(given.texts, given.seed)
    sys.stdout.write(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    return int(bool(result["wrong"]))


if __name__ == "__main__":
    raise SystemExit(main())
