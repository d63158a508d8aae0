"""`ts.view`: a run or a model in the browser, served to this machine only (with viser)."""

from __future__ import annotations

import contextlib
import io
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry import Distances, Volumes
from tarsus.model import Model
from tarsus.model.checks import expect
from tarsus.spatial import quaternion_from_rotation, scalar_first
from tarsus.view.gate import HOST, Gate, guarded_server
from tarsus.view.shell_nodes import ShellNodes
from tarsus.view.stage import STATE_COLORS, Stage
from tarsus.view.surfaces import ShownShapes

if TYPE_CHECKING:
    from tarsus.simulation.trajectory import Trajectory

SPEEDS = ("0.1 ×", "0.25 ×", "0.5 ×", "1 ×", "2 ×", "4 ×")


def view(
    what: Trajectory | Model,
    *,
    port: int = 8080,
    shapes: ShownShapes | None = None,
    fps: float = 30.0,
    q: ArrayLike | None = None,
    volumes: Volumes | None = None,
    distances: Distances | None = None,
) -> Viewer:
    """Show a run, or a model at q (nq,) with a slider for each joint, in a browser.

    It goes on in the background: `.url` is the address, `.wait()` waits until Ctrl-C, `.close()`
    ends it. If the port is taken, the next free one is. The address has a token without which
    nobody gets in; from another machine forward the same port, `ssh -L 8080:127.0.0.1:8080`.
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
    return Viewer(Stage(what, shapes=shapes, fps=fps, q=q, volumes=drawn), port)


class Viewer:
    """A server with a scene: the model's surfaces, the ground, contact forces, and a player."""

    def __init__(self, stage: Stage, port: int, *, sliders: bool = True) -> None:
        self.stage = stage
        self.picture = 0
        """The picture that is shown now."""
        self.playing = False
        self._gate = Gate()
        try:
            with _quiet():
                self.server: Any = guarded_server(self._gate, port, stage.model.name)
        except ModuleNotFoundError as error:
            if error.name != "viser":
                raise
            message = "the viewer needs viser: pip install 'tarsus[view]'"
            raise ModuleNotFoundError(message, name="viser") from None
        self._closed = threading.Event()
        self._one_at_a_time = threading.RLock()
        self._build_scene()
        if stage.run is None:
            if sliders:
                self._build_joint_sliders()
        else:
            self._build_player()
            self.show(0)
            threading.Thread(target=self._play, daemon=True).start()

    @property
    def url(self) -> str:
        """The address for a browser on this machine; whoever knows it can look and move things."""
        return f"http://{HOST}:{self.server.get_port()}/{self._gate.token}/"

    def show(self, picture: int) -> None:
        """Show picture number `picture`."""
        # the slider, the player and the caller may ask at once, and `close` in between
        with self._one_at_a_time:
            if self._closed.is_set():
                return
            self.picture = int(picture)
            with self.server.atomic():
                self._place(self.stage.poses[self.picture])
                self._draw_arrows()
                self._draw_shells(self.stage.q[self.picture])
                middle = self.stage.poses[self.picture, :, :2, 3].mean(axis=0)
                away = -middle if self._follow.value else np.zeros(2)
                self._world.position = (*away.tolist(), 0.0)
            self._slider.value = self.picture
            self._clock.value = f"{self.stage.times[self.picture]:.3f} s"

    def pose(self, q: Array) -> None:
        """Show the model at q (nq,)."""
        poses = self.stage.model.forward_kinematics(q)
        with self._one_at_a_time:
            if self._closed.is_set():
                return
            with self.server.atomic():
                self._place(poses)
                self._draw_shells(q)

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
        with self._one_at_a_time:
            if self._closed.is_set():
                return
            self._closed.set()
        with _quiet():
            self.server.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tarsus.Viewer of {self.stage.model.name!r} at {self.url}>"

    # --- the scene ----------------------------------------------------------------------------

    def _build_scene(self) -> None:
        stage, scene = self.stage, self.server.scene
        self.server.gui.configure_theme(show_share_button=False)
        scene.set_up_direction("+z")
        self._world = scene.add_frame("/world", show_axes=False)
        self.bodies = [
            scene.add_frame(f"/world/{k}_{name}", show_axes=False)
            for k, name in enumerate(stage.model.body_names)
        ]
        for k, surface in enumerate(stage.surfaces):
            parent = self.bodies[surface.body].name if surface.body >= 0 else "/world"
            scene.add_mesh_simple(
                f"{parent}/surface_{k}",
                surface.vertices.astype(np.float32),
                surface.triangles.astype(np.uint32),
                color=surface.color,
                flat_shading=True,
            )
        if stage.ground is not None:
            scene.add_mesh_simple(
                "/world/ground",
                stage.ground.vertices.astype(np.float32),
                stage.ground.triangles.astype(np.uint32),
                color=stage.ground.color,
                side="double",
            )
            lines = stage.ground_lines().astype(np.float32)
            scene.add_line_segments(
                "/world/lines", lines, (205, 210, 215), thickness=0.004 * stage.size
            )
        self._shells = None
        if stage.shells is not None:
            self._shells = ShellNodes(self.server, self.bodies, stage.shells, stage.size)
        self._place(stage.poses[0])
        self._draw_shells(stage.q[0])
        middle = stage.poses[0, :, :3, 3].mean(axis=0)
        self.server.initial_camera.position = middle + stage.size * np.array([1.4, -2.2, 0.9])
        self.server.initial_camera.look_at = middle

    def _place(self, poses: Array) -> None:
        """Move the bodies to poses (bodies, 4, 4)."""
        turns = scalar_first(quaternion_from_rotation(poses[:, :3, :3]))
        for frame, pose, turn in zip(self.bodies, poses, turns, strict=True):
            frame.position, frame.wxyz = pose[:3, 3], turn

    def _draw_shells(self, q: Array) -> None:
        if self._shells is not None:
            self._shells.show(q)

    def _draw_arrows(self) -> None:
        arrows = self.stage.arrows(self.picture)
        points = np.stack([arrows.points, arrows.points + arrows.vectors], axis=1)
        if not self._forces.value:
            points = points[:0]
        colors = np.array([STATE_COLORS[state] for state in arrows.states]).reshape(-1, 3)
        size = self.stage.size
        self.server.scene.add_arrows(
            "/world/forces",
            points.astype(np.float32),
            (255 * colors[: len(points)]).astype(np.uint8),
            shaft_radius=0.008 * size,
            head_radius=0.02 * size,
            head_length=0.06 * size,
        )

    # --- what people can move -----------------------------------------------------------------

    def _build_player(self) -> None:
        gui, last = self.server.gui, len(self.stage.times) - 1
        self._button = gui.add_button("Play")
        self._slider = gui.add_slider("picture", min=0, max=max(last, 1), step=1, initial_value=0)
        self._clock = gui.add_text("time", "", disabled=True)
        self._speed = gui.add_dropdown("speed", SPEEDS, initial_value="1 ×")
        self._forces = gui.add_checkbox("contact forces", True)
        self._follow = gui.add_checkbox("follow", False)
        self._button.on_click(lambda _: self._toggle())
        self._slider.on_update(lambda _: self._slide(min(self._slider.value, last)))
        self._forces.on_update(lambda _: self.show(self.picture))
        self._follow.on_update(lambda _: self.show(self.picture))

    def _slide(self, picture: int) -> None:
        if picture != self.picture:
            self.show(picture)

    def _toggle(self) -> None:
        self.playing = not self.playing
        self._button.label = "Pause" if self.playing else "Play"

    def _play(self) -> None:
        """Go on by the time that has passed, while playing; at the end begin again."""
        times = self.stage.times
        now, before = times[0], time.monotonic()
        while not self._closed.wait(1 / 40):
            passed, before = time.monotonic() - before, time.monotonic()
            if not self.playing or len(times) < 2:
                now = times[self.picture]
                continue
            now += passed * float(self._speed.value.split()[0])
            if now > times[-1]:
                now = times[0]
            picture = int(np.searchsorted(times, now, side="right")) - 1
            if picture != self.picture:
                self.show(picture)

    def _build_joint_sliders(self) -> None:
        model, q = self.stage.model, self.stage.q[0].copy()
        for joint in model.joints:
            if joint.nq != 1 or not joint.own_velocities:
                continue
            place = joint.q_slice.start
            low, high = (float(limit[0]) for limit in (joint.lower, joint.upper))
            low, high = max(low, q[place] - np.pi), min(high, q[place] + np.pi)
            start = float(np.clip(q[place], low, high))
            slider = self.server.gui.add_slider(
                joint.name, min=low, max=high, step=(high - low) / 200, initial_value=start
            )

            def move(_: Any, slider: Any = slider, place: int = place) -> None:
                q[place] = slider.value
                self.pose(q)

            slider.on_update(move)


def _quiet() -> contextlib.redirect_stdout[io.StringIO]:
    """Keep what viser prints to itself: the address is for the caller to tell."""
    return contextlib.redirect_stdout(io.StringIO())
