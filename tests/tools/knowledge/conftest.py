"""PDFs written byte by byte, and a server that speaks arXiv's Atom feed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest


def pdf(pages: list[str], title: str = "", trailer: str = "") -> bytes:
    """A PDF with one line of text a page; a page without text is blank."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        lines = text.split("\n")
        drawn = "".join(f"({line}) Tj 0 -14 Td " for line in lines if line)
        stream = f"BT /F1 12 Tf 72 720 Td {drawn}ET".encode("latin-1") if text else b""
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        content = len(objects)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % content
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(b"<< /Title (%s) >>" % title.encode())
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R %s >>\n" % (len(objects) + 1, len(objects), trailer.encode())
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


FEED = (
    '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"'
    ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">'
    "<opensearch:totalResults>{total}</opensearch:totalResults><opensearch:startIndex>{start}</opensearch:startIndex>"
    "<opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>{entries}</feed>"
)
ENTRY = (
    "<entry><id>http://arxiv.org/abs/{number}</id><updated>{day}T00:00:00Z</updated><published>{day}T00:00:00Z</published>"
    "<title>{title}</title><summary>About {title}.</summary><author><name>A. Author</name></author>"
    '<link title="pdf" href="{pdf}" rel="related" type="application/pdf"/>'
    '<arxiv:primary_category term="quant-ph"/><category term="quant-ph"/></entry>'
)


@dataclass
class Arxiv:
    """A server on the loopback address; its lists say how the next requests are answered.

    Attributes:
        entries: (number, day, title, address of the PDF; empty for this server's own).
        failures: statuses given to the next feed requests in place of a feed; 0 stands for torn XML.
        pdf_failures: the same for PDFs; 1 stands for a connection that ends half way, 2 for a page of HTML.
    """

    entries: list[tuple[str, str, str, str]] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    pdf_failures: list[int] = field(default_factory=list)
    feed: str = ""
    requests: list[str] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    content: Callable[[str], bytes] = lambda number: pdf([f"The text of paper {number} on quantum kernels and data"])
    root: str = ""

    @property
    def address(self) -> str:
        return f"{self.root}/api/query"

    def page(self, query: dict[str, list[str]]) -> str:
        start, size = int(query["start"][0]), int(query["max_results"][0])
        entries = "".join(
            ENTRY.format(number=number, day=day, title=title, pdf=link or f"{self.root}/pdf/{number}")
            for number, day, title, link in self.entries[start : start + size]
        )
        return self.feed or FEED.format(total=len(self.entries), start=start, size=size, entries=entries)


@pytest.fixture
def arxiv() -> Iterator[Arxiv]:
    """The server, running."""
    state = Arxiv()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.times.append(time.monotonic())
            state.requests.append(self.path)
            where = urlsplit(self.path)
            if where.path == "/api/query":
                self.answer_feed(parse_qs(where.query))
            else:
                self.answer_pdf(where.path.removeprefix("/pdf/"))

        def answer_feed(self, query: dict[str, list[str]]) -> None:
            status = state.failures.pop(0) if state.failures else 200
            body = state.page(query)
            self.send(status or 200, (body[: len(body) // 2] if status == 0 else body).encode())

        def answer_pdf(self, number: str) -> None:
            failure = state.pdf_failures.pop(0) if state.pdf_failures else 200
            body, wanted = state.content(number), self.headers.get("Range", "")
            state.ranges.append(wanted)
            if failure == 2:
                self.send(200, b"<html>busy</html>")
            elif failure == 1:
                self.send(200, body[: len(body) // 2], promised=len(body))
            elif failure != 200:
                self.send(failure, b"")
            elif wanted:
                self.send(206, body[int(wanted.removeprefix("bytes=").rstrip("-")) :])
            else:
                self.send(200, body)

        def send(self, status: int, body: bytes, promised: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body) if promised is None else promised))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.root = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(name="pdf")
def pdf_writer() -> Callable[..., bytes]:
    """Writes a PDF."""
    return pdf
