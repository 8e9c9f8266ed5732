"""``labwright mcp``: the four systems for other agents, over standard input and output or HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from labwright.apps.calibrate import Answers, Approve, Budget, Model
from labwright.apps.exits import endings
from labwright.apps.permission_options import Device, DeviceOption, Lab, Toolset, terms_of
from labwright.apps.serving_mcp import serve


def mcp(
    http: Annotated[int | None, typer.Option(min=1, max=65535, help="Speak HTTP on this port of loopback.")] = None,
    questions: Annotated[
        Literal["terminal", "client"],
        typer.Option(
            help="Where a run's questions are answered: terminal (or console, the run waits), or client: you know that"
            " the client shows them to a person."
        ),
    ] = "terminal",
    approve: Approve = "risky",
    answers: Answers = "ask",
    model: Model = None,
    budget: Budget = "",
    device: Device = "simulated",
    device_option: DeviceOption = None,
    lab: Lab = "",
    toolset: Toolset = "",
) -> None:
    """Serve the four systems to agents over MCP until stopped: standard input and output, or --http."""
    with endings():
        from labwright.agents.settings import Settings
        from labwright.apps.systems_server import make_server  # late: the protocol's package takes a second to import

        settings = Settings()
        terms = terms_of(
            settings, model=model, approve=approve, answers=answers, budget=budget, device=device,
            device_option=device_option, lab=lab, toolset=toolset,
        )  # fmt: skip
        server = make_server(terms, settings.runs.absolute(), questions=questions)
        serve(server, http, f"runs in {settings.runs.absolute()}")
