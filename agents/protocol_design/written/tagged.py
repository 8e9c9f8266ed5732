"""The tagged form in which agents write steps, one line a plate, source or step, fields apart by ``|``::

    [plate] Plate 1 | 2 x 4 | 20 mL
    [source] methanol
    [source] 28 % ammonia | 28 % w/w ammonia in water | 0.90 g/mL
    [source] compound 7 | solid | 212.3 g/mol
    [add] methanol | Plate 1 | uL | A1-B4=500 | SyringePump Backsolvent
    [set] VortexRate | Plate 1 | rpm | A1-B4=800
    [transfer] Plate 1 | Plate 2 | uL | A1=100<B3 A2=100 | PDT Tip250uL

A range is a rectangle; ``<`` names the well that a transfer takes from, if it is another one. A parameter without a
unit, and a transfer that moves whole vials, have the unit ``-``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import ValidationError

from labwright.agents.protocol_design.written.sources import Declared, declared, source_line
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.lsr import number
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol import Made
from labwright.tools.liquid_handler.steps import PARAMETERS, Plate, Step, Well

MOST_LINES, MOST_CHARACTERS = 400, 60_000
MOST_ROWS, MOST_COLUMNS = 16, 24
_LINE = re.compile(r"\[(plate|source|add|set|transfer)\]\s*(.*)")
_ARRAY = re.compile(r"(\d+)\s*x\s*(\d+)")
_VIAL = re.compile(r"(\d+(?:\.\d+)?)\s*mL")
_PLACE = r"[A-P]\d{1,2}(?:-[A-P]\d{1,2})?"
_ENTRY = re.compile(rf"({_PLACE})=(\d+(?:\.\d+)?)(?:<({_PLACE}))?")
UNCAPPABLE = {1000.0, 1200.0, 125000.0}  # uL; the deck cannot cap these vials


@dataclass(frozen=True, slots=True)
class Draft:
    """Steps that were read: what they are made on, made from, and what is done."""

    plates: tuple[Plate, ...]
    sources: tuple[Declared, ...]
    steps: tuple[Step, ...]


class NotSteps(InputError):
    """A text is not steps in the tagged form.

    Attributes:
        faults: every fault, with its line.
    """

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__(" ".join(faults))


@dataclass
class _Reading:
    """What was read so far, and what is wrong with it."""

    plates: dict[str, Plate] = field(default_factory=dict)
    sources: dict[str, Declared] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)


def parse(text: str) -> Draft:
    """The steps of a text.

    Raises:
        NotSteps: a line cannot be read, or names what is not there.
    """
    lines = text.strip().splitlines()
    if len(lines) > MOST_LINES or len(text) > MOST_CHARACTERS:
        raise NotSteps([f"At most {MOST_LINES} lines and {MOST_CHARACTERS} characters are read. Use ranges of wells."])
    read, faults = _Reading(), []
    for count, line in enumerate(lines, start=1):
        try:
            _take(line.strip(), read)
        except (InputError, ValidationError) as wrong:
            faults.append(f"Line {count}: {_said(wrong)}")
    missing = [name for name, found in (("[plate]", read.plates), ("[add]", read.steps)) if not found]
    if missing and not faults:
        faults.append(f"There is no {missing[0]} line.")
    if faults:
        raise NotSteps(faults)
    return Draft(tuple(read.plates.values()), tuple(read.sources.values()), tuple(read.steps))


def _said(wrong: InputError | ValidationError) -> str:
    return str(wrong.errors()[0]["msg"]) if isinstance(wrong, ValidationError) else str(wrong)


def _take(line: str, read: _Reading) -> None:
    if not line:
        return
    matched = _LINE.fullmatch(line)
    if matched is None:
        raise InputError(f"{line[:60]!r} does not begin with [plate], [source], [add], [set] or [transfer].")
    tag, fields = matched[1], [part.strip() for part in matched[2].split("|")]
    if tag == "plate":
        _add_plate(fields, read)
    elif tag == "source":
        source = declared(fields)
        if source.name in read.sources:
            raise InputError(f"{source.name!r} is declared twice.")
        read.sources[source.name] = source
    else:
        read.steps.append(_step(tag, fields, read))


def _fields(tag: str, fields: list[str], names: str, optional: int = 0) -> list[str]:
    wanted = names.split(" | ")
    if not len(wanted) - optional <= len(fields) <= len(wanted) or not all(fields[: len(wanted) - optional]):
        raise InputError(f"[{tag}] has the fields: {names}. {len(fields)} were given, or one is empty.")
    return [*fields, *[""] * (len(wanted) - len(fields))]


def _add_plate(fields: list[str], read: _Reading) -> None:
    name, array, vial = _fields("plate", fields, "name | rows x columns | vial in mL")
    size, volume = _ARRAY.fullmatch(array), _VIAL.fullmatch(vial)
    if size is None or volume is None:
        raise InputError(f"The array {array!r} with vials of {vial!r} is not written like '4 x 6 | 8 mL'.")
    if name in read.plates:
        raise InputError(f"{name!r} is declared twice.")
    nominal, rows, columns = 1000 * float(volume[1]), int(size[1]), int(size[2])
    # Which arrays the platform has is for the checks to say; here only what no deck can hold is kept out.
    if not (1 <= rows <= MOST_ROWS and 1 <= columns <= MOST_COLUMNS and nominal > 0):
        raise InputError(f"There is no array of {rows} x {columns} with vials of {nominal / 1000:g} mL.")
    read.plates[name] = Plate(name, rows, columns, nominal, nominal not in UNCAPPABLE)


def _step(tag: str, fields: list[str], read: _Reading) -> Step:
    if tag == "add":
        what, where, unit, entries, tags = _fields(tag, fields, "source | plate | unit | wells | how", 1)
        return _add(what, _plate(where, read), unit, entries, tags, read)
    if tag == "set":
        what, where, unit, entries = _fields(tag, fields, "parameter | plate | unit | wells")
        return _set(what, _plate(where, read), unit, entries)
    origin, where, unit, entries, tags = _fields(tag, fields, "from plate | to plate | unit | wells | how", 1)
    return _transfer(_plate(origin, read), _plate(where, read), unit, entries, tags)


def _plate(name: str, read: _Reading) -> Plate:
    if name not in read.plates:
        raise InputError(f"{name!r} is not declared in a [plate] line above.")
    return read.plates[name]


def _add(what: str, plate: Plate, unit: str, entries: str, tags: str, read: _Reading) -> Step:
    if what not in read.sources:
        raise InputError(f"{what!r} is not declared in a [source] line above.")
    wanted = read.sources[what].unit
    if unit != wanted:
        raise InputError(f"{what!r} is dispensed in {wanted}, not in {unit!r}.")
    amounts = {well: value for well, value, _ in _entries(entries, plate, None) if value > 0}
    if not amounts:
        raise InputError("No well gets anything.")
    return Step("Add", what, plate.name, unit, amounts, tuple(tags.split()))


def _set(what: str, plate: Plate, unit: str, entries: str) -> Step:
    if what not in PARAMETERS:
        raise InputError(f"There is no parameter {what!r}. There are: {', '.join(PARAMETERS)}.")
    wanted = PARAMETERS[what][1]
    if unit != (wanted or "-"):
        raise InputError(f"{what} is given in {wanted or '-'}, not in {unit!r}.")
    amounts = {well: value for well, value, _ in _entries(entries, plate, None)}
    return Step("Set", what, plate.name, wanted, amounts, ("Processing",))


def _transfer(origin: Plate, plate: Plate, unit: str, entries: str, tags: str) -> Step:
    if unit not in {"uL", "-"} or (unit == "-") != ("MoveVial" in tags.split()):
        raise InputError("A transfer is in uL, or moves whole vials with the unit '-' and the tag MoveVial.")
    found = [(well, value, source) for well, value, source in _entries(entries, plate, origin) if value > 0]
    if not found:
        raise InputError("Nothing is transferred.")
    amounts = {well: 1.0 if unit == "-" else value for well, value, _ in found}
    origins = {well: source for well, _, source in found}
    return Step("Transfer", origin.name, plate.name, unit.strip("-"), amounts, tuple(tags.split()), origins)


def _entries(text: str, plate: Plate, origin: Plate | None) -> Iterator[tuple[Well, float, Well]]:
    """(well, value, well it comes from) of every entry; a well may stand there once."""
    seen: set[Well] = set()
    for entry in text.split():
        matched = _ENTRY.fullmatch(entry)
        if matched is None or (matched[3] and origin is None):
            shape = "A1-B4=500" if origin is None else "A1=100 or A1=100<B3"
            raise InputError(f"{entry!r} is not written like {shape}, in {plate.name}.")
        wells = _wells(matched[1], plate)
        sources = _wells(matched[3] or matched[1], origin or plate)
        if len(wells) != len(sources):
            raise InputError(f"{entry!r} fills {len(wells)} wells from {len(sources)}.")
        if twice := seen & set(wells):
            raise InputError(f"{well_name(*min(twice))} stands twice in one step.")
        seen |= set(wells)
        yield from ((well, float(matched[2]), source) for well, source in zip(wells, sources, strict=True))


def _wells(text: str, plate: Plate) -> list[Well]:
    """The wells of a place, row by row."""
    first, _, last = text.partition("-")
    (top, left), (bottom, right) = _well(first), _well(last or first)
    found = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
    if not found or left < 0 or bottom >= plate.rows or right >= plate.columns:
        raise InputError(f"{text!r} is not on {plate.name}, which has {plate.rows} x {plate.columns} wells.")
    return found


def _well(text: str) -> Well:
    return ord(text[0]) - ord("A"), int(text[1:]) - 1


def tagged(made: Made) -> str:
    """A planned protocol in the tagged form; `parse` reads it back to the same steps."""
    plates = [f"[plate] {p.name} | {p.rows} x {p.columns} | {p.vial / 1000:g} mL" for p in made.protocol.plates]
    sources = [source_line(source.name, made.design, made.amounts.cupboard) for source in made.protocol.sources]
    return "\n".join([*plates, *sources, *map(step_line, made.protocol.steps)])


def step_line(step: Step) -> str:
    """One step in the tagged form."""
    fields = [step.subject, step.plate, step.unit or "-", " ".join(_written(step))]
    if step.action != "Set" and step.tags:
        fields.append(" ".join(step.tags))
    return f"[{step.action.lower()}] {' | '.join(fields)}"


def _written(step: Step) -> Iterator[str]:
    """Entries, wells of a row with one value drawn together."""
    run: list[Well] = []
    for well in sorted(step.amounts):
        if run and not _continues(step, run, well):
            yield _entry(step, run)
            run = []
        run.append(well)
    if run:
        yield _entry(step, run)


def _continues(step: Step, run: list[Well], well: Well) -> bool:
    beside = well == (run[-1][0], run[-1][1] + 1) and step.amounts[well] == step.amounts[run[-1]]
    return beside and not any(step.origins.get(one, one) != one for one in (run[0], well))


def _entry(step: Step, run: list[Well]) -> str:
    place = well_name(*run[0]) + (f"-{well_name(*run[-1])}" if len(run) > 1 else "")
    origin = step.origins.get(run[0], run[0])
    return f"{place}={number(step.amounts[run[0]])}" + (f"<{well_name(*origin)}" if origin != run[0] else "")
