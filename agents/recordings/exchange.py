"""One exchange with a model as JSON: the request as it was sent, and the reply or the failure that came back."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

from labwright.agents.answer_cache import digest
from labwright.agents.structured_output_chat import status
from labwright.tools.runs.hashed_files import plain

Json = dict[str, Any]
ABOUT = ("role", "attempt", "sample", "prompt")  # what a call says of itself in the metadata of its trace
PICTURE = re.compile(r"data:image/[\w.+-]+;base64,([\w+/=\s]+)")
SPOKEN = ("content", "additional_kwargs", "tool_calls", "invalid_tool_calls", "usage_metadata")
KEPT = ("finish_reason", "stop_reason", "token_usage", "model_name")  # of what a provider adds to a reply


def request_of(about: Mapping[str, Any], messages: Sequence[BaseMessage], form: Json) -> Json:
    """A request: who asks (see `ABOUT`), the messages, and the form of the reply (see `form_of`)."""
    asking = {name: about[name] for name in ABOUT if name in about}
    return {"role": "", **asking, "messages": [_message(one) for one in messages], "form": form}


def form_of(kwargs: Mapping[str, Any]) -> Json:
    """How the reply is held to a schema by what goes along with the messages; empty for a free reply."""
    asked = kwargs.get("extra_body", {}).get("response_format", {}).get("json_schema", {})
    return {"by": "json_schema", "name": asked["name"], "schema": asked["schema"]} if asked else {}


def tool_form(tools: Sequence[Any], choice: Any) -> Json:
    """The same for tools: the schema of the one that has to be called, or the names of those that may be."""
    functions = [convert_to_openai_tool(one)["function"] for one in tools]
    if choice and len(functions) == 1:
        return {"by": "tools", "name": functions[0]["name"], "schema": functions[0]["parameters"]}
    return {"tools": [one["name"] for one in functions]}


def key(request: Json) -> str:
    """What makes two requests the same: role, sample, messages and form, but not the bytes of a picture.

    Another release of the drawing library, or other fonts, draw the same figure with other bytes. Its numbers stand in
    the text.
    """
    matched = {name: request.get(name) for name in ("role", "sample", "messages", "form")}
    return digest(json.loads(re.sub(r"sha256:[0-9a-f]{64}", "sha256", json.dumps(plain(matched)))))


def lines_of(request: Json) -> list[str]:
    """A request as lines of text, for people and for comparing."""
    lines = []
    for message in request["messages"]:
        content = message["content"]
        said = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        calls = [json.dumps(one, ensure_ascii=False) for one in message.get("tool_calls", [])]
        lines += [f"[{message['by']}]", *re.sub(r"sha256:[0-9a-f]{64}", "sha256", said).splitlines(), *calls]
    form = json.dumps(request["form"], indent=1, ensure_ascii=False).splitlines()
    return [*lines, "[form]", *(line.rstrip(",") for line in form)]  # a comma says only that something follows


def reply_of(result: ChatResult) -> Json:
    """A reply as it came, cut off or refused as it may be; of the provider's remarks only those that are used."""
    made = result.generations[0]
    said = made.message.model_dump(mode="json", include=set(SPOKEN))
    notes = (made.message.response_metadata, made.generation_info or {}, result.llm_output or {})
    of_message, of_reply, of_result = ({name: note[name] for name in KEPT if name in note} for note in notes)
    return {**said, "notes": {"message": of_message, "reply": of_reply, "result": of_result}}


def message_from(reply: Json) -> AIMessage:
    """The message of a reply that `reply_of` took apart."""
    said = {name: reply[name] for name in SPOKEN if name in reply}
    return AIMessage(**said, response_metadata=dict(reply["notes"]["message"]))


def result_from(reply: Json) -> ChatResult:
    """The reply that `reply_of` took apart."""
    notes = reply["notes"]
    made = ChatGeneration(message=message_from(reply), generation_info=dict(notes["reply"]))
    return ChatResult(generations=[made], llm_output=dict(notes["result"]))


def failure_of(error: Exception) -> Json:
    """A request that ended without a reply: what a caller can tell by, and what the server said."""
    return {
        "kind": type(error).__name__,
        "status": status(error),
        "too_long": isinstance(error, ContextOverflowError),
        "said": str(error),
        "cause": str(error.__cause__ or ""),
    }


def error_from(failure: Json) -> Exception:
    """An error that reads like the recorded one: same name, status and words."""
    base = ContextOverflowError if failure["too_long"] else Exception
    error: Exception = type(str(failure["kind"]), (base,), {"status_code": failure["status"]})(failure["said"])
    error.__cause__ = Exception(failure["cause"]) if failure["cause"] else None
    return error


def _message(message: BaseMessage) -> Json:
    said: Json = {"by": message.type, "content": _without_pictures(message.content)}
    if isinstance(message, AIMessage) and (calls := [*message.tool_calls, *message.invalid_tool_calls]):
        said["tool_calls"] = [{name: call[name] for name in ("id", "name", "args")} for call in calls]
    if isinstance(message, ToolMessage):
        said["answers"] = message.tool_call_id
    return said


def _without_pictures(content: Any) -> Any:
    if isinstance(content, dict):
        blocks = {name: _without_pictures(item) for name, item in content.items() if name != "base64"}
        return {**blocks, "base64": f"sha256:{_picture_hash(content['base64'])}"} if "base64" in content else blocks
    if isinstance(content, list):
        return [_without_pictures(item) for item in content]
    if isinstance(content, str):
        return PICTURE.sub(lambda found: f"sha256:{_picture_hash(found[1])}", content)
    return content


def _picture_hash(encoded: str) -> str:
    return hashlib.sha256(base64.b64decode(encoded)).hexdigest()
