"""Scripts of a workspace in the sandbox: several processes, tools that call tools, hostile scripts, tools that hang."""

from __future__ import annotations

import json
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from labwright.tools.forge.toolset import client
from labwright.tools.sandbox import Sandbox
from labwright.tools.sandbox.base import Limits
from labwright.tools.workspace.workspace import Workspace

TEXT = '''"""{doc}"""
{imports}
from pydantic import BaseModel


class {camel}Input(BaseModel):
    """One number."""

    x: float


class {camel}Output(BaseModel):
    """One number, and the folder of the call."""

    y: float
    seen: list[str] = []


def {name}(given: {camel}Input) -> {camel}Output:
    """It."""
{body}
'''


def tool(name: str, body: str, imports: str = "") -> str:
    camel = "".join(word.capitalize() for word in name.split("_"))
    return TEXT.format(doc=name, name=name, camel=camel, imports=imports, body=body)


TOOLS = {
    "twice.py": tool("twice", "    return TwiceOutput(y=2 * given.x, seen=sorted(sys.modules)[:0])", "import sys"),
    "deep/sums.py": tool(
        "sums",
        "    twice.__globals__ if hasattr(twice, 'tool') else None\n"
        "    math.fsum = math.sqrt = None\n"
        "    return SumsOutput(y=twice(TwiceInput(x=given.x)).y + twice(TwiceInput(x=1.0)).y, seen=[twice.__module__])",
        "import math\nfrom tools.twice import TwiceInput, twice",
    ),
    "slow.py": tool("slow", "    return SlowOutput(y=float(sum(range(60_000_000))))"),
    "hangs.py": tool("hangs", "    while True:\n        pass"),
    "eats.py": tool("eats", "    return EatsOutput(y=float(len(bytes(1 << 40))))"),
}
SCRIPTS = {
    "pool": """
import multiprocessing
from tools.twice import TwiceInput, twice

def one(x):
    return twice(TwiceInput(x=x)).y

with multiprocessing.get_context("fork").Pool(3) as pool:
    print(pool.map(one, range(8)))
""",
    "nested": """
import tools
from tools.deep.sums import SumsInput, sums
from tools.twice import TwiceInput, twice
out = sums(SumsInput(x=3.0))
print(out.y, out.seen, twice(TwiceInput(x=3.0)).y)
print([one.y for one in tools.in_one_go(sums, [{"x": 1.0}, SumsInput(x=2.0)])])
""",
    "garbage": """
import os, struct, zlib
from tools.twice import TwiceInput, twice
end = os.open(os.path.join(os.environ["HOME"], "tools.in"), os.O_RDWR)
wrong = b'{"ask": "call", "texts": {"a": 1}, "module": "a"}'
for body in (b"[]", b"{}", b'{"ask": "many", "requests": 3}', wrong, b"\\xff" * 9):
    frame = struct.pack("!II", len(body), zlib.crc32(body)) + body
    os.write(end, frame + b"\\0tools\\n\\0" + b"12345678" + frame)
os.write(end, b"\\0tools\\n\\0" + b"12345678" + struct.pack("!II", 1 << 31, 0))
os.write(end, b"\\0tools\\n\\0" + b"12345678" + struct.pack("!II", 100, 0) + b"half")
print(twice(TwiceInput(x=4.0)).y)
""",
    "interrupted": """
import signal
from tools.slow import SlowInput, slow
from tools.twice import TwiceInput, twice

def late(*_):
    raise TimeoutError

twice(TwiceInput(x=1.0))
given = SlowInput(x=1.0)
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    slow(given)
except TimeoutError:
    print(twice(TwiceInput(x=5.0)).y)
""",
    "too_much": """
from tools.twice import TwiceInput, twice
import tools
many = [{"x": 1.0, "more": "." * (1 << 20)}] * 65
try:
    tools.in_one_go(twice, many)
except Exception as error:
    print(error)
print(twice(TwiceInput(x=5.0)).y)
""",
    "eats": """
from tools.eats import EatsInput, eats
try:
    eats(EatsInput(x=1.0))
except (MemoryError, RuntimeError) as error:
    print(type(error).__name__)
""",
    "hangs": """
from tools.hangs import HangsInput, hangs
hangs(HangsInput(x=1.0))
""",
}


@pytest.fixture
def workspace(tmp_path: Path, sandbox: Sandbox) -> Workspace:
    (tmp_path / "tools" / "deep").mkdir(parents=True)
    (tmp_path / "tools" / "__init__.py").write_text(Path(client.__file__).read_text())
    (tmp_path / "tools" / "deep" / "__init__.py").write_text('"""Tools: deep."""\n')
    for name, text in TOOLS.items():
        (tmp_path / "tools" / name).write_text(text)
    for name, text in SCRIPTS.items():
        (tmp_path / f"{name}.py").write_text(text)
    return Workspace(tmp_path, sandbox)


TOO_MUCH = "The request has a wrong form, or over 64 MB: ask for less at once.\n10.0"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        pytest.param("pool", "[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]", marks=pytest.mark.slow),
        ("nested", "8.0 ['tools.twice'] 6.0\n[4.0, 6.0]"),
        ("garbage", "8.0"),
        pytest.param("interrupted", "10.0", marks=pytest.mark.slow),
        pytest.param("too_much", TOO_MUCH, marks=pytest.mark.slow),
        pytest.param("eats", "MemoryError", marks=pytest.mark.slow),
    ],
)
def test_a_script_gets_its_answers(workspace: Workspace, script: str, says: str) -> None:
    done = workspace.run(["python", f"{script}.py"]).completed
    assert done.ending == "ok", done.stderr.decode()
    assert done.stdout.decode().strip() == says
    calls = [json.loads(line) for line in (workspace.folder / "logs" / "calls.jsonl").read_text().splitlines()]
    assert {one["tool"] for one in calls} <= {"twice", "sums", "slow", "eats"}


@pytest.mark.slow
def test_a_tool_that_hangs_ends_with_its_script(workspace: Workspace) -> None:
    began = time.monotonic()
    done = workspace.run(["python", "hangs.py"], limits=Limits(wall_seconds=1.5)).completed
    assert done.ending == "timeout"
    assert time.monotonic() - began < 30
    assert workspace.run(["python", "garbage.py"]).completed.ending == "ok"  # with another server


def test_another_version_of_a_package_is_said_and_the_tool_answers(workspace: Workspace) -> None:
    admitted = {"twice": {"pydantic": "1.0", "not-there": "3"}, "sums": {"numpy": version("numpy")}}
    (workspace.folder / "tools" / client.VERSIONS).write_text(json.dumps(admitted))
    done = workspace.run(["python", "nested.py"]).completed
    assert done.ending == "ok", done.stderr.decode()
    said = done.stderr.decode()
    assert said.count(" was admitted with ") == 1
    assert f"twice was admitted with pydantic 1.0 (here {version('pydantic')})." in said
