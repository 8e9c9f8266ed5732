"""Words that a reader turned into plans, played again: plumbing, parsing and checks hold; the prompts are as they were.

A miss names the role and the first line that differs. Prompts or cards that change on purpose need a new recording:
`labwright eval reproduce evaluation/recordings/plans --model record:DIR,openai:NAME`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.evaluation import suites
from labwright.evaluation.reproduce import run_suite
from labwright.tools.experiments import registry

RECORDED = Path(suites.__file__).parent / "recordings" / "plans"
CASES = ("a14", "b11", "b18", "b19")  # several steps with rules, notes with headings, something missing, out of reach


def test_recorded_instructions_become_the_same_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the experiments that there were when it was recorded; the reader has not seen those that came later."""
    text = (RECORDED / "exchanges.jsonl").read_text(encoding="utf-8")
    known = tuple(kind for kind in registry.SHIPPED if f"{kind.name}(qubit" in text)
    monkeypatch.setattr(registry, "SHIPPED", known)
    result = run_suite("plans", mind=f"replay:{RECORDED}", tasks=CASES, out=tmp_path)  # raises if any is left over
    assert {row["case"]: row["verdict"] for row in result["rows"]} == dict.fromkeys(CASES, "right")


def test_the_recording_holds_no_address_and_no_folder_of_a_machine() -> None:
    for path in RECORDED.iterdir():
        content = path.read_text(encoding="utf-8")
        assert "127.0.0.1" not in content
        assert "http" not in content
        assert "/home/" not in content
