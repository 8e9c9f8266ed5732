"""What a ``[source]`` line may say: a chemical of the table, a stock, or a chemical with its own data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.design import ChemicalUse, Dose, ExperimentDesign, Group, OpenQuestion, Stock
from labwright.tools.liquid_handler.materials import Cupboard, resolve, stock_cupboard

_STOCK = re.compile(
    r"(?P<amount>\d+(?:\.\d+)?\s*(?P<unit>%|M|mM|uM|mg/mL|g/mL|g/L|mg/L))\s+(?:(?P<basis>w/w|w/v|v/v)\s+)?"
    r"(?P<solute>.+?)(?:\s+in\s+(?P<solvent>.+))?"
)


@dataclass(frozen=True, slots=True)
class Declared:
    """A source as it was declared, and the unit that it is dispensed in."""

    name: str
    unit: str
    chemicals: tuple[ChemicalUse, ...]
    stock: Stock | None = field(default=None)


def declared(fields: list[str]) -> Declared:
    """The source of a line's fields.

    Raises:
        InputError: it is not known what it is, or how it is dispensed.
    """
    name, *rest = fields
    if not name or len(rest) > 3:
        raise InputError("[source] has the fields: name | what it is (if it is no chemical of the table) | data.")
    if rest and rest[0] in {"solid", "liquid"}:
        return _own(name, rest)
    return _stock(name, rest) if rest else _pure(ChemicalUse(name=name))


def _own(name: str, rest: list[str]) -> Declared:
    data = {"molar_mass": rest[1] if len(rest) > 1 else None, "density": rest[2] if len(rest) > 2 else None}
    return _pure(ChemicalUse.model_validate({"name": name, "state": rest[0], **data}))


def _pure(use: ChemicalUse) -> Declared:
    cupboard = stock_cupboard(design_with((use,), ()))
    if problem := cupboard.problems.get(use.name):
        raise InputError(_told(problem))
    return Declared(use.name, cupboard.materials[use.name].unit, (use,))


def _stock(name: str, rest: list[str]) -> Declared:
    matched = _STOCK.fullmatch(rest[0])
    if matched is None:
        raise InputError(f"{rest[0]!r} is not written like '28 % w/w ammonia in water' or '0.5 M glucose in water'.")
    solute, solvent = matched["solute"].strip(), (matched["solvent"] or "").strip() or None
    if matched["unit"] == "%" and matched["basis"] is None:
        raise InputError(f"{matched['amount']} of what? Write w/w, w/v or v/v after it.")
    if name in {solute, solvent}:
        raise InputError(f"The stock {name!r} needs a name of its own, such as {rest[0]!r}.")
    basis = matched["basis"] or ("M" if matched["unit"].endswith("M") else "w/v")
    plain = {"name": name, "solute": solute, "solvent": solvent, "concentration": matched["amount"], "basis": basis}
    stock = Stock.model_validate({**plain, "density": rest[1] if len(rest) > 1 else None})
    uses = tuple(ChemicalUse(name=each) for each in dict.fromkeys(filter(None, (solute, solvent))))
    unclear = [found for found in map(resolve, uses) if isinstance(found, OpenQuestion)]
    if unclear:
        raise InputError(_told(unclear[0]))
    if problem := stock_cupboard(design_with(uses, (stock,))).problems.get(name):
        raise InputError(_told(problem))
    return Declared(name, "uL", uses, stock)


def _told(problem: OpenQuestion) -> str:
    offered = f" Write one of: {', '.join(problem.options)}." if problem.options else " Declare it with its data."
    return f"{problem.text}{offered}"


def design_with(uses: tuple[ChemicalUse, ...], stocks: tuple[Stock, ...]) -> ExperimentDesign:
    """A design that holds these chemicals and stocks, and doses the first."""
    first = stocks[0].name if stocks else uses[0].name
    group = Group(doses=[Dose(substance=first, kind="remainder")])
    return ExperimentDesign(chemicals=list(uses), stocks=list(stocks), groups=[group])


def source_line(name: str, design: ExperimentDesign, cupboard: Cupboard) -> str:
    """The line that declares a source of a design."""
    stock = next((one for one in design.stocks if one.name == name), None)
    if stock is not None:
        basis = "" if stock.basis == "M" or stock.concentration.measures != "fraction" else f" {stock.basis}"
        said = f"{stock.concentration}{basis} {stock.solute}" + (f" in {stock.solvent}" if stock.solvent else "")
        return _joined(name, said, str(stock.density) if stock.density else "")
    use = next((one for one in design.chemicals if one.name == name), None)
    if use is None or (use.molar_mass is None and use.density is None and use.state is None):
        return _joined(name)
    species = cupboard.species[name]
    density = f"{species.density:g} g/mL" if species.density else ""
    return _joined(name, species.state, f"{species.molar_mass:g} g/mol", density)


def _joined(*fields: str) -> str:
    return f"[source] {' | '.join(filter(None, fields))}"
