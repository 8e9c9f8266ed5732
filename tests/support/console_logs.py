"""Logs that are fed to the console's parts piece by piece, and words that must not do anything in a browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from lxml import html

HOSTILE = "<img src=x onerror=alert(1)>\N{RIGHT-TO-LEFT OVERRIDE}</title><script>alert(2)</script>\"'onload=x"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def numbered(*events: dict[str, Any], after: int = 0) -> list[dict[str, Any]]:
    """`events` with numbers and times, one a second, as in a log."""
    return [
        {"seq": seq, "time": (BEGIN + timedelta(seconds=seq)).isoformat(), **event}
        for seq, event in enumerate(events, start=after + 1)
    ]


def harmless(text: str) -> bool:
    """Whether `text` is HTML in which nothing of `HOSTILE` became an element, an attribute or a turn of direction."""
    tree = html.fromstring(f"<div>{text}</div>")
    handlers = [name for element in tree.iter() for name in element.attrib if str(name).startswith("on")]
    return not tree.xpath("//script|//img[@src='x']") and not handlers and "\N{RIGHT-TO-LEFT OVERRIDE}" not in text


def words(text: str, query: str) -> list[str]:
    """The text of every element that the XPath `query` finds in the HTML `text`."""
    found = html.fromstring(f"<div>{text.replace('<br>', ' ')}</div>").xpath(query)
    return [" ".join(element.text_content().split()) for element in found]
