"""A run's figures in the browser: hover, zoom, and the picture to print. The newest is shown until one is chosen."""

from __future__ import annotations

import json
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui

from labwright.apps.console.markdown_html import file_url
from labwright.apps.terminal_output import legible
from labwright.tools.runs import Run
from labwright.tools.runs.interactive_figures import FAINT, NEUTRAL

ENDING = ".plot.json"
LARGEST = 4_000_000  # bytes of one figure's numbers
# No picture by the browser itself: the run's own PNG is the one to print, and the page's policy lets no other be made.
CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["toImage", "select2d", "lasso2d"], "responsive": True}
AXIS = {
    "gridcolor": FAINT,
    "linecolor": NEUTRAL,
    "zeroline": False,
    "showline": True,
    "mirror": True,
    "automargin": True,
}
LOOK = {
    "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "margin": {"l": 50, "r": 20, "t": 45, "b": 45},
    "legend": {"orientation": "h", "y": -0.16, "yanchor": "top"}, "hovermode": "closest", "dragmode": "zoom",
    "font": {"size": 12}, "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": NEUTRAL, "activecolor": "#0072B2"},
}  # fmt: skip


class LivePlot:
    """One window's figure. Hidden while the run has none that can be zoomed."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._known: list[str] = []
        self._plot: ui.plotly | None = None

    def draw(self) -> None:
        """Make the elements."""
        self._box = ui.element("div").classes("lw-stack lw-plot")
        self._box.set_visibility(False)
        with self._box:
            with ui.element("div").classes("lw-row"):
                self._choice = ui.select({}, label="Figure", on_change=self._show).props("outlined dense options-dense")
                self._choice.classes("lw-choice")
                self._print = ui.html("", sanitize=False)
            self._place = ui.element("div").classes("lw-full")

    def update(self, names: list[str]) -> None:
        """Take up the figures there are; the newest is shown if the newest was."""
        if names == self._known:
            return
        follow = self._choice.value in (None, *self._known[-1:])
        self._known = list(names)
        self._choice.set_options({name: legible(titled(name)) for name in names})
        self._box.set_visibility(bool(names))
        if names and (follow or self._choice.value not in names):
            self._choice.value = names[-1]

    def _show(self) -> None:
        name = str(self._choice.value or "")
        figure = curves(self.run, name) if name in self._known else None
        if figure is None:
            return
        picture = file_url(self.run.run_id, f"figures/{name.removesuffix(ENDING)}.png")
        self._print.content = f'<a href="{escape(picture)}?download" download>PNG for print</a>'
        if self._plot is None:
            with self._place:
                self._plot = ui.plotly(figure).classes("lw-full").props(f'role=img aria-label="{titled(name)}"')
        else:
            self._plot.update_figure(figure)


def titled(name: str) -> str:
    """What a figure is called: ``03 ramsey``."""
    return name.removesuffix(ENDING).replace("_", " ")


def plots(run: Run) -> list[str]:
    """Names of the figures whose curves the run keeps, in order."""
    return sorted(path.name for path in (run.folder / "data").glob(f"*{ENDING}"))


@lru_cache(maxsize=32)
def _read(folder: str, name: str, _changed: int) -> dict[str, Any] | None:
    path = Path(folder) / "data" / name
    try:
        made = json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size <= LARGEST else None
        layout = {**LOOK, **made["layout"]} if made else {}
        for key in [key for key in layout if key.startswith(("xaxis", "yaxis"))]:
            layout[key] = {**AXIS, **layout[key]}
        return {"data": made["data"], "layout": {**layout, "height": 460}, "config": CONFIG} if made else None
    except (OSError, ValueError, LookupError, TypeError):  # a file that is gone or damaged: the picture is still there
        return None


def curves(run: Run, name: str) -> dict[str, Any] | None:
    """The figure as plotly.js takes it; None if it does not read back. Many windows share one reading."""
    path = run.folder / "data" / name
    try:
        return _read(str(run.folder), name, path.stat().st_mtime_ns)
    except OSError:
        return None
