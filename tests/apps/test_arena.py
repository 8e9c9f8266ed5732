"""``labwright arena serve`` over HTTP: a token, the tools, and a grade that only the owner's file gets."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

PROGRAM = str(Path(sys.executable).parent / "labwright")
TOKEN = "a-token-of-this-test"


@pytest.mark.slow  # quick: tests/evaluation/test_arena.py
def test_a_device_over_http_is_measured_and_graded(tmp_path: Path) -> None:
    with socket.socket() as plug:
        plug.bind(("127.0.0.1", 0))
        port = int(plug.getsockname()[1])
    address, grades = f"http://127.0.0.1:{port}/mcp", tmp_path / "grades.jsonl"
    words = [PROGRAM, "arena", "serve", "--http", str(port), "--condition", "good", "--grades", str(grades)]
    server = subprocess.Popen(
        words, cwd=tmp_path, env={**os.environ, "LABWRIGHT_MCP_TOKEN": TOKEN}, stderr=subprocess.PIPE
    )
    try:
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            with socket.socket() as plug:
                if plug.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        assert httpx.post(address, json={}).status_code == 401

        async def main() -> None:
            async with (
                httpx.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=600) as client,
                streamable_http_client(address, http_client=client) as (read, write, _),
                ClientSession(read, write) as session,
            ):
                begun = await session.initialize()
                assert "What is asked" in (begun.instructions or "")
                said = await session.call_tool("run_experiment", {"name": "ramsey", "data": ["all"]})
                assert said.structuredContent is not None
                assert "values" in json.dumps(said.structuredContent["data"])
                refused = await session.call_tool("run_experiment", {"name": "coffee"})
                assert refused.isError
                assert not grades.exists()
                await session.call_tool("hand_in", {"status": "refused", "cause": "other"})

        anyio.run(main)
        graded = json.loads(grades.read_text())
        assert (graded["ended"], graded["acquisitions"]) == ("gave up", 1)
        assert stat.S_IMODE(grades.stat().st_mode) == 0o600
    finally:
        server.terminate()
        server.communicate(timeout=600)
    assert len(grades.read_text().splitlines()) == 1
