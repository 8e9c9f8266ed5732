"""What a node is, as metadata that drawings, Studio and traces show. Nodes without one prepare, route or report."""

from __future__ import annotations

AGENT = {"kind": "agent"}  # a role decides: a model, or its built-in policy
TOOL = {"kind": "tool"}  # code that measures, computes or writes
CHECK = {"kind": "check"}  # code that looks for faults
PERSON = {"kind": "person"}  # somebody is asked
