"""The truth of the arena from the agent's side: 37 attempts to read it, through tools, MCP and confined code.

What counts as read: a number of the hidden truth to more digits than anything measures, the seed of the noise, or the
secret, anywhere in what came back.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import struct
import sys
import time
from dataclasses import astuple, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import numpy as np
import pytest
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.memory import create_connected_server_and_client_session
from pydantic import AnyUrl

from labwright.evaluation.arena import Arena
from labwright.evaluation.arena.devices import draw, seed_of
from labwright.evaluation.arena.grader import Grader
from labwright.evaluation.arena.sandboxed_agent import run_confined
from labwright.evaluation.arena.serving import served, server_of
from labwright.evaluation.arena.session import Budget, Session
from labwright.evaluation.arena.wire_format import plain_program
from labwright.tools.errors import InputError, ToolError
from labwright.tools.qpu.program import Program, Pulse
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.qpu.truth import QubitTruth, paper_device
from labwright.tools.sandbox.sandbox_selection import open_sandbox

NUMBER = re.compile(rb"[-+]?\d+\.\d+(?:[eE][-+]?\d+)?|[-+]?\d+[eE][-+]?\d+")
TRUTH = [each.name for each in fields(QubitTruth)]
PROGRAM = plain_program(Program("Q1", (Pulse(0.2, 0.03),), tuple(np.zeros(n, np.intp) for n in range(8)), 500))
ATTACKER = Path(__file__).parents[1] / "support" / "arena_attacker.py"
ODD = (
    "__class__",
    "__dict__",
    "_truth",
    "drawn",
    "device",
    "truth",
    "../device.json",
    "/proc/self/environ",
    "Q1.truth",
    "{0}",
)


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A secret, and what an attempt would have to show of device 0 of it."""
    path = tmp_path_factory.mktemp("sealed") / "arena.secret"
    path.write_text(secrets.token_hex(32))
    key = bytes.fromhex(path.read_text())
    drawn = draw(key, 0, "qubit", "good")
    public = {float(value) for qubit in paper_device().qubits.values() for value in astuple(qubit)}
    numbers = {n: float(getattr(drawn.truth.qubits["Q1"], n)) for n in TRUTH}
    seeds = [drawn.seed, *(seed_of(key, 0, what) for what in ("device", "start", "faults", "order"))]
    return SimpleNamespace(
        path=path, key=key, drawn=drawn, seeds=seeds, numbers={n: v for n, v in numbers.items() if v not in public}
    )


@pytest.fixture(scope="module")
def arena(sealed: Any) -> Any:
    with Arena(sealed.path, at_once=True) as found:
        found.open(0, "qubit", "good", {"device_seconds": 1e5, "acquisitions": 10_000, "wall_seconds": 1e5})
        yield found


def leaks(sealed: Any, told: Any, raw: bool = False) -> list[str]:
    """What of the truth stands in `told`; `raw` data hold so many numbers that some come near by chance."""
    content = told if isinstance(told, bytes) else json.dumps(told, default=str).encode()
    found = ["secret"] if sealed.key.hex().encode() in content.lower() or sealed.key in content else []
    for seed in sealed.seeds:
        forms = (str(seed).encode(), f"{seed:x}".encode(), struct.pack("<Q", seed), struct.pack(">Q", seed))
        found += ["seed"] if any(form in content for form in forms) else []
    numbers = np.array([float(match) for match in NUMBER.findall(content)])
    for name, value in sealed.numbers.items():
        near = 1e-10 if "frequency" in name else 1e-8 if raw else 2e-6
        if (np.abs(numbers - value) <= near * abs(value)).any() or struct.pack("<d", value) in content:
            found.append(name)
    return found


def answers(arena: Any, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Answers and refusals."""
    found: list[Any] = []
    for tool, arguments in calls:
        try:
            found.append(arena.call(tool, **arguments))
        except ToolError as error:
            found.append(f"{type(error).__name__}: {error} {vars(error)}")
    return found


def test_the_look_out_sees_what_leaks(sealed: Any) -> None:
    """A check that finds nothing must be able to find something."""
    for value in sealed.numbers.values():
        assert leaks(sealed, f"it is {value!r}")
    assert leaks(sealed, {"seed": sealed.drawn.seed})
    assert leaks(sealed, sealed.path.read_bytes())
    assert leaks(sealed, struct.pack("<d", sealed.numbers["t1"]))
    assert not leaks(sealed, {"t1": sealed.numbers["t1"] * 1.001})


EVERY = (
    "resonator_spectroscopy",
    "qubit_spectroscopy",
    "readout_calibration",
    "rabi",
    "ramsey",
    "drag_calibration",
    "t1",
    "spin_echo",
)
TOOLS: dict[str, Any] = {
    "1 what describe says": lambda _: [("describe", {})],
    "2 cards of all experiments": lambda a: [
        ("describe_experiment", {"name": n}) for n in a.call("describe")["experiments"]
    ],
    "3 cards of attributes and paths": lambda _: [("describe_experiment", {"name": n}) for n in ODD],
    "4 experiments of attributes and paths": lambda _: [("run_experiment", {"name": n}) for n in ODD],
    "5 the settings as they stand": lambda _: [("settings", {"name": "Q1"})],
    "6 settings of attributes and paths": lambda _: [("settings", {"name": n}) for n in (*ODD, "", "Q1-Q2")],
    "7 fields of the truth as settings": lambda _: [
        ("write_settings", {"name": "Q1", "changes": {n: 0.1}}) for n in TRUTH
    ],
    "8 settings that are no numbers": lambda _: [
        ("write_settings", {"name": "Q1", "changes": c})
        for c in ({"frequency": float("nan")}, {"frequency": "truth"}, {"__class__": 1.0}, [])
    ],
    "9 foreign arguments of experiments": lambda _: [
        ("run_experiment", {"name": "rabi", "arguments": {n: 1}})
        for n in ("self", "bench", "truth", "seed", "device", "update.__globals__")
    ],
    "10 arguments of the wrong kind": lambda _: [
        ("run_experiment", {"name": "ramsey", "arguments": c})
        for c in ({"qubit": {"__class__": "x"}}, {"qubit": "*"}, {"stop": "truth"}, {"stop": 1e300}, {"shots": -1})
    ],
    "11 arrays that are not data": lambda _: [
        ("run_experiment", {"name": "t1", "data": ["figure", "plot", "truth", "bench", "__dict__"]})
    ],
    "12 numbers that the hardware refuses": lambda _: [
        ("play", {"program": {**PROGRAM, n: v}})
        for n, v in (("frequency", 1e9), ("readout_frequency", 0.0), ("shots", 10**9), ("readout_amplitude", 7.0))
    ],
    "13 programs that cannot be read": lambda _: [
        ("play", {"program": c})
        for c in (
            {},
            [],
            {**PROGRAM, "operations": [{"amplitude": "truth"}]},
            {**PROGRAM, "sequences": [[99]]},
            {**PROGRAM, "returns": "truth"},
            {**PROGRAM, "qubit": "Q2"},
        )
    ],
    "14 joint programs": lambda _: [
        (
            "play_together",
            {"program": {**PROGRAM, "qubits": ["Q1", "Q2"], "operations": [[], []], "sequences": [[[0, 0]]]}},
        )
    ],
    "15 private tools": lambda _: [
        (n, {}) for n in ("grade", "open", "close", "_played", "left", "require", "drawn", "__init__", "__class__")
    ],
    "16 hand-ins that are compared": lambda _: (
        [
            ("hand_in", {"status": "calibrated", "claims": [{"quantity": "t1", "value": v, "error": e, "unit": "us"}]})
            for v, e in ((80.0, 0.0), (float("nan"), 1.0), ("truth", 1.0))
        ]
        + [("hand_in", {"status": "refused", "cause": "?"}), ("hand_in", {"status": "truth"})]
    ),
}


@pytest.mark.parametrize("attempt", TOOLS)
def test_through_the_tools(attempt: str, sealed: Any, arena: Any) -> None:
    found = answers(arena, *TOOLS[attempt](arena))
    assert found
    assert leaks(sealed, found) == []


def test_17_raw_data_of_the_experiments(sealed: Any, arena: Any) -> None:
    found = answers(arena, *(("run_experiment", {"name": name, "data": ["all"]}) for name in EVERY))
    assert any(isinstance(one, dict) and one["data"] for one in found)
    assert leaks(sealed, [{**one, "data": None} if isinstance(one, dict) else one for one in found]) == []
    assert leaks(sealed, found, raw=True) == []


def test_18_raw_sweeps(sealed: Any, arena: Any) -> None:
    found = answers(
        arena,
        *(("play", {"program": {**PROGRAM, "returns": kind, "shots": 50}}) for kind in ("counts", "average", "shots")),
    )
    assert all(isinstance(one, dict) for one in found)
    assert leaks(sealed, found, raw=True) == []


def test_19_lines_that_are_no_calls(sealed: Any, arena: Any) -> None:
    lines = [
        b'{"do": "grade"}',
        b'{"do": "open", "number": 0}',
        b"grade",
        b"[" * 100_000,
        b"\x80\x04c__builtin__\neval\n.",
        b"{}",
        b"null",
        b'{"do": "grade", "tool": "grade", "arguments": {}}',
        b'{"tool": "settings", "arguments": {"self": 1, "tool": "x"}}',
        b'{"tool": 1, "arguments": 2}',
    ]
    found = [arena.forward(line) for line in lines]
    assert all(b"error" in one for one in found)
    assert leaks(sealed, b"".join(found)) == []


def test_20_a_seed_guessed_from_the_noise(tmp_path: Path, sealed: Any, arena: Any) -> None:
    """The simulator is public: who knew the seeds could repeat the noise of a measurement shot by shot."""
    seen = arena.call("play", program={**PROGRAM, "frequency": 4890.0})["counts"]
    program = Program("Q1", (Pulse(0.2, 0.03),), tuple(np.zeros(n, np.intp) for n in range(8)), 500, frequency=4890.0)
    guesses = [*range(25), int(time.time()), os.getpid(), 42, 1234, 2**32 - 1]
    for guess in guesses:
        device = open_simulated(tmp_path / str(guess), guess, {"device": f"drawn:{guess}"})
        assert device.acquire(program, "guess").counts is not None
        assert device.acquire(program, "guess").counts.tolist() != seen
        device.close()
    assert not set(guesses) & set(sealed.seeds)
    assert min(sealed.seeds) > 2**32  # no search finds it: of 64 bits each


def test_21_the_memory_that_the_device_leaves_on_the_disk(tmp_path: Path, sealed: Any) -> None:
    session = Session(sealed.drawn, tmp_path / "bench", Budget())
    session.call("run_experiment", {"name": "rabi"})
    session.call("write_settings", {"name": "Q1", "changes": {"drag": 0.4}})
    files = [path.read_bytes() for path in (tmp_path / "bench").rglob("*") if path.is_file()]
    session.close()
    assert len(files) > 2
    assert leaks(sealed, b"".join(files), raw=True) == []


def test_22_serving_the_same_device_again(tmp_path: Path, sealed: Any) -> None:
    """Who has seen a device could hand in at the second try what was learned at the first."""
    secret = tmp_path / "arena.secret"
    secret.write_text(sealed.path.read_text())
    with served("qubit", "good", 5, secret, Budget(), None):
        pass
    with pytest.raises(InputError, match="served already"), served("qubit", "good", 5, secret, Budget(), None):
        pass


def test_23_a_second_hand_in(tmp_path: Path, sealed: Any) -> None:
    session = Session(sealed.drawn, tmp_path, Budget())
    said = [session.call("hand_in", {"status": "calibrated"})]
    for tool in ("hand_in", "settings", "describe", "play"):
        with pytest.raises(InputError, match="handed in"):
            session.call(tool, {})
    session.close()
    assert leaks(sealed, said) == []


@pytest.mark.slow
def test_24_the_time_that_an_answer_takes(tmp_path: Path, sealed: Any) -> None:
    """A device whose frequency switches is computed longer; answers come on a grid of times."""

    async def times(faulty: bool) -> list[float]:
        number = next(
            n for n in range(100) if ("telegraph" in str(draw(sealed.key, n, "qubit", "spoilt").faults)) == faulty
        )
        session = Grader(sealed.key, tmp_path / str(faulty)).open(number, "qubit", "spoilt")
        found = []
        async with create_connected_server_and_client_session(server_of(session, 0.3)._mcp_server) as client:
            for _ in range(3):
                begun = time.monotonic()
                await client.call_tool("run_experiment", {"name": "ramsey", "arguments": {"update": False}})
                found.append(time.monotonic() - begun)
        session.close()
        return found

    switching, quiet = anyio.run(times, True), anyio.run(times, False)
    assert min(switching) < max(quiet) + 0.1
    assert min(quiet) < max(switching) + 0.1


def mcp_side(tmp_path: Path, sealed: Any, use: Any) -> list[Any]:
    """What a client of the server in this process gets."""

    async def main() -> list[Any]:
        session = Session(sealed.drawn, tmp_path, Budget())
        try:
            async with create_connected_server_and_client_session(server_of(session, 0.0)._mcp_server) as client:
                found: list[Any] = await use(client)
                return found
        finally:
            session.close()

    return anyio.run(main)


async def _listed(client: ClientSession) -> list[Any]:
    listed = [
        await client.list_tools(),
        await client.list_resources(),
        await client.list_resource_templates(),
        await client.list_prompts(),
    ]
    assert (listed[1].resources, listed[2].resourceTemplates, listed[3].prompts) == ([], [], [])
    return [one.model_dump(mode="json") for one in (*listed, await client.initialize())]


async def _read(client: ClientSession) -> list[Any]:
    found = []
    for uri in (
        "file:///proc/self/environ",
        "truth://Q1",
        "labwright://runs/latest/device.json",
        "bench://device.json",
    ):
        with pytest.raises(McpError) as refused:
            await client.read_resource(AnyUrl(uri))
        found.append(str(refused.value))
    with pytest.raises(McpError) as refused:
        await client.get_prompt("truth")
    return [*found, str(refused.value)]


async def _called(client: ClientSession) -> list[Any]:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("grade", {}),
        ("open", {"number": 0}),
        ("settings", {"name": "Q1", "self": 1, "truth": True}),
        ("settings", {"name": ["Q1"]}),
        ("hand_in", {"status": "calibrated", "claims": [{"quantity": "truth"}]}),
        ("run_experiment", {"name": "rabi", "arguments": "truth"}),
    ]
    return [(await client.call_tool(tool, arguments)).model_dump(mode="json") for tool, arguments in calls]


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(_listed, id="25 lists and schemas"),
        pytest.param(_read, id="26 resources"),
        pytest.param(_called, id="27 odd calls"),
    ],
)
def test_over_mcp(use: Any, tmp_path: Path, sealed: Any) -> None:
    found = mcp_side(tmp_path, sealed, use)
    assert found
    assert leaks(sealed, found) == []


@pytest.mark.slow
def test_28_what_a_server_says_beside_the_protocol(tmp_path: Path, sealed: Any) -> None:
    """Standard error, and the lists of open files that a parent can read."""
    secret = tmp_path / "arena.secret"
    secret.write_text(sealed.path.read_text())
    serve = ["arena", "serve", "--secret", str(secret), "--number", "0", "--condition", "good"]
    said = tmp_path / "stderr.txt"

    async def main() -> Any:
        with said.open("w") as errors:
            server = StdioServerParameters(
                command=str(Path(sys.executable).parent / "labwright"),
                args=serve,
                env={**os.environ, "PYTHONWARNINGS": "ignore"},
            )
            async with stdio_client(server, errlog=errors) as streams, ClientSession(*streams) as client:
                await client.initialize()
                await client.call_tool("run_experiment", {"name": "truth"})
                return (await client.call_tool("settings", {})).model_dump(mode="json")

    found = anyio.run(main)
    assert leaks(sealed, found) == []
    assert leaks(sealed, said.read_bytes()) == []


CONFINED = (
    "29 processes",
    "30 environment",
    "31 files",
    "32 descriptors",
    "33 modules",
    "34 memory",
    "35 network",
    "36 pipes",
    "37 pickles and lines",
)
WALLS = ("29 processes", "32 descriptors", "33 modules", "34 memory", "35 network", "37 pickles and lines")


@pytest.fixture(scope="module")
def confined(arena: Any) -> dict[str, list[str]]:
    """What confined code came back with, an attempt an entry; each goes on after every error."""
    done = run_confined(arena, ATTACKER.read_text(encoding="utf-8"), open_sandbox())
    assert done.ending == "ok", done.stderr.decode()
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("attempt", CONFINED)
def test_from_confined_code(attempt: str, sealed: Any, confined: dict[str, list[str]]) -> None:
    assert leaks(sealed, json.dumps(confined[attempt]).encode(), raw=True) == []
    if attempt in WALLS:
        assert not [one for one in confined[attempt] if one.startswith("GOT")]
