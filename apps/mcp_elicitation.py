"""A run's question put to the person behind an MCP client, by elicitation: the same question, as a flat form."""

from __future__ import annotations

from typing import Any

from mcp.server.fastmcp import Context

from labwright.apps.terminal_questions import option_of
from labwright.graphs.questions import Answer, Question, document_field, problems

TRIES = 3  # an answer that does not fit is asked again so often
DECISION, NOTE = "decision", "note"
_PLAIN = ("string", "number", "integer", "boolean")


async def elicited(context: Context[Any, Any, Any], question: Question, run_id: str) -> Answer | None:
    """The person's answer; None if they decline, or if none of several fits: the run then waits."""
    trouble: list[str] = []
    for _ in range(TRIES):
        words = "\n\n".join(filter(None, [f"Run {run_id}", *trouble, question.title, question.body_markdown]))
        said = await context.session.elicit_form(words, form_of(question), related_request_id=context.request_id)
        if said.action != "accept":
            return None
        answer = answer_of(question, dict(said.content or {}))
        trouble = problems(question, answer)
        if not trouble:
            return answer
    return None


def form_of(question: Question) -> dict[str, Any]:
    """The question as the flat schema that the protocol allows: the decision, a note, and the fields of an edit."""
    labels = [each.label if each.label == each.value else f"{each.value}: {each.label}" for each in question.options]
    words = ["or an answer in words"] if labels and question.free else []
    decision: dict[str, Any] = {"type": "string", "title": question.title, "description": "; ".join(labels + words)}
    if question.options and not question.free and question.kind != "clarify":
        decision["enum"] = [option.value for option in question.options]
    if question.default is not None:
        decision["default"] = question.default
    fields = (question.form_schema or {}).get("properties", {})
    edits = {
        name: {"type": field.get("type", "string"), "description": _about(name, field, question)}
        for name, field in fields.items()
        if field.get("type", "string") in _PLAIN and name not in (DECISION, NOTE)
    }
    note = {"type": "string", "description": "Why; goes into the record."}
    return {"type": "object", "properties": {DECISION: decision, **edits, NOTE: note}, "required": [DECISION]}


def _about(name: str, field: dict[str, Any], question: Question) -> str:
    if name == document_field(question):
        return "Only for an edit: the whole document as it shall be."
    return f"Only for an edit; now {field.get('default', '')}."


def answer_of(question: Question, content: dict[str, Any]) -> Answer:
    """The filled form as an answer; fields of an edit count only if the decision is to edit."""
    said, note = str(content.pop(DECISION, "")), str(content.pop(NOTE, ""))
    decision = option_of(question, said) or said
    fields = (question.form_schema or {}).get("properties", {})
    value = {name: item for name, item in content.items() if name in fields and item not in (None, "")}
    return Answer(id=question.id, decision=decision, value=value if decision == "edit" else {}, note=note)
