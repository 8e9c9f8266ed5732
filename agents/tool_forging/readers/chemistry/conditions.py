"""Temperatures, pressures and the unit of energies: all that a chemistry text names, lists and ranges included."""

from __future__ import annotations

import re
from collections.abc import Iterator

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.page import Page, Stuck, ask
from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.agents.tool_forging.readers.language.numbers import Numbers, numbers_at
from labwright.agents.tool_forging.readers.language.units import converted, kind, unit_at
from labwright.tools.forge.families.chemistry.spec import EnergyUnit

ROOM = 298.15  # K
ATMOSPHERE = 101325.0  # Pa
_START = re.compile(r"(?<![\w.^+|])(?<![_^]\{)(?<!\d-)(?<!\^-)(?<!\^\{-)[-+]?\d")
_REST = re.compile(r"[\d.,]*(?:[eE][-+]?\d+)?")
_LED = re.compile(r"(?:\b(?:from|between|ranging from)\s+|[\[{(]\s*)$")
_UNITS: tuple[tuple[EnergyUnit, str], ...] = (
    ("kJ/mol", r"kJ\s*(?:/\s*mol|(?:\*|\s)*mol\s*\^?\{?\(?-1|per mole?)|kilojoules?"),
    ("kcal/mol", r"kcal\s*(?:/\s*mol|(?:\*|\s)*mol\s*\^?\{?\(?-1|per mole?)|kilocalories?"),
    ("eV", r"\beV\b|electron[- ]?volts?"),
    ("hartree", r"\bhartrees?\b|\bE_?h\b"),
    ("1/cm", r"cm\s*\^?\{?-1\}?|1/cm|wave ?numbers?"),
)
_ENERGY = (
    r"enthalp|gibbs|free energ|reaction energ|(?:d|[Dd]elta[ _]?)_?r?\s?[HGE]\b|"
    r"heat of|isomeri[sz]|stab|strain|affinit|react"
)


def quantities(page: Page) -> Iterator[tuple[Numbers, int, int, str]]:
    """Numbers with a unit, each with its place in the page's text and the words in front of it."""
    plain = clean(page.body)
    last = 0
    for match in _START.finditer(plain.text):
        if match.start() < last:
            continue
        lead = _LED.search(plain.text[max(0, match.start() - 30) : match.start()])
        found = numbers_at(plain.text, match.start() - (len(lead[0]) if lead else 0))
        found = found if found and found.unit else numbers_at(plain.text, match.start())
        if found is None or not found.unit or any(one.names for one in found.items):
            continue
        if behind := _foreign(plain.text, match.start(), found):  # "1 atm; 300 and 400 K" are two lists
            alone = numbers_at(plain.text[:behind], match.start())
            if alone is None or not alone.unit:
                continue
            found = alone
        last = found.end
        start, end = plain.span(found.start, found.end)
        yield found, start, end, plain.text[max(0, match.start() - 60) : match.start()]


def _foreign(text: str, start: int, found: Numbers) -> int:
    """End of the first number from `start` that has a unit of another kind than the whole list; 0 if there is none."""
    for number in _START.finditer(text, start, found.end):
        rest = _REST.match(text, number.end())
        unit, behind = unit_at(text, rest.end() if rest else number.end())
        if unit and kind(unit) != kind(found.unit):
            return behind if number.start() == start else start + len(number[0]) + 1
    return 0


def temperatures(page: Page, others: str) -> list[float]:
    """Every temperature (K), rising where the text gives a range, otherwise in its order.

    Raises:
        Stuck: a range does not say its steps, or a temperature is absolute zero.
    """
    found: list[float] = []
    for one, start, end, _ in quantities(page):
        if kind(one.unit) != "temperature" or _elsewhere(page, start, others):
            continue
        values = one.values({})
        if one.kind in ("range", "interval") and not (one.points or one.step):
            raise _unstepped(values)
        for value in values:
            kelvin = round(converted(value, one.unit, "kelvin"), 6)
            if kelvin == 0 and page.says(r"zero[- ]point|\bZPV?E\b"):
                continue  # energies with zero-point energy are always among the results
            if kelvin <= 0:
                raise Stuck(Unread(page.text[start:end], "Thermochemistry at absolute zero is not among the recipes."))
            found += [kelvin] if kelvin not in found else []
        page.spans.append((start, end))
    return found


def _unstepped(ends: list[float]) -> Stuck:
    shown = " and ".join(f"{one:g}" for one in ends)
    return ask(f"At which temperatures between {shown} should it be computed: in which steps?", "at the two ends only")


def pressure(page: Page, others: str) -> float | None:
    """The pressure (Pa); None if the text names none.

    Raises:
        Stuck: there are several.
    """
    found: list[float] = []
    for one, start, end, _ in quantities(page):
        if kind(one.unit) != "pressure" or _elsewhere(page, start, others):
            continue
        values = [round(converted(value, one.unit, "pascal"), 6) for value in one.values({})]
        if len({*found, *values}) > 1:
            raise Stuck(Unread(page.text[start:end].strip(), "The recipes take one pressure a task."))
        page.spans.append((start, end))
        found += values
    word = page.says(r"\b(?:one|a(?: single)?) (?:standard )?(?P<atm>atmosphere|atm)\b|\b(?:one|a single) bar\b")
    if word and not found:
        page.spans.append(word.span())
        found.append(ATMOSPHERE if word["atm"] else 1e5)
    return found[0] if found else None


def energy_unit(page: Page) -> EnergyUnit:
    """The unit of energies of reaction: the one that stands nearest to such an energy; kcal/mol if there is none."""
    best: tuple[int, EnergyUnit] | None = None
    for name, pattern in _UNITS:
        for match in re.finditer(pattern, page.body, re.I if len(pattern) > 20 and name != "eV" else 0):
            around = page.body[max(0, match.start() - 160) : match.start()]
            words = [one.start() for one in re.finditer(_ENERGY, around, re.I)]
            behind = re.search(_ENERGY, page.body[match.end() : match.end() + 60], re.I)
            far = len(around) - words[-1] if words else behind.start() + 40 if behind else 0
            if (words or behind) and (best is None or far < best[0]):
                best = (far, name)
    there = [name for name, pattern in _UNITS[:3] if re.search(pattern, page.body)]
    return best[1] if best else there[0] if len(there) == 1 else "kcal/mol"


def _elsewhere(page: Page, place: int, others: str) -> bool:
    """Whether a sentence is another family's: its temperature is that of a bath."""
    before, behind = page.body[max(0, place - 400) : place], page.body[place : place + 400]
    sentence = re.split(r"\n|[.;!?]\s+", before)[-1] + re.split(r"\n|[.;!?]\s", behind)[0]
    return bool(re.search(others, sentence, re.I))
