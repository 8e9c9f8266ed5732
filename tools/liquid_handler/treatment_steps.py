"""From filled vials to ordered steps: caps, conditions in order, additions and samples in between, time courses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.dispensing import additions, additions_between, series
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.pipetting_manner import PLAIN
from labwright.tools.liquid_handler.platform import (
    COOLED_WITHIN,
    COOLING_TIME_CONSTANT,
    DEFAULT_MIX_TIME,
    DEFAULT_STIR,
    DEFAULT_VORTEX,
    PER_CAP,
    RESOLUTION,
    ROOM,
    SAFE_TO_OPEN,
)
from labwright.tools.liquid_handler.protocol_steps import BETWEEN, UNDER, Plate, Step, passes
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.second_plate import diluted, into_twin, quench, sample, sampled
from labwright.tools.liquid_handler.simulate import minutes_of
from labwright.tools.liquid_handler.vial_amounts import Amounts
from labwright.tools.liquid_handler.vial_treatments import Condition
from labwright.tools.liquid_handler.well_arrangement import Layout, plates_for, set_all

Hold = Callable[[float, str], Iterator[Step]]  # for so many minutes, with a note


@dataclass(frozen=True, slots=True)
class Item:
    """A condition as it is carried out: its number in the design (from 0; None: inserted), its plates, and whether an
    addition or samples go `through` the septa of capped vials."""

    index: int | None
    condition: Condition
    plates: tuple[Plate, ...]
    through: bool = False


@dataclass
class _Warmth:
    """What plates are set to, and how warm they are at most, as the simulated run takes it."""

    base: float
    set_to: dict[str, float] = field(default_factory=dict)
    at_most: dict[str, float] = field(default_factory=dict)

    def follow(self, step: Step) -> Step:
        """Take a step into account."""
        if step.subject == "HeatingTemp":
            now = self.set_to[step.plate] = max(step.amounts.values())
            self.at_most[step.plate] = max(self._most(step.plate), now)
        elif step.subject == "Delay":
            left = math.exp(-max(step.amounts.values()) / COOLING_TIME_CONSTANT)
            for plate, now in self.at_most.items():
                self.at_most[plate] = self.set_to[plate] + (now - self.set_to[plate]) * left
        return step

    def settles(self, plates: tuple[Plate, ...], target: float) -> float:
        """Minutes until plates that are set to a temperature are at it; what was set before counts as reached."""
        names = [plate.name for plate in plates]
        above = max(self._most(name) - target for name in names)
        return cooling_time(max(above, *(target - self.set_to.get(name, self.base) for name in names)))

    def before(self, condition: Condition, plates: tuple[Plate, ...], hottest: float) -> float:
        """Where a condition begins, degC: a ramp where the plates are set, a cooling at the hottest that there was."""
        if condition.kind != "heat":
            return hottest
        names = [plate.name for plate in plates]
        return max(self.set_to.get(name, self.base) if condition.ramp else self._most(name) for name in names)

    def _most(self, plate: str) -> float:
        return self.at_most.get(plate, max(self.base, ROOM))


def steps_of(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> tuple[Step, ...]:
    """Everything that is done, in order: vials filled and diluted, treated, and the second plate.

    Raises:
        InputError: it cannot be done on the deck; the message says what can.
    """
    filled = (*additions(amounts, layout), *series(amounts, layout), *quench(design, amounts, layout))
    warm = [set_all(plate, "HeatingTemp", layout.base, layout) for plate in layout.plates if layout.base != ROOM]
    course = _Course(design, amounts, layout).steps()
    second = _second(design, amounts, layout)
    return (*warm, *filled, *course, *diluted(design, amounts, layout), *second)


def _second(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> Iterator[Step]:
    """What is done to the second plate, capped where it can be; opened for additions."""
    plate, last = layout.twin, design.workup or design.sampling
    if plate is None or last is None:
        return
    conditions = [moved(condition, amounts) for condition in last.conditions]
    additions_, closed, warmth = iter(last.added), False, _Warmth(ROOM)
    for index, condition in enumerate([*conditions, None]):
        adds = condition is not None and condition.kind == "add"
        shut = plate.cappable and not adds and (condition is None or condition.closed(True))
        if shut != closed:
            yield set_all(plate, "Cap", float(shut), layout)
            closed = shut
        if condition is None:
            return
        acts = (one for one in conditions[index + 1 :] if one.tempers or one.kind != "add")
        follows = next(acts, None)
        if adds:
            how = condition.manner or design.manner
            step = into_twin(*next(additions_), amounts, layout, how.pipetting if how else PLAIN)
            steps = meanwhile(condition, (step,), follows, (plate,), layout, warmth)
        else:
            before = warmth.before(condition, (plate,), _hottest(conditions[:index]))
            steps = treated(condition, follows, (plate,), layout, None, before)
        yield from map(warmth.follow, steps)


def blocks(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> list[list[Item]]:
    """Conditions in order; heats of different plates that follow each other are one block, and run side by side.

    Raises:
        InputError: what runs side by side has ramps or samples.
    """
    found: list[list[Item]] = []
    for index, condition in enumerate(design.conditions):
        through = goes_through(index, condition, design, amounts, layout)
        if not through and _opens(condition, found, layout) and _still_hot(found, SAFE_TO_OPEN):
            # Vials are opened, so they must be cool whether or not the text says so.
            found.append([Item(None, Condition(kind="cool", cap=True), layout.plates)])
        pairs = plates_for(condition, amounts, layout)
        items = [Item(index, moved(one, amounts), plates, through) for one, plates in pairs]
        before = found[-1] if found else []
        if condition.kind == "heat" and condition.groups and _apart(items, before, layout):
            before += items
        else:
            found.append(items)
    if design.workup is not None and _still_hot(found):
        found.append([Item(None, Condition(kind="cool", cap=_shut(found, layout)), layout.plates)])
    for item in (item for block in found if len(block) > 1 for item in block):
        if item.condition.ramp or item.condition.sample_at or item.condition.atmosphere:
            raise InputError(
                "Heats of two plates side by side have no ramps, samples or gas of their own. Make two runs."
            )
    return found


def goes_through(
    index: int | None, condition: Condition, design: ExperimentDesign, amounts: Amounts, layout: Layout
) -> bool:
    """Whether an addition or samples go through the septa of capped vials."""
    if not layout.septa or condition.kind not in ("add", "sample"):
        return bool(condition.minutes) and layout.septa == "slit" and condition.closed(layout.closed)
    if condition.kind == "sample":
        return layout.septa == "slit"
    steps = additions_between(index or 0, condition, design.manner, amounts, layout)
    return all(passes(step, layout.septa) for step in steps if step.action != "Set")


def _opens(condition: Condition, past: Sequence[Sequence[Item]], layout: Layout) -> bool:
    """Whether vials that are capped by then are opened for it before it begins."""
    if not _shut(past, layout):
        return False
    pipettes = condition.kind == "add" or condition.samples
    return (condition.kind != "heat" and pipettes) or not condition.closed(layout.closed)


def _shut(past: Sequence[Sequence[Item]], layout: Layout) -> bool:
    """Whether the vials are capped by then; for an addition or a sample they were opened."""
    acts = [block[0] for block in past if block[0].condition.kind not in ("add", "sample") or not block[0].through]
    last = acts[-1].condition if acts else None
    return last is not None and last.kind not in ("add", "sample") and last.closed(layout.closed)


def _apart(items: list[Item], before: list[Item], layout: Layout) -> bool:
    """Whether heats are of other plates than those before, which are capped or open alike."""
    if before and items[0].condition.closed(layout.closed) != before[0].condition.closed(layout.closed):
        return False
    taken = {plate.name for item in before for plate in item.plates}
    heats = bool(before) and all(item.condition.kind == "heat" and item.condition.groups for item in before)
    return heats and not taken & {plate.name for item in items for plate in item.plates}


def moved(condition: Condition, amounts: Amounts) -> Condition:
    """The condition with how its vials are kept moving.

    A heated mixture is stirred unless the design says otherwise: unmixed layers neither react nor warm evenly.
    """
    condition = warmed(condition)
    if condition.kind != "heat" or condition.by in {"stir", "vortex"}:
        return condition
    mixture = any(len(vial.additions) > 1 for vial in amounts.vials)
    return condition.model_copy(update={"by": "stir" if mixture and condition.by is None else None})


def warmed(condition: Condition) -> Condition:
    """A mix or wait at a temperature as the heating that it is; at room temperature as it stands."""
    if condition.kind not in {"mix", "wait"} or condition.temperature is None:
        return condition
    if abs(condition.temperature.to("degC") - ROOM) < 0.5:
        return condition.model_copy(update={"temperature": None})
    by = (condition.by or "vortex") if condition.kind == "mix" else "none"
    time = condition.lasts or Stated(value=DEFAULT_MIX_TIME, unit="min")
    return condition.model_copy(update={"kind": "heat", "by": by, "time": time})


def _hottest(conditions: Sequence[Condition]) -> float:
    """The highest temperature among conditions, degC; room temperature if nothing is heated."""
    return max((one.temperature.to("degC") for one in conditions if one.temperature is not None), default=ROOM)


def _still_hot(past: Sequence[Sequence[Item]], above: float = ROOM) -> bool:
    """Whether the plates are above a temperature: set so last, or not fallen from what was set before that."""
    passed, now = 0.0, ROOM
    for block in reversed(past):
        kinds = [item.condition for item in block if item.condition.tempers]
        if kinds and (kinds[0].kind == "cool" or above == ROOM):
            return kinds[0].kind != "cool" and _hottest(kinds) > above
        if kinds:
            now = now if passed else _hottest(kinds)
            if now + (_hottest(kinds) - now) * math.exp(-passed / COOLING_TIME_CONSTANT) > above:
                return True
        passed += _value(block[0].condition.lasts, "min", 0.0)
    return False


class _Course:
    """What happens to the plates, in order; remembers whether the caps are on and which sample comes next."""

    def __init__(self, design: ExperimentDesign, amounts: Amounts, layout: Layout) -> None:
        self.design, self.amounts, self.layout = design, amounts, layout
        self.blocks = blocks(design, amounts, layout)
        self.closed = False
        self.samples = 0
        self.warmth = _Warmth(layout.base)

    def steps(self) -> Iterator[Step]:
        yield from map(self.warmth.follow, self.treated())
        set_to = self.warmth.set_to
        left = [plate for plate in self.layout.plates if set_to.get(plate.name, self.layout.base) > ROOM]
        yield from (set_all(plate, "HeatingTemp", ROOM, self.layout) for plate in left)

    def treated(self) -> Iterator[Step]:
        for number, block in enumerate(self.blocks):
            [item, *others] = block
            if item.condition.kind == "add" and item.index is not None:
                yield from () if item.through else self.opened()
                yield from self.added(item, self.blocks[number + 1 :])
                continue
            if 0 in item.condition.minutes:
                yield from () if item.through else self.opened()
                yield from self.sample(item, "" if item.condition.kind == "sample" else "0 min")
            if item.condition.kind == "sample":
                continue
            yield from self.capped() if item.condition.closed(self.layout.closed) else self.opened()
            follows = self.follows(item, self.blocks[number + 1 :])
            hottest = _hottest([each.condition for one in self.blocks[:number] for each in one])
            before = self.warmth.before(item.condition, item.plates, hottest)
            if item.condition.time_factor:
                yield from _time_course(item.condition, self.amounts, self.layout)
            elif others:
                yield from _side_by_side(block, self.layout)
            else:
                hold = self.sampling(item) if any(item.condition.minutes) else _hold(item.plates, self.layout)
                rest = self.layout.base if self.blocks[number + 1 :] else ROOM
                yield from treated(item.condition, follows, item.plates, self.layout, hold, before, rest)
        if self.layout.closed:
            yield from self.capped()
        elif self.design.workup is not None:
            yield from self.opened()

    def added(self, item: Item, blocks_: Sequence[Sequence[Item]]) -> Iterator[Step]:
        """An addition, with the stirrer and at the temperature that it asks for."""
        steps = additions_between(item.index or 0, item.condition, self.design.manner, self.amounts, self.layout)
        follows = self.follows(item, blocks_)
        rest = self.layout.base if blocks_ else ROOM
        yield from meanwhile(item.condition, steps, follows, item.plates, self.layout, self.warmth, rest)

    def follows(self, item: Item, blocks_: Sequence[Sequence[Item]]) -> Condition | None:
        """What is done next to the same plates, samples and plain additions aside; None if it is done to others."""
        acts = (one for one in blocks_ if one[0].condition.tempers or one[0].condition.kind not in ("add", "sample"))
        block = next(acts, [])
        plates = {plate.name for one in block for plate in one.plates}
        return block[0].condition if {plate.name for plate in item.plates} <= plates else None

    def capped(self) -> Iterator[Step]:
        """Caps on, where there are none."""
        if not self.closed:
            yield from (set_all(plate, "Cap", 1, self.layout) for plate in self.layout.plates if plate.cappable)
            self.closed = True

    def opened(self) -> Iterator[Step]:
        """Caps off, where they are on."""
        if self.closed:
            yield from (set_all(plate, "Cap", 0, self.layout) for plate in self.layout.plates if plate.cappable)
            self.closed = False

    def sample(self, item: Item, when: str) -> Iterator[Step]:
        """A portion of every vial that is sampled."""
        several = sum(one.samples for one in self.design.conditions) > 1
        of = f"of condition {item.index + 1}" if several and item.index is not None else ""
        yield sample(self.design, self.amounts, self.layout, self.samples, f"{when} {of}".strip())
        self.samples += 1

    def sampling(self, item: Item) -> Hold:
        """Waits with samples in between, each begun at its time by our estimates of how long a portion takes.

        Raises:
            InputError: two samples are closer to each other than the first takes.
        """
        condition = item.condition
        vials = len(sampled(self.design, self.amounts, self.layout))
        closed = condition.closed(self.layout.closed)
        through = closed and self.layout.septa == "slit"
        caps = PER_CAP * len(self.layout.wells) if closed and not through else 0.0
        takes = minutes_of(sample(self.design, self.amounts, self.layout, 0, ""))
        wait = _hold(item.plates, self.layout)

        def hold(minutes: float, note: str) -> Iterator[Step]:
            now, before = 0.0, ""
            for stated in (one for one in condition.sample_at if one.value > 0):
                pause = stated.to("min") - caps - now
                if pause < 0:
                    raise InputError(
                        f"A portion of {vials} vials takes about {takes + caps:.3g} min by our estimate, so one at"
                        f" {stated}{before} is too early. Sample fewer vials, or further apart."
                    )
                yield from wait(pause, note)
                yield from () if through else self.opened()
                yield from self.sample(item, str(stated))
                yield from self.capped() if closed else ()
                now, before = stated.to("min") + takes + caps, f" after one at {stated}"
            if minutes > now:
                yield from wait(minutes - now, note)

        return hold


def _hold(plates: tuple[Plate, ...], layout: Layout) -> Hold:
    """A delay holds the whole deck, so it is set once, on the first of the plates."""

    def hold(minutes: float, note: str) -> Iterator[Step]:
        yield set_all(plates[0], "Delay", minutes, layout, note)

    return hold


def _under(gas: str, hold: Hold) -> Hold:
    """The same wait, with the gas that a person sees to."""
    return lambda minutes, note: hold(minutes, ", ".join(filter(None, (note, UNDER + gas))))


def _everywhere(plates: tuple[Plate, ...], layout: Layout) -> Callable[[str, float], list[Step]]:
    """A parameter for all vials of several plates."""
    return lambda parameter, value: [set_all(plate, parameter, value, layout) for plate in plates]


def meanwhile(
    condition: Condition,
    steps: Iterable[Step],
    follows: Condition | None,
    plates: tuple[Plate, ...],
    layout: Layout,
    warmth: _Warmth,
    rest: float = ROOM,
) -> Iterator[Step]:
    """The steps of an addition, with the stirrer on and at the temperature that it asks for.

    Args:
        follows: what comes next to these plates, which may set the temperature itself.
        warmth: how warm they are before.
        rest: what they are left at, degC; what is timed afterwards begins when they are at it.
    """
    everywhere, note = _everywhere(plates, layout), _state(condition)
    rates = [_rate(condition)] if condition.by == "stir" else []
    yield from (step for rate, speed in rates for step in everywhere(rate, speed))
    target = condition.temperature.to("degC") if condition.temperature else None
    if target is not None:
        minutes = warmth.settles(plates, target)
        yield from everywhere("HeatingTemp", target)
        yield from _settle(minutes, target, plates, layout)
    for step in steps:
        yield replace(step, note=", ".join(filter(None, (step.note, note)))) if step.note != BETWEEN else step
    yield from (step for rate, _ in rates for step in everywhere(rate, 0))
    if target is not None and not (follows and follows.tempers):
        yield from everywhere("HeatingTemp", rest)
        yield from _settle(cooling_time(abs(target - rest)) if follows else 0.0, rest, plates, layout)


def _settle(minutes: float, target: float, plates: tuple[Plate, ...], layout: Layout) -> Iterator[Step]:
    """The wait until plates are at a temperature."""
    if minutes:
        yield from _hold(plates, layout)(minutes, f"comes to within {COOLED_WITHIN:g} degC of {target:g} degC")


def _state(condition: Condition) -> str:
    """What an addition is made into, in words."""
    stirred = f"stirred at {_rate(condition)[1]:g} rpm" if condition.by == "stir" else ""
    return " ".join(filter(None, (stirred, f"at {condition.temperature}" if condition.temperature else "")))


def _value(stated: Stated | None, unit: str, default: float) -> float:
    return default if stated is None else stated.to(unit)


def treated(
    condition: Condition,
    follows: Condition | None,
    plates: tuple[Plate, ...],
    layout: Layout,
    hold: Hold | None = None,
    hottest: float = ROOM,
    rest: float = ROOM,
) -> Iterator[Step]:
    """The steps of one condition.

    Args:
        follows: the next one, which sets the temperature itself if it heats or cools.
        hold: how its time passes; a plain delay if None.
        hottest: of what came before, degC.
        rest: what the plates are left at, degC.
    """
    plain, everywhere = _hold(plates, layout), _everywhere(plates, layout)
    hold = hold or plain
    if condition.atmosphere is not None:
        plain, hold = _under(condition.atmosphere, plain), _under(condition.atmosphere, hold)
    if condition.kind == "wait":
        yield from hold(_value(condition.lasts, "min", DEFAULT_MIX_TIME), "")
    elif condition.kind == "mix":
        rate, speed = _rate(condition)
        yield from everywhere(rate, speed)
        yield from hold(_value(condition.lasts, "min", DEFAULT_MIX_TIME), "")
        yield from everywhere(rate, 0)
    elif condition.kind == "heat":
        yield from _heat(condition, everywhere, plain, hold, hottest)
        # Left hot, a plate would go on reacting; a cool that follows sets the temperature itself.
        if follows is None or not follows.tempers:
            yield from everywhere("HeatingTemp", rest)
    else:
        target = _value(condition.temperature, "degC", ROOM)
        moving = [_rate(condition)] if condition.by in ("stir", "vortex") else []
        yield from (step for rate, speed in moving for step in everywhere(rate, speed))
        yield from everywhere("HeatingTemp", target)
        minutes = _value(condition.time, "min", cooling_time(hottest - target))
        yield from hold(minutes, "cools to within 2 degC")
        yield from (step for rate, _ in moving for step in everywhere(rate, 0))


def _heat(
    condition: Condition, everywhere: Callable[[str, float], list[Step]], wait: Hold, hold: Hold, before: float
) -> Iterator[Step]:
    if condition.temperature is None or (condition.lasts is None and condition.ramp is None):
        raise InputError("A heating condition needs a temperature, and a time or a ramp.")
    if condition.by is not None:
        rate, speed = _rate(condition)
        yield from everywhere(rate, speed)
    target = condition.temperature.to("degC")
    if condition.ramp is not None:
        yield from everywhere("HeatingRamp", condition.ramp.to("degC/min"))
    yield from everywhere("HeatingTemp", target)
    if condition.ramp is not None and target != before:
        turns = "warms" if target > before else "cools"
        yield from wait(abs(target - before) / condition.ramp.to("degC/min"), f"{turns} to {target:g} degC")
    elif minutes := cooling_time(before - target):
        yield from wait(minutes, f"cools to within {COOLED_WITHIN:g} degC of {target:g} degC")
    if condition.lasts is not None:
        yield from hold(condition.lasts.to("min"), "")
    if condition.by is not None:
        yield from everywhere(rate, 0)


def _side_by_side(block: list[Item], layout: Layout) -> Iterator[Step]:
    """Heats of different plates that begin together; each ends at its own time."""
    left: list[tuple[float, Item]] = []
    for item in block:
        one = item.condition
        if one.temperature is None or one.time is None:
            raise InputError("A heating condition needs a temperature and a time.")
        left.append((one.time.to("min"), item))
        for plate in item.plates:
            if one.by is not None:
                yield set_all(plate, *_rate(one), layout)
            yield set_all(plate, "HeatingTemp", one.temperature.to("degC"), layout)
    now = 0.0
    for minutes, item in sorted(left, key=lambda each: each[0]):
        if minutes > now:
            yield from _hold(item.plates, layout)(minutes - now, "")
            now = minutes
        for plate in item.plates:
            if item.condition.by is not None:
                yield set_all(plate, _rate(item.condition)[0], 0, layout)
            yield set_all(plate, "HeatingTemp", layout.base, layout)


def _rate(condition: Condition) -> tuple[str, float]:
    if condition.by == "stir":
        return "StirRate", _value(condition.speed, "rpm", DEFAULT_STIR)
    return "VortexRate", _value(condition.speed, "rpm", DEFAULT_VORTEX)


def cooling_time(excess: float) -> float:
    """Minutes until a plate that is `excess` degC too warm is within `COOLED_WITHIN`, rounded up to 5."""
    if excess <= COOLED_WITHIN:
        return 0.0
    return 5.0 * math.ceil(COOLING_TIME_CONSTANT * math.log(excess / COOLED_WITHIN) / 5.0)


def _time_course(condition: Condition, amounts: Amounts, layout: Layout) -> Iterator[Step]:
    """Vials move to the hot second plate, each with its own timer, and come back when it rings."""
    if condition.temperature is None or condition.time_factor is None or layout.twin is None:
        raise InputError("A time course needs a temperature and a factor of times.")
    hot, home = layout.twin, layout.plates[0]
    wells = [well for _, well in layout.wells]
    timers = {
        well: round(vial.times[condition.time_factor], RESOLUTION)
        for well, vial in zip(wells, amounts.vials, strict=True)
    }
    ones = dict.fromkeys(wells, 1.0)
    yield set_all(hot, "HeatingTemp", condition.temperature.to("degC"), layout)
    if condition.by is not None:
        rate, speed = _rate(condition)
        yield set_all(hot, rate, speed, layout)
    yield Step("Set", "VialTimers", hot.name, "min", timers, ("Processing",))
    same = {well: well for well in wells}
    yield Step("Transfer", home.name, hot.name, "", ones, ("MoveVial", "StartVialTimer"), same)
    yield Step("Transfer", hot.name, home.name, "", ones, ("MoveVial", "WaitVialTimer"), same)
    if condition.by is not None:
        yield set_all(hot, rate, 0, layout)
    yield set_all(hot, "HeatingTemp", ROOM, layout)
