"""What an answer comes to: many say nothing, and what says nothing must settle nothing."""

from __future__ import annotations

import re

from labwright.agents.protocol_design.names import choices_of, find_chemicals
from labwright.agents.protocol_design.reading import Doubt, Settled
from labwright.tools.chemistry.chemicals import Chemical, lookup

_JUDGING = r"(?:judge?ment|discretion|guess|choice|call|decision|preference|experience|expertise|knowledge|intuition)"
_CHOOSE = r"(?:choose|decide|pick|select|judge|guess)"
_CANNOT = r"(?:do not|don't|dont|cannot|can't|couldn't|wouldn't)"
# What a part of an answer says that says nothing; longer answers are several of these.
_NOTHING = (
    rf"(?:(?:i|we|one) )?{_CANNOT} (?:really )?(?:know|mind|care|remember|say|tell)"
    r"(?: (?:what|which|how|if|whether|about|this|that|it|the|exactly|for|yet|either|at|enough)\b.*)?",
    r"(?:(?:i|we) )?(?:have |am |are )?(?:no (?:idea|clue|opinion|preference)|unsure|undecided)\b.*",
    r"(?:(?:i|we) )?(?:am |are )?not (?:so )?(?:sure|certain|known|specified)\b.*",
    r"dunno|idk|tbd|unknown|unclear|unspecified|n/?a|who knows",
    r"(?:(?:use|go with|trust|apply|at|by|make|take|give|do) )*(?:(?:your|a|the) )?(?:own )?(?:best |good )?"
    + _JUDGING,
    rf"(?:(?:it|that|this)(?: is|'s)? )?(?:is )?(?:entirely |completely |all )?(?:up to you|your {_JUDGING})(?: .*)?",
    rf"(?:i |we )?(?:leave |left )?(?:it |this |that )?(?:up )?to (?:you|your {_JUDGING})",
    rf"(?:you |let (?:the )?\w+ )(?:can |may |could |should |must |will |are free to )?{_CHOOSE}(?: .*)?",
    rf"{_CHOOSE}(?: (?:it|one|any|anything|something|yourself|for (?:me|us)|freely|what(?:ever)?\b.*))*",
    r"(?:use |take |do |go with |pick |add )?(?:whatever|whichever|anything|any|either)"
    r"(?: (?:one|of (?:them|these|those)|way|value|is|are|was|goes|works|would|will|you|that|seems|looks|suits)\b.*)?",
    r"(?:it |that |this )?(?:does not|doesn't|doesnt|is not|isn't) (?:really )?(?:matter|important|relevant)(?: .*)?",
    r"(?:as|what|how|however) you (?:like|wish|want|prefer|please|see fit|think\b.*)",
    r"(?:use |take |keep |accept |go with )?(?:the )?defaults?(?: value)?(?: (?:is|are) (?:fine|ok|okay|good))?",
    r"(?:use |take )?something (?:sensible|reasonable|suitable|appropriate|typical|standard)(?: .*)?",
    r"(?:proceed|continue|go on|go ahead|carry on|move on|skip|pass|next)(?: (?:it|this|that|anyway))?",
    r"hm+|um+|uh+|er+|well|sorry|thanks|thank you|ok|okay|fine|sure|surprise me",
)
_EMPTY = re.compile("|".join(_NOTHING))
_PARTS = re.compile(r"[,.;:!?()\n]+|\s[-–—]+\s|\b(?:and|but|so|then|or)\b")
_FILLERS = re.compile(r"\b(?:please|just|simply|really|honestly|maybe|perhaps|actually|sir|madam)\b")


def settles_nothing(answer: str) -> bool:
    """Whether an answer leaves its question as it was: empty, "I don't know", "use your best judgment"."""
    plain = _FILLERS.sub(" ", answer.casefold().replace("’", "'"))
    if re.search(r"\d", plain) or find_chemicals(answer):
        return False
    parts = [" ".join(part.split()).strip("'\"-–—… ") for part in _PARTS.split(plain)]
    return all(_EMPTY.fullmatch(part) for part in parts if part)


def counted(given: Settled, doubts: list[Doubt]) -> list[Settled]:
    """The answer as it counts: itself, the default of its doubt for one that says nothing, or nothing at all."""
    about = next((doubt for doubt in doubts if doubt.id == given.id), None)
    if not settles_nothing(given.answer) or (about is not None and given.answer in about.options):
        return [given]
    if about is None or about.default is None:
        return []
    return [given.model_copy(update={"answer": about.default, "by": "default"})]


def substance_in(answer: str | None) -> str | None:
    """The substance that an answer names, as the table of chemicals calls it; None if it names none or several."""
    meant = lookup(answer.strip(" .")) if answer else None
    return meant.name if isinstance(meant, Chemical) else None


def name_in(answer: str | None) -> str | None:
    """`substance_in`, or the name as answered where it stands for several substances, to be asked about next."""
    bare = answer.strip(" .") if answer else ""
    return substance_in(bare) or (bare if bare and choices_of(bare) else None)
