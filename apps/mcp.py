"""``labwright mcp``: the four systems for other agents, over standard input and output or HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from labwright.apps.calibrate import Answers, Approve, Budget, Model
from labwright.apps.exits import endings
from labwright.apps.screen import err, escape
from labwright.apps.terms import Device, DeviceOption, Lab, Toolset, terms_of


def mcp(
    http: Annotated[int | None, typer.Option(min=1, max=65535, help="Speak HTTP on this port of loopback.")] = None,
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
        server = make_server(terms, settings.runs.absolute(), port=http or 8000)
        if http is not None:
            err().print(f"runs in {escape(str(settings.runs.absolute()))}, http://127.0.0.1:{http}/mcp", soft_wrap=True)
        server.run(transport="streamable-http" if http is not None else "stdio")
