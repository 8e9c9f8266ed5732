"""The first node: choices made whole, a run folder, and a request in words or as a design."""

from __future__ import annotations

import re
from typing import Any

from labwright.graphs.opening import opened
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.retrieving import similar_to
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.protocol_design.workroom import SYSTEM, workroom
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.design import ExperimentDesign, read_design
from labwright.tools.liquid_handler.spreadsheet import is_spreadsheet, read_spreadsheet

Update = dict[str, Any]
MOST_WORDS = 20_000  # characters of a description
_DESIGN = re.compile(r"^(?:chemicals|groups):", re.MULTILINE)


def prepare(state: DesignState) -> Update:
    """Open the run and see what was handed in, or refuse it."""
    begun = opened(state, SYSTEM, Choices)
    room = workroom({**state, **begun})  # type: ignore[typeddict-item]
    room.emit({"kind": "run_started", "run_id": room.run.run_id, "request": state["request"]}, once="run_started")
    empty: Update = {"settled": [], "latest": None, "answers": {}, "assumptions": [], "tags": {}, "warnings": []}
    talk: Update = {"said": [], "turn": "", "path": [], "draft": "", "similar": []}
    quiet: Update = {
        "cause": "",
        "question": None,
        "approved": "",
        "status": "running",
        "reading": None,
        "design": None,
    }
    try:
        started = _begun(state["request"], begun["choices"]["configuration"])
    except InputError as refused:
        started = {"phase": "report", "status": "refused", "cause": str(refused)}
    if started["phase"] in ("understand", "write_steps"):
        talk["similar"] = similar_to(state["request"], room.run, begun["choices"]["retrieve"])
    return {**begun, **empty, **talk, **quiet, **started}


def given_design(request: str) -> ExperimentDesign | None:
    """The design that the request is, as YAML or as a table with one row a vial; None if it is a description.

    Raises:
        InputError: it is one, and does not read.
    """
    if is_spreadsheet(request):
        return read_spreadsheet(request)
    # No description has two such lines.
    return read_design(request) if len(_DESIGN.findall(request)) >= 2 else None


def _begun(request: str, configuration: str) -> Update:
    if not request.strip():
        raise InputError("The request is empty. Describe the experiment: what goes into the vials, and how much.")
    if (design := given_design(request)) is not None:
        if configuration:
            raise InputError("Agents write steps from words; a written design is planned. Leave the configuration out.")
        return {"design": design.model_dump(mode="json"), "phase": "calculate"}
    if len(request) > MOST_WORDS:
        raise InputError(f"The description has {len(request)} characters; at most {MOST_WORDS} are read. Shorten it.")
    return {"phase": "write_steps" if configuration else "understand"}
