"""Levels of theory in words: functionals, basis sets, solvents."""

from __future__ import annotations

import re
from typing import Any

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.names import in_list_of_formulas
from labwright.agents.tool_forging.readers.chemistry.page import Page, Stuck, ask
from labwright.agents.tool_forging.readers.chemistry.solvents import solvent_of
from labwright.agents.tool_forging.readers.chemistry.two_levels import clause_of, split_levels
from labwright.tools.forge.families.chemistry.spec import Level, Treatment

# As PySCF names them (pyscf.dft.libxc); the words of a text on the left.
_FUNCTIONALS = {
    r"CAM-?B3LYP": "CAM-B3LYP",
    r"B3LYP": "B3LYP",
    r"PBE0|PBE1PBE": "PBE0",
    r"(?:w|omega|ω)B97X-?V": "wB97X-V",
    r"(?:w|omega|ω)B97X": "wB97X",
    r"M06-?2X": "M06-2X",
    r"M06-?L": "M06-L",
    r"M06": "M06",
    r"TPSSh": "TPSSh",
    r"TPSS": "TPSS",
    r"HSE06": "HSE06",
    r"B3PW91": "B3PW91",
    r"X3LYP": "X3LYP",
    r"BLYP": "BLYP",
    r"BP86": "BP86",
    r"r2SCAN": "r2SCAN",
    r"SCAN": "SCAN",
    r"revPBE": "revPBE",
    r"PBE": "PBE",
    r"B97-?D": "B97-D",
    r"BHandHLYP": "BHandHLYP",
    r"SVWN|LSDA|LDA": "LDA,VWN",
}
_ABSENT = r"(?<![\w-])(?:w|omega|ω)B97X-?D\d?(?:\s?\(?(?:BJ|0)\)?)?(?![A-Za-z0-9])"  # none of them is PySCF's wB97X
_SPIN = r"(?:TD-?(?=[A-Z]))?(?:(?:RO|[RU])-?)?"  # restricted or not: that follows from the multiplicity
_HF = rf"(?<![\w-])(?:(?:restricted|unrestricted)\s+)?Hartree[- ]Fock|(?<![\w-]){_SPIN}HF(?![\w-]|\s+molecule)"
_BASES = (
    r"def2-?(?:SVPD?|SV\(P\)|TZVPP?D?|QZVPP?)|(?:aug-|d-aug-|jul-)?cc-pC?V[DTQ5]Z|STO-?[36]G|3-21G"
    r"|6-31(?:1)?(?:\+\+|\+)?G(?:\([\w,]+\)|\*\*|\*)?|LANL2DZ|(?:aug-)?pc-?seg-?\d|ANO-RCC|DZP"
)


def methods(page: Page) -> list[str]:
    """Hartree-Fock and functionals, in the order of the text."""
    if absent := re.search(_ABSENT, page.body, re.I):
        why = "The recipes have wB97X without dispersion, and wB97X-V; the parts of the -D forms are other ones."
        raise Stuck(Unread(absent[0], why))
    found: dict[str, int] = {}
    taken: list[tuple[int, int]] = []
    for pattern, name in _FUNCTIONALS.items():
        for match in re.finditer(
            rf"(?<![\w-]){_SPIN}(?:{pattern})(?![A-Za-z0-9])", page.body, 0 if len(pattern) < 5 else re.I
        ):
            if not any(a <= match.start() < b for a, b in taken):
                taken.append(match.span())
                page.spans.append(match.span())
                found.setdefault(name, match.start())
    molecule = bool(page.says(r"hydrogen fluoride"))
    for match in re.finditer(_HF, page.body):
        page.spans.append(match.span())
        if not _is_molecule(page, match, molecule):
            found.setdefault("HF", match.start())
    return sorted(found, key=found.__getitem__)


def _is_molecule(page: Page, match: re.Match[str], named: bool) -> bool:
    """Whether the letters HF are hydrogen fluoride here and not Hartree-Fock."""
    if match[0] != "HF":
        return False
    if in_list_of_formulas(page.body, *match.span()):
        return True
    before, behind = page.body[max(0, match.start() - 30) : match.start()], page.body[match.end() : match.end() + 30]
    if re.match(
        r"\s*(?:/|level|theory|method|calculation|energ|wave|orbital|reference|determinant|limit)", behind, re.I
    ):
        return False
    if re.search(
        r"\b(?:at|by|with|using|level|method|methods|theory|both|versus|vs\.?|plus)\s*:?\s*(?:the )?$", before, re.I
    ):
        return False
    told = re.search(r"hydrogen fluoride\s*[,(]*\s*$|(?:molecule|of|for)\s+$|[+>]\s*$", before, re.I)
    return (
        bool(told)
        or bool(re.match(r"\s*(?:\(\s*hydrogen|molecule|bond|\(g\)|[-+]+>|\+)", behind))
        or (named and not re.match(r"\s*(?:,|and|or|vs)", behind) and not re.search(r"(?:,|and|or)\s*$", before))
    )


def bases(page: Page) -> list[str]:
    """Basis sets in the order of the text, in PySCF's spelling."""
    found: list[str] = []
    for match in re.finditer(rf"(?<![\w-])(?:{_BASES})(?![\w*(])", page.body, re.I):
        page.spans.append(match.span())
        name = _basis(match[0])
        if name not in found:
            found.append(name)
    return found


def _basis(text: str) -> str:
    low = text.lower()
    if low.startswith("def2"):
        return "def2-" + text[4:].lstrip("-").upper()
    if low.startswith("sto"):
        return "STO-" + low[-2] + "G"
    if "cc-p" in low:
        return low.replace("cc-pcv", "cc-pCV").replace("cc-pv", "cc-pV").removesuffix("z")[:-1] + text[-2].upper() + "Z"
    return text.upper().replace("(D", "(d").replace(",P)", ",p)").replace("(d)", "(d)") if low[0] in "36" else text


def levels(page: Page, correlated: bool, default: Level | None) -> list[Level]:
    """Every method with every basis set.

    Raises:
        Stuck: the text names no basis or no method, and no default is honest.
    """
    names, sets = methods(page), bases(page)
    if not names and correlated:
        names = ["HF"]
    if not names or not sets:
        if default is not None and not names and not sets:
            return [default]
        missing = "basis set" if names else "method" if sets else "method and basis set"
        have = ", ".join(names or sets)
        raise ask(f"Which {missing} should be used{f' with {have}' if have else ''}?", "B3LYP/def2-SVP", "HF/def2-SVP")
    pairs = _paired(page, names, sets)
    common: dict[str, Any] = {
        "grid_level": int(found[1]) if (found := page.says(r"grids?\.?\s*level\s*(?:=|of|is|:)?\s*(\d)")) else 3,
        "dispersion": "d4"
        if page.says(r"(?<![\w])D4(?!\w)")
        else "d3bj"
        if page.says(
            r"D3\(?BJ\)?|"
            r"(?<=-)D3(?!\w)|D3 dispersion"
        )
        else "",
        "density_fitting": bool(
            page.says(
                r"density[- ]fitt|resolution[- "
                r"]of[- ](?:the[- ])?identity|\bRI-?J"
            )
        )
        and not page.says(r"(?:without|no|not use) (?:the )?density[- ]fitt"),
    }
    solvent = solvent_of(page)
    return [Level(method=name, basis=basis, **common, **solvent) for name, basis in pairs]


_CORRELATED = r"CCSD\(T\)|CCSD|MP2|FCI"
_ACTIVE = r"CASCI(?:\s*\(\s*\d+\s*,\s*\d+\s*\))?|CAS\(\d+\s*,\s*\d+\)"


def chosen_levels(page: Page, correlated: bool, default: Level | None) -> tuple[list[Level], Level | None]:
    """Levels of properties, and the level of structures where the text names another one for them.

    Raises:
        Stuck: see `levels`.
    """
    found, structural = split_levels(page, levels(page, correlated, default), _mentions(page))
    if structural is not None and structural.solvent_model != "none" and _solvated_later(page, structural):
        structural = structural.model_copy(update=_DRY)
        page.assume("The solvent is told for the second level: structures are those of the gas phase.")
    return _with_gas(page, _treated(page, found), structural)


_DRY = {"solvent_model": "none", "dielectric": None, "solvent": ""}


def _solvated_later(page: Page, structural: Level) -> bool:
    """Whether the solvent stands in the words about another level than that of the structures."""
    model = page.says(r"\bSMD\b|\bC-?PCM\b|IEF-?PCM|\bPCM\b")
    if model is None:
        return False
    told = {basis: clause_of(page.body, place) for (_, basis), place in _mentions(page)}
    own = [text for basis, text in told.items() if basis == structural.basis]
    return not any(model[0] in text for text in own) and any(
        model[0] in text for basis, text in told.items() if basis != structural.basis
    )


def _treated(page: Page, found: list[Level]) -> list[Level]:
    """Levels that say which correlation belongs to their basis, where treatments have bases of their own."""
    own: dict[str, list[Treatment]] = {}
    names: dict[str, Treatment] = {"MP2": "MP2", "CCSD": "CCSD", "CCSD(T)": "CCSD(T)", "FCI": "FCI"}
    for match in re.finditer(rf"(?<![\w-])(?:[RU]-?)?({_CORRELATED})\s*{_WITH}({_BASES})(?![\w*(])", page.body, re.I):
        if names[match[1].upper()] not in own.setdefault(_basis(match[2]), []):
            own[_basis(match[2])].append(names[match[1].upper()])
    if len({one.basis for one in found}) < 2 or not own:
        return found
    return [one.model_copy(update={"treatments": tuple(own.get(one.basis, ()))}) for one in found]


_GAS = (
    r"\bgas\b(?!\s*(?:mixture|law|constant|laser))|gas[- ]phase|\bvacuum\b|in vacuo|without (?:a |the )?solvent|"
    r"(?:isolated|free) molecules?"
)


def _with_gas(page: Page, found: list[Level], structural: Level | None) -> tuple[list[Level], Level | None]:
    """Every level also without its solvent where the text speaks of both; a pKa has its own cycle."""
    wet = [one for one in found if one.solvent_model != "none"]
    again = r"\b(?:again|also|once more|repeat\w*|both|same)\b[^.;\n]{0,30}\bin\s+(?:\w+\s+)?\(?[A-Za-z]"
    if not wet or not page.says(rf"{_GAS}|with and without|{again}") or page.says(r"\bpK_?\{?a\b"):
        return found, structural
    dry = _DRY
    made = [level for one in found for level in (one.model_copy(update=dry), one)]
    moved = page.says(
        rf"(?:optimi[sz]|relax|geometr|structure)[^.;\n]{{0,40}}(?:{_GAS})|"
        rf"(?:{_GAS})[^.;\n]{{0,25}}(?:optimi[sz]|geometr|structure)"
    )
    if structural is None and moved and len(wet) == 1:
        structural = wet[0].model_copy(update=dry)
    elif structural is not None and moved:
        structural = structural.model_copy(update=dry)
    return made, structural


# between a method and its basis
_WITH = r"(?:\s*/\s*|[\s,(]+(?:with|in|and|using)?\s*(?:the\s+)?(?:basis\s+)?(?:set\s+)?)"


def _mentions(page: Page) -> list[tuple[tuple[str, str], int]]:
    """Methods with their basis sets as they are written together, correlated ones as HF."""
    found: list[tuple[tuple[str, str], int]] = []
    names = {**_FUNCTIONALS, rf"(?:Hartree[- ]Fock|HF|{_CORRELATED}|{_ACTIVE})": "HF"}
    for pattern, name in names.items():
        for match in re.finditer(
            rf"(?<![\w-]){_SPIN}(?:{pattern})(?![A-Za-z0-9]){_WITH}({_BASES})(?![\w*(])",
            page.body,
            0 if len(pattern) < 5 else re.I,
        ):
            if not any(place <= match.start() < place + 8 for _, place in found):
                found.append(((name, _basis(match[1])), match.start()))
    return sorted(found, key=lambda one: one[1])


def _paired(page: Page, names: list[str], sets: list[str]) -> list[tuple[str, str]]:
    """Pairs as they are written M/B; otherwise every method with every basis."""
    mentioned = list(dict.fromkeys(pair for pair, _ in _mentions(page)))
    if (
        len(sets) > 1
        and {basis for _, basis in mentioned} >= set(sets)
        and {name for name, _ in mentioned} >= set(names)
        and (page.says(rf"(?:{_CORRELATED})\s*/|{_ACTIVE}") or {name for name, _ in mentioned} == set(names))
    ):
        return mentioned
    written = []
    for name in names:
        pattern = next((p for p, n in _FUNCTIONALS.items() if n == name), r"HF|Hartree-Fock")
        for match in re.finditer(rf"(?<![\w-])(?:{pattern})\s*/\s*({_BASES})(?![\w*(])", page.body, re.I):
            pair = (name, _basis(match[1]))
            if pair not in written:
                written.append(pair)
    if written and {a for a, _ in written} == set(names) and {b for _, b in written} == set(sets):
        return written
    return [(name, basis) for name in names for basis in sets]
