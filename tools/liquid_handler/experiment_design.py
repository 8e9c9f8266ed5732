"""An experiment as typed data: what a person asked for, before any amount is computed.

Every number is a `Stated`: value and unit. Chemicals and stocks are referred to by name.
The planner reads nothing else.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

import yaml
from pydantic import Field, model_validator

from labwright.tools.liquid_handler.pipetting_manner import Manner
from labwright.tools.liquid_handler.platform import DEFAULT_MIX_TIME, ROOM
from labwright.tools.liquid_handler.quantity_fields import Name, Record, Stated
from labwright.tools.liquid_handler.substances import Basis, ChemicalUse, Stock
from labwright.tools.liquid_handler.vial_treatments import ADDED, Atmosphere, Condition, Sampling, Workup

DoseKind = Literal["mass", "volume", "moles", "molarity", "fraction", "equivalents", "share", "remainder"]
# what a dose's amount must measure; a share's amount is the total molarity that the shares divide
DOSE_DIMENSIONS = {
    "mass": {"mass"}, "volume": {"volume"}, "moles": {"moles"}, "molarity": {"molarity"},
    "fraction": {"fraction", "density", "fold"}, "equivalents": {"number"}, "share": {"molarity"},
}  # fmt: skip
DILUTION = "dilution"  # the label of a vial in a serial dilution
MAX_VIALS = 2 * 96


class Factor(Record):
    """Something that varies: amounts (`levels`) or which chemical (`chemicals`), one of the two."""

    name: Name
    levels: list[Stated] = Field(default=[])
    chemicals: list[Name] = Field(default=[])

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if bool(self.levels) == bool(self.chemicals):
            raise ValueError(f"Factor {self.name!r} needs either levels or chemicals, one of the two.")
        return self

    @property
    def size(self) -> int:
        """How many levels."""
        return len(self.levels) or len(self.chemicals)


Remark = Annotated[str, Field(min_length=1, max_length=500)]


class Constraint(Record):
    """Where the factors of `when` take these levels, those of `only` may take just these.

    Levels are written as text: a chemical's name or an amount such as ``"20 mg"``.
    """

    when: dict[str, list[str]]
    only: dict[str, list[str]]


class Dose(Record):
    """How much of one substance goes into each vial of a group.

    Attributes:
        substance: name of a chemical or stock, or of a factor over chemicals.
        kind: what `amount` counts. ``molarity`` and ``fraction`` are of the final mixture; ``share`` divides the
            total molarity `amount` by `parts` among all shares of the group; ``remainder`` fills up to the total.
        amount: the same in every vial; or leave it out and name the `factor` whose level it is.
        parts: for ``share``: this substance's parts (a number, or a factor's name in `parts_factor`).
        via: the stock that delivers the substance; then mass, moles, molarity and fraction are the solute's.
        basis: for ``fraction``: of what (v/v, w/v, w/w of the final mixture).
        reference: for ``equivalents``: the substance that counts as one.
        comes_to: what the words say that it comes to, where they give it twice (equivalents and a volume).
        manner: how it is pipetted, where that is said.
        weighed: a solid that a person weighs in, or that is in the vials already: the robot adds none.
    """

    substance: Name
    kind: DoseKind
    amount: Stated | None = None
    factor: str | None = None
    parts: Stated | None = None
    parts_factor: str | None = None
    via: Name | None = None
    basis: Basis | None = None
    reference: Name | None = None
    comes_to: Stated | None = None
    manner: Manner | None = None
    weighed: bool = False

    @model_validator(mode="after")
    def _complete(self) -> Self:
        where = f"The dose of {self.substance!r}"
        if self.comes_to is not None and self.comes_to.measures not in ("mass", "volume", "moles"):
            raise ValueError(f"{where} comes to {self.comes_to}; give a mass, a volume or moles.")
        if self.kind == "remainder":
            return self
        if (self.amount is None) == (self.factor is None):
            raise ValueError(f"{where} needs an amount or a factor, one of the two.")
        if self.amount is not None and self.amount.measures not in DOSE_DIMENSIONS[self.kind]:
            raise ValueError(f"{where} is a {self.kind}, which {self.amount} is not.")
        if self.kind == "equivalents" and self.reference is None:
            raise ValueError(f"{where} in equivalents needs a reference substance.")
        if self.kind == "share" and (self.parts is None) == (self.parts_factor is None):
            raise ValueError(f"{where} is a share: give its parts or a parts_factor, one of the two.")
        return self


class Serial(Record):
    """A serial dilution: every vial gives a portion to the next, which holds the diluent for it.

    Attributes:
        factor: how much more dilute each vial is than the one before: 2 is 1 part in 2 parts.
        steps: how many vials follow the first, which is made by the doses of the group.
        transfer: what goes from vial to vial; or `total_volume` of each dilution as it is made.
    """

    factor: Stated
    steps: int = Field(ge=1, le=23)
    diluent: Name
    transfer: Stated | None = None
    total_volume: Stated | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.factor.measures != "number" or self.factor.value <= 1:
            raise ValueError(f"A dilution factor is a number above 1, but {self.factor} is given.")
        stated = self.transfer or self.total_volume
        if stated is None or (self.transfer and self.total_volume):
            raise ValueError("A serial dilution needs a transfer or a total_volume, one of the two.")
        if stated.measures != "volume" or stated.value <= 0:
            raise ValueError(f"A serial dilution takes a volume above 0, but {stated} is given.")
        return self

    @property
    def portion(self) -> float:
        """What goes from vial to vial, uL."""
        if self.transfer is not None:
            return self.transfer.to("uL")
        assert self.total_volume is not None
        return self.total_volume.to("uL") / self.factor.to("")


class Group(Record):
    """Vials that are made alike: factors, how their levels combine, and the doses.

    Attributes:
        combine: ``cross`` (every level with every level), ``zip`` (first with first, ...) or ``explicit`` (`rows`).
        rows: for ``explicit``: one mapping a vial, factor name to level (chemical's name or amount as text).
        total_volume: of the finished mixture.
        total_mass: of the finished mixture, in place of `total_volume`.
        total_is: ``filled`` (what stands there before the conditions) or ``final`` (with what the conditions add).
        total_includes: ``liquids`` (a solid's own volume is not counted, as the platform does) or ``everything``.
        serial: each vial of the group, diluted step by step into further vials.
        vial_volume: of its vials, if otherwise than the others': they then stand on a plate of their own.
    """

    name: str = "samples"
    factors: list[Factor] = Field(default=[])
    combine: Literal["cross", "zip", "explicit"] = "cross"
    rows: list[dict[str, str]] = Field(default=[])
    constraints: list[Constraint] = Field(default=[])
    doses: list[Dose] = Field(min_length=1)
    replicates: int = Field(default=1, ge=1, le=MAX_VIALS)
    total_volume: Stated | None = None
    total_mass: Stated | None = None
    total_is: Literal["filled", "final"] = "filled"
    total_includes: Literal["liquids", "everything"] = "liquids"
    serial: Serial | None = None
    vial_volume: Stated | None = None
    expect: int | None = Field(default=None, ge=1, le=MAX_VIALS, description="How many vials the group has, as said.")
    wells: list[Annotated[str, Field(pattern=r"^[A-H](?:[1-9]|1[0-2])$")]] = Field(
        default=[], max_length=MAX_VIALS, description="Wells of its vials in their order, on the first plate."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [factor.name for factor in self.factors]
        if len(set(names)) != len(names):
            raise ValueError(f"Group {self.name!r} has two factors of one name.")
        if self.serial is not None and DILUTION in names:
            raise ValueError(f"Group {self.name!r} is diluted in series, so no factor may be called {DILUTION!r}.")
        used = {dose.factor for dose in self.doses} | {dose.parts_factor for dose in self.doses}
        for missing in sorted(filter(None, used - set(names) - {None})):
            raise ValueError(f"Group {self.name!r} has a dose by factor {missing!r}, but no such factor.")
        if self.combine == "zip" and len({factor.size for factor in self.factors}) > 1:
            raise ValueError(f"Group {self.name!r} pairs factors of different length; make them equally long.")
        if self.combine == "explicit" and not self.rows:
            raise ValueError(f"Group {self.name!r} is explicit but lists no rows.")
        for what, total in (("volume", self.total_volume), ("mass", self.total_mass)):
            if total is not None and (total.measures != what or total.value <= 0):
                raise ValueError(f"Group {self.name!r} has a total {what} of {total}; give a {what} above 0.")
        if self.total_volume is not None and self.total_mass is not None:
            raise ValueError(f"Group {self.name!r} has a total_volume and a total_mass; give one of the two.")
        if self.total_is == "final" and self.total_volume is None:
            raise ValueError(f"Group {self.name!r} has a final total, but no total_volume. Give it.")
        if sum(dose.kind == "remainder" for dose in self.doses) > 1:
            raise ValueError(f"Group {self.name!r} has two remainders; only one substance can fill up.")
        return self


class Arrangement(Record):
    """Where the vials stand: filled by rows or columns in the design's order, or in a drawn order.

    Attributes:
        by: ``random`` draws the order of all vials by `seed`, and fills rows.
    """

    by: Literal["row", "column", "random"] = "row"
    seed: int = Field(default=0, ge=0, lt=2**31)


class Assumption(Record):
    """Something the text left open and a default settled, with what follows from it."""

    about: str
    text: str
    consequence: str = ""


class OpenQuestion(Record):
    """Something a person must settle; `default` is what an unattended run takes (None: it cannot go on)."""

    id: str
    text: str
    options: list[str] = Field(default=[])
    default: str | None = None
    consequence: str = ""


class ExperimentDesign(Record):
    """What a person asked for, typed. A `ProtocolSpec` is one."""

    title: str = "experiment"
    chemicals: list[ChemicalUse] = Field(min_length=1)
    stocks: list[Stock] = Field(default=[])
    groups: list[Group] = Field(min_length=1)
    conditions: list[Condition] = Field(default=[])
    manner: Manner | None = Field(
        default=None, description="How all liquids are pipetted that have no manner of their own."
    )
    temperature: Stated | None = Field(
        default=None, description="Of everything that states no other: the vials are filled and kept at it."
    )
    atmosphere: Atmosphere | None = Field(default=None, description="What the deck stands in; the robot makes none.")
    septa: Literal["slit", "whole"] | None = Field(
        default=None,
        description="Of caps that liquids go through: `slit` lets every tip through, `whole` the needle of the pump.",
    )
    cap: bool | None = None  # None: the planner decides by volatility and heat
    vial_volume: Stated | None = None  # None: the smallest legal vial
    workup: Workup | None = None
    sampling: Sampling | None = None
    order: list[Name] = Field(
        default=[], description="Sources in the order in which they are added; others after them."
    )
    layout: Arrangement = Arrangement()
    by_hand: list[Remark] = Field(
        default=[],
        max_length=20,
        description="What a person does before the vials are filled or after the last step, or sees to all the time.",
    )
    expect: int | None = Field(
        default=None, ge=1, le=MAX_VIALS, description="How many vials there are in all, as said."
    )

    @model_validator(mode="after")
    def _references(self) -> Self:
        chemicals = [chemical.name for chemical in self.chemicals]
        stocks = [stock.name for stock in self.stocks]
        groups = [group.name for group in self.groups]
        for kind, names in (("chemicals", chemicals), ("stocks", stocks), ("groups", groups)):
            if len(set(names)) != len(names):
                raise ValueError(f"Two {kind} have one name; merge them or name them apart.")
        known = set(chemicals)
        for stock in self.stocks:
            held = {one.solute for one in stock.solutes}
            _demand({*held, *filter(None, [stock.solvent])}, known, f"Stock {stock.name!r}")
        for group in self.groups:
            factors = {factor.name for factor in group.factors if factor.chemicals}
            for factor in group.factors:
                _demand(set(factor.chemicals), known | set(stocks), f"Factor {factor.name!r}")
            for dose in group.doses:
                _demand({dose.substance}, known | set(stocks) | factors, f"Group {group.name!r}")
                _demand(set(filter(None, [dose.via])), set(stocks), f"The dose of {dose.substance!r}")
            if group.serial is not None:
                _demand({group.serial.diluent}, known | set(stocks), f"The serial dilution of {group.name!r}")
        if self.workup is not None:
            _demand({self.workup.diluent}, known | set(stocks), "The work-up")
        _demand(set(self.order), known | set(stocks), "The order")
        return self

    @model_validator(mode="after")
    def _treatments(self) -> Self:
        if self.temperature is not None and self.temperature.measures != "temperature":
            raise ValueError(f"The temperature of the protocol is {self.temperature}; write it in degC.")
        object.__setattr__(self, "conditions", _with_caps([self._at_its_temperature(one) for one in self.conditions]))
        sources = {chemical.name for chemical in self.chemicals} | {stock.name for stock in self.stocks}
        groups = {group.name for group in self.groups}
        for condition in self.conditions:
            _demand(set(condition.groups), groups, f"The {condition.kind} of the conditions")
            if condition.kind == "add":
                self._addition(condition, sources)
        taken = any(condition.samples for condition in self.conditions)
        if self.sampling is None and taken:
            raise ValueError("Samples are taken (`sample_at`), but `sampling` does not say how much, and into what.")
        if self.sampling is not None:
            if not taken:
                raise ValueError("`sampling` takes no sample: give times as `sample_at` of a heat, mix or wait.")
            if self.workup is not None:
                raise ValueError(
                    "Samples and a work-up need the second plate both. Let the quench dilute, or run twice."
                )
            _demand(set(self.sampling.groups), groups, "The sampling")
            _demand(set(filter(None, [self.sampling.quench])), sources, "The sampling")
        if second := self.workup or self.sampling:
            added = {one.substance for one in second.conditions if one.substance}
            _demand(added, sources, "An addition to the second plate")
        return self

    @property
    def base(self) -> float:
        """What the plates are kept at where nothing else is said, degC; 25 needs no heating."""
        stated = ROOM if self.temperature is None else self.temperature.to("degC")
        return ROOM if abs(stated - ROOM) < 0.5 else stated

    @property
    def facts(self) -> list[str]:
        """What holds all the time, in sentences."""
        tips = {
            "slit": "slit septa: every tip goes through them",
            "whole": "septa: the needle of the pump goes through",
        }
        return [
            *([f"All at {self.temperature} where nothing else is said."] if self.temperature else []),
            *([f"All under {self.atmosphere}, which the deck stands in."] if self.atmosphere else []),
            *([f"The caps have {tips[self.septa]}."] if self.septa else []),
        ]

    def _at_its_temperature(self, condition: Condition) -> Condition:
        """A treatment that states no temperature, at that of the protocol; one at 25 degC then needs its block."""
        if self.base == ROOM or condition.kind in ("heat", "sample"):
            return condition
        if condition.temperature is None:
            return condition.model_copy(update={"temperature": self.temperature})
        if condition.kind in ("mix", "wait") and abs(condition.temperature.to("degC") - ROOM) < 0.5:
            by = (condition.by or "vortex") if condition.kind == "mix" else "none"
            time = condition.lasts or Stated(value=DEFAULT_MIX_TIME, unit="min")
            return condition.model_copy(update={"kind": "heat", "by": by, "time": time})
        return condition

    def _addition(self, condition: Condition, sources: set[str]) -> None:
        """Everything that an addition names is there, in every group that it is made to."""
        where = f"The addition of {condition.substance or condition.from_vials!r}"
        _demand(set(filter(None, [condition.from_vials])), {group.name for group in self.groups}, where)
        _demand(set(filter(None, [condition.via])), {stock.name for stock in self.stocks}, where)
        for group in self.groups:
            if not condition.concerns(group.name):
                continue
            chosen = {factor.name for factor in group.factors if factor.chemicals}
            _demand(set(filter(None, [condition.substance])), sources | chosen, f"{where} to group {group.name!r}")
            levels = next((factor.levels for factor in group.factors if factor.name == condition.factor), None)
            if condition.factor and not levels:
                raise ValueError(
                    f"{where} takes amounts of factor {condition.factor!r}, which group {group.name!r} lacks."
                )
            kinds = {ADDED.get(level.measures) for level in levels or []}
            if None in kinds or (condition.reference is None and "equivalents" in kinds):
                raise ValueError(
                    f"{where} by {condition.factor!r} needs masses, volumes, moles, concentrations,"
                    " or equivalents of a reference."
                )
            if condition.up_to is not None and group.serial is not None:
                raise ValueError(
                    f"{where} up to {condition.up_to} is not for vials of a serial dilution; say how much."
                )


def _with_caps(conditions: list[Condition]) -> list[Condition]:
    """With what `cap` of an addition means: false leaves the vials open before it, true caps them after it."""
    found = list(conditions)
    for at, one in enumerate(conditions):
        if one.kind != "add" or one.cap is None:
            continue
        beside = range(at + 1, len(found)) if one.cap else range(at - 1, -1, -1)
        treated = next((index for index in beside if found[index].kind not in ("add", "sample")), None)
        if treated is not None and found[treated].cap is None:
            found[treated] = found[treated].model_copy(update={"cap": one.cap})
    return found


def _demand(asked: set[str], known: set[str], where: str) -> None:
    for name in sorted(asked - known):
        raise ValueError(f"{where} names {name!r}, which is not among: {', '.join(sorted(known)) or '(none)'}.")


def write_design(design: ExperimentDesign) -> str:
    """The design as YAML; read as a specification it is the same design."""
    data = design.model_dump(mode="json", exclude_defaults=True)
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
