"""What a protocol does to its filled vials, in sentences for people: what is switched on, for how long, what moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from labwright.tools.liquid_handler.dispensing import additions
from labwright.tools.liquid_handler.platform import ROOM, well_name
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.protocol_steps import BETWEEN, UNDER, Step

_MOVING = {"StirRate": "stirred", "VortexRate": "vortexed"}
LONG = 120.0  # min; longer times are told in hours too


@dataclass
class _Deck:
    """What is on while the steps are read."""

    rates: dict[tuple[str, str], float] = field(default_factory=dict)  # by plate and movement
    temperatures: dict[str, float] = field(default_factory=dict)  # of the plates, the second one if it was heated
    before: dict[str, float] = field(default_factory=dict)  # the same at the last delay


def treatments(made: Made) -> list[str]:
    """Everything after the first filling, in order: additions, caps, mixing, heating, cooling, timers, waiting, and
    what is done to the second plate."""
    homes = [plate.name for plate in made.layout.plates]
    deck = _Deck(temperatures=dict.fromkeys(homes, made.layout.base), before=dict.fromkeys(homes, made.layout.base))
    filling = len(additions(made.amounts, made.layout))
    told: list[str] = []
    for step in made.protocol.steps:
        if step.action == "Add" and filling:
            filling -= 1
        else:
            told += _told(step, deck)
    return [line for index, line in enumerate(told) if told[index - 1 : index] != [line]]


def _told(step: Step, deck: _Deck) -> Iterator[str]:
    values = sorted(set(step.amounts.values()))
    span = f"{values[0]:g}" if len(values) == 1 else f"{values[0]:g} to {values[-1]:g}"
    count = "1 vial" if len(step.amounts) == 1 else f"{len(step.amounts)} vials"
    if step.note == BETWEEN:
        return
    if step.action == "Add":
        note = f", {step.note}" if step.note else ""
        yield f"{span} {step.unit} of {step.subject} go into each of {count} of {step.plate}{note}"
    elif step.action == "Transfer":
        yield _transferred(step, span, count)
    elif step.subject == "Cap":
        yield f"{step.plate}: {count} {'capped' if values[-1] else 'opened'}"
    elif step.subject == "HeatingTemp":
        deck.temperatures[step.plate] = values[-1]
    elif step.subject in _MOVING:
        deck.rates[step.plate, step.subject] = values[-1]
    elif step.subject == "Delay":
        gas = step.note[step.note.index(UNDER) :] + ", " if UNDER in step.note else ""
        yield f"{', '.join(_state(deck)) or 'left to stand'}, {gas}for {_minutes(values[-1])}"
        deck.before = dict(deck.temperatures)
    elif step.subject == "VialTimers":
        yield f"{', '.join(_state(deck)) or 'left to stand'}, each vial for {span} min by a timer of its own"


def _state(deck: _Deck) -> Iterator[str]:
    """Words for what the vials stand in now."""
    plates = dict.fromkeys((*deck.temperatures, *(plate for plate, _ in deck.rates)))
    warm = {plate: deck.temperatures.get(plate, ROOM) for plate in plates}
    yield from _named({plate: _warmth(now, deck.before.get(plate, ROOM)) for plate, now in warm.items()})
    for subject, moved in _MOVING.items():
        rates = {plate: deck.rates.get((plate, subject), 0.0) for plate in plates}
        yield from _named({plate: f"{moved} at {rate:g} rpm" if rate else "" for plate, rate in rates.items()})


def _named(words: dict[str, str]) -> Iterator[str]:
    """Words for every plate; with its name, unless they hold for all."""
    same = len(set(words.values())) == 1
    yield from dict.fromkeys(word if same else f"{plate} {word}" for plate, word in words.items() if word)


def _warmth(now: float, before: float) -> str:
    """What the temperature of a plate means; empty at room temperature."""
    if now < before:
        return f"cooled to {now:g} degC"
    return f"heated to {now:g} degC" if now > ROOM else ""


def _transferred(step: Step, span: str, count: str) -> str:
    if "MoveVial" in step.tags:
        when = ", each when its timer has run out" if "WaitVialTimer" in step.tags else ""
        return f"{count} moved whole from {step.subject} to {step.plate}{when}"
    note = f" ({step.note})" if step.note else ""
    if len(origins := set(step.origins.values())) == 1 and len(step.amounts) > 1:
        one = f"{step.subject} {well_name(*origins.pop())}"
        return f"{span} {step.unit} of {one} go into each of {count} of {step.plate}{note}"
    if step.plate == step.subject:
        return f"{span} {step.unit} go on into each of {count} of {step.plate}{note}"
    return f"{span} {step.unit} of each of {count} of {step.subject} go to {step.plate}{note}"


def _minutes(value: float) -> str:
    return f"{value:g} min" + (f" ({value / 60:.4g} h)" if value >= LONG else "")
