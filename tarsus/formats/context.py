"""What the elements of one URDF or SDF file share: folders, materials, and what was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tarsus._lib.checks import listing
from tarsus.formats.paths import Folders
from tarsus.formats.xml import Element

Color = tuple[float, float, float, float]


@dataclass
class Context:
    """What the elements of one file share."""

    folders: Folders
    materials: dict[str, Color] = field(default_factory=dict)
    ignored: Counter[str] = field(default_factory=Counter)
    missing_meshes: list[str] = field(default_factory=list)
    massless: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def ignore_except(self, element: Element, *tags: str) -> None:
        """Count the children that no reader looks at."""
        self.ignored.update(child.tag for child in element.children if child.tag not in tags)

    def find_mesh(self, reference: str, element: Element) -> str:
        """The path of a mesh, or the reference as stated if there is no such file."""
        path = self.folders.find(reference, element.source)
        if path is None:
            self.missing_meshes.append(reference)
        return self.folders.absent(reference) if path is None else str(path)

    def all_warnings(self) -> list[str]:
        """The warnings so far, then what was left out, then meshes that are missing."""
        left_out = [
            f"{tag} elements ({count}) are not taken over"
            for tag, count in sorted(self.ignored.items())
        ]
        missing = []
        if self.massless:
            names = listing(dict.fromkeys(self.massless))
            missing.append(f"links ({len(self.massless)}) without a mass have 1 kg in SDF: {names}")
        if self.missing_meshes:
            names = listing(dict.fromkeys(self.missing_meshes), limit=5)
            text = f"mesh files ({len(self.missing_meshes)}) are not found: {names}"
            found = map(self.folders.hint, self.missing_meshes)
            hints = dict.fromkeys(hint for hint in found if hint is not None)
            missing.append(f"{text}; package_dirs lacks {listing(hints)}" if hints else text)
        return self.warnings + left_out + missing
