"""The gate's runner against pytest itself, and what stands beside the checks: mutants, laws, constants, units."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gate_corpus import good, good_names, texts
from toolsets import passed

from labwright.tools.errors import InputError
from labwright.tools.forge.gate import GateBench, GateLimits
from labwright.tools.forge.gate.error_hiding import check_honesty
from labwright.tools.forge.gate.forbidden_references import check_references
from labwright.tools.forge.gate.imports_and_patching import check_effects
from labwright.tools.forge.gate.job_findings import invariant_findings
from labwright.tools.forge.gate.mutants import mutants
from labwright.tools.forge.gate.mutation_testing import judge_mutants
from labwright.tools.forge.gate.output_laws import broken_laws
from labwright.tools.forge.gate.parsed_candidate import Draft
from labwright.tools.forge.gate.source_form import names_unit, same_type
from labwright.tools.forge.gate.task_constants import distinctive
from labwright.tools.forge.toolset.contract import Candidate, Parameter
from labwright.tools.forge.toolset.gate_findings import GateReport
from labwright.tools.forge.toolset.tool_source import read_tool
from labwright.tools.forge.toolset.toolset import Toolset
from labwright.tools.sandbox import Sandbox


@pytest.mark.slow
def test_pytest_agrees_with_the_small_runner(tmp_path: Path, sandbox: Sandbox) -> None:
    # The same tests, in a workspace, by pytest: every one that the gate counts as green is green there, none is more.
    names = [name for name in good_names() if name in ("kepler_anomaly", "plot_decay", "rate_equations")]
    toolset = Toolset(tmp_path / "t")
    for name in names:
        toolset.admit(good(name), passed(good(name)), "test")
    for path, content in toolset.files().items():
        place = tmp_path / "work" / "tools" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    for name in names:
        (tmp_path / "work" / f"test_{name}.py").write_text(good(name).tests)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "-rA"]
    done = subprocess.run(
        words, cwd=tmp_path / "work", capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": "."}
    )
    assert done.returncode == 0, done.stdout
    passing = [line for line in done.stdout.splitlines() if line.startswith("PASSED")]
    green = sorted(line.split("::")[1].partition("[")[0] for line in passing)
    ours: list[str] = []
    with GateBench(sandbox) as bench:
        for name in names:
            assert bench.check("tests", good(name)) == []
            ours += [one["test"].partition("[")[0] for one in bench._base["tests"]["outcomes"]]
    assert sorted(ours) == green


def test_an_unknown_check_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(InputError, match="no check 'taste'"):
        GateBench(sandbox).check("taste", good("line_fit"))


def test_a_report_survives_as_json() -> None:
    report = passed(good("line_fit"))
    assert GateReport.from_plain(json.loads(json.dumps(report.plain()))) == report


def test_mutants_are_valid_different_and_drawn_by_the_seed() -> None:
    source = texts("unitary_propagation")[0]
    found, _ = mutants(source, "unitary_propagation", 100, 1)
    assert len({one.source for one in found}) == len(found) > 10
    for one in found:
        compile(one.source, "mutant", "exec")
    again, _ = mutants(source, "unitary_propagation", 100, 1)
    assert again == found
    few, _ = mutants(source, "unitary_propagation", 5, 2)
    assert len(few) == 5
    assert {one.operator for one in found} >= {"arithmetic", "comparison", "condition", "conjugate", "order"}
    # docstrings, messages and descriptions are nobody's physics
    assert all('"""Populations of a closed system' in one.source for one in found)


def test_changes_that_the_compiler_undoes_are_equivalent() -> None:
    found, equivalent = mutants("def f(x):\n    return x[0:0 + 0]\n", "f", 20, 0)
    assert equivalent >= 1  # 0 + 0 -> 0 - 0
    assert all("0 - 0" not in one.source for one in found)


def test_what_no_test_of_a_right_tool_can_notice_is_left_alone() -> None:
    """A guard of a failed computation, and two sides of what is symmetric; a guard of the input is mutated."""
    guarded = "def f(x, y):\n    if abs(x) > 2 * y:\n        raise {}('it did not converge')\n    return x\n"
    assert mutants(guarded.format("RuntimeError"), "f", 50, 0)[0] == []
    assert {one.operator for one in mutants(guarded.format("ValueError"), "f", 50, 0)[0]} >= {"comparison", "constant"}
    found, _ = mutants("def f(g, a, b):\n    g.add_edge(a, b)\n    return math.dist(a, b), g.path(a, b)\n", "f", 50, 0)
    assert [one.was for one in found] == ["g.path(a, b)"]


def test_products_of_one_thing_with_itself_are_not_turned_round() -> None:
    text = "def f(u, v):\n    return u @ u.conj().T, u @ v, np.transpose(v) @ v\n"
    found, _ = mutants(text, "f", 50, 0)
    turned = [one for one in found if one.operator == "order"]
    assert [one.now for one in turned] == ["v @ u"]
    for vectors, passes in ((True, True), (False, False)):
        names: dict[str, object] = {"np": np}
        exec(turned[0].probe, names)
        u = np.ones(2) if vectors else np.eye(2)
        try:
            names["f"](u, u)  # type: ignore[operator]
            assert passes
        except ZeroDivisionError:
            assert not passes


def test_two_vectors_may_be_exchanged_and_what_is_not_counted_is_said() -> None:
    source = "import numpy as np\n\n\ndef f(u, v):\n    w = u @ v\n    return w - 1, w + 3, w < 5\n"
    draft = Draft(Candidate(good("line_fit").contract, source, ""), read_tool(ast.parse(source)), ast.parse(""))
    base = {"outcomes": [{"test": "test_f", "seconds": 0.01, "hit": [5, 6]}]}

    def run(jobs: list[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
        crash = {"ending": "crashed", "code": 1}
        done = {"ending": "ok", "stage": "done", "outcomes": [{"test": "test_f", "outcome": "passed"}]}
        return [crash if "w >= 5" in job["source"] else done for job in jobs]

    count, survivors, (weak,) = judge_mutants(draft, base, GateLimits(), run)
    assert (count.survived, count.crashed, count.equivalent) == (count.total, 1, 1)
    assert "v @ u" not in weak.message
    assert weak.message.count(" -> ") == len(survivors) == count.total
    assert "1 that ended in another exception than a failed assertion, 1 that change nothing" in weak.message


@pytest.mark.parametrize(("noticed", "advises"), [(2, False), (3, True)])
def test_a_few_planted_faults_advise_unless_most_went_unnoticed(noticed: int, advises: bool) -> None:
    source = "def f(u, v):\n    return u * v + 2.0 * u - 3.0\n"
    draft = Draft(Candidate(good("line_fit").contract, source, ""), read_tool(ast.parse(source)), ast.parse(""))
    base = {"outcomes": [{"test": "test_f", "seconds": 0.01, "hit": [2]}]}
    judged: list[str] = []

    def run(jobs: list[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
        new = [job["source"] for job in jobs if job["source"] != source and job["source"] not in judged]
        judged.extend(new)
        ends = ["failed" if job["source"] in judged[:noticed] else "passed" for job in jobs]
        told = [[{"test": "test_f", "outcome": end, "error": {"message": ""}}] for end in ends]
        return [{"ending": "ok", "stage": "done", "outcomes": one} for one in told]

    count, survivors, findings = judge_mutants(draft, base, GateLimits(mutants=6), run)
    assert (count.killed, count.total, len(survivors)) == (noticed, 6, 6 - noticed)
    assert [one.rule for one in findings] == ([] if advises else ["weak_tests"])


@pytest.mark.parametrize(("outputs", "said"), [([1, 1, 1], 1), ([1, 1, 2], 0), ([1, 1], 0)])
def test_an_output_that_the_tests_never_see_change(outputs: list[int], said: int) -> None:
    pairs = [{"given": f'{{"n": {n}}}', "gave": f'{{"y": {y}}}'} for n, y in enumerate(outputs)]
    seen = [{"test": "test_invariant_x", **one} for one in pairs]
    candidate = good("line_fit")
    draft = Draft(candidate, read_tool(ast.parse(candidate.source)), ast.parse(candidate.tests))
    found = [one.rule for one in invariant_findings(draft, {"seen": seen})]
    assert found.count("never_varies") == said


@pytest.mark.parametrize(
    ("name", "value", "broken"),
    [
        ("fidelity", 1.2, True),
        ("fidelity", 1.0 + 1e-9, False),
        ("infidelity", 1.2, False),
        ("populations", [[0.2, 0.8], [-0.1, 1.1]], True),
        ("purity", [0.5, 1.0], False),
        ("entropy", -0.1, True),
        ("reaction_entropy", [-195.7, -219.6], False),
        ("rho", [[[0.5, 0], [0, 0.5]], [[0, 0.5], [0.5, 0]]], True),
        ("rho", [[[0.5, 0], [0, -0.5]], [[0, 0.5], [0.5, 0]]], False),
        ("rho", [[[1.2, 0], [0, 0]], [[0, 0], [-0.2, 0]]], True),
        ("unitary", [[0.6, 0.8], [-0.8, 0.6]], False),
        ("unitary", [[0.6, 0.8], [0.8, 0.6]], True),
        ("variance", -1.0, True),
        ("energy", -1.0, False),
    ],
)
def test_laws_that_names_imply(name: str, value: object, broken: bool) -> None:
    contract = good("line_fit").contract.model_copy(
        update={"outputs": [Parameter(name=name, type="float", description=f"The {name}.", unit="1")]}
    )
    assert bool(list(broken_laws(contract, [json.dumps({name: value})]))) is broken


@pytest.mark.parametrize(
    ("value", "own"),
    [(12410.0, True), (277.4, True), (-87.7, True), (1024, False), (3.14159265, False), (27.2114, False), (0.5, False),
     (300.0, False), (1.380649e-23, False), (298.15, False), (1e-12, False), (0.1234, True), (627.5095, False)],
)  # fmt: skip
def test_numbers_that_say_where_they_are_from(value: float, own: bool) -> None:
    assert distinctive(value) is own


@pytest.mark.parametrize(
    ("found", "wanted", "same"),
    [
        ("list[float]", "list[ float ]", True),
        ("PositiveFloat", "float", True),
        ("float | None", "None | float", True),
        ("Optional[float]", "float | None", True),
        ("Literal['a', 'b']", "str", True),
        ("Literal['b', 'a']", 'Literal["a", "b"]', True),
        ("list[list[float]]", "list[float]", False),
        ("int", "float", False),
        ("dict[str, int]", "dict[str, float]", False),
    ],
)
def test_types_are_compared_by_meaning(found: str, wanted: str, same: bool) -> None:
    assert same_type(found, wanted) is same


@pytest.mark.parametrize(
    ("description", "unit", "named"),
    [
        ("Energy, in 1/cm.", "1/cm", True),
        ("Energy in cm^-1.", "1/cm", True),
        ("Energy.", "1/cm", False),
        ("Positions in angstrom", "angstrom", True),
        ("Mass in u angstrom^2", "u angstrom^2", True),
    ],
)
def test_units_are_found_in_words(description: str, unit: str, named: bool) -> None:
    assert names_unit(description, unit) is named


def test_aliases_are_written_out_and_literals_kept() -> None:
    text = (
        "from typing import Literal\nfrom pydantic import BaseModel, Field\n_Rows = list[list[float]]\n"
        "class AInput(BaseModel):\n    rows: _Rows = Field(description='R.')\n"
        "    kind: Literal['_Rows', 'b'] = Field('b', description='K.')\n    late: '_Rows' = Field(description='L.')\n"
    )
    fields = {one.name: one for one in read_tool(ast.parse(text)).models["AInput"].fields}
    assert [one.type for one in fields.values()] == ["list[list[float]]", "Literal['_Rows', 'b']", "list[list[float]]"]
    assert (fields["rows"].default, fields["kind"].default) == (None, "'b'")


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("sums[key] = sums.get(key, 0.0) + x", set()),
        ("sums[key] = sums.get(other, 0.0) + x", {"get_default"}),
        ("sums[key] = sums.get(key, 1.0) + x", {"get_default"}),
        ("y = counts.get(key, 0)", set()),
        ("y = sums.get(key, 0.0)", {"get_default"}),
        ("y = sums.get(key)", set()),
        ("y = x or 0.0", {"or_default"}),
        ("y = a > 1 or b < 2", set()),
        ("import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('error')", set()),
        ("import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('ignore')", {"warnings_off"}),
        ("import warnings\nwith warnings.catch_warnings(record=True):\n    y = 1", {"warnings_off"}),
    ],
)
def test_what_hides_an_error_and_what_does_not(text: str, rules: set[str]) -> None:
    assert {one.rule for one in check_honesty(ast.parse(text))} == rules


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("import random\nx = random.random()", {"unseeded"}),
        ("import random\ndef f(seed):\n    return random.Random(seed).random()", set()),
        ("import random\n_X = random.Random(3)", set()),
        ("def f(random):\n    return random.normal(0, 1)", set()),
        ("import numpy as np\ndef f(seed):\n    return np.random.default_rng(seed)", set()),
        ("import numpy as np\ndef f():\n    return np.random.default_rng(seed=None)", {"unseeded"}),
        ("import pathlib\nx = pathlib.os.getcwd()", {"introspection"}),
        ("from pathlib import os", {"introspection"}),
        ("from numpy import _core", {"native"}),
        ("import numpy as np\nnp._NoValue", {"private_name"}),
        ("import scipy.signal\nfrom scipy import signal\nx = signal.welch", set()),
        ("import numpy as np\n_n = np", {"module_value"}),
        ("import numpy as np\nx[np.isfinite(y)] = 1.0", set()),
        ("import numpy as np\nnp.pi = 3", {"replaces"}),
        ("_TABLE = {'a': 1}\ndef f():\n    return _TABLE['a']", set()),
        ("def f(x):\n    x.__dict__", {"introspection"}),
    ],
)
def test_effects(text: str, rules: set[str]) -> None:
    tree = ast.parse(text)
    found = [*check_effects(tree, tests=False), *check_references(tree, tests=False)]
    assert {one.rule for one in found} == rules
