"""What a hostile candidate could try while it runs, with the text checks left out: the later checks hold alone."""

from __future__ import annotations

import pytest
from gate_corpus import edited, good

from labwright.tools.forge.gate import GATE_CHECKS, GateBench
from labwright.tools.forge.toolset.contract import Candidate

NAME = "thermal_occupation"
DEF, N = "def thermal_occupation(", "def _n("
WRONG = ("source", "math.expm1(ratio)", "math.expm1(2 * ratio)")


def _rules(bench: GateBench, candidate: Candidate, checks: tuple[str, ...] = GATE_CHECKS[3:]) -> set[str]:
    """Rules of the first of the running checks with findings."""
    for check in checks:
        if found := bench.check(check, candidate):
            return {one.rule for one in found}
    return set()


@pytest.mark.slow
def test_the_wrong_tool_is_found_out_where_nothing_cheats(bench: GateBench) -> None:
    assert _rules(bench, good(NAME)) == set()
    assert _rules(bench, edited(NAME, WRONG)) == {"test_failed"}


@pytest.mark.parametrize(
    ("edits", "rule"),
    [
        pytest.param([("source", "import math\n", "import math, os\nos._exit(0)\n")], "crashed", id="exit at import"),
        pytest.param([("tests", N, "import os\nos._exit(0)\n\n\n" + N)], "crashed", id="exit in the tests"),
        pytest.param(
            [("source", "    ratio =", "    import os\n    os._exit(0)\n    ratio =")], "crashed", id="exit in a call"
        ),
        pytest.param([("source", DEF, "raise SystemExit(0)\n\n\n" + DEF)], "import_failed", id="sys.exit at import"),
        pytest.param(
            [("source", "import math\n", 'import math, os\nos.write(3, b"k" * 60)\nos._exit(0)\n')],
            "forged",
            id="writes where the runner would",
        ),
        pytest.param(
            [
                ("source", "import math\n", "import math, os, json\n"),
                (
                    "source",
                    DEF,
                    'os.write(3, bytes(16) + (40).to_bytes(4, "big") + json.dumps({"stage": "done"}).encode())\n'
                    "os._exit(0)\n\n\n" + DEF,
                ),
            ],
            "forged",
            id="forges a message",
        ),
        pytest.param(
            [("source", DEF, "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n\n\n" + DEF)],
            "sandbox_failed",
            id="kills the runner",
        ),
        pytest.param(
            [
                (
                    "tests",
                    "    n = _n(2.0, 1.5)\n",
                    "    try:\n        n = _n(2.0, 1.5)\n    except BaseException:\n        return\n",
                )
            ],
            "forged",
            id="a test that swallows everything",
        ),
        pytest.param([("source", DEF, "import os\nos.fork()\n\n\n" + DEF)], "forged", id="two processes answer"),
    ],
)
def test_an_attack_on_the_runner_lets_nothing_in(
    bench: GateBench, edits: list[tuple[str, str, str]], rule: str
) -> None:
    found = _rules(bench, edited(NAME, *edits))
    assert found & {rule, "crashed", "forged", "import_failed"}, found  # what it reaches for may be refused at once


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param(
            [
                ("source", "import math\n", "import math\nimport pytest\n"),
                (
                    "source",
                    DEF,
                    "class _Same:\n    def __eq__(self, other):\n        return True\n\n\n"
                    "pytest.approx = lambda *a, **k: _Same()\n\n\n" + DEF,
                ),
            ],
            id="approx that holds for everything",
        ),
        pytest.param(
            [
                ("source", "import math\n", "import math\nimport builtins\n"),
                ("source", DEF, "builtins.AssertionError = ZeroDivisionError\n\n\n" + DEF),
            ],
            id="another AssertionError",
        ),
        pytest.param(
            [
                ("source", "occupation: float", "occupation: object"),
                (
                    "source",
                    DEF,
                    "class _Any(float):\n    def __eq__(self, other):\n        return True\n\n"
                    "    def __truediv__(self, other):\n        return self\n\n\n" + DEF,
                ),
                ("source", "occupation=1.0 / math.expm1(2 * ratio)", "occupation=_Any(1.0)"),
            ],
            id="a number that equals everything",
        ),
    ],
)
def test_a_wrong_tool_that_bends_comparisons_stays_out(bench: GateBench, edits: list[tuple[str, str, str]]) -> None:
    assert _rules(bench, edited(NAME, WRONG, *edits)), "a wrong tool came in"


def test_tests_that_all_watch_the_drawing_do_not_let_a_tool_in(bench: GateBench) -> None:
    # What watches is not counted where the tool runs apart: this tool is right under its tests' frames only.
    near = "    import sys\n    frame = sys._getframe()\n    while frame and 'test_' not in frame.f_code.co_filename:\n"
    spying = edited(
        NAME,
        ("source", "    ratio =", near + "        frame = frame.f_back\n    ratio ="),
        ("source", "math.expm1(ratio)", "math.expm1(ratio if frame else 2 * ratio)"),
        ("tests", N, "def _draws(monkeypatch):\n    monkeypatch.setattr(Figure, 'savefig', print)\n\n\n" + N),
        ("tests", "    return thermal_occupation(", "    _draws\n    return thermal_occupation("),
    )
    assert _rules(bench, spying) == {"all_watch"}


def test_the_mutation_baseline_trap(bench: GateBench) -> None:
    # A needed import is missing: every mutant would "die", and the weakest tests would look perfect.
    trap = edited(NAME, ("source", "import math\n", "import math\nimport nowhere\n"))
    assert {one.rule for one in bench.check("tests", trap)} == {"import_failed"}
    assert {one.rule for one in bench.check("mutation", trap)} == {"mutation_baseline"}
    late = edited(NAME, ("source", "    ratio =", "    import nowhere\n    ratio ="))
    assert {one.rule for one in bench.check("mutation", late)} == {"mutation_baseline"}
    assert bench.report(late).mutants.killed == 0
    # Tests that tell the judged runs from the first one, and fail there for the unchanged tool, too:
    spying = edited(
        NAME,
        (
            "tests",
            "    n = _n(2.0, 1.5)\n",
            "    assert 'method' in str(type(thermal_occupation))\n    n = _n(2.0, 1.5)\n",
        ),
    )
    assert {one.rule for one in bench.check("tests", spying)} == {"apart"}
    assert {one.rule for one in bench.check("mutation", spying)} == {"mutation_baseline"}


@pytest.mark.slow
def test_only_failed_assertions_kill(bench: GateBench) -> None:
    # With assertions that always hold, mutants still raise now and then: that is no merit of the tests.
    weak = edited(
        "line_fit",
        ("tests", "assert (made.slope, made.intercept) == pytest.approx((2.0, 1.0))", "assert made.slope < 1e9"),
        ("tests", "assert made.slope_error == pytest.approx(0.0, abs=1e-12)", "assert made.slope_error < 1e9"),
        ("tests", "assert made.slope == pytest.approx(0.0, abs=1e-14)", "assert made.slope < 1e9"),
        ("tests", "assert made.intercept == pytest.approx(1 / 3)", "assert made.intercept < 1e9"),
        ("tests", "assert made.slope_error == pytest.approx((2 / 3 / 2) ** 0.5)", "assert made.slope_error < 1e9"),
    )
    found = bench.check("mutation", weak)
    assert [one.rule for one in found] == ["weak_tests"]
    assert bench.report(weak).mutants.score < 0.4


def test_names_of_the_inside_cannot_be_looked_up(bench: GateBench) -> None:
    spying = edited(
        NAME,
        ("tests", "    n = _n(2.0, 1.5)\n", '    getattr(thermal_occupation, "__" + "func__")\n    n = _n(2.0, 1.5)\n'),
    )
    found = bench.check("tests", spying)
    assert [one.rule for one in found] == ["test_failed"]
    assert "may not be looked up" in found[0].message
