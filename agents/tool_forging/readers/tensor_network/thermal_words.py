"""Words of tasks about Gibbs states of chains, and results that the family does not give."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.tensor_network.words import VOCABULARY, spin_half
from labwright.tools.forge.families.tensor_network.thermal_spec import ThermalSpec

REFUSED = re.compile(
    r"\b(?:METTS|partition function|susceptibilit\w+|"
    r"(?<!grand )(?<!grand-)canonical ensemble|fixed (?:particle number|density|filling)|Bose[- ]Hubbard|"
    r"extended Hubbard|"
    r"t-?J|spin-1(?!/)|spin-3/2|two-dimensional|2D|ladder"
    r"|long[- ]range|random (?:fields?|couplings?)|disorder(?:ed)?|dynamical|real[- ]time|conductivity|"
    r"spectral function|quarter filling|next[- ]nearest|entanglement|central charge|string order|compressibilit\w+)\b",
    re.I,
)
WORDS = (VOCABULARY - frozenset("entanglement entangled neumann von-neumann variance".split())) | frozenset(
    """
    finite-temperature bath baths heat reservoir equilibrium antiferromagnetic beta boltzmann canonical chemical
    classical computer
    cooled cooling cool degenerate double doubly doping density densities electron electrons ensemble fermions
    filled filling gibbs grand half-filling half-filled half hopping hot hubbard hubbard-model
    identity imaginary imaginary-time infinite infinite-temperature interaction interacting inverse
    inverse-temperature moment moments mott occupancies occupancy occupation occupations occupied particle particles
    particle-hole fermionic attractive attraction atoms trap-free tilt tilted mixed mixed-field
    partition potential purification purified repulsion repulsive superexchange grand-canonical grandcanonical
    specific heat capacity temperature temperatures thermal thermalised thermodynamic thermodynamics thermofield
    trace up down
    spin-up spin-down validate gibbs-state kelvin step ancilla ancillas magnetization magnetisation
    neighbour-correlation entropy energies spin-resolved trotter tebd evolve doublons doublon magnetisations
    magnetizations
    """.split()
)
_PAIR = re.compile(
    r"<\s*(?:S_?\{?(?P<at>\w*)\}?\^?|sigma_?\{?\w*\}?\^?_?)?(?P<one>[xyzXYZ])_?\{?(?P<site>[\w+]*)\}?\s*\*?\s*"
    r"(?:S_?\{?(?P<to>[\w+]*)\}?\^?|sigma_?\{?[\w+]*\}?\^?_?)?(?P<other>[xyzXYZ])_?\{?(?P<far>[\w+]*)\}?\s*>"
)
_LETTER_Y = re.compile(
    r"(?i:magneti[sz]ations?)[^.;\n]{0,30}?\b(?:along|in)\s+(?:the )?y\b|<\s*(?:S|"
    r"sigma)?_?\{?\w*\}?\^?_?[yY](?:_\{?\w+\}?)?\s*>"
    r"|(?<![A-Za-z])[yY][- ](?i:magneti[sz]ation)"
)
_FAR = re.compile(
    r"(?:(?<!neighbour )(?<!neighbor )(?<!neighbouring )correlation (?:length|functions?)|correlators? (?:at|"
    r"between|as|against)|"
    r"function of (?:the )?distance|two-point)",
    re.I,
)
_NEAR = r"[^.;\n]{0,40}(?:neighbou?r|adjacent|bond)|(?:neighbou?r|adjacent)[^.;\n]{0,40}$"


def strange_result(body: Body, fermions: bool) -> Unread | None:
    """Something measured that the family does not give: y magnetisation, correlators other than Z Z of neighbours."""
    text = body.text
    for one in _PAIR.finditer(text):
        ends = (one["site"] or one["at"] or "", one["far"] or one["to"] or "")
        if (one["one"] + one["other"]).upper() != "ZZ" or not (ends == ("", "") or re.fullmatch(r"[ij]\+1", ends[1])):
            return Unread(
                body.original(*one.span()), "Of correlations in Gibbs states those of Z Z of neighbours are given."
            )
    if fermions and (free := re.search(r"\bfree energ\w+|\bgrand potential\b", text, re.I)):
        return Unread(body.original(*free.span()), "Free energies are given for spin chains.")
    for one in _LETTER_Y.finditer(text):
        return Unread(body.original(*one.span()), "Magnetisations of Gibbs states are given along x and z.")
    for one in _FAR.finditer(text):
        near = re.match(_NEAR, text[one.end() : one.end() + 60]) or re.search(
            _NEAR, text[max(0, one.start() - 40) : one.start()]
        )
        if near is None or fermions:
            return Unread(
                body.original(*one.span()), "Of correlations in Gibbs states those of Z Z of neighbours are given."
            )
    return None


def remarks(account: Account, spec: ThermalSpec) -> None:
    """What a text says besides and what follows from the specification is understood."""
    account.every(
        r"\b(?:one|two|three)-dimensional\b|\b1D\b|\b(?:S\s*=\s*)?sigma/2|1\s*/\s*T\b|"
        r"k_?B\s*(?:T\s*)?=?\s*1?|\bU\s*/\s*2(?:\s*=\s*-?\d+(?:\.\d+)?)?|\bU/t\b|"
        r"exp\s*[\[({]+\s*-\s*beta[^\n]{0,24}?[\])}]+(?:\s*/\s*Z)?|e\^\{?\s*-\s*beta[^\n]{0,24}?\}?\s*/\s*Z|"
        r"\bH\s*=\s*-?\s*t?\s*sum[^\n.;]{0,60}?n_?\{?(?:\w*,?\s*)?(?:up|down)\s*\}?\s*n_?\{?(?:\w*,?\s*)?(?:up|down)\}?"
    )
    account.every(rf"<\s*H\s*>\s*/\s*{spec.n_sites}\b")
    account.every(rf"\b(?:divided by|per)\s+{spec.n_sites}\b")
    spin_half(account)
    held = [spec.n_sites, spec.hopping, spec.interaction, spec.chemical_potential, spec.interaction / 2, spec.chi_max]
    account.held = {1.0, *(abs(float(one)) for one in (*held, *spec.temperatures, *spec.asked))}
