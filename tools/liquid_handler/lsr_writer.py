"""Writes the robot's design file: UTF-16LE with a byte order mark, CRLF, one layer a step.

Real designs hold Uniform maps with one amount each. So every vial has a map of its own, and what a whole plate or deck
does (`PLATE_WIDE`) is one map, at its first vial. lxml escapes the names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from lxml import etree

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.pipetting_manner import PLAIN
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol_steps import (
    PARAMETERS,
    PLATE_WIDE,
    UNIT_CODES,
    Plate,
    Protocol,
    Source,
    Step,
    Well,
    unit_name,
    used_wells,
)

PRODUCT_VERSION, SCHEMA_VERSION = "10.0.0.0", "3.0"
# What XML 1.0 cannot hold in any spelling.
_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\r")
_IDENTITY = {"ID": "0", "ConCheck": "0", "LinkID": "", "PersistState": "0"}
_VERSION = "2"


def write_lsr(protocol: Protocol, when: datetime | None = None) -> bytes:
    """The design file of a protocol.

    Args:
        when: the date written into it; now if left out. Give it for a file that repeats byte for byte.

    Raises:
        InputError: a name holds characters that XML cannot carry, or the protocol is empty.
    """
    if not protocol.steps or not protocol.sources or not protocol.plates:
        raise InputError("The protocol is empty: it needs a plate, a source and a step before a file can be written.")
    demand_writable([protocol.title, *(source.name for source in protocol.sources)])
    date = (when or datetime.now(UTC)).strftime("%Y/%m/%d %H:%M:%S")
    text = etree.tostring(_root(protocol, date), encoding="unicode", pretty_print=True)
    document: str = text.replace("\n", "\r\n")
    return b"\xff\xfe" + document.encode("utf-16-le")


def demand_writable(names: Iterable[str]) -> None:
    """Refuse names that XML cannot hold.

    Raises:
        InputError: a name holds control characters.
    """
    for name in names:
        if _FORBIDDEN.search(name):
            raise InputError(f"The name {name!r} holds control characters, which the file cannot carry. Remove them.")


def number(value: float) -> str:
    """A plain decimal without an exponent."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def colour(position: int) -> int:
    """A colour for a source, so that neighbours are told apart on the robot's screen."""
    return (0x4E79A7 + 0x2F4D1B * position) & 0xFFFFFF


def _child(parent: etree._Element, tag: str, text: str = "", **attributes: str) -> etree._Element:
    element = etree.SubElement(parent, tag, attributes)
    if text:
        element.text = text
    return element


def _nulls(parent: etree._Element, *tags: str) -> None:
    for tag in tags:
        _child(parent, tag, Null="1")


def _texts(parent: etree._Element, **texts: str) -> None:
    for tag, text in texts.items():
        _child(parent, tag, text)


def _unit(parent: etree._Element, tag: str, unit: str) -> None:
    _child(parent, tag, str(UNIT_CODES[unit][0]), Name=unit_name(unit))


def _root(protocol: Protocol, date: str) -> etree._Element:
    root = etree.Element("LibraryDesign", _IDENTITY)
    _texts(root, Name=protocol.title, CreatedBy="labwright", LastModifiedBy="labwright", Project="")
    _nulls(root, "Notebook", "Pages")
    _texts(root, Comments=_comments(protocol))
    _nulls(root, "Staff", "Keywords", "Type")
    _texts(root, CreationDate=date, LastModificationDate=date, ProductVersion=PRODUCT_VERSION)
    _texts(root, SchemaVersion=SCHEMA_VERSION, Status="0", Flags="0", SavedBy="labwright", SaveDate=date)
    _texts(root, LastSavedBy="labwright", LastSaveDate=date, OriginID="0")
    _nulls(root, "OriginDBID")
    _child(root, "LSTypes")
    chemicals = _child(root, "LSChemicals")
    for source in protocol.sources:
        _chemical(chemicals, source, drawn(protocol, source.name))
    _child(root, "LSMixtures")  # empty in every real design; a stock stands among the chemicals
    parameters = _child(root, "LSParameters")
    named = {step.subject for step in protocol.steps if step.action == "Set"}
    for name in [name for name in PARAMETERS if name in named] or ["Delay"]:
        _parameter(parameters, name)
    libraries = _child(root, "LSLibraries2")
    for index, plate in enumerate(protocol.plates, start=1):
        _library(libraries, plate, index)
    layers = _child(root, "LSLayers")
    for index, step in enumerate(protocol.steps, start=1):
        layer = _child(layers, "LSLayer")
        _child(layer, "Index", str(index))
        _maps(_child(layer, "LSMaps"), step, protocol)
    _texts(root, ViewMgrData="", CustomData="")
    return root


def drawn(protocol: Protocol, name: str) -> float:
    """How much of a source all steps take, mg or uL."""
    return sum(sum(step.amounts.values()) for step in protocol.steps if (step.action, step.subject) == ("Add", name))


def _comments(protocol: Protocol) -> str:
    stocks = [f"{source.name}: {source.made_of}" for source in protocol.sources if source.made_of]
    return "; ".join(["Not tested on hardware", *stocks])


def _chemical(parent: etree._Element, source: Source, amount: float) -> None:
    element = _child(parent, "LSChemical", **_IDENTITY)
    _texts(element, Version=_VERSION, Name=source.name, Color=str(colour(source.position)))
    _unit(element, "UnitDispensed", source.unit)
    _texts(element, AmountDispensed=number(amount), Density=repr(source.density), MolW=repr(source.molar_mass))
    _nulls(element, "SourceArrayName")
    _texts(element, SourceArrayID="0", Position=str(source.position), WSAmount=number(source.load))
    _unit(element, "WSUnit", source.unit)
    _nulls(element, "WSBarcode", "SourceArrayDBID")
    _texts(element, LSEquivalences="", NamedAttributes="")


def _parameter(parent: etree._Element, name: str) -> None:
    kind, unit = PARAMETERS[name]
    element = _child(parent, "LSParameter", **_IDENTITY)
    _texts(element, Version=_VERSION, Name=name, Type=kind)
    _nulls(element, "Description")
    code = str(UNIT_CODES[unit][0])
    _texts(element, CanVaryAcrossRows="-1", CanVaryAcrossCols="-1", DefaultUnit=code, SourceUnit=code)
    _nulls(element, "Expression")
    _texts(element, DecimalPlaces="2")


def _library(parent: etree._Element, plate: Plate, index: int) -> None:
    element = _child(parent, "LSLibrary", **_IDENTITY)
    _texts(element, Version=_VERSION, Index=str(index), LibraryID=str(index), Name=plate.name)
    # The format has no field for the vial; its size stands in the description.
    _child(element, "Description", f"{number(plate.vial)} uL vials", Null="0")
    _texts(element, Rows=str(plate.rows), Columns=str(plate.columns), Shape="0", Flags="0", Color="0")
    _nulls(element, "Notebook", "Pages")
    _texts(element, Project="", SynID="0", SynConCheck="0", IsSourceLibrary="0")
    _nulls(element, "Staff", "OriginLibDBID")
    _texts(element, OriginLibID="0")
    _texts(_child(element, "LSSourceMgr"), LSTypes="", LSChemicals="", LSMixtures="", LSParameters="")
    _child(element, "NamedAttributes")
    wells = _child(element, "LSLibraryElements")
    for position in range(plate.rows * plate.columns):
        well = _child(wells, "LSLibraryElement", **{**_IDENTITY, "LinkID": str(position + 1)})
        _texts(well, Position=str(position + 1), Status="0", Flags="0")
        _texts(well, Name=_place(plate.name, divmod(position, plate.columns)))


def _place(plate: str, well: Well) -> str:
    return f"{plate} ({well_name(*well)})"


def _maps(maps: etree._Element, step: Step, protocol: Protocol) -> None:
    """One map a vial; one for all of them where the whole plate can only do the same."""
    wells = list(step.amounts.items())
    if step.action == "Set":
        alike = len({number(value) for _, value in wells}) == 1 and set(step.amounts) == used_wells(
            protocol, step.plate
        )
        for well, value in wells[:1] if step.subject in PLATE_WIDE and alike else wells:
            _parameter_map(maps, step, well, value)
    elif step.action == "Add":
        for well, value in wells:
            _source_map(maps, step, {"Name": step.subject, "SourceArrayName": "", "SourcePos": ""}, well, value)
    else:
        plate = protocol.plate(step.subject)
        for well, value in wells:
            _array_map(maps, step, plate.columns if plate else 1, well, value)


def _head(parent: etree._Element, step: Step) -> None:
    _child(parent, "MapType", "Uniform")
    _unit(parent, "Unit", step.unit)


def _calculation(parent: etree._Element, step: Step, value: float) -> None:
    """The value once more, as a constant expression, and how it is dispensed."""
    calculation = _child(_child(parent, "LSCalcParameters"), "LSCalcParameter", Name="Value")
    _texts(calculation, Flags="0", ID="1")
    _child(calculation, "Value", number(value), Type="5", DI="0")
    tags = _child(parent, "Tags", Name="Tags")
    for tag in dict.fromkeys((*step.tags, *step.manner.tags())):
        _child(tags, "Tag", tag)


def _amount(parent: etree._Element, well: Well, value: float) -> None:
    written = number(value)
    amount = _child(_child(parent, "LSMapAmounts"), "LSMapAmount")
    _texts(amount, Row=str(well[0] + 1), Column=str(well[1] + 1), Value=written, MappedValue=written)


def _described(step: Step) -> str:
    """The note, and how it is pipetted."""
    return f"{step.note} {f'[{step.manner}]' if step.manner != PLAIN else ''}".strip()


def _source_map(parent: etree._Element, step: Step, source: dict[str, str], well: Well, value: float) -> None:
    element = _child(parent, "LSSourceMap")
    _head(element, step)
    _unit(element, "MappedUnit", step.unit)
    _texts(element, Description=_described(step))
    _nulls(element, "Annotation")
    _texts(element, LibraryName=step.plate)
    _texts(_child(element, "Source"), **source)
    _calculation(element, step, value)
    _amount(element, well, value)


def _parameter_map(parent: etree._Element, step: Step, well: Well, value: float) -> None:
    element = _child(parent, "LSParameterMap")
    _head(element, step)
    _texts(element, Description=step.note)
    _nulls(element, "Annotation")
    _texts(element, LibraryName=step.plate, ParameterName=step.subject)
    _calculation(element, step, value)
    _amount(element, well, value)


def _array_map(parent: etree._Element, step: Step, columns: int, well: Well, value: float) -> None:
    element = _child(parent, "LSArrayMap", Version="2")
    _head(element, step)
    _unit(element, "MappedUnit", step.unit)
    _texts(element, Description=_described(step), LibraryName=step.plate, SourceArrayName=step.subject)
    _calculation(element, step, value)
    row, column = step.origins.get(well, well)
    source = {"Name": _place(step.subject, (row, column)), "SourceArrayName": step.subject}
    source["SourcePos"] = str(row * columns + column + 1)
    _source_map(_child(element, "LSMaps"), step, source, well, value)
