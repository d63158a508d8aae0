"""Forces, masses and energies of random mechanisms, against vector mechanics of free bodies.

Where the oracle is analytic the residuals are those of rounding; where it takes differences of
momenta they are a few hundred times larger.
"""

from __future__ import annotations

import numpy as np
from mechanisms import METHODS, Case, check, distance
from oracle import slope
from power import rate_and_power

ROUNDING = 1e-11
DIFFERENCES = 1e-10


def test_poses_are_products_of_matrices() -> None:
    def residual(c: Case) -> float:
        return distance(c.model.forward_kinematics(c.q), c.oracle.poses(c.q))

    check("poses", residual, 1e-13)


def test_mass_matrix_is_the_sum_over_bodies() -> None:
    def residual(c: Case) -> float:
        return distance(c.model.mass_matrix(c.q), c.oracle.mass_matrix(c.q))

    check("mass matrix", residual, 1e-12)


def test_bias_forces_project_the_rates_of_momentum() -> None:
    def residual(c: Case) -> float:
        expected = c.oracle.inverse_dynamics(c.q, c.v, np.zeros_like(c.v))
        return distance(c.model.bias_forces(c.q, c.v), expected)

    check("bias forces", residual, DIFFERENCES)


def test_inverse_dynamics_with_external_wrenches() -> None:
    def residual(c: Case) -> float:
        expected = c.oracle.inverse_dynamics(c.q, c.v, c.a, c.external)
        return distance(c.model.inverse_dynamics(c.q, c.v, c.a, c.external), expected)

    check("inverse dynamics", residual, DIFFERENCES)


def test_inverse_dynamics_is_mass_times_acceleration_plus_bias() -> None:
    def residual(c: Case) -> float:
        expected = c.model.mass_matrix(c.q) @ c.a + c.model.bias_forces(c.q, c.v)
        return distance(c.model.inverse_dynamics(c.q, c.v, c.a), expected)

    check("H a + bias", residual, ROUNDING)


def test_external_wrenches_act_through_jacobians() -> None:
    def residual(c: Case) -> float:
        with_them = c.model.inverse_dynamics(c.q, c.v, c.a, c.external)
        without = c.model.inverse_dynamics(c.q, c.v, c.a)
        jacobians = [c.model.frame_jacobian(c.q, name) for name in c.model.body_names]
        projected = sum(j.T @ f for j, f in zip(jacobians, c.external, strict=True))
        return distance(without - with_them, projected)

    check("external wrenches", residual, ROUNDING)


def test_gravity_forces_project_the_weights() -> None:
    def residual(c: Case) -> float:
        centre, _ = c.oracle.jacobians(c.q)
        weights = c.oracle.masses[:, None] * c.model.gravity
        expected = -np.einsum("bik,bi->k", centre, weights)
        at_rest = c.model.bias_forces(c.q, np.zeros_like(c.v))
        found = c.model.gravity_forces(c.q)
        return max(distance(found, expected), distance(found, at_rest))

    check("gravity forces", residual, ROUNDING)


def test_gravity_forces_are_the_slope_of_potential_energy() -> None:
    def residual(c: Case) -> float:
        energy = slope(lambda s: c.model.potential_energy(c.model.integrate(c.q, s * c.v)))
        return distance(c.model.gravity_forces(c.q) @ c.v, energy)

    check("slope of potential energy", residual, 1e-9)


def test_forward_dynamics_by_three_methods() -> None:
    def residual(c: Case) -> float:
        h = c.oracle.mass_matrix(c.q)
        bias = c.model.inverse_dynamics(c.q, c.v, np.zeros_like(c.v), c.external)
        expected = np.linalg.solve(h, c.tau - bias)
        found = [
            c.model.forward_dynamics(c.q, c.v, c.tau, c.external, method=method)
            for method in METHODS
        ]
        return max(distance(a, expected) for a in found)

    check("forward dynamics", residual, 1e-10)


def test_inverse_undoes_forward() -> None:
    def residual(c: Case) -> float:
        found = []
        for method in METHODS:
            a = c.model.forward_dynamics(c.q, c.v, c.tau, c.external, method=method)
            found.append(c.model.inverse_dynamics(c.q, c.v, a, c.external))
        return max(distance(tau, c.tau) for tau in found)

    check("inverse(forward(tau)) = tau", residual, ROUNDING)


def test_inverse_mass_matrix() -> None:
    def residual(c: Case) -> float:
        inverse, h = c.model.inverse_mass_matrix(c.q), c.model.mass_matrix(c.q)
        symmetric = distance(inverse, inverse.T) + distance(h, h.T)
        return symmetric + distance(h @ inverse, np.eye(c.model.nv))

    check("H H⁻¹ = 1", residual, ROUNDING)


def test_kinetic_energy() -> None:
    def residual(c: Case) -> float:
        expected = 0.5 * c.v @ c.oracle.mass_matrix(c.q) @ c.v
        return distance(c.model.kinetic_energy(c.q, c.v), expected)

    check("kinetic energy", residual, 1e-12)


def test_potential_energy_is_weight_times_height() -> None:
    def residual(c: Case) -> float:
        moment = c.oracle.masses @ c.oracle.centres(c.q)
        return distance(c.model.potential_energy(c.q), -c.model.gravity @ moment)

    check("potential energy", residual, 1e-12)


def test_power_is_the_rate_of_energy() -> None:
    def residual(c: Case) -> float:
        return distance(*rate_and_power(c.model, c.q, c.v, c.tau, c.external, 1e-4))

    check("power", residual, 1e-7)


def test_reaction_wrenches_carry_the_joint_forces() -> None:
    """On the joint's own motions a reaction does the work of tau, less the armature's part."""

    def residual(c: Case) -> float:
        wrenches = c.model.reaction_wrenches(c.q, c.v, c.a, c.external)
        tau = c.model.inverse_dynamics(c.q, c.v, c.a, c.external)
        found = np.zeros_like(tau)
        for i, joint in enumerate(c.oracle.joints):
            # a joint's own motion is what the body's Jacobian has in the joint's columns
            columns = c.model.frame_jacobian(c.q, joint.child)[:, joint.v_slice]
            found[joint.v_slice] = columns.T @ wrenches[i]
        return distance(found, tau - c.oracle.armature * c.a)

    check("reactions on joint motions", residual, ROUNDING)


def test_reactions_at_the_root_balance_all_forces() -> None:
    def residual(c: Case) -> float:
        wrenches = c.model.reaction_wrenches(c.q, c.v, c.a, c.external)
        poses = c.oracle.poses(c.q)
        total = np.zeros(6)
        for i, body in enumerate(c.oracle.bodies):
            # what comes through the root joints, and the external wrenches, about the origin
            wrench = c.external[i] + (wrenches[i] if body.parent < 0 else 0.0)
            force, moment = poses[i, :3, :3] @ wrench[:3], poses[i, :3, :3] @ wrench[3:]
            total += [*force, *(moment + np.cross(poses[i, :3, 3], force))]
        return distance(total, _rate_of_momentum(c) - _weight(c))

    check("balance at the root", residual, DIFFERENCES)


def _rate_of_momentum(c: Case) -> np.ndarray:
    qdot = c.oracle.rate(c.q, c.v)

    def momentum(s: float) -> np.ndarray:
        linear, angular = c.oracle.momenta(q := c.q + s * qdot, c.v + s * c.a)
        about_origin = angular + np.cross(c.oracle.centres(q), linear)
        return np.concatenate([linear.sum(axis=0), about_origin.sum(axis=0)])

    return slope(momentum)


def _weight(c: Case) -> np.ndarray:
    weights = c.oracle.masses[:, None] * c.model.gravity
    moments = np.cross(c.oracle.centres(c.q), weights)
    return np.concatenate([weights.sum(axis=0), moments.sum(axis=0)])
