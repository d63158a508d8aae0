"""An independent oracle for couplings and loops: the spanning tree, projected on what is free.

Dynamics are D'Alembert's principle for all bodies, rotors included, with poses and their second
derivatives from complex numbers, projected by the coupling matrix G of `spanning.Spanning`.
"""

from __future__ import annotations

import numpy as np
from closures import derivatives
from oracle import Array, axial
from spanning import Spanning
from spanning import spanning_tree as spanning_tree
from spanning import user_layout as user_layout


class Projection(Spanning):
    """The mechanics of one mechanism, for one state at a time."""

    def motion(self, x: Array, w: Array, wdot: Array) -> tuple[Array, Array, Array]:
        """Return poses of all bodies (n_bodies, 4, 4), their rates and second rates."""
        along, reach = self.curve(x, w, wdot)
        first, second = derivatives(lambda t: self.bodies.poses(along(t)), reach)
        return self.bodies.poses(x), first, second

    def body_forces(
        self, x: Array, w: Array, wdot: Array, external: Array | None = None
    ) -> tuple[Array, Array]:
        """Return force, and moment about the centre, that joints must exert on each body."""
        own = self.bodies
        poses, first, second = self.motion(x, w, wdot)
        r = poses[:, :3, :3]
        back = np.swapaxes(r, -1, -2)
        turning, spinning = axial(first[:, :3, :3] @ back), axial(second[:, :3, :3] @ back)
        inertia = own.world_inertias(x)
        centre = second[:, :3, 3] + np.einsum("bij,bj->bi", second[:, :3, :3], own.coms)
        force = own.masses[:, None] * (centre - self.tree.gravity)
        spin = np.einsum("bij,bj->bi", inertia, turning)
        moment = np.einsum("bij,bj->bi", inertia, spinning) + np.cross(turning, spin)
        if external is not None:
            push, twist = (np.einsum("bij,bj->bi", r, part) for part in np.split(external, 2, -1))
            arm = poses[:, :3, 3] - own.centres(x)
            force, moment = force - push, moment - twist - np.cross(arm, push)
        return force, moment

    def spanning_forces(
        self, x: Array, w: Array, wdot: Array, external: Array | None = None
    ) -> Array:
        """Return the generalised forces (nw,) of the spanning tree, armatures included."""
        force, moment = self.body_forces(x, w, wdot, external)
        centre, turning = self.bodies.jacobians(x)
        tau = np.einsum("bik,bi->k", centre, force) + np.einsum("bik,bi->k", turning, moment)
        return np.asarray(tau + self.bodies.armature * wdot)

    def inverse_dynamics(
        self, x: Array, v: Array, a: Array, external: Array | None = None
    ) -> Array:
        """Return the generalised forces (nv,); loops that are constraints play no part."""
        g = self.coupling_matrix(x)
        wdot = g @ a + self.drift(x, v)
        return np.asarray(g.T @ self.spanning_forces(x, g @ v, wdot, external))

    def mass_matrix(self, x: Array) -> Array:
        """Return Gᵀ H G."""
        g = self.coupling_matrix(x)
        return np.asarray(g.T @ self.bodies.mass_matrix(x) @ g)

    def constraint_rows(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Return J (rows, nv) and J̇ v (rows,) of the loops that are constraints."""
        kept, g = ~self.eliminated, self.coupling_matrix(x)
        jacobian = self.rows(x)[kept]
        bias = self.row_accelerations(x, g @ v)[kept] + jacobian @ self.drift(x, v)
        return jacobian @ g, bias

    def forward_dynamics(
        self, x: Array, v: Array, tau: Array, external: Array | None = None
    ) -> Array:
        """Return v̇ (nv,)."""
        rest = tau - self.inverse_dynamics(x, v, np.zeros_like(v), external)
        return self.accelerations(x, v, self.mass_matrix(x), rest)

    def accelerations(self, x: Array, v: Array, mass_matrix: Array, rest: Array) -> Array:
        """Return v̇ (nv,) for forces less bias, with multipliers of constraints, least squares."""
        jacobian, bias = self.constraint_rows(x, v)
        n = len(bias)
        matrix = np.block([[mass_matrix, jacobian.T], [jacobian, np.zeros((n, n))]])
        found = np.linalg.lstsq(matrix, np.concatenate([rest, -bias]), rcond=1e-13)[0]
        return np.asarray(found[: self.nv])
