"""Opens a device by name, so that who drives it never imports it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import cast

from labwright.tools.errors import InputError
from labwright.tools.module_loading import load_file
from labwright.tools.qpu.device import Device

KNOWN = {
    "simulated": "labwright.tools.qpu.simulated:open_simulated",
    "qibolab": "labwright.tools.qpu.qibolab_device:open_platform",
    "qibolab_emulator": "labwright.tools.qpu.qibolab_emulator:open_emulator",
}
CHIPS = ("paper", "drawn", "grid", "pair", "spoilt")  # see `starting_settings.choose`
CHECKS = {
    "simulated": "labwright.tools.qpu.starting_settings:choose"
}  # what reads a device's options without opening it
EXTRAS = {"qibolab": "pip install 'labwright[qibolab]'"}  # package -> what installs it


def open_device(spec: str, folder: Path, seed: int, options: dict[str, float | str] | None = None) -> Device:
    """The device that `spec` names, with its memory in `folder`.

    Args:
        spec: a name of `KNOWN`, such as ``simulated``; or ``package.module:factory`` or ``path/to/file.py:factory``
            where ``factory(folder, seed, options)`` makes a `Device`.
        folder: where the device keeps its journal; the same folder continues the same device.
        seed: of the random numbers and the drift, if the device is simulated.
        options: numbers and names for the factory.

    Raises:
        InputError: `spec` does not name a factory.
    """
    return cast(Device, factory_of(spec)(folder, seed, dict(options or {})))


def check_device(spec: str, options: dict[str, float | str]) -> None:
    """Notice a device that cannot be opened, without opening it: another's factory may start the instruments.

    Raises:
        InputError: `spec` does not name a factory, or the simulated processor does not know an option.
    """
    factory_of(spec)
    if spec in CHECKS:
        module, _, attribute = CHECKS[spec].partition(":")
        getattr(importlib.import_module(module), attribute)(options)


def factory_of(spec: str) -> Callable[..., object]:
    """What opens the device that `spec` names.

    Raises:
        InputError: it names no function, or that cannot be imported.
    """
    if spec.partition(":")[0] in CHIPS:
        raise InputError(
            f"Argument `device` names what opens a device, but {spec!r} is a chip of the simulated processor. Choose it"
            f" with `--device-option device={spec}`, and leave `--device` at `simulated`."
        )
    source, _, attribute = KNOWN.get(spec, spec).rpartition(":")
    source, attribute = (source, attribute) if source else (attribute, "open")
    try:
        module = load_file(Path(source), "device module") if _is_file(source) else importlib.import_module(source)
        factory = getattr(module, attribute)
    except (ImportError, AttributeError, ValueError) as error:
        if (package := str(getattr(error, "name", "")).partition(".")[0]) in EXTRAS:
            raise InputError(f"The device {spec!r} needs the package {package}: {EXTRAS[package]}.") from error
        raise InputError(
            f"Argument `device` must be `simulated`, `package.module:factory` or `file.py:factory`, but {spec!r} cannot"
            f" be imported: {error}. Check the spelling, and that the package is installed."
        ) from error
    if not callable(factory):
        raise InputError(f"Argument `device`: {spec!r} is no function that opens a device. Name its factory.")
    return cast("Callable[..., object]", factory)


def absolute_spec(spec: str) -> str:
    """`spec` with the path of a file made absolute, so that a run can be resumed from any folder."""
    source, colon, attribute = spec.rpartition(":")
    return f"{Path(source).expanduser().absolute()}{colon}{attribute}" if _is_file(source) else spec


def _is_file(source: str) -> bool:
    return source.endswith(".py")
