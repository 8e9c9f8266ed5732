"""``labwright papers``: the papers that a search consults."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from labwright.apps.calibrate import Json, Quiet
from labwright.apps.exits import endings
from labwright.apps.output_files import write_document
from labwright.apps.terminal_output import err, escape, out
from labwright.tools.errors import InputError, UnreachableError

if TYPE_CHECKING:
    from labwright.tools.knowledge.downloading import Fetched
    from labwright.tools.knowledge.papers import PaperStore, Passage, StoredPaper

SHOWN = 400  # characters of a passage on the screen; the document of --json holds it whole
NUMBER = 10  # digits of a paper's number on the screen

app = typer.Typer(no_args_is_help=True, help="Papers to consult: add files, fetch from arXiv, search, list, remove.")
Store = Annotated[Path | None, typer.Option("--store", help="Folder of the store; LABWRIGHT_STATE/papers if unset.")]


@app.command()
def add(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="PDF, .txt or .md files, or folders.")],
    store: Store = None,
    json_file: Json = None,
) -> None:
    """Add papers from files and folders; a paper that is there already stays as it is."""
    with endings():
        opened = _store(store)
        new: list[StoredPaper] = []
        known: list[StoredPaper] = []
        refused: list[tuple[str, str]] = []
        for path in paths:
            added = opened.add(path)
            new += added.new
            known += added.known
            refused += added.refused
        for paper in new:
            out().print(f"[green]added[/]   {escape(paper.title)} [dim]({paper.passages} passages)[/]", soft_wrap=True)
        for paper in known:
            out().print(f"[dim]known[/]   {escape(paper.title)}", soft_wrap=True)
        for name, reason in refused:
            err().print(f"[yellow]left out[/] {escape(name)}: {escape(reason)}", soft_wrap=True)
        out().print(f"{len(new)} new, {len(known)} known, {len(refused)} left out; the store holds {opened.count()}.")
        plain = {"new": [*map(_plain, new)], "known": [*map(_plain, known)], "left_out": [*map(list, refused)]}
        write_document(json_file, _document(plain))
        if refused and not new and not known:
            raise InputError("No paper could be read. The lines above say why.")


@app.command()
def fetch(
    query: Annotated[
        str, typer.Option(help="Words that must stand together in the paper.")
    ] = "Quantum Machine Learning",
    category: Annotated[str, typer.Option(help="Category of arXiv; empty for every one.")] = "quant-ph",
    since: Annotated[int, typer.Option(help="First year.")] = 2020,
    until: Annotated[int, typer.Option(help="Last year.")] = 2024,
    limit: Annotated[int, typer.Option(help="Most papers.")] = 50,
    pdf_folder: Annotated[
        Path | None, typer.Option("--pdf", help="Where PDFs are kept; in the store if unset.")
    ] = None,
    address: Annotated[str, typer.Option(help="Of arXiv's interface, or a mirror of it.")] = "",
    delay: Annotated[float, typer.Option(min=0.0, help="Seconds between requests; arXiv asks for 3.")] = 3.0,
    store: Store = None,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Search arXiv, fetch the PDFs and add them; go on where an interrupted fetch stopped."""
    with endings():
        from labwright.tools.knowledge.arxiv import ADDRESS, search_arxiv
        from labwright.tools.knowledge.downloading import download

        opened, server = _store(store), address or ADDRESS
        found = search_arxiv(query, category, since, until, limit, address=server, delay=delay)
        if not quiet:
            err().print(f"arXiv knows {len(found)} such papers (at most {limit} were asked for).")
        folder = pdf_folder or _folder(store) / "pdf"
        outcomes = download(found, folder, address=server, delay=delay, report=None if quiet else _report)
        failed = [(each.paper.arxiv_id, each.reason) for each in outcomes if each.path is None]
        new, refused = _add_fetched(opened, outcomes)
        out().print(
            f"{len(found)} found, {sum(each.new for each in outcomes)} fetched, {new} new in the store,"
            f" {len(failed) + len(refused)} left out; the store holds {opened.count()}."
        )
        write_document(
            json_file, _document({"found": len(found), "new": new, "left_out": [*map(list, failed + refused)]})
        )
        if failed and len(failed) == len(outcomes):
            raise UnreachableError(f"No PDF could be had. The first: {failed[0][1]}")


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What a passage should be about.")],
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="Papers to name.")] = 3,
    store: Store = None,
    json_file: Json = None,
) -> None:
    """The papers nearest to a question, each with its best passage."""
    with endings():
        found = _store(store).search(query, k)
        for passage in found:
            _show(passage)
        if not found:
            out().print("Nothing found. Add papers first: labwright papers add PATH")
        write_document(json_file, _document({"passages": [*map(_plain, found)]}))


@app.command("list")
def list_command(store: Store = None, json_file: Json = None) -> None:
    """Every paper of the store."""
    with endings():
        found = _store(store).papers()
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("number", "title", "source", "pages", "passages"):
            table.add_column(title, overflow="fold", justify="right" if title in ("pages", "passages") else "left")
        for each in found:
            table.add_row(
                each.paper[:NUMBER], escape(each.title), escape(each.source), str(each.pages), str(each.passages)
            )
        out().print(table if found else "The store is empty. Add papers: labwright papers add PATH")
        write_document(json_file, _document({"papers": [*map(_plain, found)]}))


@app.command()
def remove(
    paper: Annotated[str, typer.Argument(metavar="NUMBER", help="Its number, as the list shows it.")],
    store: Store = None,
) -> None:
    """Forget a paper; its file stays where it is."""
    with endings():
        out().print(f"removed {escape(_store(store).remove(paper).title)}", soft_wrap=True)


def _folder(chosen: Path | None) -> Path:
    from labwright.agents.settings import Settings

    return chosen or Settings().state / "papers"


def _store(chosen: Path | None) -> PaperStore:
    from labwright.agents.settings import Settings
    from labwright.graphs.feature_map_search.langchain_papers import open_embedder
    from labwright.tools.knowledge.papers import PaperStore

    settings = Settings()
    return PaperStore(_folder(chosen), open_embedder(settings.embedding), server=settings.chroma_url)


def _report(fetched: Fetched) -> None:
    mark = "[green]fetched[/] " if fetched.new else "[dim]have[/]    " if fetched.path else "[yellow]left out[/]"
    reason = f": {escape(fetched.reason)}" if fetched.reason else ""
    err().print(f"{mark} {fetched.paper.arxiv_id}  {escape(fetched.paper.title)}{reason}", soft_wrap=True)


def _add_fetched(store: PaperStore, outcomes: list[Fetched]) -> tuple[int, list[tuple[str, str]]]:
    """How many papers are new in the store, and which PDFs cannot be read."""
    new, refused = 0, []
    for each in outcomes:
        if each.path is None:
            continue
        try:
            new += len(store.add(each.path, title=each.paper.title, source=each.paper.address).new)
        except InputError as wrong:
            refused.append((each.paper.arxiv_id, str(wrong)))
            err().print(f"[yellow]left out[/] {each.paper.arxiv_id}: {escape(str(wrong))}", soft_wrap=True)
    return new, refused


def _show(passage: Passage) -> None:
    pages = (
        f"{passage.first_page}-{passage.last_page}" if passage.last_page > passage.first_page else passage.first_page
    )
    console = out()
    console.print(f"[bold]{escape(passage.title)}[/]  [dim]{escape(passage.source)}, page {pages}[/]", soft_wrap=True)
    text = " ".join(passage.text.split())
    console.print(escape(text[:SHOWN] + (" ..." if len(text) > SHOWN else "")))
    console.print()


def _plain(each: StoredPaper | Passage) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(each)


def _document(result: dict[str, Any]) -> dict[str, Any]:
    return {"run_id": "", "system": "papers", "status": "complete", "reason": "", "result": result}
