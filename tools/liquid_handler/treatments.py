"""What a protocol does to its filled vials, in sentences for people: what is switched on, for how long, what moves."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from labwright.tools.liquid_handler.platform import ROOM, well_name
from labwright.tools.liquid_handler.protocol_steps import BETWEEN, UNDER, Protocol, Step

_MOVING = {"StirRate": "stirred", "VortexRate": "vortexed"}
LONG = 120.0  # min; longer times are told in hours too


@dataclass
class _Deck:
    """What is on while the steps are read."""

    rates: dict[str, float] = field(default_factory=dict)
    second: str = ""  # name of the plate that samples go to
    temperatures: dict[str, float] = field(default_factory=dict)  # of each plate that was heated or cooled
    before: dict[str, float] = field(default_factory=dict)  # the same at the last delay
    later: Set[str] = frozenset()  # materials of conditions: their additions are treatments, also before any other
    begun: bool = False  # whether anything but additions was done


def treatments(protocol: Protocol, later: Set[str] = frozenset(), second: str = "") -> list[str]:
    """Everything after the first additions, in order: additions of the materials `later`, caps, mixing, heating,
    cooling, timers, waiting, work-up on the plate `second`."""
    deck = _Deck(second=second, later=later)
    told = [line for step in protocol.steps for line in _told(step, deck)]
    return [line for index, line in enumerate(told) if told[index - 1 : index] != [line]]


def _told(step: Step, deck: _Deck) -> Iterator[str]:
    values = sorted(set(step.amounts.values()))
    span = f"{values[0]:g}" if len(values) == 1 else f"{values[0]:g} to {values[-1]:g}"
    count = "1 vial" if len(step.amounts) == 1 else f"{len(step.amounts)} vials"
    deck.begun |= step.action != "Add" and step.subject != "HeatingTemp"
    if step.note == BETWEEN:
        return
    if step.action == "Add":
        note = f", {step.note}" if step.note else ""
        if step.plate == deck.second or deck.begun or step.subject in deck.later:
            yield f"{span} {step.unit} of {step.subject} go into each of {count} of {step.plate}{note}"
    elif step.action == "Transfer":
        yield _transferred(step, span, count)
    elif step.subject == "Cap":
        yield f"{step.plate}: {count} {'capped' if values[-1] else 'opened'}"
    elif step.subject == "HeatingTemp":
        deck.temperatures[step.plate] = values[-1]
    elif step.subject in _MOVING:
        deck.rates[step.subject] = values[-1]
    elif step.subject == "Delay":
        gas = step.note[step.note.index(UNDER) :] + ", " if UNDER in step.note else ""
        yield f"{', '.join(_state(deck)) or 'left to stand'}, {gas}for {_minutes(values[-1])}"
        deck.before = dict(deck.temperatures)
    elif step.subject == "VialTimers":
        yield f"{', '.join(_state(deck)) or 'left to stand'}, each vial for {span} min by a timer of its own"


def _state(deck: _Deck) -> Iterator[str]:
    """Words for what the vials stand in now."""
    words = {plate: _warmth(now, deck.before.get(plate, ROOM)) for plate, now in deck.temperatures.items()}
    same = len(set(words.values())) == 1
    yield from dict.fromkeys(word if same else f"{plate} {word}" for plate, word in words.items() if word)
    yield from (f"{_MOVING[name]} at {rate:g} rpm" for name, rate in deck.rates.items() if rate)


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
