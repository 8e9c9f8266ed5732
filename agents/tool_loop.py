"""A model at work in a workspace: a loop of our few tools, then the reply, checked as any other.

Every request repeats prompt, tools and conversation. So tools have short descriptions, what stays the same stands
first, and outputs of long ago are left out once a conversation has grown long.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolCallRequest, hook_config
from langchain.agents.middleware.context_editing import ClearToolUsesEdit, ContextEditingMiddleware
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import BaseModel

from labwright.agents.call_events import announce_step
from labwright.agents.errors import ModelUnavailable
from labwright.agents.meter import Usage
from labwright.agents.metered_model import MeteredModel
from labwright.agents.model_backend import Asked, ModelMind, complaint
from labwright.agents.reply_validation import Verdict
from labwright.agents.structured_output_chat import RawReply, explain, raw_of
from labwright.agents.typed_call import Runtime
from labwright.agents.viewing_log import Looks
from labwright.agents.workspace_task import WorkspaceTask
from labwright.agents.workspace_tools import tools_for
from labwright.tools.errors import ToolError
from labwright.tools.workspace.workspace import Workspace

INHERITED = "__pregel_durability"  # langgraph 1.2: langgraph._internal._constants.CONFIG_KEY_DURABILITY


def unwaiting() -> dict[str, Any]:
    """The ``configurable`` part of a config with which a graph without checkpoints waits for none."""
    return {INHERITED: "async"}


CLOSE = "Your work in the workspace ends here. Now give your reply: one JSON object as described."
IN_ORDER = 1  # tools of one reply, one after the other as they stand: a script is written before it is run
SPENT = "Your steps are spent. Say in the reply what was not finished. "
LONG = 12_000  # tokens of a conversation, from which on outputs of long ago are left out
OLD = "[left out, since it is long ago; look again if you need it]"
MOST_CONVERSATION = 240_000  # characters of a conversation that the closing request repeats
LOOKS = frozenset({"read_file", "grep", "execute", "view_image"})  # tools that show what is there
SHOWN = 300  # characters of a tool's arguments in an event


class Working(Asked):
    """One workspace task under way. Nothing of it is cached: what counts is what it leaves in the workspace."""

    def __init__(
        self,
        mind: ModelMind,
        task: WorkspaceTask[Any, Any],
        input: BaseModel,
        workspace: Workspace,
        runtime: Runtime,
    ) -> None:
        alone = Runtime(
            on_event=runtime.on_event, tags=runtime.tags, sample=runtime.sample
        )  # figures are looked at by tool
        self.looks = Looks()
        super().__init__(mind, task.call(input, workspace, self.looks), input, alone)
        self.prompt = task.prompted(input)
        self.task = task
        self.workspace = task.bound(input, workspace)
        self.steps = 0
        self._agent: Any = create_agent(
            MeteredModel(inner=self.chat.model, account=self),
            tools_for(task, self.workspace, mind, self.runtime, self.looks),
            system_prompt=self.prompt.system,
            checkpointer=False,  # that of the graph around it would give a resumed run this loop's old end
            middleware=[
                _Bounds(self),
                ContextEditingMiddleware(edits=[ClearToolUsesEdit(LONG, clear_at_least=LONG // 2, placeholder=OLD)]),
                _Told(self),
            ],
        )

    @property
    def spent_out(self) -> bool:
        """Whether no further step may be made."""
        return self.steps >= self.task.steps or time.perf_counter() - self.began >= self.task.seconds

    def answer(self) -> BaseModel:
        """Work, reply, and work on what is wrong with the reply."""
        talk: list[BaseMessage] = [HumanMessage(self.prompt.user)]
        findings: tuple[str, ...] = ()
        for attempt in range(self.mind.repairs + 1):
            self.attempt = attempt + 1
            self.mind.meter.record(self.call.name, Usage(repairs=int(attempt > 0)))  # once, however many steps it takes
            talk = self._worked(talk)
            verdict, talk = self._closed(talk)
            if verdict.reply is not None:
                return self.done(verdict.reply)
            findings = verdict.findings
            talk = [*talk, HumanMessage(complaint(findings))]
        raise self.gave_up(findings)

    def _worked(self, talk: list[BaseMessage]) -> list[BaseMessage]:
        """The conversation after the model has stopped using tools."""
        limit = 20 + 12 * self.task.steps  # of langgraph's own steps, several to one of ours
        try:
            bounds: RunnableConfig = {
                "recursion_limit": limit,
                "max_concurrency": IN_ORDER,
                "configurable": unwaiting(),
                "metadata": {"attempt": self.attempt},
            }
            state = self._agent.invoke({"messages": talk}, bounds)
        except ContextOverflowError as error:
            raise ModelUnavailable(explain(error, self.chat.name, self.chat.address)) from error
        return list(state["messages"])

    def _closed(self, talk: list[BaseMessage]) -> tuple[Verdict, list[BaseMessage]]:
        """The verdict on the reply, and the conversation with it. What is no reply yet is asked for in its form."""
        last = talk[-1]
        if isinstance(last, AIMessage) and not last.tool_calls and _is_object(raw_of(last)):
            return self.judged(raw_of(last)), talk
        asking = HumanMessage((SPENT if self.spent_out else "") + CLOSE)
        raw = self.ask([SystemMessage(self.prompt.system), *_recent(talk), asking], repair=False)
        return self.judged(raw), [*talk, asking, AIMessage(raw.message or "(empty)")]


class _Bounds(AgentMiddleware[Any, Any, Any]):
    """Ends the loop when the task's steps or its time are spent."""

    def __init__(self, working: Working) -> None:
        super().__init__()
        self._working = working

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Count a step, or end."""
        if self._working.spent_out:
            return {"jump_to": "end"}
        self._working.steps += 1
        return None


class _Told(AgentMiddleware[Any, Any, Any]):
    """Tells of each tool that was used, and gives a tool's error to the model as text."""

    def __init__(self, working: Working) -> None:
        super().__init__()
        self._working = working

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Use the tool."""
        began, call = time.perf_counter(), request.tool_call
        try:
            done = handler(request)
            if call["name"] in LOOKS and isinstance(done, ToolMessage) and _went_well(done):
                self._working.looks.count += 1
            return done
        except ToolError as wrong:
            return ToolMessage(f"Error: {wrong}", name=call["name"], tool_call_id=call["id"], status="error")
        finally:
            shown = json.dumps(call["args"], ensure_ascii=False, default=str)[:SHOWN]
            seconds = time.perf_counter() - began
            told = self._working
            announce_step(told.runtime, told.call, told.chat.name, call["name"], shown, seconds=seconds)


def _went_well(done: ToolMessage) -> bool:
    return done.status != "error" and not str(done.content).startswith("Error")


def _is_object(raw: RawReply) -> bool:
    """Whether a message tries to be the reply; `judge` says what is wrong with it."""
    said = raw.content.strip() if isinstance(raw.content, str) else ""
    return raw.refused is not None or said.startswith(("{", "```json"))


def _recent(talk: list[BaseMessage]) -> list[AnyMessage | BaseMessage]:
    """The conversation, or its first message and as much of its end as fits, cut where no tool's answer is orphaned."""
    if sum(len(str(one.content)) for one in talk) <= MOST_CONVERSATION:
        return list(talk)
    size, start = 0, len(talk)
    while start > 1 and size + len(str(talk[start - 1].content)) <= MOST_CONVERSATION // 2:
        start -= 1
        size += len(str(talk[start].content))
    while start < len(talk) and isinstance(talk[start], ToolMessage):
        start += 1
    return [talk[0], *talk[start:]]
