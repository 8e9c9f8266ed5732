"""The slash commands of the chat. They are the person's own: nothing that an agent says reaches them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

from labwright.apps.chat.session import Session, tried
from labwright.apps.terminal_questions import EDIT, answer_of
from labwright.graphs.questions import Answer, Approval, problems
from labwright.tools.errors import InputError
from labwright.tools.runs import summarise

if TYPE_CHECKING:
    from labwright.graphs.front_desk.permissions import Terms

HELP = """Commands of this chat; they begin with a slash:
/new SYSTEM        fill in a specification field by field, then run it:
                   calibration, search, task, protocol or sequence; /drop leaves it
/new WORDS         words to the desk although a question or a form is open
/approve           give the approval that is asked for
/answer WORDS      answer the open question, whatever the words are
/edit              change the specification that is shown, in $EDITOR or here
/edit NAME = VALUE, ...
                   answer the open question with a change
/look              show the open question again
/approve auto|risky|always
                   what runs that start from now on have to ask for
/model [NAME]      who thinks in runs from now on: rules, or provider:name
/fork [RUN] [STAGE]
                   a new run that keeps so many stages, or trials, of an old one
/resume RUN BUDGET go on with a run under another budget, such as tokens=20000
/quit              leave; runs pause and can be resumed
A line answers the open question if it is one of its options. A line that ends
with \\ goes on in the next; lines between two lines of three quotation marks
are one message.

Commands of the desk, with or without a slash, before any open question:"""


def obey(session: Session, words: str) -> bool:
    """Carry out one command; says whether the chat goes on."""
    name, _, rest = words[1:].partition(" ")
    if name in ("quit", "exit", "q"):
        return False
    command = COMMANDS.get(name)
    if command is None:
        from labwright.graphs.front_desk.command_grammar import usage

        known = usage(name)
        words = f"That is not a form of /{name}:\n{known}" if known else f"There is no command /{name}."
        session.shown.said(f"{words}\n/help lists all commands.", "red")
        return True
    tried(session, lambda: command(session, rest.strip()))
    return True


def _resume(session: Session, rest: str) -> None:
    """A run and a budget; without one the desk resumes it."""
    words = rest.split()
    budget = next((word for word in words if "=" in word), None)
    run = session.run(next((word for word in words if "=" not in word), ""))
    state = summarise(run).status
    if state not in ("stopped", "dead", "interrupted"):
        raise InputError(f"Run {run.run_id} is {state}, so there is nothing to resume.")
    session.conversation.adopt(run.run_id)
    if not session.workers.drive(run, budget):
        raise InputError(f"Run {run.run_id} is driven already.")
    session.shown.said(f"{run.run_id} goes on.")


def _edit(session: Session, rest: str) -> None:
    _answer(session, f"edit {rest}".strip())


def _approve(session: Session, rest: str) -> None:
    if rest in get_args(Approval):
        _granted(session, approval=rest)
        return
    question = session.question
    if question is None or question.kind != "approve":
        raise InputError(
            "Nothing waits for an approval. /approve auto, risky or always sets what runs have to ask for."
        )
    if rest and session.run(rest).run_id != session.asking:
        raise InputError(f"The approval that is asked for is of {session.asking}.")
    first = question.options[0].value  # the approving option stands first, where there is one
    if first == EDIT:
        raise InputError("It cannot be approved as it stands. /look shows it again.")
    session.give(Answer(id=question.id, decision=first))


def _answer(session: Session, words: str) -> None:
    question = session.question
    if question is None:
        raise InputError("No question is open.")
    answer = answer_of(question, words)
    if wrong := problems(question, answer):
        raise InputError(" ".join(wrong))
    session.give(answer)


def _fork(session: Session, rest: str) -> None:
    from labwright.graphs.registry import driver_of

    words = rest.split()
    stages = [int(word) for word in words if word.isdigit()]
    run = session.run(next((word for word in words if not word.isdigit()), ""))
    new = driver_of(run).fork(run.run_id, session.shown.root, stage=stages[0] if stages else 0)
    session.conversation.adopt(new)
    session.workers.drive(session.run(new))
    session.shown.said(f"{new} begins where {run.run_id} had finished {stages[0] if stages else 0}.")


def _model(session: Session, rest: str) -> None:
    if rest:
        _granted(session, mind=rest)
    else:
        session.shown.said(f"model     {session.conversation.terms.mind}")


def _granted(session: Session, **changed: Any) -> None:
    """The person's terms changed; runs that are under way keep theirs."""
    from labwright.graphs.front_desk.desk_context import check_mind

    if "mind" in changed:
        check_mind(changed["mind"])
    old: Terms = session.conversation.terms
    session.conversation.terms = type(old).model_validate({**old.model_dump(), **changed})
    for name, value in changed.items():
        session.shown.said(f"{'model' if name == 'mind' else name} is {value} for runs that start from now on.")
    if session.question is not None and "approval" in changed:
        values = ", ".join(option.value for option in session.question.options)
        session.shown.said(f"{session.asking} waits with what it was started with; this answers it: {values}.")


def _look(session: Session, rest: str) -> None:
    if session.question is None:
        session.look()
    else:
        session.shown.question(session.question, session.asking, "whole")


def _new(session: Session, rest: str) -> None:
    from labwright.tools.specifications.kinds import SYSTEMS

    if not rest:
        raise InputError(f"Say something after /new, or name a system: {', '.join(SYSTEMS)}.")
    if rest in SYSTEMS:
        from labwright.apps.chat.forms import Form

        session.form = Form(session, rest)
        return
    session.say(rest)


def _drop(session: Session, rest: str) -> None:
    session.form = None
    session.shown.said("The form is left.", "dim")


COMMANDS: dict[str, Callable[[Session, str], None]] = {
    "resume": _resume,
    "edit": _edit,
    "approve": _approve,
    "answer": _answer,
    "fork": _fork,
    "model": _model,
    "look": _look,
    "new": _new,
    "drop": _drop,
}
