"""A recipe in words: name, explanation and formula."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from labwright.tools.feature_maps.recipe import TURNED, Axis, Entangler, Recipe, n_blocks, pairs, tidied

_ABOUT = {"RX": "x", "RY": "y", "RZ": "z"}
_LAYOUT = {
    "ring": "around a closed ring of neighbours",
    "line": "along an open line of neighbours",
    "pairs": "between neighbours two by two",
    "skip": "between wires two apart",
}
# With rotations about one axis only: entanglers that commute with them and cancel in the kernel ...
CANCELLING: dict[Axis | None, set[Entangler]] = {"RX": {"IsingXX"}, "RY": set(), "RZ": {"CZ", "IsingZZ", "CRZ"}}
# ... and those that turn products of the axis's Pauli matrix into such products, which all commute.
KEEPING: dict[Axis, set[Entangler]] = {"RX": {"CNOT"}, "RY": set(), "RZ": {"CNOT", "ISWAP"}}


@dataclass(frozen=True, slots=True)
class Description:
    """A recipe in words.

    Attributes:
        name: a class name; recipes that differ have different ones.
        explanation: the circuit, gate by gate, and why it should work.
        formula: TeX without dollar signs.
        circuit: the circuit alone.
    """

    name: str
    explanation: str
    formula: str
    circuit: str


def describe(recipe: Recipe, n_qubits: int, n_features: int) -> Description:
    """The recipe in words, as it is for so many qubits and features."""
    recipe = tidied(recipe)
    circuit = " ".join(_circuit_sentences(recipe, n_qubits, n_features))
    return Description(
        class_name(recipe), f"{circuit} {_reasons(recipe, n_qubits, n_features)}", formula(recipe), circuit
    )


def class_name(recipe: Recipe) -> str:
    """A name that says the structure, with six hex digits of all its numbers."""
    recipe = tidied(recipe)
    digits = hashlib.sha256(recipe.model_dump_json().encode()).hexdigest()[:6]
    graded = "Graded" if recipe.decay < 1 else "Flat"
    joined = "Product" if recipe.entangler == "none" else recipe.entangler.capitalize() + recipe.pattern.capitalize()
    return f"{graded}{''.join(axis.capitalize() for axis in recipe.axes)}{joined}{digits.upper()}"


def formula(recipe: Recipe) -> str:
    """The unitary as a TeX formula: encoding, block and angle."""
    recipe = tidied(recipe)
    start = r" H^{\otimes n}" if recipe.start == "hadamard" else ""
    power = f"^{{{recipe.repeats}}}" if recipe.repeats > 1 else ""
    entangler = "" if recipe.entangler == "none" else "E_b "
    axis = recipe.axes[0][1] if len(recipe.axes) == 1 else "{a_b}"
    decay = rf" \cdot {recipe.decay:g}^{{b}}" if recipe.decay < 1 else ""
    value = _shifted("x_{bn+q}", recipe.centre)
    if recipe.mixing:
        value += rf" {recipe.mixing:+g} {_bracketed(_shifted('x_{(b+1)n+q}', recipe.centre))}"
    offset = f" {recipe.offset:+g}" if recipe.offset else ""
    angle = rf"\theta_{{b,q}} = {recipe.scale:g}{decay} {_bracketed(value)}{offset}"
    cycle = ", ".join(name[1] for name in recipe.axes)
    axes = rf", \quad a = ({cycle}), \ b \bmod {len(recipe.axes)}" if len(recipe.axes) > 1 else ""
    block = rf"{entangler}\bigotimes_{{q=0}}^{{n-1}} R_{axis}(\theta_{{b,q}})"
    return rf"U(x) = \Big[ \prod_{{b=B-1}}^{{0}} {block} \Big]{power}{start}, \quad {angle}{axes}"


def _shifted(symbol: str, centre: float) -> str:
    return f"{symbol} - {centre:g}" if centre else symbol


def _bracketed(term: str) -> str:
    return rf"\left( {term} \right)" if " " in term else term


def _circuit_sentences(recipe: Recipe, n_qubits: int, n_features: int) -> list[str]:
    blocks = n_blocks(n_qubits, n_features)
    said = ["Every qubit starts in |0>" + (" and gets a Hadamard gate." if recipe.start == "hadamard" else ".")]
    said.append(
        f"The {n_features} principal components, in the order of their variance, are cut into {blocks}"
        f" block{'s' * (blocks > 1)} of at most {n_qubits}, and each component of a block turns one qubit"
        f" {_axes(recipe)}."
    )
    falling = f", and by {recipe.decay:g} times as much from block to block" if recipe.decay < 1 else " in every block"
    said.append(
        f"The angle changes by {recipe.scale:g} rad per unit of a component{falling}; it is"
        f" {recipe.offset:g} rad where the component is {recipe.centre:g}."
    )
    if recipe.mixing:
        said.append(f"Each angle also holds {recipe.mixing:g} times the component one block later on the same qubit.")
    said.append(_entangling_sentence(recipe))
    if recipe.repeats > 1:
        said.append(f"The whole encoding is applied {recipe.repeats} times, from the first block on.")
    return said


def _axes(recipe: Recipe) -> str:
    if len(recipe.axes) == 1:
        return f"by {recipe.axes[0]}, about the {_ABOUT[recipe.axes[0]]} axis"
    return f"by {', '.join(recipe.axes[:-1])} and {recipe.axes[-1]} in turn from block to block"


def _entangling_sentence(recipe: Recipe) -> str:
    if recipe.entangler == "none":
        return "No gate joins the qubits, so that the state stays a product."
    rhythm = "After every block" if recipe.every == 1 else f"After every {recipe.every} blocks"
    angle = f" by {recipe.entangler_angle:g} rad" if recipe.entangler in TURNED else ""
    return f"{rhythm} except the last, {recipe.entangler} gates{angle} act {_LAYOUT[recipe.pattern]}."


def _reasons(recipe: Recipe, n_qubits: int, n_features: int) -> str:
    said = (
        "The angles are graded: after scaling to one range the late components are mostly noise, so they should"
        " move the state by little, whereas the early ones, which carry the classes, move it by much."
        " This keeps the overlaps of many features from falling to zero together."
        if recipe.decay < 1
        else "All components move the state alike, so that nothing is assumed about which of them matter."
        " The scale alone then sets how fast the overlap of two samples falls with their distance."
    )
    return f"{said} {_role_of_entanglement(recipe, n_qubits, n_features)}"


def _role_of_entanglement(recipe: Recipe, n_qubits: int, n_features: int) -> str:
    """What the entangling layers do to the kernel, which depends on the generators of the rotations that they move."""
    used = set(recipe.axes[: n_blocks(n_qubits, n_features)])
    axis = recipe.axes[0] if len(used) == 1 else None
    cancel = recipe.entangler in CANCELLING.get(axis, ())
    if cancel or not _entangling_gates(recipe, n_qubits, n_features):
        why = f"The {recipe.entangler} gates commute with all else and cancel" if cancel else "No gate joins the qubits"
        if axis:
            return f"{why}: components on one qubit add their angles, and the kernel depends on differences only."
        return f"{why}: the kernel is a product of one factor a qubit."
    if axis and recipe.entangler in KEEPING[axis]:
        return (
            f"The {recipe.entangler} gates turn {axis[1]} of one qubit into {axis[1]} of another or a product of"
            f" {axis[1]} over several, so that blocks do not merely add their angles; but all of these commute, and the"
            " kernel depends on differences of the components only, as a classical Fourier kernel does."
        )
    return (
        "The entangling layers turn the generators of the rotations into products over several qubits, which do not all"
        " commute with the next block's, so that two components on one qubit do not merely add their angles."
    )


def _entangling_gates(recipe: Recipe, n_qubits: int, n_features: int) -> int:
    layers = (recipe.repeats * n_blocks(n_qubits, n_features) - 1) // recipe.every
    return 0 if recipe.entangler == "none" else layers * len(pairs(recipe.pattern, n_qubits))
