"""What cannot be true of a reading: numbers, chemicals and units that the person never stated."""

from __future__ import annotations

import math

from labwright.agents.protocol_design.grammar.amounts import Amounts
from labwright.agents.protocol_design.grammar.marked import MARK, marked
from labwright.agents.protocol_design.grammar.read import LEAVE_OUT, lost_id
from labwright.agents.protocol_design.names import choices_of, find_chemicals
from labwright.agents.protocol_design.reading import Amount, Reading, Settled, amounts_of, design_of
from labwright.tools.chemistry.chemicals import normal_name
from labwright.tools.chemistry.quantities import canonical_unit
from labwright.tools.errors import InputError

MOST_LEVELS = 96


def faults(text: str, settled: list[Settled], reading: Reading) -> list[str]:
    """Every invented number, wrong unit, unknown chemical or loose end of `reading`, in sentences."""
    said = [text, *(item.answer for item in settled)]
    found = [fault for amount in amounts_of(reading) for fault in _amount(amount, said)]
    found += _chemicals(reading, said)
    if not reading.groups:
        return [*found, "The reading has no group of vials."]
    if problem := loose_end(text, reading):
        found.append(problem)
    return list(dict.fromkeys(found))


def loose_end(text: str, reading: Reading) -> str:
    """Why a reading that leaves nothing open makes no design; empty if it does, or if an answer may still help."""
    if reading.doubts or reading.not_understood:
        return ""
    try:
        design_of(reading, text)
    except InputError as error:
        return str(error)
    return ""


def overlooked(text: str, settled: list[Settled], reading: Reading) -> list[str]:
    """Sentences with a number or a chemical that the reading neither holds nor handed back, nor anyone answered for.

    Counts of vials count as held. A number that stands in the text twice, and is used once, is not seen.
    """
    found = marked(text, find_chemicals)
    quoted = [amount.words for amount in amounts_of(reading) if amount.words]
    stocks = [part for stock in reading.stocks for part in (stock.name, stock.solute, stock.solvent or "")]
    held = {normal_name(name) for name in [*(one.name for one in reading.chemicals), *stocks]}
    asked = " ".join(f"{one.id} {one.text} {one.answer}" for one in settled)
    asked += " ".join(f" {doubt.id} {doubt.text}" for doubt in reading.doubts)
    left_out = {one.id for one in settled if one.answer == LEAVE_OUT}
    lost = []
    for sentence in found.sentences():
        words = found.words_of(sentence)
        marks = [kind + number for kind, number in MARK.findall(sentence)]
        names = [found.name(mark) for mark in marks if mark[0] == "C"]
        free = [name for name in names if normal_name(name) not in held and name not in asked]
        numbers = [found.amount(mark) for mark in marks if mark[0] == "A"]
        loose = [one for one in numbers if not _quoted(one, quoted) and one.words not in asked]
        known = words in reading.not_understood or lost_id(words) in left_out
        if (free or any(not _counts(one) for one in loose)) and not known:
            lost.append(words)
    return lost


def _quoted(item: Amounts, quoted: list[str]) -> bool:
    return any(item.words in words or words in item.words for words in quoted)


def _counts(item: Amounts) -> bool:
    """Whether it may count vials, samples or repeats, which no amount quotes."""
    return item.form == "list" and not item.unit and all(value.is_integer() for value in item.values)


def _amount(amount: Amount, said: list[str]) -> list[str]:
    shown = f"{amount.value:g} {amount.unit}".strip()
    try:
        canonical_unit(amount.unit)
    except InputError as error:
        return [str(error)]
    if not amount.words.strip():
        return [f"The amount {shown} quotes no words. Every number must stand in the text; leave it out or ask."]
    if not any(amount.words in each for each in said):
        return [f"The words {amount.words!r} of the amount {shown} do not stand in the text. Quote them exactly."]
    try:
        places = marked(amount.words, find_chemicals).amounts
    except InputError as error:
        return [str(error)]
    if not any(_states(item, amount) for item in places):
        return [f"The words {amount.words!r} do not state {shown}. Take number and unit as they stand."]
    return []


def _states(item: Amounts, amount: Amount) -> bool:
    """Whether a place of the text states this value and unit, or plainly implies it (a range's level, a ratio)."""
    if item.form == "ratio":
        parts = [(x, y) for x, y in zip(item.values, item.seconds, strict=True) if x + y > 0]
        plain = [1.0, *(x / y for x, y in parts if y), *(v for pair in parts for v in pair)]
        return _among(amount.value, plain if not amount.unit else [100 * x / (x + y) for x, y in parts])
    if item.unit == "mol%":
        return amount.unit == "equiv" and _among(amount.value, [value / 100 for value in item.values])
    if amount.unit == "" and _among(amount.value, [1.0, *item.values]):
        return True  # a ratio such as "0.5, 1.0 and 2.0" states parts against one
    if canonical_unit(amount.unit) != item.unit:
        return False
    if item.form == "even":
        low, high = item.values
        steps = [low + (high - low) * i / (n - 1) for n in range(2, MOST_LEVELS + 1) for i in range(n)]
        return _among(amount.value, steps)
    return item.form != "range" and _among(amount.value, list(item.values))


def _among(value: float, allowed: list[float]) -> bool:
    return any(math.isclose(value, one, rel_tol=1e-6, abs_tol=1e-12) for one in allowed)


def _chemicals(reading: Reading, said: list[str]) -> list[str]:
    mentioned = {normal_name(name) for each in said for name, _, _ in find_chemicals(each)}
    found = []
    asked = {doubt.id for doubt in reading.doubts}
    for substance in reading.chemicals:
        name = substance.name
        stands = normal_name(name) in mentioned or any(normal_name(name) in normal_name(each) for each in said)
        # A solution that is called aqueous brings water with it.
        if not stands and not (normal_name(name) == "water" and any("aqueous" in each.lower() for each in said)):
            found.append(f"The chemical {name!r} does not stand in the text.")
        elif choices_of(name) is not None and f"chemical:{name}" not in asked:
            found.append(
                f"The chemical {name!r} is unknown or names several substances."
                f" Raise a doubt with the id 'chemical:{name}' instead of choosing."
            )
    return found
