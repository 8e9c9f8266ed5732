"""The slash commands of the chat. They are the person's own: nothing that an agent says reaches them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from labwright.apps.asking import EDIT, answer_of
from labwright.apps.chat.session import Session, listed, tried
from labwright.graphs.questions import Answer, Approval, problems
from labwright.tools.errors import InputError
from labwright.tools.runs import read_result, summarise

if TYPE_CHECKING:
    from labwright.graphs.front_desk.terms import Terms

HELP = """/runs                 the runs there are; * belongs to this conversation
/show [RUN]           what a run did and found
/pause [RUN]          stop it at its next stage; Ctrl-C pauses all
/resume [RUN] [BUDGET] go on with a run that was stopped or killed
/edit NAME = VALUE, ...   answer the open question with a change
/edit                 change the specification that is shown, in $EDITOR or here
/approve              give the approval that is asked for
/approve auto|risky|always   what runs that start from now on have to ask for
/fork [RUN] [STAGE]   a new run that keeps the first so many stages, or trials, of an old one
/cost                 what this conversation has cost
/model [NAME]         who thinks in runs that start from now on: rules, or provider:name
/look                 show the open question again
/new WORDS            say something although a question is open
/new SYSTEM           fill in a specification field by field: calibration, search, task, protocol or sequence
/run FILE             run a specification, of whichever system; a sequence, too
/drop                 leave that form
/help                 this list
/quit                 leave; runs pause and can be resumed
Words that begin with no slash answer the open question, or go to the front desk. A line that ends with \\ goes on in
the next; lines between two lines of three quotation marks are one message."""


def obey(session: Session, words: str) -> bool:
    """Carry out one command; says whether the chat goes on."""
    name, _, rest = words[1:].partition(" ")
    if name in ("quit", "exit", "q"):
        return False
    command = _COMMANDS.get(name)
    if command is None:
        session.shown.said(f"There is no command /{name}. /help lists them.", "red")
        return True
    tried(session, lambda: command(session, rest.strip()))
    return True


def _help(session: Session, rest: str) -> None:
    session.shown.said(HELP)


def _runs(session: Session, rest: str) -> None:
    for line in listed(session) or ["There are no runs yet."]:
        session.shown.said(line)


def _show(session: Session, rest: str) -> None:
    from labwright.apps.faces import face_of
    from labwright.apps.screen import out

    run = session.run(rest)
    state, console = summarise(run), out()
    session.shown.said(f"{run.run_id}  {state.status}  {state.reason}")
    session.shown.said(f"asked     {' '.join(run.record.asked.split())[:200]}")
    face = face_of(run)
    console.print(face.history(run, console.width))
    for table in face.found((read_result(run) or {}).get("result", {})):
        console.print(table)
    session.last = run.run_id


def _pause(session: Session, rest: str) -> None:
    run = session.run(rest or (session.active() or [""])[-1])
    state = summarise(run).status
    if state != "running":
        raise InputError(f"Run {run.run_id} is {state}, so it cannot be paused.")
    session.workers.pause(run)
    session.shown.said(f"{run.run_id} pauses before its next stage. /resume goes on with it.")


def _resume(session: Session, rest: str) -> None:
    words = rest.split()
    budget = next((word for word in words if "=" in word), None)
    run = session.run(next((word for word in words if "=" not in word), ""))
    state = summarise(run).status
    question = session.question
    if state == "interrupted" and question is not None and session.asking == run.run_id and question.kind == "choose":
        _answer(session, "")  # a run that was paused asks how it goes on; the default is to go on
        return
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


def _cost(session: Session, rest: str) -> None:
    from labwright.graphs.front_desk.facts import costs, total_costs

    runs = [session.run(name) for name in session.conversation.runs]
    for run in runs:
        session.shown.said(f"{run.run_id}  " + ", ".join(f"{fact.name} {fact.value}" for fact in costs(run)))
    desk = session.conversation.desk.meter.state()["total"]
    totals = ", ".join(f"{fact.name} {fact.value}" for fact in total_costs(runs, desk))
    session.shown.said(f"in all, the desk with it: {totals}")


def _model(session: Session, rest: str) -> None:
    if rest:
        _granted(session, mind=rest)
    else:
        session.shown.said(f"model     {session.conversation.terms.mind}")


def _granted(session: Session, **changed: Any) -> None:
    """The person's terms changed; runs that are under way keep theirs."""
    from labwright.graphs.front_desk.desk import check_mind

    if "mind" in changed:
        check_mind(changed["mind"])
    old: Terms = session.conversation.terms
    session.conversation.terms = type(old).model_validate({**old.model_dump(), **changed})
    for name, value in changed.items():
        session.shown.said(f"{'model' if name == 'mind' else name} is {value} for runs that start from now on.")


def _look(session: Session, rest: str) -> None:
    if session.question is None:
        session.look()
    else:
        session.shown.question(session.question, session.asking)


def _new(session: Session, rest: str) -> None:
    from labwright.tools.specifications.kinds import SYSTEMS

    if not rest:
        raise InputError(f"Say something after /new, or name a system: {', '.join(SYSTEMS)}.")
    if rest in SYSTEMS:
        from labwright.apps.chat.forms import Form

        session.form = Form(session, rest)
        return
    session.say(rest)


def _run(session: Session, rest: str) -> None:
    from labwright.apps.chat.forms import start
    from labwright.tools.specifications.compiled import read_text

    if not rest:
        raise InputError("Name a file after /run, such as /run chip-kernel.yaml.")
    path = Path(rest).expanduser()
    session.shown.said(f"Started {start(session, read_text(path), path.absolute())}.")


def _drop(session: Session, rest: str) -> None:
    session.form = None


_COMMANDS: dict[str, Callable[[Session, str], None]] = {
    "help": _help,
    "runs": _runs,
    "show": _show,
    "pause": _pause,
    "resume": _resume,
    "edit": _edit,
    "approve": _approve,
    "answer": _answer,
    "fork": _fork,
    "cost": _cost,
    "model": _model,
    "look": _look,
    "new": _new,
    "run": _run,
    "drop": _drop,
}
