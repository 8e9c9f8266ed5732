"""The map of a chip and the stages of its lanes, from the events of all of them."""

from __future__ import annotations

from typing import Any

from console_logs import HOSTILE, harmless, numbered, words

from labwright.apps.console.parts.chip import LANE, Chip
from labwright.tools.runs import Run

PLAN: dict[str, Any] = {
    "kind": "chip_planned",
    "places": {"Q1": [0, 0], "Q2": [0, 1], "Q10": [1, 0], "Q4": [1, 1]},
    "rounds": [["Q1", "Q10"], ["Q2"]],
    "couplers": [["Q1", "Q2"], ["Q1", "Q10"]],
}
ROUND: dict[str, Any] = {"kind": "round_started", "round": 1, "lanes": ["Q1", "Q10"]}


def lane(name: str, *events: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**event, "lane": name} for event in numbered(*events)]


def measuring(experiment: str, error: float | None = None) -> list[dict[str, Any]]:
    estimates = {"error_per_gate": {"value": error, "error": error / 10, "unit": ""}} if error else {}
    return [
        {"kind": "stage_started", "stage": "Stage 1", "instruction": "Look", "path": "request@1", "attempt": 1},
        {"kind": "translated", "call": f"{experiment}(qubit='Q')", "stage": "Stage 1"},
        {"kind": "measured", "experiment": experiment, "arguments": {}},
        {"kind": "inspected", "verdict": "success", "diagnosis": "", "estimates": estimates},
    ]


def test_every_state_is_told_by_sign_and_word(begun: Run) -> None:
    watched = Chip(begun)
    watched.take(numbered(PLAN, ROUND))
    watched.take(lane("Q1", *measuring("single_qubit_rb", 1.5e-4), {"kind": "run_finished", "status": "complete"}))
    watched.take(lane("Q10", *measuring("ramsey")))
    shown = words(watched.html("map"), "//*[starts-with(@class,'lw-qubit')]")
    assert shown == [
        "Q1: passed, error per gate 1.50e-04 ✔ Q1 1.50e-04",
        "Q2: waiting · Q2 waiting",
        "Q10: running, ramsey ▶ Q10 ramsey",
        "Q4: not asked for Q4 not asked for",
    ]
    assert "✔ passed 1" in words(watched.html("map"), "//figcaption")[0]
    assert watched.html("map").count("<line") == 2


def test_a_lane_shows_its_own_stages(begun: Run) -> None:
    watched = Chip(begun)
    watched.take(numbered(PLAN, ROUND))
    watched.take(
        lane("Q10", *measuring("ramsey")) + lane("Q1", *measuring("rabi"), {"kind": "run_finished", "status": "failed"})
    )
    assert watched.in_order() == ["Q1", "Q10"]
    assert "ramsey" in watched.html(f"{LANE}Q10")
    assert "Now: deciding" in watched.html(f"{LANE}Q10")
    assert "ramsey" not in watched.html(f"{LANE}Q1")
    assert "Now:" not in watched.html(f"{LANE}Q1")
    assert "aria-current" not in watched.html(f"{LANE}Q1")
    assert watched.html(f"{LANE}Q7") == ""


def test_lanes_that_are_read_before_the_plan_are_not_lost(begun: Run) -> None:
    watched = Chip(begun)
    watched.take(lane("Q1", *measuring("rabi"), {"kind": "run_finished", "status": "failed", "reason": "no line"}))
    assert watched.html("map") == ""
    watched.take(numbered(PLAN, ROUND))
    assert "no line" in watched.html("qubits")


def test_upkeep_tells_what_was_looked_at_and_what_was_trusted(begun: Run) -> None:
    watched = Chip(begun)
    watched.take(numbered(PLAN, ROUND))
    assert watched.html("upkeep") == ""
    out = {"kind": "checked", "node": "amplitude", "found": "out_of_spec", "detail": "X180 +0.7 %"}
    looked = {"kind": "checked", "node": "frequency", "found": "in_spec", "detail": "+0.2 kHz"}
    log = [looked, out]
    watched.take(lane("Q1", *log))
    assert words(watched.html("upkeep"), "//tbody/tr") == ["Q1 ✔ in spec +0.2 kHz ✘ out of spec X180 +0.7 %"]
    watched.take(lane("Q1", *log, {"kind": "checked", "node": "amplitude", "found": "calibrating"}))
    assert "▶ being calibrated" in watched.html("upkeep")
    rows = [{"node": "readout", "state": "trusted", "details": []}, {"node": "amplitude", "state": "recalibrated"}]
    begun.save_json("result.json", {"status": "complete", "result": {"upkeep": {"Q1": rows}}})
    watched.take(numbered(PLAN, ROUND, {"kind": "run_finished", "status": "complete"}))
    assert words(watched.html("upkeep"), "//tbody/tr") == ["Q1 · trusted ✔ recalibrated"]


def test_nothing_said_becomes_markup(begun: Run) -> None:
    watched = Chip(begun)
    plan = {**PLAN, "places": {HOSTILE: [0, 0]}, "rounds": [[HOSTILE]], "couplers": []}
    watched.take(numbered(plan, {**ROUND, "lanes": [HOSTILE]}))
    ended = {"kind": "run_finished", "status": HOSTILE, "reason": HOSTILE}
    checked = {"kind": "checked", "node": HOSTILE, "found": HOSTILE, "detail": HOSTILE}
    watched.take(lane(HOSTILE, *measuring(HOSTILE), checked, ended))
    drawn = [watched.html(section) for section in (*watched.SECTIONS, f"{LANE}{HOSTILE}")]
    assert all(harmless(text) and "onerror=alert" in text for text in drawn)
