"""Parts of earlier runs put into the next request, as files, choices and text. References, never guesses.

Each part is read from the earlier run's folder by code; the new request says what was handed on, and the new run's
folder keeps from where.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from labwright.agents.front_desk.wishes import LEFT_BY, DesignWish, Part, WorkWish
from labwright.graphs.front_desk.orders import Order
from labwright.graphs.protocol_design.preparing import is_written
from labwright.tools.durable import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.qpu.forking import device_folder, fork_simulated
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.run import Run
from labwright.tools.specifications.kinds import SPEC
from labwright.tools.specifications.reading import read_document, to_yaml

MOST_DATA = 24  # files of measured data that are handed on
EVERYTHING = float("inf")  # a device's clock and settings, as they are at the end
NEWEST = 1 << 60
SIMULATED = "simulated"


def handed_on(order: Order, wish: WorkWish, sources: dict[str, Run], folder: Path) -> Order:
    """`order` with what `wish` uses of `sources`.

    Args:
        order: without them.
        wish: names runs and parts.
        sources: run id -> run.
        folder: where files that are made of results are put.

    Raises:
        InputError: a run did not leave what is wanted, or the system has no use for it.
    """
    for use in wish.uses:
        source = sources.get(use.run_id)
        if source is None or source.record.system != LEFT_BY[use.part]:
            raise InputError(f"Run {use.run_id} left no {use.part.replace('_', ' ')}.")
        take = _TAKEN.get((order.system, use.part))
        if take is None:
            raise InputError(f"A {use.part.replace('_', ' ')} is of no use to {order.system.replace('_', ' ')}.")
        order = take(order, wish, source, folder / use.run_id)
    return order


def _gate_for_calibration(order: Order, wish: WorkWish, source: Run, folder: Path) -> Order:
    """The same device with the settings that the earlier run left: a simulated one is copied, a real one has them."""
    earlier = source.record.choices
    kept: dict[str, Any] = {name: earlier[name] for name in ("device", "device_options", "seed", "lab")}
    kept["device_folder"] = earlier.get("device_folder", "")
    qubits = order.choices["qubits"] or _qubits(source)
    said = f"It goes on with the device and the settings that {source.run_id} left."
    text = order.text or f"Benchmark {qubits[0]}"
    choices = {**order.choices, **kept, "qubits": qubits}
    device = source.run_id if earlier["device"] == SIMULATED and not kept["device_folder"] else ""
    return replace(order, text=text, choices=choices, device_from=device, said=[*order.said, said])


def copy_device(source: Run, target: Run) -> None:
    """Give the run `target` the simulated device of `source` as it is now; again after a crash, nothing happens."""
    ours = target.folder / "device"
    if ours.exists():
        return
    fork_simulated(device_folder(source.record.choices, source.folder), ours, EVERYTHING, NEWEST)


def _gate_for_forging(order: Order, wish: WorkWish, source: Run, folder: Path) -> Order:
    """The calibrated settings and the measured error of each qubit as a file."""
    qubits = _result(source).get("qubits", {})
    if not qubits:
        raise InputError(f"Run {source.run_id} calibrated no qubit.")
    gates = {name: _gate(entry) for name, entry in qubits.items()}
    units = {"frequency": "MHz", "anharmonicity": "MHz", "readout_frequency": "MHz", "pulse_duration": "us"}
    content = {"run_id": source.run_id, "units": units, "qubits": gates}
    numbers = "; ".join(f"{name}: {_in_words(gate)}" for name, gate in gates.items())
    return _with_files(order, {"gate.json": _written(folder / "gate.json", content)}, source, numbers)


def _gate(entry: dict[str, Any]) -> dict[str, Any]:
    errors = {name: entry.get(name) for name in ("rb_error_per_gate", "rb_error_std", "limit_error_per_gate")}
    return {"settings": entry.get("after", {}), **errors, "measured": entry.get("measured", {})}


def _in_words(gate: dict[str, Any]) -> str:
    numbers = {**gate["settings"], **{k: v for k, v in gate.items() if k.startswith("rb_") and v is not None}}
    return ", ".join(f"{name} {value:.6g}" for name, value in numbers.items())


def _data_for_forging(order: Order, wish: WorkWish, source: Run, folder: Path) -> Order:
    """The measured arrays, with what was measured."""
    arrays = sorted((source.folder / "data").glob("*.npz"))[:MOST_DATA]
    if not arrays:
        raise InputError(f"Run {source.run_id} left no measured data.")
    stages = [
        {k: s.get(k) for k in ("experiment", "instruction", "verdict")} for s in _result(source).get("stages", [])
    ]
    about = {"run_id": source.run_id, "asked": source.record.asked, "stages": stages}
    files = {path.name: str(path.absolute()) for path in arrays}
    files["measurements.json"] = _written(folder / "measurements.json", about)
    return _with_files(order, files, source, "")


def _map_for_forging(order: Order, wish: WorkWish, source: Run, folder: Path) -> Order:
    names = ("feature_map.py", "circuit.json", "circuit.qasm")
    files = {name: str((source.folder / name).absolute()) for name in names if (source.folder / name).is_file()}
    if not files:
        raise InputError(f"Run {source.run_id} found no feature map.")
    return _with_files(order, files, source, "")


def _map_for_search(order: Order, wish: WorkWish, source: Run, folder: Path) -> Order:
    """The map that was found, as a person's idea to start from: its recipe, else its words; data and split stay."""
    found = _result(source).get("feature_map")
    if not found:
        raise InputError(f"Run {source.run_id} found no feature map.")
    kept = {name: source.record.choices[name] for name in ("qubits", "features")} | {"seed": source.record.seed}
    asked = {name: value for name, value in order.choices.items() if name not in ("seed",) and value is not None}
    idea = found.get("recipe") or str(found.get("summary") or found["name"])
    choices = {**kept, **asked, "persons_ideas": [idea, *order.choices["persons_ideas"]]}
    said = f"It starts from {found['name']} of {source.run_id}."
    return replace(order, choices=choices, said=[*order.said, said])


def _toolset_for_forging(order: Order, wish: WorkWish, source: Run, folder: Path) -> Order:
    toolset = str(source.record.choices.get("toolset") or "")
    if not toolset:
        return replace(order, said=[*order.said, f"It uses your own tools, as {source.run_id} did."])
    toolset = str((source.folder / "toolset").absolute()) if toolset == "empty" else toolset
    if not Path(toolset).is_dir():
        raise InputError(f"The toolset of run {source.run_id} is gone: {toolset}.")
    said = f"It uses the tools of {source.run_id}: {toolset}."
    return replace(order, choices={**order.choices, "toolset": toolset}, said=[*order.said, said])


def _protocol_for_design(order: Order, wish: WorkWish, source: Run, folder: Path) -> Order:
    """The earlier description with what is asked for now behind it; or the earlier protocol with its control."""
    before = source.record.asked.strip()
    if isinstance(wish, DesignWish) and wish.control:
        said = f"It is the protocol of {source.run_id} with a vial of its solvent alone."
        return replace(order, text=_with_control(source), said=[*order.said, said])
    if is_written(before):
        raise InputError(f"Run {source.run_id} began with a written design; put the change into that file.")
    added = order.text.strip()
    said = f"It is the protocol of {source.run_id} with: {added}"
    return replace(order, text=f"{before.rstrip('.')}. {added}".strip(), said=[*order.said, said])


def _with_control(source: Run) -> str:
    """The protocol of a run with one vial that holds only what fills up the first group that is filled up."""
    path = source.folder / SPEC
    if not path.is_file():
        raise InputError(f"Run {source.run_id} left no protocol.")
    data = read_document(path.read_text(encoding="utf-8")).data
    for group in data.get("groups", []):
        if filler := [dose for dose in group["doses"] if dose["kind"] == "remainder"]:
            control = {"name": "control", "doses": filler, "total_volume": group["total_volume"]}
            counted = {"expect": data["expect"] + 1} if data.get("expect") else {}
            return to_yaml({**data, "groups": [*data["groups"], control], **counted})
    raise InputError(f"Nothing fills up the vials of {source.run_id}, so it is not clear what its control holds.")


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


Take = Callable[[Order, WorkWish, Run, Path], Order]
_TAKEN: dict[tuple[str, Part], Take] = {
    ("lab_calibration", "gate"): _gate_for_calibration,
    ("tool_forging", "gate"): _gate_for_forging,
    ("tool_forging", "data"): _data_for_forging,
    ("tool_forging", "feature_map"): _map_for_forging,
    ("tool_forging", "toolset"): _toolset_for_forging,
    ("feature_map_search", "feature_map"): _map_for_search,
    ("protocol_design", "protocol"): _protocol_for_design,
}
