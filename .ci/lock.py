"""Pin what is installed: writes requirements.lock (core) and requirements-dev.lock (test, studio, dev extras).

The closure is read from installed metadata, so the files hold names and versions and no address.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = "labwright"
ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Pinned by `make lock`. Do not edit.\n"

Edges = dict[str, set[str]]  # package -> the markers under which something needs it; "" is always


def closure(extras: set[str]) -> Edges:
    """Every package that the project with `extras` needs on this machine, and under which markers."""
    found: Edges = {}
    todo = [(PROJECT, frozenset(extras))]
    seen = set(todo)
    while todo:
        name, wanted = todo.pop()
        for line in metadata.requires(name) or []:
            need = Requirement(line)
            if not applies(need.marker, wanted):
                continue
            target = canonicalize_name(need.name)
            found.setdefault(target, set()).add(environment_of(need.marker))
            step = (target, frozenset(need.extras))
            if step not in seen:
                seen.add(step)
                todo.append(step)
    found.pop(PROJECT, None)
    return found


def applies(marker: Marker | None, extras: frozenset[str]) -> bool:
    """Whether `marker` holds here with any of `extras`."""
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""})


def environment_of(marker: Marker | None) -> str:
    """The part of `marker` that speaks of the machine; empty if it speaks of the extra alone."""
    text = str(marker or "")
    if "extra" not in text:
        return text
    parts = [part for part in text.split(" and ") if "extra" not in part]
    return "" if " or " in text else " and ".join(parts)


def pins(edges: Edges) -> str:
    """One line a package. A package that is needed only under markers keeps them."""
    lines = []
    for name in sorted(edges):
        markers = edges[name]
        condition = "" if "" in markers else " ; " + " or ".join(f"({marker})" for marker in sorted(markers))
        lines.append(f"{name}=={metadata.version(name)}{condition}\n")
    return HEADER + "".join(lines)


def main() -> None:
    """Write both files."""
    core = closure(set())
    everything = closure({"test", "studio", "dev"})
    (ROOT / "requirements.lock").write_text(pins(core))
    extra = {name: markers for name, markers in everything.items() if name not in core}
    (ROOT / "requirements-dev.lock").write_text(pins(extra))


if __name__ == "__main__":
    main()
