"""Molecules that a text writes as SMILES: lists, tables, keys, brackets."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.chemistry.electrons import Found, electrons_stated, line_of, species_of
from labwright.agents.tool_forging.readers.chemistry.names import ELEMENTAL
from labwright.agents.tool_forging.readers.chemistry.page import Page, ask
from labwright.tools.forge.families.chemistry.molecules import MOLECULES
from labwright.tools.forge.families.chemistry.smiles import Smiles, parse_smiles

_NAME = r"[A-Za-z0-9][\w ,'()+-]*?"
_KEYS = r"smiles|molecule|compound|species|system|substance|structure|mol|input"


def explained(page: Page, found: Found) -> None:
    """``SMILES: N for ammonia, [OH-] for the hydroxide ion``: structures with their names behind them."""
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


def keyed(page: Page, found: Found) -> None:
    """``"molecule": "CC#N"`` and ``system = CCO`` of lists with keys, where the value is no name."""
    for match in re.finditer(
        rf"[\"'`]?\b(?:{_KEYS})[\"'`]?[ \t]*[:=][ \t]*[\"'`]?(?P<value>[^\s\"'`,;]+)[\"'`]?", page.body, re.I
    ):
        value = match["value"].rstrip(".")
        if value.lower() in MOLECULES or value in MOLECULES or re.search(r"[a-z]{3}", value):
            continue
        if parse_smiles(value) is not None:
            page.spans.append(match.span())
            own = re.search(r"([A-Za-z][\w,-]*(?: acid)?)\s*\($", page.body[: match.start()])
            name = own[1] if own else _name_before(page, match.start()) or value
            found.add(species_of(name, value, *electrons_stated(page.body)))


def tables(page: Page, found: Found) -> None:
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


def listed(page: Page, found: Found) -> None:
    """``name: SMILES`` and ``name, explained (so): SMILES`` at the end of a line or before the next such pair."""
    for match in re.finditer(
        rf"^[ \t]*(?:[-*+]|\d+[.)])?[ \t]*`?({_NAME})`?[ \t]*:[ \t]*`?([^\s`;,]+)`?[ \t]*(\([^()\n]*\))?[.;,]?[ \t]*$",
        page.body,
        re.M,
    ):
        name, smiles = re.split(r",(?!\d)|\s\(", match[1])[0].strip(), match[2].rstrip(".")
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
                found.add(species_of(before or smiles, smiles, *electrons_stated(line_of(page, match.start()))))
                page.spans.append(match.span())
            continue
        if smiles in MOLECULES or smiles.lower() in MOLECULES:
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
        if name in MOLECULES and name not in ELEMENTAL:
            return name
    return ""


def bracketed(page: Page, found: Found) -> None:
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
        smiles = match[1].rstrip(".)") if parse_smiles(match[1]) is None else match[1].rstrip(".")
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
