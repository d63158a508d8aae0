"""Identities of the Coriolis matrix, of its connection and of derivatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus._lib.differences import derivative, rate
from tarsus._lib.files import Array
from tarsus.check.states import DIFFERENCES, EXACT, Identity, States, relative, times, transposed
from tarsus.model.couplings import MissingDerivativeError
from tarsus.model.description import FACTORIZATIONS, NONHOLONOMIC, QUASI_VELOCITIES, Factorization
from tarsus.model.model import Model

# Identities of derivatives, against differences along random directions, and of the regressor.


def mass_matrix_derivatives(s: States) -> float:
    """Derivatives of the mass matrix against differences, along random directions."""
    s = s.few(3)
    m, (along,) = s.model, s.directions(1)
    found = times(m.mass_matrix_derivatives(s.q), along[:, None, :])
    return relative(found, rate(m, s.q, along, m.mass_matrix), m.mass_matrix(s.q))


def inverse_dynamics_derivatives(s: States) -> float:
    """Derivatives of inverse dynamics against differences, along random directions."""
    s = s.few()
    m, forces = s.model, s.model.inverse_dynamics(s.q, s.v, s.a)
    along = s.directions(3)
    expected = (
        rate(m, s.q, along[0], lambda q: m.inverse_dynamics(q, s.v, s.a)),
        derivative(lambda h: m.inverse_dynamics(s.q, s.v + h * along[1], s.a)),
        derivative(lambda h: m.inverse_dynamics(s.q, s.v, s.a + h * along[2])),
    )
    found = m.inverse_dynamics_derivatives(s.q, s.v, s.a)
    pairs = zip(found, along, expected, strict=True)
    return max(relative(times(matrix, d), e, forces) for matrix, d, e in pairs)


def forward_dynamics_derivatives(s: States) -> float:
    """Derivatives of forward dynamics against differences, weighed with the mass matrix."""
    s = s.few()
    m, mass = s.model, s.model.mass_matrix(s.q)
    along = s.directions(3)
    expected = (
        rate(m, s.q, along[0], lambda q: m.forward_dynamics(q, s.v, s.tau)),
        derivative(lambda h: m.forward_dynamics(s.q, s.v + h * along[1], s.tau)),
        derivative(lambda h: m.forward_dynamics(s.q, s.v, s.tau + h * along[2])),
    )
    found = m.forward_dynamics_derivatives(s.q, s.v, s.tau)
    terms = s.tau, times(mass, m.forward_dynamics(s.q, s.v, s.tau)), m.bias_forces(s.q, s.v)
    pairs = zip(found, along, expected, strict=True)
    return max(
        relative(times(mass, times(matrix, d)), times(mass, e), *terms) for matrix, d, e in pairs
    )


def regressor(s: States) -> float:
    """The regressor times the inertial parameters, and armatures, against inverse dynamics."""
    s = s.few()
    m = s.model
    forces = m.inverse_dynamics(s.q, s.v, s.a)
    product = m.inertial_regressor(s.q, s.v, s.a) @ m.inertial_parameters.ravel()
    armature = np.concatenate([joint.armature for joint in m.joints])
    carried = armature * m.joint_accelerations(s.q, s.v, s.a)
    return relative(product + times(transposed(m.coupling_matrix(s.q)), carried), forces)


# Identities of the Coriolis matrix and of Christoffel symbols; the list has derivatives, too.
#
# All of them hold for gears and loops. Those that are asked of other libraries as well use
# nothing but the methods that such a library has.


LARGEST_TENSOR, LARGEST_CONNECTION = 150, 40
"""Up to so many velocities symbols are computed, and found by differences."""


def coriolis_forces(s: States) -> float:
    """The matrix times the velocities against bias forces without gravity."""
    s = s.few()
    m = s.model
    bias, gravity = m.bias_forces(s.q, s.v), m.gravity_forces(s.q)
    forces = times(m.coriolis_matrix(s.q, s.v), s.v)
    # without gravity all of these may be zero: H v is not
    return relative(forces, bias - gravity, bias, gravity, times(m.mass_matrix(s.q), s.v))


def admissible(s: States) -> float:
    """The matrix and its transpose against differences of the mass matrix."""
    s = s.few()
    m = s.model
    matrix = m.coriolis_matrix(s.q, s.v)
    expected = rate(m, s.q, s.v, m.mass_matrix)
    return relative(matrix + transposed(matrix), expected, m.mass_matrix(s.q))


def mass_matrix_rate(s: States) -> float:
    """The rate of the mass matrix against each factorisation and its transpose."""
    s = s.few()
    m = s.model
    expected, mass = m.mass_matrix_rate(s.q, s.v), m.mass_matrix(s.q)

    def residual(factorization: Factorization) -> float:
        matrix = m.coriolis_matrix(s.q, s.v, factorization=factorization)
        # all of these may be zero but for rounding: the mass matrix is not
        return relative(matrix + transposed(matrix), expected, mass)

    return max(map(residual, FACTORIZATIONS))


def symbols(s: States) -> float:
    """The matrix against Christoffel symbols times the velocities, dense and packed."""
    s = s.few(3)
    m = s.model
    matrix, mass = m.coriolis_matrix(s.q, s.v), m.mass_matrix(s.q)
    dense = m.christoffel_symbols(s.q)
    i, j, k = m.christoffel_indices.T
    packed = np.zeros_like(dense)
    packed[:, i, j, k] = m.christoffel_symbols_packed(s.q)
    product = times(dense, s.v[:, None, :])
    return max(relative(matrix, product, mass), relative(packed, dense, mass))


def connection(s: States) -> float:
    """The matrix against the Levi-Civita connection, by differences of the mass matrix."""
    s = s.first(2)
    m = s.model
    gamma = np.array([levi_civita(m, q) for q in s.q])
    matrix = m.coriolis_matrix(s.q, s.v)
    return relative(matrix, times(gamma, s.v[:, None, :]), m.mass_matrix(s.q))


def momentum(s: States) -> float:
    """The generalised momentum against the mass matrix times the velocities."""
    s = s.few()
    return relative(s.model.generalized_momentum(s.q, s.v), times(s.model.mass_matrix(s.q), s.v))


def transpose_forces(s: States) -> float:
    """The forces of the transpose against the matrix, whichever the factorisation."""
    s = s.few()
    m = s.model
    forces, momenta = m.coriolis_transpose_forces(s.q, s.v), m.generalized_momentum(s.q, s.v)

    def residual(factorization: Factorization) -> float:
        matrix = m.coriolis_matrix(s.q, s.v, factorization=factorization)
        return relative(forces, times(transposed(matrix), s.v), momenta)

    return max(map(residual, FACTORIZATIONS))


def passive(s: States) -> float:
    """Inverse dynamics with reference velocities against the matrices."""
    s = s.few()
    m, (reference,) = s.model, s.directions(1)

    def residual(factorization: Factorization) -> float:
        matrix = m.coriolis_matrix(s.q, s.v, factorization=factorization)
        terms = [
            times(m.mass_matrix(s.q), s.a),
            times(matrix, reference),
            m.gravity_forces(s.q),
        ]
        forces = m.passive_inverse_dynamics(s.q, s.v, reference, s.a, factorization=factorization)
        return relative(forces, np.sum(terms, axis=0), *terms)

    return max(map(residual, FACTORIZATIONS))


def up_to(nv: int) -> Callable[[Model], bool]:
    """Return whether a model has so few velocities."""
    return lambda model: model.nv <= nv


def has_connection(model: Model) -> bool:
    """Return whether C is the connection of the mass matrix, and there are few velocities.

    It is not if joints roll, whose velocities do not span all motions, nor if one whose
    velocities are no rates has an armature: that adds a·v̇ to the forces, as no body does.
    """
    joints = model.joints
    rolling = any(joint.kind in NONHOLONOMIC for joint in joints)
    bodiless = any(np.any(j.armature) for j in joints if j.kind in QUASI_VELOCITIES)
    return model.nv <= LARGEST_CONNECTION and not rolling and not bodiless


def has_third_derivatives(model: Model) -> bool:
    """Return whether couplings that are functions return third derivatives, too."""
    q, zero = model.random_configuration(0), np.zeros(model.nv)
    try:
        model.inverse_dynamics_derivatives(q, zero, zero)
    except MissingDerivativeError:
        return False
    return True


TOPIC = "Coriolis matrix, Christoffel symbols, derivatives"


def _identity(
    quantity: str,
    text: str,
    limit: float,
    residual: Callable[[States], float],
    applies: Callable[[Model], bool] = lambda model: True,
    *,
    asked: bool = False,
) -> Identity:
    return Identity(quantity, text, limit, residual, applies, topic=TOPIC, asked=asked)


CORIOLIS = (
    _identity("coriolis matrix", "C v = bias − gravity", EXACT, coriolis_forces, asked=True),
    _identity("", "C + Cᵀ = dH/dt", DIFFERENCES, admissible, asked=True),
    _identity("", "C = Γ v, Γ from ∂H/∂q", DIFFERENCES, connection, has_connection, asked=True),
    _identity("mass matrix rate", "Ḣ = C + Cᵀ, three ways", EXACT, mass_matrix_rate),
    _identity("christoffel symbols", "Γ v = C", EXACT, symbols, up_to(LARGEST_TENSOR)),
    _identity(
        *("mass matrix derivatives", "dH/dt = ∂H/∂q v", DIFFERENCES),
        *(mass_matrix_derivatives, up_to(LARGEST_TENSOR)),
    ),
    _identity("generalized momentum", "H v", EXACT, momentum),
    _identity("coriolis transpose forces", "Cᵀ v", EXACT, transpose_forces),
    _identity("passive inverse dynamics", "H a + C u + gravity", EXACT, passive),
    _identity(
        *("inverse dynamics derivatives", "∂τ/∂q, ∂τ/∂v, ∂τ/∂a", DIFFERENCES),
        *(inverse_dynamics_derivatives, has_third_derivatives),
        asked=True,
    ),
    _identity(
        *("forward dynamics derivatives", "∂a/∂q, ∂a/∂v, ∂a/∂τ", DIFFERENCES),
        *(forward_dynamics_derivatives, has_third_derivatives),
        asked=True,
    ),
    _identity("inertial regressor", "Y π = inverse(a)", EXACT, regressor, asked=True),
)


# The Levi-Civita connection of the kinetic energy by differences, without any recursion.
#
# Koszul's formula for the frame of unit velocities E_k, whose brackets [E_k, E_j] do not vanish
# where velocities are no rates of coordinates (S. Kobayashi, K. Nomizu, "Foundations of
# Differential Geometry", 1963, chapter IV):
#
#     2 Γ_ijk = ∂_k H_ij + ∂_j H_ik − ∂_i H_jk
#               + ⟨[E_k, E_j], E_i⟩ − ⟨[E_k, E_i], E_j⟩ − ⟨[E_j, E_i], E_k⟩


STEP = 1e-2
"""Of two steps in turn [rad or m]; what differences leave out falls with the fourth power."""


def levi_civita(model: Model, q: Array) -> Array:
    """Return Christoffel symbols of the first kind Γ (nv, nv, nv) of C_ij = Σ_k Γ_ijk v_k."""
    slopes = rate(model, q, np.eye(model.nv), model.mass_matrix)  # [k, i, j] = ∂_k H_ij
    brackets = np.einsum("kjl,li->kji", lie_brackets(model, q), model.mass_matrix(q))
    terms = [
        *(slopes.transpose(1, 2, 0), slopes.transpose(1, 0, 2), -slopes.transpose(0, 1, 2)),
        *(brackets.transpose(2, 1, 0), -brackets.transpose(1, 2, 0), -brackets.transpose(1, 0, 2)),
    ]
    return np.asarray(0.5 * np.sum(terms, axis=0))


def lie_brackets(model: Model, q: Array) -> Array:
    """Return [E_k, E_j] as velocities (nv, nv, nv): how far steps in turn do not commute."""
    steps = STEP * np.eye(model.nv)

    def after(first: float, second: float) -> Array:
        once = model.integrate(q, first * steps)[:, None, :]
        return np.asarray(model.difference(q, model.integrate(once, second * steps[None])))

    mixed = after(1, 1) - after(1, -1) - after(-1, 1) + after(-1, -1)
    mixed /= 4 * STEP**2
    return np.asarray(mixed - mixed.swapaxes(0, 1))
