"""Words are the model's: only the modules that docs/patterns.toml lists may look at text with regular expressions."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest
from house import FOLDERS, TESTS

ROOT = Path(__file__).resolve().parent.parent
DATA = ("tools/forge/toolbox/", "evaluation/cases/")  # tools; what they may import is the gate's to say
PATTERNS = {"re", "regex"}
GROUPS: list[dict[str, Any]] = tomllib.loads((ROOT / "docs" / "patterns.toml").read_text())["group"]
LISTED = [f"{group['folder']}/{module}" for group in GROUPS for module in group["modules"]]


def imports_patterns(source: str) -> bool:
    """Whether a module imports `re` or `regex`, or takes either from another module."""
    if not PATTERNS & {*source.replace(",", " ").replace(".", " ").split()}:
        return False  # most modules; parsing all of them would take seconds
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            if PATTERNS & {name.partition(".")[0] for name in names}:
                return True
    return False


def importing() -> set[str]:
    """Modules outside tests/ that import `re` or `regex` today."""
    paths = [path for folder in FOLDERS if folder != TESTS for path in (ROOT / folder).rglob("*.py")]
    names = {path.relative_to(ROOT).as_posix(): path for path in paths}
    return {name for name, path in names.items() if not name.startswith(DATA) and imports_patterns(path.read_text())}


def test_the_modules_that_read_patterns_are_those_of_the_list() -> None:
    found, listed = importing(), set(LISTED)
    assert found - listed == set(), "import re, but are not in docs/patterns.toml"
    assert listed - found == set(), "are in docs/patterns.toml, but do not exist or no longer import re"


def test_every_module_is_listed_once_and_every_group_says_what_it_reads() -> None:
    assert len(LISTED) == len(set(LISTED))
    assert all(group["reads"] and group["modules"] for group in GROUPS)


@pytest.mark.parametrize(
    ("source", "reads"),
    [
        ("import re\n", True),
        ("import json, re\n", True),
        ("import regex as patterns\n", True),
        ("from re import compile\n", True),
        ("def find():\n    import re\n", True),
        ("from labwright.tools.runs.run import re\n", True),
        ("import reprlib\n", False),
        ('"""What needs no `import re` at all: import re."""\n', False),
        ("re = 1.0  # the real part\n", False),
    ],
)
def test_imports_are_found_in_every_form(source: str, reads: bool) -> None:
    assert imports_patterns(source) == reads
