"""What the parts draw, in a real browser and from real runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser, browser, console, wider_than_the_window
from console_logs import HOSTILE

from labwright import calibrate, design_protocol, forge, search_feature_map
from labwright.tools.runs import create_run

pytestmark = pytest.mark.slow
NARROW = 1280 // 4  # pixels of a window at 400 % zoom
EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real runs of all systems, by the rules."""
    folder = tmp_path_factory.mktemp("parts")
    runs: dict[str, Any] = {"runs": folder / "runs", "answers": "defaults"}
    calibrate("Calibrate Q1", seed=3, approval="auto", **runs)
    chip = {"device_options": {"device": "grid:3"}, "qubits": ["Q1", "Q6"]}
    calibrate("Calibrate all qubits", seed=1, approval="auto", **chip, **runs)
    design_protocol((EXAMPLES / "calibration_samples.txt").read_text(), approval="always", **runs)
    search_feature_map("digits", trials=1, ideas=2, baselines=("linear",), approval="auto", **runs)
    forge((EXAMPLES / "bell_pair.yaml").read_text(), approval="auto", **runs)
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with console(folder) as found:
        yield found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(autouse=True)
def quiet(chromium: Browser, address: str) -> Iterator[None]:
    """No page complains, and none asks anybody else."""
    yield
    assert chromium.elsewhere(address) == []
    assert chromium.complaints == []


def opened(chromium: Browser, address: str, folder: Path, words: str, width: int = 1200) -> Any:
    """A window on the run whose name ends with `words`."""
    (run,) = (folder / "runs").glob(f"*-{words}")
    return chromium.window(f"{address}/run/{run.name}", width=width)


def test_calibration(chromium: Browser, address: str, folder: Path) -> None:
    window = opened(chromium, address, folder, "calibrate-q1")
    window.get_by_role("img", name="Calibrate single qubit Q1").wait_for()
    assert window.locator(".lw-box.passed").count() >= 6
    assert "drive frequency (MHz)" in window.get_by_role("table", name="Settings that were changed").inner_text()
    assert window.get_by_role("table", name="Every run of every stage").get_by_role("row").count() > 8


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


def test_chip(chromium: Browser, address: str, folder: Path) -> None:
    window = opened(chromium, address, folder, "calibrate-all-qubits")
    assert window.locator(".lw-qubit.complete").count() == 2
    chosen = window.get_by_label("Show the stages of")
    assert chosen.input_value() == "Q1"
    chosen.press("ArrowDown")
    chosen.press("ArrowDown")
    chosen.press("Enter")
    window.get_by_role("table", name="Every run of every stage").get_by_text("on Q6").first.wait_for()


def test_search(chromium: Browser, address: str, folder: Path) -> None:
    window = opened(chromium, address, folder, "find-a-quantum-feature-map-for")
    window.locator(".lw-chart svg").wait_for()
    assert "best so far" in str(window.locator(".lw-chart svg").text_content())
    best = window.get_by_role("table", name="Best first by selection").get_by_role("row").nth(1)
    assert "★ best" in best.inner_text()


def test_forge(chromium: Browser, address: str, folder: Path) -> None:
    window = opened(chromium, address, folder, "a-bell-pair-under-noise")
    files = window.get_by_label("Files of the workspace")
    files.get_by_text("script_1.py").click()
    window.get_by_label("Content of script_1.py").get_by_text("import").first.wait_for()
    for name in ("tools/", "circuits/", "circuit_density_matrix.py"):  # the folder opens, the file is chosen
        line = files.locator(".q-tree__node-header", has=window.get_by_text(name, exact=True)).last
        line.focus()
        line.press("Enter")
    window.get_by_label("Content of tools/circuits/circuit_density_matrix.py").wait_for()


def test_protocol_by_keyboard(chromium: Browser, address: str, folder: Path) -> None:
    window = opened(chromium, address, folder, "make-a-calibration-series-of")
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
    assert "Not written yet" in window.locator("main").inner_text()


def test_library(chromium: Browser, address: str) -> None:
    window = chromium.window(f"{address}/library")
    window.get_by_label("Search the library").fill("ramsey fringe")
    entry = window.locator("details").first
    entry.get_by_text("ramsey").first.click()
    picture = entry.get_by_role("img")
    picture.scroll_into_view_if_needed()
    window.wait_for_function("document.querySelector('details[open] img')?.naturalWidth > 100")
    window.get_by_label("Search the library").fill("MeOH")
    window.get_by_role("table").get_by_text("67-56-1").wait_for()


def test_costs(chromium: Browser, address: str) -> None:
    window = chromium.window(f"{address}/costs")
    window.get_by_role("table", name="Newest first").get_by_text("calibrate-q1").wait_for()
    assert "tool forging" in window.get_by_role("table", name="Sums of all runs of a system").inner_text()


@pytest.mark.parametrize(
    "words",
    ["calibrate-q1", "calibrate-all-qubits", "find-a-quantum-feature-map-for", "a-bell-pair-under-noise",
     "make-a-calibration-series-of"],
)  # fmt: skip
def test_nothing_scrolls_sideways_at_four_times_the_size(
    chromium: Browser, address: str, folder: Path, words: str
) -> None:
    window = opened(chromium, address, folder, words, NARROW)
    window.locator(".lw-section h2").first.wait_for()
    assert wider_than_the_window(window) <= 0
