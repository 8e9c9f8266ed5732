"""No folder has more lines of code than docs/house.toml allows, and the limits only fall."""

from __future__ import annotations

from pathlib import Path

import house
import pytest
from house import DIRECTLY, HOUSE, ROOT, TESTS, TOTAL, Limit

LIMITS = house.parse((ROOT / HOUSE).read_text())
SOURCE = '''"""A module
of three lines of code.
"""

# a comment counts
class Rate:
    """A class."""

    async def of(self):
        """A method

        with a long docstring.
        """
'''


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    return house.measure()


@pytest.mark.slow  # measuring takes seconds
def test_no_folder_is_larger_than_it_may_be(sizes: dict[str, int]) -> None:
    found = house.too_large(sizes, LIMITS)
    assert not found, "\n".join([*found, "Take something out, or see the top of docs/house.toml."])


@pytest.mark.slow
def test_every_limit_is_of_a_folder_and_holds_something_back(sizes: dict[str, int]) -> None:
    assert set(LIMITS) - set(sizes) == set(), "`python .ci/house.py --lower` forgets folders that are gone"
    assert house.idle(LIMITS) == []


@pytest.mark.slow
def test_what_was_measured_adds_up(sizes: dict[str, int]) -> None:
    folders = [key for key in sizes if "/" not in key and key != TOTAL]
    for folder in folders:
        assert sizes[folder] == sum(lines for key, lines in sizes.items() if key.startswith(f"{folder}/"))
    assert sizes[TOTAL] == sum(sizes[folder] for folder in folders if folder != TESTS)


def test_a_limit_rises_only_with_a_reason() -> None:
    before = house.previous()
    if before is None:
        pytest.skip("git knows of no earlier docs/house.toml")
    found = house.unexplained(before, LIMITS)
    assert not found, "\n".join(found)


def test_blank_lines_and_docstrings_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "rate.py").write_text(SOURCE)
    (tmp_path / "rate.toml").write_text("# why\n\nrate = 1\n")
    assert house.count_lines(tmp_path / "rate.py") == 3
    assert house.count_lines(tmp_path / "rate.toml") == 2


def test_data_and_the_links_of_the_package_do_not_count(tmp_path: Path) -> None:
    for name in ("tools/qpu/a.py", "tools/b.lark", "evaluation/cases/c.yaml", "tests/d.py", "docs/e.py", "tools/f.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "tools").symlink_to(tmp_path / "tools")
    one = {"tools/qpu": 1, f"tools/{DIRECTLY}": 1, f"tests/{DIRECTLY}": 1}
    assert house.measure(tmp_path) == {"tools": 2, "tests": 1, TOTAL: 2, **one}


def test_lowering_raises_nothing_and_forgets_what_is_gone() -> None:
    limits = {"tools": Limit(9, "why"), "tools/qpu": Limit(5), "tools/old": Limit(4), TOTAL: Limit(9)}
    lowered = house.lower({"tools": 7, "tools/qpu": 6, "tools/new": 1, TOTAL: 7}, limits)
    assert lowered == {"tools": Limit(7, "why"), "tools/qpu": Limit(5), TOTAL: Limit(7)}


def test_a_rise_needs_a_new_reason_and_the_total_a_decision() -> None:
    before = {"a": Limit(5, "old"), "b": Limit(5), "c": Limit(5), TOTAL: Limit(15)}
    now = {"a": Limit(6, "old"), "b": Limit(6, "new"), "c": Limit(4), "d": Limit(1), TOTAL: Limit(16, "new")}
    assert [line.split()[0] for line in house.unexplained(before, now)] == ["a", "d", TOTAL]
    for decision, allowed in {"0001-layout.md": True, "9999-none.md": False}.items():
        found = house.unexplained({TOTAL: Limit(15)}, {TOTAL: Limit(16, f"{house.DECISIONS}{decision}")})
        assert bool(found) != allowed


def test_the_limits_of_a_whole_are_no_larger_than_those_of_its_parts() -> None:
    limits = {"tools": Limit(5), "tools/qpu": Limit(3), "tools/.": Limit(1), TESTS: Limit(9), TOTAL: Limit(5)}
    assert [line.split()[0] for line in house.idle(limits)] == ["tools"]


def test_the_file_can_be_written_and_read() -> None:
    limits = {".ci": Limit(2), ".ci/.": Limit(2, 'the "why"'), "tests": Limit(1), "tests/.": Limit(1), TOTAL: Limit(2)}
    assert house.parse(house.render(limits, "# comment")) == limits
    text = (ROOT / HOUSE).read_text()
    assert house.render(LIMITS, comment=text.partition(f"\n{TOTAL} =")[0]) == text
