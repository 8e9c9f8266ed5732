"""``labwright papers``: add, fetch, search, list, remove."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Command = Callable[..., Result]
FEED = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<opensearch:totalResults>2</opensearch:totalResults>%s</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/2101.0000{n}v1</id><updated>2021-01-01T00:00:00Z</updated>
<published>2021-01-01T00:00:00Z</published><title>Kernels, part {n}</title><summary>s</summary>
<link title="pdf" href="{root}/pdf/{n}"/></entry>"""


def drawn_pdf(text: str) -> bytes:
    """A PDF with one page of text."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    figure, buffer = Figure(figsize=(6, 4)), BytesIO()
    FigureCanvasPdf(figure)
    figure.text(0.05, 0.5, text)
    figure.savefig(buffer, format="pdf")
    return buffer.getvalue()


@pytest.fixture(autouse=True)
def a_store_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has the default place, below its folder, and not that of all tests."""
    monkeypatch.delenv("LABWRIGHT_STATE", raising=False)


@pytest.fixture
def arxiv() -> Iterator[str]:
    """Address of a server that knows two papers, of which the second's PDF is gone."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            root = f"http://127.0.0.1:{self.server.server_port}"  # type: ignore[attr-defined]
            gone = self.path == "/pdf/2"
            feed = (FEED % "".join(ENTRY.format(n=n, root=root) for n in (1, 2))).encode()
            body = b"" if gone else drawn_pdf("Quantum kernels of circuits, measured on a processor") if (
                self.path.startswith("/pdf/")
            ) else feed  # fmt: skip
            self.send_response(404 if gone else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/api/query"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "mine"
    made.mkdir()
    (made / "bread.md").write_text("# How bread is made\n\nFlour, water, salt and a hot oven.\n", encoding="utf-8")
    (made / "birds.pdf").write_bytes(drawn_pdf("Swallows of the northern coast return each spring"))
    (made / "broken.pdf").write_bytes(b"%PDF-1.5 and nothing else")
    return made


def test_papers_are_added_listed_found_and_forgotten(command: Command, folder: Path, tmp_path: Path) -> None:
    done = command("papers", "add", str(folder), "--json", "a.json")
    assert done.exit_code == 0, done.output
    assert "2 new, 0 known, 1 left out; the store holds 2." in done.stdout
    assert "broken.pdf is damaged" in done.stderr
    assert (tmp_path / ".labwright" / "papers" / "chroma.sqlite3").is_file()
    new = json.loads((tmp_path / "a.json").read_text())["result"]["new"]
    assert {each["source"] for each in new} == {"bread.md", "birds.pdf"}

    assert "0 new, 2 known" in command("papers", "add", str(folder)).stdout
    found = command("papers", "search", "swallows in spring", "-k", "1").stdout
    assert "birds.pdf, page 1" in found
    assert "bread" not in found

    number = next(each["paper"] for each in new if each["source"] == "bread.md")
    assert number[:10] in command("papers", "list").stdout
    assert "removed How bread is made" in command("papers", "remove", number[:10]).stdout
    assert "bread" not in command("papers", "list").stdout


def test_an_empty_store_says_what_to_do(command: Command) -> None:
    assert "labwright papers add PATH" in command("papers", "list").stdout
    done = command("papers", "search", "anything")
    assert (done.exit_code, "Add papers first" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("add", "nothing.pdf"), 2, "There is no file"),
        (("add", "."), 2, "There is no paper in"),
        (("remove", "0123"), 2, "0 papers begin with"),
        (("fetch", "--since", "2024", "--until", "2020"), 2, "run forwards"),
        (("fetch", "--address", "http://127.0.0.1:9/q", "--delay", "0"), 4, "arXiv does not answer"),
    ],
)
def test_mistakes_are_one_line_with_its_exit_code(command: Command, arguments: Any, code: int, words: str) -> None:
    done = command("papers", *arguments)
    assert done.exit_code == code
    assert words in done.stderr
    assert done.stderr.count("error:") == 1
    assert "Traceback" not in done.output


def test_only_unreadable_papers_are_bad_input(command: Command, folder: Path) -> None:
    for name in ("bread.md", "birds.pdf"):
        (folder / name).unlink()
    done = command("papers", "add", str(folder))
    assert done.exit_code == 2
    assert "No paper could be read" in done.stderr


def test_papers_are_fetched_once_and_keep_arxivs_title_and_address(
    command: Command, arxiv: str, tmp_path: Path
) -> None:
    done = command("papers", "fetch", "--address", arxiv, "--delay", "0", "--json", "f.json")
    assert done.exit_code == 0, done.output
    assert "2 found, 1 fetched, 1 new in the store, 1 left out; the store holds 1." in done.stdout
    assert "HTTP 404" in done.stderr
    assert (tmp_path / ".labwright" / "papers" / "pdf" / "2101.00001v1.pdf").is_file()
    assert (
        "Kernels, part 1  https://arxiv.org/abs/2101.00001v1, page 1" in command("papers", "search", "kernels").stdout
    )
    again = command("papers", "fetch", "--address", arxiv, "--delay", "0", "--quiet")
    assert "2 found, 0 fetched, 0 new in the store" in again.stdout
