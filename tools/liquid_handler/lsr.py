"""Writes the robot's design file: UTF-16LE with a byte order mark, CRLF, one layer a step.

Every distinct value becomes one Uniform map, because real designs hold no other kind. lxml escapes the names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import count

from lxml import etree

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.steps import PARAMETERS, UNIT_CODES, Plate, Protocol, Source, Step, Well

PRODUCT_VERSION, SCHEMA_VERSION = "10.0.0.0", "3.0"
# What XML 1.0 cannot hold in any spelling.
_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\r")
_DECLARATION = '<?xml version="1.0" encoding="utf-16"?>\n'


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
    date = (when or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S")
    text = etree.tostring(_root(protocol, date), encoding="unicode", pretty_print=True)
    document: str = (_DECLARATION + text).replace("\n", "\r\n")
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
    _child(parent, tag, str(UNIT_CODES[unit][0]), Name=unit or "undefined")


def _identity(number_: int) -> dict[str, str]:
    return {"ConCheck": "0", "ID": str(number_), "LinkID": "0", "PersistState": "1"}


def _root(protocol: Protocol, date: str) -> etree._Element:
    ids = count(1)
    root = etree.Element("LibraryDesign", _identity(next(ids)))
    _texts(root, Name=protocol.title, CreatedBy="labwright", LastModifiedBy="labwright", Project="")
    _nulls(root, "Notebook", "Pages")
    _texts(root, Comments="Valid by our own schema, modelled on real designs; not tested on hardware.")
    _nulls(root, "Staff", "Keywords", "Type")
    _texts(root, CreationDate=date, LastModificationDate=date, ProductVersion=PRODUCT_VERSION)
    _texts(root, SchemaVersion=SCHEMA_VERSION, Status="0", Flags="0", SavedBy="labwright", SaveDate=date)
    _texts(root, LastSavedBy="labwright", LastSaveDate=date, OriginID="0")
    _nulls(root, "OriginDBID")
    _child(root, "LSTypes")
    chemicals = _child(root, "LSChemicals")
    for source in protocol.sources:
        _chemical(chemicals, source, next(ids))
    _child(root, "LSMixtures")
    parameters = _child(root, "LSParameters")
    for name in PARAMETERS:
        _parameter(parameters, name, next(ids))
    libraries = _child(root, "LSLibraries2")
    for index, plate in enumerate(protocol.plates, start=1):
        _library(libraries, plate, index, ids)
    layers = _child(root, "LSLayers")
    for index, step in enumerate(protocol.steps, start=1):
        _layer(layers, step, index, protocol)
    _texts(root, ViewMgrData="", CustomData="")
    return root


def _chemical(parent: etree._Element, source: Source, id_: int) -> None:
    element = _child(parent, "LSChemical", **_identity(id_))
    _texts(element, Version="1", Name=source.name, Color=str(colour(source.position)))
    _unit(element, "UnitDispensed", source.unit)
    _texts(element, AmountDispensed="0", Density=repr(source.density), MolW=repr(source.molar_mass))
    _nulls(element, "SourceArrayName")
    _texts(element, SourceArrayID="0", Position=str(source.position), WSAmount=number(source.load))
    _unit(element, "WSUnit", source.unit)
    _nulls(element, "WSBarcode", "SourceArrayDBID")
    _texts(element, LSEquivalences="", NamedAttributes="")


def _parameter(parent: etree._Element, name: str, id_: int) -> None:
    kind, unit = PARAMETERS[name]
    element = _child(parent, "LSParameter", **_identity(id_))
    _texts(element, Version="1", Name=name, Type=kind)
    _nulls(element, "Description")
    code = str(UNIT_CODES[unit][0])
    _texts(element, CanVaryAcrossRows="1", CanVaryAcrossCols="1", DefaultUnit=code, SourceUnit=code)
    _nulls(element, "Expression")
    _texts(element, DecimalPlaces="3")


def _library(parent: etree._Element, plate: Plate, index: int, ids: Iterable[int]) -> None:
    element = _child(parent, "LSLibrary", **_identity(next(iter(ids))))
    _texts(element, Version="1", Index=str(index), LibraryID=str(index), Name=plate.name)
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
        well = _child(wells, "LSLibraryElement", **_identity(next(iter(ids))))
        name = well_name(*divmod(position, plate.columns))
        _texts(well, Position=str(position + 1), Status="0", Flags="0", Name=name)


def _layer(parent: etree._Element, step: Step, index: int, protocol: Protocol) -> None:
    layer = _child(parent, "LSLayer")
    _child(layer, "Index", str(index))
    maps = _child(layer, "LSMaps")
    if step.action == "Add":
        position = next((source.position for source in protocol.sources if source.name == step.subject), 0)
        for wells in by_value(step.amounts):
            _source_map(maps, step, step.subject, "", position, wells)
    elif step.action == "Set":
        for wells in by_value(step.amounts):
            _parameter_map(maps, step, wells)
    else:
        _array_map(maps, step, protocol)


def by_value(amounts: dict[Well, float]) -> list[dict[Well, float]]:
    """The wells grouped by their value as it will be written, in order of first appearance."""
    groups: dict[str, dict[Well, float]] = {}
    for well, value in amounts.items():
        groups.setdefault(number(value), {})[well] = value
    return list(groups.values())


def _head(parent: etree._Element, step: Step) -> None:
    _child(parent, "MapType", "Uniform")
    _unit(parent, "Unit", step.unit)


def _tail(parent: etree._Element, step: Step) -> None:
    _child(parent, "LSCalcParameters")
    tags = _child(parent, "Tags", Name="Tags")
    for tag in step.tags:
        _child(tags, "Tag", tag)


def _amounts(parent: etree._Element, wells: dict[Well, float]) -> None:
    amounts = _child(parent, "LSMapAmounts")
    for (row, column), value in wells.items():
        written = number(value)
        amount = _child(amounts, "LSMapAmount")
        _texts(amount, Row=str(row + 1), Column=str(column + 1), Value=written, MappedValue=written)


def _source_map(
    parent: etree._Element, step: Step, source: str, array: str, position: int, wells: dict[Well, float]
) -> None:
    element = _child(parent, "LSSourceMap")
    _head(element, step)
    _unit(element, "MappedUnit", step.unit)
    _texts(element, Description=step.note)
    _nulls(element, "Annotation")
    _texts(element, LibraryName=step.plate)
    _texts(_child(element, "Source"), Name=source, SourceArrayName=array, SourcePos=str(position))
    _tail(element, step)
    _amounts(element, wells)


def _parameter_map(parent: etree._Element, step: Step, wells: dict[Well, float]) -> None:
    element = _child(parent, "LSParameterMap")
    _head(element, step)
    _texts(element, Description=step.note)
    _nulls(element, "Annotation")
    _texts(element, LibraryName=step.plate, ParameterName=step.subject)
    _tail(element, step)
    _amounts(element, wells)


def _array_map(parent: etree._Element, step: Step, protocol: Protocol) -> None:
    element = _child(parent, "LSArrayMap", Version="2")
    _head(element, step)
    _unit(element, "MappedUnit", step.unit)
    _texts(element, Description=step.note, LibraryName=step.plate, SourceArrayName=step.subject)
    _tail(element, step)
    maps = _child(element, "LSMaps")
    origin_plate = protocol.plate(step.subject)
    columns = origin_plate.columns if origin_plate else 1
    for well, value in step.amounts.items():
        row, column = step.origins.get(well, well)
        _source_map(maps, step, step.subject, step.subject, row * columns + column + 1, {well: value})
