"""``/new SYSTEM`` in the chat: a specification asked for field by field, then started like any other run."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labwright.apps.new_specification import asked
from labwright.tools.specifications.answer_vocabulary import words
from labwright.tools.specifications.form import Prompt
from labwright.tools.specifications.kinds import system_named
from labwright.tools.specifications.yaml_files import to_yaml

if TYPE_CHECKING:
    from labwright.apps.chat.session import Session

LEAVE = "/drop leaves the form."


class Form:
    """An interview under way: every line of the chat is an answer until it ends."""

    def __init__(self, session: Session, system: str) -> None:
        self.session, self.system = session, system_named(system)
        lab = session.conversation.terms.lab
        self._asking: Generator[Prompt, str, dict[str, Any]] = asked(self.system, "", Path(lab) if lab else None)
        self._text = ""
        session.shown.said(f"An empty line takes the default, ? shows help, {LEAVE}", "dim")
        self._show(next(self._asking))

    def answer(self, line: str) -> bool:
        """Take one line; says whether the form goes on."""
        if self._text:
            if line.strip().lower() in words("yes"):
                self.session.say(self._text)  # a document; the desk starts it
            return False
        try:
            self._show(self._asking.send(line))
        except StopIteration as done:
            self._text = to_yaml(done.value)
            self.session.shown.said(f"{self._text}Start it? [y/N]")
        return True

    def _show(self, prompt: Prompt) -> None:
        if prompt.said:
            self.session.shown.said(prompt.said, "yellow")
        self.session.shown.said(prompt.text)
