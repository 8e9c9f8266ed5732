"""The graph of calibrations of one qubit: what depends on what, for how long it is trusted, how it is done again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Node:
    """One calibration.

    Attributes:
        name: of the node.
        depends_on: nodes that must be right for this one's data to mean anything.
        timeout: s of device time after which it is not trusted without a look at data.
        experiments: experiments that calibrate it; what they wrote to the settings tells when it was last done.
        steps: what calibrates it, in the short form, with 'dut' for the qubit.
        owns: whether it has parameters of its own. One that has not, like a benchmark, can only be wrong because
            something it depends on is: data out of spec are bad data for it.
    """

    name: str
    depends_on: tuple[str, ...]
    timeout: float
    experiments: tuple[str, ...]
    steps: tuple[str, ...]
    owns: bool = True

    def plan(self, qubit: str) -> dict[str, Any]:
        """The plan that calibrates it, as plain data."""
        title = f"{self.name.capitalize()} of {qubit}"
        return {"system": "lab_calibration", "title": title, "for": [qubit], "steps": list(self.steps)}


ONE_QUBIT: Mapping[str, Node] = {
    node.name: node
    for node in (
        Node(
            "readout",
            (),
            12 * HOUR,
            ("readout_calibration",),
            ("readout_calibration 'dut'. Repeat at most 3 times. If exhausted, go to FAILED",),
        ),
        Node(
            "frequency",
            ("readout",),
            1 * HOUR,
            ("ramsey", "qubit_spectroscopy"),
            (
                "ramsey 'dut', offset = 3 MHz, stop = 0.5 us. Repeat at most 5 times. If exhausted, go to FAILED",
                "ramsey 'dut', offset = 0.1 MHz, stop = 50 us. Repeat at most 3 times. If exhausted, go to FAILED",
            ),
        ),
        Node(
            "amplitude",
            ("readout", "frequency"),
            1 * HOUR,
            ("amplitude_pingpong", "rabi"),
            (
                "amplitude_pingpong 'dut'. Repeat at most 2 times. If success, go to COMPLETE. If exhausted, go to next"
                "",
                "rabi 'dut'. Repeat at most 3 times. If exhausted, go to FAILED",
                "amplitude_pingpong 'dut'. Repeat at most 2 times. If exhausted, go to FAILED",
            ),
        ),
        Node(
            "drag",
            ("frequency", "amplitude"),
            12 * HOUR,
            ("drag_calibration",),
            (
                "drag_calibration 'dut'. Repeat at most 3 times. If exhausted, go to FAILED",
                "amplitude_pingpong 'dut'. Repeat at most 2 times. If exhausted, go to FAILED",
            ),
        ),
        Node(
            "gates",
            ("frequency", "amplitude", "drag"),
            4 * HOUR,
            ("single_qubit_rb",),
            ("Benchmark single qubit 'dut'. If failed, go to FAILED",),
            owns=False,
        ),
    )
}


# What a qubit gets that was never calibrated, or that cannot be mended node by node.
WHOLE = Node(
    "whole",
    (),
    float("inf"),
    (),
    ("Bring up 'dut'. If failed, go to FAILED",),
)


def in_order(graph: Mapping[str, Node]) -> list[str]:
    """The nodes, each behind those it depends on.

    Raises:
        ValueError: a circle, or a dependency that is no node.
    """
    done: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above or name not in graph:
            raise ValueError(f"The calibration graph has a circle or a gap at {name!r}.")
        for each in graph[name].depends_on:
            visit(each, (*above, name))
        if name not in done:
            done.append(name)

    for name in graph:
        visit(name, ())
    return done
