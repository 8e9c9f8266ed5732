"""The corpora of feature maps, and PennyLane as the judge."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from labwright.tools.feature_maps.candidate_loading import install_qxmt, instance_of, load_class

HERE = Path(__file__).parent
FRAME = """\
import numpy as np
import pennylane as qml
from qxmt.constants import PENNYLANE_PLATFORM
from qxmt.feature_maps import BaseFeatureMap


class Candidate(BaseFeatureMap):
    def __init__(self, n_qubits: int, c: float = 1.0) -> None:
        super().__init__(PENNYLANE_PLATFORM, n_qubits)
        self.c = c

    def feature_map(self, x: np.ndarray) -> None:
"""


@dataclass(frozen=True)
class Case:
    name: str
    expected: str
    source: str


def framed(body: str) -> str:
    """The body of ``feature_map`` as a module; lines that begin with ! are a module by themselves."""
    lines = body.rstrip().split("\n")
    if lines[0].startswith("!"):
        return "\n".join(line[1:] for line in lines) + "\n"
    return FRAME + "".join(f"        {line}\n" for line in lines)


def cases(file: str) -> list[Case]:
    """Blocks of a file: a heading ``## name | expected``, then code."""
    found = []
    for block in (HERE / file).read_text().split("## ")[1:]:
        heading, body = block.split("\n", 1)
        name, expected = heading.split(" | ")
        found.append(Case(name, expected.strip(), framed(body)))
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    files = {"illegal": "illegal.maps", "legal": "legal.maps", "attack": "attacks.maps", "fake": "fakes.maps"}
    for argument, file in files.items():
        if argument in metafunc.fixturenames:
            every = 8 if argument in ("attack", "fake") else 4  # each goes through the sandbox: a few by default
            metafunc.parametrize(
                argument,
                [
                    pytest.param(case, id=case.name, marks=pytest.mark.slow if number % every else ())
                    for number, case in enumerate(cases(file))
                ],
            )


@pytest.fixture(scope="session")
def kernel_of_the_code():
    """|<x|y>|^2 with the code run by PennyLane's own device: these corpora are ours, so here they run unconfined."""
    import pennylane as qml

    def kernel(source, n_qubits, samples):
        install_qxmt()
        feature_map = instance_of(load_class(source), n_qubits, {})

        @qml.qnode(qml.device("default.qubit", wires=n_qubits))
        def state(x):
            feature_map.feature_map(x)
            return qml.state()

        states = np.array([state(x) for x in samples])
        return np.abs(states @ states.conj().T) ** 2

    return kernel


@pytest.fixture(scope="session")
def frame():
    """Turns the body of ``feature_map`` into a module."""
    return framed
