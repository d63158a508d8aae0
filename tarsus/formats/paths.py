"""Where the files of a model lie: `package://`, `model://`, `file://` and relative paths.

A reference must stay inside the model's folder or one of the package folders, also when
symbolic links are followed, so that a model from elsewhere cannot point at private files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from tarsus.formats.xml import read_xml
from tarsus.model.description import ModelError, Source

MODEL_SUBFOLDERS = {"urdf", "robots", "mjcf", "xml"}
"""Folders that by custom lie beside the folder of the meshes, in the model's own folder."""


class Folders:
    """The folders in which the files of one model may lie."""

    def __init__(
        self, model: str | os.PathLike[str], package_dirs: Iterable[str | os.PathLike[str]] = ()
    ) -> None:
        self.here = Path(model).resolve().parent
        self.home = _model_folder(self.here)
        self.package_dirs = [Path(folder).resolve() for folder in package_dirs]
        self.package_dirs += _ros_folders()
        self._packages: dict[str, list[Path]] = {}

    def find(self, reference: str, source: Source) -> Path | None:
        """The file that is meant, None if it is not there; an error if it may not be read."""
        scheme, separator, rest = reference.replace("\\", "/").partition("://")
        try:
            if not separator:
                return self._inside(Path(scheme), source)
            if scheme in ("package", "model"):
                return self._in_package(rest, source)
            return self._inside(Path(unquote(rest)), source) if scheme == "file" else None
        except (OSError, RuntimeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"'{reference}' is not a usable path: {error}", source) from None

    def check(self, path: Path, source: Source) -> Path:
        """The path without links and dots; an error if it leaves the allowed folders."""
        allowed = [self.home, *self.package_dirs]
        resolved = (self.here / path).resolve()
        if not any(resolved.is_relative_to(folder) for folder in allowed):
            raise ModelError(
                f"'{path}' leaves the model's folder {self.home}; folders that it may use "
                "are given by package_dirs",
                source,
            )
        return resolved

    def _inside(self, path: Path, source: Source) -> Path | None:
        # models carry absolute paths from the machine that made them: no harm if nothing is there
        if path.is_absolute() and not path.exists():
            return None
        resolved = self.check(path, source)
        return resolved if resolved.is_file() else None

    def _in_package(self, reference: str, source: Source) -> Path | None:
        name, _, inner = reference.lstrip("/").partition("/")
        if name not in self._packages:
            self._packages[name] = list(self._find_package(name))
        for package in self._packages[name]:
            resolved = (package / inner.lstrip("/")).resolve()
            if not resolved.is_relative_to(package):
                raise ModelError(f"'package://{reference}' leaves the folder {package}", source)
            if resolved.is_file():
                return resolved
        return None

    def _find_package(self, name: str) -> Iterator[Path]:
        if name in ("", ".", ".."):
            return
        for folder in self.package_dirs:
            if (folder / name).is_dir():
                yield (folder / name).resolve()
            if _is_package(folder, name):
                yield folder
        user = Path(os.path.expanduser("~"))
        private = (user, *user.parents)
        for folder in (self.here, *self.here.parents):
            if folder not in private and _is_package(folder, name):
                yield folder
            # packages that lie side by side in one workspace
            beside = folder.parent / name
            if (folder / "package.xml").is_file() and (beside / "package.xml").is_file():
                yield beside.resolve()


def _model_folder(folder: Path) -> Path:
    """The folder of the package around `folder`, or else of the model by custom."""
    for parent in (folder, *folder.parents):
        if (parent / "package.xml").is_file():
            return parent
    return folder.parent if folder.name in MODEL_SUBFOLDERS else folder


def _is_package(folder: Path, name: str) -> bool:
    return folder.name == name or _package_name(folder / "package.xml") == name


def _package_name(manifest: Path) -> str | None:
    try:
        name = read_xml(manifest).find("name")
    except (OSError, ModelError):
        return None
    return None if name is None else name.text.strip()


def _ros_folders() -> list[Path]:
    sources = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
    installed = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    folders = [Path(path) for path in sources if path]
    folders += [Path(path, "share") for path in installed if path]
    return [folder.resolve() for folder in folders if folder.is_dir()]
