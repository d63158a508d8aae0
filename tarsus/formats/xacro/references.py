"""Files and arguments that a xacro file refers to: includes, YAML files, packages, `$(…)`."""

from __future__ import annotations

import glob
import math
import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tarsus._lib.errors import ModelError, Source
from tarsus.formats.paths import Folders
from tarsus.formats.xacro.expressions import Evaluator
from tarsus.formats.xacro.functions import eval_names, global_names, to_text
from tarsus.formats.xacro.limits import Budget, ExpressionError, Namespace, check_key, work_of
from tarsus.formats.xacro.scope import Node, read_bytes, read_tree

# Files that a xacro file refers to, and its `$(…)`: includes, YAML files, packages, arguments.
#
# Every path must pass the checks of `Folders`, as meshes do: inside the model's folder, a package
# folder, or a package that `$(find …)` finds, also when symbolic links are followed.


MAX_FILES = 1000
"""Files that one expansion reads, each as often as it is included."""

WORK_PER_PATH = 50
WORK_PER_FILE = 500
WORK_PER_TAG = 5
"""Units to parse a tag, also of elements that are never expanded."""

PACKAGE = re.compile(r"\w[\w.-]*", re.ASCII)
WILDCARD = re.compile(r"[*?[]")
TRUST = "ts.load(…, trust=True) runs a file that you trust with the xacro package, which allows it"


class References:
    """The files of one expansion; `stack` has those that are being read, the innermost last."""

    def __init__(
        self, file: Path, folders: Folders, arguments: Mapping[str, Any], evaluator: Evaluator
    ) -> None:
        self.folders = folders
        self.arguments = {name: str(value) for name, value in arguments.items()}
        self.evaluator = evaluator
        self.names = global_names(evaluator.apply)
        self.stack = [file]
        self.place = Source(str(file))
        """The element that is being expanded, for messages."""
        self._eval_names = _EvalNames(self)
        self._count = 0
        self._packages: dict[str, Path] = {}
        self._yaml: dict[Path, Any] = {}

    def tree(self, file: Path) -> Node:
        """Return the root element of a xacro file."""
        self._count_file()
        try:
            data = read_bytes(file)
        except OSError as error:
            raise ExpressionError(f"{file} cannot be read: {error.strerror}") from None
        self.evaluator.budget.spend(work_of(data) + WORK_PER_TAG * data.count(b"<"))
        return read_tree(data, file)

    def yaml(self, reference: str) -> Any:
        """Return the data of a YAML file, as `xacro.load_yaml` does."""
        file = self.existing(reference)
        if file not in self._yaml:
            self._count_file()
            names = Namespace("functions", self.names)
            evaluate = partial(self.evaluator.evaluate, names=names)
            self._yaml[file] = read_yaml(file, self.evaluator.budget, evaluate)
        return self._yaml[file]

    def matches(self, reference: str) -> list[Path]:
        """Return the files that an include names, several if its file name has wildcards."""
        folder, name = os.path.split(reference.replace("\\", "/"))
        if not WILDCARD.search(name):
            return [self.existing(reference)]
        self._count_file()
        pattern = os.path.join(glob.escape(str(self._allowed(folder or "."))), name)
        found = [self._allowed(path) for path in sorted(glob.glob(pattern))]
        return [file for file in found if file.is_file()]

    def existing(self, reference: str) -> Path:
        """Return the file that a path refers to; FileNotFoundError if there is none."""
        file = self._allowed(reference)
        if not file.is_file():
            raise FileNotFoundError(f"there is no file {file}")
        return file

    def absolute(self, reference: str) -> str:
        """Return a path that is relative to the file being read, as `xacro.abs_filename` does."""
        return os.path.join(self.stack[-1].parent, reference)

    def command(self, text: str) -> str:
        """Return what `$(text)` stands for."""
        if text.startswith("eval "):
            return to_text(self.evaluator.evaluate(text[5:], self._eval_names))
        name, *words = text.split() or [""]
        if name in ("arg", "find", "env") and len(words) != 1:
            raise ExpressionError(f"$({name} …) needs one word")
        if name == "arg":
            return self.argument(words[0])
        if name == "find":
            return self._find(words[0])
        if name == "cwd":
            return os.getcwd()
        if name == "dirname":
            return str(self.stack[-1].resolve().parent)
        if name == "env":
            raise ExpressionError(f"environment variables are not read from a file; {TRUST}")
        if name == "optenv" and words:
            return _default(*words)
        raise ExpressionError(f"$({text}) is unknown: there are arg, find, eval, cwd and dirname")

    def argument(self, name: str) -> str:
        """Return the value of an argument of the file."""
        if name not in self.arguments:
            raise ExpressionError(
                f"there is no argument '{name}'; arguments={{'{name}': …}} sets it"
            )
        return self.arguments[name]

    def _find(self, name: str) -> str:
        if name not in self._packages:
            folder = self.folders.package(name) if PACKAGE.fullmatch(name) else None
            if folder is None:
                message = f"there is no package '{name}'; name its folder in package_dirs"
                raise ExpressionError(message)
            self._packages[name] = folder
        return str(self._packages[name])

    def _allowed(self, reference: str) -> Path:
        self.evaluator.budget.spend(WORK_PER_PATH)
        reference = reference.replace("\\", "/")
        # a look at a network path would contact the host
        if reference.startswith("//") or any(ord(letter) < 32 for letter in reference):
            raise ExpressionError(f"{reference!r} is not a usable path")
        path = Path(self.absolute(reference))
        try:
            resolved = path.resolve()
            if any(resolved.is_relative_to(package) for package in self._packages.values()):
                return resolved
            return self.folders.check(path.absolute(), self.place)
        except ModelError:
            raise
        except (OSError, RuntimeError, ValueError) as error:
            raise ExpressionError(f"'{reference}' is not a usable path: {error}") from None

    def _count_file(self) -> None:
        self.evaluator.budget.spend(WORK_PER_FILE)
        self._count += 1
        if self._count > MAX_FILES:
            raise ExpressionError(f"more than {MAX_FILES} files are included")


class _EvalNames(Namespace):
    """The names of `$(eval …)`: functions, and the arguments of the file as numbers if they are."""

    def __init__(self, references: References) -> None:
        super().__init__("eval", eval_names(references.evaluator.apply))
        self.references = references

    def lookup(self, name: str) -> Any:
        if name in self.members:
            return self.members[name]
        text = self.references.arguments[name]
        return _converted(self.references.evaluator.budget.spend_text(text))


def _converted(text: str) -> Any:
    """Return an argument as a number or truth value if it looks like one."""
    words = {"true": True, "false": False}
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return words.get(text.lower(), text)


def _default(name: str, *default: str) -> str:
    """Return the default of `$(optenv NAME default)`, unless the variable is set."""
    if name in os.environ:
        raise ExpressionError(
            f"environment variable {name} is set, but not read from a file: unset it; or {TRUST}"
        )
    return " ".join(default)


# YAML files that xacro files read with `xacro.load_yaml`.
#
# The nodes of the file are converted here, not by PyYAML, so that aliases and merged mappings
# cannot grow into more data than the budget allows. Values with units (`!degrees 90`) are converted
# to radians and metres, as the xacro package does.


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
