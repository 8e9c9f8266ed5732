"""``labwright toolset``: look at your forged tools and those that come with Labwright, and prove them again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from labwright.apps.exits import FAILED, endings
from labwright.apps.terminal_output import err, escape, out
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from labwright.tools.forge.toolset.gate_findings import GateReport
    from labwright.tools.forge.toolset.toolset import Toolset

app = typer.Typer(no_args_is_help=True, help="Forged tools: list, show, add, check, prove.")
Folder = Annotated[Path | None, typer.Option("--toolset", metavar="FOLDER", help="This one, without the shipped.")]


@app.command("list")
def list_tools(folder: Folder = None) -> None:
    """Your tools and those that come with Labwright, with versions and uses; broken ones with the reason."""
    with endings():
        from labwright.tools.forge.toolset.client import other_versions

        toolset = _opened(folder)
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("tool", "folder", "version", "mutants", "uses", "purpose"):
            table.add_column(title, overflow="fold", no_wrap=title == "tool")
        for tool in toolset.tools():
            mutants = tool.record.report.get("mutants", {})
            seen = f"{mutants.get('killed', 0)}/{mutants.get('total', 0)}"
            cells = [tool.name, tool.folder, str(tool.record.version), seen, str(len(toolset.uses(tool.name)))]
            table.add_row(*map(escape, [*cells, tool.contract.purpose]))
        out().print(table)
        for tool in toolset.tools():
            if other := other_versions(tool.record.report.get("versions", {})):
                words = f"{tool.name}: admitted with {', '.join(other)}; `labwright toolset check {tool.name}`"
                out().print(f"[yellow]versions[/]  {escape(words)}", soft_wrap=True)
        for broken in toolset.broken():
            out().print(f"[red]broken[/]  {escape(broken.name)}: {escape(broken.reason)}", soft_wrap=True)


@app.command()
def show(name: Annotated[str, typer.Argument(help="Of the tool.")], folder: Folder = None) -> None:
    """A tool's contract, how it is called, and its fields."""
    with endings():
        out().print(escape(_opened(folder).describe(name)), soft_wrap=True)


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="Of one tool; all your own if left out.")] = "", folder: Folder = None
) -> None:
    """Put tools through the admission gate again, with the packages that are installed now.

    One that passes with other versions of its packages than those in its record gets a new record, as a next version.
    """
    with endings():
        from labwright.tools.forge.gate import GateBench
        from labwright.tools.forge.toolset.client import other_versions
        from labwright.tools.sandbox import open_sandbox

        toolset = _opened(folder)
        chosen = [toolset.find(name)] if name else toolset.own()
        failed = [broken.name for broken in toolset.broken()]
        sandbox = open_sandbox()
        for tool in chosen:
            with GateBench(sandbox, toolset) as bench:
                report = bench.report(tool.candidate)
            failed += [] if report.passed else [tool.name]
            if report.passed and other_versions(tool.record.report.get("versions", {})):
                toolset.admit(tool.candidate, report, tool.record.made_by, tool.folder)
            say(tool.name, report)
        if failed:
            out().print(f"{len(failed)} of {len(chosen)} do not pass: {escape(', '.join(failed))}", soft_wrap=True)
            raise typer.Exit(FAILED)
        out().print(f"All {len(chosen)} pass.")


@app.command()
def add(
    file: Annotated[Path, typer.Argument(help="NAME.py, with test_NAME.py and contract.yaml beside it.")],
    folder: Folder = None,
) -> None:
    """Put a tool of your own through the gate, and into a toolset."""
    with endings():
        from labwright.tools.forge.gate import GateBench
        from labwright.tools.forge.toolset.builtin_tools import draft_at
        from labwright.tools.sandbox import open_sandbox

        toolset, candidate = _opened(folder), draft_at(file)
        with GateBench(open_sandbox(), toolset) as bench:
            report = bench.report(candidate)
        say(candidate.name, report)
        if not report.passed:
            raise typer.Exit(FAILED)
        tool = toolset.admit(candidate, report, made_by="a person")
        out().print(f"{escape(tool.module)}, version {tool.record.version}", soft_wrap=True)


@app.command()
def prove(
    names: Annotated[list[str] | None, typer.Argument(help="Of tools that come with Labwright; all if none.")] = None,
    keep: Annotated[bool, typer.Option(help="Write the gate's record of each that passes.")] = False,
) -> None:
    """Put the tools that come with Labwright through the gate."""
    with endings():
        from labwright.tools.forge.toolset.builtin_tools import Toolbox
        from labwright.tools.sandbox import open_sandbox

        reports = Toolbox().prove(open_sandbox(), names or (), say, keep)
        refused = [report.name for report in reports if not report.passed]
        out().print(f"{len(reports) - len(refused)} pass, {len(refused)} do not", soft_wrap=True)
        if refused:
            raise typer.Exit(FAILED)


def say(name: str, report: GateReport | None) -> None:
    """One line about a tool at the gate."""
    if report is None:
        err().print(f"{escape(name)}  left out: its package is not installed", soft_wrap=True)
        return
    mutants, seconds = report.mutants, sum(report.seconds.values())
    found = "; ".join(str(one) for one in report.findings)
    words = found or f"{mutants.killed} of {mutants.total} mutants seen"
    err().print(
        f"{escape(name)}  {'ok' if report.passed else 'REFUSED'}  {seconds:.1f} s  {escape(words)}", soft_wrap=True
    )


def _opened(folder: Path | None) -> Toolset:
    from labwright.agents.settings import Settings
    from labwright.tools.forge.toolset.builtin_tools import Toolbox
    from labwright.tools.forge.toolset.toolset import Toolset

    if folder is None:
        return Toolset(Settings().state.absolute() / "toolset", Toolbox())
    path = folder.expanduser()
    if not path.is_dir():
        raise InputError(f"There is no toolset {str(folder)!r}. `labwright forge --toolset {folder}` begins one.")
    return Toolset(path)
