"""The conversations of one person on one server."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from labwright.apps.console.conversation import Talk
from labwright.tools.runs import request_pause, run_ids, summarise

if TYPE_CHECKING:
    from labwright.graphs.front_desk.permissions import Terms
    from labwright.graphs.questions import Answer

MOST_OPEN = 20  # conversations; the one that nobody looks at for the longest time is closed first
PATIENCE = 5.0  # s that a server which ends waits for its runs to pause


@dataclass
class Talks:
    """The conversations of one person on this server.

    Attributes:
        folder: where conversations lie.
    """

    terms: Terms
    root: Path
    folder: Path
    open: list[Talk] = field(default_factory=list)

    def newest(self) -> Talk:
        """The conversation that was opened last, or a new one."""
        alive = [talk for talk in self.open if not talk.closed]
        return alive[-1] if alive else self.new()

    def new(self) -> Talk:
        """A new conversation; its folder is made when the first word is said."""
        unused = [talk for talk in self.open if not talk.name and not talk.entries and not talk.closed]
        if unused:
            self.open.remove(unused[0])
        return self._opened(unused[0] if unused else Talk(self.terms, self.root))

    def named(self, name: str) -> Talk | None:
        """The conversation with this id; None if there is none."""
        known = [talk for talk in self.open if talk.name == name and not talk.closed]
        if known:
            return known[0]
        if not re.fullmatch(r"[\w-]{1,120}", name) or name not in self.earlier():
            return None
        return self._opened(Talk(self.terms, self.root, name))

    def earlier(self) -> list[str]:
        """Ids of the conversations on the disk, newest first."""
        return run_ids(self.folder)[::-1]

    def of_run(self, run_id: str) -> Talk | None:
        """The open conversation that the run belongs to."""
        return next((talk for talk in reversed(self.open) if run_id in talk.runs and not talk.closed), None)

    def answer(self, run_id: str, answer: Answer, shown: str) -> Talk:
        """The person's answer to a question of the run, given on its own page; returns who takes it.

        Args:
            run_id: of the run that asks.
            answer: with the run's own id of the question.
            shown: what was chosen, in words.
        """
        relayed = answer.model_copy(update={"id": f"{run_id}/{answer.id}"})
        talk = self.of_run(run_id)
        if talk is not None and talk.question is not None and talk.question.id == relayed.id:
            talk.answer(relayed, shown)
            return talk
        # Another question stands first in the run's conversation, or the run is of none that is open.
        talk = Talk(self.terms, self.root)
        self.open.insert(0, talk)  # in front: it is not the newest of the person's conversations
        talk.answer_of(run_id, relayed, shown)
        return talk

    def _opened(self, talk: Talk) -> Talk:
        self.open = [one for one in self.open if not one.closed]
        idle = [one for one in self.open if not one.watched]
        if len(self.open) >= MOST_OPEN and idle:
            idle[0].close()
            self.open.remove(idle[0])
        self.open.append(talk)
        return talk

    def close(self) -> None:
        """Ask the runs of this process to pause, wait a little, and end the conversations. All can be resumed."""
        from labwright.graphs.front_desk.workers import WORKERS
        from labwright.tools.runs import load_run

        for folder in WORKERS.active():
            run = load_run(folder)
            if summarise(run).status == "running":
                request_pause(run)
        WORKERS.wait(PATIENCE)
        for talk in self.open:
            talk.close()
        for talk in self.open:
            talk.wait(PATIENCE)
