"""The conversation: what was said, the runs it started as they go on, the question that waits, and a line to write."""

from __future__ import annotations

import asyncio
from pathlib import Path

from nicegui import ui

from labwright.apps.console import page_frame
from labwright.apps.console.conversation import Talk
from labwright.apps.console.conversation_entries import Entry, owned
from labwright.apps.console.example_cards import RECIPES
from labwright.apps.console.files import run_at
from labwright.apps.console.question_form import LONGEST_DOCUMENT, QuestionForm, picture
from labwright.apps.console.run_card import RunCard
from labwright.apps.console.shared_context import Console
from labwright.graphs.questions import Answer

CONVERSATION = "Conversation"
MOST_SHOWN = 200  # entries; earlier ones lie in the conversation's folder
ABOUT = "Calibrates qubits, searches quantum feature maps, computes with tested tools and plans wet-lab protocols."
# The page follows what is added at its end, unless the person has scrolled up to read.
FOLLOW = """
if (!window.lwFollow) {
  window.lwFollow = true; let atEnd = true, last = scrollY;
  const end = () => document.documentElement.scrollHeight - innerHeight;
  addEventListener('scroll', () => {
    if (scrollY > end() - 120) atEnd = true; else if (scrollY < last) atEnd = false;
    last = scrollY;
  });
  new ResizeObserver(() => { if (atEnd) scrollTo(0, end()); }).observe(document.getElementById('main'));
}"""


async def show(console: Console, name: str) -> None:
    """The conversation `name`; the newest if it is empty."""
    talk = console.talks.newest() if not name else await asyncio.to_thread(console.talks.named, name)
    if talk is None:
        with page_frame.frame("No such conversation", "/"):
            page_frame.heading("There is no such conversation")
            page_frame.link("The newest conversation", "/")
        return
    with page_frame.frame("Conversation", "/"):
        Window(console, talk).draw()


class Window:
    """One window on a talk."""

    def __init__(self, console: Console, talk: Talk) -> None:
        self.console, self.talk = console, talk
        self._count = 0
        self._asked = ""  # id of the question whose form is drawn
        self._cards: set[str] = set()

    def draw(self) -> None:
        """Make the elements and follow the talk."""
        self._above()
        page_frame.paragraph(ABOUT)
        self._welcome = ui.element("details").props("open")
        with self._welcome:
            page_frame.Words("summary", "Recipes to run")
            self._recipes()
        self._said = ui.element("div").classes("lw-stack").props('role=log aria-live=polite aria-label="What was said"')
        self._form = ui.element("div").classes("lw-stack")
        self._busy = page_frame.Words("p", "", "lw-dim").props("role=status")
        self._line()
        self._client = ui.context.client
        self._client.on_delete(self.talk.subscribe(self.refresh))
        self.refresh()

    def _recipes(self) -> None:
        """What a newcomer can run at once; folded once something was said."""
        with ui.element("div").classes("lw-recipes"):
            for recipe in RECIPES:
                with ui.element("section").classes("lw-card lw-stack"):
                    picture = ui.element("img").props("alt=''")
                    picture.props["src"] = f"/pictures/{recipe.picture}.webp"
                    page_frame.heading(recipe.title, 2)
                    page_frame.paragraph(recipe.line)
                    page_frame.paragraph(f"{recipe.takes} · about {minutes(recipe.seconds)}", "lw-hint")
                    with ui.element("div").classes("lw-row lw-end"):
                        run = ui.button("Run", on_click=lambda _, one=recipe: self.talk.start(one.request, one.title))
                        run.props("no-caps").props["aria-label"] = f"Run: {recipe.title}"
                        page_frame.link("Change it first", recipe.form)

    def _above(self) -> None:
        with ui.element("div").classes("lw-row"):
            self._title = page_frame.heading("Labwright")
            self._terms = page_frame.Words("span", "", "lw-dim")
            ui.space()
            ui.button("New conversation", on_click=self._anew).props("outline no-caps dense")
        earlier = [name for name in self.console.talks.earlier()[:20] if name != self.talk.name]
        if earlier:
            with ui.element("details"):
                page_frame.Words("summary", "Earlier conversations")
                with ui.element("ul"):
                    for name in earlier:
                        with ui.element("li"):
                            page_frame.link(name, f"/conversation/{name}")

    def _line(self) -> None:
        with ui.element("form").classes("lw-row lw-composer").on("submit.prevent", self._say):
            self._words = ui.textarea("Say something, or answer").classes("lw-grow")
            self._words.props(f'outlined autogrow maxlength={LONGEST_DOCUMENT} aria-label="Message"')
            self._words.on(
                "keydown.enter", self._say, js_handler="(e) => { if (!e.shiftKey) { e.preventDefault(); emit(); } }"
            )
            ui.button("Send", on_click=self._say).props("no-caps")
            page_frame.paragraph("Enter sends, Shift-Enter begins a new line. /help lists commands.", "lw-hint lw-full")

    def _say(self) -> None:
        words = str(self._words.value or "")
        self._words.value = ""
        if words.strip():
            self.talk.say(words, self._asked)

    def _anew(self) -> None:
        self.console.talks.new()
        ui.navigate.to("/")

    def refresh(self) -> None:
        """Bring the window up to date with the talk."""
        talk = self.talk
        entries = talk.entries
        self._count = max(self._count, len(entries) - MOST_SHOWN)
        with self._said:
            for entry in entries[self._count :]:
                self._entry(entry)
        self._count = len(entries)
        if entries and self._title.text != CONVERSATION:
            self._title.text = CONVERSATION
            self._welcome.props(remove="open")
        if entries:
            self._client.run_javascript(FOLLOW)
        self._busy.text = "The desk is at work." if talk.busy else ""
        terms = talk.terms
        self._terms.text = f"model {terms.mind}, approval {terms.approval}, device {terms.device}"
        wanted = talk.question.id if talk.question is not None else ""
        if wanted != self._asked:
            self._asked = wanted
            self._ask()

    def _ask(self) -> None:
        self._form.clear()
        question = self.talk.question
        if question is not None:
            figures = owned(self.console.root, question.figures)
            with self._form:
                QuestionForm(question, self.talk.asking, figures, self._give, self._folder()).draw()

    def _folder(self) -> Path | None:
        """Of the run that asks; None if the desk does."""
        run = run_at(self.console.root, self.talk.asking) if self.talk.asking else None
        return run.folder if run is not None else None

    def _give(self, answer: Answer, shown: str) -> None:
        self._form.clear()
        self._asked = ""
        self.talk.answer(answer, shown)

    def _entry(self, entry: Entry) -> None:
        if entry.who == "person":
            page_frame.Words("div", entry.text, "lw-said lw-person").props('aria-label="You"')
        elif entry.who in ("note", "wrong"):
            page_frame.Words("pre", entry.text, "lw-said lw-wrong" if entry.who == "wrong" else "lw-dim")
        elif entry.kind in ("started", "ended") and entry.run_id:
            page_frame.Words("div", entry.text, "lw-said")
            if entry.run_id not in self._cards:  # each run once: its card goes on with it to its results
                self._cards.add(entry.run_id)
                RunCard(self.console, entry.run_id).draw()
        else:
            self._reply(entry)

    def _reply(self, entry: Entry) -> None:
        with ui.element("div").classes("lw-said lw-stack"):
            page_frame.Words("div", entry.text)
            if entry.figures:
                with ui.element("div").classes("lw-figures"):
                    for run_id, path in entry.figures[:4]:
                        picture(run_id, path)


def minutes(seconds: float) -> str:
    """A wall time as a newcomer wants to know it."""
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 5):.0f} s"
