"""A diagnosis: looks at a qubit that could not be calibrated until its causes are named.

The order of the looks is that of expected bits a device second, or any other; what each says is weighed the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass

from labwright.tools.errors import SafetyStop
from labwright.tools.experiments.base import Bench
from labwright.tools.upkeep.causes import Belief, Causes, table
from labwright.tools.upkeep.diagnostic_looks import Measured, Scene, taken

SURE = 0.95  # probability of a set of causes at which the diagnosis ends
FEWEST_BITS = 0.02  # a look that is expected to tell less is not worth taking
MOST_LOOKS = 16
# The belief, and the looks that may be taken with their device seconds and the share of what there is that they see.
Choose = Callable[[Belief, dict[str, tuple[float, float]]], str]


@dataclass(frozen=True, slots=True)
class Taken:
    """One look: what it measured, and what was believed most after it."""

    look: str
    measured: Measured
    best: Causes
    probability: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What came of it.

    Attributes:
        causes: the most probable set; `probability` is its own.
        updates: settings that put right what was found, to be written.
        taken: the looks in order.
    """

    causes: Causes
    probability: float
    singly: dict[str, float]
    updates: dict[str, float]
    taken: tuple[Taken, ...]
    acquisitions: int
    seconds: float
    clock: float = 0.0

    @property
    def sure(self) -> bool:
        """Whether it is probable enough to act on."""
        return self.probability >= SURE


def by_bits(belief: Belief, open_: dict[str, tuple[float, float]]) -> str:
    """The look with the most expected bits a device second; empty if none is worth it."""
    bits = {look: belief.gain(look, share) for look, (_, share) in open_.items()}
    worth = [look for look in open_ if bits[look] >= FEWEST_BITS]
    return max(worth, key=lambda look: bits[look] / open_[look][0], default="")


def diagnose(
    bench: Bench,
    qubit: str,
    cases: Iterable[Iterable[str]] = (),
    choose: Choose = by_bits,
    most_seconds: float = 1500.0,
) -> Diagnosis:
    """Look at `qubit` until one set of causes is probable, nothing tells more, or the device time is spent.

    Args:
        bench: the device; the keys of its acquisitions follow from their order.
        qubit: which.
        cases: causes of earlier diagnoses that began alike.
        choose: the next look.
        most_seconds: device time from which on no look is begun.

    Raises:
        SafetyStop: the device may play no more; the message has the looks so far and the causes still open.
    """
    given = bench.settings(qubit)
    scene, belief = Scene(bench, qubit, given, given), Belief.at_first(cases)
    log: list[Taken] = []
    done: dict[str, frozenset[str]] = {}  # look -> what was repaired when it was taken
    while belief.best[1] < SURE and bench.seconds < most_seconds and len(log) < MOST_LOOKS:
        open_ = _open(belief, scene, done)
        look = choose(belief, open_)
        if not look:
            break
        before, done[look] = scene.watched, belief.repaired
        try:
            measured = taken(look, scene)
        except SafetyStop as spent:
            looks = ", ".join(each.look for each in log) or "none"
            raise SafetyStop(f"{spent} Looks at {qubit} so far: {looks}. {still_open(belief.singly)}") from spent
        belief = _weighed(belief, look, measured, (scene.watched - before) / max(1 - before, 1e-9))
        log.append(Taken(look, measured, *belief.best))
    return _ended(belief, scene, tuple(log))


def still_open(singly: Mapping[str, float]) -> str:
    """A sentence: the causes that are not ruled out with their probability, the most probable first."""
    left = sorted((name for name in singly if singly[name] > 1 - SURE), key=lambda name: -singly[name])
    named = ", ".join(f"{name} ({100 * singly[name]:.0f} %)" for name in left)
    return f"Causes still open: {named}." if named else "None of the known causes is probable."


def _open(belief: Belief, scene: Scene, done: dict[str, frozenset[str]]) -> dict[str, tuple[float, float]]:
    """The looks that may tell something new: not taken yet, or what hid them was put right since."""
    found = {}
    for name, look in table()[1].items():
        if name == "again":
            if scene.fringes and scene.watched < 0.99 and "frequency_jump" not in belief.repaired:
                found[name] = (look.seconds, min(1.0, 0.25 / (1 - scene.watched)))
        elif name in ("decay", "echo") and not scene.axis:
            continue
        elif name not in done or (belief.repaired - done[name]) & _spoils(name):
            found[name] = (look.seconds * max(1.0, scene.louder if scene.axis else 1.0), 1.0)
    return found


def _spoils(look: str) -> set[str]:
    """The causes with which a look sees nothing, or something else."""
    causes, looks = table()
    return {*looks[look].blinded_by, *(each for one in causes.values() if one.look == look for each in one.hidden_by)}


def _weighed(belief: Belief, look: str, measured: Measured, share: float) -> Belief:
    """The belief after a look."""
    causes = {name: cause for name, cause in table()[0].items() if cause.look == look and measured}
    beyond = {name: cause.beyond(*measured[cause.quantity]) for name, cause in causes.items()}
    return belief.after(look, beyond, min(share, 1.0) if look == "again" else 1.0)


def _ended(belief: Belief, scene: Scene, taken: tuple[Taken, ...]) -> Diagnosis:
    best, probability = belief.best
    writes = {name for cause in best for name in table()[0][cause].writes}
    now, before = asdict(scene.settings), asdict(scene.given)
    updates = {name: now[name] for name in sorted(writes) if now[name] != before[name]}
    bench = scene.bench
    return Diagnosis(
        best, probability, belief.singly, updates, taken, bench.acquisitions, bench.seconds, bench.device.clock
    )
