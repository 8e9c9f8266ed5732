"""How a circuit is measured: with shots or exactly, how many, and what of the outcomes is wanted."""

from __future__ import annotations

import re
from itertools import product
from typing import Literal

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.circuits.circuit import Circuit
from labwright.agents.tool_forging.readers.circuits.noise import KINDS
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.deliverables import label_values, wanted

Wants = Literal["fidelity", "purity", "entropy", "entanglement_entropy"]
_SAMPLED = r"(?:shots?|sampling|shot noise|statistic\w*(?: sampling| error\w*)?|counts|samples|measurement statistics)"
_NO_SHOTS = re.compile(
    rf"\b(?:no|without|instead of|rather than|not? need(?:ed)?|neither) (?:any |finite |random |statistical "
    rf")?{_SAMPLED}\b|"
    r"\bshot-free\b|\bnot? (?:be )?sampled?\b|\bdo(?:es)? not sample\b|\binfinitely many (?:shots|measurements)\b|"
    rf"\b{_SAMPLED}\s*(?::|=|is|are)\s*(?:none|no\b|off|not |un|0\b|-(?!\d)|infinit)|"
    rf"\b(?:sampling|statistics) (?:is |are |would be )?(?:not|un)\s?(?:wanted|needed|required|necessary|desired)",
    re.I,
)
_SHOTS = re.compile(
    r"\b(?:shots?|counts?|sampl\w+|repetitions|histograms?|standard errors?|runs each|trials)\b|"
    r"\b\d[\d,]{2,}\s+(?:times|measurements|pairs|runs|copies|detections|experiments|samples)\b|measured \d[\d,]{2,}",
    re.I,
)
_EXACT = re.compile(
    r"\bexact(?:ly)?\b|\bdensity[- ]matrix (?:simulation|calculation|simulator)\b|\bdirectly from the (?:state|"
    r"density)",
    re.I,
)
_COMPARED = re.compile(
    r"compar\w+[^.;]{0,60}exact|exact\w*[^.;]{0,40}compar|beside the exact|against (?:the )?exact", re.I
)
_KINDS = re.compile("|".join(words for _, words in KINDS), re.I)


def is_sampled(circuit: Circuit) -> bool:
    """Whether counts are taken: shots are spoken of and not ruled out."""
    if _NO_SHOTS.search(circuit.text):
        return False
    text = circuit.text
    if "shots" in circuit.sets or _number_of_shots(circuit) is not None:
        return True
    if _SHOTS.search(text) and not (_EXACT.search(text) and not _COMPARED.search(text)):
        return True
    circuit.assumed.append("The task speaks of no shots: probabilities and expectation values are exact.")
    return False


def shots_of(circuit: Circuit) -> int:
    """How many shots each basis takes."""
    number = _number_of_shots(circuit)
    if number is not None:
        return number
    circuit.assumed.append("The task gives no number of shots; 4096 are taken, a standard error of at most 0.016.")
    return 4096


def _number_of_shots(circuit: Circuit) -> int | None:
    """The number of shots; what is read counts as used."""
    for words in (
        r"shots?",
        (
            r"times|samples|repetitions|measurements|runs|trials|events|repeats|experiments|executions|measured "
            r"pairs|pairs|copies|detections"
        ),
        "measurement shots",
    ):
        for match in re.finditer(
            rf"(?<![\w.])(10\^\{{?\d\}}?|\d+[eE]\d|\d[\d,]*)\s+(?:\w+\s+){{0,2}}?(?:{words})\b", circuit.text, re.I
        ):
            number = _whole(match[1])
            if number > 9:
                circuit.used.append(match.span())
                return number
    if "shots" in circuit.sets:
        return int(circuit.sets["shots"][0])
    said = re.search(
        r"\b(?:shots?|repetitions|samples|runs|trials)\b[^.;,\n\d]{0,24}?(10\^\{?\d\}?|\d+[eE]\d|\d[\d,]+)",
        circuit.text,
        re.I,
    ) or re.search(r"\bsampl\w+[^.;\n\d]{0,30}?(\d[\d,]{2,})\s+times", circuit.text, re.I)
    if said:
        circuit.used.append(said.span())
        return _whole(said[1])
    spoken = count(circuit.body.plain, r"shots?|samples")
    return spoken[0] if spoken and spoken[0] > 1 else None


def _whole(number: str) -> int:
    """``4,096``, ``1e4`` and ``10^4`` as a number."""
    plain = number.replace(",", "").strip("{}")
    base, _, power = plain.partition("^")
    return int(base) ** int(power.strip("{}")) if power else int(float(plain))


def asked_chsh(circuit: Circuit) -> bool:
    """CHSH is measured where it is asked for, not where it is to be discussed."""
    asked = re.search(
        r"(?:measure|test|estimate|compute|determine|evaluate|report|give|check|violat\w+|verify|show)[^.;]{0,60}CHSH|"
        r"CHSH (?:value|parameter|quantity|combination|sum)",
        circuit.text,
        re.I,
    )
    return bool(asked) or any("chsh" in one.quantities for one in circuit.body.wanted)


_THINGS = (
    r"(?:bit ?strings?|qubit ?strings?|outcomes?|basis states|(?:qubit |bit )?patterns?|results|"
    r"computational states|combinations)"
)
_EVERY_OUTCOME = re.compile(
    rf"\bprobabilit(?:y|ies)\b[^.;]{{0,30}}\b(?:all|each|every)\b(?: of)?(?: the)?(?: \w+){{0,3}}? {_THINGS}|"
    rf"\b(?:all|each|every)(?: of)?(?: the)?(?: \w+){{0,2}}? (?:{_THINGS[3:-1]})?\s*probabilities|"
    rf"\bprobabilit\w+ (?:distributions?|of the (?:\w+ )?{_THINGS})|\b(?:outcome|output|bitstring|qubitstring|"
    rf"measurement) (?:probabilities|distribution)|"
    rf"\bdistribution (?:of|over) (?:the )?(?:\w+ )?{_THINGS}|\bprobabilities\b(?=\s*(?:[,.;:)]|and\b|as\b|in\b|"
    rf"with\b|$))",
    re.I,
)
_ONE_BIT = re.compile(
    r"\bprobabilit\w+\b[^.;]{0,30}?\bqubit (?P<site>\d)(?: is| to be| in| being| read| gives?| measured| found| as|"
    r" reads?| yields?| shows?| results?| the| state)*\s+\|?(?P<bit>[01]|one\b|zero\b)>?(?!\w)"
    r"|\bP\(\s*q_?\[?(?P<site2>\d)\]?\s*=\s*(?P<bit2>[01])\s*\)|"
    r"\bprobabilit\w+\b[^.;]{0,30}?\b(?:of|for|to find|to measure|to read) (?:a |the )?(?P<bit3>[01]|one|zero) "
    r"(?:on|at|in|for|from) qubit (?P<site3>\d)",
    re.I,
)
_A_PROBABILITY = re.compile(r"\bprobabilit(?:y|ies)\b", re.I)
_MANY = 6  # qubits up to which all outcomes are listed


def outcomes(circuit: Circuit, n: int) -> list[str] | Unread:
    """Bitstrings whose probabilities are asked for, in words or by the section of results."""
    text = circuit.text
    found = [one.value for one in label_values(wanted(circuit.body.wanted, "probability"), "outcome")]
    found += re.findall(rf"\bP\(\s*\|?\s*([01]{{{n}}})\s*>?\s*\)", text)
    for match in re.finditer(
        r"\b(?:probabilit\w+|fractions?|populations?)\s+(?:of|for|to (?:find|measure))\s+([^.;]{1,60})", text, re.I
    ):
        found += re.findall(rf"(?<![\d.])[01]{{{n}}}(?![\d.])", match[1])
    for match in _ONE_BIT.finditer(text):
        site = int(match["site"] or match["site2"] or match["site3"])
        bit = (match["bit"] or match["bit2"] or match["bit3"]).lower()
        if site < n:
            circuit.used.append(match.span())
            found.append("-" * site + {"one": "1", "zero": "0"}.get(bit, bit) + "-" * (n - site - 1))
    if re.search(rf"(?<![\d.])0{{{n}}}\s*(?:,\s*0*1\s*,\s*)?(?:\.\.\.|to|through|-)\s*,?\s*1{{{n}}}(?!\d)", text):
        found = []  # "000 ... 111"
        every = True
    else:
        every = not found and bool(_EVERY_OUTCOME.search(text))
    if every and n <= _MANY:
        found = ["".join(bits) for bits in product("01", repeat=n)]
    if not found and (strange := _other_probability(circuit)):
        return strange
    return list(dict.fromkeys(found))


def _other_probability(circuit: Circuit) -> Unread | None:
    """A probability that is asked for and that is none of single outcomes; those of errors are no results."""
    for sentence in circuit.body.sentences:
        for match in _A_PROBABILITY.finditer(sentence.text):
            clause = sentence.text[max(0, match.start() - 90) : match.end() + 90]
            behind = sentence.text[match.end() : match.end() + 12]
            if (
                not _KINDS.search(clause)
                and re.match(r"\s+(?:that|of|for|to)\b", behind)
                and not re.search(
                    r"\b(?:with|error|fault|noise|has|have)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?$",
                    sentence.text[: match.start()],
                )
                and not re.match(r"\s+of\s+(?:\d|p\b|q\b|an? error)", behind)
            ):
                return Unread(
                    circuit.body.original(sentence.start, sentence.end),
                    "Probabilities are known of bitstrings and of single qubits.",
                )
    return None


_ROOT = re.compile(
    r"fidelity[^.;]{0,60}\bsqrt\(?\s*<|\bsquare[- ]root fidelity|fidelity[^.;]{0,50}(?<!without )the square root of",
    re.I,
)


def entropy_unit(circuit: Circuit) -> Literal["bit", "nat"]:
    """The unit of entropies: bits unless the text takes the natural logarithm."""
    text = circuit.body.task.text  # where bits are still bits
    natural = re.search(r"\bnats?\b|\bnatural log\w*|\bln\b(?! ?2)|\blog(?:arithm)? to (?:the )?base e\b", text)
    return "nat" if natural and not re.search(r"\bbits\b|\blog_?2|\bbase(?: of)? (?:2|two)\b", text) else "bit"


def rooted_fidelity(circuit: Circuit) -> str:
    """Words for a fidelity that is the square root of the usual one; empty if there are none."""
    match = _ROOT.search(circuit.text)
    return match[0] if match else ""


def wants(circuit: Circuit) -> list[Wants]:
    """Measures of the state that the text names."""
    every: list[Wants] = ["fidelity", "purity", "entropy", "entanglement_entropy"]
    named = {quantity for one in circuit.body.wanted for quantity in one.quantities}
    found = [one for one in every if one in named or re.search(rf"\b{one.replace('_', ' ')}\b", circuit.text, re.I)]
    if "purity" not in found and re.search(r"\bhow pure\b|\bTr\s*\(?\s*rho\s*\^\s*2", circuit.text):
        found.append("purity")
    if "fidelity" not in found and re.search(r"\bfidelities\b|\boverlap (?:with|between)\b", circuit.text, re.I):
        found.insert(0, "fidelity")
    if "entropy" not in found and re.search(r"\bentropies\b", circuit.text, re.I):
        found.append("entropy")
    return found
