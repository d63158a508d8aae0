"""Models as text: XML that is not in a file is read as if it were one in an empty folder."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tarsus.model.description import Description, ModelError, Source

BLANK = "\ufeff \t\r\n"
NAME = "text"
"""What messages call it."""
ENCODING = re.compile(r"""^(<\?xml[^>]*?)\s+encoding=("[^"]*"|'[^']*')""")
"""What a declaration says about bytes, of which a text has none."""


def is_xml(text: Any) -> bool:
    """Return whether it is XML itself, no path."""
    return isinstance(text, str) and text.lstrip(BLANK).startswith("<")


@contextmanager
def as_file(text: str) -> Iterator[Path]:
    """Write it to a file of its own, beside which there is nothing; messages call it a text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.xml"
        file.write_text(ENCODING.sub(r"\1", text.lstrip(BLANK)), "utf-8")
        try:
            yield file
        except ModelError as error:
            source = error.source
            if source is None or Path(source.file) != file:
                raise
            message = str(error).removeprefix(f"{source}: ")
            raise ModelError(message, Source(NAME, source.line)) from None


def without_file(description: Description, file: Path) -> Description:
    """Return a description that names the text, not the file that stood for it."""
    for value in vars(description).values():
        for each in value if isinstance(value, list) else ():
            source = getattr(each, "source", None)
            if isinstance(source, Source) and Path(source.file) == file:
                each.source = Source(NAME, source.line)
    for shape in description.shapes:
        if shape.file is not None and Path(shape.file).is_relative_to(file.parent):
            shape.file = str(Path(shape.file).relative_to(file.parent))
    description.warnings[:] = [each.replace(str(file), NAME) for each in description.warnings]
    return description
