"""Read the text of a paper from PDF, plain text or Markdown.

What a paper says is data from strangers. It is cut to limits and freed of what a terminal would obey; it never names
a file or a command.
"""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from pypdf import PdfReader

KINDS = (".pdf", ".txt", ".md")
MAX_BYTES = 64 * 2**20
MAX_PAGES = 800
MAX_CHARACTERS = 4_000_000  # of the whole text; a long thesis has one million
MAX_SECONDS = 120.0  # for one PDF; a page that takes longer by itself is not interrupted
LEAST_LETTERS = 40  # fewer in a whole PDF: its pages are pictures
TITLE_LENGTH = 200  # characters
# Signs that steer a terminal, turn the writing direction round, are invisible, or are halves of a character.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
# A title that a program wrote, not a person.
_NO_TITLE = re.compile(r"^(untitled|microsoft word|paper|main|title|document)\b|\.(dvi|tex|docx?|pdf|ps|indd)$", re.I)
_PREAMBLE = re.compile(r"arxiv:|licen[cs]e|copyright|©|\\|published|received|preprint|^\W|^\d+\]", re.I)


@dataclass(frozen=True, slots=True)
class PaperText:
    """The text of one paper.

    Attributes:
        title: as its metadata or its first lines state it, else the file's name.
        source: name of the file, without its folder.
        pages: text of each page; one page if the form has none.
        sha256: of the file's bytes.
    """

    title: str
    source: str
    pages: tuple[str, ...]
    sha256: str


def read_paper(path: Path) -> PaperText:
    """Read one file.

    Raises:
        InputError: no such file, of another kind, too large, empty, encrypted, damaged, or pictures only.
    """
    kind = path.suffix.lower()
    if not path.is_file():  # a device or a pipe would be read for ever
        raise InputError(f"There is no file {path}. Give a paper or a folder of papers.")
    if kind not in KINDS:
        raise InputError(f"{path.name} is no paper that can be read. Give a file that ends in {', '.join(KINDS)}.")
    content = _content(path)
    title, pages = _pdf(path.name, content) if kind == ".pdf" else ("", (clean(_decoded(path.name, content)),))
    if sum(map(len, pages)) > MAX_CHARACTERS:
        raise InputError(f"{path.name} holds more than {MAX_CHARACTERS} characters. Add a part of it.")
    if not any(page.strip() for page in pages):
        raise InputError(f"{path.name} holds no text.")
    return PaperText(
        title=_usable(title) or _first_line(pages) or clean(path.stem),
        source=clean(path.name),
        pages=pages,
        sha256=hashlib.sha256(content).hexdigest(),
    )


def clean(text: str) -> str:
    """`text` without control and invisible signs, ligatures spelled out, words joined that a line's end divided."""
    plain = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")).translate(_LIGATURES)
    return re.sub(r"([a-z])-\n([a-z])", r"\1\2", plain)


def one_line(text: str, length: int = TITLE_LENGTH) -> str:
    """`text` cleaned, on one line, of at most `length` characters."""
    return " ".join(clean(text).split())[:length].strip()


def _content(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise InputError(f"{path.name} has {size / 2**20:.0f} MB; at most {MAX_BYTES // 2**20} MB are read.")
    if size == 0:
        raise InputError(f"{path.name} is empty.")
    with path.open("rb") as file:
        return file.read(MAX_BYTES)


def _decoded(name: str, content: bytes) -> str:
    if b"\0" in content[:4096]:
        raise InputError(f"{name} is not text. Give a PDF, or text in UTF-8.")
    return content.decode("utf-8-sig", errors="replace")


def _pdf(name: str, content: bytes) -> tuple[str, tuple[str, ...]]:
    """Title of the metadata, and the text of each page."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    if b"%PDF-" not in content[:1024]:
        raise InputError(f"{name} is damaged, or no PDF: it lacks the mark %PDF- at its beginning. Get it anew.")
    # pypdf tells of every oddity of a file that it mends; a reader of papers cannot act on them.
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        reader = PdfReader(BytesIO(content))
        _unlock(name, reader)
        if len(reader.pages) > MAX_PAGES:
            raise InputError(f"{name} has {len(reader.pages)} pages; at most {MAX_PAGES} are read. Add a part of it.")
        pages = tuple(_pages(name, reader))
        title = (reader.metadata.title if reader.metadata else None) or ""
    except InputError:
        raise
    except DependencyError as wrong:
        raise InputError(f"{name} is encrypted in a way that needs `pip install cryptography`: {wrong}.") from wrong
    except RecursionError as wrong:
        raise InputError(f"{name} is damaged: its parts contain one another. Get it anew.") from wrong
    # A damaged file raises nearly anything from within pypdf; each means the same to the person.
    except Exception as wrong:
        raise InputError(f"{name} is damaged: {type(wrong).__name__}: {one_line(str(wrong))}. Get it anew.") from wrong
    _demand_text(name, pages)
    return title, pages


def _unlock(name: str, reader: PdfReader) -> None:
    """Many papers are encrypted with an empty password, so that only their printing is restricted."""
    if reader.is_encrypted and not reader.decrypt(""):
        raise InputError(f"{name} is encrypted. Save it without its password first, such as with `qpdf --decrypt`.")


def _pages(name: str, reader: PdfReader) -> Iterator[str]:
    begun, characters = time.monotonic(), 0
    for page in reader.pages:
        text = clean(page.extract_text())
        characters += len(text)
        if characters > MAX_CHARACTERS:
            raise InputError(f"{name} holds more than {MAX_CHARACTERS} characters. Add a part of it.")
        if time.monotonic() - begun > MAX_SECONDS:
            raise InputError(f"{name} takes more than {MAX_SECONDS:.0f} s to read. Save it as plain text and add that.")
        yield text


def _demand_text(name: str, pages: tuple[str, ...]) -> None:
    if not pages:
        raise InputError(f"{name} has no pages.")
    if sum(sign.isalpha() for page in pages for sign in page) < LEAST_LETTERS:
        raise InputError(
            f"{name} holds pictures of its {len(pages)} pages but no text. Run a text recognition over it first,"
            " such as `ocrmypdf`."
        )


def _usable(title: str) -> str:
    """The metadata's title, unless it is what an editing program puts there by itself."""
    shown = one_line(title)
    return "" if len(shown) < 8 or _NO_TITLE.search(shown) else shown


def _first_line(pages: tuple[str, ...]) -> str:
    """The first heading or line that reads like a title: three words or more."""
    for line in pages[0].splitlines()[:40]:
        shown = one_line(line.lstrip("# "))
        if len(re.findall(r"[A-Za-z]{2,}", shown)) >= 3 and not _PREAMBLE.search(shown):
            return shown
    return ""
