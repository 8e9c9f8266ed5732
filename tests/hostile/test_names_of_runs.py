"""Names that lead out of the runs' folder, at every door: each is no run, and nothing outside is read or written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio
import postgres
import pytest
from mcp.shared.memory import create_connected_server_and_client_session
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.apps.systems_server import make_server
from labwright.graphs.front_desk.conversation import open_conversation
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.registry import NAMES, driver
from labwright.tools.errors import RunNotFoundError, ToolError
from labwright.tools.runs.hashed_files import inside
from labwright.tools.runs.run import create_run, open_run

Lead = Callable[[Path], str]
OUT: dict[str, Lead] = {
    "up": lambda outside: f"../{outside.name}",
    "up twice and down": lambda outside: f"x/../../{outside.name}",
    "absolute": str,
    "parent": lambda outside: "..",
    "here": lambda outside: ".",
    "nothing": lambda outside: "",
    "a zero byte": lambda outside: f"../{outside.name}\0",
    "encoded": lambda outside: f"%2e%2e/{outside.name}",
    "backwards": lambda outside: f"..\\{outside.name}",
    "a line break": lambda outside: f"\n../{outside.name}",
}


@pytest.fixture
def outside(root: Path, tmp_path: Path) -> Path:
    """A run beside the runs' folder, and one within it."""
    create_run(root, "protocol_design", "ours", {}, 0)
    return create_run(tmp_path, "lab_calibration", "not ours", {"mind": "rules"}, 0).folder


@pytest.fixture
def names(outside: Path) -> list[str]:
    return [lead(outside) for lead in OUT.values()]


def same(folder: Path) -> None:
    """Nothing was added to the run outside."""
    assert sorted(path.name for path in folder.iterdir()) == ["files.jsonl", "run.json"]


@pytest.mark.parametrize("lead", OUT)
def test_python(lead: str, root: Path, outside: Path) -> None:
    name = OUT[lead](outside)
    with pytest.raises(RunNotFoundError):
        open_run(root, name)
    for system in NAMES:
        with pytest.raises(RunNotFoundError):
            driver(system).resume(name, root)
    same(outside)


@pytest.mark.parametrize("words", [("show",), ("resume",), ("pause",), ("fork", "--stage", "1")])
def test_the_commands(words: tuple[str, ...], names: list[str], outside: Path) -> None:
    for name in names:
        said = CliRunner().invoke(app, ["runs", words[0], name, *words[1:]])
        assert said.exit_code == 2, (name, said.output)
        assert "not ours" not in said.output, name
    same(outside)


def test_the_desk(names: list[str], outside: Path) -> None:
    for name in names:
        with open_conversation() as conversation:
            assert conversation.desk.run_of(name) is None
            conversation.adopt(name)  # as a page would whose address was made up
            assert "not ours" not in str(conversation.look()), name
    same(outside)


def test_another_agent(names: list[str], root: Path, outside: Path) -> None:
    async def main() -> None:
        async with create_connected_server_and_client_session(make_server(Terms(figures=False), root)) as session:
            for name in names:
                for tool in ("run_status", "resume_run"):
                    said = await session.call_tool(tool, {"run_id": name})
                    assert said.isError, (name, said)
                    assert "not ours" not in str(said), name

    anyio.run(main)
    same(outside)


@pytest.mark.parametrize("path", ["../run.json", "/etc/passwd", "a/../../x", "data/../../../x", ".."])
def test_a_file_that_a_run_writes_or_reads(path: str, root: Path, outside: Path) -> None:
    run = open_run(root, "latest")
    for reach in (lambda: inside(run.folder, path), lambda: run.save_json(path, {}), lambda: run.save_text(path, "x")):
        with pytest.raises(ToolError):
            reach()
    same(outside)


def test_the_queue(names: list[str], outside: Path, postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with postgres.database(postgres_server) as url:
        monkeypatch.setenv("LABWRIGHT_DATABASE_URL", url)
        for name in names:
            said = CliRunner().invoke(app, ["queue", "answer", name, "=run"])
            assert said.exit_code == 2, (name, said.output)
    same(outside)
