"""YAML files that xacro files read with `xacro.load_yaml`.

The nodes of the file are converted here, not by PyYAML, so that aliases and merged mappings cannot
grow into more data than the budget allows. Values with units (`!degrees 90`) are converted to
radians and metres, as the xacro package does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tarsus.formats.xacro_limits import Budget, ExpressionError, check_key

MAX_BYTES = 256 * 1024
WORK_PER_BYTE = 5
MAX_NUMBER = 100
"""Characters of a number."""

MERGE = "tag:yaml.org,2002:merge"
TEXT = "tag:yaml.org,2002:str"
PLAIN = {
    f"tag:yaml.org,2002:{kind}" for kind in ("null", "bool", "int", "float", "str", "seq", "map")
}
UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180.0,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}


def read_yaml(file: Path, budget: Budget, evaluate: Callable[[str], Any]) -> Any:
    """Return the data of a YAML file; `evaluate` gives the values of expressions with units."""
    try:
        import yaml
    except ModuleNotFoundError as error:
        if error.name != "yaml":
            raise
        message = f"{file} needs pyyaml: pip install 'tarsus[io]'"
        raise ModuleNotFoundError(message, name="yaml") from None
    with file.open("rb") as opened:
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ExpressionError(f"{file} is larger than {MAX_BYTES} bytes")
    budget.spend(1 + WORK_PER_BYTE * len(data))
    try:
        loader = yaml.SafeLoader(data)
        node = loader.get_single_node()
        return None if node is None else _Converter(yaml, loader, budget, evaluate).value(node)
    except yaml.YAMLError as error:
        raise ExpressionError(f"{file}: {' '.join(str(error).split())}") from None


class _Converter:
    """Makes values of the nodes of one file."""

    def __init__(
        self, yaml: Any, loader: Any, budget: Budget, evaluate: Callable[[str], Any]
    ) -> None:
        self.yaml = yaml
        self.loader = loader
        self.budget = budget
        self.evaluate = evaluate
        self.values: dict[Any, Any] = {}
        """By node, as aliases refer to a node again."""
        self.open: set[Any] = set()

    def value(self, node: Any) -> Any:
        if node in self.values:
            return self.values[node]
        if node in self.open:
            raise ExpressionError(f"an alias in line {node.start_mark.line + 1} contains itself")
        is_scalar = isinstance(node, self.yaml.ScalarNode)
        if node.tag not in PLAIN and not (is_scalar and node.tag in UNITS):
            line = node.start_mark.line + 1
            raise ExpressionError(f"line {line} has a value of type {node.tag}: not supported")
        self.open.add(node)
        if isinstance(node, self.yaml.MappingNode):
            value: Any = self._mapping(node)
        elif isinstance(node, self.yaml.SequenceNode):
            value = [self.value(item) for item in node.value]
        else:
            value = self._scalar(node)
        self.open.remove(node)
        self.values[node] = self.budget.spend_value(value)
        return value

    def _mapping(self, node: Any) -> dict[Any, Any]:
        merged: dict[Any, Any] = {}
        stated: dict[Any, Any] = {}
        for key, item in node.value:
            if key.tag == MERGE:
                merged = self._merged(item) | merged
            else:
                stated[check_key(self.value(key))] = self.value(item)
        return merged | stated

    def _merged(self, node: Any) -> dict[Any, Any]:
        """Return what `<<:` merges: one mapping, or several of which the first has priority."""
        is_list = isinstance(node, self.yaml.SequenceNode)
        merged: dict[Any, Any] = {}
        for each in node.value if is_list else [node]:
            value = self.value(each)
            if not isinstance(value, dict):
                raise ExpressionError(f"<<: in line {node.start_mark.line + 1} needs a mapping")
            self.budget.spend(len(value) + len(merged))
            merged = value | merged
        return merged

    def _scalar(self, node: Any) -> Any:
        if node.tag in UNITS:
            return float(self.evaluate(node.value)) * UNITS[node.tag]
        if node.tag == TEXT:
            return node.value
        if len(node.value) > MAX_NUMBER:
            raise ExpressionError(f"a number has more than {MAX_NUMBER} characters")
        return self.loader.construct_object(node)
