"""The graph of calibrations of one qubit: what depends on what, for how long it is trusted, how it is done again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Node:
    """One calibration.

    Attributes:
        name: of the node.
        depends_on: nodes that must be right for this one's data to mean anything.
        timeout: s of device time after which it is not trusted without a look at data.
        experiments: experiments that calibrate it; what they wrote to the settings tells when it was last done.
        steps: the procedure that calibrates it, in the words of a procedure document, with 'dut' for the qubit.
        owns: whether it has parameters of its own. One that has not, like a benchmark, can only be wrong because
            something it depends on is: data out of spec are bad data for it.
    """

    name: str
    depends_on: tuple[str, ...]
    timeout: float
    experiments: tuple[str, ...]
    steps: tuple[str, ...]
    owns: bool = True

    def procedure(self, title: str = "") -> str:
        """The document that calibrates it."""
        steps = "\n".join(f"- {step}" for step in self.steps)
        return f"# {title or self.name.capitalize()} of 'dut'\n## Steps\n{steps}\n"


PINGPONG = "Fine-tune the pulse amplitude of 'dut' with ping-pong."
ONE_QUBIT: Mapping[str, Node] = {
    node.name: node
    for node in (
        Node(
            "readout",
            (),
            12 * HOUR,
            ("readout_calibration",),
            (
                "Calibrate the readout of 'dut'. If the states are not separated, repeat with the suggested parameters,"
                " at most 3 times. If it fails again, go to FAILED. Otherwise go to COMPLETE.",
            ),
        ),
        Node(
            "frequency",
            ("readout",),
            1 * HOUR,
            ("ramsey", "qubit_spectroscopy"),
            (
                "Run a Ramsey experiment on 'dut' with a frequency offset of 3 MHz and a stop time of 0.5 us. If fewer"
                " than 3 oscillations are seen, repeat with a longer stop time. If the frequency is not known to 5 kHz,"
                " repeat with a stop time 3 to 4 times longer. Repeat at most 5 times. If it fails again, go to"
                " FAILED.",
                "Run a final Ramsey experiment on 'dut' with a frequency offset of 0.1 MHz and a stop time of 50 us. If"
                " it is not precise enough, repeat with the suggested parameters, at most 3 times. If it fails again,"
                " go to FAILED. Otherwise go to COMPLETE.",
            ),
        ),
        Node(
            "amplitude",
            ("readout", "frequency"),
            1 * HOUR,
            ("amplitude_pingpong", "rabi"),
            (
                f"{PINGPONG} If it does not converge, repeat at most 2 times. If it fails again, go to the next stage"
                " in any case. On success, go to COMPLETE.",
                "Run a Rabi experiment on 'dut' to find the amplitude of the pi pulse. If the fit is poor, repeat with"
                " the suggested parameters, at most 3 times. If it fails again, go to FAILED.",
                f"{PINGPONG} If it does not converge, repeat at most 2 times. If it fails again, go to FAILED."
                " Otherwise go to COMPLETE.",
            ),
        ),
        Node(
            "drag",
            ("frequency", "amplitude"),
            12 * HOUR,
            ("drag_calibration",),
            (
                "Calibrate the DRAG coefficient of 'dut'. If the optimum is outside the central half of the sweep,"
                " repeat with the suggested parameters, at most 3 times. If it fails again, go to FAILED.",
                f"{PINGPONG} If it does not converge, repeat at most 2 times. If it fails again, go to FAILED."
                " Otherwise go to COMPLETE.",
            ),
        ),
        Node(
            "gates",
            ("frequency", "amplitude", "drag"),
            4 * HOUR,
            ("single_qubit_rb",),
            ("Benchmark single qubit 'dut'. If it fails, go to FAILED. Otherwise go to COMPLETE.",),
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
    ("Bring up 'dut'. If it fails, go to FAILED. Otherwise go to COMPLETE.",),
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
