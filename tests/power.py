"""The rate of a mechanism's energy beside the power of the forces on it."""

from __future__ import annotations

from oracle import Array, slope

import tarsus as ts


def rate_and_power(
    model: ts.Model, q: Array, v: Array, tau: Array, external: Array, step: float
) -> tuple[Array, float]:
    """Return d/dt of the energy, by differences with a time step, and what forces do per time.

    `external` (n_bodies, 6) are wrenches in body frames. Accelerations are large where bodies
    are light: small steps.
    """
    a = model.forward_dynamics(q, v, tau, external)

    def energy(s: float) -> float:
        there, speed = model.integrate(q, s * v), v + s * a
        return float(model.kinetic_energy(there, speed) + model.potential_energy(there))

    jacobians = [model.frame_jacobian(q, name) for name in model.body_names]
    pushed = sum(f @ j @ v for j, f in zip(jacobians, external, strict=True))
    return slope(energy, step), float(tau @ v + pushed)
