"""``labwright chat``: the command itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from labwright.apps.calibrate import Answers, Approve, Budget, Model, check_budget, device_options
from labwright.apps.exits import DONE, ENVIRONMENT, FAILED, STOPPED, endings

if TYPE_CHECKING:
    from labwright.apps.chat.session import Session

# A refused request is the science's answer here: the chat goes on.
CODE_OF_STATUS = {"": DONE, "complete": DONE, "failed": FAILED, "refused": FAILED, "stopped": STOPPED}


def chat(
    approve: Approve = "risky",
    answers: Answers = "ask",
    model: Model = None,
    budget: Budget = "",
    device: Annotated[str, typer.Option(help="simulated, or package.module:factory.")] = "simulated",
    device_option: Annotated[list[str] | None, typer.Option(help="name=value for the device's factory.")] = None,
    lab: Annotated[str, typer.Option(help="Folder with your own experiments (*.py) and procedures (*.md).")] = "",
    toolset: Annotated[str, typer.Option(help="Folder of the toolset that forging keeps and reuses.")] = "",
    seed: Annotated[int, typer.Option(help="Of runs for which no other is named.")] = 0,
    person: Annotated[str, typer.Option(help="Whose memory is used.")] = "me",
    figures: Annotated[str, typer.Option(help="How figures are shown: auto, paths, kitty, iterm or sixel.")] = "auto",
    go_on: Annotated[str, typer.Option("--continue", help="An earlier conversation: its id, or latest.")] = "",
) -> None:
    """Talk to the front desk: it starts calibrations, searches, computations and protocols, and asks you."""
    with endings():
        check_budget(budget)
        from labwright.agents.settings import Settings
        from labwright.apps.chat.figures import way_of
        from labwright.apps.chat.session import Session
        from labwright.apps.chat.showing import Shown
        from labwright.graphs.front_desk.conversation import open_conversation
        from labwright.graphs.front_desk.terms import Terms
        from labwright.graphs.front_desk.workers import WORKERS
        from labwright.tools.errors import InputError
        from labwright.tools.runs import runs_root

        settings = Settings()
        if figures not in ("auto", "paths", "kitty", "iterm", "sixel"):
            raise InputError(f"Option `--figures` must be auto, paths, kitty, iterm or sixel, but is {figures!r}.")
        terms = Terms.model_validate(
            {
                "person": person,
                "mind": model or settings.model,
                "approval": approve,
                "answers": answers,
                "budget": budget,
                "device": device,
                "device_options": device_options(device_option or []),
                "lab": str(Path(lab).expanduser().absolute()) if lab else "",
                "toolset": str(Path(toolset).expanduser().absolute()) if toolset else "",
                "seed": seed,
            }
        )
        here = sys.stdin.isatty() and sys.stdout.isatty()
        way = way_of(os.environ if here else {}) if figures == "auto" else figures
        with open_conversation(terms, conversation=go_on) as conversation:
            shown = Shown(runs_root().absolute(), cast("Literal['paths', 'kitty', 'iterm', 'sixel']", way))
            session = Session(conversation, WORKERS, shown)
            try:
                _talk(session, here, settings.state)
            finally:
                session.close()
            code = CODE_OF_STATUS.get(session.worst(), DONE) if not here else DONE
            code = ENVIRONMENT if session.faults else code
            if session.question is not None or code == STOPPED:
                shown.said(f"Go on with: labwright chat --continue {conversation.run.run_id}")
        if code:
            raise typer.Exit(code)


def _talk(session: Session, here: bool, state: Path) -> None:
    if here:
        from labwright.apps.chat.typed import Terminal

        Terminal(session, state).talk()
        return
    from labwright.apps.chat.piped import talk

    try:
        talk(session, sys.stdin)
    except KeyboardInterrupt:
        session.pause_all()
        session.workers.wait()
        session.hear()
