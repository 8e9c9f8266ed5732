"""JSON and ``key_unit: value`` lines as sentences: ``"well_depth_meV": 3`` says "well depth: 3 meV."."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from labwright.agents.tool_forging.readers.language.traced import Clean
from labwright.agents.tool_forging.readers.language.units import UNIT

_BLOCK = re.compile(r"```(?:json|yaml|yml|toml|ini|text|python)?[ \t]*\n(?P<body>.*?)```", re.S)
_LINE = re.compile(
    (
        r"^(?P<lead>[ \t]*(?:[-*]\s+)?)(?P<key>(?!(?:sigma|gamma|omega|kappa|Omega|Gamma|Delta|delta|lambda|alpha|"
        r"beta|theta|mu|epsilon|tau)_)[A-Za-z][A-Za-z0-9]{2,}(?:_[A-Za-z0-9]+)+)[ \t]*[:=][ \t]*(?P<value>[^\n{}]+)$"
    ),
    re.M,
)
_PER = re.compile(
    rf"(?P<name>.*?)_(?P<unit>per_(?:{UNIT})|(?:rad_per_(?:{UNIT}))|{UNIT}|angstrom|inverse_cm|per_cm|invcm|"
    rf"cm1|cm_1|rad)$"
)
_ENDS = ({"from", "to"}, {"start", "stop"}, {"start", "end"}, {"min", "max"}, {"begin", "end"}, {"first", "last"})


def keyed(state: Clean) -> Clean:
    """The text with JSON objects, code fences and underscored keys in words."""
    text = state.text
    pieces: list[str] = []
    origin: list[int] = []
    end = 0
    for start, stop, data in _objects(text):
        pieces.append(text[end:start])
        origin += state.origin[end:start]
        place = start
        for key, sentence in _sentences(data, ()):
            found = text.find(f'"{key}"', place, stop)
            place = found if found >= 0 else place
            words = f"{sentence}.\n"
            pieces.append(words)
            origin += [state.origin[place]] * len(words)
        end = stop
    pieces.append(text[end:])
    origin += state.origin[end:]
    return _lines(Clean("".join(pieces), tuple(origin)))


def _objects(text: str) -> Iterable[tuple[int, int, dict[str, Any]]]:
    """JSON objects that stand alone, their fences included."""
    decoder = json.JSONDecoder()
    place = 0
    while (start := text.find("{", place)) >= 0:
        place = start + 1
        if not re.match(r'\{\s*"', text[start : start + 200]):
            continue
        try:
            data, stop = decoder.raw_decode(text, start)
        except json.JSONDecodeError:
            continue
        before = re.search(r"```\w*\s*$", text[:start])
        after = re.match(r"\s*```", text[stop:])
        yield (before.start() if before else start), stop + (after.end() if after else 0), data
        place = stop + (after.end() if after else 0)


def _sentences(data: dict[str, Any], above: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    if grid := _grid(data, above):
        yield grid
        return
    for key, value in data.items():
        path = (*above, key)
        if isinstance(value, dict):
            yield from _sentences(value, path)
        else:
            yield key, _sentence(path, value)


def _grid(data: dict[str, Any], above: tuple[str, ...]) -> tuple[str, str] | None:
    """``{"from": 1, "to": 9, "points": 5}`` as one range."""
    ends = next((sorted(pair, key=list(data).index) for pair in _ENDS if pair <= data.keys()), None)
    if ends is None or not above:
        return None
    name, unit = _named(above[-1])
    more = [f"{data[key]} points" for key in ("points", "n_points", "num", "count", "n") if key in data]
    more += [f"{data[key]} steps" for key in ("steps", "n_steps", "intervals") if key in data]
    more += [f"steps of {data[key]}" for key in ("step", "spacing", "increment", "dt") if key in data]
    said = f"{name} from {data[ends[0]]} {unit} to {data[ends[1]]} {unit}"
    return above[-1], ", ".join([said, *more]).replace("  ", " ")


def _sentence(path: tuple[str, ...], value: Any) -> str:
    name, unit = _named(path[-1])
    above = [_named(part) for part in path[:-1]]
    unit = unit or next((one for _, one in reversed(above) if one), "")
    words = " ".join([*(part for part, _ in above), name])
    if value is None or value is False:
        return f"no {name}"
    if isinstance(value, list) and value and all(isinstance(one, list) for one in value):
        return f"{words} = {json.dumps(value)} {unit}".strip()
    if isinstance(value, list):
        return f"{words}: {', '.join(map(str, value))} {unit}".strip()
    return f"{words}: {'yes' if value is True else value} {unit}".strip()


def _named(key: str) -> tuple[str, str]:
    """A key's words and its unit: ``temperature_mK`` is (temperature, mK)."""
    found = _PER.fullmatch(key)
    if not found:
        return key.replace("_", " "), ""
    unit = found["unit"].replace("rad_per_", "rad/").replace("per_", "1/")
    unit = re.sub(r"^(?:inverse_cm|1/cm|invcm|cm1|cm_1)$", "1/cm", unit)
    return found["name"].replace("_", " "), unit


def _lines(state: Clean) -> Clean:
    """Fences are blank and underscored keys are words, at the same offsets."""
    text = re.sub(r"^[ \t]*```[^\n]*$", lambda m: " " * len(m[0]), state.text, flags=re.M)
    pieces: list[str] = []
    origin: list[int] = []
    end = 0
    for match in _LINE.finditer(text):
        name, unit = _named(match["key"])
        pieces += [text[end : match.start("key")], name, ": ", match["value"].rstrip(), f" {unit}" if unit else ""]
        origin += state.origin[end : match.start("key")]
        origin += [state.origin[match.start("key")]] * (len(name) + 2)
        a = match.start("value")
        origin += state.origin[a : a + len(match["value"].rstrip())]
        origin += [state.origin[a]] * (len(unit) + 1 if unit else 0)
        end = match.end()
    pieces.append(text[end:])
    return Clean("".join(pieces), (*origin, *state.origin[end:]))
