"""Implicit solvents in words: the model, the solvent, its permittivity."""

from __future__ import annotations

import re
from typing import Any

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.page import PART, Page, Stuck, ask, goes_on

_SOLVENTS = {
    # permittivities at 298 K as in Gaussian's and PySCF's tables (pyscf.solvent.smd)
    "water": 78.3553,
    "methanol": 32.613,
    "ethanol": 24.852,
    "acetonitrile": 35.688,
    "dimethyl sulfoxide": 46.826,
    "dmso": 46.826,
    "tetrahydrofuran": 7.4257,
    "thf": 7.4257,
    "chloroform": 4.7113,
    "dichloromethane": 8.93,
    "toluene": 2.3741,
    "benzene": 2.2706,
    "acetone": 20.493,
    "cyclohexane": 2.0165,
    "n-hexane": 1.8819,
    "hexane": 1.8819,
    "diethyl ether": 4.2400,
}


_SHORT = {
    "mecn": "acetonitrile",
    "meoh": "methanol",
    "etoh": "ethanol",
    "dcm": "dichloromethane",
    "ch2cl2": "dichloromethane",
    "chcl3": "chloroform",
    "h2o": "water",
}


_SMD = {
    "dmso": "dimethylsulfoxide",
    "dimethyl sulfoxide": "dimethylsulfoxide",
    "thf": "tetrahydrofuran",
    "hexane": "n-hexane",
    "diethyl ether": "diethylether",
}


def solvent_of(page: Page) -> dict[str, Any]:
    """Fields of the implicit solvent; none where the text does not speak of one."""
    model = page.says(r"\bSMD\b|\bC-?PCM\b|IEF-?PCM|integral[- ]equation") or page.says(
        r"(?:conductor|polari[sz]able)[^.\n]{0,24}\bPCM\b|\bPCM\b|COSMO|implicit (?:water|solvent|solvation)|"
        r"continuum (?:solvent|solvation|model)|solvation model"
    )
    acid = page.says(r"\bpK_?\{?a\b")
    if page.says(r"gas[- ]phase") and not model and not acid:
        return {}
    if not model and not acid:
        wet = page.says(
            r"\bin (?:aqueous solution|water|acetonitrile|methanol|ethanol|dmso|toluene|chloroform)\b(?!\.\w)"
        )
        part = wet and PART.search(page.body[max(0, wet.start() - 30) : wet.start() + 3])
        if wet and not part and not goes_on(page.body[wet.end() :]):
            raise ask(f"Which solvent model should be used {wet[0]}?", "C-PCM", "SMD", "none (gas phase)")
        return {}
    if model and re.match("cosmo", model[0], re.I):
        raise Stuck(Unread(model[0], "COSMO is not among the solvent models of the recipes (C-PCM, IEF-PCM, SMD)."))
    kind = "CPCM"
    if model:
        page.spans.append(model.span())
        word = model[0].upper().replace("-", "")
        kind = "SMD" if word == "SMD" else "IEFPCM" if word.startswith(("IEFPCM", "INTEGRAL")) else "CPCM"
    if not model or not re.match(r"SMD|C-?PCM|IEF-?PCM|integral|conductor", model[0], re.I):
        page.assume(
            "The solvent model is not named: C-PCM is taken; SMD would add non-electrostatic terms of a few kcal/mol."
        )
    return {"solvent_model": kind, **_medium(page, kind, bool(acid))}


def _medium(page: Page, kind: str, acid: bool) -> dict[str, Any]:
    names = "|".join(sorted(map(re.escape, [*_SOLVENTS, *_SHORT]), key=len, reverse=True))
    lead = r"(?:(?:liquid|bulk|implicit|aqueous|the solvent)\s+)?"
    inside = re.findall(
        rf"\b(?:in|into|to|(?:PCM|SMD)\)?,? (?:with|for|of|using)|solvent[:,]?|solvent is|solvated (?:by|"
        rf"in))\s+{lead}({names})\b(?! bond| molecule|\.\w)",
        page.body,
        re.I,
    )
    behind = rf"(?:PCM|SMD|solvent|solvation)[^.\n()]{{0,20}}\(\s*({names})|\b({names})\s+(?:as (?:the )?)?solvent"
    inside += [next(filter(None, one)) for one in re.findall(behind, page.body, re.I)]
    listed = rf"(?:{names})(?:\s*(?:,|/|\bor\b|\band\b|, (?:or|and))\s*(?:in\s+)?(?:{names}))+"
    for row in re.finditer(rf"\b{listed}\b", page.body, re.I):
        sentence = re.split(r"[.;\n]", page.body[: row.start()])[-1] + re.split(r"[.;\n]", page.body[row.end() :])[0]
        if re.search(r"\bsolvents?\b|\bin\s*$|environments?|media\b", sentence, re.I):
            inside += re.findall(rf"\b(?:{names})\b", row[0], re.I)
    several = list(dict.fromkeys(_SHORT.get(one.lower(), one.lower()) for one in inside))
    if len(several) > 1:
        raise ask("Which solvent is meant? One at a time can be done.", *several)
    named = several[0] if several else ""
    value = page.says(
        r"(?:epsilon|ε|eps|permittivity|dielectric constant)\s*(?:_r)?\s*(?:=|of|is|:)?\s*(\d+(?:\.\d+)?)"
    )
    word = named if named else "water" if acid or page.says(r"aqueous|\bwater\b") else ""
    if not word and not value:
        raise ask("Which solvent is meant?", "water", "acetonitrile", "methanol")
    if not named and acid and not page.says(r"aqueous|\bwater\b"):
        page.assume("The solvent is not named: water is taken, which pKa values refer to.")
    return {
        "dielectric": float(value[1]) if value else _SOLVENTS[word],
        "solvent": _SMD.get(word, word) if kind == "SMD" else word or "given permittivity",
    }
