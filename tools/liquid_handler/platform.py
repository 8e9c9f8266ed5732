"""Facts of the platform (a Big Kahuna deck with its usual arrays) and the numbers we chose where none is published.

Volumes in uL, masses in mg, times in min, temperatures in degC, rates in rpm.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Array:
    """A plate of vials. `cappable`: the deck can screw and unscrew the caps by itself."""

    rows: int
    columns: int
    vial: float  # nominal volume, uL
    cappable: bool

    @property
    def size(self) -> int:
        """How many vials."""
        return self.rows * self.columns


# Published: rows x columns by vial; 1, 1.2 and 125 mL vials cannot be capped automatically.
ARRAYS = (
    Array(8, 12, 1000.0, False),
    Array(8, 12, 1200.0, False),
    Array(6, 8, 2000.0, True),
    Array(4, 6, 4000.0, True),
    Array(4, 6, 8000.0, True),
    Array(2, 4, 20000.0, True),
    Array(1, 2, 125000.0, False),
)
MAX_PLATES = 2
MIN_FILL, MAX_FILL = 0.10, 0.80
HEATING_MIN, HEATING_MAX = 25.0, 180.0
MAX_STIR, MAX_VORTEX = 700.0, 1000.0
TIPS = (10.0, 25.0, 50.0, 100.0, 250.0, 1000.0, 10000.0)
TIP_MIN, TIP_MAX = 0.25, 0.90
ROOM = 25.0

# Our choices; change them here for another deck.
DEFAULT_STIR, DEFAULT_VORTEX = 500.0, 800.0
DEFAULT_MIX_TIME = 5.0
SERIES_MIX_TIME = 1.0  # min of stirring between the transfers of a serial dilution
SYRINGE_MIN = 10.0  # smallest volume the syringe pump doses well; below it a positive-displacement tip is taken
MIN_DISPENSE = TIPS[0] * TIP_MIN
MIN_WEIGHABLE = 1.0  # mg; powder dosing is not trusted below
COOLING_TIME_CONSTANT = 10.0  # min; a heated plate falls to room temperature exponentially
SAFE_TO_OPEN = 40.0  # degC
COOLED_WITHIN = 2.0  # degC of the target counts as cooled completely
PER_MOVE, PER_CAP = 0.2, 0.1  # min a vial, to take a portion or move it, and to cap or open it; measured on no robot
SOURCE_DEAD_VOLUME = 0.10  # share of a source that cannot be drawn
SOURCE_MIN_DEAD = 500.0  # uL
DEAD_VOLUME = (
    f"More is put out than is used: {100 * SOURCE_DEAD_VOLUME:g} % of a liquid, at least {SOURCE_MIN_DEAD:g} uL, is the"
    " dead volume that a robot cannot draw from its vial."
)
RESOLUTION = 3  # decimals of uL and mg in the file
MAX_SOURCES = 24  # positions for source vials and bottles on the deck


def well_name(row: int, column: int) -> str:
    """``A1`` for row 0, column 0."""
    return f"{chr(ord('A') + row)}{column + 1}"
