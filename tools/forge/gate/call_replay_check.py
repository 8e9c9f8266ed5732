"""The check ``use``: every request of the tests again, answered as it is in use.

A tool that answers otherwise there than it did to its tests is refused with both answers. One that answers alike
answers alike in use, too: a call is a function of the tool's text and the input (`labwright.tools.forge.calls`).
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from typing import Any

from labwright.tools.forge.calls.call_processes import Reply, Servers
from labwright.tools.forge.gate.candidate_process import tool_module
from labwright.tools.forge.gate.parsed_candidate import Draft
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.client import decoded, encoded
from labwright.tools.forge.toolset.gate_findings import GateFinding

Job = dict[str, Any]
NEAR, NEAR_FIELD = 1e-6, 1e-9  # of the number, and of the largest number of its field
MOST_SHOWN = 80
SLOW = 3  # times the limit of the tests, since each call is a process
AGAIN = 20  # calls that are asked for a second time, in the other order


def to_ask(draft: Draft, apart: Job, probed: list[str], texts: Mapping[str, str]) -> list[Job]:
    """Every request that the tests made, each once with the reply that they got, and every input that is to be refused.

    Args:
        draft: whose tool.
        apart: the run of the tests with the tool in processes of its own.
        probed: inputs with numbers that are not finite, as JSON.
        texts: dotted name -> source of the other tools that it imports.
    """
    common = {"module": tool_module(draft), "texts": {**texts, tool_module(draft): draft.candidate.source}}
    refusal = {"error": {"kinds": ["ValidationError"]}}
    made = [{"ask": "make", "model": draft.input_name, "data": encoded(json.loads(one)), "files": []} for one in probed]
    asked = {json.dumps(one["request"]): one["reply"] for one in apart["asked"]}
    asked |= {json.dumps(one): refusal for one in made}
    return [{"request": {**json.loads(text), **common}, "reply": reply} for text, reply in asked.items()]


def use_findings(asked: list[Job], servers: Servers, limit: float) -> Iterator[GateFinding]:
    """Whether the tool is in use what it had been in its tests."""
    over, replies = time.monotonic() + limit, list[Reply]()
    for one in asked:
        replies.append(servers.ask(one["request"], max(1.0, over - time.monotonic())))
        if time.monotonic() > over:
            yield finding("use_slow", 0, limit=limit)
            return
        if "failed" in replies[-1]:
            yield finding("use_failed", 0, error=replies[-1]["failed"])
            return
        if words := _differs(one["reply"], replies[-1]):
            yield finding("use_differs", 0, found=words, given=_given(one))
            return
    over = time.monotonic() + limit  # of its own: slow tests must not end the second look before it began
    for one, before in list(zip(asked, replies, strict=True))[:: -max(1, len(asked) // AGAIN)]:
        after = servers.ask(one["request"], max(1.0, over - time.monotonic()))
        if time.monotonic() > over:
            yield finding("use_slow", 0, limit=limit)
            return
        if after != before:
            words = _differs(before, after) or "in the last digits"
            yield finding("not_repeatable", 0, found=words, given=_given(one))
            return


def _given(one: Job) -> str:
    return json.dumps(one["request"]["data"])[:MOST_SHOWN]


def _differs(before: Reply, after: Reply) -> str:
    """What differs between a reply in the tests and one in use; empty if nothing does."""
    if "error" in before or "error" in after:
        kinds = [one["error"]["kinds"][0] if "error" in one else "an answer" for one in (before, after)]
        message = after.get("error", {}).get("message", "")
        return "" if kinds[0] == kinds[1] else f"{kinds[0]} in its tests, {kinds[1]} in use {message}".strip()
    if before["files"] != after["files"]:
        return "the files that it made"
    one, other = _fields(before["value"]), _fields(after["value"])
    for name in {**one, **other}:
        if name not in one or name not in other:
            return f"`{name}` in one of the two only"
        if where := _apart(one[name], other[name], NEAR_FIELD * _largest(one[name]), name):
            path, left, right = where
            return f"`{path}` was {_short(left)} in its tests, and {_short(right)} in use"
    return ""


def _fields(value: Any) -> dict[str, Any]:
    plain = decoded(value, lambda tool, name: None)
    return plain if isinstance(plain, dict) else {"": plain}


def _apart(one: Any, other: Any, near: float, path: str) -> tuple[str, Any, Any] | None:
    """Path and values of the first place where two plain values differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(f"{path}.{key}", one[key], other[key]) for key in one]
    elif isinstance(one, list | tuple) and type(one) is type(other) and len(one) == len(other):
        pairs = [(f"{path}[{number}]", *pair) for number, pair in enumerate(zip(one, other, strict=True))]
    elif isinstance(one, float) and isinstance(other, float):
        return None if math.isclose(one, other, rel_tol=NEAR, abs_tol=near) else (path, one, other)
    else:
        return None if one == other and type(one) is type(other) else (path, one, other)
    return next((found for name, left, right in pairs if (found := _apart(left, right, near, name))), None)


def _largest(value: Any) -> float:
    if isinstance(value, dict | list | tuple):
        return max([_largest(one) for one in (value.values() if isinstance(value, dict) else value)], default=0.0)
    return abs(value) if isinstance(value, float) and math.isfinite(value) else 0.0


def _short(value: Any) -> str:
    return json.dumps(value, default=str)[:MOST_SHOWN]
