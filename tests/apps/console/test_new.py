"""Every page, and a specification filled in field by field, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import PAGES, Browser, browser, console, wider_than_the_window

from labwright.tools.specifications.examples import KINDS, example, path_of
from labwright.tools.specifications.kinds import typed
from labwright.tools.specifications.reading import read_document


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with console(tmp_path_factory.mktemp("console"), "--approve", "auto") as found:
        yield found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def test_every_page_opens_and_asks_nobody_else(chromium: Browser, address: str) -> None:
    window = chromium.window(address)
    for path in PAGES:
        window.goto(address + path)
        window.wait_for_function("window.did_handshake === true")
        assert window.locator("main h1").count() >= 1, path
        assert wider_than_the_window(window) <= 0, path
    assert chromium.elsewhere(address) == []
    assert any(url.startswith("ws://") for url in chromium.asked), "the log holds websockets, too"
    assert [one for one in chromium.complaints if "404" not in one] == []


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


@pytest.mark.slow
@pytest.mark.parametrize(("short", "kind"), examples())
def test_an_example_goes_through_the_form_unchanged(chromium: Browser, address: str, short: str, kind: str) -> None:
    window = opened(chromium, address, f"/new/{short}?kind={kind}")
    assert typed(document(window)) == typed(stripped(read_document(example(short, kind)).data))
    assert window.get_by_role("button", name="Start it").is_enabled()
    assert chromium.complaints == []


def stripped(data: dict[str, Any]) -> dict[str, Any]:
    """A document without the line ends behind its texts, which a form does not keep."""
    return {name: value.strip() if isinstance(value, str) else value for name, value in data.items()}


@pytest.mark.slow
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
