"""What the README says: its table is the committed one, its links lead somewhere, its procedure works."""

import re
from pathlib import Path

import pytest

import labwright
from labwright.evaluation import tables

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_is_made_of_the_committed_results() -> None:
    assert tables.calibration_table() in README
    assert tables.origin() in README
    assert tables.splits_table() in README
    assert tables.made("search_splits") in README
    searches = (ROOT / "docs" / "feature-map-search.md").read_text(encoding="utf-8")
    assert tables.search_table() in searches
    assert tables.made("search") in searches


PAGES = ["README.md", "CONTRIBUTING.md", "evaluation/README.md"]


@pytest.mark.parametrize("page", [*PAGES, *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))])
def test_links_lead_to_files(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def test_nothing_is_left_to_fill_in() -> None:
    assert "@@" not in README


def test_the_procedure_is_found_by_its_title_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    block = re.search(r"```markdown\n(.*?)```", README, re.DOTALL)
    assert block is not None
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "service.md").write_text(block[1])
    outcome = labwright.calibrate("weekly service of Q8", lab=str(tmp_path / "lab"), figures=False)
    assert outcome.status == "complete", outcome.reason
    assert outcome.result["qubits"]["Q8"]["rb_error_per_gate"] < 3e-4
