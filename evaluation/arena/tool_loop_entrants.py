"""Who enters the arena as a loop of tools: LangChain's `create_agent`, and a deepagents agent, with the same tools.

A system prompt is by another author, who had the public task and the tools' descriptions only.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tools import BaseTool, StructuredTool

from labwright.agents.backend_selection import make_mind
from labwright.agents.meter import Usage
from labwright.agents.model_backend import ModelMind
from labwright.agents.structured_output_chat import usage_of
from labwright.evaluation.arena.client import Arena
from labwright.evaluation.arena.session import TOOLS, Session
from labwright.tools.errors import InputError, ToolError

MOST_CALLS = 25  # of the model, a device
CASES = Path(__file__).parents[1] / "cases" / "arena"
TASK = (CASES / "task.md").read_text(encoding="utf-8")


def loop(arena: Arena, _folder: Path, mind: str, name: str, prompt: str = "") -> dict[str, Any]:
    """Let the agent `name` work until it hands in, stops, or has asked its model too often; `prompt` for its own."""
    model, counted = chat_model(mind), Counted()
    tools, limit = tools_of(arena), ModelCallLimitMiddleware(run_limit=MOST_CALLS, exit_behavior="end")
    prompt = prompt or prompt_of(name)
    if name == "plain":
        agent: Any = create_agent(model, tools, system_prompt=prompt, middleware=[limit])
    else:
        agent = _deep(model, tools, prompt, limit)
    # One after the other: an answer may write a setting and then measure with it.
    config = {"callbacks": [counted], "recursion_limit": 10 * MOST_CALLS, "max_concurrency": 1}
    agent.invoke({"messages": [("user", TASK)]}, config)
    return asdict(counted.usage)


def prompt_of(name: str) -> str:
    """The system prompt of an agent, as its author wrote it.

    Raises:
        InputError: nobody has written it.
    """
    path = CASES / f"{name}.md"
    if not path.exists():
        raise InputError(f"The entrant {name!r} has no prompt. Write {path.name} beside the task, {CASES / 'task.md'}.")
    return path.read_text(encoding="utf-8")


def require(name: str) -> None:
    """Make sure that an agent can be made.

    Raises:
        InputError: its prompt or its package is missing.
    """
    prompt_of(name)
    if name == "deepagents" and importlib.util.find_spec(name) is None:
        raise InputError("The entrant `deepagents` needs: pip install 'labwright[arena]'.")


def _deep(model: Any, tools: list[BaseTool], prompt: str, limit: Any) -> Any:
    made = importlib.import_module("deepagents").create_deep_agent
    return made(model=model, tools=tools, system_prompt=prompt, middleware=[limit])


def tools_of(arena: Arena) -> list[BaseTool]:
    """The bench's tools as LangChain's; what the bench refuses is an answer that the model reads."""

    def calling(name: str) -> Callable[..., str]:
        def call(**arguments: Any) -> str:
            try:
                return json.dumps(arena.call(name, **arguments), separators=(",", ":"))
            except ToolError as error:
                return f"Refused: {error}"

        return call

    bare, found = object.__new__(Session), list[BaseTool]()  # for the signatures alone
    for name in TOOLS:
        method = getattr(bare, name)
        schema = StructuredTool.from_function(method, name=name).get_input_schema()
        about = inspect.getdoc(method) or ""
        found.append(StructuredTool(name=name, description=about, args_schema=schema, func=calling(name)))
    return found


def chat_model(mind: str) -> Any:
    """The chat model of a mind, recorded or replayed where its name says so.

    Raises:
        InputError: it is no model.
    """
    made = make_mind(mind)
    if not isinstance(made, ModelMind):
        raise InputError("This entrant needs a model: --model provider:name.")
    return next(iter(made.chats.values())).model


class Counted(BaseCallbackHandler):
    """Requests and tokens of every model call of an agent."""

    def __init__(self) -> None:
        self.usage = Usage()

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Count a reply."""
        for generation in (one for batch in response.generations for one in batch):
            if isinstance(generation, ChatGeneration):
                self.usage.add(usage_of(generation.message, []))  # type: ignore[arg-type]
                self.usage.calls += 1
