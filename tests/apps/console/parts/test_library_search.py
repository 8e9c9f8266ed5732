"""The library: what is found, and by which words."""

from __future__ import annotations

from pathlib import Path

import pytest
from console_logs import HOSTILE, harmless, words

from labwright.apps.console.pages.catalogue import grouped
from labwright.apps.console.parts.html_templates import html
from labwright.apps.console.parts.library_search import KINDS, Entry, collect, example_file, search
from labwright.tools.errors import InputError
from labwright.tools.runs import Run, create_run


@pytest.fixture(scope="module")
def entries(calibrated: Run) -> list[Entry]:
    return collect(calibrated.folder.parent)


def named(entries: list[Entry], words: str, kind: str = "") -> list[str]:
    return [entry.name for entry in search(entries, words, kind)]


def test_every_kind_that_ships_is_there(entries: list[Entry]) -> None:
    counts = {kind: sum(entry.kind == kind for entry in entries) for kind in KINDS}
    assert counts["experiment"] >= 24
    assert counts["procedure"] >= 7
    assert counts["tool"] >= 40
    assert counts["chemical"] >= 130
    assert counts["feature_map"] == 1, "the one that a kept run has found"


@pytest.mark.parametrize(
    ("asked", "kind", "first"),
    [
        ("rabi", "experiment", "rabi"),
        ("pi pulse amplitude", "experiment", "power_rabi"),
        ("MeOH", "chemical", "methanol"),
        ("67-56-1", "", "methanol"),
        ("grape control", "tool", "grape_pulses"),
        ("bring up", "procedure", "Bring up 'dut'"),
    ],
)
def test_what_is_searched_comes_first(entries: list[Entry], asked: str, kind: str, first: str) -> None:
    assert named(entries, asked, kind)[0] == first


def test_every_word_has_to_occur(entries: list[Entry]) -> None:
    assert named(entries, "rabi nonsenseword") == []
    assert len(named(entries, "")) == len(entries)


def test_an_experiment_shows_units_bounds_and_a_figure(entries: list[Entry]) -> None:
    drawn = html("library", groups=grouped(search(entries, "rabi", "experiment"), 5))
    rows = words(drawn, "//details[1]//tbody/tr")
    assert any(row.startswith("stop float us 0.01 2 0.3 longest pulse") for row in rows)
    assert any(row.startswith("qubit str required") for row in rows)
    assert 'src="/example/rabi"' in drawn


def test_without_a_shipped_example_the_newest_figure_of_a_run_is_shown(entries: list[Entry], calibrated: Run) -> None:
    (entry,) = (one for one in entries if one.name == "amplitude_pingpong")
    assert entry.shown["figure"] == f"/files/{calibrated.run_id}/figures/07_amplitude_pingpong.png"


@pytest.mark.parametrize("name", ["../ramsey", "ramsey_good", "t1", "", "rabi/..", "nonsense"])
def test_only_shipped_pictures_are_examples(name: str) -> None:
    assert example_file(name) is None
    found = example_file("rabi")
    assert found is not None
    assert found.read_bytes().startswith(b"\x89PNG")


def test_a_map_that_was_found_leads_to_its_run(tmp_path: Path) -> None:
    run = create_run(tmp_path, "feature_map_search", "Find a map", {}, 0)
    circuit = {"n_qubits": 10, "gates": 80, "two_qubit_gates": 30, "depth": 35}
    result = {
        "dataset": HOSTILE,
        "validation_accuracy": 0.98,
        "test_accuracy": None,
        "feature_map": {"name": HOSTILE, "summary": HOSTILE, "circuit": circuit},
    }
    run.save_json("result.json", {"status": "complete", "result": result})
    create_run(tmp_path, "feature_map_search", "Another", {}, 0).save_text("result.json", "{broken")
    entries = search(collect(tmp_path), "", "feature_map")
    assert len(entries) == 1
    drawn = html("library", groups=grouped(entries, 5))
    assert harmless(drawn)
    assert "onerror=alert(1)" in drawn
    assert f"/run/{run.run_id}" in drawn


def test_own_experiments_and_a_lab_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no lab folder"):
        collect(tmp_path, lab=tmp_path / "nowhere")
    lab = tmp_path / "lab"
    lab.mkdir()
    (lab / "echo.md").write_text("# Look at 'dut' twice\n\n## Steps\n\n- Measure T1 of 'dut'.\n")
    assert "Look at 'dut' twice" in named(collect(tmp_path / "runs", lab=lab), "twice", "procedure")


def test_what_is_left_out_is_counted(entries: list[Entry]) -> None:
    for kind, _, shown, more in grouped(entries, 3):
        assert len(shown) + more == sum(entry.kind == kind for entry in entries)
        assert len(shown) <= 3
