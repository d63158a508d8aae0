"""What an entry of the gallery is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tarsus.studio.document import Guide, Slider


@dataclass(frozen=True)
class Entry:
    """A scene of the gallery: how it is made, what it invites to, and what is charted at first.

    `make` returns a Scene, a Model or a Document. `sliders` are (name, target, low, high).
    """

    name: str
    invite: str
    """In a line, what is there to see."""
    make: Callable[[], Any]
    guide: Guide
    charts: tuple[str, ...] = ()
    sliders: tuple[tuple[str, str, float, float], ...] = ()
    lines: tuple[str, ...] = ()
    """What is said to the stage once the scene is there."""

    @property
    def title(self) -> str:
        """What it is called."""
        return self.guide.title

    def bound(self) -> dict[str, Slider]:
        """Return its sliders by name."""
        return {name: Slider(target, low, high) for name, target, low, high in self.sliders}
