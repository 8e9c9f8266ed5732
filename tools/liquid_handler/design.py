"""An experiment as typed data: what a person asked for, before any amount is computed.

Every number is a `Stated`: value and unit. Chemicals and stocks are referred to by name.
A design is read from YAML, whoever wrote it; the planner reads nothing else.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from labwright.tools.chemistry.quantities import Quantity, canonical_unit, dimension, parse_quantity
from labwright.tools.errors import InputError

Basis = Literal["w/w", "w/v", "v/v", "M"]
DoseKind = Literal["mass", "volume", "moles", "molarity", "fraction", "equivalents", "share", "remainder"]
# what a dose's amount must measure; a share's amount is the total molarity that the shares divide
DOSE_DIMENSIONS = {
    "mass": {"mass"}, "volume": {"volume"}, "moles": {"moles"}, "molarity": {"molarity"},
    "fraction": {"fraction", "density"}, "equivalents": {"number"}, "share": {"molarity"},
}  # fmt: skip
MAX_VIALS = 2 * 96
MAX_YAML_CHARACTERS = 200_000
MAX_DEPTH = 20  # of brackets and indents; a design has about seven


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


# words that a field takes for a number; each stands in the report as an assumption
SAID = {"overnight": (16.0, "h"), "rt": (25.0, "degC"), "room temperature": (25.0, "degC")}


class Stated(_Record):
    """A number with its unit; `said` is the word that it was written as, such as ``overnight``."""

    value: float = Field(allow_inf_nan=False)
    unit: str = ""
    said: str = ""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str) and value.strip().lower() in SAID:
            number, unit = SAID[value.strip().lower()]
            return {"value": number, "unit": unit, "said": value.strip().lower()}
        if isinstance(value, str):
            quantity = parse_or_value_error(value)
            return {"value": quantity.value, "unit": quantity.unit}
        if isinstance(value, int | float) and not isinstance(value, bool):
            return {"value": value}
        return value

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        """As people write it: a number, a text with its unit, or the fields."""
        text = "An amount with its unit, such as `10 mM`, `0.5 mL` or `60 degC`."
        return {"description": text, "anyOf": [{"type": "string"}, {"type": "number"}, handler(core)]}

    @model_validator(mode="after")
    def _known_unit(self) -> Self:
        object.__setattr__(self, "unit", _unit_or_value_error(self.unit))
        return self

    def to(self, unit: str) -> float:
        """The value in another unit."""
        return Quantity(self.value, self.unit).to(unit)

    @property
    def basis(self) -> str | None:
        """``v/v`` or ``w/w`` where the unit says so; of M and of masses per volume it is clear."""
        clear = {"molarity": "M", "density": "w/v"}.get(self.measures)
        return clear or {"% v/v": "v/v", "% w/w": "w/w"}.get(self.unit)

    @property
    def measures(self) -> str:
        """The dimension: ``mass``, ``volume``, ``molarity``, ..."""
        return dimension(self.unit)

    def __str__(self) -> str:
        return str(Quantity(self.value, self.unit))


def parse_or_value_error(text: str) -> Quantity:
    """`parse_quantity` in the form pydantic wants its refusals."""
    try:
        return parse_quantity(text)
    except InputError as error:
        raise ValueError(str(error)) from error


def _unit_or_value_error(text: str) -> str:
    try:
        return canonical_unit(text)
    except InputError as error:
        raise ValueError(str(error)) from error


Name = Annotated[str, Field(min_length=1, max_length=200)]


class ChemicalUse(_Record):
    """A chemical as the person named it; the optional fields overrule the tables.

    Attributes:
        name: what the person calls it; doses name it so.
        identity: another name, or the CAS number, of the same substance: it is looked up by that.
        source: where state, density and molar mass were taken from, such as ``a person``.
    """

    name: Name
    identity: Name | None = None
    role: Literal["reactant", "solvent", "catalyst", "analyte", "additive", "unknown"] = "unknown"
    state: Literal["solid", "liquid"] | None = None
    density: Stated | None = None
    molar_mass: Stated | None = None
    source: str = Field(default="", max_length=200)


class Stock(_Record):
    """A prepared solution: the solute's concentration on its basis, in a solvent.

    Attributes:
        concentration: in %, M or mg/mL.
        basis: of a bare ``%``: w/w, w/v or v/v; every other unit says it itself.
        density: of the solution; needed for w/w stocks that the table does not list.
    """

    name: Name
    solute: Name
    solvent: Name | None = None
    concentration: Stated
    basis: Basis | None = None
    density: Stated | None = None


class Factor(_Record):
    """Something that varies: amounts (`levels`) or which chemical (`chemicals`), one of the two."""

    name: Name
    levels: list[Stated] = []
    chemicals: list[Name] = []

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if bool(self.levels) == bool(self.chemicals):
            raise ValueError(f"Factor {self.name!r} needs either levels or chemicals, one of the two.")
        return self

    @property
    def size(self) -> int:
        """How many levels."""
        return len(self.levels) or len(self.chemicals)


class Constraint(_Record):
    """Where the factors of `when` take these levels, those of `only` may take just these.

    Levels are written as text: a chemical's name or an amount such as ``"20 mg"``.
    """

    when: dict[str, list[str]]
    only: dict[str, list[str]]


class Dose(_Record):
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

    @model_validator(mode="after")
    def _complete(self) -> Self:
        where = f"The dose of {self.substance!r}"
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


class Group(_Record):
    """Vials that are made alike: factors, how their levels combine, and the doses.

    Attributes:
        combine: ``cross`` (every level with every level), ``zip`` (first with first, ...) or ``explicit`` (`rows`).
        rows: for ``explicit``: one mapping a vial, factor name to level (chemical's name or amount as text).
        total_volume: of the finished mixture.
        total_includes: ``liquids`` (a solid's own volume is not counted, as the platform does) or ``everything``.
    """

    name: str = "samples"
    factors: list[Factor] = []
    combine: Literal["cross", "zip", "explicit"] = "cross"
    rows: list[dict[str, str]] = []
    constraints: list[Constraint] = []
    doses: list[Dose] = Field(min_length=1)
    replicates: int = Field(default=1, ge=1, le=MAX_VIALS)
    total_volume: Stated | None = None
    total_includes: Literal["liquids", "everything"] = "liquids"
    expect: int | None = Field(default=None, ge=1, le=MAX_VIALS, description="How many vials the group has, as said.")
    wells: list[Annotated[str, Field(pattern=r"^[A-H](?:[1-9]|1[0-2])$")]] = Field(
        default=[], max_length=MAX_VIALS, description="Wells of its vials in their order, on the first plate."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [factor.name for factor in self.factors]
        if len(set(names)) != len(names):
            raise ValueError(f"Group {self.name!r} has two factors of one name.")
        used = {dose.factor for dose in self.doses} | {dose.parts_factor for dose in self.doses}
        for missing in sorted(filter(None, used - set(names) - {None})):
            raise ValueError(f"Group {self.name!r} has a dose by factor {missing!r}, but no such factor.")
        if self.combine == "zip" and len({factor.size for factor in self.factors}) > 1:
            raise ValueError(f"Group {self.name!r} pairs factors of different length; make them equally long.")
        if self.combine == "explicit" and not self.rows:
            raise ValueError(f"Group {self.name!r} is explicit but lists no rows.")
        if self.total_volume is not None and self.total_volume.value <= 0:
            raise ValueError(f"Group {self.name!r} has a total volume of {self.total_volume}; give one above 0.")
        if sum(dose.kind == "remainder" for dose in self.doses) > 1:
            raise ValueError(f"Group {self.name!r} has two remainders; only one substance can fill up.")
        return self


class Condition(_Record):
    """One thing done to all vials, in order.

    Attributes:
        kind: ``mix``, ``heat``, ``cool`` (back to `temperature`, else 25 degC) or ``wait``; a mix or wait at a
            `temperature` is heated to it while it lasts.
        by: for ``mix`` and ``heat``: vortex or stir while it lasts. None for ``mix`` means vortex; for ``heat`` it
            means stir, unless no vial holds more than one thing. ``none``: a heated vial stands still.
        time_factor: a factor of the groups that gives each vial its own time (a time course).
        ramp: for ``heat``: how fast, such as `2 degC/min`; `time` begins when the temperature is reached.
    """

    kind: Literal["mix", "heat", "cool", "wait"]
    by: Literal["vortex", "stir", "none"] | None = None
    temperature: Stated | None = None
    speed: Stated | None = None
    time: Stated | None = None
    time_factor: str | None = None
    ramp: Stated | None = None

    @model_validator(mode="after")
    def _dimensions(self) -> Self:
        dimensions = {"temperature": "temperature", "speed": "rate", "time": "time", "ramp": "heating rate"}
        for name, wanted in dimensions.items():
            stated: Stated | None = getattr(self, name)
            if stated is not None and stated.measures != wanted:
                raise ValueError(f"The {name} of {self.kind!r} is {stated}, which is not a {wanted}.")
        if self.kind == "mix" and self.by == "none":
            raise ValueError("Mixing by none is no mixing; leave it out, or say vortex or stir.")
        if self.ramp is not None and (self.kind != "heat" or self.time_factor or self.ramp.value <= 0):
            raise ValueError("A ramp belongs to heating without a time_factor, and is above 0, such as `2 degC/min`.")
        if self.time is not None and self.time.value < 0:
            raise ValueError(f"The time of {self.kind!r} is {self.time}; give one above 0.")
        return self


class Arrangement(_Record):
    """Where the vials stand: filled by rows or columns in the design's order, or in a drawn order.

    Attributes:
        by: ``random`` draws the order of all vials by `seed`, and fills rows.
    """

    by: Literal["row", "column", "random"] = "row"
    seed: int = Field(default=0, ge=0, lt=2**31)


class Workup(_Record):
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
    conditions: list[Condition] = []


class Assumption(_Record):
    """Something the text left open and a default settled, with what follows from it."""

    about: str
    text: str
    consequence: str = ""


class OpenQuestion(_Record):
    """Something a person must settle; `default` is what an unattended run takes (None: it cannot go on)."""

    id: str
    text: str
    options: list[str] = []
    default: str | None = None
    consequence: str = ""


class ExperimentDesign(_Record):
    """What a person asked for, typed. Build it directly, or with `read_design` from YAML."""

    title: str = "experiment"
    chemicals: list[ChemicalUse] = Field(min_length=1)
    stocks: list[Stock] = []
    groups: list[Group] = Field(min_length=1)
    conditions: list[Condition] = []
    cap: bool | None = None  # None: the planner decides by volatility and heat
    vial_volume: Stated | None = None  # None: the smallest legal vial
    workup: Workup | None = None
    order: list[Name] = Field(
        default=[], description="Sources in the order in which they are added; others after them."
    )
    layout: Arrangement = Arrangement()
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
            _demand({stock.solute, *filter(None, [stock.solvent])}, known, f"Stock {stock.name!r}")
        for group in self.groups:
            factors = {factor.name for factor in group.factors if factor.chemicals}
            for factor in group.factors:
                _demand(set(factor.chemicals), known | set(stocks), f"Factor {factor.name!r}")
            for dose in group.doses:
                _demand({dose.substance}, known | set(stocks) | factors, f"Group {group.name!r}")
                _demand(set(filter(None, [dose.via])), set(stocks), f"The dose of {dose.substance!r}")
        if self.workup is not None:
            _demand({self.workup.diluent}, known | set(stocks), "The work-up")
        _demand(set(self.order), known | set(stocks), "The order")
        return self


def _demand(asked: set[str], known: set[str], where: str) -> None:
    for name in sorted(asked - known):
        raise ValueError(f"{where} names {name!r}, which is not among: {', '.join(sorted(known)) or '(none)'}.")


def read_design(text: str) -> ExperimentDesign:
    """A design from YAML text.

    Raises:
        InputError: not YAML, too long, has aliases (a small file could expand without end), or not a design;
            the message says where.
    """
    if len(text) > MAX_YAML_CHARACTERS:
        raise InputError(f"The design has {len(text)} characters; at most {MAX_YAML_CHARACTERS} are read.")
    try:
        _demand_plain(text)
        loaded = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InputError(f"The design is not readable YAML: {error}") from error
    try:
        return ExperimentDesign.model_validate(loaded)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole document"
        raise InputError(
            f"The design is wrong at {where}: {first['msg']} (of {error.error_count()} faults)."
        ) from error


def _demand_plain(text: str) -> None:
    """No alias, and no deep nesting, on which the scanner's time grows with the square: it stops at the first."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise InputError("The design uses a YAML alias (`*name`). Write the values out.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise InputError(f"The design is nested more than {MAX_DEPTH} deep. Close a bracket.")


def write_design(design: ExperimentDesign) -> str:
    """The design as YAML that `read_design` reads back equal."""
    data = design.model_dump(mode="json", exclude_defaults=True)
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
