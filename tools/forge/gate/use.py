"""The check ``use``: the calls of the tests again, by a script in a workspace, where nothing of the gate is about.

A tool that answers otherwise there than it did when it was tested is refused with both answers.
"""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from labwright.tools.forge.gate import clock, plain
from labwright.tools.forge.gate.confined import tool_module
from labwright.tools.forge.gate.draft import Draft
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset import recorder
from labwright.tools.forge.toolset.findings import GateFinding
from labwright.tools.sandbox.base import Completed, Limits, Sandbox
from labwright.tools.sandbox.exchange import put
from labwright.tools.sandbox.folder import HOME

Job = dict[str, Any]
NEAR, NEAR_FIELD = 1e-6, 1e-9  # of the number, and of the largest number of its field
MOST_SHOWN = 80
CLOCK = "wanted"  # name of a module that is gone before the tool is there
LEAST, MOST = 300 * 86_400, 3000 * 86_400  # seconds by which the date of use is later
_SCRIPT = (
    "from {module} import {name}, {model}\n\nprint({name}({model}.model_validate_json(open('given.json').read())))\n"
)
_QUESTION = "# Task\n\nCompute what is asked with the tools of this workspace.\n"


def to_ask(draft: Draft, base: Job, probed: list[str]) -> Job:
    """What the script is asked: every call that the tests made, each once, and every input that was refused."""
    calls = {one["given"]: one for one in base["seen"] if one.get("given") and ("gave" in one or one.get("error"))}
    refused = [one["refused"] for one in base["seen"] if one.get("refused")]
    return {
        "module": tool_module(draft),
        "name": draft.name,
        "calls": [{key: one[key] for key in ("given", "folder", "folders")} for one in calls.values()],
        "refused": list(dict.fromkeys([*refused, *probed])),
        "expected": [one.get("gave") or one["error"]["kinds"][0] for one in calls.values()],
    }


def ask(sandbox: Sandbox, limits: Limits, draft: Draft, texts: Mapping[str, str], asked: Job) -> tuple[Completed, Job]:
    """Run the script in a folder laid out as a workspace, as a user, processes and hours that are not the gate's.

    Args:
        sandbox: with a ``/proc`` of its own, as workspaces have it.
        limits: of the script.
        draft: whose tool.
        texts: dotted name -> source of the other tools that it imports.
        asked: of `to_ask`.

    Returns:
        How it ended, and its answer; an empty answer if it gave none.
    """
    word = secrets.token_hex(8)
    script = f"step_{secrets.randbelow(90) + 10}.py"
    sent = {key: asked[key] for key in ("module", "name", "calls", "refused")} | {"word": word, "clock": CLOCK}
    sent |= {"seconds": LEAST + secrets.randbelow(MOST), "script": _SCRIPT.format(**asked, model=draft.input_name)}

    def fill(folder: str, user: int) -> None:
        for name, content in _workspace(draft, texts).items():
            put(folder, name, content, user)
        put(folder, f"{CLOCK}.py", Path(clock.__file__).read_bytes(), user)
        put(folder, script, Path(plain.__file__).read_bytes(), user)
        Path(folder, HOME).mkdir()
        if user:
            os.chown(Path(folder, HOME), user, user)

    done, _ = sandbox.around(
        ["python", script], fill, lambda _: None, stdin=json.dumps(sent).encode(), limits=limits, home=HOME
    )
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return done, {}
    return done, said if isinstance(said, dict) and said.pop("word", "") == word else {}


def _workspace(draft: Draft, texts: Mapping[str, str]) -> dict[str, bytes]:
    """Path -> content of what a workspace holds when a script begins."""
    sources = {**texts, tool_module(draft): draft.candidate.source}
    made: dict[str, bytes] = {"question.md": _QUESTION.encode()}
    for module, source in sources.items():
        path = Path(*module.split(".")).with_suffix(".py")
        made[str(path)] = source.encode()
        for above in list(path.parents)[:-2]:
            made.setdefault(f"{above}/__init__.py", f'"""Tools: {above.name}."""\n'.encode())
    made["tools/__init__.py"] = Path(recorder.__file__).read_bytes()
    return made


def use_findings(asked: Job, done: Completed, said: Job, limit: float) -> Iterator[GateFinding]:
    """Whether the tool was in use what it had been in its tests."""
    if done.ending == "timeout":
        yield finding("use_slow", 0, limit=limit)
        return
    if said.get("refused"):
        yield finding("use_refused", 0, found=said["refused"][0])
        return
    if "calls" not in said or len(said["calls"]) != len(asked["calls"]):
        error = said.get("failed") or f"{done.ending} {done.stderr.decode(errors='replace')[-300:]}".strip()
        yield finding("use_failed", 0, error=error)
        return
    for number, (before, after) in enumerate(zip(asked["expected"], said["calls"], strict=True)):
        if words := _differs(before, after):
            given = asked["calls"][number]["given"][:MOST_SHOWN]
            yield finding("use_differs", 0, found=words, given=given)
            return
    if said["taken"]:
        yield finding("use_takes", 0, given=asked["refused"][said["taken"][0]][:MOST_SHOWN])
    if said["keeps"]:
        yield finding("use_keeps")
    if said["changed"]:
        number, later = said["changed"]
        words = _differs(said["calls"][number].get("gave", ""), later) or "another error"
        yield finding("use_differs", 0, found=words, given=asked["calls"][number]["given"][:MOST_SHOWN])


def _differs(before: str, after: Job) -> str:
    """What differs between an answer, or the name of an error, and the answer in use; empty if nothing does."""
    if "gave" not in after:
        error = f"{after['error']}: {after['message']}"
        return "" if after["error"] == before else f"an answer in its tests, {error} in use"
    if not before.startswith("{"):
        return f"{before} in its tests, an answer in use"
    one, other = json.loads(before), json.loads(after["gave"])
    for name in {**one, **other}:
        if name not in one or name not in other:
            return f"`{name}` in one of the two only"
        if where := _apart(one[name], other[name], NEAR_FIELD * _largest(one[name]), name):
            path, left, right = where
            return f"`{path}` was {_short(left)} in its tests, and {_short(right)} in use"
    return ""


def _apart(one: Any, other: Any, near: float, path: str) -> tuple[str, Any, Any] | None:
    """Path and values of the first place where two plain values differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(f"{path}.{key}", one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(f"{path}[{number}]", *pair) for number, pair in enumerate(zip(one, other, strict=True))]
    elif isinstance(one, float) and isinstance(other, float):
        return None if math.isclose(one, other, rel_tol=NEAR, abs_tol=near) else (path, one, other)
    else:
        return None if one == other and type(one) is type(other) else (path, one, other)
    return next((found for name, left, right in pairs if (found := _apart(left, right, near, name))), None)


def _largest(value: Any) -> float:
    if isinstance(value, dict | list):
        return max([_largest(one) for one in (value.values() if isinstance(value, dict) else value)], default=0.0)
    return abs(value) if isinstance(value, float) and math.isfinite(value) else 0.0


def _short(value: Any) -> str:
    return json.dumps(value)[:MOST_SHOWN]
