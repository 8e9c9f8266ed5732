"""``labwright limits``: which limits hold, where each of them is written, and what a run has taken within them."""

from __future__ import annotations

from typing import Annotated

import typer

from labwright.apps.exits import endings
from labwright.apps.permission_options import Device, Lab
from labwright.apps.terminal_output import out

NONE = "No limits hold besides those of the device. To write some: labwright new limits -o limits.yaml"


def limits(
    lab: Lab = "",
    device: Device = "simulated",
    run: Annotated[str, typer.Option(help="What holds for this run, and what it has taken.")] = "",
) -> None:
    """Show the limits in force: those of LABWRIGHT_LIMITS, of --limits, of the lab's folder and beside its device."""
    with endings():
        from labwright.agents.settings import Settings
        from labwright.tools.limits.device_usage import Account
        from labwright.tools.limits.files import found, with_kept
        from labwright.tools.limits.limits_document import entries
        from labwright.tools.runs.run import open_run, runs_root

        one = open_run(runs_root(), run) if run else None
        chosen = one.record.choices if one else {"lab": lab, "device": device}
        laws = found(Settings().limits, chosen.get("lab", ""), chosen.get("device", ""))
        laws = with_kept(one.folder, laws) if one else laws
        for law in laws:
            title = f"  ({law.limits.title})" if law.limits.title else ""
            out().print(f"{law.name}{title}", markup=False, soft_wrap=True)
            for line in entries(law.limits.model_dump(exclude_defaults=True, mode="json", exclude={"limits", "title"})):
                out().print(f"  {line}", markup=False, soft_wrap=True)
        if not laws:
            out().print(NONE, soft_wrap=True)
        if one and (account := Account.of(one.folder)):
            told = f"taken: {account.seconds:.1f} s of device time, {account.actions} measurements"
            out().print(told, markup=False, soft_wrap=True)
