"""``labwright chat``: the command itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from labwright.apps.calibrate import Answers, Approve, Budget, DeviceFolder, Model
from labwright.apps.exits import CODE_OF_STATUS, DONE, ENVIRONMENT, STOPPED, endings
from labwright.apps.permission_options import Device, DeviceOption, Lab, Person, Seed, Toolset, terms_of

if TYPE_CHECKING:
    from labwright.apps.chat.session import Session


def chat(
    approve: Approve = "risky",
    answers: Answers = "ask",
    model: Model = None,
    budget: Budget = "",
    device: Device = "simulated",
    device_option: DeviceOption = None,
    device_folder: DeviceFolder = "",
    lab: Lab = "",
    toolset: Toolset = "",
    seed: Seed = 0,
    person: Person = "me",
    figures: Annotated[str, typer.Option(help="How figures are shown: auto, paths, kitty or iterm.")] = "auto",
    go_on: Annotated[str, typer.Option("--continue", help="An earlier conversation: its id, or latest.")] = "",
) -> None:
    """Talk to the front desk: it starts calibrations, searches, computations and protocols, and asks you."""
    with endings():
        from labwright.agents.settings import Settings
        from labwright.apps.chat.chat_output import Shown
        from labwright.apps.chat.inline_images import way_of
        from labwright.apps.chat.session import Session
        from labwright.graphs.front_desk.conversation import open_conversation
        from labwright.graphs.front_desk.workers import WORKERS
        from labwright.tools.errors import InputError
        from labwright.tools.runs import runs_root

        settings = Settings()
        if figures not in ("auto", "paths", "kitty", "iterm"):
            raise InputError(f"Option `--figures` must be auto, paths, kitty or iterm, but is {figures!r}.")
        terms = terms_of(
            settings, model=model, approve=approve, answers=answers, budget=budget, device=device,
            device_option=device_option, lab=lab, toolset=toolset, device_folder=device_folder,
            seed=seed, person=person,
        )  # fmt: skip
        here = sys.stdin.isatty() and sys.stdout.isatty()
        way = way_of(os.environ if here else {}) if figures == "auto" else figures
        with open_conversation(terms, conversation=go_on) as conversation:
            shown = Shown(runs_root().absolute(), cast("Literal['paths', 'kitty', 'iterm']", way))
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
        from labwright.apps.chat.terminal_chat import Terminal

        Terminal(session, state).talk()
        return
    from labwright.apps.chat.piped import talk

    try:
        talk(session, sys.stdin)
    except KeyboardInterrupt:
        session.pause_all()
        session.workers.wait()
        session.hear()
