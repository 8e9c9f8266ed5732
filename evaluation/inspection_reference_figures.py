"""Makes the reference pictures of the inspection prompts with the simulated processor.

Run ``python -m labwright.evaluation.inspection_reference_figures``; it writes ``tools/experiments/examples/*.png``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from labwright.tools.experiments import figures, registry
from labwright.tools.experiments.base import Bench, Experiment
from labwright.tools.qpu.opening import open_device

Options = dict[str, float | str]
GOOD: Options = {"frequency_offset": 0.001, "amplitude_error": 0.0, "drag": 0.5}
# name of the picture -> experiment, how the device was opened, arguments
PICTURES: dict[str, tuple[str, Options, dict[str, Any]]] = {
    "ramsey_good": ("ramsey", GOOD, {"offset": 3.0, "stop": 2.0}),
    "ramsey_bad": ("ramsey", GOOD | {"frequency_offset": 2.0}, {"offset": 3.0, "stop": 0.5}),
    "rabi_good": ("rabi", GOOD, {}),
    "rabi_bad": ("rabi", GOOD | {"frequency_offset": 40.0}, {}),
    "drag_calibration_good": ("drag_calibration", GOOD, {}),
    "drag_calibration_bad": ("drag_calibration", GOOD, {"start": 0.4, "stop": 2.9}),
    "resonator_spectroscopy_good": ("resonator_spectroscopy", GOOD, {}),
    "resonator_spectroscopy_bad": ("resonator_spectroscopy", GOOD, {"start": 12.0, "stop": 32.0}),
    "readout_calibration_good": ("readout_calibration", GOOD, {}),
    "ef_spectroscopy_good": ("ef_spectroscopy", GOOD, {}),
    "ef_spectroscopy_bad": ("ef_spectroscopy", GOOD, {"start": -60.0, "stop": -10.0}),
    "all_xy_good": ("all_xy", GOOD, {}),
    "all_xy_bad": ("all_xy", GOOD | {"frequency_offset": 1.5}, {}),
    "readout_mitigation_good": ("readout_mitigation", GOOD, {}),
    "readout_mitigation_bad": ("readout_mitigation", GOOD | {"snr": 0.3}, {}),
    "resonator_power_sweep_good": ("resonator_power_sweep", GOOD, {}),
    "resonator_power_sweep_bad": ("resonator_power_sweep", GOOD, {"stop": 0.2}),
    "readout_calibration_bad": ("readout_calibration", GOOD | {"snr": 0.3}, {}),
}


def measured(name: str, options: Options, arguments: dict[str, Any], seed: int = 7) -> Experiment:
    """One experiment run on Q1 of a fresh simulated processor."""
    with tempfile.TemporaryDirectory() as folder:
        device = open_device("simulated", Path(folder), seed, options)
        try:
            experiment = registry.experiments()[name](Bench(device, "reference"))
            experiment.run("Q1", **arguments)
        finally:
            device.close()
        return experiment


def main() -> None:
    """Write every reference picture."""
    folder = Path(registry.__file__).parent / "examples"
    folder.mkdir(exist_ok=True)
    for picture, (name, options, arguments) in PICTURES.items():
        figures.save(measured(name, options, arguments).plot(), folder / f"{picture}.png")


if __name__ == "__main__":
    main()
