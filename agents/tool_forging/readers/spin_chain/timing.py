"""How a chain is evolved: method, total time and steps, or periods of a kicked chain."""

from __future__ import annotations

import math
import re
from typing import Literal

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.numbers import integer, numbers_at
from labwright.agents.tool_forging.readers.language.timegrid import TimeGrid, sampled, time_grid
from labwright.agents.tool_forging.readers.language.units import unit_at
from labwright.agents.tool_forging.readers.spin_chain.chain import Chain
from labwright.agents.tool_forging.readers.spin_chain.clock import clock


def backend(chain: Chain, method: str) -> Literal["cudaq", "numpy"]:
    """Where rotations are simulated."""
    if re.search(r"cuda-?\s?q", chain.text, re.I):
        return "cudaq"
    if not re.search(r"\bnumpy\b", chain.text, re.I) and method != "exact":
        chain.assumed.append("The task names no simulator; rotations are applied to the state vector with numpy.")
    return "numpy"


def method(chain: Chain, kicked: bool) -> Literal["product_1", "product_2", "exact", "floquet"] | Unread:
    """The method by its words; exact evolution where none is named."""
    if kicked:
        return "floquet"
    both = re.search(r"\bexact\w*\b|diagonali[sz]\w+", chain.text, re.I) and re.search(
        r"\b(?:next|then|also|again|second run|compare)\b[^.;]{0,40}\bTrotter\w*[^.;]{0,40}(?:dt|step)",
        chain.text,
        re.I,
    )
    if both:
        return Unread(
            both[0], "One task is evolved by one method; exact evolution and a product formula are two tasks."
        )
    other = re.search(
        r"\b(?:fourth|4th|higher)[- ]order\b|\b(?:Runge|Krylov|Chebyshev)\w*|\bfree[- ]fermion\w*", chain.text, re.I
    )
    if other:
        return Unread(other[0], "There are product formulas of first and second order, and exact evolution.")
    if re.search(r"\bfirst[- ]order\b|\bLie[- ]Trotter\b", chain.text, re.I):
        return "product_1"
    if re.search(r"\bsecond[- ]order\b|\bStrang\b|\bsymmetric (?:Trotter|product)", chain.text, re.I):
        return "product_2"
    if re.search(r"\bexact(?:ly)?\b|diagonali[sz]\w+", chain.text, re.I) and not re.search(
        r"cuda-?\s?q|compare\w*[^.;]{0,60}exact|exact\w*[^.;]{0,40}compar", chain.text, re.I
    ):
        return "exact"
    named = re.search(r"\bTrotter\w*|\bproduct formula", chain.text, re.I)
    if named or re.search(r"cuda-?\s?q", chain.text, re.I):
        chain.assumed.append(
            "The order of the product formula is not given; the second is taken, whose error falls with "
            "the square of the step."
        )
        return "product_2"
    if not re.search(r"\bexact\w*|diagonali[sz]\w+|numerically exact", chain.text, re.I):
        chain.assumed.append("No method is named; the evolution is exact, by diagonalisation or expm_multiply.")
    return "exact"


def timing(chain: Chain) -> tuple[float, int, str] | Question:
    """Total time, steps, time unit."""
    told = clock(chain, formulas(chain))
    if told.total is not None and told.steps is not None:
        chain.used += told.spans
        if told.unit:
            chain.assumed.append(f"Times are in {told.unit}s and energies in radian per {told.unit} (hbar = 1).")
        return told.total, told.steps, {"second": "s"}.get(told.unit, told.unit)
    whole, unit = total(chain)
    has_units = bool(re.search(r"\d\s*(?:fs|ps|ns|us|ms|s|seconds?|\w+seconds?)\b", chain.text))
    grid = time_grid(chain.text, has_units)
    if whole is None and grid is not None:
        whole, unit = grid.stop, grid.unit
    if whole is None:
        return Question(text="Over which total time is the chain to be evolved?")
    if grid is None or grid.stop != whole:  # an end, and a step in other words
        grid = sampled(chain.text, TimeGrid(0.0, whole, unit, spans=(chain.used[-1],)))
    chain.used += grid.spans
    steps = _steps(chain, whole, grid if grid is not None and grid.stop == whole else None)
    if steps:
        return whole, steps, unit
    fastest = max([abs(v) for name, found in chain.values.items() for v in found if name not in _NO_ENERGY] or [1.0])
    chosen = max(200, math.ceil(whole * max(fastest, 1.0) / 0.05))
    chain.assumed.append(f"The task gives no number of steps; {chosen} are taken.")
    return whole, min(chosen, 20_000), unit


def formulas(chain: Chain) -> list[tuple[int, int]]:
    """Stretches whose numbers are no times: couplings and operators."""
    found = [match.span() for match in _FORMULA.finditer(chain.text)]
    return found + [(one.start, one.end) for one in chain.found if one.key not in _CLOCK]


_FORMULA = re.compile(
    r"(?<![A-Za-z])H(?:_\w+)?\s*=\s*[^.;\n]*(?:\n(?=\s*[-+])[^.;\n]*)*|[-+]?\d*\.?\d*\s*(?:times the |"
    r"\*)?\s*sum[^.;,\n]*|\bexp\([^()]*\)|"
    r"<[^<>\n]{1,30}>|\|[^|<>\n]{1,40}>|\|<[^|]*\|[^|]*>\|\^2|\(?1\s*/\s*[NL\d]\)?|\(-1\)\^\w|\|i-j\|\^?[\d.]*"
)
_CLOCK = frozenset(
    {
        "t",
        "T",
        "dt",
        "tmax",
        "tf",
        "Jt",
        "tJ",
        "Ttotal",
        "tend",
        "tfinal",
        "deltat",
        "Deltat",
        "nsteps",
        "npoints",
        "tau",
    }
)
_NO_ENERGY = frozenset({"N", "L", "n", "seed", "T", "t"})


def _steps(chain: Chain, whole: float, grid: TimeGrid | None) -> int | None:
    """How many steps the text wants: of the product formula, or between records."""
    spaced = re.search(r"\bsteps? (?:of|size|=)\s*(?:dt\s*=\s*)?(\d*\.\d+)", chain.text)
    if spaced:
        chain.used.append(spaced.span())
        return max(1, round(whole / float(spaced[1])))
    steps = count(chain.body.plain, r"(?:Trotter |time )?steps?|time intervals|Trotter slices|slices")
    if steps and steps[0] > 1:
        chain.used.append(steps[1:])
        return steps[0]
    step = next((chain.values[name][0] for name in ("dt", "deltat", "tau", "Deltat") if name in chain.values), None)
    spoken = re.search(
        r"(?:time[- ]?step|step size|steps?)\s*(?:dt\s*)?(?:of|=|:)?\s*(?:dt\s*=\s*)?(?=\d*\.\d)", chain.text
    )
    if step is None and spoken:
        numbers = numbers_at(chain.text, spoken.end())
        step = numbers.values()[0] if numbers and not numbers.items[0].names else None
        chain.used += [(numbers.start, numbers.end)] if numbers else []
    if step:
        return max(1, round(whole / step))
    if grid is not None and (grid.points or grid.step):
        return grid.points - 1 if grid.points else max(1, round(whole / (grid.step or whole)))
    points = count(chain.body.plain, r"(?:time )?points|times")
    return points[0] - 1 if points and points[0] > 1 else None


def total(chain: Chain) -> tuple[float | None, str]:
    """The last time by words that name it, and its unit."""
    for words in (
        r"total (?:evolution )?time(?: of)?\s*(?:T|t)?\s*(?:=|of)?\s*",
        (r"(?:from\s+)?t\s*=\s*0\s*(?:to|\.\.\.?|-)\s*(?:t\s*=\s*)?"),
        r"\bt\s+in\s+\[\s*0\s*,\s*",
        (
            r"(?:up to|until|till|to)\s+(?:a time\s+)?(?:of\s+)?(?:t|T|J\s*\*?\s*t|Jt|tJ|t_max|a (?:total |"
            r"final )?time(?: of)?)\s*(?:=|of)?\s*"
        ),
        r"(?:t_?\{?max\}?|T_?\{?max\}?|t_?f|T_?\{?total\}?)\s*=\s*",
        (
            r"(?:evolve|evolution|simulate|run|follow)\b[^.;]{0,60}?\b(?:for|over|to|up to|until)\s+(?:a "
            r"(?:total )?time (?:of )?)?(?:[tT]\s*=\s*)?"
        ),
        r"(?:up to|until|till|to)\s+(?:a\s+)?(?:final\s+|total\s+)?time\s+(?:of\s+)?(?:[tT]\s*=\s*)?",
        r"from\s+0\s+to\s+",
        (r"(?:for|over)\s+(?:a )?(?:time|duration)\s*(?:of\s+)?(?:[tT]\s*=\s*)?"),
        r"(?<![\w])T\s*=\s*",
    ):
        for match in re.finditer(words + r"(?=[\d(])", chain.text):
            numbers = numbers_at(chain.text, match.end())
            if numbers is None or re.match(
                r"\s*(?:-?\s*)(?:qubits?|steps?|periods?|sites?|spins?|points?|time steps?|kicks?)\b",
                chain.text[numbers.items[0].end :],
            ):
                continue
            names = {name: found[0] for name, found in chain.values.items()} | (
                {chain.unit_name: 1.0} if chain.unit_name else {}
            )
            value = numbers.items[0].value_or_none({**names, "pi": math.pi})
            if value is not None and value > 0:
                unit, _ = unit_at(chain.text, numbers.items[0].end)
                if unit:
                    chain.assumed.append(f"Times are in {unit}s and energies in radian per {unit} (hbar = 1).")
                chain.used.append((match.start(), numbers.items[0].end))
                return value, {"second": "s"}.get(unit, unit)
    return None, ""


_PERIODS = (
    r"(?:Floquet |driving |drive |full |whole |complete )*(?:periods|cycles|kicks|rounds|repetitions|applications)"
)
_PERIOD = _PERIODS.replace("s|", "s?|").replace("s)", "s?)")
_REPEATED = re.compile(
    rf"\b(?:repeat\w*|appl\w+|iterat\w+|performed|carried out|done|run|followed|"
    rf"acts?)\b[^.;\n]{{0,40}}?\b(?P<a>\d+|[a-z]+) times\b|"
    rf"\bnumber of {_PERIOD}\s*(?:\(?[A-Za-z]\)?\s*)?(?:is|=|:|of)?\s*(?P<b>\d+|[a-z]+)\b|"
    rf"\b(?:up to|until|through|for|after)\s+(?:the\s+)?{_PERIOD}\s*(?:number\s*)?(?:n\s*=\s*)?(?P<c>\d+)\b|"
    rf"\b(?:n|m|period|{_PERIOD})\s*(?:=|from|:)\s*0\s*,?\s*(?:(?:1\s*,\s*)?(?:2\s*,\s*)?\.\.\.\s*,?|to|"
    rf"-)\s*(?P<d>\d+)\b",
    re.I,
)


def periods(chain: Chain) -> tuple[float, int, str] | Question:
    """How often the chain is kicked."""
    for words in (_PERIODS, "steps"):
        said = count(chain.body.plain, words)
        if said and said[0] >= 1:
            chain.used.append(said[1:])
            return float(said[0]), said[0], ""
    for match in _REPEATED.finditer(chain.text):
        number = integer(next(one for one in match.groups() if one))
        if number and number > 1:
            chain.used.append(match.span())
            return float(number), number, ""
    return Question(text="How many periods is the kicked chain to be followed?")
