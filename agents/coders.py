"""Coding programs of others: how each is called without a person, and what its stream of JSON lines says.

Written after the programs' public descriptions of late 2025 and 2026: Claude Code 2.x (``-p --output-format
stream-json``), Codex CLI 0.100 and later (``exec --json``), opencode 1.x (``run --format json``). Lines of unknown
kinds are passed over, so that a newer version that tells more is still understood.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from labwright.agents.meter import Usage

CoderName = Literal["claude", "codex", "opencode"]
Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Heard:
    """What one line of a stream says.

    Attributes:
        tool: name of a tool that the program used, and its arguments in short; empty if none.
        arguments: of that tool.
        usage: tokens and calls to add; None if the line tells none.
        total: whether `usage` is that of the whole run, and replaces what was added before.
        error: why the run failed, in the program's words.
    """

    tool: str = ""
    arguments: str = ""
    usage: Usage | None = None
    total: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Coder:
    """One coding program.

    Attributes:
        name: as on the command line of ours.
        program: the words that start it.
        arguments: what follows, from the message and the model's name, which may be empty.
        hear: what a line of its stream says.
    """

    name: CoderName
    program: tuple[str, ...]
    arguments: Callable[[str, str], list[str]]
    hear: Callable[[Line], list[Heard]]

    def command(self, message: str, model: str = "") -> list[str]:
        """The whole command line."""
        return [*self.program, *self.arguments(message, model)]


def lines_of(text: str) -> list[Line]:
    """The JSON objects among the lines of a stream; whatever else a program prints is no part of it."""
    found: list[Line] = []
    for line in text.splitlines():
        try:
            value = json.loads(line) if line.lstrip().startswith("{") else None
        except ValueError:
            value = None
        if isinstance(value, dict):
            found.append(value)
    return found


def _claude_arguments(message: str, model: str) -> list[str]:
    # It asks nobody: the sandbox around it is what confines.
    words = ["-p", message, "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"]
    return [*words, "--model", model] if model else words


def _claude(line: Line) -> list[Heard]:
    kind = line.get("type")
    if kind == "assistant":
        message = _dict(line.get("message"))
        used = [
            Heard(str(part.get("name", "")), _short(part.get("input")))
            for part in _dicts(message.get("content"))
            if part.get("type") == "tool_use"
        ]
        return [*used, Heard(usage=_claude_usage(_dict(message.get("usage"))))]
    if kind == "result":
        usage = _claude_usage(_dict(line.get("usage")))
        usage.calls = _int(line.get("num_turns"))
        usage.cost = _cost(line.get("total_cost_usd"))
        return [Heard(usage=usage, total=True, error=str(line.get("result", "failed")) if line.get("is_error") else "")]
    return []


def _claude_usage(told: Line) -> Usage:
    read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Usage(
        calls=1, input_tokens=sum(_int(told.get(one)) for one in read), output_tokens=_int(told.get("output_tokens"))
    )


def _codex_arguments(message: str, model: str) -> list[str]:
    # Its own sandbox is switched off: it cannot be put up inside ours, which is the stricter one.
    words = ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    return [*words, *(["--model", model] if model else []), message]


def _codex(line: Line) -> list[Heard]:
    kind = line.get("type")
    if kind == "item.completed":
        item = _dict(line.get("item"))
        name = str(item.get("type") or item.get("item_type") or "")
        said = item.get("command") or item.get("changes") or item.get("query") or item.get("tool") or ""
        return (
            [Heard(name, _short(said))] if name not in ("agent_message", "assistant_message", "reasoning", "") else []
        )
    if kind == "turn.completed":
        told = _dict(line.get("usage"))
        usage = Usage(
            calls=1, input_tokens=_int(told.get("input_tokens")), output_tokens=_int(told.get("output_tokens"))
        )
        usage.cost = None  # it tells no price
        return [Heard(usage=usage)]
    if kind == "turn.failed":
        return [Heard(error=str(_dict(line.get("error")).get("message", "the turn failed")))]
    return [Heard(error=str(line.get("message", "failed")))] if kind == "error" else []


def _opencode_arguments(message: str, model: str) -> list[str]:
    return ["run", "--format", "json", *(["--model", model] if model else []), message]


def _opencode(line: Line) -> list[Heard]:
    kind, part = line.get("type"), _dict(line.get("part"))
    if kind == "tool_use":
        return [Heard(str(part.get("tool", "")), _short(_dict(part.get("state")).get("input")))]
    if kind == "step_finish":
        told = _dict(part.get("tokens"))
        cached = _dict(told.get("cache"))
        read = _int(told.get("input")) + _int(cached.get("read")) + _int(cached.get("write"))
        wrote = _int(told.get("output")) + _int(told.get("reasoning"))
        usage = Usage(calls=1, input_tokens=read, output_tokens=wrote)
        usage.cost = _cost(part.get("cost"))
        return [Heard(usage=usage)]
    if kind == "error":
        error = _dict(line.get("error"))
        return [Heard(error=str(_dict(error.get("data")).get("message") or error.get("name") or "failed"))]
    return []


CODERS: dict[str, Coder] = {
    "claude": Coder("claude", ("claude",), _claude_arguments, _claude),
    "codex": Coder("codex", ("codex",), _codex_arguments, _codex),
    "opencode": Coder("opencode", ("opencode",), _opencode_arguments, _opencode),
}


def _dict(value: Any) -> Line:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[Line]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _int(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else 0


def _cost(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _short(value: Any) -> str:
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return said[:300]
