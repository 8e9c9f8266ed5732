"""One chat: a typed line becomes an answer, a command, or a message to the front desk. Knows no line editor."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from labwright.agents.errors import AgentError
from labwright.apps.chat.chat_output import Part, Shown
from labwright.apps.exits import sentence_of
from labwright.apps.terminal_questions import answer_of, option_of
from labwright.graphs.questions import Question, problems
from labwright.tools.errors import InputError, RecordError, ToolError
from labwright.tools.runs import Run, open_run, summarise
from labwright.tools.specifications.patches import read_patches
from labwright.tools.specifications.yaml_files import is_document

if TYPE_CHECKING:
    from labwright.apps.chat.forms import Form
    from labwright.graphs.front_desk.conversation import Conversation, Turn
    from labwright.graphs.front_desk.workers import Workers

ENDED = "worker_ended"


class Session:
    """A conversation, what is shown of it, and the question that waits.

    Attributes:
        question: what the next line answers; None if nothing waits.
        asking: the run that asks; empty if the desk does.
        last: the run that ended, or was spoken of, last.
        faults: how often the program itself was at fault.
        form: the specification that is being asked for; its answers go nowhere else.
        operator: whether who types also started the program, and so may let it read files and run code of theirs.
    """

    def __init__(self, conversation: Conversation, workers: Workers, shown: Shown, *, operator: bool = True) -> None:
        self.conversation, self.workers, self.shown = conversation, workers, shown
        self.operator = operator
        self.question: Question | None = None
        self.asking = ""
        self.last = ""
        self.faults = 0
        self.form: Form | None = None
        self._due = False  # a run has ended, and the desk was not asked about it yet
        self.on_question: Callable[[], None] = lambda: None
        self._events: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        self._stop = workers.listen(lambda run_id, event: self._events.put((run_id, event)))

    def close(self) -> None:
        """Stop listening to the runs; they go on."""
        self._stop()

    def line(self, text: str, meant: str | None = None) -> bool:
        """Take one line; says whether the chat goes on.

        Args:
            text: what was typed.
            meant: id of the question that was on the screen when the person began to type; None: the one that waits.
        """
        words = text.strip()
        if words and self._command(words):
            return True
        if words.startswith("/"):
            from labwright.apps.chat.commands import obey

            return obey(self, words)
        if self.form is not None:
            form, self.form = self.form, None  # a form that fails is over
            self.form = form if form.answer(text) else None
            return True
        question = self.question
        if question is not None and (meant is None or meant == question.id):
            self._answered(question, words)
        elif words:
            self.say(words)
        return True

    def _command(self, words: str) -> bool:
        """A command of the desk goes there, whatever waits; `stop` and `never mind` leave a form besides."""
        from labwright.graphs.front_desk.command_grammar import read_command

        exact = self.question is not None and option_of(self.question, words)  # `stop` of a run stops that run
        command = None if exact else read_command(words)
        if command is None:
            return not exact and self._shell_line(words)
        if words.removeprefix("/").lower() == "help":
            from labwright.apps.chat.commands import HELP

            self.shown.said(HELP)
        if self.form is not None and command.kind == "steer" and command.what != "resume":
            self.form = None
            self.shown.said("The form is left.", "dim")
        else:
            self.say(words)
        return True

    def _shell_line(self, words: str) -> bool:
        """A line of the shell that starts a system; one that only a model can read is left to the desk."""
        from labwright.apps import shell_line_parsing
        from labwright.graphs.front_desk.message_reading import in_short_form

        terms, reads = self.conversation.terms, self.conversation.desk.mind.reads_words
        verb = shell_line_parsing.verb_and_rest(words)[0]
        spelt = words.removeprefix("/").removeprefix("labwright ").split()[:1] == [verb]  # a file may be an answer
        if self.form is not None or not verb or (self.question and not spelt) or in_short_form(words, terms):
            return False
        bare = shell_line_parsing.is_bare(words)
        try:
            line = shell_line_parsing.read_line(words, terms)
        except InputError as wrong:
            # Beside a question, or with a model, a bare line may be a sentence that begins with the same word.
            if not (bare and (reads or self.question is not None)):
                self.shown.said(str(wrong), "red")
            return not bare
        if not self.operator and (own := shell_line_parsing.granted_by(line)):
            self.shown.said(f"{own} is granted by whoever starts `labwright serve`, not in a window.", "red")
            return True
        if line.free and (bare or not reads):
            if words.startswith("/"):
                self.say(words[1:])
            return words.startswith("/")
        self._turned(self.conversation.say(words, line.jobs, line.named))
        return True

    def _answered(self, question: Question, words: str) -> None:
        """The line as an answer: an option, a form, or, without a model, any words that the question takes."""
        if not words and question.default is None:
            self.shown.question(question, self.asking)
            return
        try:
            answer = answer_of(question, words)
        except InputError as wrong:
            self.shown.said(str(wrong), "red")
            return
        from labwright.graphs.front_desk.message_reading import in_short_form

        formal = answer.decision in [option.value for option in question.options] or is_patch(words)
        reads, found = self.conversation.desk.mind.reads_words, problems(question, answer)
        if not formal and (is_document(words) or in_short_form(words, self.conversation.terms)):
            self.say(words)  # a request of its own
        elif not found and (formal or not words or not reads):
            self.give(answer)
        elif formal or not reads:
            self.shown.said(" ".join(found), "red")
        else:
            self.say(words)

    def give(self, answer: Any) -> None:
        """Hand the person's answer to whoever asked."""
        self.question = None
        self._turned(self.conversation.answer(answer))

    def say(self, words: str) -> None:
        """Words to the desk, whatever waits."""
        self._turned(self.conversation.say(words))

    def begin(self) -> None:
        """Where an earlier conversation stopped: the question that waits, or what happened since."""
        waiting = self.conversation.waiting()
        if waiting.question is None:
            self.look()
        else:
            self._turned(waiting, "title")  # it was shown when it was asked

    def look(self) -> None:
        """What ended, and what waits."""
        self._turned(self.conversation.look())

    def hear(self, timeout: float = 0.0) -> bool:
        """Show what runs did since; looks after them where one has ended or asks. Says whether there was anything."""
        heard, ended = False, False
        while True:
            try:
                run_id, event = (
                    self._events.get(timeout=timeout) if timeout and not heard else self._events.get_nowait()
                )
            except queue.Empty:
                break
            heard = True
            ended = ended or event.get("kind") == ENDED
            self.shown.event(run_id, event)
        self._due = self._due or ended
        if self._due:
            self._due = False
            self.look()
        return heard

    def _turned(self, turn: Turn, part: Part = "new") -> None:
        same = turn.question is not None and self.question is not None and turn.question.id == self.question.id
        for reply in turn.replies:
            self.shown.reply(reply)
            self.last = reply["run_id"] or self.last
        self.question, self.asking = turn.question, turn.run_id
        if turn.question is not None and not same:
            self.shown.question(turn.question, turn.run_id, part)
            self.on_question()

    def active(self) -> list[str]:
        """Ids of the runs that this process drives, oldest first."""
        return sorted(folder.name for folder in self.workers.active())

    def pause_all(self) -> list[str]:
        """Ask every run of this process to stop at its next stage; returns their ids."""
        names = self.active()
        for name in names:
            self.workers.pause(self.run(name))
        return names

    def run(self, name: str = "") -> Run:
        """The run that `name` begins; the last one that was spoken of if it is empty.

        Raises:
            RunNotFoundError: there is none.
        """
        own = self.conversation.runs
        if name.startswith("#"):
            return self.conversation.desk.named(name, own)
        return open_run(self.shown.root, name or self.last or (own or ["latest"])[-1])

    def worst(self) -> str:
        """The status of the conversation's run that ended last; ``stopped`` while one waits; empty without a run."""
        states: list[str] = [summarise(run).status for run in self._own()]
        waits = self.question is not None or any(state in ("interrupted", "stopped", "dead") for state in states)
        return "stopped" if waits else (states or [""])[-1]

    def _own(self) -> list[Run]:
        found = []
        for name in self.conversation.runs:
            try:
                found.append(self.run(name))
            except RecordError:
                continue
        return found


def tried(session: Session, work: Callable[[], Any]) -> Any:
    """`work`, with what goes wrong told in the chat instead of ending it; a fault of the program itself is counted."""
    try:
        return work()
    except (ToolError, AgentError, OSError, ValueError) as fault:
        session.shown.said(" ".join(str(fault).split()), "red")
    except Exception as fault:  # noqa: BLE001 - the last wall before the person; a chat must not fall silent
        session.faults += 1
        session.shown.said(sentence_of(fault), "red")
    return None


def is_patch(words: str) -> bool:
    """Whether a line is PATH = VALUE: a change of the document that is shown."""
    return read_patches(words) is not None
