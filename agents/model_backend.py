"""The model mind: a chat model answers, code checks, and what is wrong goes back to the model."""

from __future__ import annotations

import base64
import mimetypes
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from labwright import prompts
from labwright.agents.answer_cache import AnswerCache, digest, image_digests
from labwright.agents.call_events import announce, traced
from labwright.agents.calls_under_way import under_way
from labwright.agents.errors import AgentGaveUp
from labwright.agents.meter import Meter, Usage
from labwright.agents.reply_validation import Verdict, judge
from labwright.agents.structured_output_chat import Chat, RawReply
from labwright.agents.typed_call import AgentCall, In, Out, Question, Refusal, Runtime, Tier
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.workspace.workspace import Workspace

Pricing = Callable[[str, Usage], float | None]


@dataclass
class ModelMind:
    """Answers typed calls with chat models, one for each tier.

    Attributes:
        name: as given on the command line, such as ``openai:gpt-4.1-mini``.
        chats: tier -> model; without ``vision`` no figures are sent.
        meter: counts every request and holds the budget.
        cache: checked answers on disk; None to always ask.
        repairs: how often an invalid answer goes back.
        concurrency: requests under way at once.
        pricing: cost of a usage for a model, None if unknown.
        parameters: sampling parameters, part of the cache key.
        state: folder for what outlasts runs, such as indexes of installed packages.
    """

    name: str
    chats: Mapping[Tier, Chat]
    meter: Meter
    cache: AnswerCache | None = None
    repairs: int = 2
    concurrency: int = 4
    pricing: Pricing = lambda _model, _usage: None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    state: Path = Path(".labwright")

    reads_words = True

    def __post_init__(self) -> None:
        self.slots = threading.BoundedSemaphore(self.concurrency)

    @property
    def sees_images(self) -> bool:
        """Whether a vision model is set."""
        return "vision" in self.chats

    def answer(self, call: AgentCall[In, Out], input: In, runtime: Runtime | None = None) -> Out | Question | Refusal:
        """Answer, ask or refuse; see `labwright.agents.typed_call.Mind`."""
        asked = Asked(self, call, input, runtime or Runtime())
        reply = traced(asked.call, input, asked.runtime, asked.answer)
        return cast("Out | Question | Refusal", reply)  # `judge` made it of exactly these types

    def work(
        self, task: WorkspaceTask[In, Out], input: In, workspace: Workspace, runtime: Runtime | None = None
    ) -> Out | Question | Refusal:
        """Work with tools in `workspace`, then answer; see `labwright.agents.workspace_task.WorkspaceMind`."""
        from labwright.agents.tool_loop import Working  # langchain's agents take a second to import

        working = Working(self, task, input, workspace, runtime or Runtime())
        reply = traced(working.call, input, working.runtime, working.answer)
        return cast("Out | Question | Refusal", reply)  # `judge` made it of exactly these types

    def chat_for(self, tier: Tier, images: Sequence[Path]) -> Chat:
        """Figures go to the vision model; a vision call without one is answered from its numbers."""
        if images and self.sees_images:
            return self.chats["vision"]
        return self.chats.get(tier) or self.chats["general"]


@dataclass
class Cost:
    """What one request cost; a failure until the server has answered."""

    usage: Usage = field(default_factory=lambda: Usage(failures=1))


class Asked:
    """One call under way: the conversation, its cache key and what it has cost so far."""

    def __init__(self, mind: ModelMind, call: AgentCall[Any, Any], input: BaseModel, runtime: Runtime) -> None:
        self.mind, self.call, self.input, self.runtime = mind, call, input, runtime
        self.images = tuple(runtime.images) if mind.sees_images else ()
        self.chat = mind.chat_for(call.tier, self.images)
        self.schema = call.reply_schema()
        fields = input.model_dump(mode="json")
        self.prompt = prompts.render(call.prompt, **fields)
        self.key = self._key(fields)
        self.spent, self.attempt = Usage(), 1
        self.began = time.perf_counter()

    def answer(self) -> BaseModel:
        reply = self._from_cache()
        if reply is not None:
            self.spent.cache_hits = 1
            return self.done(reply)
        reply = self._converse()
        if self.mind.cache and not isinstance(reply, Refusal):  # a refusal may be a whim; ask again next time
            field = "question" if isinstance(reply, Question) else "answer"
            stored = {field: reply.model_dump(mode="json")}
            self.mind.cache.put(self.key, stored, agent=self.call.name, model=self.chat.name)
        return self.done(reply)

    def _key(self, fields: dict[str, Any]) -> str:
        return digest(
            {
                "model": self.chat.name,
                "address": self.chat.address,
                "prompt": digest([self.prompt.system, self.prompt.user]),
                "schema": digest(self.schema),
                "input": fields,
                "parameters": dict(self.mind.parameters),
                "images": image_digests(self.images),
                "sample": self.runtime.sample,
            }
        )

    def _from_cache(self) -> BaseModel | None:
        stored = self.mind.cache.get(self.key) if self.mind.cache else None
        # Judged again: the role's check may have become stricter since.
        return judge(self.call, self.input, stored).reply if stored is not None else None

    def _converse(self) -> BaseModel:
        messages = [SystemMessage(self.prompt.system), HumanMessage(_content(self.prompt.user, self.images))]
        findings: tuple[str, ...] = ()
        for attempt in range(self.mind.repairs + 1):
            self.attempt = attempt + 1
            raw = self.ask(messages, repair=attempt > 0)
            verdict = self.judged(raw)
            if verdict.reply is not None:
                return verdict.reply
            findings = verdict.findings
            messages = [*messages, AIMessage(raw.message or "(empty)"), HumanMessage(complaint(findings))]
        raise self.gave_up(findings)

    def judged(self, raw: RawReply) -> Verdict:
        """The reply parsed, validated and checked."""
        if raw.truncated:
            return Verdict(findings=("The reply was cut off at the token limit. Reply again, shorter.",))
        if raw.refused:
            return Verdict(Refusal(reason=raw.refused))
        return judge(self.call, self.input, raw.content)

    def ask(self, messages: list[BaseMessage], repair: bool) -> RawReply:
        """Ask for the reply, held to the schema."""
        with self.counted(repair) as cost:
            raw = self.chat.send(messages, self.call.wire_name, self.schema, self.attempt)
            cost.usage = raw.usage
            return raw

    @contextmanager
    def counted(self, repair: bool = False) -> Iterator[Cost]:
        """One request to the model: it waits for a free place, is counted when it begins, and costs what it says.

        Raises:
            BudgetExceeded: the budget has no room for it; nothing was sent.
        """
        with self.mind.slots:
            self.mind.meter.begin(self.call.name)
            began, cost = time.perf_counter(), Cost()
            try:
                with under_way(self.call.name, self.chat.name):
                    yield cost
                cost.usage.cost = self.mind.pricing(self.chat.name, cost.usage)
            finally:
                usage = cost.usage
                usage.repairs, usage.images = int(repair), len(self.images)
                usage.seconds = time.perf_counter() - began
                self.mind.meter.record(self.call.name, usage)
                self.spent.add(usage)

    def done(self, reply: BaseModel) -> BaseModel:
        """Count and announce a checked reply."""
        self.mind.meter.record(self.call.name, Usage(answers=1, cache_hits=self.spent.cache_hits))
        self._announce(reply)
        return reply

    def gave_up(self, findings: tuple[str, ...]) -> AgentGaveUp:
        """The error at the end of all repairs; listeners hear of it."""
        attempts = self.mind.repairs + 1
        self.mind.meter.record(self.call.name, Usage(lost=1))
        self._announce(None, " ".join(findings))
        return AgentGaveUp(
            f"Model {self.chat.name} gave no valid answer to {self.call.name} in {attempts} attempts."
            f" Last findings: {' '.join(findings)}",
            agent=self.call.name,
            findings=findings,
            attempts=attempts,
        )

    def _announce(self, reply: BaseModel | None, reason: str | None = None) -> None:
        announce(
            self.runtime,
            self.call,
            self.chat.name,
            reply,
            seconds=time.perf_counter() - self.began,
            reason=reason,
            tokens=None if self.spent.unknown else self.spent.tokens,
            cached=bool(self.spent.cache_hits),
            images=len(self.images),
        )


def _content(text: str, images: Sequence[Path]) -> list[str | dict[Any, Any]] | str:
    if not images:
        return text
    return [{"type": "text", "text": text}, *({"type": "image_url", "image_url": {"url": _url(p)}} for p in images)]


def _url(path: Path) -> str:
    kind = mimetypes.guess_type(path.name)[0] or "image/png"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def complaint(findings: Sequence[str]) -> str:
    """What goes back to a model whose reply cannot be used."""
    listed = "\n".join(f"- {finding}" for finding in findings)
    return f"Your reply cannot be used:\n{listed}\n\nReply again with the whole object, mended."
