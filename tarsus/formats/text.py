"""Plain data in YAML and JSON files: compact to read for people, exact, and safe to load.

Anchors, aliases, tags, deep nesting and millions of values are refused, so that a small file stays
small data.
Mappings of a YAML file remember the line in which they start.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import replacing

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 50
MAX_VALUES = 4_000_000
"""Values in one file, counted by what begins or separates them; each takes up to 100 bytes."""

NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
CONSTANTS = {"": None, "~": None, "null": None, "true": True, "false": False}
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./()-]*")
RESERVED = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class LocatedMapping(dict[str, Any]):
    """A mapping that knows the line in which it starts."""

    line: int | None = None


def plain(data: Any) -> Any:
    """Return a copy of data that has been read, of ordinary dictionaries and lists."""
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    return [plain(item) for item in data] if isinstance(data, list) else data


def read(path: Path) -> Any:
    """Return the data of a .json or .yaml file."""
    source = Source(str(path))
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ModelError(f"the file is larger than {MAX_BYTES} bytes", source)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ModelError(f"the file is not UTF-8: {error}", source) from None
    reader = parse_json if path.suffix.lower() == ".json" else _read_yaml
    return reader(text, source)


def write(data: dict[str, Any], path: Path) -> None:
    """Write the data to a .json or .yaml file: top-level lists of mappings, entry by entry."""
    try:
        kept = json.loads(json.dumps(data, allow_nan=False)) == data
    except (TypeError, ValueError):
        kept = False
    if not kept:
        raise ValueError("the metadata hold something that a file cannot keep without loss")
    lines = _json_lines(data) if path.suffix.lower() == ".json" else _yaml_lines(data)
    with replacing(path) as part:
        part.write_text("\n".join(lines) + "\n", encoding="utf-8")


def parse_json(text: str, source: Source, *, finite: bool = True) -> Any:
    """Return the data of a text in JSON that came from a file; `finite` refuses NaN and inf."""
    if sum(map(text.count, "[{,")) > MAX_VALUES:
        raise ModelError(f"more than {MAX_VALUES} values", source)

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            twice = next(key for key, count in Counter(k for k, _ in pairs).items() if count > 1)
            raise ModelError(f"the key {twice!r} comes twice in one mapping", source)
        return data

    def constant(name: str) -> Any:
        if not finite:
            return float(name)
        raise ModelError(f"{name} is not a number", source)

    try:
        data = json.loads(text, object_pairs_hook=mapping, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise ModelError(
            f"malformed JSON: {error.msg}", Source(source.file, error.lineno)
        ) from None
    except RecursionError:
        raise ModelError("malformed JSON: nested too deeply", source) from None
    except ValueError as error:  # an integer of thousands of digits
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"malformed JSON: {error}", source) from None
    if _is_deep(data):
        raise ModelError(f"malformed JSON: nested more than {MAX_DEPTH} deep", source)
    return data


def _is_deep(data: Any) -> bool:
    """Whether lists and mappings are nested deeper than allowed; level by level."""
    level: list[Any] = [[data]]
    for _ in range(MAX_DEPTH + 1):
        parts = (part.values() if isinstance(part, dict) else part for part in level)
        level = [item for part in parts for item in part if isinstance(item, (dict, list))]
    return bool(level)


def _read_yaml(text: str, source: Source) -> Any:
    try:
        import yaml
    except ImportError as error:
        message = "reading YAML needs PyYAML: pip install 'tarsus[io]' (or use .json)"
        raise ImportError(message) from error
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _YamlReader(yaml, yaml.parse(text, Loader=loader), source.file).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        problem = getattr(error, "problem", None) or str(error)
        raise ModelError(f"malformed YAML: {problem}", Source(source.file, line)) from None
    except RecursionError:
        raise ModelError("malformed YAML: nested too deeply", source) from None


class _YamlReader:
    """Builds data from the events of the YAML parser."""

    def __init__(self, yaml: Any, events: Iterable[Any], file: str) -> None:
        self.yaml = yaml
        self.events: Iterator[Any] = iter(events)
        self.file = file
        self.values = 0

    def document(self) -> Any:
        next(self.events)  # start of the stream
        event = next(self.events)
        if isinstance(event, self.yaml.StreamEndEvent):
            return None
        data = self.value(next(self.events), 0)
        next(self.events)  # end of the document
        event = next(self.events)
        if not isinstance(event, self.yaml.StreamEndEvent):
            raise self.error("a second document", event)
        return data

    def value(self, event: Any, depth: int) -> Any:
        yaml = self.yaml
        if isinstance(event, yaml.AliasEvent) or event.anchor or event.tag not in (None, "!"):
            raise self.error("anchors, aliases and tags are not allowed", event)
        if depth > MAX_DEPTH:
            raise self.error("nested too deeply", event)
        self.values += 1
        if self.values > MAX_VALUES:
            raise self.error(f"more than {MAX_VALUES} values", event)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(item := next(self.events), yaml.SequenceEndEvent):
                items.append(self.value(item, depth + 1))
            return items
        return self.mapping(event, depth)

    def mapping(self, start: Any, depth: int) -> LocatedMapping:
        data = LocatedMapping()
        data.line = start.start_mark.line + 1
        while not isinstance(event := next(self.events), self.yaml.MappingEndEvent):
            key = self.value(event, depth + 1)
            if not isinstance(key, str):
                raise self.error(f"the key {key!r} is not a string", event)
            if key in data:
                raise self.error(f"the key {key!r} comes twice in one mapping", event)
            data[key] = self.value(next(self.events), depth + 1)
        return data

    def scalar(self, event: Any) -> Any:
        word = event.value
        if event.style or not event.implicit[0]:
            return word
        if word.lower() in CONSTANTS:
            return CONSTANTS[word.lower()]
        if not NUMBER.fullmatch(word):
            return word
        is_integer = word.lstrip("+-").isdigit() and len(word) < 300
        return int(word) if is_integer else float(word)

    def error(self, message: str, event: Any) -> ModelError:
        return ModelError(
            f"malformed YAML: {message}", Source(self.file, event.start_mark.line + 1)
        )


def _json_lines(data: dict[str, Any]) -> Iterator[str]:
    yield "{"
    for position, (key, value) in enumerate(data.items()):
        comma = "," if position + 1 < len(data) else ""
        if _is_table(value):
            yield f' "{key}": ['
            yield ",\n".join(f"  {json.dumps(entry, ensure_ascii=False)}" for entry in value)
            yield f" ]{comma}"
        else:
            yield f' "{key}": {json.dumps(value, ensure_ascii=False)}{comma}'
    yield "}"


def _yaml_lines(data: dict[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        if not _is_table(value):
            yield f"{key}: {_yaml(value)}"
            continue
        yield f"{key}:"
        for entry in value:
            for position, (name, content) in enumerate(entry.items()):
                yield f"{'  ' if position else '- '}{name}: {_yaml(content)}"


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def _yaml(value: Any) -> str:
    """Return a value in one line of YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(k)}: {_yaml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_yaml(item) for item in value) + "]"
    if isinstance(value, str):
        simple = PLAIN.fullmatch(value) and value.lower() not in RESERVED
        return value if simple else _quoted(value)
    if isinstance(value, float) and "." not in repr(value):
        # 1e-05 would be a string for readers of YAML 1.1
        return repr(value).replace("e", ".0e")
    return json.dumps(value)


def _quoted(text: str) -> str:
    return UNPRINTABLE.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)
    )
