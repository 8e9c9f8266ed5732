"""A clock that stands still, for this process alone: whenever the C library, Python and packages ask, it is one moment.

The functions of the kernel's own page in a process (vDSO) are replaced by ones that give a constant. Only on x86-64;
the times of files stay the kernel's.
"""

from __future__ import annotations

import ctypes
import platform
import struct

MOMENT = 1_577_836_800  # 2020-01-01 00:00 UTC, for whoever asks for the date
UPTIME = 100  # s, for whoever asks how long the machine or the process has run; small, so that sleeps end at once
_START_OF_IMAGE = 33  # of the auxiliary vector: where the page begins
_READ_WRITE_RUN, _PAGE, _TABLE = 7, 4096, 11
_DATE, _SINCE = struct.pack("<I", MOMENT).hex(), struct.pack("<I", UPTIME).hex()
# Machine code. clock_gettime: the date for CLOCK_REALTIME (0), its coarse form (5) and TAI (11), else the uptime.
_CODES = {
    "__vdso_clock_gettime": f"b8{_SINCE}85ff740a83ff05740583ff0b7505b8{_DATE}48890648c746080000000031c0c3",
    "__vdso_gettimeofday": f"4885ff740f48c707{_DATE}48c747080000000031c0c3",
    "__vdso_time": f"b8{_DATE}4885ff7403488907c3",
}


class StillClock:
    """Knows where the functions lie; `stop` then takes microseconds."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.getauxval.restype = ctypes.c_void_p
        known = platform.machine() == "x86_64" and platform.system() == "Linux"
        self._image = (self._libc.getauxval(ctypes.c_ulong(_START_OF_IMAGE)) or 0) if known else 0
        self._places = _functions(self._image) if self._image else {}

    def stop(self) -> bool:
        """From now on it is one moment; False where that cannot be done, and nothing was."""
        size = ctypes.c_size_t(2 * _PAGE)
        if not _CODES.keys() <= self._places.keys():
            return False
        if self._libc.mprotect(ctypes.c_void_p(self._image & -_PAGE), size, _READ_WRITE_RUN) != 0:
            return False
        for name, code in _CODES.items():
            text = bytes.fromhex(code)
            ctypes.memmove(self._image + self._places[name], text, len(text))
        return True


def _functions(image: int) -> dict[str, int]:
    """Name -> offset of the page's functions, by its table of symbols."""
    head = ctypes.string_at(image, 64)
    (start,) = struct.unpack_from("<Q", head, 40)
    size, number = struct.unpack_from("<HH", head, 58)
    sections = [struct.unpack("<IIQQQQIIQQ", ctypes.string_at(image + start + k * size, 64)) for k in range(number)]
    found: dict[str, int] = {}
    for section in sections:
        if section[1] != _TABLE:
            continue
        words = sections[section[6]]
        names = ctypes.string_at(image + words[4], words[5])
        for k in range(section[5] // 24):
            name, _, _, _, value, _ = struct.unpack("<IBBHQQ", ctypes.string_at(image + section[4] + 24 * k, 24))
            found[names[name : names.index(b"\0", name)].decode()] = value
    return found
