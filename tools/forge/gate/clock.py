"""Another date for this process alone: what the C library, Python and every package read as the time of day is moved.

The functions of the kernel's own page in a process (vDSO) are replaced by ones that ask the kernel and add seconds.
Only on x86-64; the times of files stay the kernel's.
"""

from __future__ import annotations

import ctypes
import platform
import struct

_START_OF_IMAGE = 33  # of the auxiliary vector: where the page begins
_READ_WRITE_RUN, _PRIVATE_ANONYMOUS, _PAGE, _TABLE = 7, 0x22, 4096, 11
# Machine code before and behind the seconds: ask the kernel (clock_gettime, gettimeofday, time), then add them.
_CODES = {
    "__vdso_clock_gettime": ("b8e40000000f0585c0751a83ff00740583ff05750f48b8", "48010631c0c3"),
    "__vdso_gettimeofday": ("b8600000000f054885ff740d48b8", "48010731c0c3"),
    "__vdso_time": ("b8c90000000f0548b9", "4801c84885ff7403488907c3"),
}


def move(seconds: int) -> bool:
    """Move the time of day of this process; False where that cannot be done, and nothing was."""
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.getauxval.restype = libc.mmap.restype = ctypes.c_void_p
    image = libc.getauxval(ctypes.c_ulong(_START_OF_IMAGE)) or 0
    places = _functions(image) if image else {}
    writable = ctypes.c_void_p(image & -_PAGE), ctypes.c_size_t(2 * _PAGE), _READ_WRITE_RUN
    if not _CODES.keys() <= places.keys() or libc.mprotect(*writable) != 0:
        return False
    code = libc.mmap(None, ctypes.c_size_t(_PAGE), _READ_WRITE_RUN, _PRIVATE_ANONYMOUS, -1, ctypes.c_long(0))
    for number, (name, (before, behind)) in enumerate(_CODES.items()):
        there = code + 64 * number
        text = bytes.fromhex(before) + struct.pack("<q", seconds) + bytes.fromhex(behind)
        ctypes.memmove(there, text, len(text))
        jump = b"\x48\xb8" + struct.pack("<Q", there) + b"\xff\xe0"
        ctypes.memmove(image + places[name], jump, len(jump))
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
