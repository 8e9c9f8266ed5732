"""What the library page shows: experiments, procedures, tools, feature maps, chemicals, with words to find them by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from labwright.tools.errors import CorruptRecordError, ToolError
from labwright.tools.runs import Run, load_run, read_result, run_ids

KINDS = {
    "experiment": "Experiments",
    "procedure": "Procedures",
    "tool": "Tools",
    "feature_map": "Feature maps of earlier runs",
    "chemical": "Chemicals",
}
MOST_RUNS = 300  # the newest, that are looked through for figures and feature maps
SHIPPED = "shipped with Labwright"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing of the library.

    Attributes:
        kind: a key of `KINDS`.
        line: what it is, in a few words.
        shown: what the template of its kind draws.
        words: everything that a search looks through, in lower case.
    """

    kind: str
    name: str
    line: str
    shown: dict[str, Any] = field(repr=False)
    words: str = field(repr=False)


def collect(root: Path, lab: Path | None = None, toolset: Path | None = None) -> list[Entry]:
    """Everything, by kind and name; slow work, not for the loop.

    Args:
        root: holds the runs.
        lab: a folder with own experiments and procedures.
        toolset: the folder of tools that forging keeps and reuses.

    Raises:
        ToolError: `lab` holds something that is no experiment or no procedure; says what.
    """
    runs = list(_runs(root))
    figures = _figures(runs)
    own = [(toolset, "own toolset")] if toolset else []
    kept = [*own, *((run.folder / "toolset", f"run {run.run_id}") for run in runs)]
    found = [*_experiments(figures, lab), *_procedures(lab), *_tools(kept), *_feature_maps(runs), *_chemicals()]
    order = list(KINDS)
    return sorted(found, key=lambda entry: (order.index(entry.kind), entry.name.lower()))


def search(entries: list[Entry], words: str, kind: str = "") -> list[Entry]:
    """The entries of `kind` (all if empty) with every word in them: by that name, in it, as they stand, anywhere."""
    wanted = words.lower().split()
    phrase = " ".join(wanted)
    found = [one for one in entries if kind in ("", one.kind) and all(word in one.words for word in wanted)]
    return sorted(
        found,
        key=lambda one: (
            phrase.replace(" ", "_") != one.name.lower(),
            not all(word in one.name.lower() for word in wanted),
            phrase not in one.words,
        ),
    )


def _entry(kind: str, name: str, line: str, shown: dict[str, Any], *more: str) -> Entry:
    words = " ".join((name, name.replace("_", " "), line, *more)).lower()
    return Entry(kind, name, line, shown, " ".join(words.split()))


def _experiments(figures: dict[str, str], lab: Path | None) -> Iterator[Entry]:
    from labwright.tools.experiments.registry import card, experiments

    for cls in experiments(lab).values():
        one = card(cls)
        shown = {"parameters": [asdict(parameter) for parameter in one.parameters], "about": one.docstring}
        figure = _example(one.name) or figures.get(one.name, "")
        said = [f"{parameter.name} {parameter.description}" for parameter in one.parameters]
        yield _entry("experiment", one.name, one.summary, {**shown, "figure": figure}, one.docstring, *said)


def _example(name: str) -> str:
    """Address of the shipped example of a good measurement; empty if none is shipped."""
    return f"/example/{name}" if example_file(name) else ""


def example_file(name: str) -> Path | None:
    """The picture of a good measurement of the shipped experiment `name`; None if there is no such one."""
    from labwright.tools.experiments.registry import SHIPPED as CLASSES
    from labwright.tools.experiments.registry import reference_image

    if name not in {cls.name for cls in CLASSES}:
        return None
    try:
        return reference_image(f"{name}_good.png")
    except ToolError:
        return None


def _procedures(lab: Path | None) -> Iterator[Entry]:
    from labwright.tools.specifications.procedures import load_procedures

    for one in load_procedures([lab] if lab else []).values():
        shown = {"steps": one.steps, "background": one.background, "results": one.results, "takes": one.parameters}
        yield _entry("procedure", one.title, f"{len(one.steps)} steps", shown, one.background, *map(str, one.steps))


def _tools(kept: list[tuple[Path, str]]) -> Iterator[Entry]:
    from labwright.tools.forge.toolset.builtin_tools import Toolbox
    from labwright.tools.forge.toolset.toolset import Toolset

    known: set[str] = set()
    there = [(folder, where) for folder, where in kept if folder.is_dir() and not folder.is_symlink()]
    for tools, where in [(Toolbox().tools, SHIPPED), *((Toolset(folder).tools(), where) for folder, where in there)]:
        for tool in tools:
            if tool.record.source_sha256 in known:
                continue
            known.add(tool.record.source_sha256)
            contract = tool.contract.model_dump()
            place = f"{tool.folder}/" if tool.folder else ""
            shown = {"contract": contract, "where": where, "place": place, "record": tool.record}
            said = [contract["package"], contract["method"], place, *contract["invariants"]]
            yield _entry("tool", tool.name, tool.contract.purpose, shown, *said)


def _feature_maps(runs: list[Run]) -> Iterator[Entry]:
    for run in runs:
        if run.record.system != "feature_map_search":
            continue
        result = _result(run)
        if (found := result.get("feature_map")) is None:
            continue
        figure = "figures/circuit.png"
        address = f"/files/{quote(run.run_id)}/{figure}" if (run.folder / figure).is_file() else ""
        shown = {"result": result, "found": found, "run_id": run.run_id, "figure": address}
        line = f"{result.get('dataset', '')}, {found['circuit']['n_qubits']} qubits, {found['circuit']['gates']} gates"
        yield _entry("feature_map", str(found["name"]), line, shown, str(found.get("summary", "")), run.run_id)


def _chemicals() -> Iterator[Entry]:
    from labwright.tools.chemistry.chemical_table import table

    for one in {chemical.name: chemical for chemical in table().values()}.values():
        said = (*one.synonyms, one.cas, one.formula, one.state, *one.hazards)
        yield _entry("chemical", one.name, one.formula, {"chemical": one}, *said)


def _runs(root: Path) -> Iterator[Run]:
    """The newest first; damaged ones are passed over, the page of runs lists them."""
    for name in reversed(run_ids(root)[-MOST_RUNS:]):
        try:
            yield load_run(root / name)
        except CorruptRecordError:
            continue


def _result(run: Run) -> dict[str, Any]:
    try:
        return dict((read_result(run) or {}).get("result", {}))
    except CorruptRecordError:
        return {}


def _figures(runs: list[Run]) -> dict[str, str]:
    """Experiment -> address of the newest figure that a calibration here has drawn of it."""
    found: dict[str, str] = {}
    for run in runs:
        for path in sorted((run.folder / "figures").glob("[0-9]*_*.png"), reverse=True):
            name = path.stem.partition("_")[2]
            found.setdefault(name, f"/files/{quote(run.run_id)}/figures/{quote(path.name)}")
    return found
