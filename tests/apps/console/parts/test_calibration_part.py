"""What the calibration's part makes of a log: machine, stage table, settings."""

from __future__ import annotations

from typing import Any

import pytest
from console_logs import HOSTILE, harmless, numbered, words

from labwright.apps.console.parts.calibration import Calibration
from labwright.apps.console.parts.rendered_section_cache import shared
from labwright.apps.console.parts.settings_changes import Book
from labwright.apps.console.parts.state_machine import ENDS
from labwright.apps.console.parts.state_machine_layout import HEIGHT, layout
from labwright.tools.runs import Run, read_result

PLAN = {
    "kind": "planned",
    "path": "request@1",
    "title": "Three steps",
    "stages": [{"label": f"Stage {n}", "instruction": f"Do {n}"} for n in (1, 2, 3)],
}


def began(stage: int, attempt: int = 1) -> dict[str, Any]:
    return {
        "kind": "stage_started",
        "stage": f"Stage {stage}",
        "instruction": f"Do {stage}",
        "path": f"request@{stage}",
        "attempt": attempt,
    }


def ended(stage: int, verdict: str, then: str, **changes: float) -> list[dict[str, Any]]:
    inspected = {"kind": "inspected", "verdict": verdict, "diagnosis": "so it is", "estimates": {}}
    return [inspected, {"kind": "decided", "stage": f"Stage {stage}", "next": then, "changes": changes}]


def statuses(watched: Calibration) -> list[str]:
    return [node.status for node in watched.machines.drawn(watched.table)[0].nodes]


@pytest.fixture
def watched(begun: Run) -> Calibration:
    return Calibration(begun)


def test_a_real_run_is_drawn_with_its_repeats_and_jumps(calibrated: Run) -> None:
    watched = Calibration(calibrated)
    watched.take(calibrated.events.read())
    outer, machine, benchmark = watched.machines.drawn(watched.table)
    stages = (read_result(calibrated) or {})["result"]["stages"]
    measured = [stage for stage in stages if stage.get("action")]
    assert sum(node.runs for one in (machine, benchmark) for node in one.nodes) == len(measured) > 5
    assert [node.status for node in outer.nodes] == ["passed"] * 3
    assert machine.ways[("Stage 1", "Stage 1")] == sum(s["next"] == s["stage"] == "Stage 1" for s in measured) > 0
    assert [node.status for node in machine.nodes if not node.runs] == ["skipped", "skipped", "passed"]
    assert machine.nodes[-1].label == "COMPLETE"


def test_a_real_run_s_numbers_are_on_the_page_with_units(calibrated: Run) -> None:
    watched = Calibration(calibrated)
    watched.take(calibrated.events.read())
    after = (read_result(calibrated) or {})["result"]["qubits"]["Q1"]["after"]
    rows = words(watched.html("settings"), "//tbody/tr")
    assert any("drive frequency (MHz)" in row and f"{after['frequency']:.4f}" in row for row in rows)
    assert len(words(watched.html("stages"), "//tbody/tr[not(@class='lw-heading')]")) == len(watched.table.rows) - 2
    assert " MHz" in watched.html("stages")


def test_the_current_stage_is_marked_by_more_than_colour(watched: Calibration) -> None:
    watched.take(numbered(PLAN, began(1), *ended(1, "success", "Stage 2"), began(2)))
    assert statuses(watched) == ["passed", "current", "waiting", "waiting"]
    assert words(watched.html("machines"), "//*[@class='lw-box current']") == [
        "Stage 2: Do 2, now ▶ Do 2 Stage 2 · now"
    ]
    assert words(watched.html("stages"), "//tr[@aria-current='step']//*[contains(@class,'lw-verdict')]") == [
        "▶ running"
    ]


def test_repeats_skips_and_failure(watched: Calibration) -> None:
    events = numbered(
        PLAN, began(1), *ended(1, "adjust", "Stage 1", stop=2.0), began(1, 2), *ended(1, "success", "Stage 3"),
        began(3), *ended(3, "bad_data", "FAILED"), {"kind": "run_finished", "status": "failed"},
    )  # fmt: skip
    watched.take(events[:4])
    assert statuses(watched)[0] == "repeat"
    watched.take(events)
    assert statuses(watched) == ["passed", "skipped", "left", "left"]
    (machine,) = watched.machines.drawn(watched.table)
    assert machine.nodes[-1].label == "FAILED"
    assert "Stage 1 was repeated 1 times" in machine.told
    assert "again with stop = 2" in words(watched.html("stages"), "//tbody/tr")[0]


def test_an_event_that_two_windows_bring_counts_once(begun: Run) -> None:
    one, other = shared(Calibration, begun), shared(Calibration, begun)
    assert one is other
    events = numbered(PLAN, began(1))
    one.take(events)
    other.take(events)
    other.take(numbered(*ended(1, "success", "Stage 2"), after=2))
    assert len(one.table.rows) == 1


def test_a_run_nobody_shows_any_more_is_let_go(begun: Run) -> None:
    first = shared(Calibration, begun)
    first.take(numbered(PLAN, began(1)))
    del first
    assert not shared(Calibration, begun).table.rows


def test_nothing_said_becomes_markup(watched: Calibration) -> None:
    plan = PLAN | {"title": HOSTILE, "stages": [{"label": "Stage 1", "instruction": HOSTILE}]}
    estimate = {"value": 1.0, "unit": HOSTILE}
    events = [
        plan,
        began(1) | {"instruction": HOSTILE},
        {"kind": "translated", "call": HOSTILE, "stage": "Stage 1"},
        {"kind": "measured", "experiment": HOSTILE, "figure": HOSTILE},
        {"kind": "inspected", "verdict": HOSTILE, "diagnosis": HOSTILE, "estimates": {HOSTILE: estimate}},
        {"kind": "decided", "next": HOSTILE, "changes": {HOSTILE: 1.0}},
    ]  # fmt: skip
    watched.take(numbered(*events))
    watched.journal.book.write({"qubit": HOSTILE, "changes": {HOSTILE: 2.0}, "before": {HOSTILE: 1.0}})
    drawn = [watched.html(section) for section in watched.SECTIONS]
    assert all(harmless(text) for text in drawn)
    assert all("alert(1)" in watched.html(section) for section in ("machines", "stages", "settings"))  # as words


def test_boxes_and_arrows_lie_inside_the_drawing(calibrated: Run) -> None:
    watched = Calibration(calibrated)
    watched.take(calibrated.events.read())
    drawing = layout(watched.machines.drawn(watched.table)[0])
    assert all(box.y >= 0 and box.y + HEIGHT <= drawing.height for box in drawing.boxes)
    assert sum(arrow.taken for arrow in drawing.arrows) == len(watched.machines.drawn(watched.table)[0].ways)


def test_settings_that_came_back_to_what_they_were_are_not_listed() -> None:
    book = Book()
    book.write(
        {"qubit": "Q1", "changes": {"drag": 0.5, "frequency": 4888.0}, "before": {"drag": 0.0, "frequency": 4889.5}}
    )
    book.write({"qubit": "Q1", "changes": {"drag": 0.0}, "before": {"drag": 0.5}})
    (row,) = book.rows()
    assert (row.title, row.before, row.after, row.change) == (
        "drive frequency (MHz)",
        "4889.5000",
        "4888.0000",
        "-1.5000",
    )


@pytest.mark.parametrize("end", ENDS)
def test_a_procedure_that_only_calls_another_is_not_drawn_twice(watched: Calibration, end: str) -> None:
    outer = PLAN | {"stages": PLAN["stages"][:1]}  # type: ignore[index]
    watched.take(
        numbered(outer, began(1), PLAN | {"path": "request@1/inner@1"}, began(1) | {"path": "request@1/inner@1"})
    )
    watched.take(numbered(*ended(1, "success", end), after=4))
    assert [one.path for one in watched.machines.drawn(watched.table)] == ["request@1/inner"]
