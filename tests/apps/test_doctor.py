"""The doctor says what is there, and ends with 4 if the main job cannot run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from labwright.apps import doctor_probes
from labwright.apps.doctor_probes import Finding, probed

Command = Callable[..., Result]


def test_this_machine_can_do_the_main_job(command: Command, tmp_path: Path) -> None:
    done = command("doctor", "--json", str(tmp_path / "d.json"))
    assert done.exit_code == 0, done.output
    found = {each["name"]: each for each in json.loads((tmp_path / "d.json").read_text())["result"]["findings"]}
    assert found.keys() >= {"python", "packages", "extra test", "folders", "run folder", "checkpoints", "vector store"}
    assert "no key" in found["model"]["found"]


def test_model_that_does_not_answer_is_missing(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABWRIGHT_MODEL", "openai:none")
    monkeypatch.setenv("LABWRIGHT_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("LABWRIGHT_API_KEY", "unused")
    monkeypatch.setenv("LABWRIGHT_RETRIES", "0")
    done = command("doctor")
    assert done.exit_code == 4
    assert "Missing: model." in done.stderr
    assert "LABWRIGHT_BASE_URL" in done.stdout


def test_broken_probe_is_a_finding_with_its_cause() -> None:
    def broken() -> Finding:
        raise RuntimeError("the library\nis torn")

    found = probed("part", broken, essential=True, mend="mend it")
    assert found == Finding("part", "missing", "RuntimeError: the library is torn", "mend it")


def test_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor_probes.run_folder(tmp_path / "not" / "yet").level == "ok"
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # root may write anywhere, so a mode will not do
    found = doctor_probes.run_folder(tmp_path / "not" / "yet")
    assert (found.level, found.mend) == ("missing", "Set LABWRIGHT_RUNS elsewhere.")


def test_sandbox_is_probed_and_named() -> None:
    assert doctor_probes.sandbox().found.split()[0].rstrip(",;") in ("bubblewrap", "namespaces", "landlock", "none")
