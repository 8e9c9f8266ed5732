"""Make gates cheaply while a map is run at its many probes. Runs inside the sandbox only.

A PennyLane operation takes 8 to 80 us to make, of which a probe needs its name, wires and angles. After the first
probe was run with real operations, the allowed gates are made as `QuickGate`. Code that does more with a gate than
make it touches something that a `QuickGate` lacks: that ends with `NeedsRealGates`, and real operations are made.
The second process always makes real ones, so that both ways are compared in every compilation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pennylane as qml
from pennylane.capture.capture_meta import CaptureMeta

from labwright.tools.feature_maps.gates import GATES


class NeedsRealGates(BaseException):
    """The code does more with a gate than make it. No Exception, so that the code's own handlers pass it on."""


class QuickGate:
    """Name, wires and angles of a gate; anything else that is asked of it ends the quick way."""

    __slots__ = ("angles", "on", "title")

    def __init__(self, title: str, on: tuple[int, ...], angles: list[Any]) -> None:
        self.title, self.on, self.angles = title, on, angles

    def _refuse(self, *ignored: Any) -> Any:
        raise NeedsRealGates

    __getattr__ = __matmul__ = __rmatmul__ = __mul__ = __rmul__ = __add__ = __radd__ = __sub__ = __pow__ = _refuse
    __call__ = __eq__ = __lt__ = __len__ = __iter__ = __neg__ = __truediv__ = __hash__ = __repr__ = _refuse


def _parameters() -> dict[type[Any], tuple[str, tuple[str, ...]]]:
    found = {}
    for name, spec in GATES.items():
        made_by = getattr(qml, name)
        names = [one for one in inspect.signature(made_by).parameters if one not in ("params", "id")]
        found[made_by] = (name, tuple(names))
        assert names[spec.parameters :] == ["wires"], name
    return found


_PARAMETERS = _parameters()


@contextmanager
def quick_gates(queue_type: type[Any]) -> Iterator[None]:
    """Within, a call of an allowed gate while a queue of this type records makes a `QuickGate`."""
    real: Callable[..., Any] = CaptureMeta.__call__
    contexts = qml.QueuingManager

    def make(cls: type[Any], *args: Any, **kwargs: Any) -> Any:
        known = _PARAMETERS.get(cls)
        active = contexts._active_contexts
        if known is None or not active or type(active[-1]) is not queue_type:
            return real(cls, *args, **kwargs)
        title, names = known
        given = list(args)
        for name in names[len(args) :]:
            if name in kwargs:
                given.append(kwargs.pop(name))
        if kwargs or len(given) != len(names) or (on := _wires(given.pop())) is None:
            raise NeedsRealGates
        gate = QuickGate(title, on, given)
        active[-1].append(gate)
        return gate

    CaptureMeta.__call__ = make
    try:
        yield
    finally:
        CaptureMeta.__call__ = real


def _wires(given: Any) -> tuple[int, ...] | None:
    if type(given) is int:
        return (given,)
    if type(given) is qml.wires.Wires:
        given = given.tolist()
    if type(given) in (list, tuple, range) and all(type(wire) is int for wire in given):
        return tuple(given)
    return None
