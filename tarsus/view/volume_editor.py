"""`ts.edit_volumes`: volumes of links edited in the browser, over the shapes that they enclose.

The page shows one link at a time, in its own frame. Handles move the corners of the chosen volume
and change its radius; fields have its numbers and groups; buttons add, copy, remove, mirror, fit
and save. The page shows how far the shapes are outside of all volumes.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.checks import count
from tarsus.geometry.swept_spheres import AXES, SweptSphere
from tarsus.geometry.volume_draft import VolumeDraft
from tarsus.geometry.volumes import Volumes
from tarsus.model import Model
from tarsus.view.page import page_text, surface_data
from tarsus.view.server import Message, PageServer
from tarsus.view.triangle_meshes import PALETTE, Color, Surface
from tarsus.view.volume_meshes import OPACITY, PLAIN, shell

CHOSEN: Color = (0.80, 0.15, 0.20)
OF_GROUP: Color = (0.20, 0.42, 0.80)
"""Color of volumes in the group that is shown; those without groups belong to all."""
RADIUS_HANDLE = "radius"
SIDE = np.array([-0.866, -0.5, 0.0])
"""Direction in which the handle of the radius is on the surface: left in the first view."""
MAX_WAITING = 100
"""Commands that wait while one is carried out; further ones are refused."""
MAX_PARTS = 64
MAX_LENGTH = 1e6
"""Of coordinates and radii [m]: numbers of which pages can draw something."""


def edit_volumes(
    model: Model,
    volumes: Volumes | None = None,
    *,
    path: str | Path = "volumes.yaml",
    port: int = 8080,
) -> VolumeEditor:
    """Edit volumes of a model in a browser, on this machine only; "Save" writes them to `path`.

    The editor runs in the background: `.url` is the address, whose token is the access key,
    `.volumes` has the present volumes, `.close()` ends it.
    """
    return VolumeEditor(VolumeDraft(model, volumes), Path(path), port)


class VolumeEditor:
    """A page with one link, its volumes, and fields to change them.

    All pages that are open show the same draft. Commands of pages are carried out one after
    another, in a thread of their own: fitting takes seconds, in which pages can still be turned.
    """

    def __init__(self, draft: VolumeDraft, path: Path, port: int) -> None:
        self.draft, self.path = draft, path
        self.group = ""
        """The group whose volumes are blue; empty for none."""
        self.status = ""
        """The line under the model's name: an error, or where the volumes were saved."""
        self._surfaces: dict[str, dict[str, Any]] = {}
        self._shapes: Message = {}
        self._state: dict[str, Any] = {}
        self._lock, self._closed = threading.RLock(), threading.Event()
        self._commands: queue.Queue[Message | None] = queue.Queue(MAX_WAITING)
        self._server: PageServer | None = None
        self._refresh()
        try:
            self.server = self._server = PageServer(
                port, page=self._page, data=self._data, greet=self._greet, hear=self._hear
            )
        except ModuleNotFoundError as error:
            if error.name is None or not error.name.startswith("websockets"):
                raise
            message = "the editor needs websockets: pip install 'tarsus[view]'"
            raise ModuleNotFoundError(message, name=error.name) from None
        draft.changed = self._changed
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address for a browser on this machine."""
        return self.server.url

    @property
    def volumes(self) -> Volumes:
        """What was edited so far."""
        return self.draft.volumes

    def close(self) -> None:
        """End the server after the current command; what was not saved is still in `volumes`."""
        if not self._closed.is_set():
            self._closed.set()
            self._commands.put(None)
            self._thread.join()
            self.server.close()

    def __enter__(self) -> VolumeEditor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what pages are told --------------------------------------------------------------------

    def _page(self) -> str:
        name = f"{self.draft.model.name}: volumes"
        return page_text(name, "volume_editor.js", self._data(), "volume_editor.html")

    def _data(self) -> str:
        draft = self.draft
        return json.dumps(
            {
                "name": draft.model.name,
                "file": self.path.name,
                "links": list(draft.links),
                "axes": list(AXES),
            }
        )

    def _greet(self) -> Iterator[Message]:
        """Yield how all is now, for a page that was just opened.

        It does not wait for a command that is carried out: the state is that of the last one.
        """
        state = self._state
        yield {
            "shapes": self._shapes,
            "state": {**state, "surfaces": self._surfaces},
            "status": self.status,
        }

    def _send(self, message: Message) -> None:
        if self._server is not None and not self._closed.is_set():
            self._server.send(message)

    def _say(self, text: str) -> None:
        """Write a line under the model's name."""
        if text != self.status:
            self.status = text
            self._send({"status": text})

    def _changed(self) -> None:
        """Show a change of the draft, unless it is that of a command, which is shown at its end."""
        if threading.current_thread() is not self._thread:
            self._refresh()

    def _refresh(self) -> None:
        """Show the draft as it is now; surfaces of volumes are sent once."""
        draft = self.draft
        with self._lock:
            message: dict[str, Any] = {}
            if self._shapes.get("name") != draft.link:
                self._shapes = message["shapes"] = self._shapes_data()
            if self.group not in draft.groups:
                self.group = ""
            known, self._surfaces = self._surfaces, {}
            volumes = []
            for number, volume in enumerate(draft.here):
                key = np.append(volume.points, volume.radius).tobytes().hex()
                if key not in self._surfaces:
                    self._surfaces[key] = known.get(key) or _volume_data(volume)
                volumes.append(self._volume_state(number, volume, key))
            self._state = {
                "link": draft.link,
                "chosen": draft.chosen,
                "volumes": volumes,
                "groups": list(draft.groups),
                "group": self.group,
                "outside": _outside(draft.outside()),
                "handles": self._handles(),
            }
            new = {key: data for key, data in self._surfaces.items() if key not in known}
            self._send({**message, "state": {**self._state, "surfaces": new}})

    def _shapes_data(self) -> dict[str, Any]:
        """Return the shapes of the link, a box around them and its volumes, and their size [m]."""
        vertices, triangles = self.draft.surface()
        around = [vertices]
        around += [
            p + r for v in self.draft.here for p in v.points[None] for r in (-v.radius, v.radius)
        ]
        points = np.concatenate(around)
        if not len(points):
            points = np.array([[-0.1] * 3, [0.1] * 3])
        low, high = points.min(axis=0), points.max(axis=0)
        surface = Surface(0, vertices, triangles, PALETTE[0])
        return {
            "name": self.draft.link,
            "surfaces": [surface_data(surface)] if len(triangles) else [],
            "size": max(float((high - low).max()), 1e-3),
            "box": [low.tolist(), high.tolist()],
        }

    def _volume_state(self, number: int, volume: SweptSphere, key: str) -> dict[str, Any]:
        return {
            "key": key,
            "name": volume.name,
            "points": volume.points.tolist(),
            "radius": volume.radius,
            "groups": list(volume.groups),
            "color": self._color(number),
            "opacity": OPACITY,
        }

    def _color(self, number: int) -> Color:
        """Of a volume of this link: the chosen one, those of the group that is shown, others."""
        groups = self.draft.here[number].groups
        if number == self.draft.chosen:
            return CHOSEN
        shown = self.group and (not groups or self.group in groups)
        return OF_GROUP if shown else PLAIN

    def _handles(self) -> list[dict[str, Any]]:
        """Return handles at the corners of the chosen volume, and one on its surface."""
        if not self.draft.here:
            return []
        chosen = self.draft.here[self.draft.chosen]
        places = {_point_handle(k): point for k, point in enumerate(chosen.points)}
        farthest = chosen.points[np.argmax(chosen.points @ SIDE)]
        places[RADIUS_HANDLE] = farthest + chosen.radius * SIDE / np.linalg.norm(SIDE)
        return [
            {
                "name": name,
                "position": place.tolist(),
                "wxyz": None,
                "plain": name == RADIUS_HANDLE,
            }
            for name, place in places.items()
        ]

    # --- what people do --------------------------------------------------------------------------

    def _hear(self, message: Message) -> None:
        """Let a command of a page wait for its turn."""
        if self._closed.is_set():
            return  # `close` needs the place that the last command left
        try:
            self._commands.put_nowait(message)
        except queue.Full:
            self._say("the editor is busy: the last command was ignored")

    def _work(self) -> None:
        """Carry out commands until the editor is closed."""
        while (message := self._commands.get()) is not None and not self._closed.is_set():
            self._do(message)

    def _do(self, message: Message) -> None:
        """Carry out a command; what is wrong with it is told on the page."""
        with self._lock:
            try:
                self._say("")
                if "handle" in message:
                    self._drag(message)
                elif message.get("do") in COMMANDS:
                    COMMANDS[message["do"]](self, message)
            except (
                *(ValueError, TypeError, LookupError, OSError, ImportError),
                *(ArithmeticError, RuntimeError, MemoryError),
            ) as error:
                self._say(str(error))
            # also after an error: fields return to what is in the draft
            try:
                self._refresh()
            except (ValueError, ArithmeticError) as error:
                self._say(str(error))

    def _drag(self, message: Message) -> None:
        """Move a corner to where its handle was dragged, or let the surface go through it."""
        here, name, position = self.draft.here, message["handle"], message["position"]
        if not here:
            return
        chosen = here[self.draft.chosen]
        position = [_length(x, "position") for x in position]
        if name == RADIUS_HANDLE:
            away = float(chosen.distance_to_points(position))
            self.draft.change(radius=chosen.radius + away)
        for corner in range(len(chosen.points)):
            if name == _point_handle(corner):
                self.draft.move_point(corner, position)

    def _move(self, corner: Any, axis: Any, value: Any) -> None:
        """Give a corner of the chosen volume a coordinate."""
        if self.draft.here:
            points = self.draft.here[self.draft.chosen].points
            count(corner, "corner", 0, len(points) - 1)
            count(axis, "axis", 0, 2)
            position = points[corner].copy()
            position[axis] = _length(value, f"{AXES[axis]} of point {corner + 1}")
            self.draft.move_point(corner, position)

    def _show_group(self, name: Any) -> None:
        if name and name not in self.draft.groups:
            raise ValueError(f"there is no group {name!r}")
        self.group = name or ""

    def _assign(self) -> None:
        """Put the chosen volume into the group that is shown, or take it out."""
        if self.group:
            self.draft.assign(self.group)

    def _fit(self, parts: Any) -> None:
        count(parts, "parts", 1, MAX_PARTS)
        self._say(f"volumes of {self.draft.link} are fitted …")
        self.draft.fit(parts)
        self._say("")

    def _save(self) -> None:
        self.draft.save(self.path)
        self._say(f"saved to {self.path}")


Command = Callable[[VolumeEditor, Message], object]
COMMANDS: Mapping[str, Command] = {
    "link": lambda editor, m: editor.draft.choose(m["value"]),
    "volume": lambda editor, m: editor.draft.choose(editor.draft.link, m["value"]),
    "name": lambda editor, m: editor.draft.change(name=m["value"]),
    "radius": lambda editor, m: editor.draft.change(radius=_length(m["value"], "radius")),
    "groups": lambda editor, m: editor.draft.change(groups=_names(m["value"])),
    "point": lambda editor, m: editor._move(m["corner"], m["axis"], m["value"]),
    "group": lambda editor, m: editor._show_group(m["value"]),
    "assign": lambda editor, m: editor._assign(),
    "add": lambda editor, m: editor.draft.add(m["value"]),
    "copy": lambda editor, m: editor.draft.copy(),
    "remove": lambda editor, m: editor.draft.remove(),
    "grow": lambda editor, m: editor.draft.grow(),
    "mirror": lambda editor, m: editor.draft.mirror(m["axis"], m["other"] or None),
    "fit": lambda editor, m: editor._fit(m["parts"]),
    "save": lambda editor, m: editor._save(),
}
"""What a page can ask for: {"do": name, …}."""


def _volume_data(volume: SweptSphere) -> dict[str, Any]:
    vertices, triangles = shell(volume)
    return surface_data(Surface(0, vertices, triangles, PLAIN))


def _outside(distance: float) -> str:
    """Return words for how far shapes are outside of all volumes [m]."""
    if not np.isfinite(distance):
        return "everything"
    return "nothing" if distance <= 0.0 else f"{1e3 * distance:.2f} mm"


def _point_handle(corner: int) -> str:
    return f"point {corner + 1}"


def _length(value: Any, name: str) -> float:
    """Return a length [m] that a page has sent; empty fields send None."""
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not known or not abs(value) < MAX_LENGTH:
        text = "empty" if value is None else repr(value)
        raise ValueError(f"{name} is {text}, must be a number of size less than {MAX_LENGTH:g} m")
    return float(value)


def _names(text: Any) -> tuple[str, ...]:
    """The names in a text, with commas between them."""
    return tuple(dict.fromkeys(name for each in str(text).split(",") if (name := each.strip())))
