"""Stand-ins for the modules that foreign code imports its framework from, there while it is loaded and run."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from labwright.tools.adoption import instrument_stand_ins as instruments
from labwright.tools.errors import InputError

OURS = frozenset({"leeq", "qcodes", "k_agents"})  # always ours: their own would ask for their own instruments


class Missing:
    """Something of a framework that is not bridged: it decorates to no effect while loaded, and cannot be used."""

    def __init__(self, path: str, loading: list[bool]) -> None:
        self._path, self._loading = path, loading

    def __call__(self, *given: Any, **named: Any) -> Any:
        if self._loading:  # a decorator, with or without arguments
            return given[0] if len(given) == 1 and callable(given[0]) and not named else lambda thing: thing
        raise InputError(f"The foreign code uses {self._path}, which is not bridged. Compute it without.")

    def __getattr__(self, name: str) -> Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._path}.{name}", self._loading)

    def __mro_entries__(self, bases: tuple[type, ...]) -> tuple[type, ...]:
        return (object,)


class Experiment:
    """LeeQ's base class: given arguments it runs at once, and keeps them."""

    def __init__(self, **arguments: Any) -> None:
        if arguments:
            self._labwright_arguments = arguments
            self.run(**arguments)  # type: ignore[attr-defined]

    def _get_run_args_dict(self) -> dict[str, Any]:
        return dict(getattr(self, "_labwright_arguments", {}))


class Dataset(dict[str, list[float]]):
    """What a QCoDeS measurement gives: name -> values in the order in which they were added."""

    def get_parameter_data(self, *names: str) -> dict[str, dict[str, Any]]:
        """As QCoDeS: dependent parameter -> every array by name."""
        import numpy as np

        arrays = {name: np.asarray(values) for name, values in self.items()}
        return dict.fromkeys(names or tuple(arrays), arrays)


class Measurement:
    """QCoDeS's ``Measurement`` without a database."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.dataset, self.run_id = Dataset(), 0

    def register_parameter(self, parameter: Any, setpoints: Any = None, **__: Any) -> None:
        """Declare what will be added."""
        self.dataset.setdefault(parameter.full_name, [])

    @contextmanager
    def run(self, **_: Any) -> Iterator[Measurement]:
        """Measure inside of it."""
        yield self

    def add_result(self, *pairs: tuple[Any, float]) -> None:
        """One point: (parameter, value) each."""
        for parameter, value in pairs:
            self.dataset.setdefault(getattr(parameter, "full_name", str(parameter)), []).append(float(value))


def do1d(parameter: Any, start: float, stop: float, points: int, delay: float, *measured: Any, **_: Any) -> Any:
    """QCoDeS's sweep of one parameter; (dataset, None, None)."""
    import numpy as np

    measurement = Measurement()
    for value in np.linspace(start, stop, points):
        parameter.set(value)
        measurement.add_result((parameter, value), *((each, each.get()) for each in measured))
    return measurement.dataset, None, None


PRIMS = {"Delay": instruments.Wait, "SerialLPB": instruments.Block, "SeriesLPB": instruments.Block}
SWEEPS = {"Sweeper": instruments.Sweep, "SweepParametersSideEffectFactory": instruments.SideEffects}
SHORT = {
    "sweeper": instruments.Sweep,
    "sparam": instruments.SideEffects,
    "basic": instruments.basic_run,
    "experiment": Experiment,
}
KNOWN: dict[str, dict[str, Any]] = {
    "leeq": {"Experiment": Experiment, "basic_run": instruments.basic_run, "basic": instruments.basic_run, **SWEEPS},
    "leeq.experiments": {"Experiment": Experiment, **SWEEPS},
    "leeq.experiments.sweeper": SWEEPS,
    "leeq.utils": {"setup_logging": logging.getLogger},
    "leeq.utils.compatibility": SHORT,
    "leeq.utils.compatibility.prims": PRIMS,
    "qcodes": {"Measurement": Measurement},
    "qcodes.dataset": {"Measurement": Measurement, "do1d": do1d},
}


class _Modules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of `packages`, whatever is installed."""

    def __init__(self, loading: list[bool], packages: frozenset[str]) -> None:
        self._loading, self._packages = loading, packages

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Of these packages only."""
        if name.partition(".")[0] not in self._packages:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """As usual."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Fill it with what is bridged."""
        known = KNOWN.get(module.__name__, {})
        module.__dict__.update(known)
        if module.__name__ == "leeq.utils.compatibility":
            module.__dict__["prims"] = importlib.import_module("leeq.utils.compatibility.prims")
            module.__dict__["__all__"] = [*SHORT, "prims"]
        name, loading = module.__name__, self._loading

        def missing(attribute: str) -> Missing:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            return Missing(f"{name}.{attribute}", loading)

        module.__dict__["__getattr__"] = missing


@contextmanager
def frameworks(imported: Iterable[str], *, loading: bool) -> Iterator[None]:
    """Within it, LeeQ and QCoDeS come from here, and so does what is `imported` and not installed."""
    state = [True] if loading else []
    absent = {name for name in imported if name not in sys.modules and importlib.util.find_spec(name) is None}
    packages = OURS | absent
    finder = _Modules(state, packages)
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in packages}
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        state.clear()
        sys.meta_path.remove(finder)
        for name in list(sys.modules):
            if name.partition(".")[0] in packages:
                del sys.modules[name]
        sys.modules.update(kept)
