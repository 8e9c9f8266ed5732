"""Descriptions of chemists that a reader turned into protocols, played again: plumbing, parsing and checks hold."""

from __future__ import annotations

from pathlib import Path

from labwright.evaluation import suites
from labwright.evaluation.reproduce import run_suite

HERE = Path(suites.__file__).parent
RECORDED = HERE / "recordings" / "protocols"
CASES = {
    "q4_d1": "right",
    "q4_d2": "right",
    "q4_d3": "right",
}  # a question, and files after a weighed-in solid and portions


def test_recorded_descriptions_become_the_same_protocols(tmp_path: Path) -> None:
    """Changed prompts, or a changed page on how a protocol is written, need a new recording (docs/recordings.md)."""
    data = str(HERE / "cases" / "protocols" / "strangers_e")
    mind = f"replay:{RECORDED}"
    result = run_suite(
        "protocols", mind=mind, data=data, tasks=list(CASES), mode="alone", out=tmp_path
    )  # raises if any is left over
    assert {row["case"]: row["verdict"] for row in result["rows"]} == CASES


def test_the_recording_holds_no_address_and_no_folder_of_a_machine() -> None:
    for path in RECORDED.iterdir():
        content = path.read_text(encoding="utf-8")
        assert "127.0.0.1" not in content
        assert "http" not in content
        assert "/home/" not in content
