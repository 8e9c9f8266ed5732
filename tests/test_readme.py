"""What the README and the manual say: tables are the committed ones, links lead somewhere, commands and code run."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import shlex
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import labwright
from labwright.agents.errors import RecordingMismatch
from labwright.apps.cli import COMMANDS, app, command
from labwright.evaluation import tables
from labwright.evaluation.suites import SUITES

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", "evaluation/README.md"]
PAGES += [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").glob("*.md"))] + ["docs/tutorials/index.md"]
TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
README = TEXTS["README.md"]
ELSEWHERE = {"docs/your-lab.md"}  # written out and run by tests/tools/experiments/test_documented_lab.py


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    return tmp_path


def test_the_tables_are_made_of_the_committed_results() -> None:
    assert tables.overview_table() in README
    assert tables.arena_table() in TEXTS["docs/arena.md"]
    searches = TEXTS["docs/feature-map-search.md"]
    for part in (tables.splits_table(), tables.made("search_splits"), tables.search_table(), tables.made("search")):
        assert part in searches


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 900


HOW = re.compile(
    r"labwright eval|labwright run |labwright calibrate |python -m labwright|pytest |make demo|evaluation/results/"
)
# Tables of settings, of what is accepted, and of names; the README's is generated, and measured.md has its commands.
NO_MEASUREMENTS = {
    "README.md": "## Results",
    "docs/chip.md": "## Keeping it calibrated",
    "docs/commands.md": "## Exit codes",
    "docs/diagnosis.md": "## Known causes",
    "docs/jobs.md": "## Limits",
    "docs/protocol-checks.md": "## Safety of mixtures",
    "docs/task-cards-dynamics.md": "## Operators and states",
}


@pytest.mark.parametrize("page", PAGES)
def test_a_table_of_numbers_says_how_to_measure_them_again(page: str) -> None:
    for section in re.split(r"^(?=#+ )", TEXTS[page], flags=re.MULTILINE):
        title = section.partition("\n")[0]
        for table in re.findall(r"(?:^\|.*\n)+", section, flags=re.MULTILINE):
            rows = table.splitlines()[2:]
            with_numbers = [row for row in rows if re.search(r"\|\s*[-+]?\d[\d.,]*|\d+ of \d+", row)]
            if len(with_numbers) > 1 and NO_MEASUREMENTS.get(page) != title:
                assert HOW.search(section), f"{page}, {title}: {with_numbers[0]}"


def test_what_the_documents_name_to_measure_with_is_there() -> None:
    text = "\n".join(TEXTS.values())
    named = set(re.findall(r"labwright eval ([a-z][\w-]+)", text)) - {
        "run",
        "all",
        "list",
        "compare",
        "reproduce",
        "join",
    }
    assert sorted(named - SUITES.keys()) == []
    modules = set(re.findall(r"python -m labwright\.(evaluation[\w.]+\w)", text))
    assert [one for one in sorted(modules) if not (ROOT / f"{one.replace('.', '/')}.py").exists()] == []
    files = set(re.findall(r"evaluation/results/[\w.-]+\.json", text)) | set(
        re.findall(r"pytest (?:-m .*? )?(tests/[\w/.]+)", text)
    )
    assert [one for one in sorted(files) if not (ROOT / one).exists()] == []


def test_every_row_of_what_was_measured_names_its_command() -> None:
    rows = [row for row in TEXTS["docs/measured.md"].splitlines() if row.startswith("| ") and row.count("|") == 4]
    named = [row.rsplit("|", 2)[1] for row in rows if "measured | with" not in row]
    assert len(named) > 25
    assert [one for one in named if not HOW.search(one) and one.strip() != "the same"] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", TEXTS[page]):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


@pytest.mark.slow
def test_the_procedure_is_found_by_its_title_and_runs(tmp_path: Path) -> None:
    block = re.search(r"```markdown\n(# Weekly.*?)```", TEXTS["docs/calibration-plans.md"], re.DOTALL)
    assert block is not None
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "service.md").write_text(block[1])
    outcome = labwright.calibrate("weekly service of Q8", lab=str(tmp_path / "lab"), figures=False)
    assert outcome.status == "complete", outcome.reason
    assert outcome.result["qubits"]["Q8"]["rb_error_per_gate"] < 3e-4


def commands(page: str) -> list[list[str]]:
    """The words of every `labwright` command in the fences of a page, pipes and comments cut off."""
    found = []
    for fence in re.findall(r"^```(?:console|sh|bash)?\n(.*?)^```", TEXTS[page], re.DOTALL | re.MULTILINE):
        for line in fence.replace("\\\n", " ").splitlines():
            part = re.search(r"(?:^|\$ |\| |[A-Z_]+=\S+ )labwright +(.*)", line.strip())
            if part and "..." not in part[1]:
                lexer = shlex.shlex(part[1], posix=True, punctuation_chars="|&;<>")
                lexer.whitespace_split = True
                words = list(lexer)
                ends = [k for k, word in enumerate(words) if word and set(word) <= set("|&;<>")]
                found.append(words[: ends[0]] if ends else words)
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_every_command_is_one_with_these_options(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for words in commands(page):
        parse(words)


def parse(words: list[str]) -> None:
    """Read a command line as far as its command's options, without running it."""
    if words[:2] == ["queue", "submit"]:  # any command that starts a run, as without the queue
        words = words[2:]
    if not words or words[0].startswith("-"):
        return
    assert words[0] in COMMANDS, f"there is no command {words[0]!r}"
    found, words = command(words[0]), words[1:]
    if hasattr(found, "commands"):
        if not words or words[0].startswith("-"):
            return
        name = "run" if found.name == "eval" and words[0] in SUITES else words[0]
        assert name in found.commands, f"{found.name} has no command {name!r}"
        found, words = found.commands[name], words[1:]
    known = {option for one in found.params for option in (*one.opts, *one.secondary_opts) if option.startswith("-")}
    for word in words:
        if re.match(r"--?[a-z]", word):
            assert word.partition("=")[0] in known | {"--help"}, f"{found.name} has no option {word}"


def snippets() -> list[Any]:
    return [
        pytest.param(page, code, id=f"{page} {n}")
        for page, text in TEXTS.items()
        for n, code in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE), 1)
        if page not in ELSEWHERE
    ]


def _exported() -> dict[str, Any]:
    from labwright.tools.runs.export import save_measurements
    from labwright.tools.runs.run import load_run

    outcome = labwright.calibrate("t1 Q1", figures=False, seed=1)
    save_measurements(load_run(outcome.run_dir), Path("run.nc"))
    return {}


def _pipeline() -> dict[str, Any]:
    from labwright.tools.datasets.feature_preparation import Preparation
    from labwright.tools.feature_maps.product.classifier import FidelityKernelClassifier
    from labwright.tools.feature_maps.product.saved import About, pipeline_of, save_pipeline

    random, y = np.random.default_rng(0), np.arange(30) % 3
    X = random.normal(size=(30, 4)) + 2 * np.eye(4)[y]
    preparation = Preparation("standardise", 3).fit(X)
    classifier = FidelityKernelClassifier().fit(preparation.transform(X), y)
    Path("runs/RUN").mkdir(parents=True)
    save_pipeline(pipeline_of(preparation, classifier), Path("runs/RUN/pipeline"), About("Found"))
    return {"X": X}


def _workspace() -> dict[str, Any]:
    Path("workspace/tools").mkdir(parents=True)
    Path("workspace/script_1.py").write_text("print('done')\n")
    Path("workspace/question.md").write_text("# Nothing\n")
    return {}


def _protocol() -> dict[str, Any]:
    text = (ROOT / "examples" / "calibration_samples.txt").read_text()
    return {"text": text, "ask_the_person": lambda question: labwright.Answer(id=question.id, decision="write")}


def _recording() -> dict[str, Any]:
    shutil.copytree(ROOT / "evaluation" / "recordings" / "plans", "recordings/plans")
    return {}


GIVEN: dict[str, Callable[[], dict[str, Any]]] = {
    "docs/calibration-plans.md": _exported,
    "docs/feature-map-search.md": _pipeline,
    "docs/jobs.md": _workspace,
    "docs/front-desk.md": _protocol,
    "docs/recordings.md": _recording,
}
IMPORTS_ONLY = {"docs/tool-gate.md"}  # takes a candidate; tests/tools/forge/gate has many
ENDS = {"docs/recordings.md": RecordingMismatch}  # its exchanges were not asked for


@pytest.mark.slow
@pytest.mark.parametrize(("page", "code"), snippets())
def test_every_snippet_runs(page: str, code: str) -> None:
    tree = ast.parse(code)
    if page in IMPORTS_ONLY:
        tree.body = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    names = GIVEN.get(page, dict)()
    program = compile(tree, page, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with pytest.raises(ENDS[page]) if page in ENDS else nullcontext():
        made = eval(program, names)
        if inspect.iscoroutine(made):
            asyncio.run(made)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        'calibrate "Calibrate Q1 and benchmark it"',
        "search --dataset iris --trials 1",
        "design examples/calibration_samples.txt --approve auto",
        "run examples/lindblad_qubit.md",
        "new-lab mylab",
        "runs list",
    ],
)
def test_the_readmes_commands_run(line: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    done = CliRunner().invoke(app, shlex.split(line))
    assert done.exit_code == 0, done.output
