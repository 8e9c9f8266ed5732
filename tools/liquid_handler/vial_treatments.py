"""What is done to filled vials, in order: mixed, heated, cooled, left to stand, added to, sampled, diluted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.pipetting_manner import PLAIN, Manner, Pipetting
from labwright.tools.liquid_handler.platform import RESOLUTION
from labwright.tools.liquid_handler.quantity_fields import Name, Record, Stated

DIMENSIONS = {"temperature": "temperature", "speed": "rate", "time": "time", "ramp": "heating rate", "every": "time"}
# dimension -> kind of a dose
ADDED = {
    "mass": "mass", "volume": "volume", "moles": "moles", "number": "equivalents", "molarity": "molarity",
    "density": "fraction", "fraction": "fraction", "fold": "fraction",
}  # fmt: skip
_TREATED = {"temperature", "time", "groups", "cap", "atmosphere"}
Atmosphere = Literal["air", "nitrogen", "argon"]
# the fields of each kind, beside `kind`
FIELDS = {
    "mix": _TREATED | {"by", "speed", "sample_at"},
    "heat": _TREATED | {"by", "speed", "ramp", "time_factor", "temperature_factor", "sample_at"},
    "cool": _TREATED | {"by", "speed"},
    "wait": _TREATED | {"sample_at"},
    "add": {
        *"substance amount up_to factor via basis reference".split(),
        *"groups portions every manner cap by speed temperature from_vials".split(),
    },
    "sample": set(),
}
_ELSEWHERE = {
    "by": "For movement write `kind: mix`, `heat` or `cool` with `by`, `speed` and `time`",
    "time_factor": "A `time_factor` belongs to `kind: heat`: each vial moves to a hot plate for its own time, and back."
    " At room temperature take samples (`sample_at`), or make a run a time",
    "ramp": "A ramp belongs to heating",
    "sample_at": "Samples are taken during `heat`, `mix` or `wait`, or now with `kind: sample`",
    "substance": "To add something write `kind: add`",
}


class Condition(Record):
    """One thing done to all vials, or to those of some groups, in order.

    Attributes:
        kind: ``mix``, ``heat``, ``cool`` (back to `temperature`, else 25 degC), ``wait``, ``add``, or ``sample`` (a
            portion now, as `sampling` says); a mix or wait at a `temperature` is heated to it while it lasts.
        by: for ``mix``, ``heat`` and ``cool``: vortex or stir while it lasts. None for ``mix`` means vortex; for
            ``heat`` it means stir, unless no vial holds more than one thing. ``none``: a heated vial stands still.
            ``add`` with ``stir``, a `speed` or a `temperature`: into vials that are stirred or at it meanwhile.
        time_factor: for ``heat``: a factor of the groups that gives each vial its own time (a time course).
        temperature_factor: for ``heat``: a factor whose levels are the temperatures; each level has a plate.
        ramp: for ``heat``: how fast, such as `2 degC/min`; `time` begins when the temperature is reached, and may be
            left out.
        cap: whether the vials are capped while it lasts, if otherwise than in the rest of the protocol; of ``add``:
            false opens them during the treatment before, true caps them during the next.
        atmosphere: what a person brings the open vials under while it lasts, if otherwise than the protocol's.
        groups: the groups that it is done to; all if empty. Heated, mixed and cooled is a plate as a whole.
        sample_at: times from its beginning at which `sampling` takes a portion of every vial; 0 is just before it.
        substance: for ``add``: a chemical, a stock, or a factor over chemicals.
        from_vials: for ``add``, in place of `substance`: a group; a volume out of its vials goes into those of
            `groups`, from one to all, or from each, in order, to as many as from any other.
        amount: for ``add``, of each vial: a mass, a volume, moles, equivalents of `reference`, or the concentration
            that it comes to in the vial then (in the finished vial, where the group's total is final).
        up_to: for ``add``, in place of `amount`: the volume of the vial afterwards.
        factor: for ``add``: a factor of amounts in place of `amount`.
        portions: for ``add``: in how many equal portions the amount goes in.
        every: from the beginning of one portion to that of the next, if they are not at once.
        via: for ``add``: the stock that brings the substance; the amount is then the solute's.
        manner: for ``add``: how it is pipetted.
    """

    kind: Literal["mix", "heat", "cool", "wait", "add", "sample"]
    by: Literal["vortex", "stir", "none"] | None = None
    temperature: Stated | None = None
    temperature_factor: str | None = None
    speed: Stated | None = None
    time: Stated | None = None
    time_factor: str | None = None
    ramp: Stated | None = None
    cap: bool | None = None
    atmosphere: Atmosphere | None = None
    groups: list[Name] = Field(default=[])
    sample_at: list[Stated] = Field(default=[], max_length=24)
    substance: Name | None = None
    from_vials: Name | None = None
    amount: Stated | None = None
    up_to: Stated | None = None
    factor: str | None = None
    via: Name | None = None
    basis: Literal["w/v", "v/v"] | None = None
    reference: Name | None = None
    portions: int = Field(default=1, ge=1, le=50)
    every: Stated | None = None
    manner: Manner | None = None

    @model_validator(mode="after")
    def _fields(self) -> Self:
        fields = type(self).model_fields
        given = {
            name
            for name in self.model_fields_set - {"kind"}
            if getattr(self, name) not in (None, "", [], fields[name].default)
        }
        given -= {"by"} if self.by == "none" else set()  # a vial that is left alone stands still anyway
        for name in sorted(given - FIELDS[self.kind]):
            why = _ELSEWHERE.get(name, f"Leave it out, or write {', '.join(sorted(FIELDS[self.kind]))}")
            raise ValueError(f"`kind: {self.kind}` has no {name}. {why}.")
        for name, wanted in DIMENSIONS.items():
            stated: Stated | None = getattr(self, name)
            if stated is not None and stated.measures != wanted:
                raise ValueError(f"The {name} of {self.kind!r} is {stated}, which is not a {wanted}.")
        if self.kind == "add":
            self._addition()
        if self.time is not None and self.time.value < 0:
            raise ValueError(f"The time of {self.kind!r} is {self.time}; give one above 0.")
        return self

    @model_validator(mode="after")
    def _treatment(self) -> Self:
        if self.kind == "mix" and self.by == "none":
            raise ValueError("Mixing by none is no mixing; leave it out, or say vortex or stir.")
        if self.ramp is not None and (self.time_factor or self.temperature_factor or self.ramp.value <= 0):
            raise ValueError("A ramp belongs to heating without a factor, and is above 0, such as `2 degC/min`.")
        if self.temperature is not None and self.temperature_factor:
            raise ValueError("Give a temperature or a temperature_factor, one of the two.")
        if self.time_factor and (
            self.time or self.sample_at or self.temperature_factor or self.groups or self.atmosphere
        ):
            raise ValueError("A time_factor is for all vials, without time, groups, samples, gas or other factor.")
        if self.atmosphere and self.cap:
            raise ValueError(f"Capped vials keep their gas; for {self.atmosphere} let them open (`cap: false`).")
        self._samples()
        return self

    def _addition(self) -> None:
        where = f"The addition of {self.substance or self.from_vials!r}"
        if self.from_vials is not None and (
            self.substance or self.via or self.reference or self.basis or self.up_to or self.portions > 1
        ):
            raise ValueError(
                f"{where} is a portion of vials: it takes an amount or a factor, and groups, nothing else."
            )
        if self.from_vials is not None and (not self.groups or self.from_vials in self.groups):
            raise ValueError(f"{where} is a portion of vials: name in `groups` the other groups that get it.")
        if (
            bool(self.substance) == bool(self.from_vials)
            or sum(one is not None for one in (self.amount, self.factor, self.up_to)) != 1
        ):
            raise ValueError(
                "`kind: add` needs a substance or `from_vials`, and an amount, a factor or an up_to (one of the three)."
            )
        if self.up_to is not None and (self.up_to.measures != "volume" or self.via or self.reference):
            raise ValueError(f"{where} up to {self.up_to}: give a volume, without `via` and `reference`.")
        if self.amount is not None and self.amount.measures not in ADDED:
            raise ValueError(f"{where} is {self.amount}; give a mass, a volume, moles, equivalents or a concentration.")
        if self.from_vials and self.amount is not None and self.amount.measures != "volume":
            raise ValueError(f"{where} is {self.amount}; a portion of vials is a volume.")
        if self.amount is not None and self.amount.measures == "number" and self.reference is None:
            raise ValueError(f"{where} is {self.amount}: name its unit, or for equivalents the `reference` substance.")
        if self.amount is not None and self.amount.value < 0:
            raise ValueError(f"{where} is {self.amount}; give an amount above 0.")
        if self.by == "vortex":
            raise ValueError(
                f"{where} by vortex: nothing can be pipetted into a plate that is vortexed. Add `by: stir`, or mix"
                " before and after it."
            )
        if self.speed is not None:
            object.__setattr__(self, "by", "stir")
        if self.every is not None and (self.portions == 1 or self.every.value <= 0):
            raise ValueError(f"{where} every {self.every}: say in how many `portions`, and a time above 0.")

    def _samples(self) -> None:
        for stated in self.sample_at:
            if stated.measures != "time" or stated.value < 0:
                raise ValueError(f"A sample is taken at {stated}, which is not a time.")
        minutes = self.minutes
        if minutes != sorted(set(minutes)):
            raise ValueError("The times of `sample_at` must rise.")
        if minutes and self.time is not None and minutes[-1] > self.time.to("min") + 1e-9:
            raise ValueError(f"A sample at {self.sample_at[-1]} comes after the {self.time} of {self.kind!r}.")

    def closed(self, otherwise: bool) -> bool:
        """Whether the vials are capped while it lasts; another gas comes to open ones only."""
        return otherwise and self.atmosphere is None if self.cap is None else self.cap

    @property
    def tempers(self) -> bool:
        """Whether it sets the temperature of its plates."""
        return self.kind in ("heat", "cool") or (self.kind == "add" and self.temperature is not None)

    @property
    def samples(self) -> bool:
        """Whether portions are taken."""
        return self.kind == "sample" or bool(self.sample_at)

    @property
    def minutes(self) -> list[float]:
        """When samples are taken, min after the beginning."""
        if self.kind == "sample":
            return [0.0]
        return [stated.to("min") for stated in self.sample_at]

    @property
    def lasts(self) -> Stated | None:
        """How long it goes on: as stated, or until the last sample."""
        return self.time or (self.sample_at[-1] if self.sample_at else None)

    def concerns(self, group: str) -> bool:
        """Whether it is done to that group's vials."""
        return not self.groups or group in self.groups


class SecondPlate(Record):
    """Vials that are filled from vials.

    Attributes:
        conditions: what is done to the second plate afterwards; ``add`` there takes a volume, or an `up_to`.
        vial_volume: of its vials; the smallest that fit if it is not said.
        manner: how the portions are pipetted.
        places: ``in turn`` (rows, time by time), ``columns`` or ``rows`` (each time begins one, the vials in their
            order along it), or ``same`` (each in the well of its vial).
    """

    conditions: list[Condition] = Field(default=[])
    vial_volume: Stated | None = None
    manner: Manner | None = None
    places: Literal["in turn", "columns", "rows", "same"] = "in turn"

    @property
    def ready(self) -> tuple[str, float]:
        """What every vial holds before its portion: the name of a liquid, and uL."""
        raise NotImplementedError

    @property
    def portion(self) -> float:
        """uL that come into every vial."""
        raise NotImplementedError

    @property
    def pipetting(self) -> Pipetting:
        """How the portions are pipetted."""
        return self.manner.pipetting if self.manner else PLAIN

    @property
    def added(self) -> list[tuple[str, float]]:
        """What conditions add to every vial, in order: the name of a liquid, and uL.

        Raises:
            InputError: a vial shall be filled up to less than it holds.
        """
        now, found = self.ready[1] + self.portion, list[tuple[str, float]]()
        for one in (one for one in self.conditions if one.kind == "add"):
            if one.up_to is not None and one.up_to.to("uL") < now:
                raise InputError(f"{one.substance!r} fills up to {one.up_to}, but the vial holds {now:g} uL by then.")
            volume = one.up_to.to("uL") - now if one.up_to else one.amount.to("uL") if one.amount else 0.0
            found.append((str(one.substance), round(volume, RESOLUTION)))
            now += volume
        return found


class Workup(SecondPlate):
    """What is done with a portion of every vial afterwards: a dilution into a second plate.

    Attributes:
        factor: the dilution factor.
        convention: ``total`` (10 = 1 part in 10 parts, 1 + 9) or ``added`` (10 = 1 part + 10 parts).
    """

    kind: Literal["dilute"] = "dilute"
    factor: Stated
    convention: Literal["total", "added"] = "total"
    total_volume: Stated
    diluent: Name

    @model_validator(mode="after")
    def _plain(self) -> Self:
        _demand_plain(self.conditions)
        if self._parts <= 1:
            raise ValueError(f"A dilution factor of {self.factor} dilutes nothing; give one above 1.")
        return self

    @property
    def _parts(self) -> float:
        """How many parts one part of sample is in the end."""
        return self.factor.to("") + (self.convention == "added")

    @property
    def portion(self) -> float:
        return round(self.total_volume.to("uL") / self._parts, RESOLUTION)

    @property
    def ready(self) -> tuple[str, float]:
        return self.diluent, round(self.total_volume.to("uL") - self.portion, RESOLUTION)


class Sampling(SecondPlate):
    """Portions of every vial at the times of `sample_at`, each into a vial of its own on a second plate.

    Attributes:
        volume: of each portion.
        quench: what stands ready in the vials of the second plate; with its `quench_volume`.
        groups: the groups that are sampled; all if empty.
    """

    volume: Stated
    quench: Name | None = None
    quench_volume: Stated | None = None
    groups: list[Name] = Field(default=[])

    @model_validator(mode="after")
    def _volumes(self) -> Self:
        for stated in filter(None, (self.volume, self.quench_volume)):
            if stated.measures != "volume" or stated.value <= 0:
                raise ValueError(f"Sampling takes volumes above 0, but {stated} is given.")
        if (self.quench is None) != (self.quench_volume is None):
            raise ValueError("Sampling needs the quench with its quench_volume, or neither (into empty vials).")
        _demand_plain(self.conditions)
        return self

    @property
    def portion(self) -> float:
        return round(self.volume.to("uL"), RESOLUTION)

    @property
    def ready(self) -> tuple[str, float]:
        return self.quench or "", self.quench_volume.to("uL") if self.quench_volume else 0.0

    def concerns(self, group: str) -> bool:
        """Whether that group's vials are sampled."""
        return not self.groups or group in self.groups


def _demand_plain(conditions: Sequence[Condition]) -> None:
    """The second plate is treated as a whole, and volumes are added to it.

    Raises:
        ValueError: a condition of it wants more.
    """
    for one in conditions:
        if one.groups or one.samples or one.time_factor or one.temperature_factor:
            raise ValueError("The second plate is treated as a whole: without groups, samples or factors.")
        amount = one.amount or one.up_to
        by_volume = amount is not None and amount.measures == "volume" and one.substance and not one.via
        if one.kind == "add" and (not by_volume or one.portions > 1):
            raise ValueError("To the second plate a volume of a substance or stock is added, or `up_to` a volume.")
