"""Named checks of a candidate call, each one a computation, and the mends that need no judgement."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from labwright.tools.errors import CallSyntaxError
from labwright.tools.experiments.call import ExperimentCall, ExperimentCard, ParameterCard, parse_call, render_call
from labwright.tools.knowledge.quantities import UNITS, Mention, canonical_unit, converted, mentions, same

QUBIT_PARAMETERS = ("qubit", "dut")
PARTNER, GROUP = "partner", "qubits"  # the other qubit of a pair; several names with commas between
TYPES: dict[str, tuple[type, ...]] = {"str": (str,), "bool": (bool,), "int": (int,), "float": (float, int)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a call. `mend` is a sentence; one in backquotes can be applied by `repair`."""

    check: str
    message: str
    mend: str


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What the checks may know.

    Attributes:
        instruction: the words that were translated.
        cards: name -> card; a procedure's card is keyed ``procedure:<slug>``.
        variables: the variable table.
        qubits: the device's qubits.
        trusted: numbers that need no support by the instruction, such as those an inspection proposed.
    """

    instruction: str
    cards: Mapping[str, ExperimentCard]
    variables: Mapping[str, Any]
    qubits: tuple[str, ...]
    trusted: tuple[float, ...] = ()


# "stop=1" and "from -2 to 1" set a number; the 1 of "from 0 to 1" may be a state.
_NAMED_NUMBER = re.compile(
    r"(?:\b(?:start|stop|step|offset|amplitude)\s*=?\s*|=\s*|-\d[\d.]*\s*(?:to|until)\s*)$", re.IGNORECASE
)
_ONE = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
# "qubit 2", "transmon number two", "qubits 1 and 8", "Q 1", "pair (1, 2)"
SPOKEN_QUBITS = re.compile(
    rf"\b(?:(?:qubit|transmon|dut)s?|pair(?=[ _]?[(\[]?\d\s*(?:,|&|/|-|and)\s*\d)"
    rf"|(?<![\d-])q(?=[ #_-]\d))[ _-]?(?:number |numbers |no\.? ?|nr\.? ?|#)?[(\[]?"
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
_EACH = re.compile(r"\b(?:each|every)\s+\w+\s*$", re.IGNORECASE)  # "each pair six times"
_LABEL = re.compile(
    r"\b(?:item|task|ticket|job|slot|entry|section|page|version|figure|fig|table|chapter|day|week|stage|priority"
    r"|prio|room|batch)s?\s*(?:no\.?|number|nr\.?)?\s*#?$|#$",
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
Found = Iterator[tuple[str, str]]  # (message, mend)


def qubits_of(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every qubit that a call names, with the parameter it stands in."""
    single = [(name, str(arguments[name])) for name in (*QUBIT_PARAMETERS, PARTNER) if name in arguments]
    group = str(arguments.get(GROUP, "")).split(",")
    return single + [(GROUP, name.strip()) for name in group if name.strip()]


def places(card: ExperimentCard) -> int | None:
    """How many qubits a call of this experiment has room for; None if for any number."""
    names = {parameter.name for parameter in card.parameters}
    return None if GROUP in names else len(names & {*QUBIT_PARAMETERS, PARTNER})


def check(name: str, code: str, context: CheckContext) -> list[Finding]:
    """The findings of the check `name`. Code that cannot be read is found by ``syntax`` alone."""
    try:
        call = parse_call(code, context.cards, context.variables)
    except CallSyntaxError as error:
        return [Finding(name, str(error), "")] if name == "syntax" else []
    return [Finding(name, message, mend) for message, mend in _CHECKS[name](call, context)]


def check_all(code: str, context: CheckContext) -> list[Finding]:
    """The findings of every check, in order."""
    return [finding for name in CHECKS for finding in check(name, code, context)]


def repair(code: str, mends: list[str], context: CheckContext) -> str:
    """The call after all mends of the forms "Write `x=1`", "Drop `x`" and "Rename `x` to `y`"; empty if none applies.

    Raises:
        CallSyntaxError: `code` cannot be read.
    """
    call = parse_call(code, context.cards, context.variables)
    card = context.cards[call.experiment]
    types = {parameter.name: parameter.type for parameter in card.parameters}
    arguments = dict(call.arguments)
    for mend in mends:
        if match := re.search(r"Write `(\w+)=([^`]*)`", mend):
            arguments[match[1]] = _read(match[2], types.get(match[1], "str"))
        elif match := re.search(r"Drop `(\w+)`", mend):
            arguments.pop(match[1], None)
        elif (match := re.search(r"Rename `(\w+)` to `(\w+)`", mend)) and match[1] in arguments:
            arguments[match[2]] = arguments.pop(match[1])
    mended = render_call(replace(call, arguments=arguments))  # compared as text, since 41.0 == 41
    return mended if mended != render_call(call) else ""


def stated(instruction: str) -> list[Mention]:
    """The quantities an instruction sets: without retry counts, qubit numbers, states 0 and 1, number words."""
    found, spans = [], [match.span() for match in SPOKEN_QUBITS.finditer(instruction)]
    for mention in mentions(instruction):
        behind = instruction[mention.end : mention.end + 14].lstrip(" -").lower()
        before = instruction[: mention.start]
        many = mention.value >= MANY and (AVERAGED.search(before) or _UP_TO.search(before))
        if behind.startswith("times") and (many or _EACH.search(before)):
            found.append(mention)  # "averaged 2000 times"
            continue
        if behind.startswith(("times", "more times", "retries", "attempts", "repetitions in total")):
            continue
        if any(begin <= mention.start < end for begin, end in spans) or (mention.unit and _GOAL.search(before)):
            continue
        if not mention.unit and re.match(
            r"[ -]?[qQ](?:ubits?|B)?\b", instruction[mention.end :]
        ):  # "2Q RB" is for two qubits
            continue
        if not mention.unit and (
            _names_level(instruction, mention)
            or (mention.value in (0, 1, 2, 3) and _levels(before, instruction[mention.end :]))
        ):
            continue
        bare = not mention.unit and mention.text.strip(" .") in ("0", "1")
        counts = mention.spelled and mention.value != 1 and bool(_COUNTED.match(instruction[mention.end :]))
        counts = counts or (mention.spelled and _is_end(instruction, mention, found))
        if not mention.unit and _LABEL.search(before):
            continue
        if (
            not mention.unit
            and mention.spelled
            and not counts
            and mention.value < MANY
            and " point " not in mention.text
        ):
            continue
        counts = counts or (bare and bool(_COUNTED.match(instruction[mention.end :])) and "shot" not in behind)
        if bare and not counts and not _NAMED_NUMBER.search(before):
            continue
        found.append(mention)
    return found


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


def _argument_names(call: ExperimentCall, context: CheckContext) -> Found:
    card = context.cards[call.experiment]
    names = [parameter.name for parameter in card.parameters]
    for name in call.arguments:
        if name not in names:
            near = difflib.get_close_matches(name, [n for n in names if n not in call.arguments], 1, 0.6)
            hint = f" Did you mean `{near[0]}`?" if near else ""
            mend = f"Rename `{name}` to `{near[0]}`." if near else f"Drop `{name}`."
            yield f"{card.name} has no parameter `{name}`; it has {', '.join(names)}.{hint}", mend
    for parameter in card.parameters:
        if parameter.required and parameter.name not in call.arguments:
            value = context.variables.get(parameter.name, context.variables.get("dut"))
            known = parameter.name in QUBIT_PARAMETERS and isinstance(value, str)
            yield (
                f"{card.name} needs `{parameter.name}`, which has no default.",
                f"Write `{parameter.name}={value!r}`." if known else f"Name {parameter.name} in the instruction.",
            )


def _types(call: ExperimentCall, context: CheckContext) -> Found:
    for parameter, value in _given(call, context):
        accepted = TYPES.get(parameter.type)
        if accepted is None or (value is None and parameter.default is None and not parameter.required):
            continue
        if isinstance(value, accepted) and not (isinstance(value, bool) and parameter.type != "bool"):
            continue
        whole = parameter.type == "int" and isinstance(value, float) and value.is_integer()
        yield (
            f"Argument `{parameter.name}` must be {parameter.type}, but is {value!r}.",
            f"Write `{parameter.name}={int(value)}`." if whole else f"Give a {parameter.type}.",
        )


def _ranges(call: ExperimentCall, context: CheckContext) -> Found:
    for parameter, value in _given(call, context):
        if not _is_number(value) or parameter.minimum is None or parameter.maximum is None:
            continue
        if parameter.minimum <= value <= parameter.maximum:
            continue
        unit = f" {parameter.unit}" if parameter.unit else ""
        message = (
            f"Argument `{parameter.name}` must be between {parameter.minimum:g} and {parameter.maximum:g}{unit},"
            f" but is {value:g}."
        )
        other = _other_unit(parameter, float(value))
        # Only the instruction can tell that another unit was meant; without it a person has to.
        if other and any(m.unit == other[0] and same(m.value, float(value)) for m in stated(context.instruction)):
            yield f"{message} {value:g} {other[0]} is {other[1]:g}{unit}.", f"Write `{parameter.name}={other[1]!r}`."
        elif other and not any(
            m.unit and _means(m.value, m.unit, parameter, value) for m in stated(context.instruction)
        ):
            yield f"{message} Was {value:g} {other[0]} meant?", "Choose a value inside the range, with its unit."
        else:
            meaning = (
                f" `{parameter.name}` is the {parameter.description.rstrip('.')}." if parameter.description else ""
            )
            yield message, f"Choose a value inside the range.{meaning}"


def _order(call: ExperimentCall, context: CheckContext) -> Found:
    values = {parameter.name: parameter.default for parameter in context.cards[call.experiment].parameters}
    values |= call.arguments
    for low, high in (("start", "stop"), ("minimum", "maximum")):
        first, last = values.get(low), values.get(high)
        if _is_number(first) and _is_number(last) and not first < last:
            yield f"`{low}` must be below `{high}`, but {first:g} is not below {last:g}.", "Choose an increasing range."


def _qubit(call: ExperimentCall, context: CheckContext) -> Found:
    named = [qubit for qubit in context.qubits if re.search(rf"\b{re.escape(qubit)}\b", context.instruction, re.I)]
    for name, value in qubits_of(call.arguments):
        if value not in context.qubits:
            right = next((qubit for qubit in context.qubits if qubit.lower() == value.lower()), None)
            mend = f"Write `{name}={right!r}`." if right and name != GROUP else "Name a qubit of the device."
            yield f"The device has no qubit {value!r}. It has: {', '.join(context.qubits)}.", mend
        elif len(named) == 1 and value != named[0] and name in QUBIT_PARAMETERS:
            yield f"The instruction names {named[0]}, but the call uses {value}.", f"Write `{name}={named[0]!r}`."


def _unsupported_numbers(call: ExperimentCall, context: CheckContext) -> Found:
    said = [(m.value, m.unit) for m in mentions(context.instruction)] + derived(context.instruction)
    said += [(-m.value, m.unit) for m in stated(context.instruction) if is_below(context.instruction, m)]
    free = [float(v) for v in (*context.trusted, *context.variables.values()) if _is_number(v)]
    implied = {name for _, names in _sweep(call, context) for name in names}
    for parameter, value in _given(call, context):
        if not _is_number(value) or (_is_number(parameter.default) and same(value, parameter.default)):
            continue
        if any(same(value, number) for number in free) or parameter.name in implied:
            continue
        if not any(_means(number, unit, parameter, float(value)) for number, unit in said):
            yield (
                f"Nothing supports `{parameter.name}={value:g}`: no word of the instruction, no variable, no default.",
                f"Drop `{parameter.name}`." if not parameter.required else "Take the value from the instruction.",
            )


def _ignored_numbers(call: ExperimentCall, context: CheckContext) -> Found:
    card = context.cards[call.experiment]
    values = [(p, call.arguments.get(p.name, p.default)) for p in card.parameters]
    numbers = [(p, float(value)) for p, value in values if _is_number(value)]
    implied = [mention for mention, _ in _sweep(call, context)]
    for mention in stated(context.instruction):
        if names_card(mention, card) or (mention.value == 0 and "start" not in {p.name for p in card.parameters}):
            continue
        signed = -mention.value if is_below(context.instruction, mention) else mention.value
        if mention in implied or any(_means(signed, mention.unit, p, value) for p, value in numbers):
            continue
        # Two ends of a range may have become its width or its centre, and a step a count of points.
        if any(_means(*number, p, value) for number in derived(context.instruction, mention) for p, value in numbers):
            continue
        yield (
            f"The instruction says {mention.text.strip()}, but the call does not use it.",
            "Use it, or choose an experiment that can.",
        )


def _sweep(call: ExperimentCall, context: CheckContext) -> list[tuple[Mention, tuple[str, ...]]]:
    """Stated numbers that the sweep obeys as a whole, with the parameters they support: its width, its point count."""
    card = context.cards[call.experiment]
    parameters = {p.name: p for p in card.parameters}
    values = {p.name: call.arguments.get(p.name, p.default) for p in card.parameters}
    start, stop, step = (values.get(name) for name in ("start", "stop", "step"))
    if not (_is_number(start) and _is_number(stop)):
        return []
    found: list[tuple[Mention, tuple[str, ...]]] = []
    for mention in stated(context.instruction):
        width = mention.within(parameters["stop"].unit) if mention.unit else None
        if width is not None and (same(stop - start, width) or same(stop, width)) and same(start, -stop):
            found.append((mention, ("start", "stop")))
        elif not mention.unit and _is_number(step) and step > 0 and same((stop - start) / step + 1, mention.value):
            found.append((mention, ("step",)))
    return found


_CHECKS: dict[str, Callable[[ExperimentCall, CheckContext], Found]] = {
    "syntax": lambda _call, _context: iter(()),
    "argument_names": _argument_names,
    "types": _types,
    "ranges": _ranges,
    "order": _order,
    "qubit": _qubit,
    "unsupported_numbers": _unsupported_numbers,
    "ignored_numbers": _ignored_numbers,
}
CHECKS: tuple[str, ...] = tuple(_CHECKS)


def _given(call: ExperimentCall, context: CheckContext) -> Iterator[tuple[ParameterCard, Any]]:
    for parameter in context.cards[call.experiment].parameters:
        if parameter.name in call.arguments:
            yield parameter, call.arguments[parameter.name]


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _means(number: float, unit: str, parameter: ParameterCard, value: float) -> bool:
    """Whether `number unit` in the text is this argument; a bare number takes the parameter's unit."""
    meant = converted(number, unit, parameter.unit) if unit else number
    return meant is not None and same(meant, value)


def _other_unit(parameter: ParameterCard, value: float) -> tuple[str, float] | None:
    """A unit in which `value` would be in range, and the value in the parameter's own unit."""
    own = canonical_unit(parameter.unit)
    if own not in UNITS or parameter.minimum is None or parameter.maximum is None:
        return None
    for unit, (dimension, _) in UNITS.items():
        if unit == "%" and parameter.type == "int":
            continue  # a count is no share
        meant = converted(value, unit, own) if unit and unit != own and dimension == UNITS[own][0] else None
        if meant is not None and parameter.minimum <= meant <= parameter.maximum:
            return unit, meant
    return None


def _read(text: str, kind: str) -> Any:
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    return {"True": True, "False": False}.get(text, text.strip("'\""))
