"""Every page of the console in a real browser: wide and narrow, light and dark, without errors or foreign addresses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsing import PAGES, Browser, wider_than_the_window

from labwright.tools.specifications.examples import KINDS, example, path_of
from labwright.tools.specifications.kinds import typed
from labwright.tools.specifications.yaml_files import read_document

pytestmark = pytest.mark.slow  # quick: test_request_guard.py and parts/
# One load for several looks: pixels of the window, growing, and colours; 320 is a window of 1280 at 400 % zoom.
LOOKS = ((320, "dark"), (390, "dark"), (390, "light"), (1280, "light"), (1280, "dark"))


def test_every_page_is_readable_and_asks_no_other_host(chromium: Browser, address: str, runs: dict[str, str]) -> None:
    window = chromium.window()
    known = [f"/run/{name}" for name in runs.values()]
    compared = f"/compare?first={runs['calibration']}&second={runs['chip']}"
    for path in (*PAGES, *known, compared):
        for number, (width, scheme) in enumerate(LOOKS):
            window.set_viewport_size({"width": width, "height": 844})
            window.emulate_media(color_scheme=scheme)
            if number == 0:
                window.goto(address + path)
                window.wait_for_function("window.did_handshake === true")
                window.locator("main h1").first.wait_for()
                if path in known:
                    window.locator(".lw-section h2").first.wait_for()
            is_dark = "document.body.classList.contains('body--dark')"
            window.wait_for_function(f"{is_dark} === {str(scheme == 'dark').lower()}")
            assert wider_than_the_window(window) <= 0, (path, width, scheme)
    assert any(url.startswith("ws://") for url in chromium.asked), "the log of addresses holds websockets, too"


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
    card.get_by_role("link", name="robot/calibration-series-of-caffeine.lsr").wait_for()
    assert window.locator("article").count() == 1, "each run once"
    window.get_by_text("is complete").wait_for()
    window.wait_for_function("scrollY > 0 && scrollY + innerHeight > document.documentElement.scrollHeight - 5")
    assert window.get_by_label("Message").is_visible()
    window.get_by_text("Recipes to run").click()
    window.get_by_role("button", name="Run: Calibrate a qubit").wait_for()


def test_a_figure_can_be_zoomed_and_printed(chromium: Browser, address: str, runs: dict[str, str]) -> None:
    window = chromium.window(f"{address}/run/{runs['calibration']}")
    plot = window.locator(".lw-plot")
    plot.locator(".main-svg").first.wait_for()
    assert plot.locator(".scatterlayer .trace").count() >= 4
    assert "error per gate" in (plot.locator(".annotation-text").first.text_content() or "")
    seen = "String(Object.values(document.querySelector('.js-plotly-plot').layout).map(each => each?.range))"
    before = window.evaluate(seen)
    plot.locator('[data-title="Zoom in"]').click()
    window.wait_for_function(f"before => {seen} !== before", arg=before)
    with window.expect_download() as saved:
        plot.get_by_role("link", name="PNG for print").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


def test_an_experiment_of_the_library_leads_to_its_filled_form(chromium: Browser, address: str) -> None:
    window = chromium.window(f"{address}/library")
    window.get_by_label("Search the library").fill("residual zz")
    window.locator("summary", has_text="residual zz").first.click()
    window.get_by_role("link", name="Set it up and run it").first.click()
    window.locator("pre", has_text="experiment: residual_zz").wait_for()
    window.get_by_role("button", name="Start it").and_(window.locator(":enabled")).wait_for()


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
    window.get_by_role("table", name="Newest first").get_by_text("calibrate-qubit-q1").wait_for()
    assert "tool forging" in window.get_by_role("table", name="Sums of all runs of a system").inner_text()


def opened(chromium: Browser, address: str, path: str) -> Any:
    """A window on the form, after its first check."""
    window = chromium.window(address + path)
    window.wait_for_function("window.did_handshake === true")
    until_written(window, "system:")
    return window


def until_written(window: Any, text: str) -> None:
    """Wait until the document beside the fields has the text."""
    window.locator(".lw-document", has_text=text).wait_for()


def document(window: Any) -> dict[str, Any]:
    """The document beside the fields."""
    return read_document(window.locator(".lw-document").inner_text()).data


def problem_at(window: Any, name: str) -> Any:
    """What is said below the field `name`."""
    return window.locator(f'div:has(> label [aria-label="{name}"]) > .lw-problem')


def test_fields_have_their_defaults_and_problems_stand_beside_them(chromium: Browser, address: str) -> None:
    window = opened(chromium, address, "/new/search")
    assert window.get_by_label("trials", exact=True).first.input_value() == "20"
    assert document(window) == {"spec": 1, "system": "feature_map_search"}
    window.get_by_label("trials", exact=True).first.fill("9000")
    problem_at(window, "trials").get_by_text("It should be less than or equal to 1000").wait_for()
    assert problem_at(window, "ideas").inner_text() == ""
    assert window.get_by_role("button", name="Start it").is_disabled()
    window.get_by_label("trials", exact=True).first.fill("5")
    until_written(window, "trials: 5")
    assert window.get_by_role("button", name="Start it").is_enabled()
    assert problem_at(window, "trials").inner_text() == ""


def test_a_list_grows_and_shrinks_and_a_line_that_is_not_read_is_told_at_its_item(
    chromium: Browser, address: str
) -> None:
    window = opened(chromium, address, "/new/calibration")
    window.get_by_role("status").get_by_text("The plan has no steps.").wait_for()
    window.get_by_label("steps.0", exact=True).fill("t1 Q1, stop = 300 us")
    window.get_by_role("button", name="another one of steps").click()
    window.get_by_label("steps.1", exact=True).fill("banana")
    problem_at(window, "steps.1").get_by_text("Not read").wait_for()
    window.get_by_label("steps.1", exact=True).fill("experiment: ramsey\nqubits: [Q1]")
    until_written(window, "experiment: ramsey")
    assert document(window)["steps"] == ["t1 Q1, stop = 300 us", {"experiment": "ramsey", "qubits": ["Q1"]}]
    window.get_by_role("button", name="remove steps.0").click()
    window.locator(".lw-document", has_not_text="300 us").wait_for()
    assert document(window)["steps"] == [{"experiment": "ramsey", "qubits": ["Q1"]}]


def examples() -> list[tuple[str, str]]:
    found = [
        (short, kind) for short, kinds in KINDS.items() for kind in kinds if path_of(short, kind).suffix == ".yaml"
    ]
    return [one for one in found if one[1] != "maintain"]


@pytest.mark.parametrize(("short", "kind"), examples())
def test_an_example_goes_through_the_form_unchanged(chromium: Browser, address: str, short: str, kind: str) -> None:
    window = opened(chromium, address, f"/new/{short}?kind={kind}")
    assert typed(document(window)) == typed(stripped(read_document(example(short, kind)).data))
    assert window.get_by_role("button", name="Start it").is_enabled()


def stripped(data: dict[str, Any]) -> dict[str, Any]:
    """A document without the line ends behind its texts, which a form does not keep."""
    return {name: value.strip() if isinstance(value, str) else value for name, value in data.items()}


def test_what_is_filled_in_is_run_in_the_conversation(chromium: Browser, address: str) -> None:
    window = opened(chromium, address, "/new/calibration")
    window.get_by_label("steps.0", exact=True).fill("t1 Q1, points = 21, shots = 500")
    until_written(window, "points = 21")
    window.get_by_role("button", name="Start it").click()
    window.wait_for_url(f"{address}/")
    window.locator("article a").first.wait_for()
    window.locator(".lw-status", has_text="complete").first.wait_for()


def test_an_unknown_system_or_example_is_told(chromium: Browser, address: str) -> None:
    for path, said in (("/new/tea", "There is no system 'tea'."), ("/new/task?kind=x", "There is no example 'x'.")):
        window = chromium.window(address + path)
        window.get_by_text(said).wait_for()
