"""Choice of the reader or writer of a model file or text."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tarsus._lib.checks import expect
from tarsus._lib.errors import ModelError, Source
from tarsus.formats.export.export import Format, Meshes, save_export
from tarsus.formats.export.losses import ExportWarning, LeftOut
from tarsus.model.description import Description, Shape
from tarsus.model.model import Model
from tarsus.model.validation import checked

if TYPE_CHECKING:
    from tarsus.formats.xml import XmlElement

__all__ = ["ExportWarning", "LeftOut", "build", "load", "read", "save"]


# Reading and writing models: `load` and `save` choose the format by the file's suffix.


READABLE = (".urdf", ".sdf", ".world", ".xml", ".mjcf", ".xacro", ".yaml", ".yml", ".json")
KINDS = {".urdf": "urdf", ".sdf": "sdf", ".world": "sdf", ".mjcf": "mjcf", ".xacro": "xacro"}
NATIVE = (".yaml", ".yml", ".json")
EXPORTED: dict[str, Format] = {".urdf": "urdf", ".sdf": "sdf", ".xml": "mjcf"}
WRITABLE = (*NATIVE, *EXPORTED)
Base: TypeAlias = Literal["fixed", "free"]
Mimic: TypeAlias = Literal["coupled", "independent"]


def load(
    path: str | os.PathLike[str],
    base: Base | None = None,
    *,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    mimic: Mimic = "coupled",
    complete: str | os.PathLike[str] | None = None,
    arguments: Mapping[str, Any] | None = None,
    trust: bool = False,
    strict: bool = False,
) -> Model:
    """Read a model from a .urdf, .sdf, .xml (MJCF, URDF or SDF), .xacro, .yaml or .json file.

    It may also be XML itself, recognised by its root element. The arguments are those of `ts.load`
    (`tarsus.robots.load`), which knows names of robots as well.
    """
    description = read(
        path,
        base,
        package_dirs=package_dirs,
        mimic=mimic,
        complete=complete,
        arguments=arguments,
        trust=trust,
    )
    return build(description, NAME if is_xml(path) else os.fspath(path), strict=strict)


def build(description: Description, file: str, *, strict: bool = False) -> Model:
    """Return the model that a file states; errors about the model as a whole name the file."""
    try:
        return Model(description, strict=strict)
    except ValueError as error:
        if isinstance(error, ModelError) and error.source is not None:
            raise
        raise ModelError(str(error), Source(file)) from None


def read(
    path: str | os.PathLike[str],
    base: Base | None = None,
    *,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    mimic: Mimic = "coupled",
    complete: str | os.PathLike[str] | None = None,
    arguments: Mapping[str, Any] | None = None,
    trust: bool = False,
) -> Description:
    """Read a file or a text as `load` does, and return what it states."""
    if base not in (None, "fixed", "free"):
        raise ValueError(f"base is {base!r}, must be 'fixed', 'free' or None (as the file says)")
    if isinstance(package_dirs, str | os.PathLike):
        alone = os.fspath(package_dirs)
        raise TypeError(f"package_dirs is {alone!r} alone, must be a list of folders: [{alone!r}]")
    if is_xml(path):
        with as_file(str(path)) as file:
            description = _read(file, base, package_dirs, mimic, arguments, trust)
            description = without_file(description, file)
    else:
        description = _read(Path(path), base, package_dirs, mimic, arguments, trust)
    if complete is not None:
        from tarsus.formats.side_files import complete as add_side_file

        _check_file(Path(complete), NATIVE)
        description = add_side_file(description, complete)
    return description


def _read(
    file: Path,
    base: Base | None,
    package_dirs: Sequence[str | os.PathLike[str]],
    mimic: Mimic,
    arguments: Mapping[str, Any] | None,
    trust: bool,
) -> Description:
    kind = _format(file)
    if kind != "xacro" and (arguments is not None or trust):
        option = "trust is" if arguments is None else "arguments are"
        raise ValueError(f"{option} for .xacro files, not for {file}")
    if kind == "xacro":
        from tarsus.formats.xacro.files import read_xacro

        root, warnings = read_xacro(file, arguments or {}, package_dirs, trust=trust)
        description = _read_urdf(file, base, package_dirs, mimic, root)
        return replace(description, warnings=[*description.warnings, *warnings])
    if kind == "urdf":
        return _read_urdf(file, base, package_dirs, mimic)
    if kind == "sdf":
        from tarsus.formats.sdf import read_sdf

        return read_sdf(file, base=base, package_dirs=package_dirs)
    if kind == "mjcf":
        from tarsus.formats.mjcf import read_mjcf

        return read_mjcf(file, base=base, package_dirs=package_dirs)
    from tarsus.formats.native import read_native

    if base is not None:
        raise ValueError(f"{file} states how its root moves: leave out base={base!r}")
    return read_native(file, package_dirs=package_dirs)


def _read_urdf(
    file: Path,
    base: Base | None,
    package_dirs: Sequence[str | os.PathLike[str]],
    mimic: Mimic,
    root: XmlElement | None = None,
) -> Description:
    from tarsus.formats.urdf import read_urdf

    return read_urdf(file, base=base or "fixed", package_dirs=package_dirs, mimic=mimic, root=root)


def save(
    model: Model | Description,
    path: str | os.PathLike[str],
    *,
    meshes: Meshes = "refer",
    strict: bool = False,
) -> tuple[LeftOut, ...]:
    """Write a model to a file; its ending chooses the format. Return what the file does not say.

    From .yaml and .json `load` makes the same model. What .urdf, .sdf and .xml (MJCF) cannot say
    is listed by name and reason, and told as an `ExportWarning`; with `strict` it is an error and
    nothing is written. These name meshes by their paths, `meshes="copy"` puts copies beside the
    file. `tarsus.formats.export.export.export` returns the text and the list, and writes nothing.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in WRITABLE:
        raise ValueError(f"cannot write {file}: the suffix must be one of {', '.join(WRITABLE)}")
    expect(model, (Model, Description), "model")
    if suffix in EXPORTED:
        return save_export(model, file, EXPORTED[suffix], meshes=meshes, strict=strict)
    from tarsus.formats.native import write_native

    description = model.description if isinstance(model, Model) else checked(model)
    write_native(description, file)
    return ()


def _format(file: Path) -> str:
    """Return "urdf", "sdf", "mjcf", "xacro" or "native"."""
    suffix = _check_file(file, READABLE)
    if suffix == ".xml":
        from tarsus.formats.xml import read_xml

        root = read_xml(file).tag
        kinds = {"robot": "urdf", "sdf": "sdf", "mujoco": "mjcf"}
        if root not in kinds:
            wanted = "<robot> (URDF), <sdf> (SDF) or <mujoco> (MJCF)"
            message = f"the root element is <{root}>, must be {wanted}"
            raise ModelError(message, Source(str(file)))
        return kinds[root]
    return KINDS.get(suffix, "native")


def _check_file(file: Path, suffixes: tuple[str, ...]) -> str:
    """Return the suffix of a file that is there and has one of the suffixes."""
    suffix = file.suffix.lower()
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a directory, must be a file")
    if suffix not in suffixes:
        raise ValueError(f"cannot read {file}: the suffix must be one of {', '.join(suffixes)}")
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}")
    return suffix


# Models as text: XML that is not in a file is read as if it were one in an empty folder.


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

    def named(element: Any) -> Any:
        changes: dict[str, Any] = {}
        source = getattr(element, "source", None)
        if isinstance(source, Source) and Path(source.file) == file:
            changes["source"] = Source(NAME, source.line)
        path = element.file if isinstance(element, Shape) else None
        if path is not None and Path(path).is_relative_to(file.parent):
            changes["file"] = str(Path(path).relative_to(file.parent))
        return replace(element, **changes) if changes else element

    lists: dict[str, Any] = {
        key: [named(each) for each in value]
        for key, value in vars(description).items()
        if isinstance(value, tuple) and key != "warnings"
    }
    warnings = [each.replace(str(file), NAME) for each in description.warnings]
    return replace(description, **lists, warnings=warnings)
