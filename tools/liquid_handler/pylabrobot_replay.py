"""Replays a protocol's liquids on PyLabRobot's simulated robot: a second opinion that shares no code with ours.

PyLabRobot keeps the volume of every container and refuses to draw more than is there or to fill beyond the brim.
It keeps volumes only: solids, heat, caps and times are outside what it tracks, and a solid takes no room in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.checks.base import differs
from labwright.tools.liquid_handler.platform import SOURCE_DEAD_VOLUME, TIPS, well_name
from labwright.tools.liquid_handler.simulate import Run
from labwright.tools.liquid_handler.steps import Protocol, Step, Well

MISSING = "Replaying a protocol needs the package pylabrobot: pip install 'labwright[robots]'"
_TIP = TIPS[-1]  # uL; what is more goes in several strokes
_CHANNELS = 8
_SIZE = 200.0  # mm; no volume depends on it, but all channels must find room over one source

Place = tuple[str, Well]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What PyLabRobot's trackers hold after the last step, in uL, and what they could not be asked.

    Attributes:
        volumes: by plate and well; whole vials are followed when they move.
        left: in every liquid source, above its dead volume.
        untracked: solids that were added; no tracker counts them.
    """

    volumes: dict[Place, float]
    left: dict[str, float]
    untracked: tuple[str, ...]


def replay(protocol: Protocol) -> Replayed:
    """Run all liquids of `protocol` on the chatterbox backend, volume tracking on.

    Raises:
        InputError: PyLabRobot is not installed, or it refuses a step (over-draw, overflow); the message says which.
    """
    with _tracking(), contextlib.redirect_stdout(io.StringIO()):  # the chatterbox prints every stroke
        return asyncio.run(_Bench(protocol).run())


def disagreements(protocol: Protocol, run: Run, replayed: Replayed) -> list[str]:
    """Where PyLabRobot's totals are not those of our simulator, in sentences; nothing if they agree."""
    found = []
    for place in sorted({*run.vials, *replayed.volumes}):
        ours = run.vials[place].volume if place in run.vials else 0.0
        theirs = replayed.volumes.get(place, 0.0)
        if differs(theirs, ours):
            found.append(f"{place[0]} {well_name(*place[1])} holds {ours:g} uL here and {theirs:g} uL in PyLabRobot.")
    for source in protocol.sources:
        if source.unit == "uL":
            drawn = _usable(source.load) - replayed.left[source.name]
            if differs(drawn, run.drawn.get(source.name, 0.0)):
                text = f"{drawn:g} uL in PyLabRobot, {run.drawn.get(source.name, 0.0):g} uL here"
                found.append(f"{source.name!r} gives {text}.")
    return found


def _usable(load: float) -> float:
    return load * (1 - SOURCE_DEAD_VOLUME)


def _part(name: str) -> Any:
    """A module of PyLabRobot, which ships no types.

    Raises:
        InputError: it is not installed.
    """
    try:
        return import_module(f"pylabrobot.{name}")
    except ImportError as missing:
        raise InputError(MISSING) from missing


@contextlib.contextmanager
def _tracking() -> Iterator[None]:
    """Volume tracking on; it is a switch of the whole package, so it is put back."""
    volume_tracker = _part("resources.volume_tracker")
    before = volume_tracker.does_volume_tracking()
    volume_tracker.set_volume_tracking(True)
    try:
        yield
    finally:
        volume_tracker.set_volume_tracking(before)


class _Bench:
    """Containers for every source and vial, and a row of channels with tips."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.sources = {
            source.name: _container(f"source {number}", source.load, _usable(source.load))
            for number, source in enumerate(protocol.sources)
            if source.unit == "uL"
        }
        self.vials: dict[Place, Any] = {}
        self.count = 0

    async def run(self) -> Replayed:
        handling, resources = _part("liquid_handling"), _part("resources")
        backend = _part("liquid_handling.backends").LiquidHandlerChatterboxBackend(num_channels=_CHANNELS)
        robot = handling.LiquidHandler(backend=backend, deck=resources.Deck(1000.0, 1000.0, 500.0))
        await robot.setup()
        robot.update_head_state({channel: _tip(resources, channel) for channel in range(_CHANNELS)})
        try:
            for number, step in enumerate(self.protocol.steps, start=1):
                await self._step(robot, number, step)
        finally:
            await robot.stop()
        return Replayed(
            {place: vial.tracker.get_used_volume() for place, vial in self.vials.items()},
            {name: source.tracker.get_used_volume() for name, source in self.sources.items()},
            tuple(dict.fromkeys(s.subject for s in self.protocol.steps if s.action == "Add" and s.unit == "mg")),
        )

    async def _step(self, robot: Any, number: int, step: Step) -> None:
        if step.action == "Transfer" and "MoveVial" in step.tags:
            moved = {well: self.vials.pop((step.subject, step.origins.get(well, well)), None) for well in step.amounts}
            self.vials |= {(step.plate, well): vial for well, vial in moved.items() if vial is not None}
        elif step.unit == "uL":
            wells = list(step.amounts)
            for first in range(0, len(wells), _CHANNELS):
                together = wells[first : first + _CHANNELS]
                where = f"Step {number}, {step.plate} {', '.join(well_name(*well) for well in together)}"
                origins = [self._origin(step, well, where) for well in together]
                targets = [self._vial(step.plate, well) for well in together]
                await _pipette(robot, origins, targets, [step.amounts[well] for well in together], where)

    def _origin(self, step: Step, well: Well, where: str) -> Any:
        if step.action == "Transfer":
            return self._vial(step.subject, step.origins.get(well, well))
        if step.subject not in self.sources:
            raise InputError(f"{where}: {step.subject!r} is no liquid source of the file. Load it.")
        return self.sources[step.subject]

    def _vial(self, plate: str, well: Well) -> Any:
        """The vial in a well; an empty one is put there at first use."""
        if (plate, well) not in self.vials:
            on_deck = self.protocol.plate(plate)
            if on_deck is None:
                raise InputError(f"No plate {plate!r} is on the deck. Name a plate of the file.")
            self.count += 1  # names are for PyLabRobot alone; a vial keeps its own when it moves
            self.vials[plate, well] = _container(f"vial {self.count}", on_deck.vial, 0.0)
        return self.vials[plate, well]


def _container(name: str, holds: float, filled: float) -> Any:
    made = _part("resources").Container(name, _SIZE, _SIZE, _SIZE, max_volume=holds)
    made.tracker.set_volume(filled)
    return made


def _tip(resources: Any, channel: int) -> Any:
    return resources.Tip(
        has_filter=False, total_tip_length=50.0, maximal_volume=_TIP, fitting_depth=8.0, name=f"tip {channel}"
    )


async def _pipette(robot: Any, origins: list[Any], targets: list[Any], amounts: list[float], where: str) -> None:
    """Each amount from its origin into its target, with a channel for each."""
    errors = _part("resources.errors")
    strokes = max(1, ceil(max(amounts) / _TIP))
    volumes, channels = [amount / strokes for amount in amounts], list(range(len(amounts)))
    try:
        for _ in range(strokes):
            await robot.aspirate(origins, vols=volumes, use_channels=channels)
            await robot.dispense(targets, vols=volumes, use_channels=channels)
    except errors.TooLittleLiquidError as short:
        raise InputError(f"{where}: PyLabRobot cannot draw what is asked. {short} Load more, or take less.") from short
    except errors.TooLittleVolumeError as full:
        raise InputError(f"{where}: the vial would overflow in PyLabRobot. {full} Take less.") from full
