"""A card end to end without graph and sandbox: recipes, scripts, results, judgements, report."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labwright.tools.forge.tasks.results import Results, merged
from labwright.tools.forge.tasks.task_type import Family, Judgement
from labwright.tools.forge.toolset.builtin_tools import Toolbox

CLIENT = Path(__file__).resolve().parents[2] / "tools" / "forge" / "toolset" / "client.py"
PLACES = Toolbox().places


@dataclass
class Bench:
    """What came of a task.

    Attributes:
        figures: figure path -> its plotted data.
        seconds: of all scripts together, imports included.
    """

    results: Results = field(default_factory=Results)
    judgements: list[Judgement] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    report: str = ""
    printed: str = ""
    seconds: float = 0.0

    @property
    def failed(self) -> list[str]:
        """Messages of the judgements that do not hold."""
        return [f"{one.name}: {one.message}" for one in self.judgements if not one.passed]


def put_recipes(names: list[str], folder: Path) -> dict[str, str]:
    """Copy recipes to ``folder/tools``, as fresh tools lie in a workspace; recipe -> module."""
    tools = folder / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    (tools / "__init__.py").write_text(CLIENT.read_text())  # as in a workspace: calls are recorded in logs/
    for name in names:
        (tools / f"{name}.py").write_text((PLACES[name] / f"{name}.py").read_text())
    return {name: f"tools.{name}" for name in names}


def run_spec(family: Family[Any], spec: Any, folder: Path) -> Bench:
    """Write and run a specification's scripts in `folder`, and judge what they leave."""
    bench = Bench()
    imports = put_recipes(list(family.tools(spec)), folder)
    began = time.monotonic()
    for number, script in enumerate(family.scripts(spec, imports), 1):
        path = folder / f"script_{number}{'_subset' * script.subset}.py"
        path.write_text(script.source)
        for name, content in script.modules.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
        environment = os.environ | {
            "MPLBACKEND": "agg",
            "OMP_NUM_THREADS": str(script.threads),
            "PYTHONPATH": str(folder),
        }
        ended = subprocess.run(
            [sys.executable, path.name],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=script.wall_seconds,
        )
        bench.printed += ended.stdout
        if ended.returncode:
            raise AssertionError(f"{path.name} failed:\n{ended.stdout[-2000:]}\n{ended.stderr[-3000:]}")
    bench.seconds = time.monotonic() - began
    parts = [path for path in sorted((folder / "results").glob("*.json")) if not path.stem.endswith("_subset")]
    bench.results = merged([Results.model_validate_json(path.read_bytes()) for path in parts])
    pictures = sorted((folder / "img").glob("*.png")) if (folder / "img").is_dir() else []
    bench.figures = {f"img/{one.name}": json.loads(one.with_suffix(".json").read_text()) for one in pictures}
    bench.judgements = list(family.judge(spec, bench.results, bench.figures))
    bench.report = family.report(spec, bench.results, list(bench.figures))
    (folder / "report.md").write_text(bench.report)
    return bench


def recipe(name: str) -> Any:
    """A recipe's module, loaded from the toolbox under its own name."""
    found = importlib.util.spec_from_file_location(f"recipe_{name}", PLACES[name] / f"{name}.py")
    if found is None or found.loader is None:
        raise AssertionError(f"There is no recipe {name}.")
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module  # pydantic looks names up there
    found.loader.exec_module(module)
    return module


def run_recipe_tests(names: list[str], folder: Path, seconds: float = 600.0) -> subprocess.CompletedProcess[str]:
    """The tests of several recipes in one process, as they would run in a workspace."""
    put_recipes(names, folder)
    for name in names:
        (folder / f"test_{name}.py").write_text((PLACES[name] / f"test_{name}.py").read_text())
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"test_{name}.py" for name in names)]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )
