"""The winner on hardware: its accuracy with a finite number of shots, and its kernel on a calibrated chip."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from labwright.graphs.feature_map_search.run_context import Workbench
from labwright.graphs.feature_map_search.trial_records import circuit_of
from labwright.tools.errors import InputError, RecordError
from labwright.tools.runs.action_journal import action_key
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.run import Run, open_run

if TYPE_CHECKING:
    from labwright.tools.datasets.labelled_samples import Part
    from labwright.tools.feature_maps.noise import GateErrors
    from labwright.tools.specifications.search import Processor

SHOTS = (100, 1000, 10_000)  # of each entry of the kernel
DRAWS = 3
MOST = 1000  # samples of a part
SIMULATED, CALIBRATION = "simulated", "lab_calibration"
EVERYTHING, NEWEST = float("inf"), 1 << 60  # a device's clock and settings, as they are at the end


def finite_shots(bench: Workbench, record: dict[str, Any]) -> list[dict[str, Any]]:
    """Test accuracy with kernels whose entries are counted in so many shots; mean and deviation of some draws."""
    key = _key(bench, record, "shots", {"shots": SHOTS, "draws": DRAWS})
    return list(bench.run.action(key).perform(lambda: _with_shots(bench, record), lambda rows: {"rows": rows},
                ask=lambda: "absent", note={"what": "the winner's accuracy with shots"})["rows"])  # fmt: skip


def _with_shots(bench: Workbench, record: dict[str, Any]) -> list[dict[str, Any]]:
    from labwright.tools.feature_maps.geometry import spread
    from labwright.tools.feature_maps.kernel import kernel_matrix
    from labwright.tools.feature_maps.noise import sampled_kernel
    from labwright.tools.feature_maps.svm_assessment import fitted

    train, test, circuit = bench.split.train, bench.test_part, circuit_of(record)
    rows, others = spread(len(train.y), MOST), spread(len(test.y), MOST)
    own = kernel_matrix(circuit, train.X[rows], memory_mb=bench.choices.memory_mb)
    other = kernel_matrix(circuit, test.X[others], train.X[rows], memory_mb=bench.choices.memory_mb)
    found = []
    for shots in SHOTS:
        right, error = [], 0.0
        for draw in range(DRAWS):
            (drawn, one), (seen, two) = (
                sampled_kernel(k, shots, seed=2 * draw + n) for n, k in enumerate((own, other))
            )
            machine = fitted(drawn, train.y[rows], record["penalty"])
            right.append(float(np.mean(machine.predict(seen) == test.y[others])))
            error = float(np.sqrt((np.mean(one**2) + np.mean(two**2)) / 2))
        found.append({"shots": shots, "accuracy": np.mean(right), "std": np.std(right), "kernel_error": error})
    exact = fitted(own, train.y[rows], record["penalty"]).predict(other)
    exact_row = {"shots": None, "accuracy": np.mean(exact == test.y[others]), "std": 0.0, "kernel_error": 0.0}
    return [*found, exact_row]


def calibrated(bench: Workbench) -> Run:
    """The run that calibrated the chip.

    Raises:
        InputError: there is no such run, it is no calibration, of no simulated device, or of other qubits.
    """
    wanted = _wanted(bench)
    try:
        run = open_run(bench.run.folder.parent, wanted.run)
    except RecordError as missing:
        raise InputError(f"processor.run: {missing}") from missing
    if run.record.system != CALIBRATION or run.record.choices.get("device") != SIMULATED:
        raise InputError(f"processor.run: {run.run_id} has calibrated no simulated device. Name a run that has.")
    if len(wanted.qubits) != bench.choices.qubits:
        raise InputError(
            f"processor.qubits names {len(wanted.qubits)}, but the maps have {bench.choices.qubits}. Name as many."
        )
    return run


def on_processor(bench: Workbench, record: dict[str, Any]) -> dict[str, Any]:
    """The winner's kernel on a copy of the chip as it was calibrated, beside the prediction of the measured errors."""
    wanted, source = _wanted(bench), calibrated(bench)
    plain = wanted.model_dump(mode="json")
    key = _key(bench, record, "processor", plain)
    return dict(bench.run.action(key).perform(lambda: _played(bench, record, source, key), dict,
                ask=lambda: "absent", note={"what": "the kernel is measured on a chip"}))  # fmt: skip


def _played(bench: Workbench, record: dict[str, Any], source: Run, key: str) -> dict[str, Any]:
    from labwright.tools.feature_maps.processor_kernel import Chip, run_on_processor
    from labwright.tools.qpu.device_fork import device_folder, fork_simulated
    from labwright.tools.qpu.opening import open_device

    wanted, chosen = _wanted(bench), source.record.choices
    folder = bench.run.folder / "device"
    if not folder.exists():
        fork_simulated(device_folder(chosen, source.folder), folder, EVERYTHING, NEWEST)
    errors = measured_errors(wanted, (read_result(source) or {}).get("result", {}))
    device = open_device(SIMULATED, folder, source.record.seed, chosen.get("device_options", {}))
    try:
        train, test = (_few(p, n) for p, n in ((bench.split.train, wanted.train), (bench.test_part, wanted.test)))
        chip = Chip(device, tuple(wanted.qubits), f"{key}.kernel")
        found = run_on_processor(circuit_of(record), chip, train, test, errors, wanted.shots)
    finally:
        device.close()
    return {**asdict(found), "qubits": wanted.qubits, "calibration": source.run_id, "errors": asdict(errors)}


def measured_errors(wanted: Processor, result: dict[str, Any]) -> GateErrors:
    """Mean errors of a quarter turn and of a CZ: those that were given, else what the calibration measured.

    Raises:
        InputError: neither is known.
    """
    from labwright.tools.feature_maps.noise import GateErrors

    single = list(wanted.gate_errors.values()) or [
        entry["rb_error_per_gate"]
        for name, entry in result.get("qubits", {}).items()
        if name in wanted.qubits and entry.get("rb_error_per_gate") is not None
    ]
    groups = {**result.get("groups", {}), **result.get("pairs", {})}
    pair = list(wanted.pair_errors.values()) or [
        entry["measured"]["interleaved_rb_cz.cz_error"]["value"]
        for name, entry in groups.items()
        if set(name.split("-")) <= set(wanted.qubits) and "interleaved_rb_cz.cz_error" in entry.get("measured", {})
    ]
    if not single or not pair:
        what = "gate_errors" if not single else "pair_errors"
        raise InputError(f"processor.{what}: the calibration measured none. Benchmark the gates, or give the errors.")
    return GateErrors(float(np.mean(single)), float(np.mean(pair)))


def _few(part: Part, count: int) -> tuple[Any, Any]:
    """As many samples, of the classes in turn."""
    order = np.argsort(part.y, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    for label in np.unique(part.y):
        own = np.flatnonzero(part.y == label)
        rank[own] = np.arange(len(own))
    chosen = order[np.argsort(rank[order], kind="stable")][:count]
    return part.X[chosen], part.y[chosen]


def _wanted(bench: Workbench) -> Processor:
    assert bench.choices.processor is not None
    return bench.choices.processor


def _key(bench: Workbench, record: dict[str, Any], what: str, more: dict[str, Any]) -> str:
    asked = {"circuit": record["digest"], "split": bench.split_digest, **more}
    return action_key(bench.run.run_id, bench.run.run_id, what, 0, 0, asked)
