"""From a model's reply to a checked object, or to the sentences that say what is wrong with it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from labwright.agents.call import AgentCall, Question, Refusal

FIELDS = ("answer", "question", "refusal")
_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*?)\n?```\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reply after parsing and checking: either `reply` is set, or `findings` say why not."""

    reply: BaseModel | None = None
    findings: tuple[str, ...] = ()


def judge(call: AgentCall[Any, Any], input: BaseModel, reply: Any) -> Verdict:
    """Validate a reply, given as text or as a parsed object, and run the role's check on its answer."""
    found = _read(reply) if isinstance(reply, str) else reply
    if isinstance(found, Verdict):
        return found
    if not isinstance(found, dict):
        return _wrong(f"The reply must be a JSON object with the fields {', '.join(FIELDS)}.")
    extra = sorted(set(found) - set(FIELDS))
    if extra:
        return _wrong(f"The reply has the unknown fields {', '.join(extra)}. It may only have {', '.join(FIELDS)}.")
    given = [name for name in FIELDS if found.get(name) is not None]
    if len(given) != 1:
        said = " and ".join(given) or "none"
        return _wrong(f"Exactly one of answer, question and refusal must be an object, the others null; given: {said}.")
    return _validate(call, input, given[0], found[given[0]])


def _read(text: str) -> Any:
    if not text.strip():
        return _wrong("The reply is empty.")
    fenced = _FENCE.match(text)
    try:
        return json.loads(fenced.group(1) if fenced else text)
    except ValueError as error:
        return _wrong(f"The reply is not JSON: {error}.")


def _validate(call: AgentCall[Any, Any], input: BaseModel, field: str, value: Any) -> Verdict:
    models: dict[str, type[BaseModel]] = {"answer": call.output, "question": Question, "refusal": Refusal}
    try:
        made = models[field].model_validate(value)
    except ValidationError as error:
        return Verdict(findings=tuple(_sentence(field, item) for item in error.errors()))
    findings = call.check(input, made) if field == "answer" else []
    return Verdict(findings=tuple(findings)) if findings else Verdict(made)


def _sentence(field: str, error: Any) -> str:
    where = ".".join(str(part) for part in (field, *error["loc"]))
    given = repr(error.get("input"))
    return f"Field `{where}`: {error['msg']}, but is {given[:200]}."


def _wrong(sentence: str) -> Verdict:
    return Verdict(findings=(sentence,))
