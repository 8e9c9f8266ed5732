"""Reads a design file back: safely, validated, as the same `Protocol` that was written.

No document type, no entity, no network, no huge tree: a file that brings any is refused before it is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import resources

from lxml import etree

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.pipetting_manner import read_pipetting
from labwright.tools.liquid_handler.platform import ARRAYS
from labwright.tools.liquid_handler.protocol_steps import (
    PARAMETERS,
    PLATE_WIDE,
    UNIT_CODES,
    Plate,
    Protocol,
    Source,
    Step,
    unit_name,
    used_wells,
)

MAX_BYTES = 50_000_000


def parse_safely(data: bytes) -> etree._Element:
    """The root element of XML that comes from outside.

    Raises:
        InputError: too large, wrongly encoded, not XML, or with a document type (where bombs and external
            entities live).
    """
    return parse_text(decode_safely(data))


def decode_safely(data: bytes) -> str:
    """The text of an XML file from outside, without its declaration.

    Raises:
        InputError: too large, wrongly encoded, or with a document type or an entity.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"The file has {len(data)} bytes; at most {MAX_BYTES} are read.")
    try:
        text = data.decode("utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"The file is neither UTF-16 with a byte order mark nor UTF-8: {error}") from error
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise InputError("The file declares a document type or an entity. Such files are not read; remove it.")
    # Decoded here: a declared encoding must not be able to make it mean something else.
    return re.sub(r"^\s*<\?xml[^>]*\?>", "", text, count=1)


def parse_text(text: str) -> etree._Element:
    """The root element of text from `decode_safely`: no entity is resolved, no network asked, no huge tree built.

    Raises:
        InputError: not well-formed XML.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    try:
        return etree.fromstring(text.encode("utf-8"), parser)
    except (etree.XMLSyntaxError, ValueError, UnicodeEncodeError) as error:
        raise InputError(f"The file is not well-formed XML: {error}") from error


@cache
def schema() -> etree.XMLSchema:
    """Our schema of the design file."""
    text = resources.files("labwright.tools.liquid_handler").joinpath("design_file.xsd").read_bytes()
    return etree.XMLSchema(etree.fromstring(text))


def faults(data: bytes) -> list[str]:
    """What is wrong with a design file by the schema and by its cross-references; nothing if it is sound."""
    root = parse_safely(data)
    if not schema().validate(root):
        return [f"line {entry.line}: {entry.message}" for entry in schema().error_log]
    return list(_cross_references(root))


def _cross_references(root: etree._Element) -> Iterator[str]:
    """Rules that a schema cannot say: names that must exist, wells that must lie on their plate, unit codes."""
    sizes = {
        str(library.findtext("Name")): (int(str(library.findtext("Rows"))), int(str(library.findtext("Columns"))))
        for library in root.iterfind("LSLibraries2/LSLibrary")
    }
    chemicals = [str(element.text) for element in root.iterfind("LSChemicals/LSChemical/Name")]
    parameters = {str(element.text) for element in root.iterfind("LSParameters/LSParameter/Name")}
    if len(set(chemicals)) != len(chemicals):
        yield "two chemicals have one name"
    indices = [element.text for element in root.iterfind("LSLayers/LSLayer/Index")]
    if indices != [str(index + 1) for index in range(len(indices))]:
        yield "the layers are not numbered 1, 2, 3, ..."
    for layer in root.iterfind("LSLayers/LSLayer"):
        where = f"layer {layer.findtext('Index')}"
        for element in layer.iterfind("LSMaps/LSSourceMap/Source/Name"):
            if element.text not in chemicals:
                yield f"{where} adds {element.text!r}, which is no chemical of the file"
        for element in layer.iterfind("LSMaps/LSParameterMap/ParameterName"):
            if element.text not in parameters:
                yield f"{where} sets {element.text!r}, which is no parameter of the file"
        for element in layer.iter("LibraryName", "SourceArrayName"):
            if element.text and element.text not in sizes:
                yield f"{where} names {element.text!r}, which is no plate of the file"
        for map_ in layer.iter("LSSourceMap", "LSParameterMap"):
            rows, columns = sizes.get(str(map_.findtext("LibraryName")), (0, 0))
            for row, column, _ in _read_amounts(map_):
                if row >= rows or column >= columns:
                    yield f"{where} uses row {row + 1}, column {column + 1}, which its plate does not have"
        places = [place[:2] for place in _read_amounts(layer)]
        if len(set(places)) < len(places):
            yield f"{where} has two amounts for one vial"
        for element in layer.iter("LSCalcParameters"):
            amounts = next(element.itersiblings("LSMapAmounts", "LSMaps"))
            if element.findtext("LSCalcParameter/Value") != amounts.findtext(".//LSMapAmount/Value"):
                yield f"{where} calculates another value than it maps"
    known = {str(code): unit_name(unit) for unit, (code, _) in UNIT_CODES.items()}
    for element in root.iter("Unit", "MappedUnit", "UnitDispensed", "WSUnit"):
        if known.get(str(element.text)) != element.get("Name"):
            yield f"unit code {element.text} is called {element.get('Name')!r}"


def read_lsr(data: bytes) -> Protocol:
    """The protocol that a design file holds.

    Raises:
        InputError: the file is unsafe, breaks the schema, or refers to something it does not have.
    """
    wrong = faults(data)
    if wrong:
        raise InputError(f"The design file is not valid: {wrong[0]} ({len(wrong)} faults).")
    root = parse_safely(data)
    plates = tuple(_plate(element) for element in root.iterfind("LSLibraries2/LSLibrary"))
    columns = {plate.name: plate.columns for plate in plates}
    read = Protocol(
        title=root.findtext("Name") or "",
        plates=plates,
        sources=tuple(_source(element) for element in root.iterfind("LSChemicals/LSChemical")),
        steps=tuple(_step(element, columns) for element in root.iterfind("LSLayers/LSLayer/LSMaps")),
    )
    return replace(read, steps=tuple(_spread(step, read) for step in read.steps))


def _spread(step: Step, protocol: Protocol) -> Step:
    """What stands at one vial but holds for its whole plate, at all of its vials."""
    if step.subject not in PLATE_WIDE or len(step.amounts) > 1:
        return step
    (value,) = step.amounts.values()
    return replace(step, amounts=dict.fromkeys(sorted(used_wells(protocol, step.plate)), value) or step.amounts)


def _plate(element: etree._Element) -> Plate:
    rows, columns = int(str(element.findtext("Rows"))), int(str(element.findtext("Columns")))
    described = re.match(r"(\d+(?:\.\d+)?) uL vials", element.findtext("Description") or "")
    vial = float(described[1]) if described else 0.0
    array = next((array for array in ARRAYS if (array.rows, array.columns, array.vial) == (rows, columns, vial)), None)
    return Plate(str(element.findtext("Name")), rows, columns, vial, array is not None and array.cappable)


def _source(element: etree._Element) -> Source:
    unit = next(name for name, (code, _) in UNIT_CODES.items() if str(code) == element.findtext("UnitDispensed"))
    return Source(
        name=str(element.findtext("Name")),
        unit="mg" if unit == "mg" else "uL",
        density=float(str(element.findtext("Density"))),
        molar_mass=float(str(element.findtext("MolW"))),
        position=int(str(element.findtext("Position"))),
        load=float(str(element.findtext("WSAmount"))),
    )


def _read_amounts(map_: etree._Element) -> Iterator[tuple[int, int, float]]:
    """Row, column and value of every amount in a map or a layer; each vial is in one map."""
    for amount in map_.iter("LSMapAmount"):
        row, column, value = (str(amount.findtext(tag)) for tag in ("Row", "Column", "Value"))
        yield int(row) - 1, int(column) - 1, float(value)


def _step(maps: etree._Element, columns: dict[str, int]) -> Step:
    first = maps[0]
    plate, note = str(first.findtext("LibraryName")), first.findtext("Description") or ""
    tags = tuple(str(tag.text) for tag in first.iterfind("Tags/Tag"))
    amounts = {(row, column): value for map_ in maps for row, column, value in _read_amounts(map_)}
    if first.tag == "LSParameterMap":
        subject = str(first.findtext("ParameterName"))
        if subject not in PARAMETERS:
            raise InputError(f"The design file sets {subject!r}, which this platform does not know.")
        return Step("Set", subject, plate, PARAMETERS[subject][1], amounts, tags, note=note)
    unit = next(name for name, (code, _) in UNIT_CODES.items() if str(code) == first.findtext("Unit"))
    note, _, manner = note.partition("[")
    note, how = note.strip(), read_pipetting(manner.removesuffix("]"))
    own = {"NewTip"} if first.tag == "LSArrayMap" else set()  # portions have a tip each anyway
    tags = tuple(tag for tag in tags if tag not in set(how.tags()) - own)
    if first.tag == "LSSourceMap":
        return Step("Add", str(first.findtext("Source/Name")), plate, unit, amounts, tags, {}, note, how)
    subject = str(first.findtext("SourceArrayName"))
    positions = (int(str(map_.findtext("LSMaps/LSSourceMap/Source/SourcePos"))) - 1 for map_ in maps)
    # One amount in every map and no vial twice in a layer: `faults` has seen to both.
    origins = dict(zip(amounts, (divmod(position, columns[subject]) for position in positions), strict=True))
    return Step("Transfer", subject, plate, unit, amounts, tags, origins, note, how)
