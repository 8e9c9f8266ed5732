"""The one tracker of volumes: whatever was written is read back as moves of liquid, and these are added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from labwright.tools.liquid_handler.platform import SOURCE_DEAD_VOLUME, well_name
from labwright.tools.liquid_handler.protocol_steps import Protocol
from labwright.tools.liquid_handler.simulate import Run

Spot = tuple[str, str]  # a plate or a rack, and the name of a well
AGREES = 0.1  # uL; what a written output may differ by in any vial
_ROUNDED = 0.01  # uL; numbers in files are rounded


@dataclass(frozen=True, slots=True)
class Move:
    """`volume` uL from one spot to another; None moves the whole vial. `step` counts from 1."""

    origin: Spot
    target: Spot
    volume: float | None
    step: int = 0


@dataclass(slots=True)
class Tracked:
    """What stands where after all moves, uL, and what could not be: over-draw and overflow, in sentences."""

    volumes: dict[Spot, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def track(moves: Iterable[Move], usable: dict[Spot, float], holds: dict[str, float]) -> Tracked:
    """Carries out every move.

    Args:
        usable: uL that can be drawn from each source.
        holds: uL that a vial of each plate takes; a plate that is not named has no limit.
    """
    now = Tracked(dict(usable))
    for move in moves:
        where = f"Step {move.step}, " if move.step else ""
        there = now.volumes.get(move.origin, 0.0)
        if move.volume is None:
            now.volumes.pop(move.origin, None)
            now.volumes[move.target] = there
            continue
        if move.volume > there + _ROUNDED:
            asked = f"{move.volume:g} uL are drawn from {' '.join(move.origin)}"
            now.problems.append(f"{where}{asked}, which gives {there:g} uL. Load more, or take less.")
        now.volumes[move.origin] = there - move.volume
        filled = now.volumes.get(move.target, 0.0) + move.volume
        now.volumes[move.target] = filled
        if filled > holds.get(move.target[0], float("inf")) + _ROUNDED:
            text = f"{where}{' '.join(move.target)} would hold {filled:g} uL of at most {holds[move.target[0]]:g} uL."
            now.problems.append(f"{text} Take less, or a larger vial.")
    return now


def moves_of(protocol: Protocol) -> list[Move]:
    """The liquid of a protocol; a source stands at (its name, "")."""
    found = []
    for number, step in enumerate(protocol.steps, start=1):
        whole = "MoveVial" in step.tags
        if step.action == "Set" or (step.unit != "uL" and not whole):
            continue
        for well, amount in step.amounts.items():
            origin = (step.subject, well_name(*step.origins.get(well, well)))
            origin = origin if step.action == "Transfer" else (step.subject, "")
            found.append(Move(origin, (step.plate, well_name(*well)), None if whole else amount, number))
    return found


def usable(protocol: Protocol, rounding: float = 0.0) -> dict[Spot, float]:
    """What each liquid source gives, its dead volume left behind.

    Args:
        rounding: uL by which a written volume may differ from the plan's; a source gives so much more a pour.
    """
    pours = Counter(step.subject for step in protocol.steps if step.action == "Add" for _ in step.amounts)
    liquids = [source for source in protocol.sources if source.unit == "uL"]
    return {
        (source.name, ""): source.load * (1 - SOURCE_DEAD_VOLUME) + rounding * pours[source.name] for source in liquids
    }


def holds(protocol: Protocol) -> dict[str, float]:
    """What a vial of each plate takes, uL."""
    return {plate.name: plate.vial for plate in protocol.plates}


def differences(tracked: Tracked, protocol: Protocol, run: Run) -> list[str]:
    """Vials whose volume is not the planner's, in sentences, over-draw and overflow first; nothing if all agree."""
    found = list(tracked.problems)
    plates = {plate.name for plate in protocol.plates}
    ours = {(plate, well_name(*well)): vial.volume for (plate, well), vial in run.vials.items()}
    theirs = {spot: volume for spot, volume in tracked.volumes.items() if spot[0] in plates}
    for spot in sorted({*ours, *theirs}):
        planned, written = ours.get(spot, 0.0), theirs.get(spot, 0.0)
        if abs(planned - written) > AGREES:
            found.append(f"{' '.join(spot)} holds {written:g} uL by the written output and {planned:g} uL by the plan.")
    return found
