"""The memory of a device, copied while or after its owner was killed."""

from pathlib import Path

import pytest

from labwright.tools.errors import CorruptRecordError
from labwright.tools.qpu.device_fork import fork_simulated


def device(folder: Path, journal: bytes) -> Path:
    (folder / "acquisitions").mkdir(parents=True)
    (folder / "device.json").write_bytes(b"{}")
    (folder / "journal.jsonl").write_bytes(journal)
    return folder


def test_a_torn_line_is_left_behind(tmp_path: Path) -> None:
    source = device(tmp_path / "old", b'{"clock_after": 1.0}\n{"clock_aft')
    fork_simulated(source, tmp_path / "new", 5.0, 0)
    assert (tmp_path / "new" / "journal.jsonl").read_bytes() == b'{"clock_after": 1.0}\n'


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    source = device(tmp_path / "old", b'{"clock_after": 1.0}\nnothing\n{"clock_after": 2.0}\n')
    with pytest.raises(CorruptRecordError, match="does not read"):
        fork_simulated(source, tmp_path / "new", 5.0, 0)
