"""What a Parquet file says about its columns: how many numbers they have, before any is read.

Arrow tells these numbers, too, but ends the process where a footer is damaged, and believes a
footer that tells less than its pages hold. Both are structures in Thrift's compact protocol, of
which the few fields below are looked at: https://github.com/apache/parquet-format.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

MAGIC = b"PAR1"
DEEPEST = 30
HEADER = 2**20
"""Bytes that the header of a page may have."""

# fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData, by their numbers
ROW_GROUPS, COLUMNS, META_DATA = 4, 1, 3
PATH, VALUES, SIZE, LENGTH, FIRST_PAGE, DICTIONARY_PAGE = 3, 5, 6, 7, 9, 11

# fields of PageHeader; the number of values is the first of each kind of page
PAGE_SIZE, PAGE_LENGTH, PAGES_OF_DATA, PAGE_VALUES = 2, 3, (5, 8), 1


@dataclass(frozen=True)
class Chunk:
    """A part of a column."""

    path: str
    values: int
    size: int
    """Bytes, before they are decoded."""
    start: int
    length: int
    """Where its pages are in the file."""


def read_chunks(path: Path) -> list[Chunk]:
    """Return the parts of all columns; `ValueError` or `LookupError` if the file is damaged."""
    with path.open("rb") as file:
        end = file.seek(0, 2)
        file.seek(max(0, end - 8))
        tail = file.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length > end - 12:
            raise ValueError("it does not end as a Parquet file does")
        file.seek(end - 8 - length)
        footer = _Struct(file.read(length)).read()
        columns = [column for group in footer[ROW_GROUPS] for column in group[COLUMNS]]
        chunks = [_chunk(column[META_DATA]) for column in columns]
        for chunk in chunks:
            _check_pages(file, chunk)
    return chunks


def _chunk(known: dict[int, Any]) -> Chunk:
    start = min(known[FIRST_PAGE], known.get(DICTIONARY_PAGE) or known[FIRST_PAGE])
    name = b".".join(known[PATH]).decode()
    return Chunk(name, known[VALUES], known[SIZE], start, known[LENGTH])


def _check_pages(file: BinaryIO, chunk: Chunk) -> None:
    """Raise if the pages hold more than the footer tells."""
    place, values, size = chunk.start, 0, 0
    while place < chunk.start + chunk.length:
        page, length = _page(file, place)
        if page[PAGE_LENGTH] < 0 or page[PAGE_SIZE] < 0:
            raise ValueError(f"column {chunk.path} has a page of negative size")
        values += sum(page[kind][PAGE_VALUES] for kind in PAGES_OF_DATA if kind in page)
        size += page[PAGE_SIZE]
        place += length + page[PAGE_LENGTH]
    if values != chunk.values or size > chunk.size:
        told = f"{chunk.values} values in {chunk.size} bytes"
        raise ValueError(f"column {chunk.path} tells of {told}, it has {values} in {size}")


def _page(file: BinaryIO, place: int) -> tuple[dict[int, Any], int]:
    """Return the header of a page and its length, most of which are short."""
    length = 256
    while True:
        file.seek(place)
        header = _Struct(file.read(length))
        try:
            return header.read(), header.place
        except (ValueError, LookupError):
            if length >= HEADER:
                raise
        length *= 4


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
