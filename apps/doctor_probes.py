"""What `labwright doctor` looks at: each probe finds one fact about this machine and changes nothing."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from packaging.requirements import Requirement

Level = Literal["ok", "note", "missing"]
MINIMUM_PYTHON = (3, 11)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the table.

    Attributes:
        level: ``ok``; ``note``, something optional is absent; ``missing``, the main job cannot run.
        mend: the command or the step that helps; empty if all is well.
    """

    name: str
    level: Level
    found: str
    mend: str = ""


def python() -> Finding:
    """The interpreter."""
    ok = sys.version_info >= MINIMUM_PYTHON
    mend = "" if ok else "Install Python 3.11 or newer."
    return Finding("python", "ok" if ok else "missing", f"{platform.python_version()} on {platform.platform()}", mend)


def packages() -> list[Finding]:
    """Core packages, and the extras with the command that installs each."""
    from packaging.requirements import Requirement

    needs = [Requirement(line) for line in metadata.requires("labwright") or []]
    core = [need for need in needs if need.marker is None or "extra" not in str(need.marker)]
    absent = [need.name for need in core if not _fits(need)]
    shown = ", ".join(f"{name} {metadata.version(name)}" for name in ("langgraph", "langchain", "numpy", "scipy"))
    mend = f"pip install {' '.join(absent)}" if absent else ""
    text = f"missing or too old: {', '.join(absent)}" if absent else f"{len(core)} needed, all there ({shown})"
    extras = metadata.metadata("labwright").get_all("Provides-Extra") or []
    return [
        Finding("packages", "missing" if absent else "ok", text, mend),
        *(_extra(name, needs) for name in sorted(extras)),
    ]


def _extra(extra: str, needs: list[Requirement]) -> Finding:
    wanted = [n for n in needs if n.marker and "extra" in str(n.marker) and n.marker.evaluate({"extra": extra})]
    absent = [need.name for need in wanted if not _fits(need)]
    if not absent:
        return Finding(f"extra {extra}", "ok", "installed")
    return Finding(f"extra {extra}", "note", f"without {', '.join(absent)}", f"pip install 'labwright[{extra}]'")


def _fits(need: Requirement) -> bool:
    try:
        version = metadata.version(need.name)
    except metadata.PackageNotFoundError:
        return False
    return need.specifier.contains(version, prereleases=True)


def links() -> Finding:
    """Whether the installed package holds its six folders."""
    import labwright

    folder = Path(labwright.__file__).parent
    names = ("agents", "apps", "evaluation", "graphs", "prompts", "tools")
    broken = [name for name in names if not (folder / name / "__init__.py").is_file()]
    if broken:
        mend = "git config core.symlinks true && git checkout -- src/labwright"
        return Finding("folders", "missing", f"not folders: {', '.join(broken)}", mend)
    kind = "links into a working copy" if (folder / "tools").is_symlink() else "installed copies"
    return Finding("folders", "ok", kind)


def sandbox() -> Finding:
    """Which wall new code runs behind: every level has to stand a canary that tries what is forbidden."""
    from labwright.tools.sandbox.sandbox_selection import LEVELS, MEND, proven

    found = {level: proven(level) for level in LEVELS if level != "rlimits"}
    holding = [level for level, result in found.items() if not isinstance(result, str)]
    if not holding:
        why = "; ".join(f"{level}: {result}" for level, result in found.items())
        return Finding("sandbox", "note", f"none holds, so the feature-map search cannot run new code. {why}", MEND)
    weaker = f"; also {', '.join(holding[1:])}" if holding[1:] else ""
    return Finding("sandbox", "ok", f"{holding[0]}, proven by a canary{weaker}")


def run_folder(root: Path) -> Finding:
    """Whether runs can be written where they would go."""
    existing = next(parent for parent in [root.absolute(), *root.absolute().parents] if parent.exists())
    free = shutil.disk_usage(existing).free / 1e9
    if not os.access(existing, os.W_OK):
        return Finding("run folder", "missing", f"{root.absolute()} cannot be written", "Set LABWRIGHT_RUNS elsewhere.")
    return Finding("run folder", "ok", f"{root.absolute()}, {free:.0f} GB free")


def checkpoints() -> Finding:
    """Whether a SQLite checkpoint store with a write-ahead log opens."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "probe.sqlite", check_same_thread=False)
        try:
            SqliteSaver(connection).setup()
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        finally:
            connection.close()
    return Finding("checkpoints", "ok", f"SQLite {sqlite3.sqlite_version}, journal mode {mode}")


def vector_store() -> Finding:
    """Whether Chroma opens, stores and finds: the server of the settings, or an embedded one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # chromadb's own, of no use to the reader
        import numpy as np

        from labwright.agents.settings import Settings
        from labwright.tools.knowledge.chroma_store import in_memory, on_server

        server = Settings().chroma_url
        client = on_server(server) if server else in_memory()
        collection = client.get_or_create_collection("labwright-doctor", embedding_function=None)
        collection.upsert(ids=["a", "b"], embeddings=np.eye(2, dtype=np.float32))
        nearest = collection.query(query_embeddings=np.array([[0.9, 0.1]], dtype=np.float32), n_results=1)["ids"]
        client.delete_collection("labwright-doctor")
    ok, where = nearest == [["a"]], f"at {server}" if server else "embedded"
    return Finding("vector store", "ok" if ok else "missing", f"Chroma {metadata.version('chromadb')}, {where}")


def model() -> Finding:
    """Whether the configured model answers; without one, that none is needed."""
    from labwright.agents.settings import Settings

    settings = Settings()
    if settings.model == "rules":
        return Finding("model", "ok", "rules: the built-in policies, no key and no network needed")
    from labwright.agents.backend_selection import ping
    from labwright.agents.recordings.recording_spec import Source

    if Source.of(settings.model).kind == "replay":
        return Finding("model", "ok", f"{settings.model}: answers come from a recording")
    return Finding("model", "ok", f"{settings.model} answered in {ping(settings.model, settings):.2f} s")


def probed(name: str, probe: Callable[[], Finding], *, essential: bool, mend: str = "") -> Finding:
    """What `probe` finds. A probe that breaks is itself a finding, with the cause in it."""
    try:
        return probe()
    except Exception as error:  # noqa: BLE001 - whatever breaks a part of the machine is what the table is for
        cause = " ".join(f"{type(error).__name__}: {error}".split())[:160]
        return Finding(name, "missing" if essential else "note", cause, mend)
