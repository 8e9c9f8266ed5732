"""The quantities that an instruction sets, and what follows from them; counts of retries and states are none."""

from __future__ import annotations

import re

from labwright.tools.experiments.call import ExperimentCard
from labwright.tools.knowledge.quantities import Mention, mentions

# "stop=1" and "from -2 to 1" set a number; the 1 of "from 0 to 1" may be a state.
_NAMED_NUMBER = re.compile(
    r"(?:\b(?:start|stop|step|offset|amplitude|repetitions|iterations)\s*=?\s*|=\s*|-\d[\d.]*\s*(?:to|until)\s*"
    r"|\b(?:coefficients?|amplitudes?|weights?|beta|alpha|range|sweep|scan|values)\s+(?:(?:values?|of|from|between"
    r"|over|range|in|the|is|lies|somewhere)\s+)*)$",
    re.IGNORECASE,
)
# "from 0 to 1.2": the other end is no state
_OTHER_END = re.compile(
    r"\s*(?:to|until|up to|and|-|–|\.\.)\s*(?:plus )?(?:\d*\.\d|[2-9]\d*\b(?!\s*[>⟩])|\d\d)", re.IGNORECASE
)
_NAMED_WORD = re.compile(
    r"\b(?:seed|shots|points|iterations|rounds|repetitions|acquisitions|frequencies|lengths|kinds|tolerance)\s*"
    r"(?:(?:of|is|=|:|number|to|at)\s*)?$",
    re.IGNORECASE,
)
_STATE_SUM = re.compile(r"\b00+\s*(?:\+|-|and|plus)\s*$", re.IGNORECASE)  # "000 + 111"
_KET = re.compile(r"\|[01+\-]*$")
_TIMES = re.compile(r"\s*(?:times\b|[x×](?=\s|$|[,.;)]))", re.IGNORECASE)
_LIMIT = re.compile(r"\s*(?:times|[x×])\s+(?:(?:the|that|its|coherence)\s+)*limit\b", re.IGNORECASE)
_ONE = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
# "qubit 2", "transmon number two", "qubits 1 and 8", "Q 1", "pair (1, 2)"
SPOKEN_QUBITS = re.compile(
    rf"\b(?:(?:qubit|transmon|dut)s?|pair(?=[ _]?[(\[]?\d\s*(?:,|&|/|-|and)\s*\d)"
    rf"|(?<![\d-])q(?=[ #_-](?:\d|{_ONE}\b)))[ _-]?(?:number |numbers |no\.? ?|nr\.? ?|#)?[(\[]?"
    rf"(?P<numbers>{_ONE}\b(?:(?:\s*(?:,|&|/|\+|-|–)\s*(?:and )?|\s+(?:and|with|to|or)\s+)(?:(?:qubit"
    rf"|transmon) )?#?{_ONE}\b"
    rf"(?!\s?(?:[A-Za-zµ%]|\.\d)(?!nd\b)))*)(?!\s?(?:[nuµm]?s|[kMG]?Hz|%)\b)",
    re.IGNORECASE,
)
# A count in words is a setting only beside what is counted; "two states" and "four-way" are none.
_COUNTED = re.compile(
    r"\s+(?:(?![qQ]\d)\w+[\s-]+)?(?:shots?|averages?|averagings?|avgs?|points?|pts|samples?|repetitions?|reps?"
    r"|rounds?|iterations?|seeds?|kinds"
    r"|randomi[sz]ations?|lengths|frequencies|acquisitions?|cliffords?|delays|amplitudes|coefficients|trains?"
    r"|values|steps?"
    r"|circuits?|(?:random )?sequences|pulse pairs|waits?|times each)\b",
    re.IGNORECASE,
)
_STATES = re.compile(r"\s*\|?[0-3](?:-|–|→|->|<->|↔|/)\|?[0-3]\s*[>⟩]?(?![\d.])(?!\s*(?:[GMk]?Hz|[nuµm]?s\b))")
_LEVEL = re.compile(r"(?:\b(?:levels?|states?|between|of)\s+(?:[0-3]\s*(?:,|and|to|or|from)\s*)?|\|)$", re.IGNORECASE)
# "each pair six times", "every pair is to be played 5x"
_EACH = re.compile(
    r"\b(?:each|every)\s+\w+\s*(?:(?:is|are|was|be|being|to|of|them|played|repeated|run|done|applied)\s+)*$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\b(?:sop|referee|reviewer|procedure|protocol|fridge|rack|cooldown|sample|chip|run|question|appendix|item|task"
    r"|ticket|job|slot|entry|section|page|version|figure|fig|table|chapter|day|week|stage|priority|prio|room|batch)s?\s*(?:no\.?|number|nr\.?)?\s*#?$|#$",
    re.IGNORECASE,
)
_UP_TO = re.compile(r"\bup to\s*$", re.IGNORECASE)  # "up to 80 times": from MANY on no count of retries
AVERAGED = re.compile(r"\baverag\w*\b[^.;]*$|\b(?:each|every|per)\b[^.;,]*$", re.IGNORECASE)
# What a number says of the precision that is wanted, or of how wrong things are, is no setting.
_GOAL = re.compile(
    r"\b(?:better than|to within|known (?:only )?to|(?:precise|accurate|right|good|certain|sure) to(?: within)?"
    r"|(?:accuracy|precision|uncertainty|error) of|off by|away by|(?:drifted|moved|shifted|changed|jumped) by"
    r"|(?:used to|had to|supposed to) be(?: at| around| near)?|was(?: at| around| near)?|were|is still"
    r"|already within)\s*(?:about|some|around|roughly|at least|up to|nearly|only)?\s*$",
    re.IGNORECASE,
)
BELOW = re.compile(
    r"\s*(?:below|under(?:neath)?|beneath|lower|to the left|left of|less than|red of|down(?!\s*to))\b", re.IGNORECASE
)
BOTH_SIDES = re.compile(
    r"\s*(?:on |to |at |in )?(?:either|both|each)\s+(?:of the\s+)?(?:sides?|directions?|ways?)|\s*(?:each"
    r"|either) way|\s*(?:above and below|below and above|left and right|up and down)\b",
    re.IGNORECASE,
)
MANY = 13  # a count from here on is written in words only where a number is meant


def stated(instruction: str) -> list[Mention]:
    """The quantities an instruction sets: without retry counts, qubit numbers, states 0 and 1, number words."""
    found: list[Mention] = []
    spans = [match.span() for match in SPOKEN_QUBITS.finditer(instruction)]
    for mention in mentions(instruction):
        if any(begin <= mention.start < end for begin, end in spans):
            continue
        repeats = _repeats(instruction, mention)
        if repeats or (repeats is None and (mention.unit or _sets(instruction, mention, found))):
            found.append(mention)
    return found


def _repeats(instruction: str, mention: Mention) -> bool | None:
    """Whether a number that counts repeats is a setting; None if it is no such number, and False if it says a goal."""
    before, behind = instruction[: mention.start], instruction[mention.end : mention.end + 14].lstrip(" -").lower()
    if _LIMIT.match(instruction, mention.end):
        return True
    if _TIMES.match(instruction, mention.end) and not mention.unit:
        many = mention.value >= MANY and (AVERAGED.search(before) or _UP_TO.search(before))
        return bool(many or _EACH.search(before))  # "averaged 2000 times"
    if behind.startswith(("more times", "retries", "attempts", "repetitions in total")):
        return False
    return False if mention.unit and _GOAL.search(before) else None


def _sets(instruction: str, mention: Mention, found: list[Mention]) -> bool:
    """Whether a pure number is a setting: no state, no level, no label, no word that only happens to be a number."""
    before, behind = instruction[: mention.start], instruction[mention.end :]
    if re.match(r"[ -]?[qQ](?:ubits?|B)?\b", behind) or _KET.search(before):  # "2Q RB" is for two qubits
        return False
    if re.fullmatch(r"0+[01]+", mention.text.strip(" .")) or _STATE_SUM.search(before):
        return False
    if _names_level(instruction, mention) or (mention.value in (0, 1, 2, 3) and _levels(before, behind)):
        return False
    if _LABEL.search(before):
        return False
    counted = bool(_COUNTED.match(behind))
    if mention.spelled and mention.value < MANY and re.search(r"\b(?:the|all|these|both)\s+$", before, re.IGNORECASE):
        return False  # "the six coefficients" are known
    if mention.spelled:
        counts = (mention.value != 1 and counted) or _is_end(instruction, mention, found)
        counts = counts or bool(_NAMED_WORD.search(before))
        return (
            counts
            or mention.value >= MANY
            or not mention.value.is_integer()
            or " point " in mention.text
            or "half" in mention.text
        )
    if mention.text.strip(" .") not in ("0", "1"):
        return True
    named = _NAMED_NUMBER.search(before) or _OTHER_END.match(behind) or _ends_range(instruction, mention, found)
    return bool(named) or (counted and not behind.lstrip(" -").lower().startswith("shot"))


def _ends_range(instruction: str, mention: Mention, found: list[Mention]) -> bool:
    """Whether a bare 0 or 1 ends a range that a setting begins: "coefficient 0 to 1"."""
    if not found or found[-1].unit:
        return False
    return instruction[found[-1].end : mention.start].strip().lower() in ("to", "-", "–", "until", "up to", "and", "..")


def is_below(instruction: str, mention: Mention) -> bool:
    """Whether a number is told as a distance to the lower side: "40 MHz below"."""
    return bool(BELOW.match(instruction, mention.end))


def _levels(before: str, behind: str) -> bool:
    """Whether a small number between these texts is a level: "level 2", "levels 1 and 2", "of 0 and 1"."""
    found = _LEVEL.search(before)
    if found is None:
        return False
    named = re.search(r"\b(?:levels?|states?)\s|\|$", found.group(), re.IGNORECASE)
    return bool(named) or (
        bool(re.match(r"\s*(?:and|to|from)\s*[0-3]\b(?!\s*(?:[.,]\d|\w+Hz|[nuµm]?s\b))", behind))
        and bool(re.search(r"[0-3]\s*(?:and|to|from)\s*$|\b(?:between|of)\s*$", before))
    )


def _is_end(instruction: str, mention: Mention, found: list[Mention]) -> bool:
    """Whether a number in words is an end of a range: "between minus one and three"."""
    before = instruction[: mention.start]
    joint = instruction[found[-1].end : mention.start].strip().lower() if found else ""
    joint = joint.removesuffix("plus").rstrip()
    ahead = r"\s*(?:and|to|until|up to)\s+(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|plus|minus|[\d.])"
    starts = bool(re.search(r"\b(?:between|from)\s*$", before, re.IGNORECASE)) and (
        mention.text.startswith("minus") or (bool(re.match(ahead, instruction[mention.end :])) and mention.value != 1)
    )
    behind = re.match(
        r"\s+(?:and|to|until|up to)\s+(?:minus\s+)?(?:[\d.]|one|two|three|four|five|six|seven|eight|nine|ten|plus)",
        instruction[mention.end :],
    )
    return (
        starts
        or bool(found and found[-1].spelled and not found[-1].unit and joint in ("and", "to", "until", "up to"))
        or bool(behind and starts)
    )


def names_card(mention: Mention, card: ExperimentCard) -> bool:
    """Whether a number is one by which the experiment is known: "the 21 pairs of pulses"."""
    return not mention.unit and bool(re.search(rf"\b{re.escape(f'{mention.value:g}')} [a-z]", card.summary))


def _names_level(instruction: str, mention: Mention) -> bool:
    """Whether a small number is one of two levels: "the 1-2 transition"."""
    return any(
        match.start() <= mention.start < match.end()
        and re.match(
            r"\s*(?:transition|line|level|states?|resonance|spectroscopy|splitting|freq)", instruction[match.end() :]
        )
        for match in _STATES.finditer(instruction)
    )


def derived(instruction: str, using: Mention | None = None) -> list[tuple[float, str]]:
    """Numbers that follow from a stated range: its width, its centre, and its count of points if a step is stated.

    With `using`, only those that follow from this number.
    """
    found = stated(instruction)
    numbers: list[tuple[float, str]] = []
    for stop in found:  # a sweep that begins at zero
        numbers += [
            (round(stop.value / size) + 1, "")
            for step in found
            if step is not stop and (size := step.within(stop.unit)) and 0 < size < stop.value
            if using in (None, stop, step)
        ]
    for left in found:
        for right in found:
            end = right.within(left.unit)
            if left is right or end is None or end <= left.value:
                continue
            width = float(f"{end - left.value:.12g}")
            if using in (None, left, right):
                numbers += [(width, left.unit), (float(f"{(left.value + end) / 2:.12g}"), left.unit)]
            for step in found:
                size = step.within(left.unit)
                if size and size > 0 and step not in (left, right) and using in (None, left, right, step):
                    numbers.append((round(width / size) + 1, ""))
    return numbers
