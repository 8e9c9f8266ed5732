"""Opens a device by name, so that who drives it never imports it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import cast

from labwright.tools.errors import InputError
from labwright.tools.qpu.device import Device

KNOWN = {"simulated": "labwright.tools.qpu.simulated:open_simulated"}


def open_device(spec: str, folder: Path, seed: int, options: dict[str, float | str] | None = None) -> Device:
    """The device that `spec` names, with its memory in `folder`.

    Args:
        spec: ``simulated``, or ``package.module:factory`` where ``factory(folder, seed, options)`` makes a `Device`.
        folder: where the device keeps its journal; the same folder continues the same device.
        seed: of the random numbers and the drift, if the device is simulated.
        options: numbers and names for the factory.

    Raises:
        InputError: `spec` does not name a factory.
    """
    module, _, attribute = KNOWN.get(spec, spec).partition(":")
    try:
        factory = getattr(importlib.import_module(module), attribute or "open")
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"Argument `device` must be `simulated` or `package.module:factory`, but {spec!r} cannot be imported:"
            f" {error}. Check the spelling, and that the package is installed."
        ) from error
    return cast(Device, factory(folder, seed, dict(options or {})))
