"""One driver at a time, and a dead one blocks nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from labwright.tools.errors import LeaseError
from labwright.tools.process_file_lock import Lease, holder_of

HOLD = """
import sys
from pathlib import Path
from labwright.tools.process_file_lock import Lease
lease = Lease(Path(sys.argv[1]), "Run r").acquire()
print(lease.token, flush=True)
sys.stdin.read()
"""


def test_second_driver_is_told_who_drives(tmp_path: Path) -> None:
    path = tmp_path / "lease"
    with Lease(path, "Run r"):
        with pytest.raises(LeaseError, match=rf"Run r is driven by process {os.getpid()} .*pause it"):
            Lease(path, "Run r").acquire()
        assert holder_of(path) == os.getpid()
    assert holder_of(path) is None


def test_nobody_holds_what_never_was(tmp_path: Path) -> None:
    assert holder_of(tmp_path / "lease") is None


def test_killed_driver_leaves_the_lease_and_tokens_rise(tmp_path: Path) -> None:
    path = tmp_path / "lease"
    driver = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with driver:
        assert driver.stdout is not None
        assert driver.stdout.readline().strip() == "1"
        assert holder_of(path) == driver.pid
        with pytest.raises(LeaseError, match=str(driver.pid)):
            Lease(path, "Run r").acquire()
        driver.kill()
    lease = Lease(path, "Run r").acquire()
    assert lease.token == 2
    lease.release()
    lease.release()


def test_a_lease_that_was_deleted_and_taken_anew_is_lost(tmp_path: Path) -> None:
    first = Lease(tmp_path / "lease", "The device").acquire()
    first.path.unlink()
    second = Lease(tmp_path / "lease", "The device").acquire()
    assert second.token == first.token  # the count began anew
    second.verify()
    with pytest.raises(LeaseError, match="taken over"):
        first.verify()
    first.release()
    second.release()
