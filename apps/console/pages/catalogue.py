"""What Labwright knows here: experiments, procedures, tools, feature maps of earlier runs, chemicals; searchable."""

from __future__ import annotations

import asyncio
from pathlib import Path

from nicegui import ui

from labwright.apps.console import page_frame
from labwright.apps.console.parts.html_templates import Section, html, styles
from labwright.apps.console.parts.library_search import KINDS, Entry, collect, search
from labwright.apps.console.shared_context import Console
from labwright.tools.errors import ToolError

MOST_SHOWN = 12  # of each kind while all kinds are shown
MOST_OF_ONE = 150  # of the kind that was chosen
EVERYTHING = "everything"


async def show(console: Console) -> None:
    """The page."""
    styles()
    page_frame.heading("Library")
    library = Library()
    library.draw()
    ui.timer(0.0, lambda: library.fill(console), once=True)  # the page is there before the slow work


class Library:
    """One window's view of the entries."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def draw(self) -> None:
        """Make the elements."""
        with ui.element("div").classes("lw-row").props("role=search"):
            self.words = ui.input("Search the library", on_change=self.refresh).props(
                "outlined dense clearable debounce=200"
            )
            self.kind = ui.select({"": EVERYTHING, **KINDS}, value="", label="Kind", on_change=self.refresh)
            self.kind.props("outlined dense options-dense").classes("lw-choose lw-flat")
            self.count = page_frame.Words("span", "", "lw-dim").props("role=status")
        self.found = Section()
        self.count.text = "The library is being read …"

    async def fill(self, console: Console) -> None:
        """Read everything and show it."""
        terms = console.talks.terms
        lab, toolset = (Path(given) if given else None for given in (terms.lab, terms.toolset))
        try:
            self.entries = await asyncio.to_thread(collect, console.root, lab, toolset)
        except ToolError as fault:  # of the person's own folder
            page_frame.paragraph(f"The lab folder was left out. {fault}", "lw-card lw-wrong")
            self.entries = await asyncio.to_thread(collect, console.root, None, toolset)
        self.refresh()

    def refresh(self) -> None:
        """Show what fits."""
        kind = str(self.kind.value or "")
        found = search(self.entries, str(self.words.value or ""), kind)
        self.count.text = f"{len(found)} of {len(self.entries)}"
        self.found.show(html("library", groups=grouped(found, MOST_OF_ONE if kind else MOST_SHOWN)))


def grouped(found: list[Entry], most: int) -> list[tuple[str, str, list[Entry], int]]:
    """Kind, title, the first `most` entries and how many more there are, of each kind that has any."""
    groups = []
    for kind, title in KINDS.items():
        own = [entry for entry in found if entry.kind == kind]
        if own:
            groups.append((kind, title, own[:most], max(0, len(own) - most)))
    return groups
