"""A run as one HTML file: everything inside it, nothing in it that loads or runs."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from calibrations import calibrate
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.apps.run_html_export import as_page
from labwright.tools.errors import InputError
from labwright.tools.runs import create_run, open_run


class Loads(HTMLParser):
    """What a page would load or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.pictures = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        source = dict(attrs).get("src") or ""
        self.pictures += tag == "img" and source.startswith("data:image/png;base64,")
        if tag in ("script", "link", "iframe", "object") or (source and not source.startswith("data:image/")):
            self.found.append(f"{tag} {source[:80]}")
        self.found += [name for name, _ in attrs if name.startswith("on")]


def test_a_run_becomes_one_file_with_results_and_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    run = calibrate("ramsey Q1, offset = 3 MHz, stop = 1 us", tmp_path / "runs", figures=True)
    page = tmp_path / "shared.html"
    answer = CliRunner().invoke(app, ["runs", "export", run.run_id, "--html", "--out", str(page)])
    assert answer.exit_code == 0, answer.output
    text = page.read_text()
    loads = Loads(text)
    assert loads.found == []
    assert loads.pictures >= 1
    assert "Q1 fringe frequency (ramsey)" in text
    assert "offset = 3 MHz" in text
    again = CliRunner().invoke(app, ["runs", "export", run.run_id, "--html", "--out", str(page)])
    assert again.exit_code == 2, "an existing file is not overwritten"


def test_a_hostile_report_loads_and_runs_nothing(tmp_path: Path) -> None:
    run = create_run(tmp_path, "lab_calibration", "<script>alert(1)</script>", {}, 0)
    (run.folder / "report.md").write_text(
        "# <script>x</script>\n![a](https://elsewhere/x.png)\n![b](../../secret.png)\n![c](figures/none.png)\n[d](data/x.npz)"
        '\n<img src=x onerror=alert(1)>\n![e" onerror="alert(1)](figures/none.png)'
    )
    assert Loads(as_page(open_run(tmp_path, run.run_id))).found == []


def test_a_run_without_a_report_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no report yet"):
        as_page(create_run(tmp_path, "lab_calibration", "x", {}, 0))
