"""The rules of a feature map: what each is called, how a break of it is told, and how to mend it.

One table, so that the gate, the person and whoever mends the code speak of the same things.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labwright.tools.feature_maps.gates import GATES

MAX_GATES = 2000  # the paper's largest published map has 226
MAX_ANGLE = 1e4  # rad; beyond it a double has lost the digits that make the angle mean something
_LONGEST_FACT = 400
ALLOWED_IMPORTS = frozenset(
    "numpy math cmath pennylane qxmt labwright typing collections itertools functools dataclasses abc enum"
    " fractions numbers operator string warnings __future__".split()
)

_AFFINE = "Write every angle as constants times features plus a constant, with no other function of x."
_KINDS = "Use only " + ", ".join(sorted(GATES)) + ", or templates that decompose into them."

RULES: dict[str, tuple[str, str]] = {
    # what the text of the code already shows
    "syntax": ("The code is not valid Python: {error} (line {line}).", "Correct the syntax."),
    "one_class": (
        "The code must define exactly one feature-map class, but defines {found}.",
        "Keep one subclass of BaseFeatureMap.",
    ),
    "signature": (
        "{where} has the wrong signature: {seen} (line {line}).",
        "Write __init__(self, n_qubits, ...defaults) and feature_map(self, x).",
    ),
    "unknown_operation": ("PennyLane has no `{name}` (line {line}).", "{hint}"),
    "arguments": ("Call of `qml.{name}` on line {line}: {seen}.", "It takes ({takes}). Name every argument."),
    "forbidden_import": (
        "Line {line} imports or calls `{name}`, which a feature map has no use for.",
        "Use only numpy, math and pennylane.",
    ),
    # what running it shows
    "import_failed": ("An import failed on line {line}: {error}.", "Use only numpy, math and pennylane."),
    "reaches_out": ("Line {line} reaches for something outside: {error}.", "Compute from x and constants in the code."),
    "crashed": (
        "The code failed on line {line} with {error}.",
        "Correct the code so that it runs for every x; features lie about 0 to 1, and not all within.",
    ),
    "feature_index": (
        "Line {line} reads a feature that does not exist: {error}; x has {n_features} features.",
        "Index x below its length.",
    ),
    "writes_into_x": ("The code changes its input x (line {line}).", "Make a new array instead of writing into x."),
    "too_slow": (
        "The code did not finish in {seconds} s.",
        "Build the circuit with plain loops; do not compute or wait.",
    ),
    "too_much_memory": ("The code used more memory than a feature map may.", "Do not build large arrays."),
    "killed": ("The code ended its own process or was killed ({error}).", "Do not exit, fork or send signals."),
    "not_a_circuit": (
        "What the code sent back is not a circuit: {error}.",
        "Only call PennyLane gates; leave everything around them alone.",
    ),
    # what the circuit shows
    "no_gates": ("The feature map has no gate.", "Call PennyLane gates in feature_map."),
    "too_many_gates": ("The feature map has {found} gates, but may have {limit}.", "Use fewer layers."),
    "measurement": ("Line {line} measures ({gate}).", "Leave measurements out: the kernel needs the state only."),
    "state_preparation": (
        "Line {line} prepares a state ({gate}) instead of rotating into it.",
        "Encode with rotation angles.",
    ),
    "noise_channel": ("Line {line} applies noise ({gate}).", "Use unitary gates only."),
    "trainable": (
        "Line {line} uses a trainable parameter ({gate}).",
        "Import plain numpy, not pennylane.numpy, torch or jax, and fix the number.",
    ),
    "foreign_gate": ("Line {line} uses {gate}, which does not decompose into the allowed gates.", _KINDS),
    "wires": ("{gate} on line {line} acts on {wires}, outside wires 0 to {last}.", "Take wires modulo n_qubits."),
    "angle_not_scalar": (
        "{gate} on line {line} has an angle that is not one real number: {seen}.",
        "Give one feature or one weighted sum to each angle.",
    ),
    "angle_not_finite": ("{gate} on line {line} has an angle that is {seen}.", _AFFINE),
    "angle_too_large": (
        "{gate} on line {line} has an angle of {seen} rad; at most {limit} rad makes sense.",
        "Scale the angle down.",
    ),
    "structure_changes": (
        "The gates depend on the data: gate {position} is {first} for one x and {other} for another (line {line}).",
        "Apply the same gates to the same wires for every x; let only angles depend on x.",
    ),
    "not_affine": ("The angle of {gate} on line {line} is not linear in the features: {seen}.", "{hint} " + _AFFINE),
    "rounding": (
        "The angle of {gate} on line {line} is linear only up to {seen} rad, as if computed in float32.",
        "Compute in float64.",
    ),
    "not_deterministic": (
        "The same x gave two different circuits ({seen}).",
        "Fix every constant in the code; draw no random numbers and keep no state between calls.",
    ),
    "no_data": ("No angle depends on x, so that the kernel is constant.", "Encode the features in rotation angles."),
}


def finding(rule: str, facts: Mapping[str, Any] | None = None) -> dict[str, str]:
    """A broken rule as ``rule``, ``message`` and ``mend``.

    Args:
        rule: a key of `RULES`.
        facts: what the message names; facts may come from the sandbox, so they are cut and made printable.
    """
    message, mend = RULES[rule]
    plain = _Facts({name: _printable(value) for name, value in (facts or {}).items()})
    return {"rule": rule, "message": message.format_map(plain).strip(), "mend": mend.format_map(plain).strip()}


class _Facts(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "?" if name != "hint" else ""


def _printable(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return "".join(letter if letter.isprintable() else " " for letter in text)[:_LONGEST_FACT]
