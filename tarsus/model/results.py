"""Named tuples of arrays, which methods of `Model` return.

The arrays of a result of the core (all but `InverseDynamicsSecondDerivatives`) are contiguous and
lie one after the other in one block of memory, which stays as long as one of them. A result of an
earlier call can be given as `out`; it is then written in place.
"""

from __future__ import annotations

from typing import NamedTuple

from tarsus._lib.files import Array


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives of the generalized forces τ, each (…, nv, nv).

    ∂τ_i/∂q_j along tangent steps, ∂τ_i/∂v_j and ∂τ_i/∂a_j, which is the mass matrix.
    """

    dq: Array
    dv: Array
    da: Array


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives of the accelerations a, each (…, nv, nv).

    ∂a_i/∂q_j along tangent steps, ∂a_i/∂v_j and ∂a_i/∂τ_j, which is the inverse of the mass matrix.
    """

    dq: Array
    dv: Array
    dtau: Array


class InverseDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives of the generalized forces τ, each (…, nv, nv, nv).

    ∂²τ_i/∂v_j∂v_k, and ∂²τ_i/∂a_j∂q_k along tangent steps in q.
    """

    dv_dv: Array
    da_dq: Array


class HybridDynamics(NamedTuple):
    """Accelerations `a` and generalized forces `tau`, each (…, nv), prescribed or computed."""

    a: Array
    tau: Array
