"""The chat at a terminal: a line editor in front, the conversation behind it, and a live table of runs below."""

from __future__ import annotations

import queue
import shutil
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.formatted_text import ANSI, HTML, AnyFormattedText
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import Style

from labwright.agents.calls_under_way import calls_under_way
from labwright.apps.chat.commands import COMMANDS
from labwright.apps.chat.piped import SLOW
from labwright.apps.chat.session import Session, tried
from labwright.apps.external_editor import edited
from labwright.apps.shell_line_parsing import VERBS
from labwright.apps.terminal_questions import edits_document
from labwright.graphs.front_desk.command_grammar import READERS, SAYS
from labwright.graphs.questions import document_of
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

HISTORY = "chat_history"
LINES = 8  # of the table below the prompt
TICK = 0.2  # s between two looks at the runs
BYE = "Leaving: the runs pause at their next stage. Ctrl-C leaves at once; they can be resumed either way."


class Terminal:
    """The two threads of a chat: this one reads lines, the other one talks."""

    def __init__(self, session: Session, state: Path, *, input: Input | None = None, output: Output | None = None):
        self.session = session
        self._lines: queue.Queue[tuple[str, str] | None] = queue.Queue()
        self._meant = ""  # the question that the line being typed answers
        self._over = threading.Event()
        self._screen = threading.Lock()  # while an editor has the terminal, nothing else is shown
        state.mkdir(parents=True, exist_ok=True)
        self._prompt: PromptSession[str] = PromptSession(
            history=FileHistory(str(state / HISTORY)),
            completer=WordCompleter(
                [f"/{name}" for name in sorted({*COMMANDS, *VERBS, *READERS, *SAYS})], sentence=True
            ),
            complete_while_typing=False,
            bottom_toolbar=self._below,
            refresh_interval=0.5,
            style=Style.from_dict({"bottom-toolbar": "noreverse"}),
            key_bindings=_keys(),
            input=input,
            output=output,
        )
        session.on_question = self._asked

    def talk(self) -> None:
        """Read lines until the person leaves."""
        attendant = threading.Thread(target=self._attend, name="conversation", daemon=True)
        with patch_stdout(raw=True):
            attendant.start()
            while not self._over.is_set():
                try:
                    question = self.session.question
                    self._meant = question.id if question is not None else ""
                    if (line := self._with_document(self._prompt.prompt(self._label))) is not None:
                        self._lines.put((line, self._meant))
                except KeyboardInterrupt:
                    self._interrupted()
                except EOFError:
                    break
            self._leave(attendant)

    def _with_document(self, text: str) -> str | None:
        """`text`; where it asks to edit a document, with that document as the person leaves it. None: given up."""
        question = self.session.question
        if question is None or question.id != self._meant or not edits_document(question, text.removeprefix("/")):
            return text
        with self._screen:
            try:
                return f"edit\n{edited(document_of(question))}"
            except InputError as left:
                self.session.shown.said(str(left), "yellow")
                return None

    def _attend(self) -> None:
        """Everything that is said, and everything that runs tell, in one thread: the conversation's."""
        session = self.session
        tried(session, session.begin)
        while True:
            try:
                taken = self._lines.get(timeout=TICK)
            except queue.Empty:
                with self._screen:
                    tried(session, session.hear)
                continue
            if taken is None:
                return
            text, meant = taken
            if tried(session, lambda text=text, meant=meant: session.line(text, meant)) is False:  # type: ignore[misc]
                self._over.set()
                self._left()
                return

    def _left(self) -> None:
        """End the prompt from the other thread."""
        app = self._prompt.app
        if app.is_running and app.loop is not None:
            app.loop.call_soon_threadsafe(lambda: app.exit(exception=EOFError))

    def _asked(self) -> None:
        """A question appeared. Who has begun to type something else does not answer it with that line."""
        if not self._prompt.default_buffer.text and self.session.question is not None:
            self._meant = self.session.question.id

    def _interrupted(self) -> None:
        paused = self.session.pause_all()
        for name in paused:
            self.session.shown.said(f"{name} pauses before its next stage. /resume goes on with it.", "yellow")
        if not paused:
            self.session.shown.said("Nothing runs. /quit or Ctrl-D leaves.", "dim")

    def _leave(self, attendant: threading.Thread) -> None:
        if self.session.pause_all():
            self.session.shown.said(BYE, "yellow")
        self._lines.put(None)
        attendant.join(10)
        try:
            while self.session.active():
                self.session.hear(TICK)
        except KeyboardInterrupt:
            self.session.shown.said("Left.", "yellow")

    def _label(self) -> AnyFormattedText:
        if self.session.question is None:
            return HTML("<b>&gt;</b> ")
        return HTML("<ansiyellow><b>?&gt;</b></ansiyellow> ")

    def _below(self) -> AnyFormattedText:
        """The live table of what runs."""
        active = self.session.active()
        asked = [call for call in calls_under_way() if time.monotonic() - call.began > SLOW[0]]
        if not active and asked:
            return ANSI(f"{asked[0].model} is asked, no reply for {time.monotonic() - asked[0].began:.0f} s")
        if not active:
            return HTML("/help lists commands. Alt-Enter begins a new line, Ctrl-C pauses, Ctrl-D leaves.")
        size = shutil.get_terminal_size()
        return ANSI(self.session.shown.running(active, size.columns, min(LINES, max(3, size.lines // 3))))


def _keys() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @bindings.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.text.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    return bindings
