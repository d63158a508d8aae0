"""The shipped machines with gears, couplings, loops and rolling joints, against the oracle."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from cluster_cases import METHODS, distance
from oracle import Array, slope
from projection import Projection

import tarsus as ts

MACHINES = {
    "lola 1": lambda: ts.robots.lola(1),
    "lola 2": lambda: ts.robots.lola(2),
    "lola 3": lambda: ts.robots.lola(3),
    "mini cheetah": lambda: ts.robots.mini_cheetah(),
    "four-bar": lambda: ts.robots.four_bar(),
    "four-bars in a chain": lambda: ts.robots.four_bar_chain(4),
    "slider-crank": lambda: ts.robots.slider_crank(),
    "spatial four-bar": lambda: ts.robots.spatial_four_bar(),
    "five bodies": lambda: ts.robots.five_bodies(),
    "differential": lambda: ts.robots.differential(),
    "Strandbeest leg": lambda: ts.robots.strandbeest_leg(),
    "snakeboard": lambda: ts.robots.snakeboard(),
    "rolling disc": lambda: ts.robots.rolling_disc(),
}
each_machine = pytest.mark.parametrize("name", MACHINES)


def state(model: ts.Model) -> tuple[Array, Array, Array]:
    """Return a configuration near the neutral one, velocities that constraints allow, forces."""
    rng = np.random.default_rng(0)
    q = model.integrate(model.neutral(), 0.1 * rng.normal(size=model.nv))
    v, tau = rng.normal(size=(2, model.nv))
    if model.constraints:
        own = Projection.of(model)
        jacobian = own.constraint_rows(model.joint_positions(q), v)[0]
        v = v - np.linalg.pinv(jacobian, rcond=1e-10) @ (jacobian @ v)
    return q, v, tau


@each_machine
def test_forward_dynamics(name: str) -> None:
    model = MACHINES[name]()
    q, v, tau = state(model)
    x = np.asarray(model.joint_positions(q))
    own = Projection.of(model)
    assert np.abs(own.gaps(x)).max(initial=0.0) < 1e-10
    expected = own.forward_dynamics(x, v, tau)
    for method in METHODS:
        residual = distance(model.forward_dynamics(q, v, tau, method=method), expected)
        print(f"{name}, {method}: {residual:.1e}")
        assert residual < 1e-9


@each_machine
def test_power_is_the_rate_of_energy(name: str) -> None:
    model = MACHINES[name]()
    q, v, tau = state(model)
    a = model.forward_dynamics(q, v, tau)

    def energy(s: float) -> float:
        moved, faster = model.integrate(q, s * v), v + s * a
        return float(model.kinetic_energy(moved, faster) + model.potential_energy(moved))

    residual = distance(slope(energy, 1e-4), tau @ v)
    print(f"{name}: {residual:.1e}")
    assert residual < 1e-6


# type: degrees of freedom, non-zeros of the lower triangle by topology and by value (the spin of
# a rotor that is round about its axis couples only with the root's rotation about it), and
# clusters of several bodies by their number of coordinates
LOLA = {2: (30, 267, 251, {1: 20, 2: 2}), 3: (46, 420, 334, {1: 4, 2: 2})}


def non_zeros_by_topology(model: ts.Model) -> int:
    """Return how many pairs of coordinates, one above the other or the same, are related."""
    cluster_of = {body: cluster for cluster in model.clusters for body in cluster.bodies}

    def size(k: ts.Cluster) -> int:
        return int(k.v_slice.stop - k.v_slice.start)

    total = 0
    for cluster in model.clusters:
        total += size(cluster) * (size(cluster) + 1) // 2
        above = cluster
        while above.parent != "world":
            above = cluster_of[above.parent]
            total += size(cluster) * size(above)
    return total


@pytest.mark.parametrize("kind", LOLA)
def test_lola(kind: int) -> None:
    """M. Schwienbacher, "Efficient Algorithms for Biped Robots", TU München 2013, Table 2.4."""
    model, (nv, by_topology, by_value, sizes) = ts.robots.lola(kind), LOLA[kind]
    h = model.mass_matrix(model.random_configuration(0))
    clusters = [cluster for cluster in model.clusters if len(cluster.bodies) > 1]
    found = Counter(cluster.v_slice.stop - cluster.v_slice.start for cluster in clusters)
    assert model.nv == nv
    assert non_zeros_by_topology(model) == by_topology
    # entries that cancel are of the size of rounding errors, other ones with each instruction set
    assert int((np.abs(np.tril(h)) > 1e-12 * np.abs(h).max()).sum()) == by_value
    assert dict(found) == sizes
    assert all(body.parent < body.index for body in model.bodies)


def test_lola_with_locked_joints() -> None:
    assert ts.robots.lola(1).nv == 6
