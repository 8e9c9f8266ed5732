"""``labwright run``, ``new``, ``schema``, ``compile`` and ``runs compare``: what they give, and how they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from labwright.apps.cli import app
from labwright.tools.runs import run_ids

PLAN = "system: lab_calibration\ntitle: One time\nseed: 7\nsteps:\n  - t1 Q1, points = 21, shots = 500\n"
Command = Callable[..., Result]


@pytest.fixture
def real(root: Path) -> Command:
    """Runs one command line with the real systems."""
    return lambda *arguments, said="": CliRunner().invoke(app, list(arguments), input=said)


def file(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


def test_a_plan_is_run_patched_and_compared(real: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")  # narrower ones fold the names of fields
    plan = file("p.yaml", PLAN)
    assert real("run", plan, "-q").exit_code == 0
    done = real("run", plan, "--with", "steps.0.stop='500 us'", "--with", "title=Other", "--json", "r.json", "-q")
    assert done.exit_code == 0, done.output
    assert json.loads(Path("r.json").read_text())["status"] == "complete"
    first, second = run_ids(root)
    assert second.endswith("other")
    shown = real("runs", "compare", first, second, "--json", "c.json")
    assert "steps.0.parameters.stop" in shown.stdout
    found = json.loads(Path("c.json").read_text())["result"]["spec"]
    assert {"path": "title", "first": "One time", "second": "Other"} in found


def test_a_refusal_names_file_line_and_field(real: Command) -> None:
    plan = file("p.yaml", "system: lab_calibration\nsteps:\n  - t1 Q1\n  - {experiment: nope, qubits: [Q1]}\n")
    done = real("run", plan, "-q")
    assert done.exit_code == 2
    assert "p.yaml, line 4: steps.1.experiment: There is no experiment 'nope'." in " ".join(done.stdout.split())
    done = real("run", plan, "--with", "title=x", "-q")
    assert "p.yaml: steps.1.experiment:" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "nowhere.yaml"), "There is no file and no example 'nowhere.yaml'"),
        (("run", "Energy of H2 at 0.74 angstrom"), "Words are for calibrate"),
        (("run", "wrong.yaml"), "wrong.yaml, line 2: trials: It is 0."),
        (("run", "wrong.yaml", "--with", "trials"), "Option `--with` must be PATH=VALUE"),
        (("run", "wrong.yaml", "--with", "nothing=1"), "wrong.yaml: nothing: There is no field nothing."),
        (("run", "prose.md"), "prose.md, line 1: system: It is missing."),
        (("run", "wrong.yaml", "--budget", "x=1"), "Option `--budget`"),
        (("new", "nope"), "There is no system 'nope'."),
        (("new", "search", "chip"), "There is no example 'chip' of search."),
        (("new", "search", "--list"), "labwright new calibration --list"),
        (("new", "search", "-o", "wrong.yaml"), "is there already"),
        (("new", "search", "--ask"), "The input ended before the last question"),
        (("schema",), "Argument `SYSTEM` is missing."),
        (("schema", "nope"), "There is no system 'nope'."),
        (("compile", "wrong.yaml"), "is no Markdown"),
        (("compile", "gone.md"), "cannot be read"),
        (("runs", "compare", "a", "b"), "There is no run 'a'"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    real: Command, root: Path, arguments: tuple[str, ...], said: str
) -> None:
    file("wrong.yaml", "system: feature_map_search\ntrials: 0\n")
    file("prose.md", "# Some prose\n\nCalibrate it.\n")
    done = real(*arguments)
    assert done.exit_code == 2, done.output
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert run_ids(root) == []


def test_a_new_file_comes_with_its_schema(real: Command) -> None:
    assert real("new", "task", "-o", "mine/task.yaml").exit_code == 0
    named = Path("mine/task.yaml").read_text().splitlines()[0].partition("$schema=")[2]
    assert json.loads((Path("mine") / named).read_text())["title"] == "TaskSpec"
    assert json.loads(real("schema", "task").stdout)["title"] == "TaskSpec"
    assert real("schema", "--write", "there").stdout.count("there/") == 5


def test_experiments_and_procedures_are_listed(real: Command) -> None:
    shown = real("new", "calibration", "--list").stdout
    assert "ramsey(qubit): " in shown
    assert "procedure calibrate single qubit(dut)" in shown


def test_asked_fields_become_a_document_that_runs(real: Command) -> None:
    said = "Mine\n\n\nt1 Q1, points = 21, shots = 500\n" + "\n" * 12
    done = real("new", "calibration", "--ask", "-o", "asked.yaml", said=said)
    assert done.exit_code == 0, done.output
    assert "steps: ['t1 Q1, points = 21, shots = 500']" in Path("asked.yaml").read_text()
    assert real("run", "asked.yaml", "-q").exit_code == 0


def test_prose_is_compiled_once_and_refused_when_it_has_changed(real: Command, root: Path) -> None:
    file("p.md", "# Look at 'dut'\n\n## Steps\n- t1 'dut', points = 21, shots = 500\n")
    done = real("compile", "p.md", "--qubits", "Q1")
    assert done.exit_code == 0, done.output
    plan = Path("p.plan.yaml").read_text()
    assert "prose_sha256: " in plan
    assert "read_by: rules" in plan
    assert not list(root.glob("*/actions/*"))  # nothing was measured
    assert real("run", "p.md", "-q").exit_code == 0
    file("p.md", Path("p.md").read_text() + "- ramsey 'dut'\n")
    for command in ("run", "calibrate"):
        done = real(command, "p.md", "-q")
        assert done.exit_code == 2
        assert "p.md has changed since p.plan.yaml was read from it." in " ".join(done.stderr.split())


def test_prose_that_nobody_can_read_is_not_compiled(real: Command) -> None:
    file("p.md", "# Look at 'dut'\n\n## Steps\n- Have a good look at it, please, and tell me.\n")
    done = real("compile", "p.md")
    assert done.exit_code == 3
    assert "runs resume" in done.stderr
    assert not Path("p.plan.yaml").exists()


def test_a_sequence_is_shown_with_its_steps(real: Command, root: Path) -> None:
    words = "Mix propanol and water with 10 and 20 % v/v propanol, 2 mL each."
    step = f"{{label: one, spec: {{system: protocol_design, text: '{words}'}}}}"
    done = real("run", file("s.yaml", f"system: sequence\nsteps: [{step}]\n"))
    assert done.exit_code == 3
    assert "step 1 of 1  one" in done.stderr
    assert "one" in real("runs", "show", next(name for name in run_ids(root) if name.endswith("sequence"))).stdout
