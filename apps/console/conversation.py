"""One conversation of the console: in a thread of its own, shown in any number of windows."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labwright.apps.console.conversation_entries import Entry, Recorder, Who, owned
from labwright.apps.console.subscribers import Hearers

if TYPE_CHECKING:
    from labwright.apps.chat.session import Session
    from labwright.graphs.front_desk.conversation import Conversation
    from labwright.graphs.front_desk.permissions import Terms
    from labwright.graphs.questions import Answer, Question

Hearer = Callable[[], None]
TICK = 0.2  # s between two looks at what the runs tell
ELSEWHERE = {"/quit": "Close the window: runs go on as long as the server does.", "/exit": "Close the window."}


class Talk:
    """One conversation. Windows read its attributes and put jobs; only its thread touches the conversation.

    Attributes:
        name: id of the conversation; empty until it is opened.
        entries: what was said, in order; only added to.
        question: what waits for the person.
        asking: the run that asks; empty if the desk does.
        busy: whether the desk is at work on something the person said.
        runs: ids of the runs of the conversation.
    """

    def __init__(self, terms: Terms, root: Path, name: str = "") -> None:
        self.terms, self.root, self.name = terms, root, name
        self.entries: list[Entry] = []
        self.question: Question | None = None
        self.asking, self.runs, self.busy, self.closed = "", list[str](), False, False
        self._jobs: queue.Queue[Callable[[Session], Any] | None] = queue.Queue()
        self._hearers: Hearers[[]] = Hearers(name or "a conversation to be opened")
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        if name:
            self._begin()

    def say(self, words: str, meant: str = "") -> None:
        """The person's words; they answer the question with the id `meant` if that still waits."""
        line = words.strip()
        if line in ELSEWHERE:
            self._add(Entry("note", ELSEWHERE[line]))
        elif line:
            self._add(Entry("person", line))
            self._put(lambda session: session.line(line, meant))

    def answer(self, answer: Answer, shown: str) -> None:
        """The person's answer through a form; `shown` is what they chose, in words."""

        def give(session: Session) -> None:
            if session.question is None or session.question.id != answer.id:
                session.shown.said("That question is no longer open; nothing was answered.", "red")
                return
            self._add(Entry("person", shown))
            session.give(answer)

        self._put(give)

    def answer_of(self, run_id: str, answer: Answer, shown: str) -> None:
        """The person's answer to a run of which this conversation may not have heard yet."""

        def give(session: Session) -> None:
            session.conversation.adopt(run_id)
            session.look()

        self._put(give)
        self.answer(answer, shown)

    def adopt(self, run_id: str, budget: str = "") -> None:
        """Count a run to the conversation, and go on with it; `budget` replaces its own."""

        def take(session: Session) -> None:
            session.conversation.adopt(run_id)
            if session.workers.drive(session.run(run_id), budget or None):
                self._add(Entry("desk", f"{run_id} goes on.", "started", run_id))
            else:
                session.shown.said(f"Run {run_id} is driven already.", "red")

        self._put(take)

    def start(self, text: str, title: str = "") -> None:
        """Begin the run of a written specification; the windows show `title` as the person's words."""

        def begin(session: Session) -> None:
            if title:
                self._add(Entry("person", title))
            session.say(text)  # a document; the desk starts it

        self._put(begin)

    def subscribe(self, hearer: Hearer) -> Callable[[], None]:
        """Hear, on the running loop, that something changed; returns how to stop."""
        self._loop = asyncio.get_running_loop()
        return self._hearers.add(hearer)

    @property
    def watched(self) -> bool:
        """Whether any window shows it."""
        return bool(self._hearers)

    def close(self) -> None:
        """End the thread after what it is doing."""
        self.closed = True
        self._jobs.put(None)

    def wait(self, seconds: float) -> None:
        """Wait for the thread's end."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _put(self, job: Callable[[Session], Any]) -> None:
        self.busy = True
        self._jobs.put(job)
        self._begin()
        self._tell()

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="conversation", daemon=True)
            self._thread.start()

    def _serve(self) -> None:
        from labwright.apps.chat.session import Session, tried
        from labwright.graphs.front_desk.conversation import open_conversation
        from labwright.graphs.front_desk.workers import WORKERS
        from labwright.tools.errors import ToolError

        try:
            with open_conversation(self.terms, conversation=self.name) as conversation:
                self.name = self._hearers.of = conversation.run.run_id
                self._recall(conversation)
                session = Session(conversation, WORKERS, Recorder(self.root, add=self._add), operator=False)
                tried(session, session.begin)
                self._attend(session)
                session.close()
        except (ToolError, OSError) as fault:
            self._add(Entry("wrong", str(fault)))
        self.busy, self.closed = False, True
        self._tell()

    def _attend(self, session: Session) -> None:
        from labwright.apps.chat.session import tried

        while True:
            self._state(session)
            try:
                job = self._jobs.get(timeout=TICK)
            except queue.Empty:
                tried(session, session.hear)
                continue
            if job is None:
                return
            tried(session, lambda job=job: job(session))  # type: ignore[misc]
            tried(session, session.hear)

    def _state(self, session: Session) -> None:
        """What the windows show besides the entries; they are told if it changed."""
        new = (session.question, session.asking, session.conversation.runs, not self._jobs.empty())
        if new != (self.question, self.asking, self.runs, self.busy):
            self.question, self.asking, self.runs, self.busy = new
            self.terms = session.conversation.terms
            self._tell()

    def _recall(self, conversation: Conversation) -> None:
        """What was said before this process; paths of figures at the end of a message are shown as figures."""
        for kind, text in conversation.messages():
            lines = text.split("\n")
            paths = [line for line in lines if line.startswith("/") and line.endswith(".png")]
            words = "\n".join(line for line in lines if line not in paths)
            who: Who = "person" if kind == "human" else "desk"
            self._add(Entry(who, words, figures=owned(self.root, paths) if who == "desk" else ()))

    def _add(self, entry: Entry) -> None:
        self.entries.append(entry)
        self._tell()

    def _tell(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hearers.tell)
