"""Read what came out of the sandbox. It is untrusted: anything that is not exactly a circuit is refused."""

from __future__ import annotations

import base64
import binascii
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import RuleError
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.rules import MAX_ANGLE, MAX_GATES, RULES, finding

_LONGEST_LIST = 4096  # items of one hyperparameter
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """A map as it showed itself at the probes.

    Attributes:
        class_name: of the candidate.
        hyperparameters: names and values, JSON-plain.
        gates: (gate, wires, number of angles, line of the candidate).
        angles: shape (n_probes - skipped, n_angles), rad, finite.
        skipped: probes outside [0, 1] that the code refused.
        works_at: other numbers of qubits at which the code runs.
    """

    class_name: str
    hyperparameters: dict[str, Any]
    gates: tuple[tuple[str, tuple[int, ...], int, int], ...]
    angles: NDArray[np.float64]
    skipped: tuple[int, ...]
    works_at: tuple[int, ...]

    def gate_of(self, angle: int) -> dict[str, Any]:
        """Name and line of the gate that has this angle, as facts of a finding."""
        for name, _, count, line in self.gates:
            if angle < count:
                return {"gate": name, "line": line}
            angle -= count
        raise IndexError(f"The map has no angle {angle}.")


def read_reply(reply: object, n_qubits: int, n_probes: int, lenient: int) -> Seen:
    """The reply, checked for type, size and range.

    Raises:
        RuleError: the candidate broke a rule, or the reply is no circuit.
    """
    if isinstance(reply, dict) and "broken" in reply:
        raise RuleError([_told(reply["broken"])])
    try:
        seen = _seen(reply, n_qubits, n_probes, lenient)
    except (KeyError, TypeError, ValueError, OverflowError, binascii.Error) as wrong:
        raise RuleError([finding("not_a_circuit", {"error": repr(wrong)})]) from wrong
    _check_angles(seen)
    return seen


def _told(broken: object) -> dict[str, str]:
    if isinstance(broken, dict) and isinstance(broken.get("facts"), dict) and broken.get("rule") in RULES:
        return finding(str(broken["rule"]), {str(name): value for name, value in broken["facts"].items()})
    return finding("not_a_circuit", {"error": "it names no rule that exists"})


def _seen(reply: object, n_qubits: int, n_probes: int, lenient: int) -> Seen:
    if not isinstance(reply, dict):
        raise TypeError(f"a {type(reply).__name__}")
    gates = tuple(_gate(item, n_qubits) for item in _list(reply["gates"], MAX_GATES))
    skipped = tuple(_integer(row, n_probes - lenient, n_probes) for row in _list(reply["skipped"], lenient))
    if len(set(skipped)) != len(skipped):
        raise ValueError("a probe was skipped twice")
    n_angles = sum(count for _, _, count, _ in gates)
    expected = (n_probes - len(skipped)) * n_angles * 8
    raw = base64.b64decode(_text(reply["angles"], 2 * expected + 8), validate=True)
    if len(raw) != expected:
        raise ValueError(f"{len(raw)} bytes of angles in place of {expected}")
    angles = np.frombuffer(raw, dtype=np.float64).reshape(n_probes - len(skipped), n_angles)
    works = tuple(_integer(n, 1, 64) for n in _list(reply["works_at"], 16))
    name = _text(reply["class_name"], _LONGEST_NAME)
    if not name.isidentifier():
        raise ValueError("the class has no name")
    return Seen(name, _hyperparameters(reply["hyperparameters"]), gates, angles, skipped, works)


def _gate(item: object, n_qubits: int) -> tuple[str, tuple[int, ...], int, int]:
    name, wires, count, line = _list(item, 4)
    if not isinstance(name, str) or name not in GATES:
        raise ValueError("a gate that is not allowed")
    on = tuple(_integer(wire, 0, n_qubits) for wire in _list(wires, n_qubits))
    spec = GATES[name]
    if len(set(on)) != len(on) or not on or (spec.wires is not None and len(on) != spec.wires):
        raise ValueError(f"{name} on {len(on)} wires")
    if count != spec.parameters:
        raise ValueError(f"{name} with another number of angles")
    return name, on, spec.parameters, _integer(line, 0, 10**7)


def _check_angles(seen: Seen) -> None:
    if not seen.gates:
        raise RuleError([finding("no_gates")])
    wrong = ~np.isfinite(seen.angles)
    if wrong.any():
        row, angle = np.argwhere(wrong)[0]
        raise RuleError([finding("angle_not_finite", seen.gate_of(int(angle)) | {"seen": seen.angles[row, angle]})])
    if seen.angles.size and np.abs(seen.angles).max() > MAX_ANGLE:
        angle = int(np.abs(seen.angles).max(axis=0).argmax())
        facts = {"seen": float(np.abs(seen.angles[:, angle]).max()), "limit": MAX_ANGLE}
        raise RuleError([finding("angle_too_large", seen.gate_of(angle) | facts)])


def _hyperparameters(plain: object) -> dict[str, Any]:
    if not isinstance(plain, dict) or len(plain) > 200:
        raise TypeError("hyperparameters that are no dictionary")
    return {_text(name, _LONGEST_NAME): _value(value) for name, value in plain.items()}


def _value(value: object, depth: int = 0) -> Any:
    if isinstance(value, list) and depth < 3:
        return [_value(item, depth + 1) for item in _list(value, _LONGEST_LIST)]
    if isinstance(value, bool | int | str) and len(str(value)) <= _LONGEST_LIST:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise ValueError("a hyperparameter that is no number, word or list")


def _list(value: object, longest: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > longest:
        raise TypeError(f"no list of at most {longest}")
    return value


def _text(value: object, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise TypeError("no text, or too long a one")
    return value


def _integer(value: object, least: int, below: int) -> int:
    if type(value) is not int or not least <= value < below:
        raise ValueError(f"no whole number from {least} to {below - 1}")
    return value
