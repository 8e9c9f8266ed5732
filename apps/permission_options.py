"""What a person grants a front desk, as options of a command: the same for chat, console and MCP server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from labwright.apps.calibrate import absolute, check_budget, device_options

if TYPE_CHECKING:
    from labwright.agents.settings import Settings
    from labwright.graphs.front_desk.permissions import Terms

Device = Annotated[str, typer.Option(help="simulated, package.module:factory, or file.py:factory.")]
DeviceOption = Annotated[list[str] | None, typer.Option(help="name=value for the device's factory.")]
Lab = Annotated[str, typer.Option(help="Folder with your own experiments (*.py) and procedures (*.md).")]
Toolset = Annotated[str, typer.Option(help="Folder of the toolset that forging keeps and reuses.")]
Seed = Annotated[int, typer.Option(help="Of runs for which no other is named.")]
Person = Annotated[str, typer.Option(help="Whose memory is used.")]


def terms_of(
    settings: Settings, *, model: str | None, approve: str, answers: str, budget: str, device: str,
    device_option: list[str] | None, lab: str, toolset: str, seed: int = 0, person: str = "me", device_folder: str = "",
) -> Terms:  # fmt: skip
    """The terms that the options of a command mean.

    Raises:
        InputError: the budget or a device option cannot be read.
        ValidationError: approval or answers are none of theirs.
    """
    from labwright.graphs.front_desk.permissions import Terms

    check_budget(budget)
    return Terms.model_validate(
        {
            "person": person,
            "mind": model or settings.model,
            "approval": approve,
            "answers": answers,
            "budget": budget,
            "device": device,
            "device_options": device_options(device_option or []),
            "device_folder": absolute(device_folder),
            "lab": absolute(lab),
            "toolset": absolute(toolset),
            "seed": seed,
        }
    )
