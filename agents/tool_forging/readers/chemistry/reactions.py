"""Reactions in words: hydride abstraction, ring ladders, written equations, isomerisations, acids."""

from __future__ import annotations

import re
from collections import Counter

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.page import Page, Stuck, ask
from labwright.agents.tool_forging.readers.chemistry.species import ATOMS, Found, from_file, named_matches, species_of
from labwright.agents.tool_forging.readers.chemistry.told_reactions import told_reaction
from labwright.tools.forge.families.chemistry.molecules import MOLECULES, cycloalkane, methylcycloalkane
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS, acidic_sites, deprotonated, hill, parse_smiles
from labwright.tools.forge.families.chemistry.spec import Acid, Reaction, Species, Term

_ARROW = r"\s*(?:<?-+>+|=+>|<=>|>|⇌|\\(?:to|rightarrow))\s*"
_HYDRIDE = rf"R\s*-?\s*H{_ARROW}R\s*\^?\{{?\+\}}?\s*\+\s*H\s*\^?\{{?-\}}?"
_LADDER = r"cyclo\s*-?\s*\(?\s*C_?\{?n\}?\s*H_?\{?2n\}?\)?"
HYDRIDE = "hydride"


def hydride_reactions(page: Page, found: Found) -> list[Reaction]:
    """R-H -> R+ + H- for every compound of a table, of files, or by name where only one cation is possible."""
    place = page.says(_HYDRIDE)
    if not place:
        return []
    page.spans.append(place.span())
    found.species.pop(HYDRIDE, None)
    names = list(found.rows) or _parents(page, found)
    if not names:
        raise ask("Which compounds R-H are meant? Give their names or SMILES.")
    still = bool(
        page.says(
            r"hydride[^.\n]*(?:not|without|no|as it is|as-is|unoptimi)[^.\n]*optimi|not "
            r"optimi[sz]e[^.\n]*hydride|hydride[^.\n]*(?:as it is|as-is)"
        )
    )
    made = []
    for name in names:
        cation = _cation(page, found, name)
        made.append(
            Reaction(
                name=name,
                terms=(
                    Term(species=name, coefficient=-1),
                    Term(species=cation, coefficient=1),
                    Term(species=HYDRIDE, coefficient=1),
                ),
            )
        )
    found.species.pop("hydride", None)
    one = species_of(HYDRIDE, "[H-]")
    if any(path.rsplit("/", 1)[-1] == "hydride.xyz" for path in page.task.inputs):
        one = from_file(page, HYDRIDE, "hydride.xyz", -1, 1)
        page.assumptions[:] = [text for text in page.assumptions if "hydride.xyz" not in text]
    found.add(one.model_copy(update={"optimise": not still}))
    return made


def _parents(page: Page, found: Found) -> list[str]:
    return [
        name
        for name, one in found.species.items()
        if one.charge == 0 and name != HYDRIDE and not name.endswith((" cation", " anion"))
    ]


def _cation(page: Page, found: Found, name: str) -> str:
    """Name of R+ of a compound; it is taken from a table, a file, or made."""
    row = list(found.rows.get(name, {}).values())
    if len(row) > 1:
        return row[1]
    stem = re.sub(r"\s+", "_", name)
    made = f"{name} cation"
    files = {path.rsplit("/", 1)[-1] for path in page.task.inputs}
    if f"{stem}_cation.xyz" in files:
        found.add(from_file(page, made, f"{stem}_cation.xyz", 1, 1))
        if f"{stem}.xyz" in files:
            found.species[name] = from_file(page, name, f"{stem}.xyz", 0, 1)
        return made
    if made in found.species:
        return made
    parent = parse_smiles(found.species[name].smiles) if found.species[name].smiles else None
    sites = _hydrogen_sites(parent) if parent else []
    if parent is None or len(sites) != 1:
        raise ask(f"From which atom of {name} is the hydride taken? Give the SMILES of the cation.")
    atom = parent.atoms[sites[0]]
    left = atom.hydrogens - 1
    letter = atom.symbol.lower() if atom.aromatic else atom.symbol
    hydrogens = "" if left == 0 else "H" if left == 1 else f"H{left}"
    smiles = f"{parent.text[: atom.at[0]]}[{letter}{hydrogens}+]{parent.text[atom.at[1] :]}"
    found.add(species_of(made, smiles))
    page.assume(f"The cation of {name} is not given: all its hydrogens are equivalent, so it is {smiles}.")
    return made


def _hydrogen_sites(parent: object) -> list[int]:
    """One atom of each kind that bears hydrogen (kinds by element, hydrogens and neighbours)."""
    atoms = parent.atoms  # type: ignore[attr-defined]
    kinds: dict[object, int] = {}
    for index, atom in enumerate(atoms):
        if atom.hydrogens:
            around = tuple(
                sorted(
                    (atoms[k].symbol, atoms[k].hydrogens, order, len(atoms[k].bonds)) for k, order in atom.bonds.items()
                )
            )
            kinds.setdefault((atom.symbol, atom.hydrogens, around), index)
    return list(kinds.values())


def ladder(page: Page, found: Found) -> tuple[list[Reaction], int | None]:
    """Ring-contraction reactions with their zero; no reference if the task is none."""
    place = page.says(_LADDER)
    if not place and not page.says(r"ring[- ]strain|strain energy|strain in the ring|strained ring"):
        return [], None
    if not place and re.search(r"-+>|=>|⇌|\s>\s", page.body):
        return [], None  # the reaction is written out
    if not place:
        raise Stuck(
            Unread(
                "ring strain",
                "Ring strain is known for the ladder cyclo(CnH2n) -> methylcyclo(Cn-1H2n-3) only; write the reactions.",
            )
        )
    end = page.body.find("\n", place.end())
    page.spans.append((place.start(), end if end >= 0 else len(page.body)))
    sizes = _sizes(page)
    found.species.clear()
    made = []
    for n in sizes:
        for name, smiles in (cycloalkane(n), methylcycloalkane(n - 1)):
            found.add(species_of(name, smiles))
        terms = (
            Term(species=cycloalkane(n)[0], coefficient=-1),
            Term(species=methylcycloalkane(n - 1)[0], coefficient=1),
        )
        made.append(Reaction(name=f"n={n}", terms=terms))
    return made, _zero(page, sizes)


def _sizes(page: Page) -> list[int]:
    written = page.says(r"\bn\s*=\s*(\d+(?:\s*(?:,|and|,\s*and|-|to|\.\.\.?)\s*\d+)+)")
    if written:
        page.spans.append(written.span())
        numbers = [int(one) for one in re.findall(r"\d+", written[1])]
        if len(numbers) == 2 and re.search(r"-|to|\.\.", written[1]):
            numbers = list(range(numbers[0], numbers[1] + 1))
    elif spread := page.says(r"C_?\{?(\d+)\}?\s*(?:to|-)\s*C_?\{?(\d+)"):
        numbers = list(range(int(spread[1]) + 1, int(spread[2]) + 1))
    else:
        raise ask("For which ring sizes n are the reactions meant?", "4 to 8", "4 to 6")
    numbers = sorted(set(numbers))
    if numbers[0] < 4 or numbers[-1] > 10 or numbers != list(range(numbers[0], numbers[-1] + 1)):
        raise ask(f"The ring sizes {numbers} are no ladder between 4 and 10. Which are meant?", "4 to 8")
    return numbers


def _zero(page: Page, sizes: list[int]) -> int:
    names = {cycloalkane(n)[0]: n for n in range(sizes[0] - 1, sizes[-1] + 1)}
    ring = "|".join(names)
    pattern = rf"({ring})[^.\n;]{{0,40}}(?:zero|reference)|(?:zero|reference|relative to)[^.\n;]{{0,40}}({ring})"
    said = list(re.finditer(pattern, page.text, re.I))
    if said:
        return names[(said[-1][1] or said[-1][2]).lower()]
    usual = 6 if 6 in names.values() else sizes[-1]
    page.assume(
        f"The ring of zero strain is not named: {cycloalkane(usual)[0]} is taken, the least strained; "
        f"others only shift all values."
    )
    return usual


def equations(page: Page, found: Found) -> list[Reaction]:
    """Reactions that are written out, and isomerisations."""
    made: list[Reaction] = []
    for arrow in re.finditer(r"-+>|=>|<=>|⇌|(?<=\s)[>=](?=\s)", page.body):
        before = re.split(r"[\n|:]|[.;?!] |(?:->|=>)", page.body[max(0, arrow.start() - 90) : arrow.start()])[-1]
        behind = re.split(r"[\n|:]|[.;,?!](?= |$)|(?:->|=>)", page.body[arrow.end() : arrow.end() + 90])[0]
        before, behind = _inside(before, behind)
        words = f"{before}{arrow[0]}{behind}"
        start, end = arrow.start() - len(before), arrow.end() + len(behind)
        sides = [_side(page, found, side, front) for side, front in ((before, True), (behind, False))]
        if arrow[0] == "=" and (any(side is None for side in sides) or not re.search(r"\s\+\s", words)):
            continue  # an equation of numbers, or a symbol with its value
        if any(side is None for side in sides):
            if re.search(r"R-?H|C_?\{?n|\bpi\b|π|\bn\b", words):
                continue
            formulas = all(re.search(r"(?<![\w])[A-Z][a-z]?\d*(?:[A-Z(]|\b)", side) for side in (before, behind))
            if formulas or page.says(r"reaction|isomeri[sz]|enthalp|gibbs"):
                raise ask(f"Which molecules are meant in {words.strip()!r}? Give their SMILES.")
            continue
        left, right = sides
        assert left is not None
        assert right is not None
        page.spans.append((start, end))
        made.append(_reaction(page, found, _tidy(left, right), left, right))
    return made or _isomerisation(page, found) or _told(page, found) or _compared(page, found)


def _inside(before: str, behind: str) -> tuple[str, str]:
    """The sides of an equation without a bracket that stands around the whole of it."""
    if before.count("(") > before.count(")"):
        before = before[before.rindex("(") + 1 :]
    depth = 0
    for place, letter in enumerate(behind):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return before, behind[:place]
    return before, behind


_DIFFERENCE = (
    r"(?:more|less|most|least) stable|\bstabler\b|relative (?:stabilit|energ|enthalp|gibbs|free)|energ\w* difference|"
    r"differences? (?:in|of|between)|(?:which|what) (?:one |isomer |of (?:the|them)\w* )?(?:is|lies) (?:lower|higher)|"
    r"lies? (?:above|below|higher|lower)|by how much|isomeri[sz]ation (?:energ|enthalp)|relative to|energy gap between"
)


def _compared(page: Page, found: Found) -> list[Reaction]:
    """Isomers whose energies are compared: from the first one to each of the others."""
    place = page.asks(_DIFFERENCE)
    names = list(found.species)
    if place is None or len(names) < 2 or len({one.formula for one in found.species.values()}) != 1:
        return []
    if len({one.charge for one in found.species.values()}) != 1:
        return []
    page.spans.append(place.span())
    page.assume(f"Energies are compared with {names[0]}: positive ones mean that the other one lies higher.")
    return [
        _reaction(page, found, f"{names[0]} -> {other}", [(1.0, names[0], names[0])], [(1.0, other, other)])
        for other in names[1:]
    ]


def _told(page: Page, found: Found) -> list[Reaction]:
    """A reaction in a sentence."""
    told = told_reaction(page, found)
    if told is None:
        return []
    (left, right), counts = told
    sides = [[(float(counts[name]), name, name) for name in side] for side in (left, right)]
    return [_reaction(page, found, _tidy(*sides), *sides)]


def _tidy(left: list[tuple[float, str, str]], right: list[tuple[float, str, str]]) -> str:
    """The equation in its own words, without the sentence around it."""
    sides = [" + ".join(f"{f'{n:g} ' if n != 1 else ''}{words}" for n, _, words in side) for side in (left, right)]
    return " -> ".join(sides)


def _side(page: Page, found: Found, text: str, front: bool) -> list[tuple[float, str, str]] | None:
    """Coefficient, species and words of each term; of a sentence's left side only what stands at its end."""
    parts = re.split(r"\s+\+\s+|\s\+\s*(?=[A-Za-z\d])", text.strip())
    terms = []
    for index, part in enumerate(parts):
        outer = (index == 0) if front else (index == len(parts) - 1)
        one = _term(page, found, part.strip(" .,;:"), outer, front)
        if one is None:
            return None
        terms.append(one)
    return terms


def _term(page: Page, found: Found, text: str, outer: bool, front: bool) -> tuple[float, str, str] | None:
    words = text.split()
    for size in range(len(words), 0, -1):
        if size != len(words) and not outer:
            return None
        chosen = words[-size:] if front else words[:size]
        number = re.fullmatch(r"(\d+(?:\.\d+)?|1/2)", chosen[0]) if len(chosen) > 1 else None
        stuck = re.match(r"(\d)(?=[A-Z])", chosen[0]) if not number else None
        name = " ".join(chosen[1:] if number else chosen)
        name = name[1:] if stuck else name
        count = (
            0.5 if number and number[1] == "1/2" else float(number[1]) if number else float(stuck[1]) if stuck else 1.0
        )
        species = _resolved(found, name.strip(" .,;:`"))
        if species is not None:
            return count, species, name
    return None


def _resolved(found: Found, name: str) -> str | None:
    """Name of a species that `name` means: one that is there, a common one, a formula or a SMILES."""
    for one in found.species:
        if one.lower() == name.lower():
            return one
    common = name if name in MOLECULES else name.lower()
    if common in MOLECULES:
        same = next((one.name for one in found.species.values() if one.smiles == MOLECULES[common]), None)
        return same or found.add(species_of(common, MOLECULES[common])).name
    if re.fullmatch(r"[A-Z][a-z]?", name) and name in ELEMENTS:
        return found.add(species_of(name, f"[{name}]")).name
    atom = re.fullmatch(r"(\w+)[- ]atoms?", name, re.I)
    if atom and atom[1].lower() in ATOMS:
        return found.add(species_of(ATOMS[atom[1].lower()][0], f"[{ATOMS[atom[1].lower()][0]}]")).name
    ion = re.fullmatch(r"(.+?)(?:\^\{?(\d)?)?([+-])\}?", name)
    counts = _condensed(ion[1] if ion else name)
    charge = int(ion[2] or 1) * (1 if ion[3] == "+" else -1) if ion else None
    alike = [
        one.name
        for one in found.species.values()
        if counts and one.formula == hill(counts) and (charge is None or one.charge == charge)
    ]
    if alike and len({found.species[one].smiles for one in alike}) == 1:
        return next((one for one in alike if one in MOLECULES), alike[0])
    if re.search(r"[=#\[\]()]|^[CNO]{2,}$", name) and parse_smiles(name):
        return found.add(species_of(name, name)).name
    return None


def _condensed(name: str) -> Counter[str]:
    """Elements of a condensed formula such as ``CH3-CH2-CH3`` or ``(CH2)3``; empty for other words."""
    plain = re.sub(r"[-=#·]", "", name.replace("_", "").replace("{", "").replace("}", ""))
    total: Counter[str] = Counter()
    for group, times, symbol, number in re.findall(r"\(([A-Za-z0-9]+)\)(\d*)|([A-Z][a-z]?)(\d*)", plain):
        if group:
            for one, many in re.findall(r"([A-Z][a-z]?)(\d*)", group):
                total[one] += int(many or 1) * int(times or 1)
        else:
            total[symbol] += int(number or 1)
    rest = re.sub(r"\([A-Za-z0-9]+\)\d*|[A-Z][a-z]?\d*", "", plain)
    return total if not rest and all(one in ELEMENTS for one in total) else Counter()


def _reaction(
    page: Page, found: Found, name: str, left: list[tuple[float, str, str]], right: list[tuple[float, str, str]]
) -> Reaction:
    sums: Counter[str] = Counter()
    balance: Counter[str] = Counter()
    for sign, side in ((-1, left), (1, right)):
        for count, species, _ in side:
            sums[species] += sign * count  # type: ignore[assignment]
            one = found.species[species]
            for element, number in re.findall(r"([A-Z][a-z]?)(\d*)", one.formula):
                balance[element] += sign * count * int(number or 1)  # type: ignore[assignment]
            balance["charge"] += sign * count * one.charge  # type: ignore[assignment]
    off = {key: value for key, value in balance.items() if abs(value) > 1e-9}
    if off:
        raise ask(
            f"The reaction {name} is not balanced: products minus reactants leave {off}. Which reaction is meant?"
        )
    return Reaction(
        name=name, terms=tuple(Term(species=key, coefficient=float(value)) for key, value in sums.items() if value)
    )


def _isomerisation(page: Page, found: Found) -> list[Reaction]:
    names = "|".join(
        sorted((re.escape(one) for one in [*found.species, *MOLECULES] if len(one) > 2), key=len, reverse=True)
    )
    place = page.says(rf"isomeri[sz](?:ation|es|e)\s+(?:reaction\s+)?(?:of|from)?\s*({names})\s+(?:in)?to\s+({names})")
    place = place or page.says(rf"({names})\s+isomeri[sz]es?\s+(?:in)?to\s+({names})")
    if not place:
        return []
    page.spans.append(place.span())
    one, other = (_resolved(found, place[k]) for k in (1, 2))
    assert one is not None
    assert other is not None
    return [_reaction(page, found, f"{one} -> {other}", [(1.0, one, one)], [(1.0, other, other)])]


def acids(page: Page, found: Found) -> tuple[list[Acid], float | None]:
    """Acids with their conjugate bases, and the proton's free energy if the text gives or needs one."""
    if not page.says(r"\bpK_?\{?a\b"):
        return [], None
    for ion in ("proton", "H+", HYDRIDE):
        found.species.pop(ion, None)
    known = _known(page, found)
    names = [name for name, one in found.species.items() if one.charge >= 0 and not name.endswith(" anion")]
    targets = [name for name in names if name not in known]
    if not targets:
        raise ask("The pKa of which acid is wanted? Give its name or SMILES.", *list(known)[:3])
    made = [_acid(page, found, name, known.get(name)) for name in [*targets, *known]]
    if known:
        return made, None
    given = _proton(page)
    if given is not None:
        return made, given
    page.assume(
        "The free energy of the solvated proton is not given: -265.9 kcal/mol is taken, the measured "
        "solvation free energy "
        "(Tissandier et al. 1998). With the free energy of the gaseous proton (-6.28 kcal/mol) and the "
        "change of standard "
        "state (+1.89) it is -270.3 kcal/mol, which would lower every pKa by 3.2 units."
    )
    return made, -265.9


def _proton(page: Page) -> float | None:
    """The free energy of the solvated proton (kcal/mol) that a sentence about it gives.

    Raises:
        Stuck: there are several, or it is in a unit that is not known.
    """
    values: dict[float, str] = {}
    for sentence in re.finditer(r"(?:[^.\n;]|\.(?=\d))+", page.body):
        if not re.search(r"proton\b|H\^?\{?\+", sentence[0]):
            continue
        for match in re.finditer(r"(-?\s*\d+(?:\.\d+)?)\s*(kcal|kJ|eV|hartree|Eh)\b", sentence[0]):
            unit = {"kcal": 1.0, "kj": 1 / 4.184, "ev": 23.0605478, "hartree": 627.5094741, "eh": 627.5094741}[
                match[2].lower()
            ]
            values[float(match[1].replace(" ", "")) * unit] = match[0]
            page.spans.append(sentence.span())
    if len(values) > 1:
        raise ask("Which free energy of the solvated proton is meant?", *values.values())
    return next(iter(values), None)


def _known(page: Page, found: Found) -> dict[str, float]:
    values: dict[str, float] = {}
    for match in named_matches(page.body):
        behind = page.body[match.end() : match.end() + 60].split("\n")[0]
        value = re.match(
            r"\s*[;,:(]*\s*(?:has (?:a |an )?|with (?:a |an )?)?(?:known |experimental |measured "
            r")?pK_?\{?a\}?\s*(?:=|of|is|:|value of)?\s*(-?\d+(?:\.\d+)?)",
            behind,
            re.I,
        )
        value = value or re.match(r"\s*(?:\([^)]*\)\s*)?(?:is|=|:)\s*(-?\d+\.\d+)\b", behind)
        if value:
            name = match[0].lower()
            values[name] = float(value[1])
            page.spans.append((match.start(), match.end() + value.end()))
    return {name: value for name, value in values.items() if name in found.species}


def _acid(page: Page, found: Found, name: str, pka: float | None) -> Acid:
    one = found.species[name]
    base = f"{name} anion" if one.charge == 0 else f"{name} deprotonated"
    if base not in found.species:
        parsed = parse_smiles(one.smiles) if one.smiles else None
        sites = acidic_sites(parsed) if parsed else []
        if parsed is None or not sites or (len(sites[0][1]) > 1 and not _equivalent(parsed, sites[0][1])):
            raise ask(f"Which proton does {name} lose? Give the SMILES of its conjugate base as `{base}: SMILES`.")
        kind, places = sites[0]
        smiles = deprotonated(parsed, places[0])
        found.add(species_of(base, smiles))
        if len(sites) > 1:
            page.assume(
                f"{name} has several acidic groups: the {kind} loses its proton ({smiles}), as the most acidic kind."
            )
    return Acid(acid=name, base=base, pka=pka)


def _equivalent(parsed: object, places: list[int]) -> bool:
    atoms = parsed.atoms  # type: ignore[attr-defined]
    kinds = {
        tuple(sorted((atoms[k].symbol, atoms[k].hydrogens, len(atoms[k].bonds)) for k in atoms[place].bonds))
        for place in places
    }
    return len(kinds) == 1


def used(reactions: list[Reaction], acid_pairs: list[Acid], found: Found) -> list[Species]:
    """The species that reactions or acids need; all where there are none."""
    if not reactions and not acid_pairs:
        return list(found.species.values())
    names = [term.species for one in reactions for term in one.terms]
    names += [name for one in acid_pairs for name in (one.acid, one.base)]
    return [found.species[name] for name in dict.fromkeys(names)]
