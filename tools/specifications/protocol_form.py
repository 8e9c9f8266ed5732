"""A protocol asked for in turn: substance by substance its amounts, then volume and repeats. No model is needed."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from labwright.tools.chemistry.quantities import dimension, parse_quantity
from labwright.tools.errors import InputError
from labwright.tools.specifications.base import VERSION
from labwright.tools.specifications.form import FormField, Prompt

KINDS = {"mass": "mass", "volume": "volume", "moles": "moles", "molarity": "molarity", "density": "fraction"}
KINDS["fraction"] = "fraction"
REST = "rest"
AMOUNTS = "in each vial, such as 20 mg, 0.5 mL, 0.2 mmol, 10 mM or 5 % v/v; levels with commas; rest fills up"
MOST = 50  # substances


def protocol_interview() -> Generator[Prompt, str, dict[str, Any]]:
    """Asks substance, amounts, volume and repeats in turn; the plain data of a protocol comes back."""
    title = (yield _prompt(("title",), "what the report is called", default="experiment")).strip() or "experiment"
    chemicals: list[dict[str, Any]] = []
    factors: list[dict[str, Any]] = []
    doses: list[dict[str, Any]] = []
    while len(chemicals) < MOST:
        name = yield from _name([each["name"] for each in chemicals])
        if not name:
            break
        strength = yield from _strength(name)
        levels = yield from _amounts(name, taken=any(dose["kind"] == "remainder" for dose in doses))
        chemicals.append({"name": name, **({"strength": strength} if strength else {})})
        doses.append(_dose(name, levels, factors))
    finals = any(dose["kind"] in ("molarity", "fraction", "remainder") for dose in doses)
    volume = yield from _volume(needed=finals)
    repeats = yield from _repeats()
    group: dict[str, Any] = {"factors": factors, "doses": doses, "replicates": repeats, "total_volume": volume}
    kept = {name: value for name, value in group.items() if value not in ([], None, 1)}
    return {"spec": VERSION, "system": "protocol_design", "title": title, "chemicals": chemicals, "groups": [kept]}


def _prompt(path: tuple[str | int, ...], about: str, said: str = "", default: Any = None) -> Prompt:
    return Prompt(path, FormField(str(path[-1]), about=about, required=default is None, default=default), said)


def _name(known: list[str]) -> Generator[Prompt, str, str]:
    about = "its name; Enter ends the list" if known else "its name, such as caffeine"
    said = ""
    while True:
        prompt = _prompt((f"substance {len(known) + 1}",), about, said, default="no more" if known else None)
        name = (yield prompt).strip()
        if (name or known) and name not in (*known, "?"):
            return name
        said = f"{name!r} is there already." if name in known else "Name a substance, as you call it."


def _strength(name: str) -> Generator[Prompt, str, str]:
    about, said = "of its solution in water, such as 10 mM or 28 wt%; Enter: the substance itself", ""
    while True:
        text = (yield _prompt((f"strength of {name}",), about, said, default="itself")).strip()
        try:
            if not text or dimension(parse_quantity(text).unit) in ("molarity", "fraction", "density"):
                return text
        except InputError:
            pass
        said = f"{text!r} is no strength. Write such as 10 mM or 28 wt%."


def _amounts(name: str, *, taken: bool) -> Generator[Prompt, str, list[str]]:
    said = ""
    while True:
        text = (yield _prompt((f"amount of {name}",), AMOUNTS, said)).strip()
        if text == REST and not taken:
            return [REST]
        levels = [part.strip() for part in text.split(",") if part.strip()]
        try:
            kinds = {KINDS[dimension(parse_quantity(each).unit)] for each in levels}
        except (InputError, KeyError):
            kinds = set()
        if len(kinds) == 1:
            return levels
        second = "Only one substance can fill up." if text == REST else ""
        said = second or f"{text!r} is no amount, or holds several kinds. Write numbers with their units."


def _dose(name: str, levels: list[str], factors: list[dict[str, Any]]) -> dict[str, Any]:
    if levels == [REST]:
        return {"substance": name, "kind": "remainder"}
    kind = KINDS[dimension(parse_quantity(levels[0]).unit)]
    if len(levels) == 1:
        return {"substance": name, "kind": kind, "amount": levels[0]}
    factors.append({"name": f"{name} level", "levels": levels})
    return {"substance": name, "kind": kind, "factor": f"{name} level"}


def _volume(*, needed: bool) -> Generator[Prompt, str, str | None]:
    said = ""
    while True:
        about = "of each finished vial, such as 1 mL"
        text = (yield _prompt(("volume",), about, said, default=None if needed else "as it comes")).strip()
        if not text and not needed:
            return None
        try:
            if dimension(parse_quantity(text).unit) == "volume":
                return text
        except InputError:
            pass
        said = f"{text!r} is no volume. Write such as 1 mL."


def _repeats() -> Generator[Prompt, str, int]:
    said = ""
    while True:
        text = (yield _prompt(("repeats",), "of every vial", said, default=1)).strip() or "1"
        if text.isdecimal() and 1 <= int(text) <= 192:
            return int(text)
        said = f"{text!r} is no number of repeats. Write 1 to 192."
