"""Fetch PDFs one after another: politely, with retries, and going on where the last attempt stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labwright.tools.errors import InputError, UnreachableError
from labwright.tools.knowledge.arxiv import ADDRESS, ARXIV_ID, DELAY, INSTALL, RETRIES, TIMEOUT, ArxivPaper, may_fetch
from labwright.tools.knowledge.paper_text import MAX_BYTES, one_line

AGENT = {"User-Agent": "labwright"}
PIECE = 2**14  # bytes written at a time; what is left of an interrupted attempt is a multiple of it


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of fetching one paper.

    Attributes:
        paper: which one.
        path: of its PDF; None if it could not be had.
        reason: why not; empty if it is there.
        new: whether it was fetched now, rather than there before.
    """

    paper: ArxivPaper
    path: Path | None
    reason: str
    new: bool


def download(
    papers: Sequence[ArxivPaper],
    folder: Path,
    *,
    address: str = ADDRESS,
    delay: float = DELAY,
    retries: int = RETRIES,
    report: Callable[[Fetched], None] | None = None,
) -> list[Fetched]:
    """Fetch the PDF of each paper into `folder`; a paper that cannot be had does not stop the others.

    A PDF appears under its name only when it is whole. What an interrupted attempt left lies beside it and is
    continued.

    Args:
        papers: as `search_arxiv` found them.
        folder: made if it is missing.
        address: that was searched; PDFs are fetched from there or from arxiv.org only.
        delay: between requests, s.
        retries: of one paper.
        report: is told of each paper.

    Raises:
        ImportError: the extra ``papers`` is not installed.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    line = _Line(address, delay, retries)
    outcomes = []
    for paper in papers:
        outcome = _fetched(paper, folder, line)
        outcomes.append(outcome)
        if report:
            report(outcome)
    return outcomes


def _fetched(paper: ArxivPaper, folder: Path, line: _Line) -> Fetched:
    try:
        path = folder / file_name(paper.arxiv_id)
        if path.exists():
            return Fetched(paper, path, "", False)
        if not paper.pdf:
            return Fetched(paper, None, "arXiv names no PDF of it that may be fetched.", False)
        line.fetch(paper.pdf, path)
    except (InputError, UnreachableError) as wrong:
        return Fetched(paper, None, str(wrong), False)
    return Fetched(paper, path, "", True)


def file_name(arxiv_id: str) -> str:
    """The file of a paper; an older number such as ``quant-ph/0201082v1`` has its slash replaced.

    Raises:
        InputError: it is no number of arXiv's, and might lead out of the folder.
    """
    if not ARXIV_ID.match(arxiv_id):
        raise InputError(f"{one_line(arxiv_id)!r} is no number of a paper on arXiv.")
    return arxiv_id.replace("/", "_") + ".pdf"


class _Line:
    """The connection to the server: one request at a time, `delay` apart."""

    def __init__(self, address: str, delay: float, retries: int) -> None:
        try:
            import requests
        except ImportError as missing:
            raise ImportError(INSTALL) from missing
        self.address, self.delay, self.retries = address, delay, retries
        self._requests: Any = requests
        self._session = requests.Session()
        self._free_at = 0.0  # of the monotonic clock

    def fetch(self, url: str, path: Path) -> None:
        """Fetch one PDF to `path`."""
        reason = ""
        for _ in range(self.retries + 1):
            try:
                self._attempt(url, path)
                return
            except (UnreachableError, self._requests.exceptions.RequestException) as wrong:
                reason = one_line(str(wrong))
        raise UnreachableError(f"{url} cannot be had after {self.retries + 1} tries: {reason}. Try later.")

    def _attempt(self, url: str, path: Path) -> None:
        part = path.with_name(path.name + ".part")
        had = part.stat().st_size if part.exists() else 0
        time.sleep(max(0.0, self._free_at - time.monotonic()))
        headers = AGENT | ({"Range": f"bytes={had}-"} if had else {})
        with self._session.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
            self._free_at = time.monotonic() + self.delay
            if answer.status_code == 416:  # the part is longer than the file: it was another file
                part.unlink(missing_ok=True)
            if answer.status_code in (404, 410):
                raise InputError(f"{url} does not exist (HTTP {answer.status_code}).")
            if answer.status_code not in (200, 206):
                raise UnreachableError(f"HTTP {answer.status_code}")
            if not may_fetch(answer.url, self.address):
                raise InputError(f"{url} leads to another server, {answer.url}; nothing is fetched from there.")
            self._write(answer, part, had if answer.status_code == 206 else 0)
        _finish(part, path)

    def _write(self, answer: Any, part: Path, had: int) -> None:
        promised = answer.headers.get("Content-Length")
        size = had
        with part.open("ab" if had else "wb") as file:
            for piece in answer.iter_content(PIECE):
                size += len(piece)
                if size > MAX_BYTES:
                    file.close()
                    part.unlink()
                    raise InputError(f"{answer.url} has more than {MAX_BYTES // 2**20} MB; it is not fetched.")
                file.write(piece)
        if promised is not None and promised.isdigit() and size < had + int(promised):
            raise UnreachableError(f"only {size} of {had + int(promised)} bytes came")


def _finish(part: Path, path: Path) -> None:
    """Give the file its name, if it is a PDF; a page that says "busy" comes with status 200 as well."""
    with part.open("rb") as file:
        beginning = file.read(1024)
    if b"%PDF-" not in beginning:
        part.unlink()
        raise UnreachableError("what came is no PDF")
    part.replace(path)
