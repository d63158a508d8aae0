"""Where the files of a model lie: `package://`, `model://`, `file://` and relative paths.

A reference must stay inside the model's folder or one of the package folders, also when
symbolic links are followed, so that a model from elsewhere cannot point at private files. The
model's folder is that of the ROS package around it; without one, the folder in which the model
lies, or the one above where that is custom. Nothing wider is taken for a package because of its
name alone: a name in a file must not open the folders around it. Backslashes separate folders on
every system (`normalized`), because they do so on Windows and in MuJoCo.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from tarsus._lib.errors import ModelError, Source
from tarsus.formats.xml import read_xml

MODEL_SUBFOLDERS = {"urdf", "robots", "mjcf", "xml"}
"""Folders that by custom lie beside the folder of the meshes, in the model's own folder."""

MANIFEST = "package.xml"


class Folders:
    """The folders in which the files of one model may lie."""

    def __init__(
        self, model: str | os.PathLike[str], package_dirs: Iterable[str | os.PathLike[str]] = ()
    ) -> None:
        self.here = Path(model).resolve().parent
        self.package_dirs = [Path(folder).resolve() for folder in package_dirs]
        self.package_dirs += _ros_folders()
        self._packages: dict[str, list[Path]] = {}

    @cached_property
    def home(self) -> Path:
        """The folder of the package around the model, or else of the model by custom."""
        for folder in self._around:
            if (folder / MANIFEST).is_file():
                return folder
        by_custom = self.here.name in MODEL_SUBFOLDERS and self.here.parent in self._around
        return self.here.parent if by_custom else self.here

    @cached_property
    def _around(self) -> list[Path]:
        """The model's folder and those around it, up to what belongs to the user as a whole."""
        user = Path(os.path.expanduser("~")).resolve()
        folders = (self.here, *self.here.parents)
        return [folder for folder in folders if not user.is_relative_to(folder)]

    def find(self, reference: str, source: Source) -> Path | None:
        """The file that is meant, None if it is not there; an error if it may not be read."""
        scheme, path = _split(normalized(reference, source))
        try:
            if scheme in ("package", "model"):
                return self._in_package(path, source)
            return self._inside(normalized(path, source), source) if scheme == "file" else None
        except (OSError, RuntimeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"'{reference}' is not a usable path: {error}", source) from None

    def check(self, path: Path, source: Source) -> Path:
        """The path without links and dots; an error if it leaves the allowed folders."""
        resolved = (self.here / path).resolve()
        if not self._allowed(resolved):
            leaves = f"'{path}' leaves the model's folder {self.home}"
            raise ModelError(f"{leaves}; {_way_in(resolved)}", source)
        return resolved

    def outside(self, reference: str) -> Path | None:
        """The file of an absolute path that is there, but outside the allowed folders."""
        scheme, text = _split(reference.replace("\\", "/"))
        if scheme != "file" or is_network_path(text):
            return None
        path = Path(text)
        try:
            leaves = path.is_absolute() and path.exists() and not self._allowed(path.resolve())
        except (OSError, RuntimeError, ValueError):  # `find` tells what is wrong with it
            return None
        return path if leaves else None

    def absent(self, reference: str) -> str:
        """What stands for a file that is not there: no path that means another one elsewhere."""
        stated = "://" in reference or Path(reference).is_absolute()
        return reference if stated else str(self.here / reference)

    def package(self, name: str) -> Path | None:
        """The folder of a package, None if it is not known."""
        return next(self._find_package(name), None)

    def hint(self, reference: str) -> str | None:
        """What package_dirs lacks for a reference to a package, None if it knows the package."""
        scheme, rest = _split(reference.replace("\\", "/"))
        name = rest.lstrip("/").partition("/")[0]
        if scheme not in ("package", "model") or self._packages.get(name):
            return None
        named = [folder for folder in self.here.parents if folder.name == name]
        return f"'{named[0]}'" if named else f"the folder of package '{name}'"

    def _allowed(self, resolved: Path) -> bool:
        return any(resolved.is_relative_to(folder) for folder in (self.home, *self.package_dirs))

    def _inside(self, text: str, source: Source) -> Path | None:
        path = Path(text)
        # models carry absolute paths from the machine that made them: no harm if nothing is there
        if is_network_path(text) or (path.is_absolute() and not path.exists()):
            return None
        resolved = self.check(path, source)
        return resolved if resolved.is_file() else None

    def _in_package(self, reference: str, source: Source) -> Path | None:
        name, _, inner = reference.lstrip("/").partition("/")
        if name not in self._packages:
            self._packages[name] = list(self._find_package(name))
        for package in self._packages[name]:
            resolved = (package / inner.lstrip("/")).resolve()
            if not (resolved.is_relative_to(package) or self._allowed(resolved)):
                leaves = f"'package://{reference}' leaves the folder {package}"
                raise ModelError(f"{leaves}; {_way_in(resolved)}", source)
            if resolved.is_file():
                return resolved
        return None

    def _find_package(self, name: str) -> Iterator[Path]:
        """Yield folders that may be meant by the name of a package.

        Those that the user named; packages with a manifest around the model, and beside them in
        one workspace; and folders inside the model's own, which is open to it as a whole.
        """
        if name in ("", ".", ".."):
            return
        for folder in self.package_dirs:
            if (folder / name).is_dir():
                yield (folder / name).resolve()
            if name in _names(folder):
                yield folder
        for folder in self._around:
            has_manifest = (folder / MANIFEST).is_file()
            if name in _names(folder) and (has_manifest or folder.is_relative_to(self.home)):
                yield folder
            beside = (folder.parent / name).resolve()
            if has_manifest and (beside / MANIFEST).is_file() and beside.parent == folder.parent:
                yield beside


def normalized(reference: str, source: Source) -> str:
    """Return a reference of a file with slashes only; an error if it has control characters."""
    if any(ord(character) < 32 or ord(character) == 127 for character in reference):
        raise ModelError(f"{reference!r} is not a usable path: it has control characters", source)
    return reference.replace("\\", "/")


def is_network_path(path: str) -> bool:
    """Return whether a path with slashes names a host, which a look at it would contact."""
    return path.startswith("//")


def _split(reference: str) -> tuple[str, str]:
    """Return the scheme and the path of a reference with slashes; paths alone are files."""
    scheme, separator, path = reference.partition("://")
    if not separator:
        return "file", reference
    return (scheme, unquote(path).replace("\\", "/")) if scheme == "file" else (scheme, path)


def common_folder(files: Iterable[Path]) -> str:
    """The folder that holds all files, or theirs one by one if that would be far too wide."""
    parents = sorted({str(file.parent) for file in files})
    common = os.path.commonpath(parents)
    wide = Path(os.path.expanduser("~")).is_relative_to(common)
    return ", ".join(f"'{folder}'" for folder in (parents if wide else [common]))


def _way_in(resolved: Path) -> str:
    return f"package_dirs=['{resolved.parent}'] would allow it"


def _names(folder: Path) -> tuple[str, ...]:
    """The names of a package: of its folder, and in its manifest."""
    try:
        name = read_xml(folder / MANIFEST).find("name")
    except (OSError, ModelError):
        name = None
    return (folder.name,) if name is None else (folder.name, name.text.strip())


def _ros_folders() -> list[Path]:
    sources = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
    installed = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    folders = [Path(path) for path in sources if path]
    folders += [Path(path, "share") for path in installed if path]
    return [folder.resolve() for folder in folders if folder.is_dir()]
