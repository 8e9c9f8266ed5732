"""What of a chain is recorded."""

from __future__ import annotations

import re
from typing import Literal, get_args

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.deliverables import label_values
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.spin_chain.chain import Chain
from labwright.tools.forge.families.spin_chain.spec import Sum, Want

_NAMED: dict[Want, str] = {
    "magnetisation": (
        r"magneti[sz]ation|<\s*(?:Z|X|Y|sigma|S_?\{?[xyz]|S_\{?\w+\}?\^)|\b[XYZ] (?:of|on|at|per) (?:each|"
        r"every|all)|\bmean [XYZ]\b|\baverage of [XYZ]\b|expectation values? of "
        r"(?:sigma_?)?[XYZxyz]\b|polari[sz]ation of (?:each|every|all)"
    ),
    "energy": (r"(?<!units of )(?<!units of an )(?<!units of the )(?<!unit of )\benerg(?:y|ies)\b"),
    "entropy": r"\bentropy\b",
    "return_probability": (
        r"\breturn probabilit\w+|probabilit\w+[^.;]{0,40}\b(?:in|to) (?:its |the )?(?:initial|starting|"
        r"original) state|back in (?:its|the) initial|\|\s*<\s*psi\(0\)|"
        r"\bLoschmidt\b|\bsurvival probabilit\w+|\bfidelity with (?:the|its) "
        r"initial|\boverlap with (?:the|its) initial|\becho\b"
    ),
    "imbalance": (r"\bimbalance\b|staggered magneti[sz]ation"),
    "total_magnetisation": r"\btotal magneti[sz]ation\b",
}


def observables(
    chain: Chain, n: int, ring: bool = False
) -> tuple[list[Want], list[Sum] | Unread, list[int], list[Literal["x", "y", "z"]]]:
    quantities = {quantity for one in chain.body.wanted for quantity in one.quantities}
    text = chain.text
    wants: list[Want] = []
    for want, words in _NAMED.items():
        alias = {"return_probability": {"fidelity", "echo", "loschmidt_echo"}}.get(want, set())
        if want in quantities or (alias & quantities) or re.search(words, text, re.I):
            wants.append(want)
    axes = _axes(chain)
    made = sums(chain, n, ring)
    if not isinstance(made, Unread) and made:
        wants.append("expectation")
    cuts = _cuts(chain, n) if "entropy" in wants else []
    if not wants:
        wants = ["magnetisation"]
    return wants, made, cuts, [axis for axis in get_args(Literal["x", "y", "z"]) if axis in axes] or ["z"]


def _axes(chain: Chain) -> list[str]:
    """The components of the magnetisation that a text names, in small letters."""
    text = chain.text
    axes = [
        str(one.value).lower() for one in label_values(chain.body.wanted, "axis") if str(one.value).lower() in "xyz"
    ]
    along = re.search(
        r"magneti[sz]ations? (?:along|in) (?:the )?((?:[xyz]\b(?:\s*,\s*|\s+and\s+)?(?:along )?)+)", text, re.I
    )
    if not axes and along:
        axes = re.findall(r"[xyz]\b", along[1].lower())
    if not axes:
        axes = [
            axis
            for axis in "xyz"
            if re.search(
                (
                    rf"<\s*(?:S_?{axis}(?:_\w+|_\{{\w+\}})?|{axis.upper()}(?:_\w|_\{{\w+\}})?|sigma(?:\^|"
                    rf"_)\{{?{axis}\}}?(?:_\w)?|"
                    rf"sigma_\w\^{axis})\s*(?:\([^)]*\))?\s*>|\b{axis}[- ](?:component|magneti[sz]ation)|"
                    rf"\b{axis.upper()}[- ]magneti[sz]ation|magneti[sz]ation along {axis}\b"
                ),
                text,
                re.I if axis != "y" else 0,
            )
        ]
    return axes


def _cuts(chain: Chain, n: int) -> list[int]:
    """Behind how many sites the entropy is taken."""
    text = chain.text
    cuts = [int(one.value) for one in label_values(chain.body.wanted, "cut") if one.value.isdigit()] or [n // 2]
    part, sites = _ENTROPY_OF.search(text), _ENTROPY_SITES.search(text)
    many = integer(part["many"]) if part else None
    if part and many and 0 < many < n:
        cuts = [many if part["end"].lower().startswith(("first", "left")) else n - many]
    elif sites:
        low, high = int(sites["low"]), int(sites["high"])
        if low == 0 and high + 1 < n:
            cuts = [high + 1]
        elif high == n - 1 and low > 0:
            cuts = [low]
    if not re.search(r"half|middle|cut|first|last|left|right|sites? \d", text):
        chain.assumed.append(
            f"Entanglement entropy is taken at the middle of the chain, after {n // 2} qubits, in nats."
        )
    return cuts


_ENTROPY_OF = re.compile(
    r"\bentropy\b[^.;]{0,40}?\b(?P<end>first|last|left(?:most)?|right(?:most)?)\s+(?P<many>\w+)\b(?!\s*half)", re.I
)
_ENTROPY_SITES = re.compile(
    r"\bentropy\b[^.;]{0,40}?\b(?:sites?|spins?|qubits?|ions?)\s*"
    r"(?P<low>\d+)\s*(?:-|to|through|"
    r"\.\.\.?)\s*(?P<high>\d+)",
    re.I,
)


def entropy_unit(chain: Chain) -> Literal["nat", "bit"]:
    """The unit of the entanglement entropy: nats unless the text takes the logarithm to base 2."""
    bits = re.search(r"\bin bits\b|\blog_?\{?2\b|\bbase(?: of)? (?:2|two)\b", chain.text)
    return (
        "bit"
        if bits and not re.search(r"\bnot (?:in )?(?:bits|log_?2)|\bnats?\b|\bln\b|natural log", chain.text)
        else "nat"
    )


def sums(chain: Chain, n: int, ring: bool = False) -> list[Sum] | Unread:
    """Correlators such as ``<Z_0 Z_j>`` or ``<Z_i Z_{i+1}>`` averaged over the chain."""
    made: list[Sum] = []
    words = [one.value for one in label_values(chain.body.wanted, "observable")]
    words += re.findall(r"<\s*((?:[XYZ]_?\{?\w(?:\s*\+\s*\d)?\}?\s*){2,})>", chain.text)
    for word in dict.fromkeys(words):
        pairs = re.findall(r"([XYZ])_?\{?(\d+|[ij](?:\s*\+\s*\d)?)\}?", word)
        if pairs and all(site.isdigit() for _, site in pairs) and max(int(site) for _, site in pairs) < n:
            made.append(
                Sum(label=word.strip(), terms=[(1.0, "".join(p for p, _ in pairs), [int(s) for _, s in pairs])])
            )
        elif pairs and all(not site.isdigit() for _, site in pairs) and len(pairs) == 2:
            offset = int((re.search(r"\d", pairs[1][1]) or [1])[0])
            bonds = n if ring else n - offset
            made.append(
                Sum(
                    label=word.strip(),
                    terms=[(1.0 / bonds, pairs[0][0] + pairs[1][0], [k, (k + offset) % n]) for k in range(bonds)],
                )
            )
        elif re.fullmatch(r"[XYZ]{2}", word):
            bonds = n if ring else n - 1
            made.append(Sum(label=word, terms=[(1.0 / bonds, word, [k, (k + 1) % n]) for k in range(bonds)]))
        else:
            return Unread(word, "This correlator is not understood.")
    if not made and re.search(r"\bcorrelat(?:ors?|ions? functions?)\b", chain.text):
        return Unread("correlators", "It is not said which.")
    return made


def spin_scale(chain: Chain) -> float:
    """0.5 where the text records spins one half, <Sz>, rather than Pauli matrices."""
    spins = re.search(
        r"\b(?:show|record|follow|plot|give|draw|map|measure|compute)\b[^.;]*\bS_?\{?[xyz]\b", chain.text, re.I
    ) or re.search(r"<\s*S_?(?:\{?\w+\}?)?\^?_?\{?[xyz]|<\s*S[xyz]", chain.text)
    pauli = re.search(r"<\s*(?:[XYZ]|sigma)", chain.text)
    if spins and not pauli:
        chain.assumed.append("Magnetisations are those of spins one half, <S> = <sigma>/2.")
        return 0.5
    return 1.0
