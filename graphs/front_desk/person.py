"""The person's channel. What comes through it has a type of its own, which nothing else can make.

`hear` waits for the value that resumes the thread: that is what a face sends after the person has answered. A model's
output, a procedure, a file or a tool's docstring never passes here, so none of them can become a `Heard`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from labwright.graphs.questions import Answer, Question
from labwright.graphs.waiting import wait

_SEAL = object()


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer that a person gave to a question of a run.

    Attributes:
        run_id: of the run that asked.
        answer: with the run's own id of the question.

    Raises:
        TypeError: somebody else than `hear` makes one.
    """

    run_id: str
    answer: Answer
    seal: object = field(repr=False)

    def __post_init__(self) -> None:
        if self.seal is not _SEAL:
            raise TypeError("Only the person's channel can say what a person has said; see `hear`.")


def relayed(run_id: str, question: Question, folder: str) -> Question:
    """A run's question as the desk puts it: the same form, with an id that no other run has and paths made whole."""
    figures = [f"{folder}/{figure}" for figure in question.figures]
    return question.model_copy(update={"id": f"{run_id}/{question.id}", "figures": figures})


def hear(form: Question, run_id: str, asked: str) -> Heard:
    """Wait for the person's answer to a relayed question; what does not fit is asked again.

    Args:
        form: the question as `relayed` made it.
        run_id: of the run that asks.
        asked: the run's own id of the question.
    """
    answer = wait(form)
    return Heard(run_id, answer.model_copy(update={"id": asked}), _SEAL)
