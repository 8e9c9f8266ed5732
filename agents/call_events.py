"""What both minds tell: one event for each answered call, and a name in every trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel

from labwright.agents.typed_call import AgentCall, Question, Refusal, Runtime

T = TypeVar("T")


def traced(call: AgentCall[BaseModel, BaseModel], input: BaseModel, runtime: Runtime, work: Callable[[], T]) -> T:
    """Run `work` as a Runnable called `call.name`, so that traces and Studio show the role with its input."""
    about = {"role": call.name, "prompt": call.prompt, "sample": runtime.sample, **runtime.tags}
    return named(call.name, about, input.model_dump(mode="json"), work)


def named(name: str, about: Mapping[str, object], given: object, work: Callable[[], T]) -> T:
    """Run `work` as a Runnable called `name`: traces show it with its input `given` and the attributes `about`."""

    def run(_: object) -> T:
        return work()

    return RunnableLambda(run).with_config(run_name=name, metadata=dict(about)).invoke(given)


def announce(
    runtime: Runtime,
    call: AgentCall[BaseModel, BaseModel],
    mind: str,
    reply: BaseModel | None,
    *,
    seconds: float,
    reason: str | None = None,
    tokens: int | None = 0,
    cached: bool = False,
    images: int = 0,
) -> None:
    """Send the one event of a call to whoever listens.

    Args:
        reply: what the mind returned; None if it gave up.
        seconds: wall time of the call.
        reason: why; by default the reply's own words.
        tokens: input and output together; None if the server did not say.
        images: how many figures were looked at.
    """
    if runtime.on_event is None:
        return
    runtime.on_event(
        {
            "agent": call.name,
            "mind": mind,
            "kind": _kind(reply),
            "output": None if reply is None else reply.model_dump(mode="json"),
            "reason": reason if reason is not None else _reason(reply),
            "seconds": round(seconds, 4),
            "tokens": tokens,
            "cached": cached,
            "images": images,
        }
    )


def announce_step(
    runtime: Runtime, call: AgentCall[BaseModel, BaseModel], mind: str, tool: str, arguments: str, *, seconds: float
) -> None:
    """Send an event for one tool that an agent used on its way to the answer.

    Its tokens are None, not told apart: the answer's event has those of all steps.
    """
    if runtime.on_event is None:
        return
    runtime.on_event(
        {
            "agent": call.name,
            "mind": mind,
            "kind": "step",
            "output": {"tool": tool, "arguments": arguments},
            "reason": "",
            "seconds": round(seconds, 4),
            "tokens": None,
            "cached": False,
            "images": 0,
        }
    )


def _kind(reply: BaseModel | None) -> str:
    if reply is None:
        return "gave_up"
    return {Question: "question", Refusal: "refusal"}.get(type(reply), "answer")


def _reason(reply: BaseModel | None) -> str:
    if isinstance(reply, Question):
        return reply.text
    reason = getattr(reply, "reason", "")
    return reason if isinstance(reason, str) else ""
