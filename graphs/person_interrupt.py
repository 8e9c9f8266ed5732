"""Waiting for a person inside a node: interrupt until the answer fits the question."""

from __future__ import annotations

from langgraph.types import interrupt

from labwright.graphs.questions import RESPONSE_SCHEMA, Answer, Question, answer_of, payload, problems


def wait(question: Question) -> Answer:
    """The person's answer. The node is run again from its top when it comes, so nothing may be written before this."""
    form = payload(question)
    while True:
        answer = answer_of(question, interrupt(form, response_schema=RESPONSE_SCHEMA))
        wrong = problems(question, answer) if answer else ["The answer must have the form {id, decision, value, note}."]
        if answer and not wrong:
            return answer
        form = payload(question.model_copy(update={"body_markdown": "\n\n".join([*wrong, question.body_markdown])}))
