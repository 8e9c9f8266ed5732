"""``labwright mcp``: the four systems for other agents, over standard input and output or HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labwright.apps.calibrate import Answers, Approve, Budget, Model, check_budget, device_options
from labwright.apps.exits import endings
from labwright.apps.screen import err, escape


def mcp(
    http: Annotated[int | None, typer.Option(min=1, max=65535, help="Speak HTTP on this port of loopback.")] = None,
    approve: Approve = "risky",
    answers: Answers = "ask",
    model: Model = None,
    budget: Budget = "",
    device: Annotated[str, typer.Option(help="simulated, or package.module:factory.")] = "simulated",
    device_option: Annotated[list[str] | None, typer.Option(help="name=value for the device's factory.")] = None,
    lab: Annotated[str, typer.Option(help="Folder with your own experiments (*.py) and procedures (*.md).")] = "",
    toolset: Annotated[str, typer.Option(help="Folder of the toolset that forging keeps and reuses.")] = "",
) -> None:
    """Serve the four systems to agents over MCP until stopped: standard input and output, or --http."""
    with endings():
        check_budget(budget)
        from labwright.agents.settings import Settings
        from labwright.apps.systems_server import make_server  # late: the protocol's package takes a second to import
        from labwright.graphs.front_desk.terms import Terms

        settings = Settings()
        terms = Terms.model_validate(
            {
                "mind": model or settings.model,
                "approval": approve,
                "answers": answers,
                "budget": budget,
                "device": device,
                "device_options": device_options(device_option or []),
                "lab": str(Path(lab).expanduser().absolute()) if lab else "",
                "toolset": str(Path(toolset).expanduser().absolute()) if toolset else "",
            }
        )
        server = make_server(terms, settings.runs.absolute(), port=http or 8000)
        if http is not None:
            err().print(f"runs in {escape(str(settings.runs.absolute()))}, http://127.0.0.1:{http}/mcp", soft_wrap=True)
        server.run(transport="streamable-http" if http is not None else "stdio")
