"""The toolset that comes with the package is made of the book's recipes as they are now, each through the gate."""

from __future__ import annotations

import re

import pytest

from labwright.tools.forge.book import Book
from labwright.tools.forge.gate import GATE_CHECKS
from labwright.tools.forge.starter import STARTER, assemble
from labwright.tools.forge.toolset import Toolset

MEND = (
    "Build it anew: labwright toolset build FOLDER, regrouped; its records and indexes go to tools/forge/starter_tools."
)
BOOK = Book()


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Toolset:
    """The starter as a run gets it."""
    folder = tmp_path_factory.mktemp("starter") / "toolset"
    assemble(folder)
    return Toolset(folder)


def _plain(text: str) -> str:
    """Without the folders in which the tools stand."""
    return re.sub(r"^from tools\.(?:\w+\.)*(\w+) import", r"from tools.\1 import", text, flags=re.M)


def test_no_source_is_kept_twice() -> None:
    assert list(STARTER.rglob("*.py")) == []


def test_none_is_broken_and_no_folder_is_crowded(shipped: Toolset) -> None:
    assert shipped.broken() == []
    folders = [tool.folder for tool in shipped.tools()]
    assert max(folders.count(folder) for folder in folders) <= 10
    assert set(shipped.names()) == set(BOOK.contracts), MEND


@pytest.mark.parametrize("name", BOOK.contracts)
def test_each_is_the_recipe_and_passed_every_check(name: str, shipped: Toolset) -> None:
    recipe, tool = BOOK.candidate(name), shipped.find(name)
    assert (tool.contract, _plain(tool.source)) == (recipe.contract, _plain(recipe.source)), MEND
    assert _plain(tool.candidate.tests) == _plain(recipe.tests), MEND
    assert tool.record.report["passed"]
    assert tuple(tool.record.report["checks"]) == GATE_CHECKS
    assert tool.record.report["mutants"]["score"] >= 0.7
