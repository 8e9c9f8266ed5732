"""arXiv's interface: paging, failures and retries, strange feeds, PDFs that come in parts."""

from __future__ import annotations

import builtins
from itertools import pairwise

import pytest

from labwright.tools.errors import InputError, UnreachableError
from labwright.tools.knowledge.arxiv import _demand_feed, may_fetch, question, search_arxiv
from labwright.tools.knowledge.downloading import PIECE, download, file_name


def entries(count, year=2022):
    return [(f"{year % 100:02d}05.{i:05d}v1", f"{year}-05-01", f"Paper {i}", "") for i in range(count)]


def searched(arxiv, **changes):
    return search_arxiv(address=arxiv.address, **{"delay": 0, "limit": 100, **changes})


def test_a_search_asks_for_what_the_defaults_say_and_reads_every_field(arxiv):
    arxiv.entries = [("2107.05580v2", "2021-07-12", "Kernels \n and   maps", "")]
    (paper,) = searched(arxiv)
    assert paper.arxiv_id == "2107.05580v2"
    assert paper.title == "Kernels and maps"
    assert paper.published == "2021-07-12"
    assert paper.authors == ("A. Author",)
    assert paper.address == "https://arxiv.org/abs/2107.05580v2"
    assert paper.pdf == f"{arxiv.root}/pdf/2107.05580v2"
    asked = arxiv.requests[0]
    assert "cat%3Aquant-ph+AND+all%3A%22Quantum+Machine+Learning%22" in asked
    assert "submittedDate%3A%5B202001010000+TO+202412312359%5D" in asked


def test_pages_are_followed_until_the_limit(arxiv):
    arxiv.entries = entries(230)
    assert [paper.title for paper in searched(arxiv, limit=210)] == [f"Paper {i}" for i in range(210)]
    assert len(arxiv.requests) == 3
    assert "start=200" in arxiv.requests[-1]


def test_nothing_found_is_no_error(arxiv):
    assert searched(arxiv) == []


@pytest.mark.parametrize("failures", [[503, 503], [429], [0]])
def test_a_busy_server_or_a_torn_feed_is_asked_again(arxiv, failures):
    arxiv.entries, arxiv.failures = entries(2), list(failures)
    assert len(searched(arxiv)) == 2
    assert len(arxiv.requests) == len(failures) + 1


@pytest.mark.parametrize(("failures", "reason"), [([503] * 9, "HTTP 503"), ([0] * 9, "no Atom feed")])
def test_a_server_that_never_answers_sensibly_is_given_up_with_the_reason(arxiv, failures, reason):
    arxiv.entries, arxiv.failures = entries(2), failures
    with pytest.raises(UnreachableError, match=f"after 3 tries.*{reason}"):
        searched(arxiv, retries=2)
    assert len(arxiv.requests) == 3


def test_a_page_of_html_is_not_taken_for_an_empty_result(arxiv):
    arxiv.feed = "<html><body>Sign in to the network</body></html>"
    with pytest.raises(UnreachableError, match="no Atom feed but <html>"):
        searched(arxiv, retries=0)


def test_a_refused_query_names_the_reason(arxiv):
    arxiv.feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#bad</id>'
        "<summary>start must be an integer</summary></entry></feed>"
    )
    with pytest.raises(InputError, match="refuses the query: start must be an integer"):
        searched(arxiv)
    assert len(arxiv.requests) == 1


def test_requests_keep_their_distance(arxiv, tmp_path):
    arxiv.entries = entries(3)
    papers = searched(arxiv)
    arxiv.times.clear()
    download(papers, tmp_path, address=arxiv.address, delay=0.15)
    gaps = [later - earlier for earlier, later in pairwise(arxiv.times)]
    assert len(gaps) == 2
    assert min(gaps) > 0.14


def test_strange_entries_are_left_out(arxiv):
    arxiv.entries = [
        ("../../etc/passwd", "2022-01-01", "a path", ""),
        ("2201.00001v1", "2019-12-31", "too early", ""),
        ("2201.00002v1", "2022-01-01", "good", ""),
        ("2201.00002v1", "2022-01-01", "twice", ""),
        ("quant-ph/0201082v1", "2023-01-01", "old number", "file:///etc/passwd"),
    ]
    found = searched(arxiv)
    assert [paper.title for paper in found] == ["good", "old number"]
    assert found[1].pdf == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"since": 2024, "until": 2020}, "run forwards"),
        ({"category": "quant-ph OR all:x"}, "one of arXiv's"),
        ({"query": '"', "category": ""}, "Give a query"),
        ({"limit": 0}, "between 1 and 2000"),
    ],
)
def test_arguments_that_make_no_sense(arxiv, changes, words):
    with pytest.raises(InputError, match=words):
        searched(arxiv, **changes)
    assert arxiv.requests == []


def test_signs_of_the_query_language_stay_words():
    assert question('x" OR (cat:math', "cs.LG", 2020, 2020).startswith('cat:cs.LG AND all:"x OR cat math"')


def test_the_missing_extra_is_named(monkeypatch, arxiv):
    real = builtins.__import__

    def absent(name, *rest, **more):
        if name == "requests":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match=r"pip install 'labwright\[papers\]'"):
        searched(arxiv)


def test_pdfs_are_fetched_once(arxiv, tmp_path):
    arxiv.entries = entries(2)
    papers, told = searched(arxiv), []
    first = download(papers, tmp_path / "pdf", address=arxiv.address, delay=0, report=told.append)
    assert [each.new for each in first] == [True, True]
    assert told == first
    assert first[0].path.read_bytes() == arxiv.content(papers[0].arxiv_id)
    asked = len(arxiv.requests)
    again = download(papers, tmp_path / "pdf", address=arxiv.address, delay=0)
    assert [(each.new, each.path) for each in again] == [(False, each.path) for each in first]
    assert len(arxiv.requests) == asked


def test_a_pdf_that_broke_off_is_continued_where_it_stopped(arxiv, tmp_path):
    body = b"%PDF-1.4\n" + bytes(range(256)) * 600
    arxiv.entries, arxiv.pdf_failures, arxiv.content = entries(1), [1], lambda _number: body
    (done,) = download(searched(arxiv), tmp_path, address=arxiv.address, delay=0)
    assert done.path.read_bytes() == body
    assert arxiv.ranges == ["", f"bytes={len(body) // 2 // PIECE * PIECE}-"]
    assert [path.name for path in tmp_path.iterdir()] == [done.path.name]


def test_an_interrupted_fetch_is_continued_by_the_next_one(arxiv, tmp_path):
    arxiv.entries = entries(1)
    papers = searched(arxiv)
    arxiv.pdf_failures = [1]
    (failed,) = download(papers, tmp_path, address=arxiv.address, delay=0, retries=0)
    assert failed.path is None
    (done,) = download(papers, tmp_path, address=arxiv.address, delay=0)
    assert done.path.read_bytes() == arxiv.content(papers[0].arxiv_id)


@pytest.mark.parametrize(
    ("failures", "requests", "reason"),
    [([503, 2], 3, ""), ([503] * 9, 4, "HTTP 503"), ([2] * 9, 4, "no PDF"), ([404], 1, "does not exist")],
)
def test_failures_of_one_pdf_do_not_stop_the_others(arxiv, tmp_path, failures, requests, reason):
    arxiv.entries = entries(1)
    papers = searched(arxiv)
    arxiv.pdf_failures, before = list(failures), len(arxiv.requests)
    (done,) = download(papers, tmp_path, address=arxiv.address, delay=0)
    assert len(arxiv.requests) - before == requests
    assert (done.path is None) == bool(reason)
    assert reason in done.reason
    arxiv.pdf_failures = []
    assert download(papers, tmp_path, address=arxiv.address, delay=0)[0].path is not None


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://arxiv.org/pdf/1", True),
        ("https://export.arxiv.org/pdf/1", True),
        ("http://127.0.0.1:8000/pdf/1", True),
        ("http://127.0.0.1:9000/pdf/1", False),
        ("http://notarxiv.org/pdf/1", False),
        ("http://arxiv.org.evil.net/1", False),
        ("file:///etc/passwd", False),
        ("ftp://arxiv.org/1", False),
        ("", False),
    ],
)
def test_pdfs_come_from_the_server_asked_or_from_arxiv(url, allowed):
    assert may_fetch(url, "http://127.0.0.1:8000/api/query") is allowed


@pytest.mark.parametrize("number", ["../2107.05580", "2107.05580/../../x", "/etc/passwd", "", "a\0b"])
def test_a_number_never_leads_out_of_the_folder(number):
    with pytest.raises(InputError, match="no number of a paper"):
        file_name(number)
    assert file_name("quant-ph/0201082v1") == "quant-ph_0201082v1.pdf"


requests = pytest.importorskip("requests")
FEED = '<feed xmlns="http://www.w3.org/2005/Atom"><title>{}</title></feed>'
BOMB = '<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE feed [<!ENTITY b SYSTEM "file:///etc/hostname">]>'


def test_a_plain_feed_passes() -> None:
    _demand_feed(FEED.format("fine").encode(), requests)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("head", [BOMB, OUTSIDE, "<!DOCTYPE feed>"])
def test_a_document_type_is_refused(head: str, encoding: str) -> None:
    body = f'<?xml version="1.0" encoding="{encoding}"?>' + head + FEED.format("&b;" if "ENTITY" in head else "x")
    with pytest.raises(requests.exceptions.ConnectionError, match="document type"):
        _demand_feed(body.encode(encoding), requests)
