"""Whatever a call can see of its process is the same in every call: no tool can tell use from trial."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labwright.tools.forge.calls.call_processes import Servers
from labwright.tools.sandbox import Sandbox

TEXT = (Path(__file__).parent / "looks.py").read_text()


@pytest.fixture
def servers(sandbox: Sandbox) -> Iterator[Servers]:
    if sandbox.level not in ("bubblewrap", "namespaces"):
        pytest.skip("the weaker levels show the machine's files and their own folder's name")
    made = Servers(sandbox)
    yield made
    made.close()


def request(text: str = TEXT, name: str = "looks", **data: Any) -> dict[str, Any]:
    return {"ask": "call", "module": f"tools.{name}", "texts": {f"tools.{name}": text}, "data": data, "files": []}


def seen(reply: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = reply["value"]["of"][2]["seen"]
    return found


def test_a_call_sees_the_same_whenever_and_by_whichever_server_it_is_answered(
    sandbox: Sandbox, servers: Servers
) -> None:
    first = seen(servers.ask(request()))
    servers.ask(request(more=[1.0] * 20_000))  # a long one, one that fails, and one that only describes
    servers.ask(request(number="no number"))
    servers.ask({**request(), "ask": "describe"})
    time.sleep(1.1)
    later = seen(servers.ask(request()))
    other = Servers(sandbox)
    try:
        elsewhere = seen(other.ask(request()))
    finally:
        other.close()
    for name, told in first.items():
        assert told == later[name], name
        assert told == elsewhere[name], name


def test_what_a_call_sees_is_nothing_of_the_machine(servers: Servers) -> None:
    told = seen(servers.ask(request()))
    assert told["processes"] == "(0, 0, 0, 0, 0)"
    assert told["user"] == "(0, 0, 0, 0)"
    assert told["clock"].startswith("(1577836800.0, 100.0, 100.0")
    for name in ("new process", "new program", "network", "users", "signal"):
        assert "PermissionError" in told[name], told[name]
    for name in ("/proc", "self", "random device"):
        assert "FileNotFoundError" in told[name], told[name]
    assert "logs" not in told["folder"]


def test_nothing_is_left_of_a_call(servers: Servers) -> None:
    """Modules, classes, files, caches and the state of packages, written in one call and looked for in the next."""
    text = '''
import csv, decimal, functools, pathlib, statistics, tempfile
import numpy as np
from pydantic import BaseModel


class MarksInput(BaseModel):
    """Nothing."""


class MarksOutput(BaseModel):
    """How often."""

    found: list[bool]


@functools.cache
def _calls():
    return []


def marks(given):
    """All places."""
    places = [pathlib.Path("mark"), pathlib.Path("../mark"), pathlib.Path(tempfile.gettempdir()) / "mark"]
    found = [place.exists() for place in places]
    found += [hasattr(statistics.NormalDist, "mark"), hasattr(np, "mark"), csv.field_size_limit() == 7, bool(_calls())]
    found += [decimal.getcontext().prec == 7, hasattr(BaseModel, "mark"), np.random.get_state()[2] != 624]
    for place in places:
        place.write_text("x")
    statistics.NormalDist.mark = np.mark = BaseModel.mark = True
    csv.field_size_limit(7)
    _calls().append(1)
    decimal.getcontext().prec = 7
    np.random.rand()
    return MarksOutput(found=found)
'''
    for _ in range(3):
        reply = servers.ask(request(text, "marks"))
        assert not any(reply["value"]["of"][2]["found"]), reply


@pytest.mark.slow
def test_a_tool_of_pyscf_has_scratch_for_fitted_hessians(servers: Servers) -> None:
    """Chromium hexacarbonyl's takes 3.8 GB; other tools may write 64 MB."""
    text = """
import {}
from pydantic import BaseModel


class WritesInput(BaseModel):
    pass


class WritesOutput(BaseModel):
    size: int


def writes(given):
    with open("scratch", "wb") as file:
        return WritesOutput(size=file.truncate(1 << 30))
"""
    replies = [servers.ask(request(text.format(package), "writes")) for package in ("pyscf", "math")]
    assert ["error" in reply for reply in replies] == [False, True], replies
