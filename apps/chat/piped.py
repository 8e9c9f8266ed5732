"""The chat through a pipe: line by line, each piece of work to its end before the next line is read."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from labwright.agents.calls_under_way import UnderWay, calls_under_way
from labwright.apps.chat.session import Session, tried

BLOCK = '"""'
PATIENCE = 0.5  # s between two looks at the runs
SLOW = (2.5, 30.0, 120.0)  # s after which a model that has not replied is told of


def messages(lines: Iterable[str]) -> Iterator[str]:
    r"""Lines as messages: ``\`` at an end goes on, and lines between ``\"\"\"`` are one."""
    gathered: list[str] = []
    block = False
    for line in lines:
        text = line.rstrip("\n")
        if text.strip() == BLOCK:
            if block:
                yield "\n".join(gathered)
                gathered = []
            block = not block
        elif block:
            gathered.append(text)
        elif text.endswith("\\"):
            gathered.append(text[:-1])
        else:
            yield "\n".join([*gathered, text])
            gathered = []
    if gathered:
        yield "\n".join(gathered)


def talk(session: Session, lines: Iterable[str]) -> None:
    """Say the lines one after the other; a line after a question is its answer."""
    with signs_of_waiting(session):
        session.begin()
        settle(session)
        _said(session, lines)


def _said(session: Session, lines: Iterable[str]) -> None:
    for message in messages(lines):
        takes_default = session.form is not None or (
            session.question is not None and session.question.default is not None
        )
        if not message.strip() and not takes_default:
            continue  # an empty line says nothing else
        session.shown.said(f"> {message}", "dim")
        if tried(session, lambda text=message: session.line(text)) is False:  # type: ignore[misc]
            return
        settle(session)


@contextmanager
def signs_of_waiting(session: Session) -> Iterator[None]:
    """A line each time that a model has kept the chat waiting for a while: who is asked, and for how long."""
    over, told = threading.Event(), dict[UnderWay, int]()

    def watch() -> None:
        while not over.wait(PATIENCE):
            for call in calls_under_way():
                waited, marks = time.monotonic() - call.began, told.get(call, 0)
                if marks < len(SLOW) and waited > SLOW[marks]:
                    told[call] = marks + 1
                    asked = call.role.replace("_", " ").replace(".", ", ")
                    session.shown.said(f"... {call.model} is asked ({asked}), no reply for {waited:.0f} s", "dim")

    watching = threading.Thread(target=watch, name="signs", daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


def settle(session: Session) -> None:
    """Wait until every run has ended or asks something."""
    while session.active():
        session.hear(PATIENCE)
    session.hear()
