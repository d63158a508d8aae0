"""Columns of a Parquet file as arrays: how large they are is asked before they are read.

A column of a few kilobytes can hold any number of equal numbers. Arrow's readers fail in all ways
on damaged files; here that is one kind of error, which names the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.simulation.errors import RunFileError
from tarsus.simulation.exports import KEY, arrow
from tarsus.simulation.parquet_footer import read_chunks

CONTACTS, EVENTS = "contacts", "events"
"""Columns that have a list of records in each row."""
WORDS = {CONTACTS: "state", EVENTS: "kind"}
"""The field of each that is a word."""


def record(name: str) -> str:
    """Return where the fields of a column of records are, in Parquet's names."""
    return f"{name}.list.element"


class Columns:
    """The columns of a run in a file."""

    def __init__(self, path: Path) -> None:
        with path.open("rb"):  # what cannot be opened is told as usual
            self.path = path
        self.arrow, parquet = arrow()
        with self.reading():
            found = parquet.read_metadata(path)
            paths = [found.schema.column(k).path for k in range(found.num_columns)]
            # words are kept once: one long word in each row would take far more than the file
            fields = [f"{record(name)}.{word}" for name, word in WORDS.items()]
            words = [each for each in paths if each in fields]
            self.file = parquet.ParquetFile(
                path, metadata=found, read_dictionary=words, page_checksum_verification=True
            )
            self.schema = self.file.schema_arrow
            self.names: list[str] = self.schema.names
            self.metadata: bytes | None = (self.schema.metadata or {}).get(KEY)
            self.rows = int(self.file.metadata.num_rows)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn whatever Arrow raises into an error that names the file."""
        try:
            yield
        except RunFileError:
            raise
        except Exception as error:
            text = f"{self.path} is damaged, or not the file of a run: {error or type(error)}"
            raise RunFileError(text) from None

    def width(self, name: str) -> int | None:
        """How many numbers each row of a column has, None if that differs or is not known."""
        with self.reading():
            kind = self.schema.field(name).type
            return int(kind.list_size) if self.arrow.types.is_fixed_size_list(kind) else None

    def load(
        self, names: Sequence[str], fields: Mapping[str, Sequence[str]], max_bytes: int
    ) -> None:
        """Read columns, and fields of columns of records, if they fit in `max_bytes`."""
        of_records = [f"{record(name)}.{each}." for name in fields for each in fields[name]]
        wanted = (*(f"{name}." for name in names), *of_records)
        with self.reading():
            chosen = [
                chunk for chunk in read_chunks(self.path) if f"{chunk.path}.".startswith(wanted)
            ]
            size = sum(max(8 * chunk.values, chunk.size) for chunk in chosen)
        if size > max_bytes:
            raise RunFileError(
                f"{self.path} holds {size} bytes of numbers, max_bytes is {max_bytes}: if you "
                "trust it, allow more, as in ts.load_run(path, max_bytes=2**35)"
            )
        with self.reading():
            columns = sorted({chunk.path for chunk in chosen})
            self.table = self.file.read(columns)

    def numbers(self, name: str, width: int = 1) -> Array:
        """The numbers of a column (rows, width)."""
        with self.reading():
            column = self.table.column(name).combine_chunks()
            values = column.flatten() if self.width(name) is not None else column
            return np.array(values.to_numpy(), np.float64).reshape(self.rows, width)

    def counts(self, name: str) -> NDArray[np.int64]:
        """How many records of a column each row has (rows,)."""
        with self.reading():
            lists = self.table.column(name).combine_chunks()
            counts: NDArray[np.int64] = np.diff(lists.offsets.to_numpy()).astype(np.int64)
            if lists.null_count or len(lists.flatten()) != counts.sum():
                raise RunFileError(f"{self.path}: rows have no list of {name}")
            return counts

    def has_field(self, name: str, field: str) -> bool:
        """Whether records of a column have a field."""
        with self.reading():
            return bool(self.schema.field(name).type.value_type.get_field_index(field) >= 0)

    def field(self, name: str, field: str, width: int = 1) -> Array:
        """The numbers of a field of all records of a column (n, width)."""
        with self.reading():
            values = self._records(name).field(field)
            values = values if width == 1 else values.flatten()
            return np.array(values.to_numpy(), np.float64).reshape(-1, width)

    def words(self, name: str, known: Sequence[str]) -> NDArray[np.int64]:
        """The word of each record of a column (n,), as its place in those that are known."""
        with self.reading():
            words = self._records(name).field(WORDS[name])
            words = words if hasattr(words, "dictionary") else words.dictionary_encode()
            stated = words.dictionary.to_pylist()
            for word in stated:
                if word not in known:
                    valid = suggestion(word, known)
                    raise RunFileError(
                        f"{self.path}: {name} have the {WORDS[name]} {word!r}{valid}"
                    )
            codes = [known.index(word) for word in stated]
            found: NDArray[np.int64] = np.array(codes, np.int64)[words.indices.to_numpy()]
            return found

    def _records(self, name: str) -> Any:
        return self.table.column(name).combine_chunks().flatten()
