"""An oracle for Coriolis matrices and slopes of forces: dense, in world axes, no recursion.

Bodies are centres of mass and turning: C = Σ m Jcᵀ J̇c + Jωᵀ (I J̇ω + B Jω), where Jc is the
Jacobian of the centre, Jω that of turning, and B(ω) w = ½ (ω × I w + w × I ω − I (ω × w)) is the
connection of a turning body. The other factorisations are those of spatial vectors,
C = Σ Jᵀ (I J̇ + B J). Jacobians are those of all joints times the coupling matrix G, and change
along the joint velocities G v.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from analytic import UPPER, WHOLE, AnalyticOracle, along, circular
from closures import follow, loop_rates
from oracle import Array, skew
from projection import Projection

from tarsus.model.description import Coupling


@dataclass(frozen=True)
class Maps:
    """Jacobians (…, nb, 3, nv) of centres and turning, G (…, nw, nv), and the mass matrix."""

    centre: Array
    turning: Array
    g: Array
    mass: Array


class Connection(Projection):
    """The mechanics of one mechanism; positions x (…, nx) may be complex, v is the user's."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.bodies: AnalyticOracle = AnalyticOracle(self.tree)
        # radius of circles: no singular point without quaternions, one not far away with loops
        closed = self.loops or any(coupling.kind != "linear" for coupling in self.couplings)
        entire = all(joint.nq == joint.nv for joint in self.tree.joints)
        self.reach = 0.01 if closed else 0.15 if entire else 0.04
        self._known: dict[bytes, tuple[Maps, Maps]] = {}

    # --- the coupling matrix --------------------------------------------------------------------

    def rows(self, x: Array) -> Array:
        """Return A (…, rows, nw): couplings, then loops."""
        parts = [self.coupling_rows(x, coupling) for coupling in self.couplings]
        if self.loops:
            parts += self.loop_rows(x)
        return np.concatenate([np.zeros((*x.shape[:-1], 0, self.tree.nv)), *parts], axis=-2)

    def loop_rows(self, x: Array) -> list[Array]:
        """Return the rows (…, n, nw) of each loop."""
        still = self.bodies.poses(x)[..., None, :, :, :]
        rates = self.bodies.twists(x)[..., None, :, :] @ still
        moved = still + self.bodies.moves.T[..., None, None] * rates
        found = []
        for loop in self.loops:
            a, a_moved = (self.frame(p, loop.body_a, loop.placement_a) for p in (still, moved))
            b, b_moved = (self.frame(p, loop.body_b, loop.placement_b) for p in (still, moved))
            back = np.linalg.inv(a)
            # rates of frames are linear in those of bodies; what is on the world cancels
            rate = back @ (b_moved - b - (a_moved - a) @ back @ b)
            found.append(np.swapaxes(loop_rates(loop, back @ b, rate), -1, -2))
        return found

    def coupling_rows(self, x: Array, coupling: Coupling) -> Array:
        """Return the rows (…, followers, nw) of a coupling."""
        leaders, followers = (
            [self.tree.joint(name).v_slice.start for name in names]
            for names in (coupling.leaders, coupling.followers)
        )
        y = x[..., None, self._at(coupling.leaders)]
        slopes = circular(lambda s: follow(coupling, along(y, np.eye(y.shape[-1]))(s)))
        found = np.zeros((*x.shape[:-1], len(followers), self.tree.nv), x.dtype)
        found[..., leaders] = -np.swapaxes(slopes if np.iscomplexobj(x) else slopes.real, -1, -2)
        found[..., np.arange(len(followers)), followers] = 1.0
        return found

    def coupling_matrix(self, x: Array) -> Array:
        """Return G (…, nw, nv)."""
        a = self.rows(x)[..., self.eliminated, :]
        dependent, independent = a[..., ~self.free], a[..., self.free]
        if dependent.shape[-1] != dependent.shape[-2]:  # redundant rows; no conjugates
            back = np.swapaxes(dependent, -1, -2)
            dependent, independent = back @ dependent, back @ independent
        g = np.zeros((*x.shape[:-1], self.tree.nv, self.nv), a.dtype)
        g[..., self.free, :] = np.eye(self.nv)
        g[..., ~self.free, :] = -np.linalg.solve(dependent, independent)
        return g

    # --- Jacobians and how they change ----------------------------------------------------------

    def maps(self, x: Array) -> Maps:
        """Return Jacobians, G, and H with armatures, at positions x (…, nx)."""
        g = self.coupling_matrix(x)
        centre, turning = (j @ g[..., None, :, :] for j in self.bodies.jacobians(x))
        mass = summed(centre, self.bodies.masses[:, None, None] * centre)
        mass += summed(turning, self.bodies.world_inertias(x) @ turning)
        mass += np.swapaxes(g, -1, -2) @ (self.bodies.armature[:, None] * g)
        return Maps(centre, turning, g, mass)

    def maps_and_rates(self, x: Array, v: Array) -> tuple[Maps, Maps]:
        """Return the maps at x (…, nx), and their rates along v (nv,)."""
        if np.iscomplexobj(x):
            return self._maps_and_rates(x, v)
        key = x.tobytes() + v.tobytes()
        if key not in self._known:
            self._known[key] = self._maps_and_rates(x, v)
        return self._known[key]

    def reach_along(self, step: Array) -> float:
        """Return the radius of a circle for positions that move with these rates."""
        return self.reach / max(1.0, 0.2 * float(np.abs(step).max(initial=0.0)))

    def _maps_and_rates(self, x: Array, v: Array) -> tuple[Maps, Maps]:
        here = self.maps(x)
        step = self.bodies.rate(x, (here.g @ v[..., None])[..., 0])
        reach = self.reach_along(step)
        circle = WHOLE if np.iscomplexobj(x) else UPPER
        there = self.maps(along(x, step)(reach * circle.points))
        around = (there.centre, there.turning, there.g, there.mass)
        return here, Maps(*(circle.slope(values) / reach for values in around))

    # --- Coriolis matrices ----------------------------------------------------------------------

    def coriolis_matrix(self, x: Array, v: Array) -> Array:
        """Return C (nv, nv) of the connection, by centres of mass and turning."""
        here, rate = self.maps_and_rates(x, v)
        inertia, omega = self.bodies.world_inertias(x), here.turning @ v
        spin, momentum = skew(omega), skew((inertia @ omega[..., None])[..., 0])
        b = 0.5 * (spin @ inertia - momentum - inertia @ spin)
        c = summed(here.centre, self.bodies.masses[:, None, None] * rate.centre)
        c += summed(here.turning, inertia @ rate.turning + b @ here.turning)
        return np.asarray(c + here.g.T @ (self.bodies.armature[:, None] * rate.g))

    def spatial_coriolis_matrix(self, x: Array, v: Array, factorization: str) -> Array:
        """Return Σ Jᵀ (I J̇ + B J), angular first, about the world's origin; B as `spatial_b`."""
        here, rate = self.maps_and_rates(x, v)
        arm, arm_rate = skew(self.bodies.centres(x)), skew(here.centre @ v)
        # the point of the body at the origin moves with v_c − ω × c
        j = np.concatenate([here.turning, here.centre + arm @ here.turning], axis=-2)
        origin_rate = rate.centre + arm @ rate.turning + arm_rate @ here.turning
        j_rate = np.concatenate([rate.turning, origin_rate], axis=-2)
        inertia = self.spatial_inertias(x)
        c = summed(j, inertia @ j_rate + spatial_b(j @ v, inertia, factorization) @ j)
        return np.asarray(c + here.g.T @ (self.bodies.armature[:, None] * rate.g))

    def spatial_inertias(self, x: Array) -> Array:
        """Return the inertias (nb, 6, 6), angular first, about the world's origin."""
        arm, mass = skew(self.bodies.centres(x)), self.bodies.masses[:, None, None]
        turning = self.bodies.world_inertias(x) - mass * arm @ arm
        return np.block([[turning, mass * arm], [-mass * arm, mass * np.eye(3)]])

    def mass_matrix_rate(self, x: Array, v: Array) -> Array:
        """Return Ḣ (nv, nv), the derivative of the dense mass matrix."""
        return self.maps_and_rates(x, v)[1].mass

    # --- forces ---------------------------------------------------------------------------------

    def forces(self, x: Array, v: Array, a: Array, external: Array) -> Array:
        """Return the generalised forces (…, nv) for the motion, with wrenches in body frames."""
        here, rate = self.maps_and_rates(x, v)
        own, pose = self.bodies, self.bodies.poses(x)
        inertia = own.world_inertias(x)
        omega = here.turning @ v
        spin = (inertia @ omega[..., None])[..., 0]
        moment = (inertia @ (here.turning @ a + rate.turning @ v)[..., None])[..., 0]
        force = own.masses[:, None] * (here.centre @ a + rate.centre @ v - self.tree.gravity)
        push, twist = (
            (pose[..., :3, :3] @ part[..., None])[..., 0] for part in np.split(external, 2, -1)
        )
        arm = pose[..., :3, 3] - own.centres(x)
        moment = moment + np.cross(omega, spin) - twist - np.cross(arm, push)
        tau = np.einsum("...bik,...bi->...k", here.centre, force - push)
        tau += np.einsum("...bik,...bi->...k", here.turning, moment)
        drive = own.armature * (here.g @ a + rate.g @ v)
        return np.asarray(tau + np.einsum("...wk,...w->...k", here.g, drive))

    def slopes_of_forces(
        self, x: Array, v: Array, a: Array, external: Array, directions: Array
    ) -> Array:
        """Return the derivatives (n, nv) of `forces` along directions (n, nv) of the positions."""
        step = self.bodies.rate(x, directions @ self.coupling_matrix(x).T)
        reach = self.reach_along(step)
        around = along(x, step)(reach * UPPER.points)
        return UPPER.slope(self.forces(around, v, a, external)) / reach


def spatial_b(v: Array, inertia: Array, factorization: str) -> Array:
    """Return B(v, I) (…, 6, 6), angular first: Echeandia 2020, section 3.2.1.

    "force" is (v×*) I; "momentum" is (I v)×̄* − I (v×); "christoffel" is the mean of the two, and
    "skew" is (I v)×̄* alone, which has the right product with v but not the right symmetric part.
    """
    zero = np.zeros((*v.shape[:-1], 3, 3))
    motion = np.block([[skew(v[..., :3]), zero], [skew(v[..., 3:]), skew(v[..., :3])]])
    h = (inertia @ v[..., None])[..., 0]
    bar = np.block([[-skew(h[..., :3]), -skew(h[..., 3:])], [-skew(h[..., 3:]), zero]])
    force = -np.swapaxes(motion, -1, -2) @ inertia
    momentum = bar - inertia @ motion
    mean = 0.5 * (force + momentum)
    found = {"christoffel": mean, "force": force, "momentum": momentum, "skew": bar}
    return np.asarray(found[factorization])


def summed(left: Array, right: Array) -> Array:
    """Return Σ_b leftᵀ right of matrices (…, nb, m, n)."""
    return np.asarray((np.swapaxes(left, -1, -2) @ right).sum(axis=-3))
