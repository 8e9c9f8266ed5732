"""Make the peers' environments: ``python -m labwright.evaluation.peers.environments [FOLDER]``, with pip.

Each has pins of its own that are not Labwright's. What is installed beside Labwright (`labwright[test]`) needs none.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path("peers")
PACKAGES = {
    "dynamiqs": ("dynamiqs==0.3.7",),
    "qibo": ("qibo==0.3.6", "qibojit==0.1.17"),
    "opentrons": ("opentrons==9.1.2",),
}


def make(folder: Path) -> None:
    """One virtual environment a peer; one that is there is left as it is."""
    for name, packages in PACKAGES.items():
        python = folder / name / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder / name)], check=True)
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
