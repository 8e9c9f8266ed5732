"""Writes the ``expected.yaml`` of each task of the set ``wording`` from its reference.

``python -m labwright.evaluation.forge.references.wording.build`` writes all; with parts of names only those.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import yaml

from labwright.evaluation.forge.expected import NAME, Expectation
from labwright.evaluation.forge.references.wording import chains, chemistry, circuits, open_systems
from labwright.evaluation.forge.references.wording.entries import Plain
from labwright.evaluation.forge.tasks import CASES

Reference = Callable[[], Plain]
TASKS: Mapping[str, Reference] = {**open_systems.TASKS, **circuits.TASKS, **chains.TASKS, **chemistry.TASKS}


def text(found: Plain) -> str:
    """As YAML, lists of numbers on one line; checked against the form."""
    plain = Expectation.model_validate(found).model_dump(mode="json", exclude_defaults=True)
    return str(yaml.dump(plain, sort_keys=False, default_flow_style=None, width=160))


def build(tasks: Mapping[str, Reference], names: Sequence[str], folder: Path) -> None:
    """Write those whose name holds one of `names`; all without names."""
    for task, reference in tasks.items():
        if not names or any(name in task for name in names):
            begun = time.monotonic()
            (folder / task / NAME).write_text(text(reference()), encoding="utf-8")
            sys.stderr.write(f"{task}: {time.monotonic() - begun:.1f} s\n")


if __name__ == "__main__":
    build(TASKS, sys.argv[1:], CASES / "wording")
