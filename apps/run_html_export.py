"""A run as one HTML file to send to somebody: results, report with its figures inside, specification, versions."""

from __future__ import annotations

import re
from base64 import b64encode
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote

import jinja2
from markupsafe import Markup

from labwright.apps.console.files import PICTURES, REPORT, served
from labwright.apps.console.markdown_html import safe_html
from labwright.apps.console.summary import duration, key_results, results_table
from labwright.apps.terminal_output import legible
from labwright.graphs.front_desk.facts import asked_of
from labwright.tools.errors import InputError
from labwright.tools.runs import Run, summarise, write_atomic

_IMAGE = re.compile(r'<img src="/files/[^"/]+/([^"]+)" alt="([^"]*)">')
_LINK = re.compile(r'<a href="/files/[^"]*">')  # to files that do not go with the page
_TITLE = re.compile(r"\A\s*<h1>.*?</h1>", re.DOTALL)  # of the report: the page has its own
_PAGE = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
    """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{{ title }}</title>
<style>
:root { color-scheme: light dark; --line: #8888; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
body { overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; } img { max-width: 100%; background: #fff; border-radius: 4px; }
table { border-collapse: collapse; display: block; overflow-x: auto; max-width: 100%; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.lw-number { text-align: right; font-variant-numeric: tabular-nums; } pre { white-space: pre-wrap; font-size: .875rem; }
.about { opacity: .8; } @media print { details:not([open]) { display: none; } }
</style></head><body>
<h1>{{ title }}</h1>
<p class="about">{{ about }}</p>
<h2>Results</h2>{{ results or "None." }}
{{ report }}
{% if spec %}<details><summary>Specification</summary><pre>{{ spec }}</pre></details>{% endif %}
<p class="about">Made with Labwright; {{ versions }}.</p>
</body></html>
"""
)


def as_page(run: Run) -> str:
    """The whole page. Nothing in it is loaded from elsewhere, and nothing in it runs.

    Raises:
        InputError: the run has no report yet.
    """
    try:
        text = (run.folder / REPORT).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise InputError(
            f"Run {run.run_id} has no report yet. Let it end: labwright runs resume {run.run_id}"
        ) from None
    state, spec = summarise(run), run.folder / "spec.yaml"
    took = f", took {spent}" if (spent := duration(run)) else ""
    drawn = _LINK.sub("<a>", _IMAGE.sub(lambda found: _inside(run, *found.groups()), safe_html(text, run.run_id)))
    begun = f"Begun {run.record.created[:16].replace('T', ' ')} UTC, seed {run.record.seed}."
    return _PAGE.render(
        title=legible(asked_of(run, 90)),
        about=f"{run.run_id}: {state.status}{took}. {begun} {legible(state.reason)}",
        results=Markup(results_table(key_results(run))),  # which escapes
        report=Markup(_TITLE.sub("", drawn)),  # safe_html lets no HTML of the text through
        spec=legible(spec.read_text(encoding="utf-8")) if spec.is_file() else "",
        versions=", ".join(f"{name} {version}" for name, version in run.record.versions.items()),
    )


def save_page(run: Run, place: Path) -> None:
    """Write `as_page` to `place`. Raises as it does.

    Raises:
        InputError: `place` exists.
    """
    if place.exists():
        raise InputError(f"{place} exists already. Give another place with `--out`, or remove it.")
    write_atomic(place, as_page(run).encode())


def _inside(run: Run, path: str, words: str) -> str:
    """A picture of the run's folder as part of the page; its words where it is gone."""
    name = unquote(unescape(path))
    found = served(run, name)
    kind = PICTURES.get(Path(name).suffix.lower())
    if found is None or kind is None:
        return escape(f"[{unescape(words)}]")
    return f'<img src="data:{kind};base64,{b64encode(found.read_bytes()).decode()}" alt="{words}">'
