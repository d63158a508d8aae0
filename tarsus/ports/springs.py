"""Controllers that are physics: springs and dampers with a port (Duindam 2006, section 1.2.2).

A PD controller of a joint is a spring and a damper between the joint and where it should be;
impedance control of a frame is the same in space. As parts with ports they store ½ eᵀ K e, lose
vᵀ D v, and can make no energy, whatever they are connected to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.arguments import gain, poses
from tarsus.ports.domains import Port
from tarsus.ports.port_system import Hamiltonian
from tarsus.ports.structure import Structure
from tarsus.ports.system import System
from tarsus.spatial import (
    inverse,
    pose,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_quaternion,
    twist_from_pose,
)
from tarsus.spatial.groups import step_rate_matrix


def spring_damper(
    stiffness: ArrayLike,
    damping: ArrayLike,
    domain: str = "rotation",
    *,
    size: int = 1,
    passive: bool = True,
    name: str = "spring",
) -> System:
    """Return a spring and a damper side by side: PD control of a joint, as a part with a port.

    Its port "end" takes the velocity and gives the force that holds against it, K x + D v; its
    state is the displacement x, at the start q − q_ref. Numbers, diagonals or matrices; with
    `passive=False` the damping may be negative.
    """
    K = gain(stiffness, size, "stiffness")
    D = gain(damping, size, "damping") if passive else np.atleast_2d(np.asarray(damping, float))
    names = ["x"] if size == 1 else [f"x{k}" for k in range(size)]
    port = Port("end", domain, "flow", size)
    return System(K, names, G=np.eye(size), S=D, ports=[port], passive=passive, name=name)


class SpatialSpring(Hamiltonian):
    """A spring and a damper in space: impedance control of a frame, as a part with a port.

    With the step e of SE(3) from the reference to the frame, ė = A w, it stores ½ eᵀ K e and gives
    the wrench Aᵀ K e + D w in the axes of the frame, linear first. Its port "frame" takes the
    twist w; its state is the frame's place in the reference, position and quaternion.
    """

    constant = True

    def __init__(self, stiffness: ArrayLike, damping: ArrayLike, *, name: str = "spring") -> None:
        self.K, self.D = gain(stiffness, 6, "stiffness"), gain(damping, 6, "damping")
        self.name, self.n = name, 6
        self.states = ("x", "y", "z", "qx", "qy", "qz", "qw")
        self.example = np.array([0.0] * 6 + [1.0])
        self._set_ports((Port("frame", "spatial", "flow", 6),))
        none = np.zeros((6, 6))
        self._structure = Structure(none, none, np.eye(6), none, none, self.D)

    def start(self, frame: ArrayLike, reference: ArrayLike) -> Array:
        """Return the state (7,) of a frame and its reference, poses (4, 4) in the world."""
        step = inverse(poses(reference, "reference")) @ poses(frame, "frame")
        return np.concatenate([step[:3, 3], quaternion_from_rotation(step[:3, :3])])

    def error(self, x: Array) -> Array:
        """Return the step e (6,) from the reference to the frame [m, rad]."""
        return twist_from_pose(pose(x[:3], rotation_from_quaternion(x[3:])))

    def energy(self, x: Array) -> float:
        """Return ½ eᵀ K e [J]."""
        e = self.error(x)
        return float(0.5 * e @ self.K @ e)

    def gradient(self, x: Array) -> Array:
        """Return Aᵀ K e (6,), the wrench of the spring in the axes of the frame."""
        e = self.error(x)
        return np.asarray(step_rate_matrix("free", e).T @ self.K @ e)

    def structure(self, x: Array) -> Structure:
        """Return the matrices: twists are the rates, damping is at the port."""
        return self._structure

    def lift(self, x: Array, rate: Array) -> Array:
        """Return the rates (7,) of position and quaternion of a twist (6,)."""
        turning = quaternion_product(x[3:], np.array([*rate[3:], 0.0])) / 2.0
        return np.concatenate([rotation_from_quaternion(x[3:]) @ rate[:3], turning])

    def retract(self, x: Array) -> Array:
        """Return the state with a unit quaternion."""
        return np.concatenate([x[:3], x[3:] / np.linalg.norm(x[3:])])
