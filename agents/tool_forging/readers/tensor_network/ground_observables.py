"""What a task wants measured in ground states: magnetisations, correlators, string order, entropies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.tensor_network.measured import EXPECTATION, operators, site_letters
from labwright.tools.forge.families.tensor_network.ground_spec import Observable, Pattern

_TWO_POINT = (
    r"correlator|correlation functions?|spin[- ]spin correlation|two-point|correlations? (?:<|between|from|at|along|"
    r"of)|"
    r"\b(?:[XYZ]{2}|S[xyz]\s?S[xyz])[- ]correlation"
)
_NEIGHBOURS = (
    r"(?:nearest[- ])?neighbou?r(?:ing)?(?:[- ](?:spin|site|bond)s?)?[- ]correlat|"
    r"correlat\w+\s+(?:of|between|on)\s+(?:all\s+|the\s+)*(?:nearest[- ])?(?:neighbou?r|adjacent|bonds?)"
)
Origin = int | Literal["middle"] | None


def observables(account: Account, spins: bool, patterns: Sequence[Pattern] = ()) -> list[Observable] | Unread:
    """Everything that is measured.

    Args:
        spins: whether operators are S = sigma/2.
        patterns: the Hamiltonian's, which tell what the transverse direction is.
    """
    text, whole = account.body.text, account.body.task.text
    scale = 0.5 if spins else 1.0
    made: list[Observable] = []
    if re.search(r"string[- _](?:order|operator|correlat)", whole, re.I):
        string = _string(account)
        if isinstance(string, Unread):
            return string
        made.append(string)
    for one in EXPECTATION.finditer(text):
        if len(re.findall(r"\bS(?![a-z])|S_", one["inside"])) > 1 and not operators(one["inside"]):
            return Unread(account.body.original(*one.span()), "Correlators are given for one component each.")
    if scarce := re.search(r"\bconnected\b[^.;\n]{0,30}correlat|<[^<>\n]+>\s*-\s*<[^<>\n]+>\s*<", text, re.I):
        return Unread(account.body.original(*scarce.span()), "Correlators are given as they are, not connected.")
    told = [operators(one["inside"]) for one in EXPECTATION.finditer(text)]
    letters = site_letters(account, told, patterns)
    if not letters and (wanted(account.body.wanted, "magnetisation") or re.search(r"magneti[sz]ation", text, re.I)):
        letters = ["Z"]
    for letter in letters:
        made.append(Observable(kind="site", letters=letter, scale=scale))
    made += _pairs(account, told, scale)
    entropies = _entropies(text, whole)
    if entropies and (block := _other_block(text)):
        return Unread(
            account.body.original(*block.span()), "Entropies are given at the middle of the chain or at all cuts."
        )
    return made + entropies


def _other_block(text: str) -> re.Match[str] | None:
    """A block of sites that is not half of any number of sites that the text names."""
    counted = re.findall(r"\b(\w+)[\s-]+(?:spins?|sites?)\b", text) + re.findall(r"\b[NL]\s*=\s*(\d+)", text)
    named = {integer(word) for word in counted}
    for match in re.finditer(
        r"\b(?:first|last|leftmost|rightmost)\s+(?P<size>\w+)\s+(?:sites|spins|ones)\b", text, re.I
    ):
        size = integer(match["size"])
        if size is not None and size > 1 and 2 * size not in named:
            return match
    return None


def _string(account: Account) -> Observable | Unread:
    text = account.body.text
    found = re.search(r"Z\s*X\s*I\s*X\s*I\s*X|Z_?\{?1\}?[^.\n]{0,60}?(?:even|prod)[^.\n]{0,60}?Z_?\{?N\}?", text)
    if found is None:
        where = re.search(r"[^.\n]*string[- ](?:order|operator|correlat)[^.\n]*", text, re.I)
        return Unread(
            where[0].strip() if where else "string order",
            "The string operator known is that of the cluster phase, Z X 1 X ... X Z.",
        )
    account.every(r"[^.\n]*(?:Z\s*X\s*I\s*X|Z_?\{?1\}?\s*\(?)[^.\n]*")
    return Observable(kind="string")


def _pairs(account: Account, told: Iterable[list[tuple[str, str]]], scale: float) -> list[Observable]:
    text = account.body.text
    both = [one for one in told if len(one) == 2]
    near = [one for one in both if re.fullmatch(r"[ijn]\+1", one[1][1])]
    far = [one for one in both if one not in near]
    beside = re.search(_NEIGHBOURS, text, re.I) is not None
    if beside and not far and not near:
        near = [[(letters[0], ""), (letters[1], "")] for letters in _named_pairs(text) or ["ZZ"]]
    asked = re.search(_TWO_POINT, re.sub(_NEIGHBOURS, " ", text, flags=re.I), re.I) or wanted(
        account.body.wanted, "correlator"
    )
    if asked and not far and not near:
        far = [[(letters[0], ""), (letters[1], "")] for letters in _named_pairs(text) or ["ZZ"]]
    if far:
        account.every(
            r"\b(?:r|distances?|separations?)\s*(?:up to|from \d+ to|<=?|=|of|,|\.\.\.|\d+ to|\d+)+\s*(?:\d+|"
            r"[LN]\s*/\s*2)|"
            r"up to (?:r = )?\d+ (?:sites|apart)|\br\s*=\s*\d+(?:\s*,\s*\d+)*(?:\s*,\s*\.\.\.\s*,\s*(?:[LN]/2|\d+))?"
        )
    made = [
        Observable(kind="correlator", letters=one[0][0] + one[1][0], scale=scale**2, origin=_origin(text, one[0][1]))
        for one in far
    ]
    made += [Observable(kind="bond", letters=one[0][0] + one[1][0], scale=scale**2) for one in near]
    return [one for k, one in enumerate(made) if one not in made[:k]]


def _named_pairs(text: str) -> list[str]:
    """Letters of correlators that are named beside the word: ``ZZ correlations``, ``Sz Sz correlator``."""
    found = re.findall(r"\b(?:([XYZ])\s?([XYZ])|S([xyz])\s*S([xyz])|([xyz])([xyz]))[- ](?:\w+[- ])?correlat", text)
    return ["".join(letters).upper() for letters in found]


def _origin(text: str, index: str) -> Origin:
    """From where distances are counted: a numbered site, the middle, or wherever the family does."""
    if re.fullmatch(r"[LN]/2", index) or re.search(r"from (?:the )?(?:middle|cent(?:re|er|ral))", text, re.I):
        return "middle"
    if not re.fullmatch(r"\d+", index):
        return None
    from_one = re.search(
        r"\b(?:sites?|spins?|i|j)\s*(?:=|are|is)?\s*(?:counted|numbered)?\s*(?:from\s+)?1\s*(?:to|,|\.\.)", text
    )
    return int(index) - bool(from_one and index != "0")


def _entropies(text: str, whole: str) -> list[Observable]:
    if not re.search(r"entrop|entangle", whole, re.I):
        return []
    half = re.search(
        r"half[- ](?:chain|the chain|system)|(?:middle|central|centre|center|mid-?chain)[^.;\n]{0,20}(?:cut|bond)|"
        r"(?:cut|bond)[^.;\n]{0,20}(?:middle|centre|center)|bipartit|half of the|two halves",
        text,
        re.I,
    )
    profile = re.search(
        r"(?:each|every|all|profile)[^.;\n]{0,25}(?:cut|bond)|entropy profile|profile of the|`cut`|"
        r"block (?:length|size)|function of (?:the )?(?:cut|position|bond|block|subsystem)",
        whole,
        re.I,
    )
    made = [Observable(kind="half_entropy")] if half or not profile else []
    return [*made, Observable(kind="entropy")] if profile else made
