"""``labwright doctor``: what is installed, which sandbox, which stores, whether a model answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import typer
from rich.table import Table

from labwright.apps import doctor_probes
from labwright.apps.calibrate import Json
from labwright.apps.doctor_probes import Finding, probed
from labwright.apps.exits import ENVIRONMENT, complain, endings
from labwright.apps.output_writing import write_document
from labwright.apps.terminal_output import escape, out, plain_table
from labwright.tools.runs import runs_root

STYLE = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "missing": "[bold red]missing[/]"}
SETTINGS = "Check LABWRIGHT_MODEL, LABWRIGHT_BASE_URL and LABWRIGHT_API_KEY."


def doctor(json_file: Json = None) -> None:
    """Look at this machine and say what works, what does not, and what fixes it."""
    with endings():
        found = examine()
        out().print(table_of(found))
        bad = [each for each in found if each.level == "missing"]
        status = "failed" if bad else "complete"
        reason = f"Missing: {', '.join(each.name for each in bad)}." if bad else ""
        result = {"findings": [asdict(each) for each in found]}
        document = {"run_id": "", "system": "doctor", "status": status, "reason": reason, "result": result}
        write_document(json_file, document)
        if bad:
            complain(f"{reason} The last column says what fixes it.")
            raise typer.Exit(ENVIRONMENT)


def examine() -> list[Finding]:
    """Every finding, essential ones first."""
    return [
        doctor_probes.python(),
        *doctor_probes.packages(),
        doctor_probes.links(),
        probed("run folder", lambda: doctor_probes.run_folder(runs_root()), essential=True),
        probed(
            "checkpoints", doctor_probes.checkpoints, essential=True, mend="pip install langgraph-checkpoint-sqlite"
        ),
        probed("vector store", doctor_probes.vector_store, essential=True, mend="pip install chromadb"),
        probed("sandbox", doctor_probes.sandbox, essential=False),
        probed("model", doctor_probes.model, essential=True, mend=SETTINGS),
    ]


def table_of(found: Sequence[Finding]) -> Table:
    """The findings as a table."""
    table = plain_table("part", "", "found", "fix")
    for each in found:
        table.add_row(each.name, STYLE[each.level], escape(each.found), escape(each.mend))
    return table
