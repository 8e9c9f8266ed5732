"""The frame of every page: header, navigation, skip link, colours, and what keeps it readable at 400 % zoom."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from labwright.apps.terminal_output import legible

# Okabe and Ito's colours, which people with every kind of colour vision tell apart. Never the only sign of anything.
COLOURS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "vermillion": "#D55E00",
    "purple": "#CC79A7",
    "yellow": "#F0E442",
}
NAVIGATION = (
    ("/", "Conversation"),
    ("/new", "New"),
    ("/runs", "Runs"),
    ("/library", "Library"),
    ("/costs", "Costs"),
)
# Status -> mark, colour. The mark and the word tell it without the colour.
MARKS = {
    "running": ("▶", "blue"),
    "complete": ("✓", "green"),
    "failed": ("✗", "vermillion"),
    "refused": ("⊘", "vermillion"),
    "stopped": ("⏸", "orange"),
    "interrupted": ("?", "purple"),
    "dead": ("†", "orange"),
    "corrupt": ("!", "vermillion"),
}
WORDS = {"interrupted": "waits for an answer", "dead": "broken off"}

CSS = (
    ":root { "
    + " ".join(f"--lw-{name}: {value};" for name, value in COLOURS.items())
    + """ --lw-line: #8a8a8a; --lw-soft: #f2f4f6; }
body.body--dark { --lw-soft: #1c2226; --lw-line: #777; --lw-link: var(--lw-sky); }
body.body--light { --lw-link: var(--lw-blue); }
body { font-size: 1rem; }
.lw-skip { position: absolute; left: -999rem; top: 0; z-index: 9999; padding: .5rem 1rem;
  background: #fff; color: #000; }
.lw-skip:focus { left: 0; }
*:focus-visible, .q-btn:focus-visible { outline: 3px solid var(--lw-orange) !important; outline-offset: 2px; }
.lw-header { background: #003a5c; color: #fff; flex-wrap: wrap; gap: .25rem 1.25rem; padding: .5rem 1rem; }
.lw-header a { color: #fff; text-decoration: none; padding: .25rem .25rem; border-bottom: 3px solid transparent; }
.lw-header a[aria-current=page] { border-bottom-color: var(--lw-orange); font-weight: 700; }
.nicegui-content { padding: 1rem; gap: 1rem; max-width: 100rem; margin: 0 auto; width: 100%; align-items: stretch; }
.lw-main h1 { font-size: 1.5rem; line-height: 1.3; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
.lw-main h2 { font-size: 1.15rem; line-height: 1.3; font-weight: 600; margin: 1rem 0 .25rem; }
.lw-main h3 { font-size: 1rem; line-height: 1.3; font-weight: 600; margin: .75rem 0 .25rem; }
.lw-main a { color: var(--lw-link); }
.lw-main { overflow-wrap: anywhere; min-width: 0; width: 100%; }
.lw-main pre { white-space: pre-wrap; }
.lw-stack { display: flex; flex-direction: column; gap: .75rem; align-items: stretch; width: 100%; }
.lw-row { display: flex; flex-flow: row wrap; gap: .5rem .75rem; align-items: center; }
.lw-card { border: 1px solid var(--lw-line); border-radius: 6px; padding: .75rem 1rem; min-width: 0; }
.lw-said { background: var(--lw-soft); border-radius: 6px; padding: .6rem .9rem; white-space: pre-wrap; }
.lw-person { border-left: 4px solid var(--lw-blue); }
.lw-ask { border: 2px solid var(--lw-purple); }
.lw-wrong { border-left: 4px solid var(--lw-vermillion); }
.lw-scroll { overflow-x: auto; max-width: 100%; }
.lw-table { border-collapse: collapse; }
.lw-table th, .lw-table td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--lw-line);
  vertical-align: top; overflow-wrap: break-word; }
.lw-table td.lw-number, .lw-table th.lw-number { text-align: right; font-variant-numeric: tabular-nums; }
.lw-main td.lw-number { white-space: nowrap; }
.lw-main p { margin: 0; }
.lw-main p:empty, .lw-stack:empty { display: none; }
.lw-main summary { display: list-item; cursor: pointer; }
.lw-main caption { text-align: left; opacity: .8; padding-bottom: .25rem; }
.lw-full { width: 100%; }
.lw-choice { min-width: 11rem; }
.lw-halves { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
.lw-report table { border-collapse: collapse; display: block; overflow-x: auto; max-width: 100%; }
.lw-report th, .lw-report td { text-align: left; padding: .25rem .75rem .25rem 0; }
.lw-report th { border-bottom: 1px solid var(--lw-line); }
.lw-report p { margin: .5rem 0; }
.lw-filled:empty, .lw-halves:not(:has(.lw-filled:not(:empty))):has(.lw-filled) { display: none; }
.lw-grow { flex: 1 1 20rem; min-width: 0; }
.lw-yaml textarea { font-family: ui-monospace, monospace; font-size: .875rem; line-height: 1.45; }
.lw-problem { border-left: 4px solid var(--lw-vermillion); padding-left: .5rem; font-weight: 600; }
.lw-main fieldset.lw-card { margin: 0; }
.lw-main legend { font-weight: 600; padding: 0 .25rem; }
.lw-short { align-self: flex-start; }
.lw-hint { font-size: .85rem; opacity: .8; }
.lw-main fieldset.lw-stack { width: auto; }
.lw-sign { max-width: 48rem; }
.lw-status[role=alert], p.lw-status { white-space: normal; }
.lw-recipes { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 1rem; }
.lw-recipes img { width: 100%; aspect-ratio: 3 / 2; object-fit: contain; background: #fff; border-radius: 4px; }
.lw-recipes h2 { margin: 0; }
.lw-end { margin-top: auto; }
.lw-composer { position: sticky; bottom: 0; padding: .5rem 0; background: #fff; z-index: 5; }
.body--dark .lw-composer { background: #121212; }
.lw-composer textarea { max-height: 30vh; }
.lw-composer .lw-grow { flex-basis: 10rem; }
@media (max-width: 40rem) { .lw-composer .lw-hint { display: none; } }
.body--dark .lw-main .q-btn--outline { --q-primary: var(--lw-sky); }
.lw-item { flex-wrap: nowrap; align-items: flex-start; }
.lw-item > .q-btn { flex: none; white-space: nowrap; }
.lw-main details > * { box-sizing: border-box; }
.lw-document { font-family: ui-monospace, monospace; font-size: .875rem; margin: 0; }
.lw-beside { position: sticky; top: 1rem; align-self: start; }
.lw-field { min-width: min(100%, 16rem); }
.lw-status { font-weight: 600; white-space: nowrap; }
.lw-status b { display: inline-block; min-width: 1.2em; }
.lw-dim { opacity: .8; }
.lw-figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: .75rem; }
.lw-figures figure { margin: 0; min-width: 0; }
.lw-figures img, .lw-report img { max-width: 100%; height: auto; background: #fff; }
.lw-figures figcaption { font-size: .85rem; }
.body--dark .lw-plot .main-svg text { fill: #ddd !important; }
.body--dark .lw-plot .modebar-btn path { fill: #aaa !important; }
.lw-contents { border-bottom: 1px solid var(--lw-line); padding-bottom: .25rem; }
.lw-main ul { margin: .25rem 0; padding-left: 1.25rem; }
.lw-sides { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem; }
@media (max-width: 60rem) { .lw-sides { grid-template-columns: minmax(0, 1fr); } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
"""
)


class Words(TextElement):
    """An HTML element that holds text and nothing else: whatever stands in it is shown as it is, never obeyed."""

    def __init__(self, tag: str, text: str, classes: str = "") -> None:
        super().__init__(tag=tag, text=legible(text))
        if classes:
            self.classes(classes)


@contextmanager
def frame(title: str, here: str = "") -> Iterator[None]:
    """The page around the block: `here` is the path that the navigation marks as the present one."""
    ui.page_title(f"{legible(title)} · Labwright")
    ui.colors(primary=COLOURS["blue"], secondary=COLOURS["purple"], accent=COLOURS["orange"], dark="#15191c")
    dark = ui.dark_mode(None)
    with ui.header(fixed=False).classes("lw-header"):
        Words("a", "Skip to the content", "lw-skip").props('href="#main"')
        with ui.element("nav").props('aria-label="Pages"').classes("lw-row"):
            for path, name in NAVIGATION:
                entry = Words("a", name).props(f'href="{path}"')
                if path == here:
                    entry.props("aria-current=page")
        ui.space()
        _colours(dark)
    with ui.element("div").props('id="main" tabindex="-1"').classes("lw-main lw-stack"):
        yield


def _colours(dark: ui.dark_mode) -> None:
    """Light or dark, for this window; at first what the system says."""
    ways = {"as the system": None, "light": False, "dark": True}

    def choose() -> None:
        dark.value = ways[str(chosen.value)]

    chosen = ui.select(list(ways), value="as the system", on_change=choose)
    chosen.props('dense borderless dark options-dense aria-label="Colours"')


def heading(text: str, level: int = 1) -> Words:
    """A heading."""
    return Words(f"h{level}", text)


def paragraph(text: str, classes: str = "") -> Words:
    """Text as it is."""
    return Words("p", text, classes)


def link(text: str, path: str) -> Words:
    """A link to a page of the console; `path` comes from code, never from a text."""
    made = Words("a", text)
    made.props["href"] = path  # not through a call of `props`, which parses quotation marks
    return made


def status_words(status: str) -> tuple[str, str, str]:
    """Mark, word and colour of a run's status."""
    mark, colour = MARKS.get(status, ("·", "blue"))
    return mark, WORDS.get(status, status), f"var(--lw-{colour})"


class StatusChip:
    """A run's status as a mark and a word, which can change."""

    def __init__(self, status: str) -> None:
        self._shown = Words("span", "", "lw-status").props("role=status")
        self.show(status)

    def show(self, status: str) -> None:
        """Show another status."""
        mark, word, colour = status_words(status)
        self._shown.text = f"{mark} {word}"
        self._shown.style(f"border-left: .6em solid {colour}; padding-left: .4em")
