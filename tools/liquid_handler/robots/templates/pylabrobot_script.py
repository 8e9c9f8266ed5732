"""A protocol for PyLabRobot, written by Labwright. Run it with the package `pylabrobot` installed:

python FILE                  simulates on the chatterbox backend and prints the volume of every vial
python FILE --log LOG.json   writes every move, and the volumes that PyLabRobot's trackers hold in the end
python FILE --robot          runs on a Hamilton STAR; another robot wants another `backend` and `deck`, below

Racks are drawn with the outlines of a microplate. Measure your own before you use them on a robot.
"""

import argparse
import asyncio
import contextlib
import io
import json
import sys
from math import ceil
from pathlib import Path
from typing import Any

from pylabrobot.liquid_handling import LiquidHandler
from pylabrobot.liquid_handling.backends import LiquidHandlerChatterboxBackend
from pylabrobot.liquid_handling.standard import Mix
from pylabrobot.resources import (
    PLT_CAR_L5AC_A00,
    TIP_CAR_480_A00,
    Coordinate,
    Plate,
    STARDeck,
    Well,
    create_ordered_items_2d,
    hamilton_96_tiprack_50uL_filter,
    hamilton_96_tiprack_300uL_filter,
    hamilton_96_tiprack_1000uL_filter,
    set_tip_tracking,
    set_volume_tracking,
)
from pylabrobot.resources.errors import TooLittleLiquidError, TooLittleVolumeError

# protocol: begin
TITLE = "an empty protocol"
# rack: rows, columns, uL that one of its vials takes
RACKS: dict[str, tuple[int, int, float]] = {}
# source, rack, well, uL to load, uL that can be drawn
BOTTLES: list[tuple[str, str, str, float, float]] = []
# step, kind, plate, value, new tip for every pour, text, manner (uL/s, s, strokes and uL),
# pours as (from rack, well, to rack, well, uL)
ACTIONS: list[tuple[int, str, str, float, bool, str, dict[str, Any], list[tuple[str, str, str, str, float]]]] = []
# protocol: end

TIPS = {50.0: hamilton_96_tiprack_50uL_filter, 300.0: hamilton_96_tiprack_300uL_filter}
TIPS |= {1000.0: hamilton_96_tiprack_1000uL_filter}
SLOWEST, FASTEST = 0.4, 500.0  # uL/s, of a STAR
MIXING = 120.0  # uL/s, as Hamilton's class for water mixes
TOP, WALL = 2.0, 1.0  # mm below the rim, and from the wall, where the tip delivers
BELOW, ABOVE = 2.0, 1.0  # mm below the surface, and above the bottom, where it draws or delivers if that is asked
RACKS_OF_TIPS = 3  # of each size
CARRIERS = 6  # plate carriers that fit beside the tips, five places each


def rack(name: str, rows: int, columns: int, vial: float) -> Plate:
    """A rack of vials on the footprint of a microplate (127.76 x 85.48 mm)."""
    across, along = 120.0 / columns, 80.0 / rows
    size = 0.9 * min(across, along)
    layout = {"num_items_x": columns, "num_items_y": rows, "item_dx": across, "item_dy": along}
    margins = {"dx": 3.88 + (across - size) / 2, "dy": 2.74 + (along - size) / 2, "dz": 3.0}
    vials = create_ordered_items_2d(Well, **layout, **margins, size_x=size, size_y=size, size_z=40.0, max_volume=vial)
    return Plate(name, size_x=127.76, size_y=85.48, size_z=45.0, ordered_items=vials)


def tip_for(volume: float) -> float:
    """The smallest size that takes a volume at once, uL; else the largest."""
    return next((size for size in TIPS if volume <= size), max(TIPS))


def drawing(vial: Any, volume: float, where: str) -> float:
    """How high above the bottom the tip draws, mm: just below where the surface will be, or at the bottom."""
    surface = (vial.tracker.get_used_volume() - volume) / (vial.get_size_x() * vial.get_size_y())
    return max(ABOVE, float(surface) - BELOW) if where == "top" else ABOVE


def within(rate: float | None) -> float | None:
    """A rate that the robot reaches; None where none is asked."""
    return None if rate is None else min(max(rate, SLOWEST), FASTEST)


class Run:
    """The robot, its racks and tips, and the log of what was done."""

    def __init__(self, attended: bool) -> None:
        self.attended = attended
        self.robot = LiquidHandler(backend=backend(attended), deck=STARDeck())
        self.racks = {name: rack(name, *size) for name, size in RACKS.items()}
        self.tips: dict[float, list[Any]] = {}
        self.held = 0.0  # size of the tip on the channel, uL
        self.moves: list[dict[str, Any]] = []

    def lay_out(self) -> None:
        """Tips to the left, racks in carriers to the right of them."""
        tips = [TIP_CAR_480_A00(name=f"tips {number}") for number in (1, 2)]
        wanted = [(size, n) for size in TIPS for n in range(RACKS_OF_TIPS)]
        for place, (size, number) in enumerate(wanted):
            tips[place // 5][place % 5] = one = TIPS[size](name=f"{size:g} uL tips {number + 1}")
            self.tips.setdefault(size, []).extend(one.get_all_items())
        carriers = [PLT_CAR_L5AC_A00(name=f"racks {number + 1}") for number in range(ceil(len(self.racks) / 5))]
        if len(carriers) > CARRIERS:
            raise SystemExit(f"{len(self.racks)} racks do not fit on the deck; at most {5 * CARRIERS} do.")
        for place, one in enumerate(self.racks.values()):
            carriers[place // 5][place % 5] = one
        for number, carrier in enumerate((*tips, *carriers)):
            self.robot.deck.assign_child_resource(carrier, rails=1 + 6 * number)
        for _, name, well, _, usable in BOTTLES:
            self.racks[name][well][0].tracker.set_volume(usable)

    async def do(self, step: int, kind: str, value: float, fresh: bool, text: str, manner: Any, pours: Any) -> None:
        """One action."""
        if kind == "pour":
            for origin, taken, target, well, volume in sorted(pours, key=lambda pour: tip_for(pour[4])):
                with explained(f"Step {step}, {origin} {taken} to {target} {well}, {volume:g} uL"):
                    await self.pour(self.racks[origin][taken], self.racks[target][well], volume, fresh, manner)
                self.note(step, origin, taken, target, well, volume)
            await self.drop()
            return
        for origin, taken, target, well, _ in pours:  # whole vials, by hand
            left, right = self.racks[origin][taken][0].tracker, self.racks[target][well][0].tracker
            volume = left.get_used_volume()
            left.set_volume(0.0)
            right.set_volume(volume)
            self.note(step, origin, taken, target, well, None)
        if not self.attended:
            return
        if kind == "wait":
            await asyncio.sleep(60 * value)
        else:
            input(f"Step {step}. {text} Press Enter when it is done. ")

    async def pour(self, origin: Any, target: Any, volume: float, fresh: bool, manner: dict[str, Any]) -> None:
        """From one vial to another, in strokes of equal size, with the smallest tip that takes one."""
        size = tip_for(volume)
        if fresh or self.held != size:
            await self.drop()
            if not self.tips[size]:
                raise SystemExit(f"No {size:g} uL tip is left. Set RACKS_OF_TIPS higher, or load more in between.")
            await self.robot.pick_up_tips([self.tips[size].pop(0)])
            self.held = size
        strokes, well = ceil(volume / size), target[0]
        each, at = volume / strokes, manner.get("at", "liquid" if fresh else "above")
        drawn, given = within(manner.get("draw")), within(manner.get("rate"))
        given = within(volume / manner["over"]) if "over" in manner else given
        # From above, so that one tip serves all vials of a source; a tip for one vial may touch.
        place = {"offsets": [Coordinate(x=well.get_size_x() / 2 - WALL)]} if at == "wall" else {}
        heights = {"bottom": ABOVE, "wall": well.get_size_z() - TOP, "above": well.get_size_z() - TOP}
        place |= {"liquid_height": [heights[at]]} if at in heights else {}
        air = {"blow_out_air_volume": [20.0 if manner["blow_out"] else 0.0]} if "blow_out" in manner else {}
        for stroke in range(strokes):
            wet = [Mix(each, manner["pre_wet"], drawn or MIXING)] if "pre_wet" in manner and not stroke else None
            depth = {"liquid_height": [drawing(origin[0], each, manner["draw_at"])]} if "draw_at" in manner else {}
            await self.robot.aspirate(origin, vols=[each], flow_rates=[drawn], mix=wet, **depth)
            await asyncio.sleep(manner.get("hold", 0.0) if self.attended else 0.0)
            times, much = manner.get("mix", (0, 0.0)) if stroke == strokes - 1 else (0, 0.0)
            mixed = [Mix(min(much, size), times, drawn or MIXING)] if times else None
            await self.robot.dispense(target, vols=[each], flow_rates=[given], mix=mixed, **place, **air)

    async def drop(self) -> None:
        """Away with the tip, if there is one."""
        if self.held:
            await self.robot.discard_tips()
            self.held = 0.0

    def note(self, step: int, origin: str, taken: str, target: str, well: str, volume: float | None) -> None:
        """Into the log."""
        self.moves.append({"step": step, "from": [origin, taken], "to": [target, well], "uL": volume})

    def volumes(self) -> dict[str, dict[str, float]]:
        """What PyLabRobot's trackers hold."""
        return {
            name: {well.get_identifier(): well.tracker.get_used_volume() for well in one.get_all_items()}
            for name, one in self.racks.items()
        }


@contextlib.contextmanager
def explained(where: str) -> Any:
    """Over-draw and overflow with their place in the protocol."""
    try:
        yield
    except TooLittleLiquidError as error:
        raise SystemExit(f"{where}: PyLabRobot cannot draw what is asked. {error} Load more, or take less.") from error
    except TooLittleVolumeError as error:
        raise SystemExit(f"{where}: the vial would overflow in PyLabRobot. {error} Take less.") from error


def backend(attended: bool) -> Any:
    """The robot's own backend where somebody attends, the simulated one else."""
    if not attended:
        return LiquidHandlerChatterboxBackend(num_channels=8)
    from pylabrobot.liquid_handling.backends import STARBackend

    return STARBackend()


async def main(attended: bool) -> dict[str, Any]:
    """Run the protocol; the log."""
    set_tip_tracking(True)
    set_volume_tracking(True)
    run = Run(attended)
    await run.robot.setup()
    try:
        run.lay_out()
        for step, kind, _, value, fresh, text, manner, pours in ACTIONS:
            await run.do(step, kind, value, fresh, text, manner, pours)
    finally:
        await run.robot.stop()
    return {"title": TITLE, "moves": run.moves, "volumes": run.volumes()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", action="store_true", help="run on the robot, and wait for people")
    parser.add_argument("--log", type=Path, help="file for the log, JSON")
    options = parser.parse_args()
    with contextlib.redirect_stdout(io.StringIO() if not options.robot else sys.stdout):  # it prints every stroke
        log = asyncio.run(main(options.robot))
    if options.log:
        options.log.write_text(json.dumps(log))
    for rack_name, vials in log["volumes"].items():
        full = {vial: round(volume, 3) for vial, volume in vials.items() if volume}
        sys.stdout.write(f"{rack_name}: {full}\n")
