"""Example 3.9 of V. Duindam: a force that pulls is no reason to let go."""

from __future__ import annotations

import numpy as np

from tarsus import scenes
from tarsus._lib.files import Array
from tarsus.simulation.contact.event import Event
from tarsus.simulation.trajectory import Trajectory
from tarsus_lab.reproduce.port_4_2 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, compared, judged

SIGNS = "in print its sign is lost; the text calls it negative, and into the ground"
FREE = 0.3
"""How long the tip is shown after it has been let go [s]."""


def run() -> Result:
    """Compare the arm on the floor with example 3.9."""
    scene = scenes.release()
    sliding = scene.run()
    gripped = scene.but(contact=Event(slips=False)).run()
    loose = scene.but(ground=None, collision=None, duration=FREE).run()
    return Result(
        "port-3.9",
        "An arm of two links is pulled along the floor: does its tip let go?",
        f"{SOURCE}, example 3.9",
        (*_accelerations(), *_held(gripped), *_motions(loose, sliding)),
        tuple(
            Curve(label, tuple(each.t.tolist()), tuple(_heights(each).tolist()))
            for label, each in (("let go", loose), ("on the floor", sliding))
        ),
        ("time [s]", "height of the tip [m]"),
    )


def _accelerations() -> list[Row]:
    scene = scenes.release()
    model, q = scene.model, scene.q0
    rows = np.asarray(model.frame_jacobian(q, "tip", "local_world_aligned"))[[0, 2]]
    pull = np.asarray(model.frame_jacobian(q, "lower_middle", "local_world_aligned"))[0]
    free = rows @ np.linalg.solve(np.asarray(model.mass_matrix(q)), pull)
    return [
        compared("effort of the pull, first joint [N m]", "-0.353553", float(pull[0])),
        compared("second joint [N m]", "0.353553", float(pull[1])),
        compared("acceleration of a free tip, along [m/s²]", "1.4", float(free[0])),
        compared("up [m/s²]", "0.6", float(free[1]), right="-0.6", reason=SIGNS),
    ]


def _held(run: Trajectory) -> list[Row]:
    along, _, up = run.contacts.force[-1]
    moved = float(np.abs(run.q - run.q[0]).max())
    return [
        compared("force on a tip that must not slip, along [N]", "-0.75", float(along)),
        compared("up [N]", "0.25", float(up), right="-0.25", reason=SIGNS),
        judged("it is kept all the same: moves by [rad]", "kept", moved, moved < 1e-12),
    ]


def _motions(loose: Trajectory, sliding: Trajectory) -> list[Row]:
    sunk, off = float(-_heights(loose)[-1]), float(np.abs(_heights(sliding)).max())
    return [
        judged("if it were let go, it sinks in 0.3 s by [m]", "into the ground", sunk, sunk > 0.0),
        judged("if it may slip, largest height [m]", "", off, off < 1e-9),
    ]


def _heights(run: Trajectory) -> Array:
    return np.asarray(run.model.frame_pose(run.q, "tip"))[:, 2, 3]
