"""Load Cassie, a biped with springs and four closed loops, from an SDF file.

SDF states links and joints as a graph. A spanning tree becomes the joints of the model, and what
is left over closes loops, each in a cluster of one leg. Needs `pip install example-robot-data`.
"""

import importlib.metadata
from pathlib import Path

import numpy as np

import tarsus as ts

FILE = "share/example-robot-data/robots/cassie_description/robots/cassie_v2.sdf"


def file_of_cassie():
    """Return the file, or None if the package is not installed."""
    try:
        package = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(package.locate_file(f"cmeel.prefix/{FILE}")))


def look_at(cassie):
    """Print which joints move together, and what the loops take away."""
    print(f"{cassie}, {cassie.total_mass:.1f} kg")
    for cluster in cassie.clusters:
        if cluster.kind == "loop":
            print(f"  loop on {cluster.parent}: {', '.join(cluster.independent)}")
            follow = [name for name in cluster.joints if name not in cluster.independent]
            print(f"    move {', '.join(follow)}")
    q = cassie.neutral()
    print(f"loops are closed to {np.abs(cassie.loop_gaps(q)).max():.1e} m")


def press(cassie):
    """Bend a knee against the springs of the leg, and let go."""
    q, v = cassie.neutral(), np.zeros(cassie.nv)
    knee = cassie.joint("left-knee-op")
    step = np.zeros(cassie.nv)
    step[knee.v_slice] = 0.01
    bent = cassie.integrate(q, step)  # closes the loops again
    print(f"a knee bent by 0.01 rad, gap {np.abs(cassie.loop_gaps(bent)).max():.1e} m:")
    for joint in cassie.joints:
        if joint.dependent and abs((bent - q)[joint.q_slice]).max() > 1e-4:
            print(f"  {joint.name:27} follows by {(bent - q)[joint.q_slice][0]:7.4f} rad")
    tau = cassie.passive_forces(bent, v)
    print(f"springs hold {cassie.elastic_energy(bent):.3f} J")
    a = cassie.forward_dynamics(bent, v, tau)
    others = [cassie.forward_dynamics(bent, v, tau, method=way) for way in ("sparse", "dense")]
    difference = max(np.abs(other - a).max() for other in others) / np.abs(a).max()
    print(f"the knee accelerates by {a[knee.v_slice][0]:.1f} rad/s²")
    print(f"by articulated bodies as by factorisation: {difference:.1e}")


file = file_of_cassie()
if file is None:
    print("Cassie is in a package that is not installed: pip install example-robot-data")
else:
    robot = ts.load(file)
    look_at(robot)
    press(robot)
