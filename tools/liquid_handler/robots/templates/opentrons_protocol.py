"""A protocol for the Opentrons Flex, written by Labwright. Simulate it with `opentrons_simulate FILE`.

The racks are drawn with the outlines of a microplate. Measure your own, and replace `rack` by their definition, before
you run this on a robot. What the robot cannot do, such as weighing and capping, is a pause with what has to be done.
"""

from math import ceil, pi
from typing import Any

# protocol: begin
metadata = {"protocolName": "an empty protocol", "source": "Labwright"}
requirements = {"robotType": "Flex", "apiLevel": "2.20"}
# rack: deck slot, module below it, rows, columns, uL that one of its vials takes
RACKS: dict[str, tuple[str, str, int, int, float]] = {}
# uL of a tip: deck slot
TIPS: dict[int, str] = {}
# source, rack, well, uL to load, uL that can be drawn
BOTTLES: list[tuple[str, str, str, float, float]] = []
# step, kind, plate, value, new tip for every pour, text, manner (uL/s, s, strokes and uL),
# pours as (from rack, well, to rack, well, uL)
ACTIONS: list[tuple[int, str, str, float, bool, str, dict[str, Any], list[tuple[str, str, str, str, float]]]] = []
# protocol: end

FASTEST = {"flex_1channel_50": 46.0, "flex_1channel_1000": 727.0}  # uL/s
SLOWEST = {"flex_1channel_50": 0.1, "flex_1channel_1000": 1.0}
PIPETTES = {50: "flex_1channel_50", 200: "flex_1channel_1000", 1000: "flex_1channel_1000"}  # by size of the tip
MOUNTS = {"flex_1channel_50": "left", "flex_1channel_1000": "right"}
TRASH = "A3"
BELOW, ABOVE = 2.0, 1.0  # mm below the surface, and above the bottom, where it draws or delivers if that is asked
ROOM = 25.0  # degC; a module that shall reach it is switched off
COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f")


def rack(rows: int, columns: int, vial: float) -> dict[str, Any]:
    """The definition of a rack of vials on the footprint of a microplate, mm and uL."""
    across, along = 120.0 / columns, 80.0 / rows
    name = f"labwright_{rows}x{columns}_vials_{vial:.0f}ul"
    wells = {
        f"{chr(ord('A') + row)}{column + 1}": {
            "shape": "circular", "diameter": round(0.9 * min(across, along), 2), "depth": 40.0,
            "totalLiquidVolume": vial, "x": round(3.88 + across * (column + 0.5), 2),
            "y": round(82.74 - along * (row + 0.5), 2), "z": 3.0,
        }
        for column in range(columns)
        for row in range(rows)
    }  # fmt: skip
    names = list(wells)
    return {
        "schemaVersion": 2, "version": 1, "namespace": "labwright", "brand": {"brand": "Labwright", "brandId": []},
        "metadata": {"displayName": f"{rows} x {columns} vials of {vial / 1000:g} mL", "displayCategory": "tubeRack",
                     "displayVolumeUnits": "µL", "tags": []},
        "parameters": {"format": "irregular", "isTiprack": False, "isMagneticModuleCompatible": False,
                       "loadName": name, "quirks": []},
        "dimensions": {"xDimension": 127.76, "yDimension": 85.48, "zDimension": 45.0},
        "cornerOffsetFromSlot": {"x": 0, "y": 0, "z": 0}, "wells": wells,
        "ordering": [names[column * rows : (column + 1) * rows] for column in range(columns)],
        "groups": [{"wells": names, "metadata": {}}],
    }  # fmt: skip


class Run:
    """What stands on the deck, and the tip that is held."""

    def __init__(self, protocol: Any) -> None:
        self.protocol = protocol
        protocol.load_trash_bin(TRASH)
        self.modules: dict[str, Any] = {}
        self.racks: dict[str, Any] = {}
        for name, (slot, module, rows, columns, vial) in RACKS.items():
            place: Any = protocol
            if module:
                self.modules[name] = loaded = protocol.load_module(module, slot)
                if module.startswith("heaterShaker"):
                    loaded.close_labware_latch()
                place = loaded
            where = () if module else (slot,)
            self.racks[name] = place.load_labware_from_definition(rack(rows, columns, vial), *where, label=name)
        self.tips = {size: protocol.load_labware(f"opentrons_flex_96_tiprack_{size}ul", TIPS[size]) for size in TIPS}
        self.left = {size: list(labware.wells()) for size, labware in self.tips.items()}
        needed = dict.fromkeys(PIPETTES[size] for size in TIPS)
        self.pipettes = {name: protocol.load_instrument(name, MOUNTS[name]) for name in needed}
        self.held = 0
        self.usual: dict[str, tuple[float, float]] = {}  # uL/s, of each pipette
        self.shaking: dict[str, float] = {}  # by plate, rpm
        self.volumes = {(name, well): load for _, name, well, load, _ in BOTTLES}  # uL in every vial
        self.show_liquids()

    def show_liquids(self) -> None:
        """Names, places and volumes of the sources, for the set-up screen."""
        names = dict.fromkeys(source for source, *_ in BOTTLES)
        liquids = {}
        for number, name in enumerate(names):
            colour = COLOURS[number % len(COLOURS)]
            liquids[name] = self.protocol.define_liquid(name=name, description=name, display_color=colour)
        for source, name, well, load, _ in BOTTLES:
            self.racks[name][well].load_liquid(liquid=liquids[source], volume=load)

    def do(
        self, step: int, kind: str, plate: str, value: float, fresh: bool, text: str, manner: Any, pours: Any
    ) -> None:
        """One action."""
        told = f"Step {step}. {text}"
        if kind == "pour":
            self.protocol.comment(told)
            for shaken in self.shaking:  # nothing is pipetted on or beside a plate that is shaken
                self.modules[shaken].deactivate_shaker()
            for origin, taken, target, well, volume in sorted(pours, key=lambda pour: tip_for(pour[4])):
                self.pour(origin, taken, target, well, volume, fresh, manner)
            self.drop()
            for shaken, speed in self.shaking.items():
                self.shake(self.modules[shaken], speed)
        elif kind == "wait":
            self.protocol.delay(minutes=value, msg=told)
        elif kind in ("heat", "shake") and plate in self.modules:
            self.protocol.comment(told)
            (self.heat if kind == "heat" else self.shake)(self.modules[plate], value)
            if kind == "shake":
                self.shaking = {each: rpm for each, rpm in {**self.shaking, plate: value}.items() if rpm}
        else:
            self.protocol.pause(told)
            for origin, taken, target, well, _ in pours:
                self.volumes[target, well] = self.volumes.pop((origin, taken), 0.0)
                self.protocol.comment(f"carried: {origin} {taken} -> {target} {well}")

    def heat(self, module: Any, value: float) -> None:
        """To a temperature, or off where that is the room's."""
        if hasattr(module, "set_and_wait_for_temperature"):
            module.set_and_wait_for_temperature(value) if value != ROOM else module.deactivate_heater()
        else:
            module.set_temperature(value) if value != ROOM else module.deactivate()

    def shake(self, module: Any, value: float) -> None:
        """At a speed, or stop at 0."""
        module.set_and_wait_for_shake_speed(int(value)) if value else module.deactivate_shaker()

    def pour(
        self, origin: str, taken: str, target: str, well: str, volume: float, fresh: bool, manner: dict[str, Any]
    ) -> None:
        """From one vial to another, in strokes of equal size, with the smallest tip that takes one."""
        size = tip_for(volume)
        pipette = self.pipettes[PIPETTES[size]]
        if fresh or self.held != size:
            self.drop()
            if not self.left[size]:
                self.protocol.pause(f"Replace the rack of {size} uL tips by a full one.")
                self.tips[size].reset()
                self.left[size] = list(self.tips[size].wells())
            pipette.pick_up_tip(self.left[size].pop(0))
            self.held = size
        strokes, source, vial = ceil(volume / size), self.racks[origin][taken], self.racks[target][well]
        self.set_rates(PIPETTES[size], volume, manner)
        # From above, so that one tip serves all vials of a source; a tip for one vial may touch.
        at = manner.get("at", "liquid" if fresh else "above")
        push = {"push_out": 0} if manner.get("blow_out") is False else {}
        if "pre_wet" in manner:
            pipette.mix(manner["pre_wet"], volume / strokes, source)
        place = vial if at == "liquid" else vial.bottom(ABOVE) if at == "bottom" else vial.top(-2)
        for _ in range(strokes):
            self.volumes[origin, taken] = self.volumes.get((origin, taken), 0.0) - volume / strokes
            pipette.aspirate(volume / strokes, self.drawing((origin, taken), source, manner.get("draw_at", "")))
            if "hold" in manner:
                self.protocol.delay(seconds=manner["hold"])
            pipette.dispense(volume / strokes, place, **push)
        self.volumes[target, well] = self.volumes.get((target, well), 0.0) + volume
        if "mix" in manner:
            times, much = manner["mix"]
            self.set_rates(PIPETTES[size], volume, {"draw": manner.get("draw"), "rate": manner.get("draw")})
            pipette.mix(times, min(much, size), vial)
        if manner.get("blow_out"):
            pipette.blow_out(vial.top(-2))
        if at == "wall":
            pipette.touch_tip(vial, v_offset=-2)

    def drawing(self, spot: tuple[str, str], vial: Any, where: str) -> Any:
        """Where the tip draws: just below where the surface will be, at the bottom, or as it always does."""
        surface = 4 * self.volumes[spot] / (pi * vial.diameter**2)
        return vial.bottom(max(ABOVE, surface - BELOW) if where == "top" else ABOVE) if where else vial

    def set_rates(self, name: str, volume: float, manner: dict[str, Any]) -> None:
        """How fast a pipette draws and delivers: as asked, within what it reaches, else as it always does."""
        rates = self.pipettes[name].flow_rate
        usual = self.usual.setdefault(name, (rates.aspirate, rates.dispense))
        rate = volume / manner["over"] if "over" in manner else manner.get("rate")
        drawn, given = (
            min(max(one, SLOWEST[name]), FASTEST[name]) if one else as_always
            for one, as_always in zip((manner.get("draw"), rate), usual, strict=True)
        )
        rates.aspirate, rates.dispense = drawn, given

    def drop(self) -> None:
        """Away with the tip, if there is one."""
        if self.held:
            self.pipettes[PIPETTES[self.held]].drop_tip()
            self.held = 0


def tip_for(volume: float) -> int:
    """The smallest loaded size that takes a volume at once, uL; else the largest."""
    return next((size for size in TIPS if volume <= size), max(TIPS))


def run(protocol: Any) -> None:
    """Called by the robot."""
    robot = Run(protocol)
    for action in ACTIONS:
        robot.do(*action)
