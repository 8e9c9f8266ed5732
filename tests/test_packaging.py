"""What is installed is what is in the folders, and a broken clone is noticed."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import labwright
from labwright.evaluation.peers import environments

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("agents", "apps", "evaluation", "graphs", "prompts", "tools")
LOCKS = ("requirements.lock", "requirements-dev.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pinned(*files: str) -> dict[str, str]:
    """Package -> version, of requirement files."""
    lines = [line for file in files for line in (ROOT / file).read_text().splitlines()]
    form = r"([a-z0-9._-]+)==([^ ;]+)( ; .+)?( --hash=sha256:[0-9a-f]{64})+"
    found = [re.fullmatch(form, line) for line in lines if line[:1] not in ("", "#")]
    assert all(found), "every line of a lock file is name==version, a marker at most, and hashes"
    return {match[1]: match[2] for match in found if match}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what git would clone, so that building writes nothing here."""
    target = tmp_path_factory.mktemp("clone") / "labwright"
    skipped = shutil.ignore_patterns("__pycache__", "*.egg-info", ".venv", "runs", "build", "dist")
    shutil.copytree(ROOT / "src", target / "src", symlinks=True, ignore=skipped)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "LICENSE"):
        shutil.copy2(ROOT / name, target / name)
    (target / "README.md").write_text("# Labwright\n")
    return target


def build(source: Path, target: Path, kind: str) -> subprocess.CompletedProcess[str]:
    """Build the wheel or the sdist of `source` with what is installed, without a network."""
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(target), str(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def data_files() -> set[str]:
    """Files beside the modules that the program reads, as they are named in a wheel."""
    wanted = [("prompts", "**/*.md"), ("tools/knowledge", "*/*.md"), ("tools/experiments/examples", "*.png")]
    wanted += [("tools/specifications", glob) for glob in ("*.lark", "*.toml", "templates/*")]
    return {f"labwright/{path.relative_to(ROOT)}" for folder, glob in wanted for path in (ROOT / folder).glob(glob)}


def modules() -> set[str]:
    """Every Python file of the folders, as it is named in a wheel."""
    return {f"labwright/{path.relative_to(ROOT)}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}


@pytest.mark.slow
def test_sdist_builds_a_wheel_with_every_module_and_data_file(source: Path, tmp_path: Path) -> None:
    assert build(source, tmp_path, "sdist").returncode == 0
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = next(path for path in tmp_path.iterdir() if path.is_dir())
    done = build(unpacked, tmp_path, "wheel")
    assert done.returncode == 0, done.stdout + done.stderr
    names = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    assert modules() | data_files() | {"labwright/py.typed", "labwright/__init__.py"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not {name for name in names if name.split("/")[0] in FOLDERS}, "no bare top-level package"


def test_clone_without_links_does_not_build(tmp_path: Path) -> None:
    # Where git makes no links it writes files that hold the link's target.
    (tmp_path / "src" / "labwright").mkdir(parents=True)
    for folder in FOLDERS:
        (tmp_path / "src" / "labwright" / folder).write_text(f"../../{folder}")
    shutil.copy2(ROOT / "setup.py", tmp_path / "setup.py")
    done = subprocess.run(
        [sys.executable, "setup.py", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 1
    assert "git config core.symlinks true" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("folder", FOLDERS)
def test_links_are_relative_and_lead_to_the_folders(folder: str) -> None:
    link = ROOT / "src" / "labwright" / folder
    assert link.readlink() == Path("../..") / folder
    assert (link / "__init__.py").is_file()


def test_locks_pin_every_need_and_hold_no_address() -> None:
    core = [Requirement(line) for line in PROJECT["dependencies"]]
    extras = [Requirement(line) for name in ("test", "dev") for line in PROJECT["optional-dependencies"][name]]
    for needs, files in ((core, LOCKS[:1]), (core + extras, LOCKS)):
        versions = pinned(*files)
        for need in needs:
            if need.name != "labwright":
                assert need.specifier.contains(versions[need.name.lower()]), f"run `make lock`: {need}"
    text = "".join((ROOT / name).read_text() for name in LOCKS)
    assert not re.search(r"https?:|--index|--find|@ |/", text)


def test_every_package_that_is_imported_is_declared() -> None:
    extras = PROJECT["optional-dependencies"].values()
    declared = {
        canonicalize_name(Requirement(line).name)
        for line in (*PROJECT["dependencies"], *(one for e in extras for one in e))
    }
    declared |= set(environments.PACKAGES)  # peers, in environments of their own
    owners = metadata.packages_distributions().items()
    known = {name for name, packages in owners if {canonicalize_name(one) for one in packages} & declared}
    known |= {name.replace("-", "_") for name in declared}
    missing: set[str] = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            if not {"toolbox", "cases"} & {*path.parts}:  # data: what they may import is others' to say
                names = _imported(path.read_text(), {*sys.stdlib_module_names, "labwright", *known})
                missing |= {f"{name} in {path.relative_to(ROOT)}" for name in names}
    assert not missing


def _imported(text: str, known: set[str]) -> set[str]:
    """Top-level names of the packages that a module imports, wherever in it, but for the known ones."""
    if not {*re.findall(r"^\s*(?:import|from)\s+(\w+)", text, re.MULTILINE)} - known and ", " not in "".join(
        re.findall(r"^\s*import .*", text, re.MULTILINE)
    ):
        return set()  # most modules; parsing all of them would take seconds
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found - known


def test_bare_folder_names_are_banned(tmp_path: Path) -> None:
    """`import tools` works in a checkout and names somebody else's package after an installation."""
    wrong = tmp_path / "wrong.py"
    wrong.write_text("".join(f"import {name}\n" for name in FOLDERS))
    program = Path(sys.executable).with_name("ruff")
    command = [program, "check", "--no-cache", "--config", ROOT / "pyproject.toml", "--select", "TID251", wrong]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout.count("TID251") == len(FOLDERS), done.stdout + done.stderr


def test_version_is_said_once() -> None:
    assert PROJECT["version"] == labwright.__version__


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    phony = next(line for line in makefile.splitlines() if line.startswith(".PHONY:")).split()[1:]
    # the tests may themselves run under make, whose flags would make this one talk about its folder
    outside = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    command = ["make", "--no-print-directory", "help"]
    shown = subprocess.run(
        command, cwd=ROOT, env=outside, capture_output=True, text=True, timeout=600, check=True
    ).stdout
    assert {line.split()[1] for line in shown.splitlines()} == set(phony)


def test_make_says_what_it_needs_where_python_is_old(tmp_path: Path) -> None:
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")  # answers the version question with no
    old.chmod(0o755)
    shutil.copy2(ROOT / "Makefile", tmp_path / "Makefile")
    for name in (*LOCKS, "pyproject.toml"):
        shutil.copy2(ROOT / name, tmp_path / name)
    command = ["make", "demo", f"PYTHON={old}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode != 0
    assert "Labwright needs Python 3.11 or newer" in done.stderr
    assert not (tmp_path / ".venv").exists()
