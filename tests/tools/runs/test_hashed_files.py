"""Files are whole or absent, and are found by their content."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.runs import ArtifactRef, Run, create_run, read_json, to_json, write_atomic


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return create_run(tmp_path, "lab_calibration", "Calibrate Q1", {"mind": "rules"}, 7)


def test_write_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.json"
    write_atomic(path, b"old and long")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert [each.name for each in path.parent.iterdir()] == ["a.json"]


def test_full_disk_leaves_the_old_file_and_no_half_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_atomic(path, b"old")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_full_device_is_an_os_error() -> None:
    with pytest.raises(OSError, match="No space left"), Path("/dev/full").open("wb", buffering=0) as file:
        file.write(b"x")


def test_json_has_no_nan_and_no_numpy() -> None:
    value = {"a": float("nan"), "b": np.float64(2.5), "c": (np.int64(1), float("inf")), "d": np.arange(2)}
    assert json.loads(to_json(value)) == {"a": None, "b": 2.5, "c": [1, None], "d": [0, 1]}


@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff\xfe"])
def test_unreadable_json_names_file_and_remedy(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(CorruptRecordError, match=r"x\.json.*Do this\."):
        read_json(path, "Do this.")


def test_arrays_come_back_and_hash_alike(run: Run) -> None:
    arrays = {"t": np.linspace(0, 1, 5), "iq": np.array([1 + 2j])}
    first, second = run.save_arrays("a", arrays), run.save_arrays("b", arrays)
    assert first.sha256 == second.sha256
    loaded = run.load_arrays(ArtifactRef.from_dict(first.as_dict()))
    np.testing.assert_array_equal(loaded["t"], arrays["t"])
    np.testing.assert_array_equal(loaded["iq"], arrays["iq"])


def test_figure_is_a_png_of_the_run(run: Run) -> None:
    figure = Figure(figsize=(2, 2))
    figure.add_subplot().plot([0, 1])
    ref = run.save_figure("ramsey", figure)
    assert (ref.path, ref.kind) == ("figures/ramsey.png", "figure")
    assert run.verify(ref).read_bytes().startswith(b"\x89PNG")


def test_changed_and_missing_artifacts_are_noticed(run: Run) -> None:
    ref = run.save_text("notes.txt", "as it was")
    (run.folder / ref.path).write_text("tampered")
    with pytest.raises(CorruptRecordError, match="changed after it was written"):
        run.verify(ref)
    (run.folder / ref.path).unlink()
    with pytest.raises(CorruptRecordError, match="missing"):
        run.verify(ref)


@pytest.mark.parametrize("name", ["../up.txt", "/etc/passwd", "", "a/../../b"])
def test_no_file_outside_the_run(run: Run, name: str) -> None:
    with pytest.raises(InputError, match="inside the run folder"):
        run.save_text(name, "x")
