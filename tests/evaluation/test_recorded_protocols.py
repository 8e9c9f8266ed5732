"""Descriptions of chemists that a reader turned into protocols, played again: plumbing, parsing and checks hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.evaluation import suites
from labwright.evaluation.reproduce import run_suite

HERE = Path(suites.__file__).parent
RECORDED = HERE / "recordings" / "protocols"
# a file with samples; a plate that shall be warm while it is filled, for which there is no field, is asked about
CASES = {"p1_d1": "right", "p1_d5": "right", "p2_d2": "asked", "p4_d1": "right", "p4_d4": "right"}


@pytest.mark.skip(reason="the page names new fields; it is recorded anew with the next set of descriptions")
def test_recorded_descriptions_become_the_same_protocols(tmp_path: Path) -> None:
    """Changed prompts, or a changed page on how a protocol is written, need a new recording (docs/recordings.md)."""
    data = str(HERE / "cases" / "protocols" / "strangers_c")
    mind = f"replay:{RECORDED}"
    result = run_suite("protocols", mind=mind, data=data, tasks=list(CASES), out=tmp_path)  # raises if any is left over
    assert {row["case"]: row["verdict"] for row in result["rows"]} == CASES


def test_the_recording_holds_no_address_and_no_folder_of_a_machine() -> None:
    for path in RECORDED.iterdir():
        content = path.read_text(encoding="utf-8")
        assert "127.0.0.1" not in content
        assert "http" not in content
        assert "/home/" not in content
