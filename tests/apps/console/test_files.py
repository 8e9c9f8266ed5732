"""Which files of a run folder are sent, and how."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from labwright.apps.console import files
from labwright.tools.runs import Run, create_run, to_json

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    made = create_run(tmp_path / "runs", "lab_calibration", "calibrate Q1", {}, 0)
    listed = ["data/x.npz", "workspace/report.html", "workspace/code.py", "../../secret", "gone.txt"]
    (made.folder / "result.json").write_bytes(to_json({"artifacts": [{"path": path} for path in listed]}))
    for name in ("figures/a.png", "figures/a.svg", "data/x.npz", "robot/plate.png", "workspace/report.html",
                 "workspace/code.py", "workspace/hidden.py", "report.md", "actions/k/done.json", "checkpoints.sqlite",
                 "parts/Q1/figures/b.png", "parts/Q1/report.md", "parts/Q1/run.json"):  # fmt: skip
        path = made.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PNG if name.endswith(".png") else b"<script>alert(1)</script>")
    (tmp_path / "secret").write_text("secret")
    (made.folder / "figures" / "link.png").symlink_to(tmp_path / "secret")
    (made.folder / "data" / "folder").symlink_to(tmp_path)
    return made


@pytest.fixture
def browser(run: Run) -> Iterator[TestClient]:
    async def send(request: Request) -> Response:
        return await files.send(request, run.folder.parent)

    app = Starlette(routes=[Route("/files/{run_id}/{path:path}", send)])
    with TestClient(app) as made:
        yield made


@pytest.mark.parametrize(
    "path",
    ["figures/a.png", "data/x.npz", "robot/plate.png", "report.md", "parts/Q1/figures/b.png", "workspace/code.py"],
)
def test_what_belongs_to_the_run_is_sent(browser: TestClient, run: Run, path: str) -> None:
    assert browser.get(f"/files/{run.run_id}/{path}").content == (run.folder / path).read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "checkpoints.sqlite", "run.json", "result.json", "events.jsonl", "actions/k/done.json", "parts/Q1/run.json",
        "workspace/hidden.py", "gone.txt", "../../secret", "%2e%2e/%2e%2e/secret", "figures/../../../secret",
        "figures/..%2f..%2f..%2fsecret", "figures//a.png", "/etc/passwd", "%2fetc%2fpasswd", "figures\\..\\run.json",
        "figures/a.png%00.txt", "figures/link.png", "data/folder/secret", "figures", "figures/", "", "%2e/report.md",
    ],
)  # fmt: skip
def test_nothing_else_is(browser: TestClient, run: Run, path: str) -> None:
    answer = browser.get(f"/files/{run.run_id}/{path}")
    assert answer.status_code == 404
    assert b"secret" not in answer.content.replace(b"served", b"")


@pytest.mark.parametrize("name", ["..", "%2e%2e", ".", "latest", "%2fetc", "..%2fruns", "no-such-run", "-", "a b"])
def test_a_runs_name_is_a_runs_name(browser: TestClient, run: Run, name: str) -> None:
    assert browser.get(f"/files/{name}/report.md").status_code == 404
    assert browser.get(f"/files/{run.run_id[:10]}/report.md").status_code == 404, "a beginning is no name here"


def test_a_folder_of_runs_that_is_a_link_is_no_run(browser: TestClient, run: Run) -> None:
    (run.folder.parent / "linked").symlink_to(run.folder)
    assert browser.get("/files/linked/report.md").status_code == 404


@pytest.mark.parametrize("path", ["report.md", "figures/a.svg", "workspace/report.html", "workspace/code.py"])
def test_what_a_browser_could_run_is_only_saved(browser: TestClient, run: Run, path: str) -> None:
    answer = browser.get(f"/files/{run.run_id}/{path}")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"


def test_a_picture_is_shown_or_saved(browser: TestClient, run: Run) -> None:
    address = f"/files/{run.run_id}/figures/a.png"
    shown, saved = browser.get(address), browser.get(address, params={"download": ""})
    assert (shown.headers["content-type"], "content-disposition" in shown.headers) == ("image/png", False)
    assert saved.headers["content-disposition"] == 'attachment; filename="a.png"'
    assert run.run_id in browser.get(f"/files/{run.run_id}/report.md").headers["content-disposition"]


def test_what_can_be_saved_is_listed_once(run: Run) -> None:
    found = files.savable(run)
    assert found[0] == "report.md"
    assert len(found) == len(set(found))
    assert {"data/x.npz", "workspace/report.html", "figures/a.png"} <= set(found)
    assert not {"../../secret", "gone.txt", "figures/link.png"} & set(found)
