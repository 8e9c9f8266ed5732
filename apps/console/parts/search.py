"""A feature-map search: its trajectory, the leaderboard of maps that were tried, and the kernels to beat."""

from __future__ import annotations

from typing import Any, ClassVar

from nicegui import ui

from labwright.apps.console.parts.accuracy_chart import chart, told
from labwright.apps.console.parts.html_templates import html
from labwright.apps.console.parts.rendered_section_cache import BROKEN, Event, SectionsPart, Watched
from labwright.apps.search_summary import OURS, over_seeds
from labwright.apps.watching.trials import MapRow, TrialTable
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.feature_maps.compared_methods import TITLES
from labwright.tools.runs import Run, read_json
from labwright.tools.runs.hashed_files import inside

OUTCOMES = {
    "evaluated": "✔ evaluated",
    "illegal": "✘ illegal gate",
    "invalid": "✘ invalid code",
    "vetoed": "⊘ vetoed",
}
SIZES = ("gates", "two_qubit_gates", "depth")
LARGEST = 2_000_000  # bytes of a candidate's record that are read for its sizes


class Search(Watched):
    """One search, from its events."""

    SECTIONS: ClassVar[tuple[str, ...]] = ("state", "leaderboard", "kernels")

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.trials = TrialTable()
        self.tests: dict[str, float] = {}  # baseline -> accuracy on the test part, as they come
        self.sizes: dict[str, dict[str, int]] = {}  # record of a map -> gates, depth
        self.finished = False

    def hear(self, event: Event, now: float) -> None:
        """Take up one event."""
        self.trials.hear(event, now)
        kind = event.get("kind")
        if "agent" in event:
            return
        if kind == "tried":
            file = str(event.get("file", ""))
            self.sizes[file] = _sizes(self.run, file)
        elif kind == "baseline" and event.get("test") is not None:
            self.tests[str(event["name"])] = float(event["test"])
        if kind in ("run_started", "trial_started", "run_finished"):
            self.finished = kind == "run_finished"

    def render(self, section: str) -> str:
        """One section as HTML."""
        return {"state": self._state, "leaderboard": self._leaderboard, "kernels": self._kernels}[section]()

    def ranked(self) -> list[MapRow]:
        """Best first, by what the search chooses by; maps without a number last."""
        rows = self.trials.rows
        return sorted(rows, key=lambda row: (row.selection is None, -(row.selection or 0.0)))

    def chart(self) -> dict[str, Any]:
        """The trajectory as options of an ECharts chart; an empty one if the records are ill-formed."""
        try:
            return chart(self.trials.rows, self.result.get("baselines", {}))
        except BROKEN:
            return chart([], {})

    def _state(self) -> str:
        said = told(self.trials.rows, self.result.get("baselines", {}))
        found = self.result.get("feature_map")
        return html("search", trials=self.trials, finished=self.finished, told=said, found=found, result=self.result)

    def _leaderboard(self) -> str:
        rows = [(row, self.sizes.get(row.file, {})) for row in self.ranked()]
        chosen = str((self.result.get("feature_map") or {}).get("name", ""))
        return html("leaderboard", rows=rows, outcomes=OUTCOMES, chosen=chosen, sizes=SIZES) if rows else ""

    def _kernels(self) -> str:
        rows = kernels(self.result) if "feature_map" in self.result else live_kernels(self.tests)
        return html("kernels", rows=rows) if rows else ""


class SearchPart(SectionsPart):
    """Draws a `Search`, its trajectory as a chart."""

    KIND: ClassVar[type[Watched]] = Search

    def draw(self, run: Run) -> None:
        """Make the elements in the current slot."""
        super().draw(run)
        with self.places:
            paper = ui.element("div").classes("lw-paper")
            paper.move(target_index=1)  # below the state
            with paper:
                self.chart = ui.echart({}, renderer="svg").classes("lw-chart")
        self.chart.props('role="img" aria-label="Trajectory: the text above and the table below say the same"')

    def update(self, run: Run, events: list[Event]) -> None:
        """Take up new events."""
        super().update(run, events)
        assert isinstance(self.watched, Search)
        options = self.watched.chart()
        if options != self.chart.options:
            self.chart.options.clear()
            self.chart.options.update(options)
            self.chart.update()


def kernels(result: dict[str, Any]) -> list[dict[str, str]]:
    """The map that was found beside the known kernels, best test accuracy first; accuracies in percent."""
    found = over_seeds([result])
    rows = []
    for name, row in sorted(found["kernels"].items(), key=lambda item: -(item[1]["test"] or item[1]["validation"])):
        gap = found["differences"].get(name)
        rows.append(
            {
                "name": title(name),
                "ours": name == OURS,
                "validation": percent(row["validation"]),
                "test": percent(row["test"]),
                "gap": f"{gap['points']:+.2f}" if gap else "",
            }
        )
    return rows


def live_kernels(tests: dict[str, float]) -> list[dict[str, Any]]:
    """The baselines that were computed so far."""
    empty = {"ours": False, "validation": "", "gap": ""}
    return [{**empty, "name": title(name), "test": percent(test)} for name, test in tests.items()]


def title(name: str) -> str:
    """What a kernel is called on the page."""
    return "map that was found" if name == OURS else TITLES.get(name, name.replace("_", " "))


def percent(share: float | None) -> str:
    """An accuracy of 0 .. 1 in percent, without the sign; a dash if there is none."""
    return "–" if share is None else f"{100 * share:.2f}"


def _sizes(run: Run, file: str) -> dict[str, int]:
    """Gates and depth from a candidate's record; empty if it has none that can be read."""
    try:
        path = inside(run.folder, file)
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return {}
        tried = read_json(path, "").get("tried", {})
    except (OSError, InputError, CorruptRecordError):
        return {}
    return {name: int(tried[name]) for name in SIZES if isinstance(tried.get(name), int)}
