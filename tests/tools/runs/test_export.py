"""A run as labelled arrays and as a research object, read back with the packages that others would use."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray
from rocrate.rocrate import ROCrate

from labwright.graphs.questions import Answer
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.experiments.array_labels import labelled, settings_of
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import Performed, perform, plain_report
from labwright.tools.experiments.registry import experiments
from labwright.tools.qpu.opening import open_device
from labwright.tools.runs import Run, create_run
from labwright.tools.runs.export import measurements, save_crate, save_measurements
from labwright.tools.runs.hashed_files import sha256_of

CALLS = [
    ("readout_calibration", {"qubit": "Q1", "shots": 200}),
    ("drag_calibration", {"qubit": "Q1", "shots": 4000}),
    ("residual_zz", {"qubit": "Q1", "partner": "Q2", "shots": 200}),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of three measurements with complex, two- and three-dimensional arrays."""
    root = tmp_path_factory.mktemp("runs")
    made = create_run(root, "lab_calibration", "Three measurements", {}, 7)
    made.save_text("spec.yaml", "spec: 1\nsystem: lab_calibration\n")
    device = open_device("simulated", root / "device", 7, {"frequency_offset": 0.0, "amplitude_error": 0.0})
    for number, (name, arguments) in enumerate(CALLS, 1):
        call = ExperimentCall(name, arguments)
        done = perform(experiments()[name], call, device, f"key{number}")
        _store(made, f"key{number}", f"{number:02d}_{name}", call, done, device.clock)
    device.close()
    made.events.append(Answer(id="approve-2", decision="yes", note="the amplitude is fine").event())
    return made


def _store(run: Run, key: str, name: str, call: ExperimentCall, done: Performed, clock: float) -> None:
    action = run.action(key)
    action.claim({"call": {"experiment": call.experiment, "arguments": call.arguments}})
    action.finish(
        {
            "experiment": call.experiment,
            "qubit": done.experiment.qubit,
            "report": plain_report(done.report),
            "data": run.save_arrays(name, done.experiment.data).as_dict(),
            "arrays": labelled(done.experiment),
            "settings": settings_of(done.experiment),
            "settings_version": 0,
            "seconds": done.seconds,
            "clock": clock,
        }
    )


def test_a_netcdf_file_keeps_numbers_dimensions_units_and_settings(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "all.nc"
    assert save_measurements(run, path) == 3
    with xarray.open_datatree(path, engine="h5netcdf") as tree:
        assert list(tree.children) == ["01_readout_calibration", "02_drag_calibration", "03_residual_zz"]
        assert tree.attrs["run_id"] == run.run_id
        assert tree.attrs["specification"].startswith("spec: 1")
        iq = tree["01_readout_calibration"]["iq"]
        assert iq.dims == ("prepared", "shot")
        assert np.iscomplexobj(iq)
        drag = tree["02_drag_calibration"]
        assert drag["fraction"].sel(train="+Y").dims == ("drag",)
        assert list(drag["train"].values) == ["+Y", "-Y"]
        zz = tree["03_residual_zz"]
        assert zz["time"].attrs["units"] == "us"
        assert zz["target"].sel(control_state="1", component="X").dims == ("time",)
        assert set(json.loads(zz.attrs["settings"])) == {"Q1", "Q2", "Q1-Q2"}
        for name, arrays in (("02_drag_calibration", drag), ("03_residual_zz", zz)):
            with np.load(run.folder / "data" / f"{name}.npz") as stored:
                for key in stored.files:
                    np.testing.assert_array_equal(arrays[key].values, stored[key])


def test_settings_are_those_that_were_measured_with_not_those_that_were_written(run: Run) -> None:
    drag = measurements(run)["02_drag_calibration"].attrs
    written = json.loads((run.folder / "actions/key2/done.json").read_text())["report"]["updates"]
    assert written
    assert json.loads(drag["settings"])["Q1"]["drag"] != pytest.approx(written["drag"])


def test_a_crate_names_every_file_with_its_hash_and_who_answered(run: Run, tmp_path: Path) -> None:
    count = save_crate(run, tmp_path / "crate")
    crate = ROCrate(tmp_path / "crate")
    files = [entity for entity in crate.data_entities if entity.type == "File"]
    assert len(files) == count
    for file in files:
        assert sha256_of((tmp_path / "crate" / file.id).read_bytes()) == file["sha256"], file.id
    assert {"spec.yaml", "run.json", "events.jsonl", "measurements.nc"} <= {file.id for file in files}
    assert not list((tmp_path / "crate").rglob("*.sqlite"))
    (answer,) = crate.get_by_type("AuthorizeAction")
    assert answer["description"] == "yes"
    assert answer["agent"]["name"] == run.record.account
    made = crate.get("#run")
    assert [spec.id for spec in made["object"]] == ["spec.yaml"]
    assert made["agent"]["name"] == run.record.account


def test_a_zip_is_one_file(run: Run, tmp_path: Path) -> None:
    save_crate(run, tmp_path / "crate.zip")
    assert ROCrate(tmp_path / "crate.zip").get("measurements.nc") is not None


def test_a_place_that_is_taken_and_a_run_without_data_are_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="exists already"):
        save_crate(run, tmp_path)
    empty = create_run(tmp_path, "lab_calibration", "nothing", {}, 0)
    with pytest.raises(InputError, match="measured nothing"):
        save_measurements(empty, tmp_path / "none.nc")


def test_arrays_that_were_changed_afterwards_are_not_exported(run: Run, tmp_path: Path) -> None:
    path = run.folder / "data" / "01_readout_calibration.npz"
    kept = path.read_bytes()
    try:
        path.write_bytes(kept + b"x")
        with pytest.raises(CorruptRecordError, match="was changed"):
            save_measurements(run, tmp_path / "bad.nc")
    finally:
        path.write_bytes(kept)
