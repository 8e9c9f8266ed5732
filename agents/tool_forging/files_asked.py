"""Tables that a task asks for by the names of files, written once the results are there."""

from __future__ import annotations

from labwright.agents.tool_forging.readers.language.files import tables
from labwright.agents.tool_forging.solution import read_solution
from labwright.tools.errors import InputError
from labwright.tools.forge.tabulating import csv_of
from labwright.tools.forge.workspace import Workspace


def write_files(task: str, workspace: Workspace) -> list[str]:
    """Write every table that the task asks for; what could not be written, one sentence each."""
    wanted = tables(task)
    if not wanted:
        return []
    try:
        results = read_solution(workspace)
    except InputError as absent:
        return [f"{wanted[0].path} cannot be written: {absent}"]
    faults: list[str] = []
    for one in wanted:
        text, missing = csv_of(results, one.columns)
        faults += [f"{one.path}: nothing was computed for the column {name!r}." for name in missing]
        workspace.files.write(one.path, text)
    return faults
