"""The scripts of a task of exciton dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from labwright.tools.forge.tasks.base import Script
from labwright.tools.forge.tasks.beside import script
from labwright.tools.forge.tasks.heom.spec import HeomSpec

KERNEL = Path(__file__).parent / "kernel"


def scripts(spec: HeomSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """First a shallow hierarchy with and without terminator, then the task."""
    given = spec.model_dump(mode="json")
    # a step of the integration touches each operator; about 60 s for 12650 operators of seven sites at 77 K, 130 at 300 K
    size = spec.operators(spec.depth) * len(spec.hamiltonian) ** 2
    wall, memory = 2.5e-3 * size * len(spec.cases) * spec.duration / 1000, 1500 + size * 16 * 60 // 1_000_000
    return [
        script("Try a shallow hierarchy.", KERNEL, imports, given, "shallow", subset=True, wall_seconds=300.0),
        script(
            "Propagate the task's hierarchy.", KERNEL, imports, given, wall_seconds=max(600.0, wall), memory_mb=memory
        ),
    ]
