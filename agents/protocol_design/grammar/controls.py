"""Blanks and controls: vials made like the samples but without something, or with nothing but the solvent.

Only what says both how many and what is left out (or what alone is in) is read; every other blank is handed back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

from labwright.agents.protocol_design.grammar.amounts import COUNTS
from labwright.agents.protocol_design.grammar.assemble import Assembly
from labwright.agents.protocol_design.grammar.marked import Marked
from labwright.agents.protocol_design.grammar.portions import X
from labwright.agents.protocol_design.grammar.stocks import A
from labwright.agents.protocol_design.grammar.treatments import TIME_FACTOR
from labwright.agents.protocol_design.reading import Doubt, Portion, SampleGroup

SOLVENT, ONCE = "solvent", "as many as stated"
_COUNT = "|".join(COUNTS)
_SOME = rf"(?:{X})(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)(?:the\s+)?(?:{X}))*"
_LEAD = (
    r"(?:[,;]?\s*\b(?:and|plus|as well as|together with|along with|also|in addition|additionally|add|include|prepare"
    r"|make|there (?:is|are|will be))\b)*,?\s*"
)
_KIND = r"(?:(?:further|additional|extra|separate|negative)\s+)*"
_VIALS = r"(?:vials?|samples?|solutions?|mixtures?|reactions?)"
_NAME = rf"(?P<noun>(?:blank|control)s?)(?:\s+{_VIALS})?"
_N = rf"(?P<n>an?|the|this|{_COUNT}|{A})"
_HAS = r"(?:contain(?:s|ing)?|ha(?:s|ve|ving)|hold(?:s|ing)?|gets?|with)"
_WITHOUT = (
    rf"(?:\s*,?\s+|\s*\()(?:(?:that|which)\s+)?(?:without|lack(?:s|ing)?|omit(?:s|ting)?|{_HAS}\s+no)"
    rf"\s+(?:(?:any|the|added)\s+)*(?P<without>{_SOME})"
)
_ALONE = rf"(?P<{{0}}>{_SOME}|solvent)"
_ONLY = (
    rf"(?:\s*,?\s+|\s*\()(?:(?:that|which)\s+)?(?:is\s+|are\s+)?(?:(?:{_HAS}|of)\s+)?(?:(?:only|just|nothing\s+but|pure|plain)"
    rf"\s+(?:the\s+|pure\s+)?{_ALONE.format('only')}|(?:the\s+|pure\s+)?{_ALONE.format('alone')}\s+(?:only|alone))"
)
_SAYS = rf"(?:{_WITHOUT}|{_ONLY})\)?"
_EACH = rf"(?:\s+(?:(?:for|at|with|in)\s+(?:each|every)|per)\s+(?P<each>{X}|time(?:\s+point)?))?"
_TAIL = (
    r"(?:\s+(?:is|are|will be)\s+(?:also\s+)?(?:included|prepared|added|made|needed|required|wanted))?"
    r"(?:\s+(?:as well|too|also))?"
)
_PATTERNS = tuple(
    re.compile(_LEAD + rf"(?<![\w-]){core}{_EACH}{_TAIL}(?![\w-])", re.IGNORECASE)
    for core in (
        rf"{_N}\s+{_KIND}{_NAME}{_SAYS}",
        rf"as\s+(?:an?\s+)?(?:blank|control)s?,?\s+(?:(?:add|include|prepare|make)\s+)?{_N}\s+{_KIND}{_VIALS}{_SAYS}",
        rf"{_N}\s+{_KIND}{_VIALS}{_SAYS}\s*,?\s+(?:as|serv(?:es|ing)\s+as)\s+(?:an?\s+|the\s+)?(?:blank|control)s?\b",
        rf"{_N}\s+{_KIND}(?P<own>{X}|solvent)\s+(?:blank|control)s?\b(?!\s+with)",
        # "... and one vial without X": no word for a control, but vials that are added.
        rf"(?:(?<=^)|(?<=[,;]\s)|(?<=\band\s)|(?<=\bplus\s)|(?<=\badd\s)|(?<=\binclude\s)|(?<=\bprepare\s)|(?<=\bmake\s))"
        rf"{_N}\s+{_KIND}(?:vials?|samples?){_SAYS}",
    )
)
_BARE = re.compile(rf"{_LEAD}(?<![\w-]){_N}\s+{_KIND}{_NAME}{_TAIL}(?=\s*[.,;]?\s*$)", re.IGNORECASE)
# Vials that are counted among the samples, and repeats of a sentence that may or may not mean the blanks too.
_AMONG = re.compile(r"\b(?:includ\w+|of which|among (?:them|which)|one of (?:them|which))\W*$", re.IGNORECASE)
_REPEATED = re.compile(r"\b(?:duplicate|triplicate|quadruplicate|twice|replicates?|times)\b", re.IGNORECASE)
# What may follow; anything else ("..., but with 5 mg of Y") says more of the control than is read here.
_ENDS = re.compile(
    r"\s*(?:[.!?]?\s*$|,?\s*(?:(?:made\s+)?from|using)\b"
    r"|,?\s*(?:and\s+then|and|then)\s+(?:vortex|stir|heat|mix|cap|shake|cool|let)\b|,\s*each\b"
    rf"|,?\s*(?:and|plus)\s+{_N.replace('?P<n>', '?:')}\s+{_KIND}(?:{X}\s+)?(?:blank|control)s?\b)",
    re.IGNORECASE,
)
MOST = 96  # vials of a control; more are a slip of the pen


@dataclass(frozen=True, slots=True)
class Control:
    """Vials beside the samples.

    Attributes:
        count: how many, for each combination of `each` if that is given; None if only "the blank" is said.
        without: marks of what they lack; empty if `only` says what they hold.
        only: marks of what alone they hold; ``solvent`` for what fills the samples up.
        each: mark of a set, or ``time``.
        sentence: number of the sentence that says it.
    """

    count: int | None
    without: tuple[str, ...]
    only: tuple[str, ...]
    each: str
    sentence: int


@dataclass
class Controls:
    """What the sentences say about blanks, and the sentences without that."""

    found: list[Control] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    unread: set[int] = field(default_factory=set)  # sentences that are handed back as they are
    doubts: list[Doubt] = field(default_factory=list)


def read_controls(text: Marked, sentences: list[str]) -> Controls:
    """The controls of the sentences; `rest` is what the other patterns shall read."""
    controls = Controls(rest=list(sentences))
    for number in range(len(sentences)):
        take = partial(_taken, text, controls, number)
        for pattern in _PATTERNS:
            controls.rest[number] = pattern.sub(take, controls.rest[number])
    _announced(text, controls)
    return controls


def _taken(text: Marked, controls: Controls, number: int, match: re.Match[str]) -> str:
    """Nothing in place of a control that was read, else its words."""
    groups = match.groupdict()
    count = _number(text, groups["n"])
    after = match.string[match.end() :]
    unclear = _AMONG.search(match.string[: match.start()]) or _REPEATED.search(after) or not _ENDS.match(after)
    if unclear or (count is not None and not 1 <= count <= MOST):
        return match.group()
    alone = groups.get("only") or groups.get("alone") or groups.get("own") or ""
    only = (SOLVENT,) if alone.lower() == SOLVENT else tuple(re.findall(r"[CFS]\d+", alone))
    without = tuple(re.findall(r"[CFS]\d+", groups.get("without") or ""))
    each = (groups.get("each") or "").strip("<>")
    if groups["n"].startswith("<A"):
        text.use(groups["n"][1:-1])
    controls.found.append(Control(count, without, only, each, number))
    return " "


def _number(text: Marked, written: str) -> int | None:
    """How many; None if the words point to what was announced, 0 if they are no number of vials."""
    if written.lower() in ("the", "this"):
        return None
    if not written.startswith("<A"):
        return COUNTS.get(written.lower(), 1)
    item = text.amount(written[1:-1])
    whole = item.form == "list" and not item.unit and len(item.values) == 1 and item.values[0].is_integer()
    return int(item.values[0]) if whole else 0


def _announced(text: Marked, controls: Controls) -> None:
    """ "Add two blanks. The blanks contain only water.": how many stands in a sentence of its own."""
    pointing = [one for one in controls.found if one.count is None]
    if not pointing:
        return
    counts: list[int] = []
    for number, sentence in enumerate(controls.rest):
        match = _BARE.search(sentence)
        count = _number(text, match["n"]) if match else None
        if match and count:
            counts.append(count)
            text.use(match["n"][1:-1] if match["n"].startswith("<A") else None)
            controls.rest[number] = sentence[: match.start()] + sentence[match.end() :]
            if len(pointing) > 1 or len(counts) > 1:
                controls.unread.add(number)
    for one in pointing:
        controls.found.remove(one)
        if len(pointing) == 1 and len(counts) == 1:
            controls.found.append(Control(counts[0], one.without, one.only, one.each, one.sentence))
        else:
            controls.unread.add(one.sentence)


def control_groups(controls: Controls, assembly: Assembly, samples: SampleGroup) -> list[SampleGroup]:
    """A group of vials for every control; a sentence whose control does not follow from the samples stays unread."""
    made: list[SampleGroup] = []
    for one in controls.found:
        group = _group(one, assembly, samples, len(made) + 1)
        if group is None:
            controls.unread.add(one.sentence)
        else:
            made.append(_repeated(group, one, assembly, samples, controls))
    return made


def _group(one: Control, assembly: Assembly, samples: SampleGroup, number: int) -> SampleGroup | None:
    """The vials of a control, None if they do not follow from the samples."""
    doses = _without(one, assembly, samples) if one.without else _only(one, assembly, samples)
    if not doses or _loose(doses, samples):
        return None
    used = {name for dose in doses for name in (dose.substance, dose.factor, dose.parts_factor)}
    timed = [factor.name for factor in samples.factors if factor.name == TIME_FACTOR]
    factors = [factor for factor in samples.factors if factor.name in {*used, *timed}]
    combinations = 1
    for factor in factors:
        combinations *= len(factor.levels) or len(factor.chemicals)
    each = TIME_FACTOR if one.each.startswith("time") else assembly.means(one.each) if one.each else ""
    count = one.count or 0
    if [factor.name for factor in factors] == [each]:
        count *= combinations
    elif each or count % combinations or not count:
        return None  # which of the combinations are meant is not said
    names = {factor.name for factor in factors}
    pairings = [pair for pair in samples.pairings if {pair.when_factor, pair.only_factor} <= names]
    if pairings and combinations > 1:
        return None
    changed = {"name": f"control {number}", "factors": factors, "doses": doses, "pairings": []}
    return samples.model_copy(update={**changed, "replicates": count // combinations})


def _without(one: Control, assembly: Assembly, samples: SampleGroup) -> list[Portion]:
    """The samples' doses less those that are named; none if a name has no dose of its own."""
    doses = list(samples.doses)
    for mark in one.without:
        dropped = [dose for dose in doses if _is(dose, mark, assembly)]
        if len(dropped) != 1 or dropped[0].kind == "remainder":
            return []
        doses.remove(dropped[0])
    return doses


def _only(one: Control, assembly: Assembly, samples: SampleGroup) -> list[Portion]:
    """The doses that are named; they have to fill the vials as the samples are filled."""
    doses = [dose for dose in samples.doses if dose.kind == "remainder"] if one.only == (SOLVENT,) else []
    for mark in one.only if one.only != (SOLVENT,) else ():
        kept = [dose for dose in samples.doses if _is(dose, mark, assembly)]
        if len(kept) != 1:
            return []
        doses += kept
    return doses if any(dose.kind == "remainder" for dose in doses) else []


def _is(dose: Portion, mark: str, assembly: Assembly) -> bool:
    """Whether a dose is that of the substance behind a mark, or of the stock that brings it."""
    solutes = {stock.name: stock.solute for stock in assembly.stocks}
    names = {dose.substance, solutes.get(dose.substance, ""), *([dose.via] if dose.via else [])}
    return assembly.means(mark) in names


def _loose(doses: list[Portion], samples: SampleGroup) -> bool:
    """Whether what is left counts against something that is gone."""
    left = {dose.substance for dose in doses}
    shares = [sum(dose.kind == "share" for dose in each) for each in (doses, samples.doses)]
    return shares[0] != shares[1] or any(dose.reference and dose.reference not in left for dose in doses)


def _repeated(
    group: SampleGroup, one: Control, assembly: Assembly, samples: SampleGroup, controls: Controls
) -> SampleGroup:
    """Where samples are repeated, whether the control is too is asked."""
    if samples.replicates == 1:
        return group
    about, also = f"repeats of {group.name}", f"{samples.replicates} times as many"
    answer = assembly.answers.get(about)
    if answer not in (ONCE, also):
        what = f"Are the {one.count} blanks or controls made {samples.replicates} times each, as the samples are?"
        says = "There are as many of them as the text says, and no repeats."
        controls.doubts.append(Doubt(id=about, text=what, options=[ONCE, also], default=ONCE, consequence=says))
    times = samples.replicates if answer == also else 1
    return group.model_copy(update={"replicates": group.replicates * times})
