"""Pictures of the console's pages for the documents, from real runs.

python -m labwright.evaluation.console_pictures RUNS [--state STATE] [--out docs/figures]

RUNS is a folder with at least one finished run of each system; it is copied, not changed. A conversation is begun in
it, with a measurement that waits for approval.
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from labwright.evaluation.benchmarks.console import serving
from labwright.tools.runs import RunSummary, list_runs, write_atomic

WIDTH, HIGHEST = 1200, 1500  # pixels
LARGEST = 200_000  # bytes of a picture
COLOURS = (256, 128, 64)
SYSTEMS = {
    "calibration": "lab_calibration",
    "search": "feature_map_search",
    "forge": "tool_forging",
    "protocol": "protocol_design",
}
_SHOWN = "[...document.images].every(one => one.complete || one.getBoundingClientRect().top > innerHeight)"
ASKED = "run a Ramsey experiment on Q1 with stop = 2 us"


def pictures(runs: Path, out: Path, state: Path | None = None) -> list[Path]:
    """Make all pictures; returns their paths. `state` is the folder that sealed the runs."""
    made = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        shutil.copytree(runs, Path(folder) / "runs", symlinks=True)
        if state is not None:
            shutil.copytree(state, Path(folder) / "state", symlinks=True)
        known = [run for run in list_runs(Path(folder) / "runs") if run.status == "complete"]
        chips = [run.run_id for run in known if (runs / run.run_id / "parts").is_dir()]
        path = shutil.which("chromium") or started.chromium.executable_path
        chromium = started.chromium.launch(
            executable_path=path, args=["--headless=new", "--no-sandbox", "--disable-gpu"]
        )
        with serving(Path(folder), "--approve", "always") as (address, _):
            page = chromium.new_page(viewport={"width": WIDTH, "height": 900})
            for name, place in pages(known, chips).items():
                page.goto(address + place)
                _alive(page)
                if name == "conversation":
                    _talk(page)
                made.append(_kept(page, out / f"console_{name}.png"))
        chromium.close()
    return made


# Recipe card -> system and figure of its run.
CARDS = {
    "calibration": ("lab_calibration", "figures/03_ramsey.png"),
    "search": ("feature_map_search", "figures/trajectory.png"),
    "task": ("tool_forging", "figures/sweep.png"),
    "protocol": ("protocol_design", "robot/plate_map.png"),
}
CARD = (600, 400)  # pixels
PICTURES = Path("apps/console/pictures")


def cards(runs: Path) -> list[Path]:
    """Small pictures for the first screen's cards, from the newest run that has such a figure."""
    made = []
    for name, (system, figure) in CARDS.items():
        found = [
            run.run_id for run in list_runs(runs) if run.system == system and (runs / run.run_id / figure).is_file()
        ]
        if found:
            with Image.open(runs / found[0] / figure) as picture:
                small = picture.convert("RGB")
                small.thumbnail(CARD)
                written = io.BytesIO()
                small.save(written, "webp", quality=82, method=6)
            write_atomic(PICTURES / f"{name}.webp", written.getvalue())
            made.append(PICTURES / f"{name}.webp")
    return made


def pages(known: list[RunSummary], chips: list[str]) -> dict[str, str]:
    """Name of the picture -> path of the page; the conversation last, for it adds a run."""
    found = {
        "first": "/",
        "new": "/new/calibration?kind=calibration",
        "runs": "/runs",
        "library": "/library",
        "costs": "/costs",
    }
    for name, system in SYSTEMS.items():
        newest = next((run.run_id for run in known if run.system == system and run.run_id not in chips), "")
        if newest:
            found[name] = f"/run/{newest}"
    if chips:
        found["chip"] = f"/run/{chips[0]}"
    two = [run.run_id for run in known if run.system == "lab_calibration" and run.run_id not in chips][:2]
    if len(two) == 2:
        found["compare"] = f"/compare?first={two[0]}&second={two[1]}"
    return {**found, "conversation": "/"}


def _alive(page: Any) -> None:
    page.wait_for_function("window.did_handshake === true")
    page.wait_for_function(_SHOWN)
    page.wait_for_function("!document.body.innerText.includes('being read')")
    page.wait_for_timeout(1500)


def _talk(page: Any) -> None:
    """Ask, change a parameter, see the figure, and stop where it asks again, or ends."""
    line = page.get_by_label("Message")
    line.fill(ASKED)
    line.press("Enter")
    page.get_by_label("new value of stop").fill("1.25")
    page.get_by_role("button", name="Edit its parameters first").click()
    page.locator("article img").first.wait_for()
    page.wait_for_timeout(5000)
    _alive(page)


def _kept(page: Any, path: Path) -> Path:
    """The page as a PNG of few enough colours to be small."""
    height = min(HIGHEST, page.evaluate("document.documentElement.scrollHeight"))
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.wait_for_timeout(500)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.set_viewport_size({"width": WIDTH, "height": 900})
    content = b""
    for colours in COLOURS:
        written = io.BytesIO()
        picture.quantize(colours, dither=Image.Dither.NONE).save(written, "png", optimize=True)
        content = written.getvalue()
        if len(content) <= LARGEST:
            break
    write_atomic(path, content)
    return path


def main() -> None:
    """Make the pictures and say how large they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs/figures"))
    parser.add_argument("--state", type=Path, help="The state folder of the runs.")
    given = parser.parse_args()
    for path in [*cards(given.runs), *pictures(given.runs, given.out, given.state)]:
        sys.stdout.write(f"{path} {path.stat().st_size / 1000:.0f} kB\n")


if __name__ == "__main__":
    main()
