"""The first screen's cards: examples of `labwright new`, or a line of the short form, to be run at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from labwright.tools.specifications.examples import example

PICTURES = Path(__file__).parent / "pictures"


@dataclass(frozen=True, slots=True)
class Recipe:
    """One card.

    Attributes:
        picture: stem of the file in `PICTURES`.
        takes: parameters, as a person would change them.
        seconds: wall time of one run on two cores, as measured.
        system, kind: of the example that it runs; no kind where `text` is the whole request.
    """

    title: str
    line: str
    picture: str
    takes: str
    seconds: float
    system: str
    kind: str = ""
    text: str = ""

    @property
    def request(self) -> str:
        """What is run."""
        return self.text or example(self.system, self.kind)

    @property
    def form(self) -> str:
        """The page on which it can be changed first."""
        return f"/new/{self.system}?kind={self.kind or self.system}"


RECIPES = (
    Recipe(
        "Calibrate a qubit",
        "Ramsey, Rabi, DRAG and randomized benchmarking, each repeated until it is good.",
        "calibration",
        "qubit Q1 of the simulated processor, 12 to 15 measurements",
        18.0,
        "calibration",
        text="Calibrate qubit Q1 and benchmark it",
    ),
    Recipe(
        "Search a quantum feature map",
        "Encoding circuits for handwritten digits, tuned and compared with classical and quantum kernels.",
        "search",
        "10 qubits, 10 trials of 2 maps, 40 kernel evaluations",
        99.0,
        "search",
        "search",
    ),
    Recipe(
        "Compute with tested tools",
        "A Bell pair under depolarizing noise: correlators and fidelity of 4096 shots, by tested tools.",
        "task",
        "2 qubits, noise 0, 0.05 and 0.1",
        13.5,
        "task",
        "circuit",
    ),
    Recipe(
        "Plan a calibration series",
        "Caffeine in water at five levels: volumes, vials, plate map and the files of the liquid handler.",
        "protocol",
        "0.1 to 2 mM, 3 replicates, 1 mL",
        5.0,
        "protocol",
        "calibration",
    ),
)
