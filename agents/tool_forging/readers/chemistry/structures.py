"""Structures that a task gives: coordinates in its text, and XYZ files among its inputs."""

from __future__ import annotations

import re
from collections import Counter

from labwright.agents.tool_forging.readers.chemistry.electrons import Found, checked, electrons_stated
from labwright.agents.tool_forging.readers.chemistry.page import Page, ask
from labwright.agents.tool_forging.readers.language.coordinates import blocks, positions, unit_of
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS, hill
from labwright.tools.forge.families.chemistry.spec import Species


def written(page: Page, found: Found) -> None:
    """Coordinates in the text: the structure of the one molecule of that formula, or a molecule of its own."""
    for block in blocks(page.body):
        if not unit_of(page.body, block):
            page.assume("The unit of the coordinates is not given: angstrom.")
        rows = positions(page.body, block)
        lines = [f"{symbol} {x:.8f} {y:.8f} {z:.8f}" for symbol, (x, y, z) in rows]
        text, counts = "\n".join([str(len(rows)), "", *lines, ""]), Counter(symbol for symbol, _ in rows)
        page.spans.append((block[0].start(), block[-1].end()))
        head = re.search(r"(?:^|\n)[ \t]*\d+[ \t]*\n[^\n]*\n[ \t]*$", page.body[: block[0].start()])
        if head:
            page.spans.append((head.start(), head.end()))
        alike = [one for one in found.species.values() if one.formula == hill(counts) and not one.xyz]
        charge, multi = electrons_stated(page.body)
        if len(alike) == 1:
            one = alike[0]
            multi = one.multiplicity if multi is None else multi
            made = checked(one.name, "", "", counts, 0, one.charge if charge is None else charge, multi, 1)
            found.species[one.name] = made.model_copy(update={"xyz": text})
            continue
        name = _heading(page, block[0].start()) or hill(counts)
        if name in found.species:
            name = f"{name} {len(found.species) + 1}"
        if charge is None and multi is None:
            page.assume(f"Charge and multiplicity of {name} are not stated: neutral with the lowest spin.")
        found.add(checked(name, "", "", counts, 0, charge, multi, 1).model_copy(update={"xyz": text}))


def _heading(page: Page, at: int) -> str:
    """What the line in front of coordinates calls them: ``A:`` or ``Isomer 2:``."""
    lines = page.body[:at].rstrip().splitlines()
    match = re.search(r"(?:^|[\s#*])([A-Za-z][\w +-]{0,24}?)[*`]*\s*:?\s*$", lines[-1]) if lines else None
    short = match is not None and lines[-1].rstrip().endswith(":") and len(lines[-1].split()) <= 3
    return match[1].strip() if match and short else ""


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
