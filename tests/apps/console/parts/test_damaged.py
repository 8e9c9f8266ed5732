"""Logs and records that are not as expected: what is wrong is left out, and the rest is shown."""

from __future__ import annotations

from typing import Any

import pytest
from console_logs import numbered

from labwright.apps.console.parts.calibration import Calibration
from labwright.apps.console.parts.chip import Chip
from labwright.apps.console.parts.forge import Forge
from labwright.apps.console.parts.protocol import ProtocolWatch
from labwright.apps.console.parts.rendered_section_cache import DAMAGED, Watched
from labwright.apps.console.parts.search import Search
from labwright.tools.runs import Run

KINDS: list[type[Watched]] = [Calibration, Chip, Forge, ProtocolWatch, Search]
WRONG: list[Any] = [None, "text", 7, [], {}, [None], {"a": None}]
NAMES = (
    "planned stage_started translated measured inspected decided chip_planned round_started played checked"
    " trial_started proposed tried reviewed revealed baseline analysing analysed tool_begun gated admitted tool_refused"
    " executing executed evaluated job gating question written calculated run_finished agent"
).split()
FIELDS = (
    "path title stages stage instruction attempt call experiment figure verdict diagnosis estimates next changes places"
    " rounds couplers lanes round together node found trial of names name selection validation file test iteration"
    " reuse new tool findings bugs mutants checks summary output agent vials steps status"
).split()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_ill_formed_events_stop_nothing(kind: type[Watched], wrong: Any, begun: Run) -> None:
    watched = kind(begun)
    events: list[dict[str, Any]] = [{"kind": name} for name in NAMES if name != "agent"]
    events += [{"kind": name, **dict.fromkeys(FIELDS, wrong)} for name in NAMES]
    events += [{**event, "lane": "Q1"} for event in events]
    watched.take([{**event, "seq": seq} for seq, event in enumerate(numbered(*events), start=1)])
    for section in kind.SECTIONS:
        watched.html(section)
    watched.take([{"seq": 10_000}, {"seq": 10_001, "time": "yesterday"}, {"seq": wrong}])
    if isinstance(watched, Search):
        watched.chart()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_ill_formed_result_says_so_where_it_would_stand(kind: type[Watched], begun: Run) -> None:
    names = "qubits feature_map baselines criteria facts upkeep one_by_one_seconds".split()
    begun.save_json("result.json", {"status": "complete", "result": dict.fromkeys(names, 7)})
    watched = kind(begun)
    watched.take(numbered({"kind": "run_finished", "status": "complete"}))
    drawn = [watched.html(section) for section in kind.SECTIONS]
    assert any(DAMAGED in text for text in drawn) or kind is Chip
    if isinstance(watched, Search):
        assert watched.chart()["series"]


def test_what_follows_an_ill_formed_event_is_heard(begun: Run) -> None:
    watched = Calibration(begun)
    plan = {"kind": "planned", "path": "request@1", "title": "T", "stages": [{"label": "Stage 1", "instruction": "Do"}]}
    watched.take(numbered({"kind": "decided", "changes": 7}, {"kind": "planned"}, plan))
    assert "Stage 1" in watched.html("machines")


@pytest.mark.parametrize("steps", [7, [7], [{"action": "Add"}]])
def test_steps_that_are_none_draw_no_protocol(begun: Run, steps: Any) -> None:
    begun.save_json("proposal.json", {"plates": [], "steps": steps, "vials": [], "findings": []})
    watched = ProtocolWatch(begun)
    watched.take(numbered({"kind": "question", "question": {}}))
    assert watched.record is None


def test_an_ill_formed_protocol_says_so(begun: Run) -> None:
    begun.save_json("robot/protocol.json", {"plates": 7, "steps": [], "vials": [], "findings": [{"severity": 1}]})
    watched = ProtocolWatch(begun)
    watched.take(numbered({"kind": "written"}))
    assert DAMAGED in watched.html("plates ")
    assert DAMAGED in watched.html("findings")
