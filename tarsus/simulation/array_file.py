"""Arrays of an .npz file that may be damaged or made up: nothing in it is larger than the file.

NumPy writes the arrays of a checkpoint without compression and with check sums, so that damage is
found, and a file that would become larger than it is was not written by us.
"""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path
from typing import Any

from numpy.lib import format as npy
from numpy.typing import NDArray

from tarsus.simulation.errors import RunFileError

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_arrays(path: Path, what: str = "a checkpoint of a simulation") -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name; a `RunFileError` if it is damaged."""
    size = path.stat().st_size
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                    raise ValueError("it is compressed")
                if sum(member.file_size for member in members) > size:
                    raise ValueError("its parts are larger than the whole")
                return {m.filename.removesuffix(".npy"): _array(archive.read(m)) for m in members}
        except Exception as error:  # zipfile and NumPy fail in all ways
            text = f"{path} is not {what}, or damaged"
            raise RunFileError(f"{text}: {error or type(error).__name__}") from None


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
