"""An arm, a table and boxes as one scene: what slides, what stays, and who pushes it.

The table is part of the world, the boxes are free. Each box has a friction of its own: the arm
sweeps over the table, and the slippery box goes so far that it falls.
"""

from __future__ import annotations

import numpy as np

import tarsus as ts


def box(friction: float) -> ts.Model:
    builder = ts.Builder("box").body("box", mass=0.4, inertia=[7e-4, 7e-4, 7e-4])
    builder.joint("free", "free", "world", "box")
    builder.shape("box", "box", (0.1, 0.1, 0.1), role="collision", friction=friction)
    builder.shape("box", "box", (0.1, 0.1, 0.1), color=(0.8, 0.4, 0.2, 1.0))
    return builder.build()


def table() -> ts.Model:
    builder = ts.Builder("table").body("top").joint("weld", "fixed", "world", "top")
    for role in ("collision", "visual"):
        builder.shape("top", "box", (0.8, 1.6, 0.04), role=role, position=[0.6, 0, 0.38])
    return builder.build()


def arm() -> ts.Model:
    """Return a column that turns, with an arm that reaches over the table."""
    builder = ts.Builder("arm").body("column", mass=5.0, inertia=[0.2, 0.2, 0.05])
    builder.body("reach", mass=2.0, com=[0.35, 0, 0], inertia=[0.01, 0.1, 0.1])
    builder.joint("turn", "revolute", "world", "column", axis="z", lower=-3.0, upper=3.0)
    builder.joint("lift", "revolute", "column", "reach", axis="y", position=[0, 0, 0.46])
    along = ts.spatial.rotation_along([1.0, 0.0, 0.0])
    for role in ("collision", "visual"):
        builder.shape("column", "cylinder", (0.08, 0.5), role=role, position=[0, 0, 0.2])
        builder.shape(
            "reach", "capsule", (0.03, 0.7), role=role, position=[0.35, 0, 0], rotation=along
        )
    return builder.build()


def main() -> None:
    scene = ts.combine(
        *(arm(), table(), box(0.6), box(0.1)),
        names=("arm", "table", "rough", "slippery"),
        at=(None, None, (0.4, 0.3, 0.45), (0.65, 0.3, 0.45)),
    )
    print(f"{scene.name}: {', '.join(scene.joint_names)}")
    sim = ts.Simulation(scene, ground=ts.Ground(friction=0.8), dt=1e-3)
    print("\n".join(sim.collision.warnings))

    # the arm turns by 0.6 rad within 0.4 s, and stays there
    def sweep(t: float) -> np.ndarray:
        q = scene.neutral()
        q[scene.joint("arm/turn").q_slice] = 0.6 * np.clip(t / 0.4, 0.0, 1.0)
        return q

    run = sim.run(duration=1.5, controller=ts.control.PD(scene, 400.0, 40.0, sweep))
    for name in ("rough", "slippery"):
        place = run.q[-1, scene.joint(f"{name}/free").q_slice][:3]
        print(f"{name} box: pushed by {np.hypot(*place[:2]):.3f} m, {place[2] + 0.45:.3f} m high")
    print(f"energy is accounted for to {np.max(run.energy.relative_residual):.1e}")


if __name__ == "__main__":
    main()
