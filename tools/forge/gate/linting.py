"""The check ``lint``: ruff over both texts, as a first pass by somebody else's rules."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from functools import cache

from labwright.tools.errors import InputError
from labwright.tools.forge.gate.draft import Draft
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.findings import GateFinding

SECONDS = 30.0
_BOTH = "E9,F,BLE,S,T20,NPY,B006,B015,B017,B018,B023,PLE"
SOURCE_RULES, TEST_RULES = f"{_BOTH},ANN,PTH,D100,D101,D103,D419", _BOTH
# S101: own rules see to asserts. S311: numbers of physics are no secrets. ANN401, D: seen to by the form.
IGNORED = "ANN401,S101,S311,S105,S106,S107,S108,S103,NPY002,F722"
TEST_IGNORED = f"{IGNORED},F811"


def check_lint(draft: Draft) -> Iterator[GateFinding]:
    """Ruff's findings, tests after the source."""
    yield from _ruff(draft.candidate.source, f"{draft.name}.py", SOURCE_RULES, IGNORED)
    yield from _ruff(draft.candidate.tests, f"test_{draft.name}.py", TEST_RULES, TEST_IGNORED)


def _ruff(text: str, name: str, select: str, ignore: str) -> Iterator[GateFinding]:
    words = [_program(), "check", "--isolated", "--no-cache", "--select", select, "--ignore", ignore]
    words += ["--output-format", "json", "--target-version", "py311", "--stdin-filename", name, "-"]
    done = subprocess.run(words, input=text.encode(), capture_output=True, timeout=SECONDS, check=False)
    if done.returncode not in (0, 1):
        raise InputError(f"ruff could not look at {name}: {done.stderr.decode(errors='replace')[-500:]}")
    where = " (in the tests)" if select == TEST_RULES else ""
    for one in json.loads(done.stdout):
        line = int((one.get("location") or {}).get("row", 0))
        yield finding("lint", line, code=one.get("code") or "syntax", error=f"{one.get('message', '')}{where}")


@cache
def _program() -> str:
    from ruff.__main__ import find_ruff_bin  # type: ignore[import-untyped]

    return str(find_ruff_bin())
