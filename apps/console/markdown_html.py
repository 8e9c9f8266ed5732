"""Markdown of a report, a question or a model as HTML that can only be read: no raw HTML, no strange pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from labwright.apps.terminal_output import legible

LONGEST = 200_000  # characters of a text that is drawn; a report of a long run has some 50 000


def safe_html(text: str, run_id: str = "") -> str:
    """`text`, Markdown, as HTML.

    Raw HTML is shown as text. A picture is drawn only if its path is relative, and then from the folder of the run
    `run_id`; links lead to http, https, or a file of that folder. Nothing is loaded from elsewhere.
    """
    return str(_parser().render(legible(text[:LONGEST]), {"run_id": run_id}))


def file_url(run_id: str, path: str) -> str:
    """The address under which a file of a run is served."""
    return f"/files/{quote(run_id, safe='')}/{quote(path)}"


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    return parser.enable("table")


class _Renderer(RendererHTML):
    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A picture of the run's own folder; the words of any other."""
        token = tokens[idx]
        words = self.renderInlineAsText(token.children, options, env)
        url = _own(str(token.attrGet("src") or ""), env.get("run_id", ""))
        if not url:
            return escapeHtml(f"[{words}]")
        return f'<img src="{escapeHtml(url)}" alt="{escapeHtml(words)}">'

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A link that cannot tell the other side where it was found."""
        target = str(tokens[idx].attrGet("href") or "")
        own = _own(target, env.get("run_id", ""))
        if urlsplit(target).scheme in ("http", "https"):
            return f'<a href="{escapeHtml(target)}" rel="noopener noreferrer nofollow" target="_blank">'
        return f'<a href="{escapeHtml(own)}">' if own else "<a>"


def _own(target: str, run_id: str) -> str:
    """The address of a file of the run's folder; empty if `target` is none."""
    parts = urlsplit(target)
    plain = parts.scheme or parts.netloc or target.startswith(("/", "\\")) or ".." in target
    return "" if plain or not run_id or not target or target.startswith("#") else file_url(run_id, parts.path)
