"""Portions that vials get from other vials of the plates (`from_vials`): which gives, to which, how much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.deck_sources import Cupboard
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign, Group
from labwright.tools.liquid_handler.factor_combinations import Combination, combinations
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.required_data import additions_to, sources_of
from labwright.tools.liquid_handler.vial_treatments import Condition


@dataclass(slots=True)
class Flow:
    """What one vial gets from others, and gives to others, by the number of the condition.

    Attributes:
        into: the vial that gives (its place in the design's order), and uL.
        out: uL.
    """

    into: dict[int, tuple[int, float]] = field(default_factory=dict)
    out: dict[int, float] = field(default_factory=dict)

    @property
    def volume(self) -> float:
        """uL that the vial gets in all."""
        return sum(volume for _, volume in self.into.values())

    def net(self, condition: int) -> float:
        """uL by which the vial is fuller after a condition."""
        return self.into.get(condition, (0, 0.0))[1] - self.out.get(condition, 0.0)


def flows(design: ExperimentDesign) -> Mapping[int, Flow]:
    """The flow of every vial, by its place in the design's order.

    Raises:
        InputError: the vials that give cannot be told off to those that get, or an amount is no volume.
    """
    found: defaultdict[int, Flow] = defaultdict(Flow)
    portions = [(index, one) for index, one in enumerate(design.conditions) if one.from_vials]
    if not portions:
        return found
    vials = [(group, each) for group in design.groups for each in combinations(group)]
    for index, one in portions:
        origins = [at for at, (group, _) in enumerate(vials) if group.name == one.from_vials]
        targets = [at for at, (group, _) in enumerate(vials) if one.concerns(group.name)]
        if not origins or len(targets) % len(origins):
            raise InputError(
                f"{len(targets)} vials get portions of the {len(origins)} of group {one.from_vials!r}. Let one vial"
                " give to all, or each to as many as any other."
            )
        each = len(targets) // len(origins)
        for number, target in enumerate(targets):
            origin, volume = origins[number // each], _volume(one, vials[target][1])
            if volume > 0:
                found[target].into[index] = (origin, volume)
                found[origin].out[index] = found[origin].out.get(index, 0.0) + volume
    return found


def _volume(one: Condition, combination: Combination) -> float:
    stated = one.amount or combination.levels.get(str(one.factor))
    if not isinstance(stated, Stated) or stated.measures != "volume" or stated.value < 0:
        raise InputError(f"A portion of the vials of {one.from_vials!r} is a volume above 0, but {stated} is given.")
    return stated.to("uL")


def carried(design: ExperimentDesign, group: Group, seen: frozenset[str] = frozenset()) -> list[str]:
    """Names of the sources that stand in what a group's vials get from other vials."""
    givers = {one.from_vials for one in design.conditions if one.from_vials and one.concerns(group.name)}
    found: list[str] = []
    for other in design.groups:
        if other.name not in givers - seen:
            continue
        found += [name for dose in other.doses for name in sources_of(dose, other)]
        found += [name for added in additions_to(other, design) for name in sources_of(added, other)]
        found += [other.serial.diluent] if other.serial else []
        found += carried(design, other, seen | {other.name})
    return list(dict.fromkeys(found))


def demand_plain(condition: Condition, combination: Combination, brought: list[str], cupboard: Cupboard) -> None:
    """Equivalents count what the sources bring, not what comes with a portion.

    Raises:
        InputError: a portion brings the reference.
    """
    level = combination.levels.get(condition.reference or "")
    reference = level if isinstance(level, str) else condition.reference or ""
    if any(cupboard.materials[name].composition.get(reference, 0.0) for name in brought if name in cupboard.materials):
        raise InputError(
            f"{condition.substance!r} counts equivalents of {reference!r}, which comes with a portion of other vials."
            " Give the amount as moles, a mass or a volume."
        )
