"""What the protocol's part makes of a record: plates well by well, steps, sources, findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from console_logs import HOSTILE, harmless, numbered, words

from labwright import design_protocol
from labwright.apps.console.parts.plates import ProtocolRecord, amounts_of, spans
from labwright.apps.console.parts.protocol import PLATES, ProtocolWatch
from labwright.tools.runs import Run, create_run, load_run

TEXT = """system: protocol_design
chemicals: [{name: caffeine}, {name: methanol}]
stocks: [{name: 2 mg/mL caffeine, solute: caffeine, solvent: methanol, concentration: 2 mg/mL, basis: w/v}]
groups:
  - factors: [{name: level, levels: [0.1 mg/mL, 0.2 mg/mL, 0.4 mg/mL]}]
    doses:
      - {substance: caffeine, kind: fraction, factor: level, via: 2 mg/mL caffeine, basis: w/v}
      - {substance: methanol, kind: remainder}
    total_volume: 2 mL
    replicates: 2
"""
ADD: dict[str, Any] = {"action": "Add", "plate": "Plate 1", "unit": "uL", "tags": [], "note": ""}
WRITTEN = {"kind": "written", "xml": "x"}


def record(name: str = "caffeine") -> dict[str, Any]:
    return {
        "plates": [{"name": "Plate 1", "rows": 2, "columns": 3, "vial_uL": 4000.0}],
        "vials": [
            {
                "plate": "Plate 1",
                "well": "A1",
                "group": "samples",
                "levels": {"dose": "1 mg"},
                "replicate": 2,
                "contents": {name: {"amount": 20.0, "unit": "uL"}, "water": {"amount": 80.0, "unit": "uL"}},
            }
        ],
        "sources": [{"name": name, "load": 500.0, "unit": "uL", "position": 1}],
        "steps": [
            {**ADD, "number": 1, "subject": name, "amounts": {"A1": 20.0, "B3": 40.0}},
            {**ADD, "number": 2, "subject": "water", "amounts": {"A1": 80.0}},
        ],
        "findings": [{"severity": "warning", "step": 1, "wells": ["B3"], "message": "full", "mend": "less"}],
    }


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return create_run(tmp_path, "protocol_design", "Make samples", {}, 0)


def test_a_protocol_that_waits_for_approval_is_shown_well_by_well(tmp_path: Path) -> None:
    stopped = design_protocol(TEXT, runs=tmp_path, approval="always", answers="defaults")
    assert stopped.status == "stopped"
    run = load_run(stopped.run_dir)
    watched = ProtocolWatch(run)
    watched.take(run.events.read())
    assert "Not written yet" in watched.html("state")
    assert watched.record is not None
    source = watched.record.most_telling()
    (plate,) = watched.record.plates(source)
    amounts = [well.amount for row in plate.rows for well in row if well.content]
    assert amounts == ["100", "100", "200", "200", "400", "400"]  # uL of the stock in 2 mL
    totals = {sum(amount for amount, _ in well.content.values()) for row in plate.rows for well in row if well.content}
    assert totals == {2000.0}


def test_every_well_tells_its_content_with_units() -> None:
    (plate,) = ProtocolRecord(record()).plates("caffeine")
    told = [well.told for row in plate.rows for well in row]
    assert told[0] == "A1, Plate 1: caffeine 20 uL, water 80 uL. Group samples, dose 1 mg, replicate 2"
    assert told[1] == "A2, Plate 1: empty"
    assert told[5] == "B3, Plate 1: caffeine 40 uL. A finding names this well"
    assert [well.fill for row in plate.rows for well in row] == [0.5, 0.0, 0.0, 0.0, 0.0, 1.0]


def test_one_well_is_in_the_tab_order_and_the_others_are_reached_from_it(run: Run) -> None:
    run.save_json("proposal.json", record())
    watched = ProtocolWatch(run)
    watched.take(numbered({"kind": "question", "question": {}}))
    drawn = watched.html(f"{PLATES}caffeine")
    assert drawn.count('tabindex="0"') == 1
    assert drawn.count('role="gridcell"') == 6
    assert words(drawn, "//td[contains(@class,'marked')]") == ["!40"]


def test_what_was_written_is_shown_before_what_was_proposed(run: Run) -> None:
    run.save_json("proposal.json", record("old"))
    run.save_json("robot/protocol.json", record("new"))
    watched = ProtocolWatch(run)
    watched.take(numbered(WRITTEN))
    assert watched.record is not None
    assert watched.record.sources == ["new", "water"]
    assert "Not written yet" not in watched.html("state")


def test_a_record_that_does_not_read_back_draws_nothing(run: Run) -> None:
    run.save_text("robot/protocol.json", "{")
    (run.folder / "proposal.json").symlink_to("/etc/hostname")
    watched = ProtocolWatch(run)
    watched.take(numbered(WRITTEN))
    assert watched.html("steps") == ""


@pytest.mark.parametrize(
    ("wells", "shown"),
    [
        (["A1", "A2", "A3"], "A1-A3"),
        (["B1", "A1", "A3", "A2"], "A1-A3, B1"),
        (["A9", "A10", "A12"], "A9-A10, A12"),
        (["Plate 2 A1", "A1"], "A1, Plate 2 A1"),
        ([], ""),
    ],
)
def test_neighbouring_wells_are_drawn_together(wells: list[str], shown: str) -> None:
    assert spans(wells) == shown


def test_amounts_of_a_step() -> None:
    assert amounts_of({"amounts": {"A1": 20, "A2": 800}, "unit": "uL"}) == "20 to 800 uL"
    assert amounts_of({"amounts": {"A1": 5.0, "A2": 5.0}, "unit": "min"}) == "5 min"
    assert amounts_of({"amounts": {}, "unit": "uL"}) == ""


def test_nothing_said_becomes_markup(run: Run) -> None:
    hostile = record(HOSTILE)
    hostile["plates"][0]["name"] = HOSTILE
    hostile["findings"][0] |= {"message": HOSTILE, "mend": HOSTILE, "severity": HOSTILE, "wells": [HOSTILE]}
    for step in hostile["steps"]:
        step |= {"plate": HOSTILE, "unit": HOSTILE, "tags": [HOSTILE], "note": HOSTILE}
    hostile["vials"][0] |= {"plate": HOSTILE, "group": HOSTILE, "levels": {HOSTILE: HOSTILE}}
    run.save_json("robot/protocol.json", hostile)
    watched = ProtocolWatch(run)
    watched.take(numbered(WRITTEN))
    drawn = [watched.html(section) for section in ("findings", "steps", "sources", f"{PLATES}{HOSTILE}")]
    assert all(harmless(text) and "onerror=alert(1)" in text for text in drawn)
