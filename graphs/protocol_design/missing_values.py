"""Questions about what a protocol does not say, and their answers as data: state, molar mass, density, volumes."""

from __future__ import annotations

from typing import Any

from labwright.tools.chemistry.quantities import dimension, parse_quantity
from labwright.tools.chemistry.stated_substance_data import Facts, facts_in
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import OpenQuestion
from labwright.tools.specifications.base import Path, Problem, SpecificationError
from labwright.tools.specifications.patches import put, value_at

_FORM = {
    "state": {"type": "string", "description": "solid, liquid or gas"},
    "molar_mass": {"type": "string", "description": "such as 180.16 g/mol"},
    "density": {"type": "string", "description": "of a liquid, such as 0.97 g/mL"},
}
_SOLUTION = {
    "strength": {"type": "string", "description": "such as 28 wt% or 4 M"},
    "solvent": {"type": "string", "description": "water if nothing is said"},
    "density": {"type": "string", "description": "of the solution, such as 0.90 g/mL"},
}
STRENGTH = "Write its strength, as on the label: 28 wt%, or 4 M; with the density if you know it: 30 wt%, 0.892 g/mL."
OTHERWISE = "Which number stands on the bottle: percent by weight (such as 37 wt%), or moles a litre (such as 12 M)?"
AS_DATA = "Write its data, such as: solid, 180.16 g/mol; or: liquid, 134.2 g/mol, 0.97 g/mL; or a CAS number."
AS_STATE = "Write: solid; or: liquid, 0.97 g/mL; or a CAS number."
_WANTED = {  # what a field measures -> an example
    "density": ("density", "0.97 g/mL"),
    "molar_mass": ("molar mass", "180.16 g/mol"),
    "total_volume": ("volume", "2 mL"),
    "time": ("time", "16 h"),
}


def problem_of(question: OpenQuestion, data: dict[str, Any]) -> Problem:
    """An open question as something that only a person can say, with its place in the specification."""
    named = bool(question.options) and not question.id.startswith("strength:")
    fix = question.text if named else f"{question.text} {_how(question)}".strip()
    return Problem(_place(question, data), question.consequence or question.text, fix, True, tuple(question.options))


def _how(question: OpenQuestion) -> str:
    return {"chemical": AS_DATA, "strength": STRENGTH, "state": AS_STATE}.get(question.id.partition(":")[0], "")


def _place(question: OpenQuestion, data: dict[str, Any]) -> Path:
    """``chemical:aniline`` -> its entry; a dose's question -> the dose that leaves it open."""
    what, _, name = question.id.partition(":")
    if what in ("chemical", "state", "molar_mass", "density", "strength", "solvent"):
        at = _numbered(data, "chemicals", name)
        return ("chemicals", at) if what in ("chemical", "state", "molar_mass") else ("chemicals", at, what)
    if what == "total":
        return ("groups", _numbered(data, "groups", name), "total_volume")
    if what.startswith("stock "):
        return ("stocks", _numbered(data, "stocks", name), what.removeprefix("stock "))
    field = {"basis": "basis", "volume": "amount", "remainder": "substance"}.get(what, "via")
    for group, each in enumerate(data.get("groups", [])):
        for number, dose in enumerate(each.get("doses", [])):
            if name in (dose.get("substance"), dose.get("via")):
                return ("groups", group, "doses", number, field)
    return ("groups", 0)


def _numbered(data: dict[str, Any], part: str, name: str) -> int:
    named = [str(each.get("name", "samples")) for each in data.get(part, [])]
    return named.index(name) if name in named else 0


class Substances:
    """Takes what is said about a substance as data, never as a name that replaces the person's."""

    def form(self, problem: Problem) -> dict[str, Any] | None:
        """State, molar mass and density of a substance."""
        if _asks_strength(problem):
            return {"type": "object", "properties": _SOLUTION}
        about = len(problem.path) == 2 and problem.path[0] == "chemicals" and not problem.options
        return {"type": "object", "properties": _FORM} if about else None

    def fill(self, data: dict[str, Any], problem: Problem, said: str, value: dict[str, Any]) -> dict[str, Any]:
        """The answer in its place.

        Raises:
            SpecificationError: it does not settle the question; says in other words what would.
        """
        if len(problem.path) == 2 and problem.path[0] == "chemicals":
            return self._substance(data, problem, said, value)
        if _asks_strength(problem):
            return _strength(data, problem, said, value)
        field = str(problem.path[-1])
        if field in _WANTED and not _measures(said, field):
            kind, example = _WANTED[field]
            raise _open(f"{said!r} is not a {kind}.", f"Write a number with its unit, such as {example}.")
        return put(data, problem.path, said)

    def _substance(self, data: dict[str, Any], problem: Problem, said: str, value: dict[str, Any]) -> dict[str, Any]:
        name = value_at(data, (*problem.path, "name"))
        if said in problem.options:
            return put(data, (*problem.path, "identity"), said)
        text = ", ".join(str(each) for each in value.values() if each) if value else said
        try:
            facts = facts_in(text)
        except InputError as wrong:
            if problem.options:
                raise _open(f"{said!r} does not settle it.", f"Choose: {', '.join(problem.options)}.") from wrong
            raise _open(str(wrong), f"What is {name!r}? {AS_DATA}") from wrong
        for field, each in _fields(facts).items():
            data = put(data, (*problem.path, field), each)
        return put(data, (*problem.path, "source"), "a person")


def _asks_strength(problem: Problem) -> bool:
    return len(problem.path) == 3 and problem.path[0] == "chemicals" and problem.path[2] == "strength"


def _strength(data: dict[str, Any], problem: Problem, said: str, value: dict[str, Any]) -> dict[str, Any]:
    """What a reagent is sold as, in its place: strength, and with the form or a comma the density and the solvent."""
    chemical = problem.path[:2]
    name, solvent = value_at(data, (*chemical, "name")), value.get("solvent")
    text = ", ".join(str(value[each]) for each in ("strength", "density") if value.get(each)) if value else said
    try:
        facts = facts_in(text)
        if not facts.strength or facts.state or facts.molar_mass or facts.cas:
            raise InputError(f"{text!r} is no strength.")
    except InputError as wrong:
        raise _open(str(wrong), f"{name!r}: {OTHERWISE}") from wrong
    found = {"strength": facts.strength, "density": facts.density, "solvent": solvent, "source": "a person"}
    for field, each in found.items():
        data = put(data, (*chemical, field), each) if each else data
    return data


def _fields(facts: Facts) -> dict[str, Any]:
    found = {"state": facts.state, "molar_mass": facts.molar_mass, "density": facts.density, "identity": facts.cas}
    found["strength"] = facts.strength
    return {name: each for name, each in found.items() if each}


def _measures(said: str, field: str) -> bool:
    try:
        return dimension(parse_quantity(said).unit) == _WANTED[field][0]
    except InputError:
        return False


def _open(why: str, fix: str) -> SpecificationError:
    return SpecificationError([Problem((), why, fix)])
