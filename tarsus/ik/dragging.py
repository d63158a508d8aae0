"""`ts.ik.drag`: targets are dragged in the browser, and the machine follows.

Each task of a frame whose target is in the world has a handle there. A loop makes steps of the
solver, as a controller would, and draws where they lead.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import find, numbers, positive
from tarsus._lib.files import Array
from tarsus.ik.tasks.frames import FrameTask
from tarsus.ik.tasks.points import PositionTask
from tarsus.ik.track import middle
from tarsus.spatial import (
    pose,
    quaternion_from_rotation,
    rotation_from_quaternion,
    scalar_first,
    scalar_last,
)
from tarsus.view.frame_sequence import FINE, Stage
from tarsus.view.triangle_meshes import ShownShapes
from tarsus.view.viewer import Handle, Viewer

if TYPE_CHECKING:
    from tarsus.ik.solver import Solver

Led = FrameTask | PositionTask
"""Tasks that have handles."""
STILL = 1e-7
"""[rad/s, m/s] what moves more slowly is not drawn anew."""


def drag(
    solver: Solver,
    q: ArrayLike | None = None,
    *,
    dt: float = 0.025,
    port: int = 8080,
    shapes: ShownShapes | None = None,
) -> Dragging:
    """Drag the targets of a solver's tasks in a browser, on this machine only, from q (nq,).

    Without q it begins in the middle of the joints' ranges. The machine makes a step of `dt` [s]
    each `dt`, within its limits, with what it avoids drawn. It goes on in the background: `.url` is
    the address, `.q` where it is, `.wait()` waits until Ctrl-C, `.close()` ends it.
    """
    model = solver.model
    start = middle(model) if q is None else numbers(q, (model.nq,), "q")
    return Dragging(solver, np.asarray(start), positive(dt, "dt"), port, shapes)


class Dragging:
    """A page with a machine and handles for what it shall do."""

    def __init__(
        self, solver: Solver, q: Array, dt: float, port: int, shapes: ShownShapes | None
    ) -> None:
        self.solver, self.q = solver, q
        """The solver, and the configuration (nq,) that is shown."""
        led = [task for task in solver.tasks if isinstance(task, Led)]
        self.tasks: dict[str, Led] = {task.name: task for task in led if _has_handle(task)}
        if not self.tasks:
            raise ValueError(
                "the solver has no task to drag: a FrameTask or a PositionTask in the world"
            )
        avoid = solver.constraints.avoid
        shells = None if avoid is None else avoid.distances
        stage = Stage(solver.model, q=q, shapes=shapes, volumes=shells, detail=FINE)
        self.viewer = Viewer(stage, port, sliders=False)
        self._lock, self._closed = threading.Lock(), threading.Event()
        self._build()
        self._thread = threading.Thread(target=self._follow, args=(dt,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address for a browser on this machine."""
        return self.viewer.url

    @property
    def status(self) -> str:
        """How the last step ended, and what is farthest from its target."""
        return self.viewer.status

    def lead(self, name: str, position: ArrayLike, wxyz: ArrayLike = (1.0, 0.0, 0.0, 0.0)) -> None:
        """Set the target of a task, and its handle: a position (3,) [m] and a quaternion."""
        at = numbers(position, (3,), "position")
        find(self.tasks, name, "task")
        self._handles[name].place(at, wxyz)
        self._aim(name, at, wxyz)

    def _aim(self, name: str, at: ArrayLike, wxyz: ArrayLike) -> None:
        task = self.tasks[name]
        with self._lock:
            if isinstance(task, PositionTask):
                task.target = at
            else:
                task.target = pose(at, rotation_from_quaternion(scalar_last(wxyz)))

    def wait(self) -> None:
        """Print the address and wait until Ctrl-C."""
        self.viewer.wait()
        self.close()

    def close(self) -> None:
        """End the page; `q` stays where it was."""
        self._closed.set()
        self._thread.join()
        self.viewer.close()

    def __enter__(self) -> Dragging:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _build(self) -> None:
        """Put a handle at each target."""
        self._handles: dict[str, Handle] = {}
        for name, task in self.tasks.items():
            at = np.asarray(task.target)
            place, turn = (at, None) if at.ndim == 1 else (at[:3, 3], at[:3, :3])
            wxyz = None if turn is None else scalar_first(quaternion_from_rotation(turn))
            self._handles[name] = self.viewer.handle(name, place, wxyz, moved=self._moved)

    def _moved(self, handle: Handle) -> None:
        turn = (1.0, 0.0, 0.0, 0.0) if handle.wxyz is None else handle.wxyz
        self._aim(handle.name, handle.position, turn)

    def _follow(self, dt: float) -> None:
        """Make steps until it is closed; what goes wrong is told on the page, and it stands."""
        while not self._closed.wait(dt):
            try:
                with self._lock:
                    step = self.solver.step(self.q, dt)
                    errors = {
                        name: float(np.linalg.norm(task.error(step.q)[:3]))
                        for name, task in self.tasks.items()
                    }
            except (ValueError, ArithmeticError) as error:
                self.viewer.say(str(error))
                continue
            worst = max(errors, key=errors.__getitem__)
            self.viewer.say(f"{step.status}, {worst}: {1e3 * errors[worst]:.1f} mm")
            if np.abs(step.v).max(initial=0.0) > STILL:
                self.q = step.q
                self.viewer.pose(step.q)


def _has_handle(task: Led) -> bool:
    """Whether a task has one target in the world."""
    return (
        task.relative_to is None
        and getattr(task, "axes", None) in (None, "world")
        and np.asarray(task.target).shape == task.target_shape
    )
