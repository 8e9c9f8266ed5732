"""The tools that come with the package are the recipes of the book as they are now, each through the gate."""

from __future__ import annotations

import re

import pytest

from labwright.tools.forge.book import Book
from labwright.tools.forge.gate import GATE_CHECKS
from labwright.tools.forge.starter import STARTER
from labwright.tools.forge.toolset import Toolset

MEND = "Build it anew: labwright toolset build FOLDER, regrouped, into tools/forge/starter_tools."
BOOK, SHIPPED = Book(), Toolset(STARTER)


def _plain(text: str) -> str:
    """Without the folders in which the tools stand."""
    return re.sub(r"^from tools\.(?:\w+\.)*(\w+) import", r"from tools.\1 import", text, flags=re.M)


def test_none_is_broken_and_no_folder_is_crowded() -> None:
    assert SHIPPED.broken() == []
    folders = [tool.folder for tool in SHIPPED.tools()]
    assert max(folders.count(folder) for folder in folders) <= 10
    assert set(SHIPPED.names()) == set(BOOK.contracts), MEND


@pytest.mark.parametrize("name", BOOK.contracts)
def test_each_is_the_recipe_and_passed_every_check(name: str) -> None:
    recipe, tool = BOOK.candidate(name), SHIPPED.find(name)
    assert (tool.contract, _plain(tool.source)) == (recipe.contract, _plain(recipe.source)), MEND
    assert _plain(tool.candidate.tests) == _plain(recipe.tests), MEND
    assert tool.record.report["passed"]
    assert tuple(tool.record.report["checks"]) == GATE_CHECKS
    assert tool.record.report["mutants"]["score"] >= 0.7
