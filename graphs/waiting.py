"""Waiting for a person inside a node: interrupt until the answer fits the question."""

from __future__ import annotations

from langgraph.types import interrupt

from labwright.graphs.questions import Answer, Question, problems


def wait(question: Question) -> Answer:
    """The person's answer. The node is run again from its top when it comes, so nothing may be written before this."""
    form = question.model_dump()
    while True:
        answer = Answer.model_validate(interrupt(form))
        wrong = problems(question, answer)
        if not wrong:
            return answer
        form = {**question.model_dump(), "body_markdown": "\n\n".join([*wrong, question.body_markdown])}
