"""IDX files, the format of MNIST: a magic number, the dimensions, then bytes. Plain or gzipped.

Format: two zero bytes, a byte for the type (8: unsigned bytes), a byte for the number of dimensions, then each
dimension as a big-endian 32-bit number (http://yann.lecun.com/exdb/mnist).
"""

from __future__ import annotations

import contextlib
import gzip
import struct
import zlib
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError

UNSIGNED_BYTES = 0x08


def idx_shape(path: Path, dimensions: int) -> tuple[int, ...]:
    """The shape that the header states; nothing else is read.

    Args:
        path: of the file; ``.gz`` is opened as gzip.
        dimensions: that it must have: 3 for images, 1 for labels.

    Raises:
        InputError: the header is wrong or cut short.
    """
    with _opened(path) as stream:
        return _header(path, stream, dimensions)


def read_idx(path: Path, dimensions: int) -> NDArray[np.uint8]:
    """The array in an IDX file.

    Args:
        path: of the file; ``.gz`` is opened as gzip.
        dimensions: that it must have.

    Raises:
        InputError: the header is wrong, bytes are missing, or bytes follow the last one.
    """
    with _opened(path) as stream:
        shape = _header(path, stream, dimensions)
        size = prod(shape)
        content = stream.read(size)
        if len(content) < size:
            raise InputError(
                f"{path.name} is cut short: its header promises {size} bytes of data, but {len(content)} follow."
                " Download it again."
            )
        if stream.read(1):
            raise InputError(
                f"{path.name} has bytes after the {size} that its header promises. The header or the file is damaged."
                " Download it again."
            )
    return np.frombuffer(content, dtype=np.uint8).reshape(shape)


def _header(path: Path, stream: BinaryIO, dimensions: int) -> tuple[int, ...]:
    magic = stream.read(4)
    if len(magic) < 4:
        raise InputError(f"{path.name} is cut short: it has {len(magic)} bytes. Download it again.")
    zeros, kind, stated = struct.unpack(">HBB", magic)
    if zeros != 0 or kind != UNSIGNED_BYTES or stated != dimensions:
        expected = f"0x{UNSIGNED_BYTES:06x}{dimensions:02x}"
        raise InputError(
            f"{path.name} begins with 0x{magic.hex()}, but an IDX file of unsigned bytes in {dimensions} dimensions"
            f" begins with {expected}. It is another file, or damaged."
        )
    sizes = stream.read(4 * dimensions)
    if len(sizes) < 4 * dimensions:
        raise InputError(f"{path.name} is cut short: its header ends after {4 + len(sizes)} bytes. Download it again.")
    return struct.unpack(f">{dimensions}I", sizes)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            yield cast(BinaryIO, stream)
    except (gzip.BadGzipFile, zlib.error, EOFError) as wrong:
        raise InputError(f"{path.name} is not a whole gzip file ({wrong}). Download it again.") from wrong
