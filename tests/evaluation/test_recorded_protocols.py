"""Descriptions of chemists that a reader turned into protocols, played again: plumbing, parsing and checks hold."""

from __future__ import annotations

import shutil
from pathlib import Path

from labwright.evaluation import suites
from labwright.evaluation.reproduce import run_suite

HERE = Path(suites.__file__).parent
RECORDED = HERE / "recordings" / "protocols"
# files with samples where they are asked; a limit of the deck, and two wishes that exclude each other, asked about; a
# plate that shall be warm while it is filled, for which there is no field
CASES = {
    "p1_d1": "right", "p1_d3": "right", "p1_d5": "right", "p2_d1": "right", "p2_d2": "asked", "p4_d1": "right",
    "p4_d2": "right", "p4_d4": "right",
}  # fmt: skip


def test_recorded_descriptions_become_the_same_protocols(tmp_path: Path) -> None:
    """Changed prompts, or a changed page on how a protocol is written, need a new recording (docs/recordings.md)."""
    data = tmp_path / "texts"
    data.mkdir()
    for name in CASES:
        for path in (HERE / "cases" / "protocols" / "strangers_c").glob(f"{name}.*"):
            shutil.copy(path, data)
    out = tmp_path / "out"
    result = run_suite("protocols", mind=f"replay:{RECORDED}", data=str(data), out=out)  # raises if any is left over
    assert {row["case"]: row["verdict"] for row in result["rows"]} == CASES


def test_the_recording_holds_no_address_and_no_folder_of_a_machine() -> None:
    for path in RECORDED.iterdir():
        content = path.read_text(encoding="utf-8")
        assert "127.0.0.1" not in content
        assert "http" not in content
        assert "/home/" not in content
