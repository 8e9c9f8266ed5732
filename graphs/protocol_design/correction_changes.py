"""What a correction changes: in the specification, on the plate, and in what is loaded."""

from __future__ import annotations

from typing import Any

from labwright.graphs.protocol_design.computed_design import Planned, vials_of
from labwright.tools.specifications.differences import differences

MOST = 30  # lines of one kind


def changes(old: dict[str, Any], before: Planned, new: dict[str, Any], after: Planned) -> list[str]:
    """One line a change: in the vials, in what is done to them, in what is loaded, then in the specification.

    Args:
        old, new: the specifications.
        before, after: their protocols.
    """
    fields = [f"`{path}`: {_shown(one)} -> {_shown(other)}" for path, one, other in differences(old, new)]
    plates, others = (_vials(each) for each in (before, after))
    vials = [line for place in dict.fromkeys([*plates, *others]) if (line := _vial(place, plates, others))]
    loads, loaded = (_loads(each) for each in (before, after))
    sources = [
        f"load {loaded.get(name, 'none')} of {name} instead of {loads.get(name, 'none')}"
        for name in dict.fromkeys([*loads, *loaded])
        if loads.get(name) != loaded.get(name)
    ]
    steps, now = before.treatments(), after.treatments()
    done = [f"no longer: {line}" for line in steps if line not in now] + [
        f"now: {line}" for line in now if line not in steps
    ]
    return [line for part in (vials, done, sources, fields) for line in _bounded(part)]


def _bounded(lines: list[str]) -> list[str]:
    return lines if len(lines) <= MOST else [*lines[:MOST], f"and {len(lines) - MOST} more like these"]


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)


def _vials(planned: Planned) -> dict[str, str]:
    return {
        f"{vial['plate']} {vial['well']}": ", ".join(
            f"{each['amount']:g} {each['unit']} {name}" for name, each in vial["contents"].items()
        )
        for vial in vials_of(planned)
    }


def _vial(place: str, before: dict[str, str], after: dict[str, str]) -> str:
    one, other = before.get(place), after.get(place)
    if one == other:
        return ""
    if one is None:
        return f"{place} is new: {other}"
    return f"{place} is no longer there" if other is None else f"{place}: {other} instead of {one}"


def _loads(planned: Planned) -> dict[str, str]:
    return {source.name: f"{source.load:g} {source.unit}" for source in planned.protocol.sources}
