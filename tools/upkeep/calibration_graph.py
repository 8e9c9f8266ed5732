"""The graph of calibrations: what depends on what, for how long it is trusted, how it is done again.

It follows from what the experiments need and write (`tools/experiments/needs.py`); only how each group of settings is
measured is written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.needs import HOUR, Need
from labwright.tools.experiments.registry import experiments

UNTOLD = 4 * HOUR  # for which what no other node needs, such as a benchmark, is trusted


@dataclass(frozen=True, slots=True)
class Node:
    """One calibration.

    Attributes:
        name: of the node.
        depends_on: nodes that must be right for this one's data to mean anything.
        timeout: s of device time after which it is not trusted without a look at data.
        experiments: experiments that calibrate it, the usual one first; what they wrote tells when it was last done.
        steps: what calibrates it, in the short form, with 'dut' for the qubit, or 'qubit' and 'partner'.
        owns: whether it has parameters of its own. One that has not, like a benchmark, can only be wrong because
            something it depends on is: data out of spec are bad data for it.
        settings: its parameters.
        pair: whether they are those of a pair.
    """

    name: str
    depends_on: tuple[str, ...]
    timeout: float
    experiments: tuple[str, ...]
    steps: tuple[str, ...]
    owns: bool = True
    settings: tuple[str, ...] = ()
    pair: bool = False

    def plan(self, qubit: str) -> dict[str, Any]:
        """The plan that calibrates it, as plain data."""
        title = f"{self.name.capitalize()} of {qubit}"
        return {"system": "lab_calibration", "title": title, "for": [qubit], "steps": list(self.steps)}

    def gives(self, need: Need) -> bool:
        """Whether it calibrates what is needed."""
        return self.pair == need.pair and set(need.settings) <= set(self.settings)


ELSE = "If exhausted, go to FAILED"
# Node -> (the experiment whose needs are the node's, the steps that calibrate it).
ROUTINES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "readout": ("readout_calibration", (f"readout_calibration 'dut'. Repeat at most 3 times. {ELSE}",)),
    "frequency": (
        "ramsey",
        (
            f"ramsey 'dut', offset = 3 MHz, stop = 0.5 us. Repeat at most 5 times. {ELSE}",
            f"ramsey 'dut', offset = 0.1 MHz, stop = 50 us. Repeat at most 3 times. {ELSE}",
        ),
    ),
    "amplitude": (
        "amplitude_pingpong",
        (
            "amplitude_pingpong 'dut'. Repeat at most 2 times. If success, go to COMPLETE. If exhausted, go to next",
            f"rabi 'dut'. Repeat at most 3 times. {ELSE}",
            f"amplitude_pingpong 'dut'. Repeat at most 2 times. {ELSE}",
        ),
    ),
    "drag": (
        "drag_calibration",
        (
            f"drag_calibration 'dut'. Repeat at most 3 times. {ELSE}",
            f"amplitude_pingpong 'dut'. Repeat at most 2 times. {ELSE}",
        ),
    ),
    "gates": ("single_qubit_rb", ("Benchmark single qubit 'dut'. If failed, go to FAILED",)),
    "stark": ("sizzle_search", ("sizzle_search 'qubit', 'partner'. If failed, go to FAILED",)),
    "cz": ("stark_echo_tuneup", (f"stark_echo_tuneup 'qubit', 'partner'. Repeat at most 2 times. {ELSE}",)),
}


def on_pair(kind: type[Experiment]) -> bool:
    """Whether what it writes are settings of a pair."""
    return "partner" in kind.run.__annotations__


def graph_of(kinds: Mapping[str, type[Experiment]]) -> dict[str, Node]:
    """The calibrations of a qubit and of a pair, by name, as the needs of `kinds` have it."""
    usual = {name: kinds[each] for name, (each, _) in ROUTINES.items()}
    bare = {
        name: Node(name, (), UNTOLD, (), ROUTINES[name][1], bool(kind.writes), kind.writes, on_pair(kind))
        for name, kind in usual.items()
    }
    found = {}
    for name, node in bare.items():
        fresh = [need for need in usual[name].needs if need.age is not None]
        needed = [need.age for kind in usual.values() for need in kind.needs if need.age and node.gives(need)]
        more = [
            each.name
            for each in kinds.values()
            if each is not usual[name] and on_pair(each) == node.pair and set(each.writes) & set(node.settings)
        ]
        found[name] = replace(
            node,
            depends_on=tuple(other for other in bare if any(bare[other].gives(need) for need in fresh)),
            timeout=min(needed, default=UNTOLD),
            experiments=(usual[name].name, *more),
        )
    return found


ONE_QUBIT: Mapping[str, Node] = {name: node for name, node in graph_of(experiments()).items() if not node.pair}

# What a qubit gets that was never calibrated, or that cannot be calibrated node by node.
WHOLE = Node("whole", (), float("inf"), (), ("Bring up 'dut'. If failed, go to FAILED",))


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
