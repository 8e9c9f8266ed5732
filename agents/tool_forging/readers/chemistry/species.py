"""Molecules in words: files, lists of ``name: SMILES``, tables, names that chemists know, formulas, atoms."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from labwright.agents.tool_forging.readers.chemistry.page import Page, ask, goes_on
from labwright.agents.tool_forging.readers.language.coordinates import blocks, positions, unit_of
from labwright.tools.forge.families.chemistry.molecules import MOLECULES, MULTIPLICITIES
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS, Smiles, hill, parse_smiles
from labwright.tools.forge.families.chemistry.spec import Species

# Ground-state multiplicities of the elements (NIST Atomic Spectra Database), and their names.
ATOMS = {
    "hydrogen": ("H", 2),
    "helium": ("He", 1),
    "lithium": ("Li", 2),
    "beryllium": ("Be", 1),
    "boron": ("B", 2),
    "carbon": ("C", 3),
    "nitrogen": ("N", 4),
    "oxygen": ("O", 3),
    "fluorine": ("F", 2),
    "neon": ("Ne", 1),
    "sodium": ("Na", 2),
    "magnesium": ("Mg", 1),
    "aluminium": ("Al", 2),
    "aluminum": ("Al", 2),
    "silicon": ("Si", 3),
    "phosphorus": ("P", 4),
    "sulfur": ("S", 3),
    "sulphur": ("S", 3),
    "chlorine": ("Cl", 2),
    "argon": ("Ar", 1),
    "potassium": ("K", 2),
    "calcium": ("Ca", 1),
    "bromine": ("Br", 2),
    "krypton": ("Kr", 1),
    "rubidium": ("Rb", 2),
    "strontium": ("Sr", 1),
    "iodine": ("I", 2),
    "xenon": ("Xe", 1),
    "caesium": ("Cs", 2),
    "cesium": ("Cs", 2),
}
_ATOM_OF = {symbol: (name, multiplicity) for name, (symbol, multiplicity) in ATOMS.items()}
_MULTIPLETS = {"singlet": 1, "doublet": 2, "triplet": 3, "quartet": 4, "quintet": 5}
_NAME = r"[A-Za-z0-9][\w ,'()+-]*?"
_CHARGE = r"charge\s*(?:=|of|:|is)?\s*(?P<charge>[+-]?\s*\d+|neutral)"
_MULTI = r"(?:spin\s+)?multiplicity\s*(?:=|of|:|is)?\s*(?P<multi>\d+)"


@dataclass
class Found:
    """Species in the order of the text.

    Attributes:
        rows: of tables with several SMILES a row: name of the row -> heading of the column -> species' name.
    """

    species: dict[str, Species] = field(default_factory=dict)
    rows: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, one: Species) -> Species:
        """Keep a species; the first of a name wins."""
        return self.species.setdefault(one.name, one)


def species_of(name: str, smiles: str, charge: int | None = None, multiplicity: int | None = None) -> Species:
    """A species from its SMILES.

    Raises:
        Stuck: charge or multiplicity contradict the structure.
    """
    parsed = parse_smiles(smiles)
    if parsed is None:
        raise ask(f"{smiles!r} (for {name}) is no SMILES that can be read. What is the SMILES of {name}?")
    return _checked(name, smiles, "", parsed.counts, parsed.charge, charge, multiplicity, _unpaired(parsed))


def _unpaired(parsed: Smiles) -> int:
    """The multiplicity that is meant if the text does not say it."""
    if parsed.text in MULTIPLICITIES:
        return MULTIPLICITIES[parsed.text]
    if len(parsed.atoms) == 1 and not parsed.atoms[0].hydrogens and not parsed.charge:
        return _ATOM_OF.get(parsed.atoms[0].symbol, ("", 1 + parsed.electrons % 2))[1]
    return 1 + parsed.electrons % 2


def _checked(
    name: str,
    smiles: str,
    file: str,
    counts: Counter[str],
    own: int,
    charge: int | None,
    multiplicity: int | None,
    usual: int,
) -> Species:
    if smiles and charge is not None and charge != own:
        raise ask(
            f"The SMILES {smiles} of {name} has charge {own}, but the text says {charge}. Which is meant?",
            str(own),
            str(charge),
        )
    total = own if charge is None else charge
    electrons = sum(count * (ELEMENTS.index(symbol) + 1) for symbol, count in counts.items()) - total
    spin = multiplicity if multiplicity is not None else usual if smiles else 1 + electrons % 2
    if spin < 1 or ((electrons - (spin - 1)) % 2 or electrons < spin - 1):
        possible = [str(k) for k in range(1, 5) if (electrons - k + 1) % 2 == 0][:2]
        raise ask(
            f"{name} with charge {total} has {electrons} electrons, which cannot have multiplicity {spin}. "
            f"Which multiplicity (or charge) is meant?", *possible,
        )  # fmt: skip
    return Species(name=name, smiles=smiles, file=file, formula=hill(counts), charge=total, multiplicity=spin)


def find_species(page: Page) -> Found:
    """Every molecule of the text.

    Raises:
        Stuck: a file is missing or unreadable, a SMILES is none, or charges do not fit.
    """
    found = Found()
    _files(page, found)
    _tables(page, found)
    _keyed(page, found)
    _explained(page, found)
    _listed(page, found)
    _bracketed(page, found)
    _atoms(page, found)
    _listed_atoms(page, found)
    _named(page, found)
    _written(page, found)
    return found


def _written(page: Page, found: Found) -> None:
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
            made = _checked(one.name, "", "", counts, 0, one.charge if charge is None else charge, multi, 1)
            found.species[one.name] = made.model_copy(update={"xyz": text})
            continue
        name = _heading(page, block[0].start()) or hill(counts)
        if name in found.species:
            name = f"{name} {len(found.species) + 1}"
        if charge is None and multi is None:
            page.assume(f"Charge and multiplicity of {name} are not stated: neutral with the lowest spin.")
        found.add(_checked(name, "", "", counts, 0, charge, multi, 1).model_copy(update={"xyz": text}))


def _heading(page: Page, at: int) -> str:
    """What the line in front of coordinates calls them: ``A:`` or ``Isomer 2:``."""
    lines = page.body[:at].rstrip().splitlines()
    match = re.search(r"(?:^|[\s#*])([A-Za-z][\w +-]{0,24}?)[*`]*\s*:?\s*$", lines[-1]) if lines else None
    short = match is not None and lines[-1].rstrip().endswith(":") and len(lines[-1].split()) <= 3
    return match[1].strip() if match and short else ""


_KEYS = r"smiles|molecule|compound|species|system|substance|structure|mol|input"


def _explained(page: Page, found: Found) -> None:
    """``SMILES: B for borane, [BH4-] for the borohydride ion``: structures with their names behind them."""
    for line in re.finditer(r"[^\n]*SMILES[^\n]*", page.body):
        for match in re.finditer(
            r"(?P<smiles>[^\s,;:`]+)`?\s+(?:for|is|=|means|stands for)\s+(?:the\s+|an?\s+)?"
            r"(?P<name>[a-z][\w-]+(?:\s+(?:ion|acid|anion|cation|radical))?)",
            line[0],
        ):
            if parse_smiles(match["smiles"]) is None or re.fullmatch(r"[a-z]+", match["smiles"]):
                continue
            start = line.start() + match.start("smiles")
            page.spans.append((start, line.start() + match.end()))
            found.add(species_of(match["name"], match["smiles"]))


def _keyed(page: Page, found: Found) -> None:
    """``"molecule": "CC#N"`` and ``system = CCO`` of lists with keys, where the value is no name."""
    for match in re.finditer(
        rf"[\"'`]?\b(?:{_KEYS})[\"'`]?[ \t]*[:=][ \t]*[\"'`]?(?P<value>[^\s\"'`,;]+)[\"'`]?", page.body, re.I
    ):
        value = match["value"].rstrip(".")
        if value.lower() in MOLECULES or value in MOLECULES or re.search(r"[a-z]{3}", value):
            continue
        if parse_smiles(value) is not None:
            page.spans.append(match.span())
            found.add(species_of(_name_before(page, match.start()) or value, value, *electrons_stated(page.body)))


def electrons_stated(words: str) -> tuple[int | None, int | None]:
    """Charge and multiplicity in some words."""
    charge, multi = re.search(_CHARGE, words, re.I), re.search(_MULTI, words, re.I)
    spin = re.search(rf"\b({'|'.join(_MULTIPLETS)})\b(?!s)(?:\s+(?:state|ground|spin|multiplicity))?", words, re.I)
    number = (
        None if not charge else 0 if charge["charge"].lower() == "neutral" else int(charge["charge"].replace(" ", ""))
    )
    if multi:
        return number, int(multi["multi"])
    return number, _MULTIPLETS[spin[1].lower()] if spin and not re.search(r"singlet|triplet", spin[0], re.I) else None


def _line(page: Page, at: int) -> str:
    start = page.body.rfind("\n", 0, at) + 1
    end = page.body.find("\n", at)
    return page.body[start : end if end >= 0 else None]


def _files(page: Page, found: Found) -> None:
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
    return _checked(name, "", f"inputs/{file}", counts, 0, charge, multiplicity, 1)


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


def _tables(page: Page, found: Found) -> None:
    for block in re.finditer(r"(?:^[ \t]*\|.*\|[ \t]*\n?){3,}", page.body, re.M):
        rows = [
            [cell.strip(" `*") for cell in line.strip().strip("|").split("|")] for line in block[0].strip().splitlines()
        ]
        head, cells = rows[0], [row for row in rows[1:] if not re.fullmatch(r"[:\-\s]*", "".join(row))]
        columns = [
            k for k in range(1, len(head)) if cells and all(len(row) > k and parse_smiles(row[k]) for row in cells)
        ]
        if not columns:
            continue
        page.spans.append(block.span())
        for row in cells:
            for k in columns:
                cation = parse_smiles(row[k])
                suffix = (
                    ""
                    if k == columns[0]
                    else " cation"
                    if cation and cation.charge > 0
                    else " anion"
                    if cation and cation.charge < 0
                    else f" {head[k]}"
                )
                one = found.add(species_of(row[0] + suffix, row[k]))
                found.rows.setdefault(row[0], {})[head[k]] = one.name


def _listed(page: Page, found: Found) -> None:
    """``name: SMILES`` and ``name, explained (so): SMILES`` at the end of a line or before the next such pair."""
    for match in re.finditer(
        rf"^[ \t]*(?:[-*+]|\d+[.)])?[ \t]*`?({_NAME})`?[ \t]*:[ \t]*`?([^\s`;,]+)`?[ \t]*(\([^()\n]*\))?[.;,]?[ \t]*$",
        page.body,
        re.M,
    ):
        name, smiles = re.split(r",|\s\(", match[1])[0].strip(), match[2].rstrip(".")
        if name.lower() in (
            "smiles",
            "molecule",
            "compound",
            "basis",
            "functional",
            "method",
            "solvent",
            "level of theory",
        ):
            if name.lower() == "smiles" and parse_smiles(smiles):
                before = _name_before(page, match.start())
                found.add(species_of(before or smiles, smiles, *electrons_stated(_line(page, match.start()))))
                page.spans.append(match.span())
            continue
        chemical = parse_smiles(smiles)
        if (
            chemical is None
            and re.search(r"[=#\[\]]|^[A-Z][A-Z()a-z0-9+-]*$", smiles)
            and (smiles[0] in "[CNOPSF(")
            and not _level(smiles)
        ):
            raise ask(f"{smiles!r} (for {name}) is no SMILES that can be read. What is the SMILES of {name}?")
        if chemical is not None:
            page.spans.append(match.span())
            found.add(species_of(name, smiles, *electrons_stated(match[3] or "")))


def _level(word: str) -> bool:
    return bool(re.search(r"B3LYP|PBE|HF|CCSD|MP2|SMD|PCM|def2|-31|NumPy|PySCF|CASCI|FCI|[a-z]{4}", word))


def _name_before(page: Page, at: int) -> str:
    words = re.findall(r"[A-Za-z][\w-]*", page.body[max(0, at - 60) : at])
    for size in (2, 1):
        name = " ".join(words[-size:]).lower()
        if name in MOLECULES and name not in _ELEMENTS:
            return name
    return ""


def _bracketed(page: Page, found: Found) -> None:
    """``ethylene (C=C)``, ``water (SMILES: O)``, ``the molecule with SMILES CCO``."""
    known = "|".join(sorted((re.escape(name) for name in MOLECULES if len(name) > 3), key=len, reverse=True))
    for match in re.finditer(
        rf"\b({known}|[A-Za-z][\w-]*(?: acid)?)\s*\((?:SMILES\s*[:=]?\s*)?`?([^\s`()]*(?:\([^\s()]*\)[^\s()]*)*)`?\)",
        page.body,
        re.I,
    ):
        name, smiles = match[1].lower() if match[1].lower() in MOLECULES else match[1], match[2]
        parsed = parse_smiles(smiles) if smiles else None
        spelled = "SMILES" in match[0]
        if len(name) == 1 and not spelled:
            continue  # "r(C=O)" is a distance
        if parsed is None or (not spelled and not _is_meant(name, parsed)):
            continue
        page.spans.append(match.span())
        found.add(species_of(name, smiles))
    for match in re.finditer(r"SMILES(?:\s+string)?\s*(?:is|=|:)?\s*`?([^\s`,;]+)`?", page.body):
        smiles = match[1].rstrip(".)") if parse_smiles(match[1]) is None else match[1]
        if parse_smiles(smiles) and not any(one.smiles == smiles for one in found.species.values()):
            page.spans.append(match.span())
            found.add(species_of(_name_before(page, match.start()) or smiles, smiles))


def _is_meant(name: str, parsed: Smiles) -> bool:
    """Whether bracketed letters behind a name are a SMILES and no abbreviation or formula."""
    if name in MOLECULES:
        other = parse_smiles(MOLECULES[name])
        return other is not None and other.counts == parsed.counts
    return (
        bool(re.search(r"[=#\[\]]|[a-z]\d|\d.*\d", parsed.text))
        and not re.fullmatch(r"[a-z]+\d*", parsed.text)
        and len(parsed.atoms) > 1
    )


def _atoms(page: Page, found: Found) -> None:
    names = "|".join(ATOMS)
    for match in re.finditer(
        rf"\b({names})(?:-\d+)?(?=\s+(?:atom|hyperfine)|-\d)|\b({'|'.join(_ATOM_OF)})\s+atom\b|\b(Rb|Cs|Na|K|Li)-\d+\b",
        page.body,
        re.I,
    ):
        word = match[1].lower() if match[1] else ""
        symbol = (
            ATOMS[word][0] if word else next(one for one in _ATOM_OF if one.lower() == (match[2] or match[3]).lower())
        )
        page.spans.append(match.span())
        spin = electrons_stated(_line(page, match.start()))
        found.add(_checked(symbol, f"[{symbol}]", "", Counter({symbol: 1}), 0, spin[0], spin[1], _ATOM_OF[symbol][1]))


def _listed_atoms(page: Page, found: Found) -> None:
    """``atomic energies of C, N and O``: symbols of elements that are told to be atoms."""
    for match in re.finditer(
        r"\b[Aa]tom(?:s|ic)?\b[^.\n:]{0,30}?:?\s(?P<list>(?:[A-Z][a-z]?\s*(?:,\s*(?:and\s+)?|and\s+|&\s*))+[A-Z][a-z]?)(?![\w-])",
        page.body,
    ):
        symbols = re.findall(r"[A-Z][a-z]?", match["list"])
        if all(one in ELEMENTS for one in symbols):
            page.spans.append(match.span())
            for one in symbols:
                found.add(species_of(one, f"[{one}]"))


def _named(page: Page, found: Found) -> None:
    """Names and formulas of common molecules; the molecule of a solvent is none of the task's."""
    have = {one.name.lower() for one in found.species.values()} | {row.lower() for row in found.rows}
    matches = [*named_matches(page.body), *_doubtful(page)]
    owned = [one for one in matches if re.match(r"'s\b", page.body[one.end() :])]
    names = {one[0].lower() for one in owned}
    if found.species or any(
        one[0].lower() not in names for one in matches
    ):  # "water's heavier cousin" names another molecule
        matches = [one for one in matches if one not in owned]
    others = found.species or any(one[0].lower() not in _ELEMENTS for one in matches)
    for match in matches:
        if others and match[0].lower() in _ELEMENTS and not _as_molecule(page, match):
            continue  # "the hydrogen on the nitrogen" names atoms
        name = match[0] if match[0] in MOLECULES else match[0].lower()
        if name.lower() in have or is_solvent(page, match) or any(a <= match.start() < b for a, b in _used(page)):
            continue
        have.add(name.lower())
        page.spans.append(match.span())
        same = next((one for one in found.species.values() if one.smiles == MOLECULES[name]), None)
        if same is not None and same.name != same.smiles:
            continue  # "water (H2O)" is one molecule
        if same is not None:
            del found.species[same.name]
        found.add(species_of(name, MOLECULES[name]))


_ELEMENTS = ("hydrogen", "nitrogen", "oxygen", "fluorine", "chlorine")


def _as_molecule(page: Page, match: re.Match[str]) -> bool:
    """Whether an element's name is the gas here: beside an arrow or a plus, as a gas, or as what takes part."""
    around = (page.body[max(0, match.start() - 40) : match.start()], page.body[match.end() : match.end() + 30])
    if re.match(r"\s*(?:molecules?|gas|\+|-+>|=|\(|takes?\b|reacts?\b|is (?:added|consumed|taken)|adds?\b)", around[1]):
        return True
    before = (
        r"(?:\+|->|>|=|\d|\bwith|\band|molecular|takes? up|adds?|of|from|plus|gives?|releas\w+|molecules? of|into|to|"
    )
    return bool(re.search(before + r"consumes?|needs?|in)\s+$", around[0], re.I)) and bool(
        page.says(r"react|hydrogenat|combust|burn|enthalp|gibbs")
    )


def _doubtful(page: Page) -> list[re.Match[str]]:
    """Formulas that are words or abbreviations, too, where they are molecules: ``the NO molecule``, ``HF (g)``."""
    pattern = (
        r"(?<![\w-])(?:HF|NO)(?![\w/-])(?=\s*(?:molecules?\b|radicals?\b|bond\b|\(g|gas\b|[-+=]+>|\+))|"
        r"(?<=\bof )(?:HF|NO)(?![\w/-])(?!\s+(?:level|theory|method|calcul|energ|wave|orbital|and\b|/))|"
        r"(?<=molecule )(?:HF|NO)\b|(?<=\+ )(?:HF|NO)(?![\w/-])"
    )
    return list(re.finditer(pattern, page.body))


def _used(page: Page) -> list[tuple[int, int]]:
    return [(a, b) for a, b in page.spans if b - a > 12]


def named_matches(text: str) -> list[re.Match[str]]:
    """Where common molecules are named; the longest name wins, formulas by their capitals."""
    names = sorted((one for one in MOLECULES if not re.search(r"[A-Z]", one)), key=len, reverse=True)
    formulas = sorted(
        (one for one in MOLECULES if re.search(r"[A-Z]", one) and one not in ("THF", "DMSO", "HF", "NO")),
        key=len,
        reverse=True,
    )
    words, letters = "|".join(map(re.escape, names)), "|".join(map(re.escape, formulas))
    pattern = (
        rf"(?<![\w-])(?:(?i:{words})(?!-?\d|[\w])|(?:{letters})(?![\w(]|\^?\{{?\d?[+-]\}}?(?![\w>])|[-=#](?=[A-Z(])))"
    )
    return [one for one in re.finditer(pattern, text) if not re.match(r"\s+(?:atom|molecules? per)", text[one.end() :])]


def is_solvent(page: Page, match: re.Match[str]) -> bool:
    before, behind = page.body[max(0, match.start() - 40) : match.start()], page.body[match.end() : match.end() + 25]
    if goes_on(page.body[match.end() : match.end() + 80]):
        return False
    if re.search(
        r"(?:\bin|solvent[:,]?|solvated by|dissolved in|into|implicit|liquid|phase of|PCM|SMD|medium[\s|:]*)\s*(?:\(|"
        r"implicit |liquid |the solvent )?$",
        before,
        re.I,
    ):
        return True
    return bool(
        re.match(
            r"\s+(?:as (?:an? |the )?(?:\w+ )?(?:solvent|continuum|medium)|solvent|solvation|implicit|at 298|"
            r"\(epsilon|\(ε|bonds?\b)",
            behind,
            re.I,
        )
    )
