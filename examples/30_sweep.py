"""How far blocks slide, over friction and speed: a study that may be killed and goes on.

The same call runs on threads, on processes, and with executor="ray" on a cluster.
"""

from __future__ import annotations

import tempfile

import numpy as np

import tarsus as ts


def slide(friction: np.ndarray, speed: np.ndarray) -> dict[str, np.ndarray]:
    """Return how far blocks come (b,) [m]: a cell in each lane of the core."""
    scene = ts.scenes.slide()
    q, v = (np.tile(each, (len(speed), 1)) for each in (scene.q0, scene.v0))
    v[:, 0] = speed
    sim = ts.Simulation(scene.model, ground=ts.Ground(friction=friction), dt=1e-3)
    run = sim.run(q, v, duration=1.5, record=False)
    return {"way": run.q[:, -1, 0] - q[:, 0], "left": np.abs(run.v[:, -1, 0])}


def main() -> None:
    grid = {"friction": [0.2, 0.4, 0.8], "speed": np.linspace(0.5, 2.0, 4)}
    with tempfile.TemporaryDirectory() as folder:
        found = ts.sweep(slide, grid, batch=4, checkpoint=folder)
        print(found.table())

        # the journal has all cells: nothing is computed again, and more speeds are added
        more = {**grid, "speed": np.linspace(0.5, 2.5, 5)}
        again = ts.sweep(slide, more, batch=4, checkpoint=folder, executor="processes", workers=1)
        print(again)

    mu, speed = np.array(more["friction"])[:, None], more["speed"]
    theory = speed**2 / (2.0 * mu * 9.81)
    error = np.abs(again.array("way") / theory - 1.0).max()
    print(f"v² / 2μg, but for {100 * error:.2f} %")
    assert again.resumed == 12 and error < 0.02


if __name__ == "__main__":
    main()
