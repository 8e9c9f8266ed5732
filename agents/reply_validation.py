"""From a model's reply to a checked object, or to the sentences that say what is wrong with it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from labwright.agents.typed_call import AgentCall, Question, Refusal

FIELDS = ("answer", "question", "refusal")
AROUND = 15  # characters shown on each side of a fault
SHOWN = 200  # characters of a wrong value
_MISFITS = {"missing": "lacks", "extra_forbidden": "has the unknown field"}
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
    wrong = []
    if extra := sorted(set(found) - set(FIELDS)):
        wrong.append(f"The reply has the unknown fields {', '.join(extra)}. It may only have {', '.join(FIELDS)}.")
    given = [name for name in FIELDS if found.get(name) is not None]
    if len(given) != 1:
        said = " and ".join(given) or "none"
        wrong.append(f"Exactly one of answer, question and refusal must be an object, the others null; given: {said}.")
    made = [_validate(call, input, name, found[name]) for name in given]
    wrong += [finding for one in made for finding in one.findings]
    return Verdict(findings=tuple(wrong)) if wrong else made[0]


def _read(text: str) -> Any:
    if not text.strip():
        return _wrong("The reply is empty.")
    fenced = _FENCE.match(text)
    said = fenced.group(1) if fenced else text
    try:
        return json.loads(said)
    except json.JSONDecodeError as error:
        objects = _objects(said)
        if len(objects) == 1:
            return objects[0]
        return _wrong(f"The reply is not JSON: {error}{_around(said, error.pos)}.")
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets without end
        return _wrong(f"The reply cannot be read: {error}.")


def _objects(text: str) -> list[dict[str, Any]]:
    """The whole objects in prose that are replies by their fields; several leave open which one is meant."""
    found, start = [], text.find("{")
    while start >= 0:
        try:
            one, start = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            return []  # a brace that opens nothing whole: whatever lies in it is a part, not the reply
        if set(one) & set(FIELDS):
            found.append(one)
        start = text.find("{", start)
    return found


def _around(text: str, place: int) -> str:
    """What stands around a fault, so that it is found in a long reply."""
    return f", at {text[max(0, place - AROUND) : place + AROUND]!r}" if len(text) > AROUND else ""


def _validate(call: AgentCall[Any, Any], input: BaseModel, field: str, value: Any) -> Verdict:
    models: dict[str, type[BaseModel]] = {"answer": call.output, "question": Question, "refusal": Refusal}
    try:
        made = models[field].model_validate(value)
    except ValidationError as error:
        return Verdict(findings=tuple(_sentences(field, models[field], error)))
    findings = call.check(input, made) if field == "answer" else []
    return Verdict(findings=tuple(findings)) if findings else Verdict(made)


def _sentences(field: str, model: type[BaseModel], error: ValidationError) -> list[str]:
    """One for each wrong value, and one for each object with the wrong fields, which names those it should have."""
    found: dict[tuple[int | str, ...], list[str]] = {}
    said = []
    for one in error.errors():
        if one["type"] in _MISFITS:
            found.setdefault(one["loc"][:-1], []).append(f"{_MISFITS[one['type']]} `{one['loc'][-1]}`")
        else:
            said.append(f"Field `{_dotted(field, one['loc'])}`: {one['msg']}, but is {_short(one.get('input'))}.")
    for parent, misfits in found.items():
        fields = fields_at(model, parent)
        listed = f"; its fields are {', '.join(f'`{name}`' for name in fields)}" if fields else ""
        said.append(f"Object `{_dotted(field, parent)}` {', '.join(misfits)}{listed}.")
    return said


def _dotted(field: str, loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in (field, *loc))


def _short(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= SHOWN else f"{said[:SHOWN]}..."


def fields_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """Names of the fields that the object at `loc` of a model has; empty where no single model is meant."""
    for part in loc:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part)
        inside = _models(field.annotation) if field is not None else []
        if len(inside) != 1:
            return []
        model = inside[0]
    return list(model.model_fields)


def _models(kind: Any) -> list[type[BaseModel]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    return [found for part in get_args(kind) for found in _models(part)]


def _wrong(sentence: str) -> Verdict:
    return Verdict(findings=(sentence,))
