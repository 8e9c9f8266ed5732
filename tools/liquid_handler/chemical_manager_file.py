"""The robot's second file: what stands where before the run, and how each source is dispensed.

Its structure is known from public files: one root with chemicals and plates, and after it, in the same file, a second
root with the dispense modes. So the file as a whole is not one XML document; each half is.

What those files show is marked True below, what we only infer False. No public file shows a solid or its unit. A deck
position is the laboratory's own name, which no design knows: it is written as words that a person must replace.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lxml import etree

from labwright.tools.liquid_handler.lsr_writer import colour, demand_writable, number
from labwright.tools.liquid_handler.platform import ARRAYS
from labwright.tools.liquid_handler.protocol_steps import Protocol, Source, on_deck

ROOT = "Symyx.AutomationStudio.Core.ChemicalManager"
MODES_ROOT = "ChemicalsAndAssociatedDispenseModes"
# kind of dispensing, by its tag -> (mode, whether a public file shows it)
MODES = {
    "SyringePump": ("factory setting|ADT", True),
    "PDT": ("factory setting|PDT", False),
    "Powder": ("factory setting|Powder", False),
}
# rows, columns, vial in uL -> (rack, whether a public file shows it)
RACKS = {
    (a.rows, a.columns, a.vial): (
        f"Rack {a.rows}x{a.columns} {a.vial / 1000:g}mL Vial",
        (a.rows, a.vial) in {(8, 1000.0), (4, 4000.0), (2, 20000.0)},
    )
    for a in ARRAYS
}  # fmt: skip
UNITS = {"uL": ("ul", True), "mg": ("mg", False), "": ("undefined", True)}
NORMAL, BACKSOLVENT, PLATE = "stNormal", "stBackingSolvent", "stPlate"
VALVE = "Syringe 1"
TO_BE_PLACED = "to be placed: "
UNLIMITED = -1.0  # what the program writes where it shall not count


@dataclass(frozen=True, slots=True)
class Loaded:
    """One source: a vial in a rack, a solvent behind a valve, or a plate that is drawn from.

    Attributes:
        amount: uL or mg; `UNLIMITED` where the program shall not count.
        row: in its rack, from 1; 0 if it stands in none. Likewise `column`.
        size: of the vial, uL.
        position: on the deck.
        rack: the kind of rack.
        valve: for a solvent behind the syringe pump: which port, from 1.
    """

    name: str
    kind: str
    amount: float = UNLIMITED
    unit: str = ""
    row: int = 0
    column: int = 0
    size: float = 0.0
    position: str = ""
    rack: str = ""
    valve: int = 0
    colour: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A plate on the deck; `id` is its number in the design file."""

    id: int
    name: str
    rows: int
    columns: int
    rack: str
    position: str


@dataclass(frozen=True, slots=True)
class ChemicalManager:
    """The whole file."""

    chemicals: tuple[Loaded, ...]
    plates: tuple[Placed, ...]
    modes: tuple[tuple[str, str], ...]  # name and mode, in the order of `chemicals`


def manager_of(protocol: Protocol) -> ChemicalManager:
    """What has to be loaded for a protocol.

    Sources go into the smallest rack whose vials hold them, in the order of the design file.
    """
    backed = {step.subject for step in protocol.steps if "Backsolvent" in step.tags}
    filled: Counter[str] = Counter()
    chemicals = []
    for source in on_deck(protocol):
        if source.name in backed:
            filled[VALVE] += 1
            chemicals.append(Loaded(source.name, BACKSOLVENT, valve=filled[VALVE], colour=colour(source.position)))
        else:
            chemicals.append(_in_a_rack(source, filled))
    drawn = {step.subject for step in protocol.steps if step.action == "Transfer"}
    plates = tuple(
        Placed(index, p.name, p.rows, p.columns, _rack(p.rows, p.columns, p.vial), f"{TO_BE_PLACED}{p.name}")
        for index, p in enumerate(protocol.plates, start=1)
    )
    chemicals += [Loaded(p.name, PLATE, position=p.position, rack=p.rack) for p in plates if p.name in drawn]
    return ChemicalManager(tuple(chemicals), plates, tuple((c.name, _mode(c.name, protocol)) for c in chemicals))


def _rack(rows: int, columns: int, vial: float) -> str:
    return RACKS[rows, columns, vial][0] if (rows, columns, vial) in RACKS else f"Rack {rows}x{columns}"


def _in_a_rack(source: Source, filled: Counter[str]) -> Loaded:
    """The next free place in racks of the smallest vial that holds the load; none holds more than 125 mL."""
    # A solid's volume is not known; 2 mg/uL is taken, which powders rarely reach loosely filled.
    volume = source.load if source.unit == "uL" else 2 * source.load
    array = next((array for array in sorted(ARRAYS, key=lambda one: one.vial) if array.vial >= volume), None)
    amount, shade = source.load, colour(source.position)
    if array is None:
        position = f"{TO_BE_PLACED}bottle of {source.name}"
        return Loaded(source.name, NORMAL, amount, source.unit, size=amount, position=position, colour=shade)
    rack = _rack(array.rows, array.columns, array.vial)
    which, place = divmod(filled[rack], array.size)
    filled[rack] += 1
    row, column = divmod(place, array.columns)
    position = f"{TO_BE_PLACED}{rack}, number {which + 1}"
    return Loaded(
        source.name, NORMAL, amount, source.unit, row + 1, column + 1, array.vial, position, rack, colour=shade
    )


def _mode(name: str, protocol: Protocol) -> str:
    """By the first step that draws from it; the common mode where the tags name none."""
    tags = next((step.tags for step in protocol.steps if step.action != "Set" and step.subject == name), ())
    return next((MODES[tag][0] for tag in tags if tag in MODES), MODES["SyringePump"][0])


def write_chemical_manager(manager: ChemicalManager) -> bytes:
    """The file: UTF-8, CRLF, two roots.

    Raises:
        InputError: a name holds characters that XML cannot carry.
    """
    demand_writable([name for name, _ in manager.modes])
    root = etree.Element(ROOT)
    chemicals, libraries = (etree.SubElement(root, f"{ROOT}.{part}") for part in ("Chemicals", "Libraries"))
    for one in manager.chemicals:
        _write(chemicals, "Chemical", _chemical_fields(one))
    for plate in manager.plates:
        _write(libraries, "Library", _plate_fields(plate))
    modes = etree.Element(MODES_ROOT)
    listed = etree.SubElement(modes, "ChemicalManager")
    for name, mode in manager.modes:
        etree.SubElement(listed, "Chemical", Name=name, Mode=mode)
    text = "".join(etree.tostring(half, encoding="unicode", pretty_print=True) for half in (root, modes))
    return bytes(text.replace("\n", "\r\n").encode("utf-8"))


def _write(parent: etree._Element, tag: str, fields: dict[str, str]) -> None:
    element = etree.SubElement(parent, f"{ROOT}.{tag}")
    for name, text in fields.items():
        etree.SubElement(element, name).text = text or None


def _chemical_fields(one: Loaded) -> dict[str, str]:
    """In the order of public files; what they never vary is constant here."""
    return {
        "Name": one.name, "AmountLeft": number(one.amount), "Color": str(one.colour), "Column": str(one.column),
        "Columns": "0", "Empty": "False", "Questionable": "False", "Row": str(one.row), "Rows": "0",
        "Size": number(one.size), "SubstratePosition": one.position, "SubstrateType": one.rack, "Type": one.kind,
        "ValveResource": VALVE if one.valve else "", "ValvePosition": str(one.valve), "Units": UNITS[one.unit][0],
    }  # fmt: skip


def _plate_fields(plate: Placed) -> dict[str, str]:
    return {
        "LibraryID": str(plate.id), "Name": plate.name, "NumOfRows": str(plate.rows), "NumOfCols": str(plate.columns),
        "SubstrateType": plate.rack, "SubstratePosition": plate.position, f"{ROOT}.Wells": "",
    }  # fmt: skip
