"""The chat through a pipe: line by line, each piece of work to its end before the next line is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from labwright.apps.chat.session import Session, tried

BLOCK = '"""'
PATIENCE = 0.5  # s between two looks at the runs


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
    session.begin()
    settle(session)
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


def settle(session: Session) -> None:
    """Wait until every run has ended or asks something."""
    while session.active():
        session.hear(PATIENCE)
    session.hear()
