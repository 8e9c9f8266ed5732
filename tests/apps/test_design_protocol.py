"""``labwright design``: what it prints, writes and leaves with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.tools.liquid_handler.lsr_reader import read_lsr

EXAMPLE = Path(__file__).parents[2] / "examples" / "calibration_samples.txt"
TABLE = EXAMPLE.with_name("salts_in_water.csv")


OPEN = """\
outputs: []
chemicals: [{name: caffeine}, {name: water}]
groups:
  - doses: [{substance: caffeine, kind: mass, amount: 5 mg}, {substance: water, kind: remainder}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    return tmp_path


def test_the_example_becomes_file_report_and_map(folder: Path) -> None:
    said = CliRunner().invoke(app, ["design", str(EXAMPLE), "--out", "out", "--json", "result.json"])
    assert said.exit_code == 0, said.output
    assert "12 vials" in said.output
    document = json.loads((folder / "result.json").read_text())
    assert (document["system"], document["status"], len(document["result"]["vials"])) == (
        "protocol_design",
        "complete",
        12,
    )
    [file] = (folder / "out" / "robot").glob("*.lsr")
    assert read_lsr(file.read_bytes()).steps
    assert (folder / "out" / "robot" / "plate_map.png").stat().st_size > 5000
    assert "caffeine" in (folder / "out" / "report.md").read_text()


def test_outputs_are_chosen_and_stand_among_the_artifacts(folder: Path) -> None:
    said = CliRunner().invoke(app, ["design", str(TABLE), "--outputs", "bench, opentrons", "--json", "result.json"])
    assert said.exit_code == 0, said.output
    assert "LABWRIGHT_OPENTRONS" in said.output
    document = json.loads((folder / "result.json").read_text())
    listed = {item["path"]: item["sha256"] for item in document["artifacts"]}
    assert all(listed[document["result"]["files"][kind]] for kind in ("bench", "opentrons"))
    assert "pylabrobot" not in document["result"]["files"]
    refused = CliRunner().invoke(app, ["design", str(TABLE), "--outputs", "braille"])
    assert (refused.exit_code, "There is no output 'braille'" in refused.output) == (2, True)


def test_a_specification_says_what_is_written(folder: Path) -> None:
    text = f"{OPEN}    total_volume: 1 mL\n"
    (folder / "own.yaml").write_text(text)
    said = CliRunner().invoke(app, ["design", "own.yaml", "--json", "result.json"])
    assert said.exit_code == 0, said.output
    files = json.loads((folder / "result.json").read_text())["result"]["files"]
    assert {"bench", "opentrons", "pylabrobot"}.isdisjoint(files)
    assert "lsr" in files


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("Water the plants.", 3, "system: protocol_design"),
        (OPEN, 3, "total volume"),
        (f"{OPEN}expect: 3\n    total_volume: 1 mL\n", 2, "not YAML"),
        ("", 2, "empty"),
        ("no_such_file.yaml", 2, "cannot be read"),
        ("chemicals: 3\ngroups: [", 2, "YAML"),
        ("vial,water\nA,1\n", 2, "Line 1, column 2"),
    ],
)
def test_each_ending_has_its_code(words: str, code: int, says: str) -> None:
    said = CliRunner().invoke(app, ["design", words])
    assert said.exit_code == code, said.output
    assert says in said.output


def test_a_spreadsheet_becomes_a_file(folder: Path) -> None:
    said = CliRunner().invoke(
        app, ["design", str(TABLE), "--outputs", "bench", "--out", "out", "--json", "result.json"]
    )
    assert said.exit_code == 0, said.output
    document = json.loads((folder / "result.json").read_text())
    assert [vial["contents"]["water"]["amount"] for vial in document["result"]["vials"]] == [900, 800, 1000]
    assert {path.suffix for path in (folder / "out" / "robot").iterdir()} >= {".lsr", ".xml", ".csv"}


def test_the_manual_shows_the_example_table() -> None:
    manual = EXAMPLE.parents[1] / "docs" / "protocol-design.md"
    assert TABLE.read_text(encoding="utf-8") in manual.read_text(encoding="utf-8")


def test_a_csv_file_that_is_no_such_table_is_refused(folder: Path) -> None:
    (folder / "mine.csv").write_text("salt,amount\nNaCl,5 mg\n")
    said = CliRunner().invoke(app, ["design", "mine.csv"])
    assert said.exit_code == 2
    assert "no column `vial`" in " ".join(said.output.split())


def test_a_waiting_design_goes_on_with_an_answer() -> None:
    CliRunner().invoke(app, ["design", OPEN])
    said = CliRunner().invoke(app, ["runs", "resume", "latest", "--answer", "missing groups.0.total_volume 1=2 mL"])
    assert said.exit_code == 0, said.output
    assert "2000 uL" in said.output
