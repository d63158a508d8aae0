"""Volumes in the scene of the viewer: translucent meshes on bodies, and shortest lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.view.color_bar import bar_svg
from tarsus.view.shells import OPACITY, Shells


class ShellNodes:
    """The nodes of volumes, with a box to hide them, and the smallest distance on its scale."""

    def __init__(self, server: Any, bodies: Sequence[Any], shells: Shells, size: float) -> None:
        self.server, self.shells, self.size = server, shells, size
        self._q: Array | None = None
        self._nodes = []
        for number, surface in enumerate(shells.surfaces):
            parent = bodies[surface.body].name if surface.body >= 0 else "/world"
            self._nodes.append(
                server.scene.add_mesh_simple(
                    f"{parent}/volume_{number}",
                    surface.vertices.astype(np.float32),
                    surface.triangles.astype(np.uint32),
                    color=surface.color,
                    opacity=OPACITY,
                    cast_shadow=False,
                )
            )
        self._shown = server.gui.add_checkbox("volumes", True)
        self._shown.on_update(lambda _: self._again())
        self._gap = self._bar = None
        if shells.distances is not None:
            self._gap = server.gui.add_text("smallest distance", "", disabled=True)
            self._bar = server.gui.add_html("")

    def show(self, q: Array) -> None:
        """Show volumes and lines as they are in a configuration q (nq,)."""
        self._q = np.array(q)
        look = self.shells.look(self._q)
        visible = bool(self._shown.value)
        with self.server.atomic():
            for node, color, opaque in zip(self._nodes, look.colors, look.opaque, strict=True):
                _change(node, "color", tuple(int(255 * part) for part in color))
                _change(node, "opacity", 0.9 if opaque else OPACITY)
                _change(node, "visible", visible)
            self._draw_lines(look.lines if visible else look.lines[:0], look.line_colors)
        if self._gap is not None:
            far = "none is near" if not look.pair else f"{1e3 * look.gap:.1f} mm, {look.pair}"
            self._gap.value = far
        if self._bar is not None:
            _change(self._bar, "content", bar_svg(look))

    def _draw_lines(self, lines: Array, colors: Array) -> None:
        both = np.repeat(colors[: len(lines), None], 2, axis=1)
        self.server.scene.add_line_segments(
            "/world/nearest",
            lines.astype(np.float32),
            (255 * both).astype(np.uint8),
            thickness=0.008 * self.size,
        )

    def _again(self) -> None:
        if self._q is not None:
            self.show(self._q)


def _change(node: Any, name: str, value: Any) -> None:
    """Set a property of a node, if it differs: each change is sent to the browser."""
    if not np.array_equal(getattr(node, name), value):
        setattr(node, name, value)
