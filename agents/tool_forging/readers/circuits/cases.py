"""The cases of a circuit task: each value of a swept angle with each setting of the noise."""

from __future__ import annotations

import math
import re
from itertools import product
from typing import Any

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.circuits.circuit import Circuit
from labwright.agents.tool_forging.readers.circuits.degrees import told_in_degrees
from labwright.agents.tool_forging.readers.circuits.gates import SpokenGate
from labwright.agents.tool_forging.readers.circuits.noise import SpokenNoise
from labwright.tools.forge.families.circuits.spec import Case, Gate, Noise


def cases_of(
    circuit: Circuit, spoken: list[SpokenGate | Gate], noise: list[tuple[SpokenNoise, Noise]], n: int
) -> list[Case] | Question:
    angles = swept_angle(circuit, spoken)
    if isinstance(angles, Question):
        return angles
    name, values = angles
    compare = len(noise) > 1 and re.search(
        (
            r"\bcompar\w+|\bversus\b|\bseparately\b|\beither\b|\beach (?:of the )?(?:channel|kind|type)|one "
            r"at a time|three channels|two channels|for each channel"
        ),
        circuit.text,
        re.I,
    )
    sets: list[tuple[dict[str, Any], list[Noise]]] = []
    if compare:
        for one, channel in noise:
            sets += [
                ({"channel": one.kind, "noise": v}, [channel.model_copy(update={"probability": v * one.factor})])
                for v in one.values
            ]
    else:
        swept = [one for one, _ in noise if len(one.values) > 1]
        lengths = {one.values for one in swept}
        if len(lengths) > 1:
            return Question(
                text=(
                    "Several kinds of noise have several values. Do they vary together, or is each pair of "
                    "values a case?"
                )
            )
        for k in range(len(swept[0].values) if swept else 1):
            channels = [
                c.model_copy(update={"probability": o.factor * (o.values[k] if len(o.values) > 1 else o.values[0])})
                for o, c in noise
            ]
            labels: dict[str, Any] = {"noise": swept[0].values[k]} if swept else {}
            sets.append((labels, channels))
    made = []
    for value, (labels, channels) in product(values, sets):
        own = {name: _as_told(circuit, name, value)} if name else {}
        made.append(
            Case(
                labels={**own, **labels},
                gates=[gate(circuit, one, {name: value} if name else {}) for one in spoken],
                noise=channels,
            )
        )
    return made


def swept_angle(circuit: Circuit, spoken: list[SpokenGate | Gate]) -> tuple[str, list[float]] | Question:
    free = {name for one in spoken if isinstance(one, SpokenGate) and one.angle for name in one.angle.names}
    for name in free:
        if name not in circuit.sets:
            return Question(text=f"What is the value of the angle {name}?")
    swept = [name for name in free if len(circuit.sets[name]) > 1]
    if len(swept) > 1:
        return Question(text=f"Several angles have several values ({', '.join(swept)}). Which combinations are meant?")
    told = [one for one in circuit.found if one.key in free]
    circuit.used += [(one.start, one.end) for one in told]
    for one in told:
        degrees = told_in_degrees(circuit.body.original(one.start, one.end))
        circuit.angle_units[one.key] = "deg" if degrees else "rad"
    return (swept[0], circuit.sets[swept[0]]) if swept else ("", [0.0])


def _as_told(circuit: Circuit, name: str, value: float) -> float:
    """An angle in the task's own unit, as the results call it."""
    return round(math.degrees(value), 10) if circuit.angle_units.get(name) == "deg" else value


def gate(circuit: Circuit, one: SpokenGate | Gate, values: dict[str, float]) -> Gate:
    if isinstance(one, Gate):
        return one
    names = {name: found[0] for name, found in circuit.sets.items()} | values
    return Gate(name=one.name, qubits=list(one.qubits), value=one.angle.value(names) if one.angle else None)
