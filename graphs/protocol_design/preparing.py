"""The first node: choices made whole, and a run folder."""

from __future__ import annotations

import re
from typing import Any

from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.run_context import SYSTEM, Workroom, workroom
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.run_creation import opened
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.spreadsheet_reader import is_spreadsheet, read_spreadsheet
from labwright.tools.specifications.base import VERSION
from labwright.tools.specifications.kinds import typed
from labwright.tools.specifications.yaml_files import is_document, read_document

Update = dict[str, Any]
MOST_WORDS = 20_000  # characters of a description
_DESIGN = re.compile(r"^(?:chemicals|groups):", re.MULTILINE)


def prepare(state: DesignState) -> Update:
    """Open the run; refuse a request that is empty or too long."""
    begun = opened(state, SYSTEM, Choices)
    room = workroom({**state, **begun})  # type: ignore[typeddict-item]
    room.emit({"kind": "run_started", "run_id": room.run.run_id, "request": state["request"]}, once="run_started")
    fresh: Update = {"words": state["request"], "draft": {}, "correction": "", "asks": 0, "tags": {}, "warnings": []}
    fresh |= {"facts": {}, "design": None, "proposed": {}, "proposed_words": "", "written": {}}
    fresh |= {"approvals": 0, "signings": 0, "refused": "", "unsigned": []}
    why = _unfit(state["request"]) or _unread_inventory(room)
    ending: Update = {"phase": "report", "status": "refused", "cause": why} if why else {"phase": "understand"}
    return {**begun, **fresh, "status": "running", "cause": "", **ending}


def _unread_inventory(room: Workroom) -> str:
    """What is wrong with the laboratory's list of substances; it is said before anything is asked."""
    try:
        _ = room.inventory
    except InputError as wrong:
        return str(wrong)
    return ""


def _unfit(request: str) -> str:
    if not request.strip():
        return "The request is empty. Describe the experiment: what goes into the vials, and how much."
    if len(request) > MOST_WORDS and not is_written(request):
        return f"The description has {len(request)} characters; at most {MOST_WORDS} are read. Shorten it."
    return ""


def is_written(request: str) -> bool:
    """Whether it is a specification or a table rather than words."""
    # No description has two such lines.
    return is_spreadsheet(request) or is_document(request) or len(_DESIGN.findall(request)) >= 2


def given_protocol(request: str) -> dict[str, Any] | None:
    """Plain data of the protocol that the request is, as YAML or as a table with one row a vial; None for words.

    Raises:
        InputError: it is one, and does not read, or is for another system.
    """
    if is_spreadsheet(request):
        plain = read_spreadsheet(request).model_dump(mode="json", exclude_defaults=True)
        return {"spec": VERSION, "system": SYSTEM, **plain}
    if not is_written(request):
        return None
    document = read_document(request)
    data = {"spec": VERSION, "system": SYSTEM, **document.data}
    if data["system"] != SYSTEM:
        raise InputError(f"This specification is for {data['system']}. Start it with: labwright run")
    typed(data, lines=document.lines)
    return data
