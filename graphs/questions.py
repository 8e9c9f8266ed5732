"""The one interrupt form: every question to a person, in every system and every face."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from labwright.tools.errors import InputError
from labwright.tools.runs import account
from labwright.tools.specifications.answer_vocabulary import chosen, words
from labwright.tools.specifications.values import evaluated, in_unit

Kind = Literal["clarify", "approve", "choose", "edit"]
Approval = Literal["auto", "risky", "always"]
AnswerPolicy = Literal["ask", "defaults"]


class Option(BaseModel):
    """One thing a person can decide."""

    model_config = ConfigDict(extra="forbid")
    value: str = Field(description="What comes back as the answer's decision.")
    label: str = Field(description="What the person reads.")


class Question(BaseModel):
    """What a run wants to know. JSON-plain through `model_dump`; a payload's further keys are for other clients."""

    model_config = ConfigDict(extra="ignore")
    id: str = Field(description="Unique within the run and the same after a restart.")
    kind: Kind
    title: str
    body_markdown: str = ""
    changed: str = Field(default="", description="What differs from the last time it was asked, as Markdown.")
    figures: list[str] = Field(default_factory=list, description="Paths relative to the run folder.")
    options: list[Option] = Field(default_factory=list, description="Empty for a free answer.")
    default: str | None = Field(
        default=None, description="Decision taken under `answers=defaults`; None: must be asked."
    )
    consequence: str = Field(default="", description="What taking the default means; recorded as an assumption.")
    form_schema: dict[str, Any] | None = Field(default=None, description="JSON schema of `Answer.value`, for edits.")
    signs: str = Field(default="", description="Digest of findings that a named person signs; see `labwright sign`.")
    free: bool = Field(default=False, description="Whether an answer in words is taken besides the options.")
    spoken: bool = Field(
        default=False, description="Whether a yes that a model reads in words counts, as nothing needs approval."
    )


class Answer(BaseModel):
    """What the person said."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(description="The question's id.")
    decision: str = Field(description="One of the options' values, or the free text of a clarification.")
    value: dict[str, Any] = Field(default_factory=dict, description="Filled form, for edits.")
    note: str = Field(default="", description="Why; goes into the record.")

    def event(self) -> dict[str, Any]:
        """What a run's log keeps of it: also under which account it was given, or that it is a default."""
        return {"kind": "answer", **self.model_dump(), "by": "default" if self.note == "default" else account()}


def problems(question: Question, answer: Answer) -> list[str]:
    """What is wrong with `answer` as an answer to `question`, in sentences; empty if nothing."""
    found = []
    if answer.id != question.id:
        found.append(f"The answer is for question {answer.id!r}, but {question.id!r} is open.")
    allowed = [option.value for option in question.options]
    if allowed and not (question.free or question.kind == "clarify") and answer.decision not in allowed:
        found.append(f"Decision {answer.decision!r} is not offered. Choose one of: {', '.join(allowed)}.")
    if allowed and question.free and answer.decision.lower() in words("yes") - set(allowed):
        found.append(f"{answer.decision!r} does not say which one. Choose one of: {'; '.join(allowed)}.")
    if not answer.decision.strip():
        found.append("The answer is empty.")
    if question.form_schema and not document_field(question):
        try:
            in_units(question.form_schema, answer.value)
        except InputError as wrong:
            found.append(str(wrong))
    return found


def in_units(schema: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """A filled form with its numbers in the form's units: ``{"stop": "0.3 ms"}`` is ``{"stop": 300.0}``.

    Raises:
        InputError: there is no such field, or its value is of another type or outside of its limits.
    """
    fields = schema.get("properties", {})
    if unknown := [name for name in value if name not in fields]:
        raise InputError(f"There is no field {unknown[0]!r}. Fields are: {', '.join(fields)}.")
    return {name: _number(name, fields[name], each) for name, each in value.items()}


def _number(name: str, field: dict[str, Any], given: Any) -> Any:
    """`given` as the field wants it; see `in_units`."""
    wanted, unit = field.get("type", "string"), field.get("unit", "")
    if given is None and field.get("default", "") is None:
        return given
    if wanted in ("number", "integer") and isinstance(given, str):
        number = in_unit(evaluated(given), unit, given)
        given = int(number) if wanted == "integer" and number.is_integer() else number
    kinds: dict[str, Any] = {"number": (int, float), "integer": int, "boolean": bool, "string": str}
    if not isinstance(given, kinds.get(wanted, object)) or (isinstance(given, bool) and wanted != "boolean"):
        raise InputError(f"Field `{name}` must be a {wanted}, but is {given!r}.")
    low, high = field.get("minimum"), field.get("maximum")
    if low is not None and high is not None and not low <= given <= high:
        raise InputError(
            f"Field `{name}` must be between {low:g} and {high:g} {unit}".rstrip() + f", but is {given:g}."
        )
    return given


def field_lines(schema: dict[str, Any] | None) -> list[str]:
    """What a form offers, a line a field: ``stop = 150 us (1 to 5000 us): last delay``; of a document nothing."""
    lines = []
    for name, field in (schema or {}).get("properties", {}).items():
        if "contentMediaType" not in field:
            now = f"{name} = {field.get('default')} {field.get('unit', '')}".rstrip()
            limits, about = limits_of(field), field.get("description", "")
            lines.append(now + (f" ({limits})" if limits else "") + (f": {about}" if about else ""))
    return lines


def limits_of(field: dict[str, Any]) -> str:
    """``1 to 5000 us``: what a field of a form may be; empty if it has no limits."""
    low, high = field.get("minimum"), field.get("maximum")
    return "" if low is None or high is None else f"{low:g} to {high:g} {field.get('unit', '')}".rstrip()


def document(text: str) -> dict[str, Any]:
    """The field of a form that holds a whole YAML document: a text area or an editor, not a line."""
    return {"type": "string", "contentMediaType": "application/yaml", "default": text}


def document_field(question: Question) -> str:
    """The field of the question's form that holds a document; empty if none does."""
    fields = (question.form_schema or {}).get("properties", {})
    return next((name for name, field in fields.items() if "contentMediaType" in field), "")


def document_of(question: Question) -> str:
    """The document of the question's form as it stands; empty if there is none."""
    return str((question.form_schema or {}).get("properties", {}).get(document_field(question), {}).get("default", ""))


def payload(question: Question) -> dict[str, Any]:
    """What an interrupt shows: the question, a reply that is ready to send, and the form of LangChain's Agent Inbox."""
    form = question.model_dump()
    open_choice = not question.options or (question.kind == "choose" and question.free)  # nothing is preselected
    first = "..." if open_choice else question.options[0].value
    return {
        **form,
        "reply": {"id": question.id, "decision": question.default or first},
        "action_request": {"action": question.title, "args": _arguments(question)},
        "config": {
            "allow_ignore": bool(chosen("no", _pairs(question))),
            "allow_accept": bool(chosen("yes", _pairs(question))),
            "allow_edit": question.form_schema is not None,
            "allow_respond": True,
        },
        "description": "\n\n".join(filter(None, [question.body_markdown, _offered(question)])),
    }


def _offered(question: Question) -> str:
    """The options, for clients that show nothing but a description."""
    return "\n".join(f"- {each.label}" for each in question.options if each.label == each.value)


def _arguments(question: Question) -> dict[str, Any]:
    fields = (question.form_schema or {}).get("properties", {})
    return {name: field.get("default") for name, field in fields.items()}


RESPONSE_SCHEMA: dict[str, Any] = {
    "title": "Answer",
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "decision": {"type": "string"},
                "value": {"type": "object"},
                "note": {"type": "string"},
            },
            "required": ["decision"],
        },
        {"type": "array", "items": {"type": "object"}, "maxItems": 1},
    ],
}


def answer_of(question: Question, said: Any) -> Answer | None:
    """What somebody said as an answer: our form, a bare option or its label, ``yes``, free words, Agent Inbox's form.

    None if it has none of these forms.
    """
    if isinstance(said, list) and len(said) == 1 and isinstance(said[0], dict):
        said = _from_inbox(question, said[0])
    if isinstance(said, str):
        return Answer(id=question.id, decision=chosen(said, _pairs(question)) or said)
    if isinstance(said, dict) and "decision" in said:
        try:
            return Answer.model_validate({"id": question.id, **said})
        except ValidationError:
            return None
    return None


def _from_inbox(question: Question, said: dict[str, Any]) -> Any:
    """``{type: accept|ignore|response|edit, args}`` of Agent Inbox."""
    kind, values = said.get("type"), [option.value for option in question.options]
    if kind == "response":
        return said.get("args")
    if kind == "edit":
        inner = said.get("args") or {}
        return {"decision": "edit" if "edit" in values else (values or ["edit"])[0], "value": inner.get("args", {})}
    return chosen({"accept": "yes", "ignore": "no"}.get(str(kind), ""), _pairs(question)) or None


def _pairs(question: Question) -> list[tuple[str, str]]:
    return [(option.value, option.label) for option in question.options]
