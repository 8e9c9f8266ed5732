"""The arena's tasks in others' forms: a folder a device for Harbor, and a file of tasks for inspect-ai."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from labwright.evaluation.arena.suite import CONDITIONS, condition_of
from labwright.tools.atomic_files import write_atomic

CASES = Path(__file__).parents[1] / "cases" / "arena"


def export(folder: Path, devices: int) -> None:
    """Write `devices` drawn, spoilt and doubly spoilt tasks each, and one secret for who grades.

    The names of the tasks say nothing of the devices: they are in the order of another lot.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / "arena.secret", secrets.token_hex(32).encode())
    (folder / "arena.secret").chmod(0o600)
    numbers = [(group, number) for group, each in CONDITIONS.items() for number in each[:devices]]
    secrets.SystemRandom().shuffle(numbers)
    listed = []
    for place, (group, number) in enumerate(numbers, start=1):
        serve = ["--number", str(number), "--condition", condition_of(group, number)]
        name = f"device-{place:02d}"
        listed.append({"name": name, "serve": serve})
        _harbor(folder / "harbor" / name, name, serve)
    inspecting = folder / "inspect"
    inspecting.mkdir(exist_ok=True)
    (inspecting / "tasks.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")
    shutil.copy(CASES / "inspect_task.py", inspecting / "task.py")
    shutil.copy(CASES / "task.md", inspecting / "task.md")
    shutil.copy(folder / "arena.secret", inspecting / "arena.secret")


def _harbor(folder: Path, name: str, serve: list[str]) -> None:
    """One task: instruction, configuration, the agent's container and the bench's, the test that reads the grade."""
    shutil.copytree(CASES / "harbor", folder, dirs_exist_ok=True)
    shutil.copy(CASES / "task.md", folder / "instruction.md")
    for path, old, new in _blanks(folder, name, serve):
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    (folder / "tests" / "test.sh").chmod(0o755)


def _blanks(folder: Path, name: str, serve: list[str]) -> Iterator[tuple[Path, str, str]]:
    yield folder / "task.toml", '"NAME"', json.dumps(name)
    yield folder / "environment" / "docker-compose.yaml", "SERVE", ", ".join(map(json.dumps, serve))
