"""Structures that a task gives: coordinates in its text, and XYZ files among its inputs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from labwright.agents.tool_forging.readers.base import Span
from labwright.agents.tool_forging.readers.chemistry.electrons import (
    ATOMS,
    Found,
    checked,
    electrons_stated,
    label_stated,
)
from labwright.agents.tool_forging.readers.chemistry.page import Page, ask
from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.agents.tool_forging.readers.language.coordinates import BOHR, blocks, positions, unit_of
from labwright.agents.tool_forging.readers.language.numbers import numbers_at
from labwright.agents.tool_forging.readers.language.units import converted, kind
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS, hill
from labwright.tools.forge.families.chemistry.spec import Species

_NUMBER = r"[-+]?\d*\.?\d+"
Rows = list[tuple[str, list[float]]]


def written(page: Page, found: Found) -> None:
    """Coordinates in the text: the structure of the one molecule of that formula, or a molecule of its own."""
    tabled = list(_tabled(page.body))
    for span, rows, label in tabled:
        _add(page, found, span, rows, False, label)
    if tabled:
        return
    every = [((block[0].start(), block[-1].end()), positions(page.body, block), block) for block in blocks(page.body)]
    for span, rows, block in every:
        if not unit_of(page.body, block):
            page.assume("The unit of the coordinates is not given: angstrom.")
        head = re.search(r"(?:^|\n)[ \t]*\d+[ \t]*\n[^\n]*\n[ \t]*$", page.body[: span[0]])
        if head:
            page.spans.append((head.start(), head.end()))
        _add(page, found, span, rows, len(every) == 1)
    for span, rows in told_positions(page.body):
        _add(page, found, span, rows, not every)


_CELL = re.compile(
    rf"\s*(?P<symbol>[A-Z][a-z]?)\d?\s*[:=]?\s*\(?\s*(?P<x>{_NUMBER})[\s,;]+(?P<y>{_NUMBER})[\s,;]+(?P<z>{_NUMBER})\s*\)?\s*"
)


def _tabled(text: str) -> Iterator[tuple[Span, Rows, str]]:
    """Rows of a table that hold a molecule each: its name, charge and spin by their headings, its atoms in cells."""
    head: list[str] = []
    for line in re.finditer(r"^[ \t]*\|(.*)\|[ \t]*$", text, re.M):
        cells = [one.strip() for one in line[1].split("|")]
        atoms = [one for cell in cells if (one := _CELL.fullmatch(cell)) and one["symbol"] in ELEMENTS]
        if len(atoms) < 2:
            head = cells if re.search(r"[A-Za-z]", line[1]) else head
            continue
        label = f"{cells[0].strip('`* ')},"
        for name, cell in zip(head, cells, strict=False):
            word = (
                "charge" if re.search("charge", name, re.I) else "multiplicity" if re.search(_SPINS, name, re.I) else ""
            )
            label += f" {word} {cell}," if word else ""
        unit = re.search(r"bohr|a_?0\b", " ".join(head))
        factor = BOHR if unit else 1.0
        yield line.span(), [(one["symbol"], [float(one[k]) * factor for k in "xyz"]) for one in atoms], label


_SPINS = r"2S\s*\+\s*1|multiplicity|spin"


def _add(page: Page, found: Found, span: Span, rows: Rows, only: bool, label: str = "") -> None:
    """Keep one structure, with the name, charge and spin of its label, of its molecule, or of the whole text."""
    lines = [f"{symbol} {x:.8f} {y:.8f} {z:.8f}" for symbol, (x, y, z) in rows]
    text, counts = "\n".join([str(len(rows)), "", *lines, ""]), Counter(symbol for symbol, _ in rows)
    page.spans.append(span)
    name = label.split(",")[0] if label else _heading(page, span[0])
    label = label or _label(page, span[0])
    charge, multi = label_stated(label) if label else (None, None)
    if only:
        whole = electrons_stated(page.body)
        charge, multi = (whole[0] if charge is None else charge), (whole[1] if multi is None else multi)
    alike = [one for one in found.species.values() if one.formula == hill(counts) and not one.xyz]
    alike = [one for one in alike if one.name.lower().startswith(name.lower())] or alike if name else alike
    alike = [one for one in alike if charge in (None, one.charge)] or alike
    if len(alike) == 1:
        one = alike[0]
        multi = one.multiplicity if multi is None and charge in (None, one.charge) else multi
        made = checked(one.name, "", "", counts, 0, one.charge if charge is None else charge, multi, 1)
        found.species[one.name] = made.model_copy(update={"xyz": text})
        return
    name = name or hill(counts)
    if name in found.species:
        name = f"{name} {len(found.species) + 1}"
    if charge is None and multi is None:
        page.assume(f"Charge and multiplicity of {name} are not stated: neutral with the lowest spin.")
    found.add(checked(name, "", "", counts, 0, charge, multi, 1).model_copy(update={"xyz": text}))


def _label(page: Page, at: int) -> str:
    """The line in front of coordinates if it is about charge or spin, or the words before a colon."""
    lines = page.body[:at].rstrip().splitlines()
    line = lines[-1] if lines else ""
    told = re.search(r"charge|multiplicity|neutral|singlet|doublet|triplet|quartet|cation|anion", line, re.I)
    return line if len(line) < 90 and (told or re.search(r"[A-Za-z\d][+-]\s*[:,]?\s*$", line)) else ""


def _heading(page: Page, at: int) -> str:
    """What the line in front of coordinates calls them: ``A:``, ``Isomer 2:``, ``CO, charge 0, singlet``."""
    lines = page.body[:at].rstrip().splitlines()
    labelled = re.match(r"[\s#*`>-]*([A-Za-z][\w+-]{0,24})\s*[,(;:]", _label(page, at))
    if labelled:
        return labelled[1]
    match = re.search(r"(?:^|[\s#*])([A-Za-z][\w +-]{0,24}?)[*`]*\s*:?\s*$", lines[-1]) if lines else None
    short = match is not None and lines[-1].rstrip().endswith(":") and len(lines[-1].split()) <= 3
    return match[1].strip() if match and short else ""


_APART = re.compile(
    r"(?:\b[Rrd](?:_?e)?(?:\s?\([A-Z][a-z]?-?[A-Z][a-z]?\))?|(?:bond (?:length|distance)|"
    r"(?:internuclear )?distance|separation))"
    r"\s*(?:=|of|is|:)\s*(?=\d)"
)


def at_distance(page: Page, species: list[Species]) -> list[Species]:
    """The only species, if it is diatomic and the text gives its bond length and moves nothing, as that structure."""
    atoms = re.findall(r"([A-Z][a-z]?)(2?)(?!\d)", species[0].formula)
    symbols = [symbol for symbol, count in atoms for _ in range(int(count or 1))]
    if len(species) != 1 or not species[0].smiles or len(symbols) != 2 or page.asks(r"optimi[sz]|relax|scan\b|curve"):
        return species
    plain = clean(page.body)
    for match in _APART.finditer(plain.text):
        numbers = numbers_at(plain.text, match.end())
        sentence = re.split(r"[.;\n]\s", plain.text[: match.start()])[-1] + plain.text[match.end() :][:60]
        meant = re.search(r"\b(?:at|with|for|use|using|take|fixed)\b[^.;,]{0,30}$", plain.text[: match.start()])
        told = re.search(r"experiment|measured|literature|compare", sentence) and not meant
        if numbers is None or len(numbers.items) != 1 or told:
            continue
        if kind(numbers.unit) != "length":
            continue
        apart = converted(numbers.values()[0], numbers.unit, "angstrom")
        page.spans.append(plain.span(match.start(), numbers.end))
        text = f"2\n\n{symbols[0]} 0.00000000 0.00000000 0.00000000\n{symbols[1]} 0.00000000 0.00000000 {apart:.8f}\n"
        return [species[0].model_copy(update={"smiles": "", "xyz": text})]
    return species


_POINT = rf"\(\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*\)"
_NAMED_ATOMS = "|".join(ATOMS)
_TOLD = re.compile(
    rf"(?:\b(?i:(?P<name>{_NAMED_ATOMS}))(?:s|es)?|(?<![A-Za-z])(?P<symbol>[A-Z][a-z]?)\d?)(?:\s+atoms?)?"
    r"(?:\s*:|\s+(?:is|are|sits?|lies?|located|placed))*(?:\s+(?:at|in|on))\s+"
    rf"(?:(?P<origin>the origin)|(?P<points>{_POINT}(?:\s*(?:,|and|, and|;)\s*{_POINT})*))"
)


def told_positions(text: str) -> list[tuple[Span, Rows]]:
    """Positions in prose: ``carbon at the origin, the hydrogens at (0, 0, 1.1) and (0, 0, -1.1)``; in angstrom."""
    found: list[tuple[Span, Rows]] = []
    for match in _TOLD.finditer(text):
        symbol = ATOMS[match["name"].lower()][0] if match["name"] else match["symbol"]
        if symbol not in ELEMENTS:
            continue
        points = re.findall(_POINT, match["points"] or "") or ["(0,0,0)"]
        rows = [(symbol, [float(one) for one in re.findall(_NUMBER, point)]) for point in points]
        if found and match.start() - found[-1][0][1] < 30:
            (start, _), before = found[-1]
            found[-1] = ((start, match.end()), [*before, *rows])
        else:
            found.append((match.span(), rows))
    factor = BOHR if re.search(r"\bbohrs?\b|atomic units|\ba_?0\b", text) and not re.search(r"angstr|Å", text) else 1.0
    return [(span, [(s, [x * factor for x in xyz]) for s, xyz in rows]) for span, rows in found if len(rows) > 1]


def files(page: Page, found: Found) -> None:
    for match in re.finditer(r"(?<![\w<>-])(?:inputs/)?([\w.+-]+)\.xyz\b", page.body):
        page.spans.append(match.span())
        behind = page.body[match.end() : match.end() + 90].split("\n")[0]
        stated = re.match(r"\s*`?\s*\(([^)]*)\)", behind)
        charge, multi = electrons_stated(stated[1]) if stated else (None, None)
        found.add(from_file(page, match[1], f"{match[1]}.xyz", charge, multi))


def from_file(page: Page, name: str, file: str, charge: int | None, multiplicity: int | None) -> Species:
    """A species whose structure is an input.

    Raises:
        Stuck: there is no such file, or a line of it cannot be read.
    """
    text = next((text for path, text in page.task.inputs.items() if path.rsplit("/", 1)[-1] == file), None)
    if text is None:
        there = ", ".join(sorted(page.task.inputs)) or "none"
        raise ask(f"The task names {file}, but it is not among the inputs (there: {there}). What is its structure?")
    counts = _read_xyz(file, text)
    if charge is None and multiplicity is None:
        page.assume(f"Charge and multiplicity of {file} are not stated: it is taken as neutral with the lowest spin.")
    return checked(name, "", f"inputs/{file}", counts, 0, charge, multiplicity, 1)


def _read_xyz(file: str, text: str) -> Counter[str]:
    """Elements of an XYZ file, as the recipe `molecule_from_xyz` would read it.

    Raises:
        Stuck: a line cannot be read; named.
    """
    lines = text.splitlines()
    number = lines[0].strip() if lines else ""
    if not number.isdigit() or int(number) < 1:
        raise ask(f"{file}, line 1: {number!r} is no number of atoms. Can you give a readable file?")
    counts: Counter[str] = Counter()
    for index in range(2, int(number) + 2):
        words = lines[index].split() if index < len(lines) else []
        symbol = words[0].capitalize() if words else ""
        if symbol.isdigit() and 1 <= int(symbol) <= len(ELEMENTS):
            symbol = ELEMENTS[int(symbol) - 1]
        numbers = all(re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?", word) for word in words[1:4])
        if symbol not in ELEMENTS or len(words) < 4 or not numbers:
            shown = lines[index] if index < len(lines) else "the end of the file"
            raise ask(
                f"{file}, line {index + 1}: an element and three numbers are needed, not {shown!r}. Can you mend it?"
            )
        counts[symbol] += 1
    return counts
