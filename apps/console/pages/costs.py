"""What the runs have cost: tokens, money and time of the device, by run, system and agent."""

from __future__ import annotations

import asyncio

from nicegui import ui

from labwright.apps.console import page_frame
from labwright.apps.console.parts.cost_ledger import PERIODS, TITLES, Ledger, read_ledger
from labwright.apps.console.parts.html_templates import Section, html, styles
from labwright.apps.console.shared_context import Console
from labwright.apps.numbers import seconds

MOST_SHOWN = 200  # runs


async def show(console: Console) -> None:
    """The page."""
    styles()
    page_frame.heading("Costs")
    costs = Costs()
    costs.draw()
    ui.timer(0.0, lambda: costs.fill(console), once=True)  # the page is there before the slow work


class Costs:
    """One window's view of the ledger."""

    def __init__(self) -> None:
        self.ledger = Ledger([])

    def draw(self) -> None:
        """Make the elements."""
        self.period = ui.select(PERIODS, value="", label="Runs begun in", on_change=self.refresh)
        self.period.props("outlined dense options-dense").classes("lw-choose lw-flat")
        self.state = page_frame.Words("span", "The runs are being read …", "lw-dim").props("role=status")
        self.tables = Section()

    async def fill(self, console: Console) -> None:
        """Read all runs and show what they have cost."""
        self.ledger = await asyncio.to_thread(read_ledger, console.root, console.talks.folder)
        self.refresh()

    def refresh(self) -> None:
        """Show the period that was chosen."""
        self.state.text = ""
        self.tables.show(drawn(self.ledger.since(str(self.period.value or ""))))


def drawn(ledger: Ledger) -> str:
    """The tables as HTML."""
    agents = sorted(ledger.agents.items(), key=lambda one: (-one[1].input_tokens - one[1].output_tokens, one[0]))
    shown = {"bills": ledger.bills[:MOST_SHOWN], "more": max(0, len(ledger.bills) - MOST_SHOWN)}
    return html("costs", ledger=ledger, agents=agents, names=TITLES, money=money, time=seconds, **shown)


def money(cost: float | None) -> str:
    """An amount of the price table's currency; an unknown one is said to be unknown."""
    if cost is None:
        return "unknown"
    return f"{cost:.2f}" if cost == 0 or cost >= 0.01 else f"{cost:.2g}"
