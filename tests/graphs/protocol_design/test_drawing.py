"""Every phase has a node. The drawing is held by tests/graphs/test_drawings.py."""

from __future__ import annotations

from typing import get_args

import pytest

from labwright.graphs.protocol_design.graph import Node, route
from labwright.graphs.protocol_design.state import Phase


@pytest.mark.parametrize("phase", get_args(Phase))
def test_every_phase_has_a_node(phase: Phase) -> None:
    assert route({"phase": phase}) in get_args(Node)
