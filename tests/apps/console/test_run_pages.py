"""What a run's page draws of each system, and what can be done there, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Browser, console, say
from console_logs import HOSTILE

from labwright.tools.runs import create_run, open_run

pytestmark = pytest.mark.slow


def test_a_run_of_another_process_is_followed_without_a_reload(chromium: Browser, address: str, folder: Path) -> None:
    run = create_run(folder / "runs", "lab_calibration", "Look twice", {}, 0)
    run.events.append({"kind": "run_started", "run_id": run.run_id})
    windows = [chromium.window(f"{address}/run/{run.run_id}") for _ in range(2)]
    stages = [{"label": "Stage 1", "instruction": HOSTILE}, {"label": "Stage 2", "instruction": "Rabi"}]
    run.events.append({"kind": "planned", "path": "request@1", "title": HOSTILE, "stages": stages})
    started = {"kind": "stage_started", "stage": "Stage 1", "instruction": HOSTILE, "path": "request@1", "attempt": 1}
    run.events.append(started)
    for window in windows:
        window.locator(".lw-box.current").wait_for()
        assert window.locator("tr[aria-current=step]").count() == 1
        assert window.locator("main script, main img[src=x]").count() == 0
    run.events.append({"kind": "inspected", "verdict": "success", "diagnosis": "", "estimates": {}})
    run.events.append({"kind": "decided", "stage": "Stage 1", "next": "Stage 2", "changes": {}})
    for window in windows:
        window.locator(".lw-box.passed").wait_for()


def test_a_window_that_was_open_before_the_plan_gets_the_map_of_the_chip(
    chromium: Browser, address: str, folder: Path
) -> None:
    run = create_run(folder / "runs", "lab_calibration", "Bring up the chip", {}, 0)
    run.events.append({"kind": "run_started", "run_id": run.run_id})
    window = chromium.window(f"{address}/run/{run.run_id}")
    window.wait_for_function("window.did_handshake === true")
    assert window.locator(".lw-qubit").count() == 0
    plan = {"places": {"Q1": [0, 0], "Q2": [0, 1]}, "rounds": [["Q1"], ["Q2"]], "couplers": [["Q1", "Q2"]]}
    run.events.append({"kind": "chip_planned", **plan})
    run.events.append({"kind": "round_started", "round": 1, "lanes": ["Q1"]})
    window.locator(".lw-qubit.running").wait_for()
    assert "▶ running 1" in window.locator("figcaption").first.inner_text()


def test_chip(chromium: Browser, address: str, runs: dict[str, str]) -> None:
    window = chromium.window(f"{address}/run/{runs['chip']}")
    assert window.locator(".lw-qubit.complete").count() == 4
    chosen = window.get_by_label("Show the stages of")
    assert chosen.input_value() == "Q1"
    chosen.press("ArrowDown")
    chosen.press("ArrowDown")
    chosen.press("Enter")
    window.get_by_role("table", name="Every run of every stage").get_by_text("on Q2").first.wait_for()


def test_forge(chromium: Browser, address: str, runs: dict[str, str]) -> None:
    window = chromium.window(f"{address}/run/{runs['forge']}")
    files = window.get_by_label("Files of the workspace")
    files.get_by_text("script_1.py").click()
    window.get_by_label("Content of script_1.py").get_by_text("import").first.wait_for()
    for name in ("tools/", "circuits/", "circuit_density_matrix.py"):  # the folder opens, the file is chosen
        line = files.locator(".q-tree__node-header", has=window.get_by_text(name, exact=True)).last
        line.focus()
        line.press("Enter")
    window.get_by_label("Content of tools/circuits/circuit_density_matrix.py").wait_for()


def test_protocol_by_keyboard(chromium: Browser, address: str, runs: dict[str, str]) -> None:
    window = chromium.window(f"{address}/run/{runs['protocol']}")
    told = window.locator(".lw-tell")
    window.locator(".lw-well").first.focus()
    expected = {"ArrowRight": "A2, Plate 1: 2 mg/mL caffeine 20 uL, methanol 1980 uL", "ArrowDown": "B2, Plate 1:"}
    for key, words in expected.items():
        window.keyboard.press(key)
        told.get_by_text(words).wait_for()
    window.keyboard.press("ArrowLeft")
    window.keyboard.press("ArrowLeft")  # at the edge: it stays
    told.get_by_text("B1, Plate 1:").wait_for()
    assert window.locator(".lw-well[tabindex='0']").count() == 1
    window.locator(".lw-well").nth(4).hover()
    told.get_by_text("A5, Plate 1:").wait_for()
    with window.expect_download() as saved:
        window.locator(".lw-section").get_by_role("link", name="robot/").click()
    assert Path(saved.value.path()).read_bytes().decode("utf-16").startswith("<LibraryDesign")


def test_a_run_is_paused_answered_on_its_own_page_forked_and_compared(
    chromium: Browser, address: str, folder: Path
) -> None:
    window = chromium.window(address)
    with window.expect_navigation():
        window.get_by_role("button", name="New conversation").click()
    say(window, "calibrate Q1")
    path = window.locator("article a").first.get_attribute("href")
    run = open_run(folder / "runs", path.rpartition("/")[2])
    window.goto(address + path)
    window.get_by_role("button", name="Pause at the next stage").click()
    window.get_by_role("button", name="Run this stage").click()  # a paused run asks how it goes on
    done = window.locator(".lw-status", has_text="complete")
    done.first.wait_for(timeout=600_000)
    window.locator("summary", has_text="Measure again").click()
    window.get_by_label("Keep so many").fill("99")
    window.get_by_role("button", name="Measure again from here").click()
    window.get_by_text("not after 99").wait_for()
    window.get_by_label("Keep so many").fill("2")
    window.get_by_text("Ask me first, with parameters to change").click()
    with window.expect_navigation():
        window.get_by_role("button", name="Measure again from here").click()
    forked = open_run(folder / "runs", window.url.rpartition("/")[2])
    assert forked.record.choices["approval"] == "always"
    window.get_by_text(f"{forked.run_id} (this run), from stage run 2 on").wait_for()
    step = window.get_by_role("button", name="Run this stage")
    while not done.count():
        if step.count():
            step.first.click()
        window.wait_for_timeout(300)
    done.first.wait_for(timeout=600_000)
    assert forked.record.parent == {"run_id": run.run_id, "stage": 2}
    measured = [sum(event["kind"] == "measured" for event in one.events.read()) for one in (run, forked)]
    assert measured[1] < measured[0], "the stages that were kept are not measured again"
    window.goto(f"{address}/runs")
    for one in (run, forked):
        window.get_by_role("checkbox", name=f"compare {one.run_id}").click()
    with window.expect_navigation():
        window.get_by_role("button", name="Compare the two").click()
    window.get_by_role("rowheader", name="Q1 frequency").wait_for()


def test_a_run_whose_server_went_away_goes_on_from_its_page(chromium: Browser, tmp_path: Path) -> None:
    with console(tmp_path, "--approve", "auto") as address:
        window = chromium.window(address)
        say(window, "calibrate Q2")
        path = window.locator("article a").first.get_attribute("href")
        window.locator("article img").first.wait_for()
    run = open_run(tmp_path / "runs", path.rpartition("/")[2])
    before = sum(event["kind"] == "measured" for event in run.events.read())
    with console(tmp_path, "--approve", "auto") as address:
        window = chromium.window(address + path)
        go_on = window.get_by_role("button", name="Go on", exact=True)
        run_it = window.get_by_role("button", name="Run this stage")
        go_on.or_(run_it).first.click()
        window.locator(".lw-status", has_text="complete").first.wait_for(timeout=600_000)
    keys = [event["once"] for event in run.events.read() if event["kind"] == "measured"]
    assert len(keys) == len(set(keys)), "nothing is measured twice"
    assert len(keys) > before >= 1
    chromium.complaints.clear()  # the first window missed its server
