"""Pin what is installed, with the hashes of every platform's files: requirements.lock and requirements-dev.lock.

uv resolves for all platforms at once, held to the versions that are installed here, and takes the hashes from the
index. The files hold names, versions, markers and hashes and no address.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

PROJECT = "labwright"
ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Pinned by `make lock`. Do not edit.\n"
OLDEST = "3.11"  # Python
DEV = ("test", "studio", "dev")


def locked(extras: tuple[str, ...]) -> dict[str, str]:
    """Package -> its line, for the project with `extras` on every platform."""
    tool = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if tool is None:
        sys.exit("uv is missing: pip install uv")
    with tempfile.TemporaryDirectory() as folder:
        constraints, made = Path(folder) / "installed.txt", Path(folder) / "made.txt"
        installed = {each.name: each.version for each in metadata.distributions() if each.name != PROJECT}
        constraints.write_text("".join(f"{name}=={version}\n" for name, version in sorted(installed.items())))
        command = [tool, "pip", "compile", "pyproject.toml", "--quiet", "--universal", "--generate-hashes"]
        command += ["--no-annotate", "--no-header", "--python-version", OLDEST]
        command += ["--constraint", str(constraints), "--output-file", str(made)]
        command += [word for extra in extras for word in ("--extra", extra)]
        subprocess.run(command, cwd=ROOT, check=True)
        lines = made.read_text().replace(" \\\n   ", "").splitlines()
    return {line.partition("==")[0]: f"{line}\n" for line in lines if "==" in line}


def main() -> None:
    """Write both files."""
    core = locked(())
    (ROOT / "requirements.lock").write_text(HEADER + "".join(core.values()))
    more = {name: line for name, line in locked(DEV).items() if name not in core}
    (ROOT / "requirements-dev.lock").write_text(HEADER + "".join(more.values()))


if __name__ == "__main__":
    main()
