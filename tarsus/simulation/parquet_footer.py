"""The footer of a Parquet file: how many numbers its columns have, before anything is read.

Arrow tells these numbers, too, but ends the process where a footer is damaged. The footer is a
structure in Thrift's compact protocol, of which the few fields below are looked at:
https://github.com/apache/parquet-format.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAGIC = b"PAR1"
DEEPEST = 30

# fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData, by their numbers
ROW_GROUPS, COLUMNS, META_DATA = 4, 1, 3
PATH, NUMBER_OF_VALUES, UNCOMPRESSED_SIZE = 3, 5, 6


@dataclass(frozen=True)
class Chunk:
    """A part of a column."""

    path: str
    values: int
    size: int
    """Bytes, before they are decoded."""


def read_chunks(path: Path) -> list[Chunk]:
    """Return the parts of all columns; `ValueError` or `LookupError` if it is damaged."""
    with path.open("rb") as file:
        end = file.seek(0, 2)
        file.seek(max(0, end - 8))
        tail = file.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length > end - 12:
            raise ValueError("it does not end as a Parquet file does")
        file.seek(end - 8 - length)
        footer = _Struct(file.read(length)).read()
    found = []
    for group in footer[ROW_GROUPS]:
        for column in group[COLUMNS]:
            known = column[META_DATA]
            name = b".".join(known[PATH]).decode()
            chunk = Chunk(name, known[NUMBER_OF_VALUES], known[UNCOMPRESSED_SIZE])
            if chunk.values < 0 or chunk.size < 0:
                raise ValueError(f"column {name} has {chunk.values} values, {chunk.size} bytes")
            found.append(chunk)
    return found


class _Struct:
    """Reads structures of Thrift's compact protocol as mappings from numbers of fields."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def read(self, depth: int = 0) -> dict[int, Any]:
        if depth > DEEPEST:
            raise ValueError("its footer is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            return self._list(depth)
        if kind == 12:
            return self.read(depth + 1)
        raise ValueError(f"its footer has an entry of the unknown type {kind}")

    def _list(self, depth: int) -> list[Any]:
        if depth > DEEPEST:
            raise ValueError("its footer is nested too deeply")
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        if size > len(self.data) - self.place:  # each entry has a byte at least
            raise ValueError("its footer has a list that is longer than the file")
        return [self._value(head & 15, depth + 1) for _ in range(size)]

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _bytes(self, count: int) -> bytes:
        if count > len(self.data) - self.place:
            raise ValueError("its footer ends too early")
        self.place += count
        return self.data[self.place - count : self.place]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("its footer has a number that is too long")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
