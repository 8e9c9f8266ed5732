"""The person's channel. What comes through it has a type of its own, which nothing else can make.

`hear` waits for the value that resumes the thread: that is what a face sends after the person has answered. A model's
output, a procedure, a file or a tool's docstring never passes here, so none of them can become a `Heard`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from labwright.graphs.person_interrupt import wait
from labwright.graphs.questions import Answer, Question, problems
from labwright.tools.errors import InputError

_SEAL = object()
APPROVES = "approve"  # kind of a question whose first option allows something


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
    return Heard(run_id, wait(form).model_copy(update={"id": asked}), _SEAL)


def passed_on(form: Question, run_id: str, asked: str, message: str, option: str) -> Heard:
    """The person's own message as the answer to a relayed question, or the option that it was read to mean.

    An agent reads which option is meant, so one that allows something is taken this way only where nothing needs an
    approval, and the words that go to the run are the person's, unchanged.

    Raises:
        InputError: it would approve, or it does not fit the question.
    """
    first = form.options[0].value if form.options else "yes"
    allows = form.kind == APPROVES and (not option or option.partition(" ")[0] == first)  # "run all" allows more
    if allows and not form.spoken and (option or not form.free):
        raise InputError(f"{run_id} waits for your approval, which only you give. Type: {first}")
    answer = Answer(id=asked, decision=option or message)
    if wrong := problems(form.model_copy(update={"id": asked}), answer):
        raise InputError(" ".join(wrong))
    return Heard(run_id, answer, _SEAL)


def default_of(form: Question, run_id: str, asked: str) -> Heard | None:
    """Going on with a run that was paused: the default of its choice how it goes on; only a pause is such a choice."""
    if form.kind != "choose" or form.default is None:
        return None
    return Heard(run_id, Answer(id=asked, decision=form.default), _SEAL)
