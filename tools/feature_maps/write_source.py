"""A recipe as the PennyLane class that a person would have written for it."""

from __future__ import annotations

import textwrap

from labwright.tools.feature_maps.recipe import TURNED, Recipe, tidied

_WIDTH = 110

# name of a hyperparameter, type, what it is; in the order of the arguments
_ARGUMENTS: tuple[tuple[str, str, str], ...] = (
    ("scale", "float", "angle per unit of a feature of the first block, rad."),
    ("decay", "float", "factor by which the angles fall from one block to the next."),
    ("centre", "float", "value of a feature whose angle is the offset."),
    ("offset", "float", "added to every data angle, rad."),
    ("mixing", "float", "weight of the next block's feature in each angle."),
    ("entangler_angle", "float", "angle of the two-qubit gates, rad."),
    ("every", "int", "blocks between two entangling layers."),
    ("repeats", "int", "how often the whole encoding is applied."),
)
_IDLE = {"decay": 1.0, "centre": 0.0, "offset": 0.0, "mixing": 0.0, "entangler_angle": 0.0, "every": 1, "repeats": 1}

_PAIRS = {
    "ring": (
        "last = self.n_qubits if self.n_qubits > 2 else self.n_qubits - 1  # two wires need one gate, not a ring",
        "for wire in range(last):",
        "[wire, (wire + 1) % self.n_qubits]",
    ),
    "line": ("", "for wire in range(self.n_qubits - 1):", "[wire, wire + 1]"),
    "pairs": ("", "for wire in range(0, self.n_qubits - 1, 2):", "[wire, wire + 1]"),
    "skip": ("", "for wire in range(self.n_qubits - 2):", "[wire, wire + 2]"),
}
_WORDS = {
    "ring": "every wire with the next one, around a ring",
    "line": "every wire with the next one, along a line",
    "pairs": "wires two by two",
    "skip": "every wire with the next but one",
}


def source_of(recipe: Recipe, class_name: str, n_qubits: int, n_features: int, docstring: str) -> str:
    """Python source of a module with one class on `BaseFeatureMap`.

    The numbers of the recipe are the defaults of its hyperparameters; those that have no effect are left out. The class
    serves any number of qubits and features; `n_qubits` and `n_features` are only told in its docstring.

    Args:
        recipe: what to write.
        class_name: name of the class.
        n_qubits: wires it was made for.
        n_features: features it was made for.
        docstring: what it is, in plain words.
    """
    recipe = tidied(recipe)
    used = hyperparameters(recipe)
    parts = [_head(class_name, n_qubits, n_features, docstring), _init(used), _feature_map(recipe, used)]
    if recipe.entangler != "none":
        parts.append(_entangle(recipe))
    return "\n\n".join(parts) + "\n"


def hyperparameters(recipe: Recipe) -> dict[str, float | int]:
    """Names and defaults of the hyperparameters that the class of this recipe has."""
    recipe = tidied(recipe)
    values = {name: getattr(recipe, name) for name, _, _ in _ARGUMENTS}
    kept = {name: value for name, value in values.items() if _IDLE.get(name) != value}
    if recipe.entangler in TURNED:
        kept["entangler_angle"] = recipe.entangler_angle
    return {name: kept[name] for name, _, _ in _ARGUMENTS if name in kept}


def _head(class_name: str, n_qubits: int, n_features: int, docstring: str) -> str:
    plain = docstring.replace("\\", "\\\\").replace('"""', "'''").strip().rstrip('"')
    paragraphs = [_wrapped(paragraph, "    ") for paragraph in plain.split("\n\n")]
    paragraphs.append(_wrapped(f"Made for {n_qubits} qubits and {n_features} features of about 0 to 1.", "    "))
    text = "\n\n".join(paragraphs).lstrip()
    return (
        "import numpy as np\nimport pennylane as qml\n\n"
        "from labwright.tools.feature_maps.base import BaseFeatureMap\n\n\n"
        f'class {class_name}(BaseFeatureMap):\n    """{text}\n    """'
    )


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(" ".join(text.split()), _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _init(used: dict[str, float | int]) -> str:
    kinds = {name: (kind, meaning) for name, kind, meaning in _ARGUMENTS}
    arguments = ["self", "n_qubits: int", *(f"{name}: {kinds[name][0]} = {value!r}" for name, value in used.items())]
    lines = _signature("def __init__", arguments)
    lines += ['    """Keep the hyperparameters.', "", "    Args:", "        n_qubits: number of wires."]
    lines += [f"        {name}: {kinds[name][1]}" for name in used]
    lines += ['    """', "    super().__init__(n_qubits)", *(f"    self.{name} = {name}" for name in used)]
    return textwrap.indent("\n".join(lines), "    ", lambda line: bool(line.strip()))


def _signature(start: str, arguments: list[str]) -> list[str]:
    line = f"{start}({', '.join(arguments)}) -> None:"
    if len(line) <= _WIDTH:
        return [line]
    return [f"{start}(", *(f"    {argument}," for argument in arguments), ") -> None:"]


def _feature_map(recipe: Recipe, used: dict[str, float | int]) -> str:
    entangled = recipe.entangler != "none"
    lines = [
        "def feature_map(self, x: np.ndarray) -> None:",
        '    """Apply the gates for one sample x of shape (n_features,)."""',
        "    n_blocks = -(-len(x) // self.n_qubits)",
    ]
    if recipe.start == "hadamard":
        lines += ["    for wire in range(self.n_qubits):", "        qml.Hadamard(wires=wire)"]
    if "repeats" in used:
        lines += ["    n_layers = self.repeats * n_blocks", "    for layer in range(n_layers):"]
        lines += ["        block = layer % n_blocks"]
    else:
        lines += ["    for block in range(n_blocks):"]
    lines += textwrap.indent("\n".join(_rotations(recipe, used)), "        ").splitlines()
    if entangled:
        layer, layers = ("layer", "n_layers") if "repeats" in used else ("block", "n_blocks")
        rhythm = f"({layer} + 1) % self.every == 0 and " if "every" in used else ""
        lines += [f"        if {rhythm}{layer} < {layers} - 1:  # a last one would cancel in the kernel"]
        lines += ["            self.entangle()"]
    return textwrap.indent("\n".join(lines), "    ")


def _rotations(recipe: Recipe, used: dict[str, float | int]) -> list[str]:
    """One block: every feature of it on its own wire."""
    lines = ["scale = self.scale * self.decay**block"] if "decay" in used else []
    if len(recipe.axes) > 1:
        lines += [f"rotation = [{', '.join(f'qml.{axis}' for axis in recipe.axes)}][block % {len(recipe.axes)}]"]
    lines += [
        "first = block * self.n_qubits",
        "for feature in range(first, min(first + self.n_qubits, len(x))):",
        f"    value = {'x[feature] - self.centre' if 'centre' in used else 'x[feature]'}",
    ]
    if "mixing" in used:
        ahead = "x[feature + self.n_qubits]"
        shifted = f"({ahead} - self.centre)" if "centre" in used else ahead
        lines += ["    if feature + self.n_qubits < len(x):", f"        value = value + self.mixing * {shifted}"]
    angle = ("scale" if "decay" in used else "self.scale") + " * value" + (" + self.offset" if "offset" in used else "")
    gate = "rotation" if len(recipe.axes) > 1 else f"qml.{recipe.axes[0]}"
    return [*lines, f"    {gate}(phi={angle}, wires=feature - first)"]


def _entangle(recipe: Recipe) -> str:
    setup, loop, wires = _PAIRS[recipe.pattern]
    angle = "phi=self.entangler_angle, " if recipe.entangler in TURNED else ""
    lines = ["def entangle(self) -> None:", f'    """Join {_WORDS[recipe.pattern]}."""']
    lines += [f"    {setup}"] if setup else []
    lines += [f"    {loop}", f"        qml.{recipe.entangler}({angle}wires={wires})"]
    return textwrap.indent("\n".join(lines), "    ")
