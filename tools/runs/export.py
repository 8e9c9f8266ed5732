"""A run's measurements as labelled arrays, and a whole run as a research object that other people's tools read.

The arrays become one netCDF file, which is HDF5 inside, with a group for every measurement: dimensions, coordinates
and units, the settings it was measured with, and what the analysis said. The research object is an RO-Crate: the
specification, every file of the run with its hash, versions, and who started it and answered its questions.
"""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import ArtifactRef, plain, read_json, sha256_of
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.run import Run, load_run

if TYPE_CHECKING:
    from xarray import Dataset, DataTree

MEASUREMENTS = "measurements.nc"
# What a run needs to be resumed and nobody else reads, or holds the state of a device.
LEFT_OUT = ("checkpoints.sqlite", "lease", "device", "actions")
PERSON, CONTEXT = "rocrate.model.person", "rocrate.model.contextentity"
MISSING = "Exporting a run needs the packages xarray, h5netcdf and rocrate: pip install 'labwright[export]'"
DAMAGED = "Restore the run's folder, or export another run."


def measurements(run: Run) -> DataTree:
    """Every measurement of `run`, in the order in which they were made, as one tree of labelled arrays.

    A group is called like the file of its arrays, ``03_ramsey``; the lanes of a chip are groups of groups,
    ``Q1/03_ramsey``.

    Raises:
        InputError: the run measured nothing, or a package is missing.
        CorruptRecordError: arrays were changed after they were written.
    """
    found = dict(_measured(run))
    if not found:
        raise InputError(f"Run {run.run_id} measured nothing, so there is no data. Choose another run.")
    about = {"run_id": run.run_id, "asked": run.record.asked, "created": run.record.created, "seed": run.record.seed}
    root = _package("xarray").Dataset(
        attrs={**about, "versions": _text(run.record.versions), "specification": _spec(run)}
    )
    tree: DataTree = _package("xarray").DataTree.from_dict({"/": root, **found})
    return tree


def save_measurements(run: Run, path: Path) -> int:
    """Write the measurements of `run` to the netCDF file `path`; how many there are. Raises as `measurements`."""
    tree = measurements(run)
    tree.to_netcdf(path, engine="h5netcdf")
    return sum(1 for node in tree.subtree if node.data_vars)


def save_crate(run: Run, place: Path) -> int:
    """Write `run` as an RO-Crate into the new folder or ``.zip`` file `place`; how many files it holds.

    Raises:
        InputError: `place` exists, or a package is missing.
        CorruptRecordError: arrays were changed after they were written.
    """
    if place.exists():
        raise InputError(f"{place} exists already. Give another place with `--out`, or remove it.")
    crate = _package("rocrate.rocrate").ROCrate()
    crate.name = f"Labwright run {run.run_id}"
    crate.description = " ".join(run.record.asked.split())[:500]
    crate.datePublished = run.record.created[:10]
    files = [crate.add_file(path, name, properties=_about(path)) for name, path in _files(run)]
    if any(_measured(run)):
        made = io.BytesIO(bytes(measurements(run).to_netcdf(engine="h5netcdf") or b""))
        described = {"name": "All measurements, labelled", "encodingFormat": "application/x-netcdf"}
        described |= {"sha256": sha256_of(made.getvalue()), "contentSize": str(len(made.getvalue()))}
        files.append(crate.add_file(made, MEASUREMENTS, properties=described))
    _say_who(crate, run, files)
    (crate.write_zip if place.suffix == ".zip" else crate.write)(place)
    return len(files)


def _measured(run: Run, inside: str = "") -> Iterator[tuple[str, Dataset]]:
    """Group -> data set of the run's own measurements, then of its parts'."""
    done = [read_json(path, DAMAGED) | {"key": path.parent.name} for path in run.folder.glob("actions/*/done.json")]
    for each in sorted((one for one in done if "experiment" in one), key=lambda one: one["clock"]):
        yield f"{inside}/{Path(each['data']['path']).stem}", _dataset(run, each)
    for part in sorted(run.folder.glob("parts/*/run.json")):
        yield from _measured(load_run(part.parent), f"{inside}/{part.parent.name}")


def _dataset(run: Run, done: dict[str, Any]) -> Dataset:
    """One measurement; an array whose only dimension has its own name is a coordinate."""
    arrays, labels = run.load_arrays(ArtifactRef.from_dict(done["data"])), done.get("arrays", {})
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {}
    for name, values in arrays.items():
        label = labels.get(name, {"dims": [f"{name}_{n}" for n in range(values.ndim)], "unit": ""})
        array = (label["dims"], values, {"units": label["unit"] or "1"})
        (coordinates if label["dims"] == [name] else variables)[name] = array
    coordinates |= {name: ([name], each["words"], {}) for name, each in labels.items() if each["words"]}
    report, claim = done["report"], read_json(run.folder / "actions" / done["key"] / "claim.json", DAMAGED)
    attributes = {
        "experiment": done["experiment"],
        "qubit": done["qubit"],
        "arguments": _text(claim["call"]["arguments"]),
        "settings": _text(done.get("settings", {})),
        "settings_version": done["settings_version"],
        "device_clock_s": done["clock"],
        "device_seconds": done["seconds"],
        "claimed": claim["claimed"],
        "verdict": report["verdict"],
        "cause": report.get("cause", ""),
        "analysis": report["analysis"],
        "estimates": _text(report["estimates"]),
        "action": done["key"],
        "sha256": done["data"]["sha256"],
    }
    made: Dataset = _package("xarray").Dataset(variables, coordinates, attributes)
    return made


def _files(run: Run) -> Iterator[tuple[str, Path]]:
    for path in sorted(run.folder.rglob("*")):
        name = path.relative_to(run.folder)
        if path.is_file() and not path.is_symlink() and not set(name.parts) & set(LEFT_OUT):
            yield name.as_posix(), path


def _about(path: Path) -> dict[str, str]:
    content = path.read_bytes()
    return {"sha256": sha256_of(content), "contentSize": str(len(content))}


def _say_who(crate: Any, run: Run, files: list[Any]) -> None:
    """The run as an action: what it was made from and with, by whom, and every answer that a person or default gave."""
    person, context = _package(PERSON).Person, _package(CONTEXT).ContextEntity
    software = {
        name: crate.add(context(crate, f"#{name}", {"@type": "SoftwareApplication", "name": name, "version": version}))
        for name, version in run.record.versions.items()
    }
    people: dict[str, Any] = {}

    def who(name: str) -> Any:
        if name not in people:
            people[name] = crate.add(person(crate, f"#account-{name}", {"name": name}))
        return people[name]

    made: dict[str, Any] = {"@type": "CreateAction", "name": crate.description, "startTime": run.record.created}
    made |= {"instrument": list(software.values()), "result": files}
    made |= {"object": [file for file in files if file.id == "spec.yaml"]}
    ended = read_result(run) or {}
    made["actionStatus"] = (
        f"http://schema.org/{'Completed' if ended.get('status') == 'complete' else 'Failed'}ActionStatus"
    )
    made |= {"agent": who(run.record.account)} if run.record.account else {}
    crate.root_dataset["mentions"] = [crate.add(context(crate, "#run", made)), *_answers(crate, run, who)]


def _answers(crate: Any, run: Run, who: Any) -> Iterator[Any]:
    for event in run.events.read():
        if event.get("kind") != "answer":
            continue
        said = {"@type": "AuthorizeAction", "name": event["id"], "description": event["decision"]}
        said |= {"endTime": event["time"], "object": {"@id": "#run"}}
        said |= {"agent": who(event["by"])} if event.get("by") else {}
        said |= {"text": event["note"]} if event.get("note") else {}
        yield crate.add(_package(CONTEXT).ContextEntity(crate, f"#answer-{event['seq']}", said))


def _spec(run: Run) -> str:
    path = run.folder / "spec.yaml"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _text(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise InputError(MISSING) from missing
