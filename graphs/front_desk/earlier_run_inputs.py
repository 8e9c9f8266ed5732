"""Parts of earlier runs put into the next request, as files, choices and text. References, never guesses.

Each part is read from the earlier run's folder by code; the new request says what was handed on, and the new run's
folder keeps from where.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labwright.graphs.front_desk.run_requests import Order
from labwright.graphs.registry import choices_type
from labwright.graphs.sequence.steps import value_of_run
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.qpu.device_fork import device_folder, fork_simulated
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.run import Run
from labwright.tools.specifications.sequence import RUN, Reference

MOST_DATA = 24  # files of measured data that are handed on
EVERYTHING = float("inf")  # a device's clock and settings, as they are at the end
NEWEST = 1 << 60
SIMULATED = "simulated"


def handed_on(order: Order, uses: Sequence[str], sources: Mapping[str, Run], folder: Path, root: Path) -> Order:
    """`order` with what it takes from earlier runs.

    Args:
        order: without them.
        uses: ``run:ID``, or ``run:ID#PATH`` for one value of a result.
        sources: run id -> run.
        folder: where files that are made of results are put.
        root: folder of the runs.

    Raises:
        InputError: a run left nothing that the system can take, or a path leads nowhere in its result.
    """
    for use in uses:
        name, hash_mark, path = use.removeprefix(RUN).partition("#")
        source = sources.get(name)
        if source is None:
            raise InputError(f"There is no run {name!r}.")
        if hash_mark:
            order = _value(order, source, path, root)
            continue
        taken = _TAKEN.get((order.system, source.record.system))
        if taken is None:
            there = source.record.system.replace("_", " ")
            raise InputError(f"What a run of {there} leaves is of no use to {order.system.replace('_', ' ')}.")
        order = taken(order, source, folder / name)
    return order


def _value(order: Order, source: Run, path: str, root: Path) -> Order:
    """One value of a result, as a line below the text."""
    value = value_of_run(Reference((), f"{RUN}{source.run_id}", path), root)
    if isinstance(value, dict | list):
        raise InputError(f"Path {path!r} of run {source.run_id} leads to several values. Name one of them.")
    text = f"{order.text.rstrip()}\n\n{path} = {value} (measured in run {source.run_id})"
    return replace(order, text=text, said=[*order.said, f"{path} = {value}, from {source.run_id}."])


def _device_for_calibration(order: Order, source: Run, folder: Path) -> Order:
    """The same device with the settings that the earlier run left: a simulated one is copied, a real one has them."""
    earlier = source.record.choices
    kept: dict[str, Any] = {name: earlier[name] for name in ("device", "device_options", "seed", "lab")}
    kept["device_folder"] = earlier.get("device_folder", "")
    source.chain.demand_ours()
    qubits = list(order.choices["qubits"]) or _qubits(source)
    said = f"It goes on with the device and the settings that {source.run_id} left."
    if not order.text.strip():
        raise InputError("It is not said what is to be measured.")
    choices = {**order.choices, **kept, "qubits": qubits}
    device = source.run_id if earlier["device"] == SIMULATED and not kept["device_folder"] else ""
    return replace(order, choices=choices, device_from=device, said=[*order.said, said])


def copy_device(source: Run, target: Run) -> None:
    """Give the run `target` the simulated device of `source` as it is now; again after a crash, nothing happens."""
    ours = target.folder / "device"
    if ours.exists():
        return
    fork_simulated(device_folder(source.record.choices, source.folder), ours, EVERYTHING, NEWEST)


def _measured_for_forging(order: Order, source: Run, folder: Path) -> Order:
    """The settings and the measured error of each qubit as a file, and the measured arrays with what was measured."""
    result = _result(source)
    gates = {name: _gate(entry) for name, entry in result.get("qubits", {}).items()}
    arrays = sorted((source.folder / "data").glob("*.npz"))[:MOST_DATA]
    if not gates and not arrays:
        raise InputError(f"Run {source.run_id} measured nothing.")
    files: dict[str, str] = {}
    if gates:
        units = {"frequency": "MHz", "anharmonicity": "MHz", "readout_frequency": "MHz", "pulse_duration": "us"}
        content = {"run_id": source.run_id, "units": units, "qubits": gates}
        files["gate.json"] = _written(folder / "gate.json", content)
    if arrays:
        names = ("experiment", "instruction", "verdict")
        stages = [{name: stage.get(name) for name in names} for stage in result.get("stages", [])]
        about = {"run_id": source.run_id, "asked": source.record.asked, "stages": stages}
        files |= {path.name: str(path.absolute()) for path in arrays}
        files["measurements.json"] = _written(folder / "measurements.json", about)
    return _with_files(order, files, source, "; ".join(f"{name}: {_in_words(gate)}" for name, gate in gates.items()))


def _gate(entry: dict[str, Any]) -> dict[str, Any]:
    errors = {name: entry.get(name) for name in ("rb_error_per_gate", "rb_error_std", "limit_error_per_gate")}
    return {"settings": entry.get("after", {}), **errors, "measured": entry.get("measured", {})}


def _in_words(gate: dict[str, Any]) -> str:
    numbers = {**gate["settings"], **{k: v for k, v in gate.items() if k.startswith("rb_") and v is not None}}
    return ", ".join(f"{name} {value:.6g}" for name, value in numbers.items())


def _map_for_forging(order: Order, source: Run, folder: Path) -> Order:
    names = ("feature_map.py", "circuit.json", "circuit.qasm")
    files = {name: str((source.folder / name).absolute()) for name in names if (source.folder / name).is_file()}
    if not files:
        raise InputError(f"Run {source.run_id} found no feature map.")
    return _with_files(order, files, source, "")


def _map_for_search(order: Order, source: Run, folder: Path) -> Order:
    """The map that was found, as a person's idea to start from: its recipe, else its words; data and split stay."""
    found = _result(source).get("feature_map")
    if not found:
        raise InputError(f"Run {source.run_id} found no feature map.")
    earlier, usual = source.record.choices, choices_type(order.system)()
    names = [name for name in ("qubits", "features", "seed") if order.choices[name] == getattr(usual, name)]
    kept = {name: earlier[name] for name in names if name in earlier}
    idea = found.get("recipe") or str(found.get("summary") or found["name"])
    choices = {**order.choices, **kept, "persons_ideas": [idea, *order.choices["persons_ideas"]]}
    said = f"It starts from {found['name']} of {source.run_id}."
    return replace(order, choices=choices, said=[*order.said, said])


def _toolset_for_forging(order: Order, source: Run, folder: Path) -> Order:
    toolset = str(source.record.choices.get("toolset") or "")
    if not toolset:
        return replace(order, said=[*order.said, f"It uses your own tools, as {source.run_id} did."])
    toolset = str((source.folder / "toolset").absolute()) if toolset == "empty" else toolset
    if not Path(toolset).is_dir():
        raise InputError(f"The toolset of run {source.run_id} is gone: {toolset}.")
    said = f"It uses the tools of {source.run_id}: {toolset}."
    return replace(order, choices={**order.choices, "toolset": toolset}, said=[*order.said, said])


def _with_files(order: Order, files: dict[str, str], source: Run, numbers: str) -> Order:
    listed = ", ".join(files)
    text = f"{order.text}\n\nInput files, from run {source.run_id}: {listed}." + (f"\n{numbers}" if numbers else "")
    said = f"It gets {listed} of {source.run_id}."
    return replace(order, text=text, files={**order.files, **files}, said=[*order.said, said])


def _written(path: Path, content: dict[str, Any]) -> str:
    write_atomic(path, json.dumps(content, indent=1).encode())
    return str(path.absolute())


def _result(run: Run) -> dict[str, Any]:
    return dict((read_result(run) or {}).get("result", {}))


def _qubits(run: Run) -> list[str]:
    found = list(_result(run).get("qubits", {}))
    if not found:
        raise InputError(f"Run {run.run_id} calibrated no qubit.")
    return found


Take = Callable[[Order, Run, Path], Order]
_TAKEN: dict[tuple[str, str], Take] = {  # (new system, system of the earlier run)
    ("lab_calibration", "lab_calibration"): _device_for_calibration,
    ("tool_forging", "lab_calibration"): _measured_for_forging,
    ("tool_forging", "feature_map_search"): _map_for_forging,
    ("tool_forging", "tool_forging"): _toolset_for_forging,
    ("feature_map_search", "feature_map_search"): _map_for_search,
}
