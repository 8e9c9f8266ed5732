"""Descriptions of chemists that a reader turned into protocols, played again: plumbing, parsing and checks hold."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from labwright.agents.protocol_design.draft import page
from labwright.evaluation import suites
from labwright.evaluation.reproduce import run_suite
from labwright.prompts import render

HERE = Path(suites.__file__).parent
RECORDED = HERE / "recordings" / "protocols"
CASES = {
    "q4_d1": "right",
    "q4_d2": "right",
    "q4_d3": "right",
}  # a question, and files after a weighed-in solid and portions
PAGE = re.compile(r'<data name="page">.*?</data>', re.DOTALL)


def with_todays_page(folder: Path) -> Path:
    """The recording with today's prompt and page in its requests.

    The replies are a reader's to an older page, without the newest fields. That they still become the same protocols
    says that plumbing, parsing and checks hold; whether a reader of today's page answers so, only a reader can show.
    """
    shutil.copytree(RECORDED, folder)
    today = render("protocol_design/draft.md", words="", page=page(), similar=[])
    shown = PAGE.search(today.user)
    assert shown is not None
    exchanges = [json.loads(line) for line in (RECORDED / "exchanges.jsonl").read_text(encoding="utf-8").splitlines()]
    for one in exchanges:
        if one["role"] == "protocol_design.draft":
            system, human = one["messages"][:2]
            system["content"] = today.system
            human["content"] = PAGE.sub(lambda _: shown[0], human["content"])
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in exchanges)
    (folder / "exchanges.jsonl").write_text(lines, encoding="utf-8")
    return folder


def test_recorded_descriptions_become_the_same_protocols(tmp_path: Path) -> None:
    data = str(HERE / "cases" / "protocols" / "strangers_e")
    mind = f"replay:{with_todays_page(tmp_path / 'recording')}"
    result = run_suite(
        "protocols", mind=mind, data=data, tasks=list(CASES), mode="alone", out=tmp_path / "out"
    )  # raises if any is left over
    assert {row["case"]: row["verdict"] for row in result["rows"]} == CASES


def test_a_first_request_is_short() -> None:
    """9,500 characters for a description of 1,100, the length of all but one of the last sealed set."""
    asked = render("protocol_design/draft.md", words="x" * 1100, page=page(), similar=[])
    assert len(asked.system) + len(asked.user) < 9500


def test_the_recording_holds_no_address_and_no_folder_of_a_machine() -> None:
    for path in RECORDED.iterdir():
        content = path.read_text(encoding="utf-8")
        assert "127.0.0.1" not in content
        assert "http" not in content
        assert "/home/" not in content
