"""An answer from outside is no Atom feed if it declares a document type: no entity of it is ever expanded."""

from __future__ import annotations

import pytest

from labwright.tools.knowledge.arxiv import _demand_feed

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
