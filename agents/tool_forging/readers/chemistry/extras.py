"""Further wishes of chemistry tasks: excited states, active spaces, correlation, scans, nuclei, conditions."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.page import Page, Stuck, ask, negated
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.tools.forge.families.chemistry.spec import ActiveSpace, Excited, Nucleus, Treatment

# Nuclear spin and magnetic moment in nuclear magnetons (Stone, At. Data Nucl. Data Tables 90, 75, 2005).
_ISOTOPES = {
    "1H": (0.5, 2.792847), "2H": (1.0, 0.857438), "6Li": (1.0, 0.822047), "7Li": (1.5, 3.256427),
    "23Na": (1.5, 2.217656),
    "39K": (1.5, 0.391466), "85Rb": (2.5, 1.352987), "87Rb": (1.5, 2.751818), "133Cs": (3.5, 2.582025),
}  # fmt: skip
_ELEMENT_NAMES = {
    "hydrogen": "H",
    "lithium": "Li",
    "sodium": "Na",
    "potassium": "K",
    "rubidium": "Rb",
    "caesium": "Cs",
    "cesium": "Cs",
}


def excited(page: Page) -> Excited | None:
    """TD-DFT, if the text wants it."""
    place = page.says(
        r"TD-?DFT|TD-?HF|\bTD-(?=[A-Z])|time-dependent (?:DFT|density)|\bTDA\b|Tamm-Dancoff|excitation energ|excited "
        r"states?|\bS1\b|oscillator strength|absorption spectr"
    )
    named = page.says(r"TD-?DFT|\bTD-(?=[A-Z])|TD-?HF|time-dependent (?:DFT|density)|\bTDA\b|Tamm-Dancoff")
    if not place or (not named and page.says(r"qubit|lindblad|two-level|\bT1 =|hamiltonian")):
        return None
    if not named and page.says(r"CASCI|\bCAS\(|FCI"):
        return None
    page.spans.append(place.span())
    if not named:
        page.assume("Excited states are asked for without a method: linear-response TD-DFT is taken.")
    singlets, triplets = _count(page, "singlet"), _count(page, "triplet")
    both = page.asks(r"\bT_?\{?1\}?\b|triplet|singlet-triplet") or page.wants("singlet_triplet_gap") or page.wants("T1")
    many = page.says(
        r"(?:lowest|first)\s+(\w+)\s+(?:(?:vertical|electronic|singlet)\s+)*(?:excited states|excitations|"
        r"excitation energies|roots)"
    )
    usual = integer(many[1]) if many else None
    if roots := page.says(
        r"\b(?:n_?)?(?:states|roots)\s*[:=]\s*(\d+)|\b(\w+) (?:states|roots) (?:of each|each|per (?:spin|multiplicity))"
    ):
        page.spans.append(roots.span())
        usual = usual or integer(roots[1] or roots[2])
    tda = bool(page.says(r"Tamm-Dancoff|\bTDA\b")) and not page.says(
        r"(?:without|no|not)(?: use| using)? (?:the )?(?:Tamm-Dancoff|TDA)"
    )
    if not singlets and not usual:
        page.assume(
            "The number of states is not given: five singlets"
            + (" and five triplets" if both else "")
            + " are computed."
        )
    return Excited(
        n_singlets=singlets or usual or 5,
        n_triplets=triplets or ((usual or singlets or 5) if both else 0),
        tamm_dancoff=tda,
    )


def _count(page: Page, kind: str) -> int:
    number = r"(\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
    found = page.says(
        rf"(?<![\w.]){number}\s+(?:(?:lowest|first|excited|vertical|roots?|states?|of|with|and|the|spin|each|"
        rf"adapted)[\s-]+){{0,4}}{kind}s?\b"
    ) or page.says(rf"{kind}s?(?: (?:states?|roots?|excitations?))?\s*[:=(]\s*{number}\b")
    letter = kind[0].upper()
    last = page.says(rf"\b{letter}_?\{{?1\}}?\s*(?:-|to|through|\.\.\.?|…)\s*{letter}_?\{{?(\d+)")
    return (integer(found[1]) or 0) if found else int(last[1]) if last else 0


def active_spaces(page: Page) -> list[ActiveSpace]:
    """Active spaces for CASCI."""
    place = page.says(r"\bCASCI\b|\bCAS\s*\(|active spaces?")
    if not place or page.says(r"CASSCF"):
        return []
    page.spans.append(place.span())
    pairs = re.findall(
        r"(?:CAS(?:CI)?\s*|active spaces?[^.\n]{0,40}?)\(\s*(\d+)\s*e?\s*,\s*(\d+)\s*o?\s*\)", page.body, re.I
    )
    if not pairs:
        pairs = re.findall(r"(\d+)\s+electrons\s+in\s+(\d+)\s+(?:active\s+)?orbitals", page.body, re.I)
    if not pairs:
        pairs = re.findall(r"(\d+)\s*e(?:lectrons?)?\s*[/,]\s*(?:in\s+)?(\d+)\s*o(?:rb\w*)?\b", page.body)
    if not pairs and (told := page.says(r"active spaces?[^.;\n]{0,30}\d|CAS[^.;\n]{0,12}\d")):
        raise ask(f"How many electrons in how many orbitals are meant by {told[0]!r}?", "2 in 2", "4 in 4", "6 in 6")
    if not pairs:
        pairs = [("2", "2"), ("4", "4")]
        page.assume(
            "The active space is not given: (2,2) holds the frontier pair (pi and pi* of an alkene), (4,4) one "
            "more orbital on "
            "either side (sigma and sigma*); CASCI in both."
        )
    return [ActiveSpace(electrons=int(a), orbitals=int(b)) for a, b in dict.fromkeys(pairs)]


_NOT_NEEDED = re.compile(r"\W*(?:\w+\s+){0,2}?(?:is |are )?(?:not|un)\s*(?:needed|wanted|required|necessary)")


def treatments(page: Page) -> tuple[Treatment, ...]:
    """Correlation methods."""
    found: list[Treatment] = []
    patterns: dict[Treatment, str] = {
        "MP2": r"\b[RU]?MP2\b|(?:second[- ]order )?M(?:ø|oe?)ller[-\s]+Plesset",
        "CCSD(T)": r"\b[RU]?CCSD\(T\)|perturbative triples",
        "CCSD": r"\b[RU]?CCSD\b(?!\(T\))|coupled[- ]cluster (?:theory )?with singles and doubles(?! and)",
        "FCI": r"\bFCI\b|full[- ]configuration[- ]interaction|\bfull CI\b|full-CI",
    }
    for name, pattern in patterns.items():
        for match in re.finditer(pattern, page.body, re.I):
            page.spans.append(match.span())
            behind = page.body[match.end() :]
            idle = negated(page.body[max(0, match.start() - 15) : match.start()]) or bool(_NOT_NEEDED.match(behind))
            found += [name] if name not in found and not idle else []
    return tuple(found)


def frozen_core(page: Page) -> bool:
    """Whether correlation leaves the core electrons out."""
    said = page.asks(
        r"(?:frozen|freeze|freezing)(?: the)?[- ]core|core (?:electrons |orbitals |shells? )?(?:is|are|kept)? ?frozen"
    )
    every = page.says(
        r"all[- ](?:the )?electrons? (?:\w+ )?correlat|core (?:electrons |orbitals |shells? )?(?:is|"
        r"are) (?:\W*not\W*|un)frozen|"
        r"core correlat|correlat\w+ (?:all|the 1s|the core|every)"
    )
    if said:
        page.spans.append(said.span())
    return bool(said) and not every


def nucleus(page: Page) -> tuple[bool, Nucleus | None]:
    """Density at the nuclei, and the isotope if a hyperfine splitting is meant."""
    place = page.says(
        r"(?:electron|contact|spin|charge)[- ]density[^.\n]{0,40}\b(?:at|on) the (?:\w+ )?nucle(?:us|i)|"
        r"contact densit|density at the nucle(?:us|i)"
    )
    if not place:
        return False, None
    page.spans.append(place.span())
    if not page.says(r"hyperfine"):
        return True, None
    found = page.says(r"\b(hydrogen|lithium|sodium|potassium|rubidium|c(?:a)?esium|Rb|Cs|Na|K|Li|H)-(\d+)\b")
    label = f"{found[2]}{_ELEMENT_NAMES.get(found[1].lower(), found[1])}" if found else ""
    if label not in _ISOTOPES:
        raise Stuck(
            Unread(
                place[0],
                "The isotope's nuclear spin and moment are needed for a hyperfine splitting; known: "
                + ", ".join(_ISOTOPES),
            )
        )
    spin, moment = _ISOTOPES[label]
    measured = page.says(r"measured[^.\n]*?(\d+(?:\.\d+)?)\s*GHz")
    if measured:
        page.spans.append(measured.span())
    return True, Nucleus(
        isotope=label,
        spin=spin,
        moment=moment,
        measured=float(measured[1]) if measured else None,
        use_measured=bool(measured),
    )


def spellings(page: Page) -> dict[str, str]:
    """Labels of methods as the section on ``results.json`` spells them."""
    known = ("hf", "mp2", "ccsd", "ccsd(t)", "fci", "tddft", "td-dft", "casci")
    found = {one.lower(): one for one in re.findall(r"`([\w()-]+)`", page.wishes)}
    plain = {name: found[name] for name in known if name in found}
    if "td-dft" in plain:
        plain["tddft"] = plain.pop("td-dft")
    return plain


def subspace_expansion(page: Page, spaces: list[ActiveSpace]) -> list[ActiveSpace]:
    """Active spaces of a quantum subspace expansion: those of the text."""
    place = page.says(r"quantum subspace expansion|\bQSE\b")
    if not place:
        return []
    page.spans.append(place.span())
    small = [one for one in spaces if one.orbitals <= 4 and one.electrons % 2 == 0]
    if not small:
        raise ask("In which active space is the subspace expansion meant?", "2 electrons in 2 orbitals", "4 in 4")
    page.assume(
        "The expansion is about the Hartree-Fock determinant with its single and double excitations, with exact "
        "expectation values (no shots): in small active spaces it then equals configuration interaction."
    )
    return small
