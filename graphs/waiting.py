"""Waiting for a person inside a node: interrupt until the answer fits the question."""

from __future__ import annotations

from langgraph.types import interrupt
from pydantic import ValidationError

from labwright.graphs.questions import Answer, Question, problems


def wait(question: Question) -> Answer:
    """The person's answer. The node is run again from its top when it comes, so nothing may be written before this."""
    form = question.model_dump()
    while True:
        said = interrupt(form)
        try:
            answer = Answer.model_validate(said)
        except ValidationError:  # what resumes a thread may come from anywhere
            wrong = ["The answer must have the form {id, decision, value, note}."]
        else:
            wrong = problems(question, answer)
            if not wrong:
                return answer
        form = {**question.model_dump(), "body_markdown": "\n\n".join([*wrong, question.body_markdown])}
