"""Indexes of installed packages: public paths, signatures, short answers, made once a version."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import time
from pathlib import Path

import pytest

from labwright.tools.errors import InputError
from labwright.tools.workspace.installed_packages import Navigator
from labwright.tools.workspace.installed_packages.navigator import MOST_CHARACTERS


@pytest.fixture(scope="module")
def navigator(tmp_path_factory: pytest.TempPathFactory) -> Navigator:
    return Navigator(tmp_path_factory.mktemp("navigation"))


@pytest.mark.slow
def test_qutip_is_indexed_in_time_and_once(tmp_path: Path) -> None:
    began = time.process_time()
    made = Navigator(tmp_path).index("qutip")
    assert time.process_time() - began < 5.0
    began = time.process_time()
    assert Navigator(tmp_path).index("qutip") == made
    assert time.process_time() - began < 1.0
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("query", "package", "path"),
    [
        ("lindblad master equation evolution", "qutip", "qutip.mesolve"),
        ("partial trace", "qutip", "qutip.ptrace"),
        ("ladder operator destroy", "qutip", "qutip.destroy"),
        pytest.param("matrix exponential", "scipy", "scipy.linalg.expm", marks=pytest.mark.slow),
        pytest.param("least squares curve fit", "scipy", "scipy.optimize.curve_fit", marks=pytest.mark.slow),
        pytest.param("definite integral of a function", "scipy", "scipy.integrate.quad", marks=pytest.mark.slow),
    ],
)
def test_the_right_function_is_found(navigator: Navigator, query: str, package: str, path: str) -> None:
    lines = navigator.search(query, [package], most=6).splitlines()
    assert any(line.removeprefix("class ").startswith(path + "(") for line in lines), lines
    assert len(lines) <= 6


def test_paths_can_be_imported_and_signatures_are_right(navigator: Navigator) -> None:
    # Held against the imported package: nothing of it is imported for the index.
    symbols = {one.path: one for one in navigator.index("qutip").symbols}
    for path in ("qutip.mesolve", "qutip.basis", "qutip.tensor", "qutip.solver.heom.BosonicBath"):
        module, _, name = path.rpartition(".")
        real = getattr(importlib.import_module(module), name)
        names = list(inspect.signature(real).parameters)
        assert all(one in symbols[path].signature for one in names if one not in ("self", "kwargs", "args"))


@pytest.mark.slow
def test_nothing_is_imported() -> None:
    code = (
        "import sys, pathlib; from labwright.tools.workspace.installed_packages.symbols import read_package;"
        "read_package('qutip'); sys.exit('qutip' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_answers_are_bounded(navigator: Navigator) -> None:
    assert len(navigator.open_module("qutip")) <= MOST_CHARACTERS
    assert "more" in navigator.open_module("qutip")
    assert "qutip.measurement.measure(" in navigator.open_module("qutip.measurement")
    assert "Nothing found" in navigator.search("zzqqxx", ["qutip"])


@pytest.mark.parametrize("name", ["not_there", "qutip.not_there", "os.system; x"])
def test_what_is_not_there_is_said(navigator: Navigator, name: str) -> None:
    with pytest.raises(InputError):
        navigator.open_module(name)


def test_a_function_or_class_is_opened_by_its_own_name(navigator: Navigator) -> None:
    told = navigator.open_module("qutip.steadystate")
    assert told.startswith("qutip.steadystate(A, c_ops=[]")
    assert "steady state for quantum evolution" in told.partition("\n")[2]
    assert "method ptrace" in navigator.open_module("qutip.Qobj")


@pytest.mark.slow
def test_a_spoilt_index_is_made_anew(tmp_path: Path) -> None:
    Navigator(tmp_path).index("yaml")
    kept = next(iter(tmp_path.iterdir()))
    kept.write_bytes(kept.read_bytes()[:100])
    assert any(one.path == "yaml.safe_load" for one in Navigator(tmp_path).index("yaml").symbols)


def test_no_match_is_told_from_a_package_that_is_not_there(tmp_path: Path) -> None:
    found = Navigator(tmp_path).search("parse a version", ["packaging", "no_such_package"])
    assert "packaging.version.parse(" in found
    assert found.endswith("The package 'no_such_package' is not installed.\n")
    nothing = Navigator(tmp_path).search("zzqqxx", ["packaging"])
    assert nothing == "Nothing found for 'zzqqxx' in packaging, which is installed: try other words.\n"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no_such_package", "'no_such_package' is not installed"),
        ("scikit-learn", "imported as 'sklearn'"),
        ("packaging.version", "search the package 'packaging'"),
        ("no_such.module", "'no_such.module' is not installed"),
    ],
)
def test_what_is_not_there_is_said_with_its_own_name(navigator: Navigator, name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        navigator.search("anything", [name])
