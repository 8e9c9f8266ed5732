"""One chat model behind LangChain: sends messages held to a schema, returns the raw reply and what it cost.

Replies are held to the schema by strict ``json_schema`` where the server has it, else by a forced tool call, else by
the schema written into the prompt. Nothing is parsed here, so that an invalid or truncated reply keeps its usage.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from labwright.agents.errors import AgentError, ModelUnavailable
from labwright.agents.key_redaction import without_keys
from labwright.agents.meter import Usage

Method = Literal["json_schema", "tools", "text"]
LADDER: tuple[Method, ...] = ("json_schema", "tools", "text")


@dataclass(frozen=True, slots=True)
class RawReply:
    """What came back.

    Attributes:
        content: text, or the arguments of the forced tool call.
        truncated: the reply hit the token limit.
        refused: the model's own refusal text, where the protocol has a field for it.
        usage: tokens as the server counted them; `unknown` is 1 where it did not.
        message: the reply as it goes back into the conversation for a repair.
    """

    content: Any
    truncated: bool
    refused: str | None
    usage: Usage
    message: str


@dataclass
class Chat:
    """A model with its address and how its replies are held to a schema.

    Attributes:
        model: the LangChain model.
        name: as in settings, such as ``openai:gpt-4.1-mini``.
        address: base address, or ``default``.
        method: current rung of the ladder.
        climb: whether a server that rejects a method is asked by the next one.
    """

    model: BaseChatModel
    name: str
    address: str
    method: Method
    climb: bool = True

    def send(self, messages: list[BaseMessage], name: str, schema: dict[str, Any], attempt: int = 1) -> RawReply:
        """Ask once; `attempt` stands in the trace.

        Raises:
            ModelUnavailable: no reply, after the client's own retries.
        """
        while True:
            method = self.method
            try:
                trace: RunnableConfig = {"metadata": {"attempt": attempt}}
                return raw_of(self._invoke(method, messages, name, schema, trace), messages)
            except AgentError:
                raise
            except Exception as error:
                if not (self.climb and _rejects_method(error, method)):
                    raise ModelUnavailable(explain(error, self.name, self.address)) from error
                self.method = LADDER[LADDER.index(method) + 1]  # remembered: the server will not change its mind

    def _invoke(
        self,
        method: Method,
        messages: list[BaseMessage],
        name: str,
        schema: dict[str, Any],
        trace: RunnableConfig,
    ) -> AIMessage:
        if method == "text":
            text = "Reply with JSON only, valid under this JSON schema:\n" + json.dumps(schema)
            return _message(self.model.invoke([messages[0], SystemMessage(text), *messages[1:]], trace))
        if method == "tools":
            tool = {"name": name, "description": "Give your reply.", "parameters": schema, "strict": True}
            bound = self.model.bind_tools([{"type": "function", "function": tool}], tool_choice=name)
            return _message(bound.invoke(messages, trace))
        # Through extra_body: given as `response_format`, the client would parse the reply itself, raise on a
        # truncated one and lose its usage.
        form = {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}
        return _message(self.model.bind(extra_body={"response_format": form}).invoke(messages, trace))


def _message(message: BaseMessage) -> AIMessage:
    if not isinstance(message, AIMessage):
        raise TypeError(f"The model returned a {type(message).__name__} instead of a reply.")
    return message


def raw_of(message: AIMessage, asked: Sequence[BaseMessage] = ()) -> RawReply:
    """A model's message as a reply: its text, or the arguments of the forced tool call."""
    metadata = message.response_metadata
    finish = metadata.get("finish_reason") or metadata.get("stop_reason")
    content = message.tool_calls[0]["args"] if message.tool_calls else message.text
    shown = json.dumps(content) if not isinstance(content, str) else content
    refused = message.additional_kwargs.get("refusal")
    return RawReply(content, finish in {"length", "max_tokens"}, refused, usage_of(message, asked), shown)


def usage_of(message: AIMessage, asked: Sequence[BaseMessage] = ()) -> Usage:
    """What the server says a reply cost, and the characters of what was `asked` and said."""
    said = message.text + "".join(json.dumps(call["args"]) for call in message.tool_calls)
    usage = Usage(input_characters=sum(len(one.text) for one in asked), output_characters=len(said))
    counted = message.usage_metadata
    known = counted is not None and all(
        isinstance(counted[name], int) and counted[name] >= 0 for name in ("input_tokens", "output_tokens")
    )
    if counted is None or not known:  # a server may say anything; a negative count would widen the budget
        usage.unknown = 1
        return usage
    raw = message.response_metadata.get("token_usage") or {}
    usage.input_tokens, usage.output_tokens = counted["input_tokens"], counted["output_tokens"]
    usage.image_tokens = (raw.get("prompt_tokens_details") or {}).get("image_tokens")
    return usage


def _rejects_method(error: Exception, method: Method) -> bool:
    """Whether a 400-type error is about how the schema was sent, not about the request."""
    words = {"json_schema": ("response_format", "json_schema"), "tools": ("tool", "function"), "text": ()}[method]
    said = str(error).lower()
    return status(error) in {400, 404, 415, 422, 501} and any(word in said for word in words)


def status(error: Exception) -> int | None:
    """HTTP status of a provider's error, if it has one."""
    code = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    return code if isinstance(code, int) else None


def explain(error: Exception, model: str, address: str) -> str:
    """What is wrong with a model that does not answer, and which setting fixes it."""
    where, code = f"Model {model} at {address}", status(error)
    said = without_keys(" ".join(str(error).split()))[:300]
    if code in {401, 403}:
        return f"{where} refused the key ({code}). Set LABWRIGHT_API_KEY. It said: {said}"
    if code == 404:
        return (
            f"{where} was not found (404). Check the model's name and LABWRIGHT_BASE_URL (ends in /v1). It said: {said}"
        )
    if code == 429:
        return f"{where} is out of quota or too busy (429), retries included. Wait, or lower LABWRIGHT_CONCURRENCY."
    if code is not None:
        return f"{where} answered with error {code}, retries included. It said: {said}"
    if "timeout" in type(error).__name__.lower():
        return f"{where} gave no answer in time. Raise LABWRIGHT_TIMEOUT, or check the server."
    if "connection" in type(error).__name__.lower():
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        return f"{where} cannot be reached. Check LABWRIGHT_BASE_URL and the network. Cause: {str(cause) or said}"
    return f"{where} does not answer as a chat model should ({type(error).__name__}: {said}). Check LABWRIGHT_BASE_URL."
