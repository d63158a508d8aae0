"""Arrays as .npz files that may be damaged or come from anywhere: no pickle, bounded sizes.

A file is a ZIP archive of .npy members, as `numpy.savez` writes it and `numpy.load` reads it. ZIP
has a CRC-32 for each member, so that damage is found. How many bytes the arrays take is known and
limited before any is read. Files are replaced whole or not at all.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tarsus._lib.files import replacing
from tarsus.simulation.errors import RunFileError

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
LEVEL = 1
"""Of compression: higher levels take several times as long for numbers of a motion, and make the
file a few per cent smaller."""
ENDING = ".npy"


def write_arrays(
    path: str | Path, arrays: Mapping[str, NDArray[Any]], *, compressed: bool = False
) -> None:
    """Write arrays by name; an older file is replaced only when the new one is complete."""
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with replacing(path) as part, zipfile.ZipFile(part, "w", kind, compresslevel=LEVEL) as archive:
        for name, array in arrays.items():
            with archive.open(name + ENDING, "w", force_zip64=True) as member:
                npy.write_array(member, np.asanyarray(array), allow_pickle=False)


def read_arrays(path: Path, what: str, max_bytes: int | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name; a `RunFileError` if it is damaged.

    Without `max_bytes` the file must not be compressed.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                _check(members, size, compressed=max_bytes is not None)
                total = sum(member.file_size for member in members)
                if max_bytes is not None and total > max_bytes:
                    raise RunFileError(
                        f"{path} holds {total} bytes of numbers, max_bytes is {max_bytes}: if you "
                        "trust it, allow more, as in ts.load_run(path, max_bytes=2**35)"
                    )
                return {m.filename.removesuffix(ENDING): _read(archive, m) for m in members}
        except RunFileError:
            raise
        except Exception as error:  # zipfile and NumPy fail in all ways
            text = f"{path} is not {what}, or damaged"
            raise RunFileError(f"{text}: {error or type(error).__name__}") from None


def _check(members: list[zipfile.ZipInfo], size: int, *, compressed: bool) -> None:
    """Raise `ValueError` unless the archive has what `write_arrays` writes."""
    if any(member.compress_type not in PACKED[: 1 + compressed] for member in members):
        raise ValueError("it is compressed" if not compressed else "its compression is unknown")
    if not compressed and sum(member.file_size for member in members) > size:
        raise ValueError("its parts are larger than the whole")
    if len({member.filename.removesuffix(ENDING) for member in members}) < len(members):
        raise ValueError("it has two arrays of the same name")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as file:
        # without a limit all is unpacked, even if the archive states fewer bytes
        return _array(file.read(member.file_size + 1))


def _array(data: bytes) -> NDArray[Any]:
    """Return the array of a .npy file, which must have as many bytes as its header says."""
    stream = io.BytesIO(data)
    version = npy.read_magic(stream)
    if version not in HEADERS:
        raise ValueError(f"an array has version {version}")
    shape, _, kind = HEADERS[version](stream)
    if kind.hasobject or math.prod(shape) * kind.itemsize != len(data) - stream.tell():
        raise ValueError(f"an array of shape {shape} and type {kind} has {len(data)} bytes")
    stream.seek(0)
    found: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
    return found
