"""Written steps as a whole protocol, so that the same checks, reports and writers take them.

Nobody has computed what these vials should hold, so what they receive stands for what was asked. The checks that
compare the two (`BLIND`) have nothing to say here; all the others judge as ever.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from labwright.agents.protocol_design.written.sources import Declared, design_with
from labwright.agents.protocol_design.written.tagged import Draft, NotSteps, parse
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.amounts import Amounts, VialRecipe
from labwright.tools.liquid_handler.arrange import Layout
from labwright.tools.liquid_handler.checks import chemistry, order, structure, volumes
from labwright.tools.liquid_handler.checks.base import Finding
from labwright.tools.liquid_handler.checks.run import CHECKS as ALL_CHECKS
from labwright.tools.liquid_handler.design import Dose, ExperimentDesign, Factor, Group, Stated
from labwright.tools.liquid_handler.materials import stock_cupboard
from labwright.tools.liquid_handler.protocol import Made, finish, sources_for
from labwright.tools.liquid_handler.simulate import simulate
from labwright.tools.liquid_handler.steps import Protocol, Step

BLIND = (
    volumes.total_volume, chemistry.balance, chemistry.levels, chemistry.concentrations, chemistry.workup,
    order.conditions,
)  # fmt: skip
_JUDGING = [one for one in ALL_CHECKS if one not in (*BLIND, structure.efficiency)]
# Efficiency last: steps that are too many are mended when nothing worse is left.
CHECKS = {f"{one.__module__.rpartition('.')[2]}.{one.__name__}": one for one in (*_JUDGING, structure.efficiency)}
TITLE = "written steps"
_KEPT = 16


def judged(draft: Draft, tags: dict[str, list[str]] | None = None) -> Made:
    """The draft with its file, and what the checks say.

    Args:
        tags: number of an Add step (from 1) to the way in which it is dispensed, where a person chose another.

    Raises:
        InputError: the file cannot hold it.
    """
    steps = tuple(_tagged(number, step, tags or {}) for number, step in enumerate(draft.steps, start=1))
    cupboard = stock_cupboard(_declared_design(draft.sources))
    sources = sources_for(steps, Amounts((), cupboard))
    protocol = Protocol(TITLE, draft.plates, sources, steps)
    received = simulate(protocol, cupboard.materials).received
    places = tuple(sorted(received))
    # No times: nobody asked for any, so those of the steps are not compared.
    vials = tuple(
        VialRecipe("samples", {"vial": str(n)}, 1, dict(received[place]), (), None, {})
        for n, place in enumerate(places, start=1)
    )
    layout = Layout(draft.plates, places, capped=any(step.subject == "Cap" for step in steps))
    design = _design(draft.sources, [received[place] for place in places])
    made = finish(design, Amounts(vials, cupboard), layout, protocol)
    found = [finding for check in CHECKS.values() for finding in check(made.case)]
    return replace(made, findings=tuple(sorted(found, key=lambda one: one.severity)))


@lru_cache(maxsize=_KEPT)
def judged_text(text: str, tags: str = "{}") -> Made:
    """`judged` of steps in the tagged form; `tags` as JSON.

    Raises:
        InputError: the text is not steps, or the file cannot hold them.
    """
    return judged(parse(text), json.loads(tags))


def faults(text: str) -> list[str]:
    """Why a text is no protocol at all: what does not parse, what no file can say."""
    try:
        judged_text(text)
    except NotSteps as wrong:
        return wrong.faults
    except InputError as wrong:
        return [str(wrong)]
    return []


def to_mend(made: Made, name: str = "") -> list[Finding]:
    """What a self-check sends back: errors, and additions in more steps than are needed."""
    found = list(CHECKS[name](made.case)) if name else list(made.findings)
    return [one for one in found if one.severity == "error" or one.code == "efficiency"]


def _tagged(number: int, step: Step, tags: dict[str, list[str]]) -> Step:
    chosen = tags.get(str(number))
    return replace(step, tags=tuple(chosen)) if chosen and step.action == "Add" else step


def _declared_design(sources: Iterable[Declared]) -> ExperimentDesign:
    uses = {use.name: use for source in sources for use in source.chemicals}
    uses |= {source.name: source.chemicals[0] for source in sources if source.stock is None}  # with its own data
    return design_with(tuple(uses.values()), tuple(one.stock for one in sources if one.stock is not None))


def _design(sources: tuple[Declared, ...], received: list[dict[str, float]]) -> ExperimentDesign:
    """A design that asks for exactly these contents, vial by vial."""
    units = {source.name: source.unit for source in sources}
    used = [name for name in units if any(contents.get(name) for contents in received)]
    rows = [{name: _level(contents.get(name, 0.0), units[name]) for name in used} for contents in received]
    factors = [Factor(name=name, levels=_levels([row[name] for row in rows])) for name in used]
    doses = [Dose(substance=n, kind="mass" if units[n] == "mg" else "volume", factor=n) for n in used]
    group = Group(name="samples", factors=factors, combine="explicit", rows=rows, doses=doses)
    return _declared_design(sources).model_copy(update={"title": TITLE, "groups": [group]})


def _level(amount: float, unit: str) -> str:
    return f"{round(amount, 3):.10g} {unit}"


def _levels(texts: list[str]) -> list[Stated]:
    return [Stated.model_validate(text) for text in dict.fromkeys(texts)]
