"""Compare the locked packages with the database of known vulnerabilities, and say how many could be compared.

pip-audit ends well where the database knows nothing of a package or cannot be reached; then nothing was audited, and
this says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.lock", "requirements-dev.lock")


def main() -> int:
    """0: no vulnerability is known; 1: some are; 2: nothing could be compared."""
    files = [word for name in LOCKS for word in ("--requirement", str(ROOT / name))]
    command = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--format", "json", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        print(f"Not audited: {_cause(done.stderr)}.")
        return 2
    compared = [each for each in found if "skip_reason" not in each]
    for each in compared:
        for one in each["vulns"]:
            print(f"{each['name']} {each['version']}: {one['id']}, fixed in {', '.join(one['fix_versions']) or 'none'}")
    if not compared:
        print(f"Not audited: the database knows none of {len(found)} packages, or cannot be reached.")
        return 2
    print(f"{len(compared)} of {len(found)} packages were compared with the database.")
    return int(any(each["vulns"] for each in compared))


def _cause(said: str) -> str:
    """Why pip-audit gave no result, from what it said."""
    if "No module named pip_audit" in said:
        return "pip-audit is not installed; `make audit` in a checkout installs it"
    last = said.strip().splitlines()[-1:] or ["it says nothing"]
    return f"the database of vulnerabilities cannot be reached, or pip-audit fails ({last[0].strip()[:300]})"


if __name__ == "__main__":
    sys.exit(main())
