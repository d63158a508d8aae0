"""`ts.view`: a model or a run in the browser, with handles that can be dragged."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, numbers
from tarsus._lib.files import Array
from tarsus.geometry.distances import Distances
from tarsus.geometry.volumes import Volumes
from tarsus.model.model import Model
from tarsus.view.frame_sequence import FINE, Stage
from tarsus.view.page import look_data, packed, page_data, page_text
from tarsus.view.server import HOST, Message, PageServer
from tarsus.view.triangle_meshes import ShownShapes

if TYPE_CHECKING:
    from tarsus.simulation.trajectory import Trajectory


# `ts.view`: a run or a model in the browser, served to this machine unless told otherwise.


def view(
    what: Trajectory | Model,
    *,
    port: int = 8080,
    host: str = HOST,
    shapes: ShownShapes | None = None,
    fps: float = 30.0,
    q: ArrayLike | None = None,
    volumes: Volumes | None = None,
    distances: Distances | None = None,
) -> Viewer:
    """Show a run, or a model at q (nq,) with a slider for each joint, in a browser.

    It goes on in the background: `.url` is the address, `.wait()` waits until Ctrl-C, `.close()`
    ends it. If the port is taken, the next free one is. The address has a token without which
    nobody gets in; from another machine forward the same port, `ssh -L 8080:127.0.0.1:8080`, or
    serve at another `host`, such as "0.0.0.0", in a network that you trust.
    `shapes` are "visual", "collision" or
    "skeleton"; None takes the first that there is. `volumes` are drawn over the model, translucent.
    With `distances` their volumes are, coloured by how near they are, and the shortest lines
    between them.
    """
    if volumes is not None:
        expect(volumes, Volumes, "volumes")
    if distances is not None:
        expect(distances, Distances, "distances")
        if volumes is not None:
            raise ValueError("volumes and distances are stated: distances have their own volumes")
    drawn = distances if volumes is None else volumes
    stage = Stage(what, shapes=shapes, fps=fps, q=q, volumes=drawn, detail=FINE)
    return Viewer(stage, port, host)


class Viewer:
    """A page with the model on its ground, contact forces, charts, and a player or sliders.

    All pages that are open show the same picture, and what is done on one is seen on all.
    """

    def __init__(self, stage: Stage, port: int, host: str = HOST, *, sliders: bool = True) -> None:
        self.stage = stage
        self.picture = 0
        """The picture that is shown now."""
        self.playing = False
        self.speed = 1.0
        """Seconds of the run in a second."""
        self.q: Array = stage.q[0].copy()
        """The configuration (nq,) that is shown, of a model without a run."""
        self.handles: dict[str, Handle] = {}
        self.status = ""
        """The line under the model's name."""
        self._joints = _sliders(stage) if sliders and stage.run is None else []
        self._closed = threading.Event()
        self._one_at_a_time = threading.RLock()
        try:
            self.server = PageServer(
                port,
                page=self._page,
                data=self._data,
                greet=self._greet,
                hear=self._hear,
                host=host,
            )
        except ModuleNotFoundError as error:
            if error.name is None or not error.name.startswith("websockets"):
                raise
            message = "the viewer needs websockets: pip install 'tarsus[view]'"
            raise ModuleNotFoundError(message, name=error.name) from None
        if stage.run is not None:
            threading.Thread(target=self._play, daemon=True).start()

    @property
    def url(self) -> str:
        """The address for a browser; whoever knows it can look and move things."""
        return self.server.url

    def show(self, picture: int) -> None:
        """Show picture number `picture`."""
        # the slider, the player and the caller may ask at once
        with self._one_at_a_time:
            self.picture = int(np.clip(picture, 0, len(self.stage.times) - 1))
            self.q = self.stage.q[self.picture]
        self._tell(self._state(), *self._look())

    def play(self, playing: bool = True) -> None:
        """Play from where it is, or pause."""
        with self._one_at_a_time:
            self.playing = bool(playing) and len(self.stage.times) > 1
        self._tell(self._state())

    def pose(self, q: Array) -> None:
        """Show the model at q (nq,)."""
        with self._one_at_a_time:
            self.q = np.array(q, np.float64)
            self._tell(*self._posed(), *self._look())

    def say(self, text: str) -> None:
        """Write a line under the model's name."""
        if text != self.status:
            self.status = text
            self._tell({"status": text})

    def handle(
        self,
        name: str,
        position: ArrayLike,
        wxyz: ArrayLike | None = None,
        *,
        moved: Callable[[Handle], None],
    ) -> Handle:
        """Add a handle to drag, which can be turned if it has a quaternion; return it."""
        made = Handle(name, position, wxyz, self._tell_handles, moved)
        self.handles[name] = made
        self._tell_handles()
        return made

    def wait(self) -> None:
        """Print the address and wait until Ctrl-C, or until `close` is called."""
        print(f"{self.stage.model.name} is shown at {self.url} (Ctrl-C ends)")
        try:
            while not self._closed.wait(0.2):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End the server."""
        if not self._closed.is_set():
            self._closed.set()
            self.server.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tarsus.Viewer of {self.stage.model.name!r} at {self.url}>"

    # --- what pages are told --------------------------------------------------------------------

    def _page(self) -> str:
        return page_text(self.stage.model.name, "viewer.js", "null")

    def _data(self) -> str:
        sliders = [{**each, "value": float(self.q[each["place"]])} for each in self._joints]
        return json.dumps({**page_data(self.stage), "sliders": sliders})

    def _greet(self) -> Iterator[Message]:
        """Yield how all is now, for a page that was just opened."""
        with self._one_at_a_time:
            yield from (self._state(), {"status": self.status}, self._handle_data())
            if self.stage.run is None:
                yield from self._posed()
            yield from self._look()

    def _tell(self, *messages: Message) -> None:
        if not self._closed.is_set():
            for message in messages:
                self.server.send(message)

    def _tell_handles(self) -> None:
        self._tell(self._handle_data())

    def _handle_data(self) -> Message:
        return {"handles": [each.data() for each in self.handles.values()]}

    def _state(self) -> Message:
        return {
            "state": {"picture": self.picture, "playing": self.playing, "speed": self.speed},
        }

    def _posed(self) -> Iterator[Message]:
        poses = self.stage.model.forward_kinematics(self.q)
        joints = [float(self.q[each["place"]]) for each in self._joints]
        yield {"poses": packed(poses[:, :3]), "joints": joints}

    def _look(self) -> Iterator[Message]:
        if self.stage.shells is not None:
            yield {"shells": look_data(self.stage.shells.look(self.q))}

    # --- what people do --------------------------------------------------------------------------

    def _hear(self, message: Message) -> None:
        """Do what a page says; what makes no sense is left alone."""
        number = {key: x for key, x in message.items() if _is_number(x)}
        if "picture" in number and self.stage.run is not None:
            self.playing = False
            self.show(int(number["picture"]))
        if isinstance(message.get("playing"), bool) and self.stage.run is not None:
            self.play(message["playing"])
        if 0.0 < number.get("speed", 0.0) <= 100.0:
            self.speed = float(number["speed"])
            self._tell(self._state())
        if "joint" in number and "value" in number:
            self._move_joint(int(number["joint"]), float(number["value"]))
        if message.get("handle") in self.handles:
            self.handles[message["handle"]].hear(message)

    def _move_joint(self, k: int, value: float) -> None:
        if 0 <= k < len(self._joints):
            joint = self._joints[k]
            q = self.q.copy()
            q[joint["place"]] = np.clip(value, joint["low"], joint["high"])
            self.pose(q)

    def _play(self) -> None:
        """Go on by the time that has passed, while playing; at the end begin again.

        Pages go on by their own clocks and are told now and then where it is.
        """
        times = self.stage.times
        now, before, told = times[0], time.monotonic(), 0.0
        while not self._closed.wait(1 / 40):
            passed, before = time.monotonic() - before, time.monotonic()
            if not self.playing:
                now = times[self.picture]
                continue
            now += passed * self.speed
            again = now > times[-1]
            now = times[0] if again else now
            picture = int(np.searchsorted(times, now, side="right")) - 1
            if picture == self.picture:
                continue
            with self._one_at_a_time:
                self.picture, self.q = picture, self.stage.q[picture]
            if again or before - told > 1.0:
                told = before
                self._tell(self._state())
            if self.stage.shells is not None and self.stage.shells.distances is not None:
                self._tell(*self._look())


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool) and math.isfinite(x)


def _sliders(stage: Stage) -> list[dict[str, Any]]:
    """Return name, limits, unit and place in q of each joint that one number moves."""
    q, found = stage.q[0], []
    for joint in stage.model.joints:
        if joint.nq != 1 or not joint.own_velocities:
            continue
        place = joint.q_slice.start
        low, high = (float(limit[0]) for limit in (joint.lower, joint.upper))
        low, high = max(low, q[place] - np.pi), min(high, q[place] + np.pi)
        found.append({"name": joint.name, "low": low, "high": high, "place": place})
    return found


# Handles in the viewer: targets that people drag and turn.


class Handle:
    """A place (3,) [m] and, if it can be turned, a quaternion [w, x, y, z] in the world."""

    def __init__(
        self,
        name: str,
        position: ArrayLike,
        wxyz: ArrayLike | None,
        changed: Callable[[], None],
        moved: Callable[[Handle], None],
    ) -> None:
        self.name = name
        self.position: Array = numbers(position, (3,), "position")
        self.wxyz: Array | None = None if wxyz is None else numbers(wxyz, (4,), "wxyz")
        self._changed, self._moved = changed, moved

    def place(self, position: ArrayLike, wxyz: ArrayLike | None = None) -> None:
        """Put the handle elsewhere; nobody is called back."""
        self.position = numbers(position, (3,), "position")
        if wxyz is not None and self.wxyz is not None:
            self.wxyz = numbers(wxyz, (4,), "wxyz")
        self._changed()

    def data(self) -> dict[str, Any]:
        """Return what pages draw."""
        turn = None if self.wxyz is None else self.wxyz.tolist()
        return {"name": self.name, "position": self.position.tolist(), "wxyz": turn}

    def hear(self, message: Mapping[str, Any]) -> None:
        """Go where a page dragged it, and call back; what makes no sense is left alone."""
        position = _vector(message.get("position"), 3)
        wxyz = _vector(message.get("wxyz"), 4)
        if position is not None:
            self.position = position
        if wxyz is not None and self.wxyz is not None and np.linalg.norm(wxyz) > 1e-6:
            self.wxyz = wxyz / np.linalg.norm(wxyz)
        self._changed()
        self._moved(self)


def _vector(given: Any, size: int) -> Array | None:
    """Return a vector of finite numbers from JSON, or None."""
    if not isinstance(given, list) or len(given) != size:
        return None
    if not all(isinstance(x, (int, float)) and abs(x) < 1e6 for x in given):
        return None
    return np.array(given, np.float64)
