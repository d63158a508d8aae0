"""`ts.edit_volumes`: volumes of links edited in the browser, over the meshes that they shall hold.

One link at a time, in its own frame: handles move the corners of a volume, fields have its
numbers and groups, buttons add, copy, remove, mirror, fit and save. Volumes of the group that is
shown are blue. How far the shapes are outside is told.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.geometry.swept_spheres import AXES, KINDS
from tarsus.geometry.volume_draft import VolumeDraft
from tarsus.geometry.volumes import Volumes
from tarsus.model import Model
from tarsus.view.server import Gate, guarded_server
from tarsus.view.volume_meshes import OPACITY, PLAIN, shell

CHOSEN = (0.80, 0.15, 0.20)
OF_GROUP = (0.20, 0.42, 0.80)
"""Colour of volumes in the group that is shown; those without groups belong to all."""
NONE = "–"


def edit_volumes(
    model: Model,
    volumes: Volumes | None = None,
    *,
    path: str | Path = "volumes.yaml",
    port: int = 8080,
) -> VolumeEditor:
    """Edit volumes of a model in a browser, on this machine only; "Save" writes them to `path`.

    It goes on in the background: `.url` is the address, with a token without which nobody gets
    in, `.volumes` is what there is so far, `.close()` ends it.
    """
    return VolumeEditor(VolumeDraft(model, volumes), Path(path), port)


class VolumeEditor:
    """A page with one link, its volumes, and fields to change them."""

    def __init__(self, draft: VolumeDraft, path: Path, port: int) -> None:
        self.draft, self.path = draft, path
        self._gate, self._lock = Gate(), threading.RLock()
        try:
            self.server: Any = guarded_server(self._gate, port, f"{draft.model.name}: volumes")
        except ModuleNotFoundError as error:
            if error.name != "viser":
                raise
            message = "the editor needs viser: pip install 'tarsus[view]'"
            raise ModuleNotFoundError(message, name="viser") from None
        self._nodes: list[Any] = []
        self._mesh: Any = None
        self._shown = ""
        self._build()
        draft.changed = self._refresh
        self._refresh()

    @property
    def url(self) -> str:
        """The address for a browser on this machine."""
        return self._gate.url(self.server.get_port())

    @property
    def volumes(self) -> Volumes:
        """What was edited so far."""
        return self.draft.volumes

    def close(self) -> None:
        """End the server; what was not saved is still in `volumes`."""
        self.server.stop()

    def __enter__(self) -> VolumeEditor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _build(self) -> None:
        gui, draft = self.server.gui, self.draft
        gui.configure_theme(show_share_button=False)
        self.server.scene.set_up_direction("+z")
        self._link = gui.add_dropdown("link", list(draft.links), initial_value=draft.link)
        self._volume = gui.add_dropdown("volume", [NONE])
        self._name = gui.add_text("name", "")
        self._radius = gui.add_number("radius [m]", 0.0, min=0.0, step=1e-4)
        zero = (0.0, 0.0, 0.0)
        self._points = [gui.add_vector3(f"point {k + 1} [m]", zero, step=1e-4) for k in range(3)]
        self._groups = gui.add_text("groups", "", hint="names with commas; none: of all groups")
        self._group = gui.add_dropdown("show group", [NONE])
        self._assign = gui.add_button("In or out of this group")
        self._add = gui.add_button_group("add", list(KINDS))
        self._act = gui.add_button_group("chosen", ["copy", "remove", "grow"])
        self._axis = gui.add_dropdown("mirror axis", list(AXES), initial_value="y")
        self._other = gui.add_dropdown("mirror to", [NONE, *draft.links])
        self._mirror = gui.add_button("Mirror")
        self._parts = gui.add_number("parts", 3, min=1, max=64, step=1)
        self._fit = gui.add_button("Fit this link")
        self._save = gui.add_button(f"Save to {self.path.name}")
        self._status = gui.add_text("outside", "", disabled=True)
        self._handles = [
            self.server.scene.add_transform_controls(
                f"/point_{k}", scale=0.1, disable_rotations=True, depth_test=False
            )
            for k in range(3)
        ]
        self._connect()

    def _connect(self) -> None:
        """Say what fields, buttons and handles do."""
        draft = self.draft
        self._on(self._link, lambda: self._choose(self._link.value, 0))
        self._on(self._volume, lambda: self._choose(draft.link, self._number()))
        self._on(self._name, lambda: self._changed("name", self._name.value))
        self._on(self._radius, lambda: self._changed("radius", float(self._radius.value)))
        self._on(self._groups, lambda: self._changed("groups", _names(self._groups.value)))
        self._on(self._group, self._refresh)
        self._assign.on_click(lambda _: self._do(self._assigned))
        for k in range(3):
            self._on(self._points[k], partial(self._move, k, "value"))
            self._on(self._handles[k], partial(self._move, k, "position"))
        actions = {"copy": draft.copy, "remove": draft.remove, "grow": draft.grow}
        self._add.on_click(lambda _: self._do(lambda: draft.add(self._add.value)))
        self._act.on_click(lambda _: self._do(actions[self._act.value]))
        self._mirror.on_click(lambda _: self._do(self._mirrored))
        self._fit.on_click(lambda _: self._do(lambda: draft.fit(int(self._parts.value))))
        self._save.on_click(lambda _: self._do(self._saved))

    def _on(self, field: Any, action: Callable[[], None]) -> None:
        field.on_update(lambda _: self._do(action))

    def _do(self, action: Callable[[], None]) -> None:
        """Do what somebody asked for; what is wrong with it is told on the page."""
        with self._lock:
            try:
                action()
            except (ValueError, TypeError, OSError, ImportError) as error:
                self._status.value = str(error)

    # fields that the program sets call back, too: only what differs is a change

    def _choose(self, link: str, volume: int) -> None:
        if (link, volume) != (self.draft.link, self.draft.chosen):
            self.draft.choose(link, volume)

    def _changed(self, name: str, value: Any) -> None:
        here = self.draft.here
        if here and value != getattr(here[self.draft.chosen], name):
            self.draft.change(**{name: value})

    def _move(self, corner: int, by: str) -> None:
        """Move a corner to where its field has its value, or its handle its position."""
        here = self.draft.here
        field = (self._points if by == "value" else self._handles)[corner]
        position = getattr(field, by)
        points = here[self.draft.chosen].points if here else np.zeros((0, 3))
        if corner < len(points) and not _same(points[corner], position):
            self.draft.move_point(corner, np.asarray(position, np.float64))

    def _mirrored(self) -> None:
        other = self._other.value
        self.draft.mirror(self._axis.value, None if other == NONE else other)

    def _assigned(self) -> None:
        if self._group.value != NONE:
            self.draft.assign(self._group.value)

    def _saved(self) -> None:
        self.draft.save(self.path)
        self._status.value = f"saved to {self.path}"

    def _number(self) -> int:
        return max(list(self._volume.options).index(self._volume.value), 0)

    def _refresh(self) -> None:
        """Show the draft as it is now."""
        draft = self.draft
        with self._lock, self.server.atomic():
            self._list_groups()
            self._draw()
            labels = [f"{k + 1} {each.name}" for k, each in enumerate(draft.here)] or [NONE]
            if list(self._volume.options) != labels:
                self._volume.options = labels
            _put(self._volume, labels[draft.chosen if draft.here else 0])
            _put(self._link, draft.link)
            chosen = draft.here[draft.chosen] if draft.here else None
            points = np.zeros((0, 3)) if chosen is None else chosen.points
            if chosen is not None:
                _put(self._name, chosen.name)
                _put(self._radius, chosen.radius)
                if _names(self._groups.value) != chosen.groups:
                    self._groups.value = ", ".join(chosen.groups)
            for k in range(3):
                self._points[k].visible = self._handles[k].visible = k < len(points)
                if k < len(points):
                    _put(self._points[k], tuple(points[k].tolist()))
                    if not _same(self._handles[k].position, points[k]):
                        self._handles[k].position = points[k]
            out = draft.outside()
            self._status.value = "nothing" if out <= 0.0 else f"{1e3 * out:.2f} mm"

    def _list_groups(self) -> None:
        """Offer the groups that there are; one that is gone is not shown any more."""
        listed = [NONE, *self.draft.groups]
        if list(self._group.options) != listed:
            shown = self._group.value
            self._group.options = listed
            _put(self._group, shown if shown in listed else NONE)
        self._assign.visible = self._group.value != NONE

    def _color(self, number: int) -> tuple[float, float, float]:
        """Of a volume of this link: the chosen one, those of the group that is shown, others."""
        groups = self.draft.here[number].groups
        if number == self.draft.chosen:
            return CHOSEN
        shown = self._group.value != NONE and (not groups or self._group.value in groups)
        return OF_GROUP if shown else PLAIN

    def _draw(self) -> None:
        """Draw the shapes of the link once, and its volumes anew."""
        scene, draft = self.server.scene, self.draft
        if self._shown != draft.link:
            if self._mesh is not None:
                self._mesh.remove()
            vertices, triangles = draft.surface()
            self._shown, self._mesh = draft.link, None
            if len(triangles):
                self._mesh = scene.add_mesh_simple(
                    "/shapes", vertices.astype(np.float32), triangles.astype(np.uint32)
                )
                low, high = vertices.min(axis=0), vertices.max(axis=0)
                size = float((high - low).max())
                for handle in self._handles:
                    handle.scale = size / 5
                self.server.initial_camera.look_at = (low + high) / 2
                self.server.initial_camera.position = (low + high) / 2 + 2 * size
        while self._nodes:
            self._nodes.pop().remove()
        for k, volume in enumerate(draft.here):
            vertices, triangles = shell(volume)
            self._nodes.append(
                scene.add_mesh_simple(
                    f"/volume_{k}",
                    vertices.astype(np.float32),
                    triangles.astype(np.uint32),
                    color=self._color(k),
                    opacity=OPACITY,
                    cast_shadow=False,
                )
            )


def _names(text: str) -> tuple[str, ...]:
    """The names in a text, with commas between them."""
    return tuple(dict.fromkeys(name for each in text.split(",") if (name := each.strip())))


def _same(place: Any, other: Any) -> bool:
    """Whether two places are the same to single precision, in which browsers keep them."""
    return bool(np.allclose(place, other, rtol=0.0, atol=1e-6))


def _put(field: Any, value: Any) -> None:
    """Set the value of a field, if it differs."""
    if field.value != value:
        field.value = value
