"""The table of docs/security.md names tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_test_that_the_table_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs" / "security.md").read_text())
    assert len(named) > 30
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text())
        found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert not name or name in found, f"{path} has no {name}"


def test_every_hostile_test_is_in_the_table() -> None:
    said = (ROOT / "docs" / "security.md").read_text()
    for path in (ROOT / "tests" / "hostile").glob("test_*.py"):
        whole = f"`tests/hostile/{path.name}`" in said or path.name == Path(__file__).name
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert whole or f"{path.name}::{node.name}`" in said, f"{path.name}::{node.name} is not in the table"
