"""What is made for pipetting robots and for hands from a protocol, and the tracker of volumes that checks all of it."""

from typing import Literal

Kind = Literal["pylabrobot", "opentrons", "bench"]
OUTPUTS: tuple[Kind, ...] = ("pylabrobot", "opentrons", "bench")
