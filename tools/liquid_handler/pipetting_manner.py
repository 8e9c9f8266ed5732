"""How an addition is pipetted: speed, where the tip delivers, mixing, wetting. It changes no amount.

A specification says it in a person's units (`Manner`); a step carries plain numbers (`Pipetting`), which the design
file holds as a description and the robots' scripts as settings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Self

from pydantic import Field, model_validator

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.quantity_fields import Record, Stated

# uL/s. Slow: as Hamilton's class for glycerol draws with a 300 uL tip. Fast: as its class for water dispenses from a
# 1000 uL tip (pylabrobot, liquid_classes/hamilton/star.py). Dropwise: a standard drop, 1/20 mL (Ph. Eur. 2.1.1), each
# second, from above.
SPEEDS = {"slow": 50.0, "fast": 400.0, "dropwise": 50.0}
At = Literal["liquid", "wall", "above", "bottom"]
DrawAt = Literal["top", "bottom"]
_DIMENSIONS = {"rate": "flow", "over": "time", "mix_volume": "volume", "hold": "time"}


@dataclass(frozen=True, slots=True)
class Pipetting:
    """The same as plain numbers; what is 0, empty or None is left to the robot.

    Attributes:
        draw: rate of drawing up, uL/s.
        rate: rate of delivering, uL/s.
        over: how long the delivery into one vial takes, min.
        at: ``liquid``, ``wall``, ``above`` or ``bottom``: where the tip is while it delivers.
        draw_at: ``top`` or ``bottom``: where in the liquid it draws.
        mix: strokes in the vial afterwards, of `mix_volume` uL, or of what was added.
        pre_wet: strokes in the source before.
        hold: how long the tip stays in the source after drawing, s.
        blow_out: whether air follows the last of it.
        new_tip: for every vial.
    """

    draw: float = 0.0
    rate: float = 0.0
    over: float = 0.0
    at: At | Literal[""] = ""
    draw_at: DrawAt | Literal[""] = ""
    mix: int = 0
    mix_volume: float = 0.0
    pre_wet: int = 0
    hold: float = 0.0
    blow_out: bool | None = None
    new_tip: bool = False

    @property
    def touches(self) -> bool:
        """Whether the tip meets what is in the vial, so that the next vial needs another."""
        return self.new_tip or self.mix > 0 or self.at in ("liquid", "wall", "bottom")

    def seconds(self, volume: float) -> float:
        """About how long one vial takes beside the usual, s."""
        drawn = volume / self.draw if self.draw else 0.0
        given = 60 * self.over or (volume / self.rate if self.rate else 0.0)
        strokes = self.mix * (self.mix_volume or volume) + self.pre_wet * volume
        return drawn + given + self.hold + 2 * strokes / (self.draw or self.rate or SPEEDS["fast"])

    def tags(self) -> tuple[str, ...]:
        """What the design file's platform has a tag for."""
        return ("NewTip",) * self.touches + ("Hover",) * (self.at == "above")

    def __str__(self) -> str:
        """As the design file holds it; `read_pipetting` reads it back."""
        said = {
            "draw": f"{self.draw:g} uL/s" * bool(self.draw),
            "deliver": f"{self.rate:g} uL/s" * bool(self.rate),
            "deliver over": f"{self.over:g} min" * bool(self.over),
            "at": self.at,
            "draw at": self.draw_at,
            "mix": f"{self.mix} x {f'{self.mix_volume:g} uL' if self.mix_volume else 'the addition'}" * bool(self.mix),
            "pre-wet": f"{self.pre_wet} x" * bool(self.pre_wet),
            "hold": f"{self.hold:g} s" * bool(self.hold),
            "blow out": {None: "", True: "yes", False: "no"}[self.blow_out],
            "tip": "new for every vial" * self.new_tip,
        }
        return ", ".join(f"{name} {value}" for name, value in said.items() if value)


PLAIN = Pipetting()
_PARTS = re.compile(r"(draw at|draw|deliver over|deliver|at|mix|pre-wet|hold|blow out|tip) (.+)")


def read_pipetting(text: str) -> Pipetting:
    """What `str` of a `Pipetting` says.

    Raises:
        InputError: it is something else.
    """
    found: dict[str, object] = {}
    for part in text.split(", ") if text else ():
        matched = _PARTS.fullmatch(part)
        if matched is None:
            raise InputError(f"{part!r} says nothing about pipetting.")
        name, value = matched[1], matched[2]
        if name == "mix":
            strokes, _, volume = value.partition(" x ")
            found |= {"mix": int(strokes), "mix_volume": 0.0 if volume == "the addition" else float(volume.split()[0])}
        elif name in ("at", "draw at"):
            found[name.replace(" ", "_")] = value
        elif name in ("blow out", "tip"):
            found |= {"new_tip": True} if name == "tip" else {"blow_out": value == "yes"}
        else:
            number = float(value.split()[0])
            field = {"draw": "draw", "deliver": "rate", "deliver over": "over", "pre-wet": "pre_wet"}.get(name, name)
            found[field] = int(number) if field == "pre_wet" else number
    return Pipetting(**found)  # type: ignore[arg-type]


class Manner(Record):
    """How a dose or an addition is pipetted, where the words say more than what and how much.

    Attributes:
        speed: a word for a rate (`SPEEDS`); ``dropwise`` is from above.
        rate: of drawing and delivering, such as 20 uL/s, in place of `speed`.
        over: how long the delivery into one vial takes, in place of `speed`.
        at: ``liquid`` (the tip in the liquid), ``wall`` (touching the side), ``above`` or ``bottom``.
        draw_at: ``top`` (just below the surface) or ``bottom`` of what is drawn from.
        mix: strokes up and down in the vial afterwards, of `mix_volume`, else of the volume added.
        pre_wet: strokes in the source before.
        hold: how long the tip stays in the source after drawing.
        blow_out: whether air follows the last of it; no for no bubbles.
        new_tip: a fresh tip for every vial.
    """

    speed: Literal["slow", "normal", "fast", "dropwise"] | None = None
    rate: Stated | None = None
    over: Stated | None = None
    at: At | None = None
    draw_at: DrawAt | None = None
    mix: int = Field(default=0, ge=0, le=50)
    mix_volume: Stated | None = None
    pre_wet: int = Field(default=0, ge=0, le=10)
    hold: Stated | None = None
    blow_out: bool | None = None
    new_tip: bool = False

    @model_validator(mode="after")
    def _sound(self) -> Self:
        for name, wanted in _DIMENSIONS.items():
            stated: Stated | None = getattr(self, name)
            if stated is not None and (stated.measures != wanted or stated.value <= 0):
                example = {"flow": "20 uL/s", "time": "10 s", "volume": "100 uL"}[wanted]
                raise ValueError(f"The {name} of a manner is {stated}; write one above 0, such as {example}.")
        if sum(one is not None for one in (self.speed, self.rate, self.over)) > 1:
            raise ValueError("A manner has a speed, a rate or an over; give one of the three.")
        if self.mix_volume is not None and not self.mix:
            raise ValueError("A mix_volume needs `mix`: how many strokes.")
        return self

    @property
    def pipetting(self) -> Pipetting:
        """As plain numbers."""
        word = SPEEDS.get(self.speed or "", 0.0)
        rate = self.rate.to("uL/s") if self.rate else word
        return Pipetting(
            draw=_plain(0.0 if self.speed in ("fast", "dropwise") else rate),
            rate=_plain(rate),
            over=_plain(self.over.to("min")) if self.over else 0.0,
            at=self.at or ("above" if self.speed == "dropwise" else ""),
            draw_at=self.draw_at or "",
            mix=self.mix,
            mix_volume=_plain(self.mix_volume.to("uL")) if self.mix_volume else 0.0,
            pre_wet=self.pre_wet,
            hold=_plain(self.hold.to("s")) if self.hold else 0.0,
            blow_out=self.blow_out,
            new_tip=self.new_tip,
        )


def _plain(value: float) -> float:
    """As many digits as the file holds."""
    return float(f"{value:g}")
