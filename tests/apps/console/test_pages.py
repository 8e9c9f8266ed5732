"""Every page of the console in a real browser: wide and narrow, light and dark, without errors or foreign addresses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import PAGES, Browser, browser, console, wider_than_the_window
from calibrations import calibrate
from designs import CLEAR_YAML, design

RAMSEY = "ramsey Q1, offset = 3 MHz, stop = 1 us"
SCREENS = [
    (1280, "light"),
    pytest.param(1280, "dark", marks=pytest.mark.slow),
    pytest.param(390, "light", marks=pytest.mark.slow),
    pytest.param(390, "dark", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder with a calibration and a protocol, and their ids."""
    folder = tmp_path_factory.mktemp("console")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LABWRIGHT_STATE", str(folder / "state"))
        made = [calibrate(RAMSEY, folder / "runs", figures=True), design(CLEAR_YAML, folder / "runs")]
    return folder, [outcome.run_id for outcome in made]


@pytest.fixture(scope="module")
def address(runs: tuple[Path, list[str]]) -> Iterator[str]:
    with console(runs[0], "--approve", "auto") as found:
        yield found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_every_page_is_readable_and_asks_no_other_host(
    chromium: Browser, address: str, runs: tuple[Path, list[str]], width: int, scheme: str
) -> None:
    chromium.complaints.clear()
    window = chromium.window("", width, 844, color_scheme=scheme)
    known = [f"/run/{name}" for name in runs[1]] + [f"/compare?first={runs[1][0]}&second={runs[1][1]}"]
    for path in (*PAGES, *known):
        window.goto(address + path)
        window.wait_for_function("window.did_handshake === true")
        window.locator("h1").first.wait_for()
        assert wider_than_the_window(window) <= 0, path
        assert dark(window) == (scheme == "dark"), path
    assert chromium.complaints == []
    assert chromium.elsewhere(address) == []


def test_a_missing_page_stands_in_the_frame_and_is_missing(chromium: Browser, address: str) -> None:
    window = chromium.window()
    answer = window.goto(f"{address}/no/such/page")
    assert answer.status == 404
    window.get_by_role("heading", name="There is no such page").wait_for()
    window.get_by_role("link", name="Runs").click()
    window.get_by_role("heading", name="Runs").wait_for()
    chromium.complaints.clear()  # the browser itself notes the 404


def test_a_recipe_runs_and_its_results_stay_at_the_end(chromium: Browser, address: str) -> None:
    window = chromium.window(address, 1280, 600)
    window.get_by_role("button", name="Run: Plan a calibration series").click()
    card = window.locator("article")
    card.locator(".lw-status", has_text="complete").wait_for()
    card.get_by_role("rowheader", name="vials").wait_for()
    card.locator("img").wait_for()
    assert window.locator("article").count() == 1, "each run once"
    window.get_by_text("is complete").wait_for()
    window.wait_for_function("scrollY > 0 && scrollY + innerHeight > document.documentElement.scrollHeight - 5")
    assert window.get_by_label("Message").is_visible()
    assert window.get_by_text("Run: ").count() == 0, "the cards are for the first screen"
    assert chromium.complaints == []


def test_a_figure_can_be_zoomed_and_printed(chromium: Browser, address: str, runs: tuple[Path, list[str]]) -> None:
    window = chromium.window(f"{address}/run/{runs[1][0]}")
    plot = window.locator(".lw-plot")
    plot.locator(".main-svg").first.wait_for()
    assert plot.locator(".scatterlayer .trace").count() >= 4
    assert "fringe" in (plot.locator(".annotation-text").first.text_content() or "")
    ticks = "String([...document.querySelectorAll('.x2tick text')].map(each => each.textContent))"
    before = window.evaluate(ticks)
    plot.locator('[data-title="Zoom in"]').click()
    window.wait_for_function(f"before => {ticks} !== before", arg=before)
    with window.expect_download() as saved:
        plot.get_by_role("link", name="PNG for print").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")
    assert chromium.complaints == []
    assert chromium.elsewhere(address) == []


def test_an_experiment_of_the_library_leads_to_its_filled_form(chromium: Browser, address: str) -> None:
    window = chromium.window(f"{address}/library")
    window.get_by_label("Search the library").fill("residual zz")
    window.locator("summary", has_text="residual zz").first.click()
    window.get_by_role("link", name="Set it up and run it").first.click()
    window.locator("pre", has_text="experiment: residual_zz").wait_for()
    window.get_by_role("button", name="Start it").and_(window.locator(":enabled")).wait_for()
    assert chromium.complaints == []


def dark(window: Any) -> bool:
    """Whether the page is drawn dark."""
    return bool(window.evaluate("document.body.classList.contains('body--dark')"))
