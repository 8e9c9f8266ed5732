"""Find papers on arXiv, and fetch their PDFs at the pace that arXiv asks for.

What the server says is not trusted: addresses of PDFs must lie on the server that was asked or on arxiv.org, numbers
of papers must look like arXiv's before they become file names, and every answer is bounded in size and time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from labwright.tools.errors import InputError, UnreachableError
from labwright.tools.knowledge.paper_text import one_line

if TYPE_CHECKING:
    import requests

ADDRESS = "https://export.arxiv.org/api/query"
QUERY, CATEGORY, SINCE, UNTIL = "Quantum Machine Learning", "quant-ph", 2020, 2024
DELAY = 3.0  # s between requests; arXiv's terms of use ask for no more than one request every three seconds
RETRIES = 3
TIMEOUT = 60.0  # s without a byte
MAX_RESULTS = 2000
PAGE = 100  # results of one request
MAX_FEED = 32 * 2**20  # bytes
ARXIV_ID = re.compile(r"^(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7})(v\d{1,3})?$")
INSTALL = "Searching arXiv needs the package arxiv: pip install 'labwright[papers]'"


@dataclass(frozen=True, slots=True)
class ArxivPaper:
    """A paper that arXiv knows.

    Attributes:
        arxiv_id: such as ``2107.05580v1``.
        title: on one line.
        authors: in order.
        published: day of the first version, ISO 8601.
        abstract: on one line.
        address: of its page.
        pdf: address of its PDF; empty if there is none that may be fetched.
    """

    arxiv_id: str
    title: str
    authors: tuple[str, ...]
    published: str
    abstract: str
    address: str
    pdf: str


def search_arxiv(
    query: str = QUERY,
    category: str = CATEGORY,
    since: int = SINCE,
    until: int = UNTIL,
    limit: int = 100,
    *,
    address: str = ADDRESS,
    delay: float = DELAY,
    retries: int = RETRIES,
) -> list[ArxivPaper]:
    """Papers whose text holds the phrase `query`, the most relevant first.

    Args:
        query: words that must stand together; empty for every paper of the category.
        category: of arXiv, such as ``quant-ph``; empty for every one.
        since: first year, of the first version.
        until: last year, included.
        limit: most papers, up to 2000.
        address: of the interface that answers with Atom feeds.
        delay: between requests, s.
        retries: after an answer that is no feed.

    Raises:
        InputError: an argument makes no sense, or the server refuses the query.
        UnreachableError: no feed after all retries.
        ImportError: the extra ``papers`` is not installed.
    """
    asked = question(query, category, since, until)
    if not 1 <= limit <= MAX_RESULTS:
        raise InputError(f"Argument `limit` must be between 1 and {MAX_RESULTS}, but is {limit}.")
    arxiv, requests = _packages()
    client = arxiv.Client(page_size=min(limit, PAGE), delay_seconds=delay, num_retries=retries)
    client.query_url_format = address.rstrip("?") + "?{}"
    client._session = _session(requests, delay)  # the package offers no other way to bound time and size
    try:
        found = list(client.results(arxiv.Search(query=asked, max_results=limit)))
    except (arxiv.ArxivError, requests.exceptions.RequestException) as wrong:
        raise UnreachableError(
            f"arXiv does not answer after {retries + 1} tries: {one_line(str(wrong))}."
            " Try later, or add PDFs by hand with `labwright papers add`."
        ) from wrong
    unique: dict[str, ArxivPaper] = {}
    for paper in _papers(found, address, since, until):
        unique.setdefault(paper.arxiv_id, paper)
    return list(unique.values())


def question(query: str, category: str, since: int, until: int) -> str:
    """The query in arXiv's own language.

    Raises:
        InputError: an argument makes no sense.
    """
    if category and not re.fullmatch(r"[a-z-]+(\.[A-Za-z-]+)?", category):
        raise InputError(f"Argument `category` must be one of arXiv's, such as quant-ph or cs.LG, but is {category!r}.")
    if not 1991 <= since <= until <= 9999:
        raise InputError(f"The years must run forwards from 1991 on, but are {since} to {until}.")
    words = " ".join(re.sub(r'["():\[\]\\]', " ", query).split())
    if not words and not category:
        raise InputError("Give a query, a category, or both.")
    parts = [f"cat:{category}"] * bool(category) + [f'all:"{words}"'] * bool(words)
    return " AND ".join([*parts, f"submittedDate:[{since}01010000 TO {until}12312359]"])


def may_fetch(url: str, address: str) -> bool:
    """Whether a PDF's address lies on the server that was asked, or on arXiv by https."""
    wanted, asked = urlsplit(url), urlsplit(address)
    if wanted.scheme == asked.scheme and wanted.netloc == asked.netloc:
        return True
    host = wanted.hostname or ""
    return wanted.scheme in ("http", "https") and (host == "arxiv.org" or host.endswith(".arxiv.org"))


def _papers(found: list[Any], address: str, since: int, until: int) -> Iterator[ArxivPaper]:
    for each in found:
        number = each.get_short_id()
        if not ARXIV_ID.match(number) or not since <= each.published.year <= until:
            continue
        pdf = each.pdf_url or ""
        yield ArxivPaper(
            arxiv_id=number,
            title=one_line(each.title) or number,
            authors=tuple(one_line(author.name) for author in each.authors),
            published=each.published.date().isoformat(),
            abstract=one_line(each.summary, 10_000),
            address=f"https://arxiv.org/abs/{number}",
            pdf=pdf if may_fetch(pdf, address) else "",
        )


def _packages() -> tuple[Any, Any]:
    try:
        import requests

        arxiv = import_module("arxiv")  # it has no types
    except ImportError as missing:
        raise ImportError(INSTALL) from missing
    return arxiv, requests


def _session(requests: Any, delay: float) -> requests.Session:
    """A session that bounds each answer in time and size, and takes nothing but feeds for an answer.

    The package takes a broken page for one without results, and a search would end early without a word.
    """

    class FeedSession(requests.Session):  # type: ignore[misc]
        def get(self, url: str, **options: Any) -> Any:
            answer = super().get(url, timeout=max(TIMEOUT, delay), stream=True, **options)
            body = b"".join(_bounded(answer, requests))
            answer._content = body
            if answer.status_code == requests.codes.OK:
                _demand_feed(body, requests)
            return answer

    return FeedSession()


def _bounded(answer: Any, requests: Any) -> Iterator[bytes]:
    size = 0
    for part in answer.iter_content(2**16):
        size += len(part)
        if size > MAX_FEED:
            raise requests.exceptions.ConnectionError(f"the answer is larger than {MAX_FEED // 2**20} MB")
        yield part


def _demand_feed(body: bytes, requests: Any) -> None:
    from lxml import etree

    atom = "{http://www.w3.org/2005/Atom}"
    try:
        root = etree.fromstring(
            body, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        )
    except etree.XMLSyntaxError as wrong:
        raise requests.exceptions.ConnectionError(f"the answer is no Atom feed: {wrong}") from wrong
    if root.getroottree().docinfo.doctype:  # where bombs and external entities live; the feed is parsed once more later
        raise requests.exceptions.ConnectionError("the answer declares a document type, which no Atom feed does")
    if root.tag != f"{atom}feed":
        raise requests.exceptions.ConnectionError(f"the answer is no Atom feed but <{root.tag}>")
    for entry in root.iterfind(f"{atom}entry"):
        if "/api/errors" in (entry.findtext(f"{atom}id") or ""):  # how arXiv says that it refuses a query
            raise InputError(
                f"arXiv refuses the query: {one_line(entry.findtext(f'{atom}summary') or 'no reason given')}"
            )
