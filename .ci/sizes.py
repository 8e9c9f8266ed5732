"""What core installs: each package of requirements.lock with its size, largest first, and what asks for it."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Print a line for each package that takes more than 10 MB, and the sum."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    core = {line.partition("==")[0] for line in lines if "==" in line}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked: dict[str, set[str]] = {
        canonicalize_name(Requirement(one).name): {"labwright"} for one in project["dependencies"]
    }
    sizes: dict[str, float] = {}
    for each in metadata.distributions():
        name = canonicalize_name(each.name)
        if name not in core:
            continue
        files = [Path(str(file.locate())) for file in each.files or [] if file.suffix != ".pyc"]
        sizes[name] = sum(file.stat().st_size for file in files if file.is_file()) / 1e6
        for need in map(Requirement, each.requires or []):
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                asked.setdefault(canonicalize_name(need.name), set()).add(name)
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        if size > 10:
            print(f"{size:6.0f} MB  {name}  ({', '.join(sorted(asked.get(name, {'?'})))})")
    print(f"{sum(sizes.values()):6.0f} MB  {len(sizes)} packages")


if __name__ == "__main__":
    main()
