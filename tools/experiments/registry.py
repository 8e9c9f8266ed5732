"""Which experiments there are: the shipped ones and those in a user's lab folder."""

from __future__ import annotations

import inspect
import re
from functools import lru_cache
from pathlib import Path
from typing import get_args, get_type_hints

from labwright.tools.errors import InputError
from labwright.tools.experiments.all_xy import AllXY
from labwright.tools.experiments.amplitude_pingpong import AmplitudePingpong
from labwright.tools.experiments.base import Experiment, quantities
from labwright.tools.experiments.call import ExperimentCard, ParameterCard
from labwright.tools.experiments.conditional_stark import ConditionalStarkContinuous
from labwright.tools.experiments.cpmg import Cpmg
from labwright.tools.experiments.cz_process_tomography import ProcessTomography
from labwright.tools.experiments.dispersive_shift import DispersiveShift
from labwright.tools.experiments.drag_calibration import DragCalibration
from labwright.tools.experiments.drift_tracking import FrequencyTracking, T1Tracking
from labwright.tools.experiments.ef_spectroscopy import EfSpectroscopy
from labwright.tools.experiments.failure_causes import ALWAYS
from labwright.tools.experiments.hamiltonian_tomography import HamiltonianTomography
from labwright.tools.experiments.interleaved_rb_cz import InterleavedRbCz
from labwright.tools.experiments.leakage_rb import LeakageRb
from labwright.tools.experiments.power_rabi import PowerRabi
from labwright.tools.experiments.purity_rb import PurityRb
from labwright.tools.experiments.qubit_spectroscopy import QubitSpectroscopy
from labwright.tools.experiments.ramsey import Ramsey
from labwright.tools.experiments.readout_calibration import ReadoutCalibration
from labwright.tools.experiments.readout_mitigation import ReadoutMitigation
from labwright.tools.experiments.readout_optimization import ReadoutOptimization
from labwright.tools.experiments.repeated_sizzle_gate import ConditionalStarkRepeatedGate
from labwright.tools.experiments.residual_zz import ResidualZz
from labwright.tools.experiments.resonator_power_sweep import ResonatorPowerSweep
from labwright.tools.experiments.resonator_spectroscopy import ResonatorSpectroscopy
from labwright.tools.experiments.simultaneous_rb import SimultaneousRb
from labwright.tools.experiments.single_qubit_process_tomography import GateTomography
from labwright.tools.experiments.single_qubit_rb import SingleQubitRb
from labwright.tools.experiments.sizzle_amplitude_search import SizzleAmplitudeAttempt
from labwright.tools.experiments.sizzle_search import SizzleSearch
from labwright.tools.experiments.stark_echo_tuneup import StarkEchoTuneup
from labwright.tools.experiments.state_tomography import StateTomography
from labwright.tools.experiments.t1_and_echo import T1, SpinEcho
from labwright.tools.experiments.t2_ramsey import T2Ramsey
from labwright.tools.experiments.three_level_readout import ThreeLevelReadout
from labwright.tools.experiments.time_rabi import Rabi
from labwright.tools.experiments.two_qubit_rb import TwoQubitRb
from labwright.tools.module_loading import load_file

SHIPPED: tuple[type[Experiment], ...] = (
    ResonatorSpectroscopy,
    QubitSpectroscopy,
    ReadoutCalibration,
    Rabi,
    PowerRabi,
    Ramsey,
    T2Ramsey,
    AmplitudePingpong,
    DragCalibration,
    T1,
    SpinEcho,
    Cpmg,
    T1Tracking,
    FrequencyTracking,
    SingleQubitRb,
    PurityRb,
    LeakageRb,
    GateTomography,
    EfSpectroscopy,
    AllXY,
    ReadoutMitigation,
    ResonatorPowerSweep,
    DispersiveShift,
    ThreeLevelReadout,
    ReadoutOptimization,
    ConditionalStarkContinuous,
    ConditionalStarkRepeatedGate,
    SizzleSearch,
    SizzleAmplitudeAttempt,
    StarkEchoTuneup,
    TwoQubitRb,
    InterleavedRbCz,
    StateTomography,
    ProcessTomography,
    ResidualZz,
    HamiltonianTomography,
    SimultaneousRb,
)


def experiments(lab: Path | None = None) -> dict[str, type[Experiment]]:
    """Name -> class of the shipped experiments and of every module in the folder `lab`.

    Raises:
        InputError: `lab` is not a folder, a module in it does not import, or a name is taken twice.
    """
    found = {cls.name: cls for cls in SHIPPED}
    for cls in _from_folder(lab) if lab else ():
        if cls.name in found:
            raise InputError(f"Two experiments are called {cls.name!r}; rename the one in {lab}.")
        found[cls.name] = cls
    return found


@lru_cache(maxsize=256)
def card(cls: type[Experiment]) -> ExperimentCard:
    """What an agent may know of an experiment, from the signature and the docstring of its `run`."""
    docstring = inspect.getdoc(cls.run) or ""
    described, hints, bounds = descriptions(docstring), get_type_hints(cls.run), quantities(cls)
    parameters = []
    for name, parameter in list(inspect.signature(cls.run).parameters.items())[1:]:
        quantity, required = bounds.get(name), parameter.default is inspect.Parameter.empty
        parameters.append(
            ParameterCard(
                name=name,
                type=_plain(hints[name]),
                required=required,
                default=None if required else parameter.default,
                unit=quantity.unit if quantity else "",
                minimum=quantity.minimum if quantity else None,
                maximum=quantity.maximum if quantity else None,
                description=described.get(name, ""),
            )
        )
    # what stands below "Args:" is in the parameters already; a model would pay for it twice
    text = docstring.partition("\nArgs:\n")[0].rstrip()
    summary, causes = docstring.partition("\n")[0], ALWAYS | cls.causes
    return ExperimentCard(cls.name, summary, text, tuple(parameters), causes, cls.writes, cls.results, cls.needs)


def descriptions(docstring: str) -> dict[str, str]:
    """Parameter -> text of a Google-style docstring's ``Args`` section."""
    section = re.search(r"^Args:\n((?:[ ]+.*\n?|\n)*)", docstring, re.MULTILINE)
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", section.group(1), re.MULTILINE) if section else []
    return {name: " ".join(text.split()) for name, text in entries}


def reference_image(name: str, lab: Path | None = None) -> Path:
    """Where ``Image("name")`` of an inspection prompt lies: in the package's examples, else in the lab folder.

    Raises:
        InputError: in neither.
    """
    for folder in filter(None, (Path(__file__).parent / "examples", lab)):
        path = (folder / name).resolve()  # a picture goes to whoever runs the model: nothing outside of the folder may
        if path.is_file() and path.is_relative_to(folder.resolve()):
            return folder / name
    raise InputError(f"There is no reference picture {name!r} in the package's examples or in {lab or 'a lab folder'}.")


def _plain(hint: object) -> str:
    """``float`` for float and Annotated[float, ...]; the first member of a union."""
    members = [member for member in get_args(hint) if member is not type(None)]
    return getattr(members[0] if members else hint, "__name__", str(hint))


def _from_folder(lab: Path) -> list[type[Experiment]]:
    """The experiments of every module in `lab` but its tests.

    Raises:
        InputError: no folder, a module that does not import, or an experiment that cannot be called.
    """
    if not lab.is_dir():
        raise InputError(f"There is no lab folder {lab}. Give the folder that holds your experiment modules.")
    found = []
    for path in sorted(lab.glob("*.py")):
        if path.name.startswith(("test_", "_")) or path.name == "conftest.py":
            continue
        module = load_file(path, "experiment module")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Experiment) and value.__module__ == module.__name__:
                found.append(_callable(value, path))
    return [cls for cls in found if cls is not None]


def _callable(cls: type[Experiment], path: Path) -> type[Experiment] | None:
    """`cls`, if an agent could call it; None for a base class that only others are made of, which has no name.

    Raises:
        InputError: it has a name, but lacks a method, or its `run` takes no qubit.
    """
    if not isinstance(getattr(cls, "name", None), str):
        return None
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        raise InputError(f"The experiment {cls.name!r} in {path} lacks {', '.join(missing)}. Add the method.")
    first = list(inspect.signature(cls.run).parameters)[1:2]
    if first != ["qubit"]:
        raise InputError(
            f"The first parameter of `run` must be `qubit`, but in {cls.name!r} of {path} it is"
            f" {first[0] if first else 'missing'}. Rename it."
        )
    return cls
