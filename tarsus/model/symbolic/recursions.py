"""The equations of motion of a tree on any kind of number, in NumPy arrays of objects.

Everything about body k is seen from its own frame, from which the motions of its ancestors are
the columns of its Jacobian. An element of a result then contains only the coordinates that it
depends on: the mass matrix of an arm does not know how the arm stands. The subspaces of the
joints are constant there. Spatial vectors are linear first.

R. Featherstone, Rigid Body Dynamics Algorithms, 2008 (composite bodies, Newton–Euler);
S. Echeandia and P. M. Wensing, Numerical Methods to Compute the Coriolis Matrix and Christoffel
Symbols for Rigid-Body Systems, 2021; G. Niemeyer and J.-J. E. Slotine, 1991 (the matrix B).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[Any]
"""An array of numbers or expressions."""


@dataclass(frozen=True)
class Inertia:
    """Mass, first moment m c (3,) and second moment (3, 3) about the origin of a frame."""

    mass: Any
    first: Values
    second: Values

    @property
    def matrix(self) -> Values:
        """The spatial inertia (6, 6)."""
        h = skew(self.first)
        return np.block([[diagonal(self.mass), -h], [h, self.second]])


@dataclass(frozen=True)
class Link:
    """A body at `position`, turned by `rotation`, on its parent (−1: the world).

    The joint moves it by its constant subspace (6, n) times the velocities w[columns].
    """

    parent: int
    rotation: Values
    position: Values
    subspace: Values
    columns: list[int]
    inertia: Inertia

    def mapped(self, function: Callable[[Values], Values]) -> Link:
        """Return the link with a function of the arrays that say where it is."""
        rotation, position = function(self.rotation), function(self.position)
        return replace(self, rotation=rotation, position=position)


class Recursions:
    """The algorithms for the links of a tree, parents first.

    `total` adds up a list of numbers.
    """

    def __init__(self, links: Sequence[Link], total: Callable[[list[Any]], Any] = sum) -> None:
        self.links = links
        self.total = total
        self.size = sum(len(link.columns) for link in links)

    def times(self, a: Values, b: Values) -> Values:
        """Return a @ b for a matrix a; zeros are left out, about which SymPy thinks for long."""
        right = b if b.ndim == 2 else b[:, None]
        columns = [[(k, y) for k, y in enumerate(column) if y != 0] for column in right.T]
        result = np.zeros((a.shape[0], right.shape[1]), dtype=object)
        for i, row in enumerate(a):
            for j, column in enumerate(columns):
                terms = [row[k] * y for k, y in column if row[k] != 0]
                if terms:
                    result[i, j] = self.total(terms)
        return result.reshape(a.shape[0], *b.shape[1:])

    @cached_property
    def composites(self) -> list[Inertia]:
        """The inertia of each link with all that it carries, in its own frame."""
        found = [link.inertia for link in self.links]
        for i, link in self._upwards():
            if link.parent >= 0:
                own, more = found[link.parent], self._on_parent(link, found[i])
                found[link.parent] = Inertia(
                    own.mass + more.mass, own.first + more.first, own.second + more.second
                )
        return found

    @cached_property
    def paths(self) -> list[list[int]]:
        """The velocities that move each link, from the root on."""
        found: list[list[int]] = []
        for link in self.links:
            found.append([*(found[link.parent] if link.parent >= 0 else []), *link.columns])
        return found

    @cached_property
    def jacobians(self) -> list[Values]:
        """The motions (6, …) of each link, in its own frame, for the velocities of its path."""
        found: list[Values] = []
        for link in self.links:
            carried = [self._to_child(link, found[link.parent])] if link.parent >= 0 else []
            found.append(np.concatenate([*carried, link.subspace], axis=1))
        return found

    def mass_matrix(self) -> Values:
        """Return H (n, n): the force that moves composite body k, on all that carry it."""
        result = np.zeros((self.size, self.size), dtype=object)
        for i, link in enumerate(self.links):
            force = self.times(self.composites[i].matrix, link.subspace)
            part = self.times(self.jacobians[i].T, force)
            result[np.ix_(self.paths[i], link.columns)] = part
            result[np.ix_(link.columns, self.paths[i])] = part.T
        return result

    def gravity_forces(self, gravity: Values) -> Values:
        """Return the forces (n,) that hold all composite bodies against gravity (3,)."""
        result = np.zeros(self.size, dtype=object)
        fall: list[Values] = []
        for link, inertia in zip(self.links, self.composites, strict=True):
            above = gravity if link.parent < 0 else fall[link.parent]
            fall.append(self.times(link.rotation.T, above))
            moment = self.times(skew(inertia.first), fall[-1])
            force = np.concatenate([inertia.mass * fall[-1], moment])
            result[link.columns] = -self.times(link.subspace.T, force)
        return result

    def christoffel_symbols(self) -> Values:
        """Return Γ (n, n, n), Γ[i, j, k] = ∂C_ij/∂w_k.

        Of three velocities one, k, belongs to the link that is furthest from the root. With
        B = B(S_k, composite inertia) and M = Jᵀ B J there, M_ij is Γ_ikj and Γ_ijk, and −M_ij is
        Γ_kij if j is above i: to move both by j does not change H_ik.
        """
        result = np.zeros((self.size,) * 3, dtype=object)
        body = np.zeros(self.size, dtype=int)
        for i, link in enumerate(self.links):
            body[link.columns] = i
            path, above = self.paths[i], self.paths[i][: -len(link.columns)]
            n, order = len(above), body[above]
            inertia, jacobian = self.composites[i].matrix, self.jacobians[i]
            for k, axis in zip(link.columns, link.subspace.T, strict=True):
                matrix = self.times(jacobian.T, self.times(self._coriolis(axis, inertia), jacobian))
                result[np.ix_(path, [k], path)] = matrix[:, None, :]
                result[np.ix_(path, above, [k])] = matrix[:, :n, None]
                upper = matrix[:n, :n]
                result[k][np.ix_(above, above)] = -np.where(
                    order[None, :] <= order[:, None], upper, upper.T
                )
        return result

    def inverse_dynamics(self, gravity: Values, velocity: Values, acceleration: Values) -> Values:
        """Return the forces (n,) by the recursion of Newton and Euler."""
        result = np.zeros(self.size, dtype=object)
        still = np.zeros(6, dtype=object)
        # of the world, which falls upwards, then of all links
        motions = [(still, np.concatenate([-gravity, still[:3]]))]
        forces: list[Values] = []
        for link in self.links:
            v, a = (self._to_child(link, motion) for motion in motions[link.parent + 1])
            own = self.times(link.subspace, velocity[link.columns])
            v = v + own
            cross, inertia = motion_cross(v), link.inertia.matrix
            moved = self.times(link.subspace, acceleration[link.columns])
            a = a + moved + self.times(cross, own)
            forces.append(self.times(inertia, a) - self.times(cross.T, self.times(inertia, v)))
            motions.append((v, a))
        for i, link in self._upwards():
            result[link.columns] = self.times(link.subspace.T, forces[i])
            if link.parent >= 0:
                forces[link.parent] = forces[link.parent] + self._to_parent(link, forces[i])
        return result

    def _coriolis(self, velocity: Values, inertia: Values) -> Values:
        """Return B = ½ [(v×*) I + (I v)×̄* − I (v×)] (6, 6), Niemeyer and Slotine."""
        product = self.times(inertia, motion_cross(velocity))
        momentum = self.times(inertia, velocity)
        push, moment = skew(momentum[:3]), skew(momentum[3:])
        bar = np.block([[np.zeros((3, 3), dtype=object), -push], [-push, -moment]])
        return np.asarray((bar - product - product.T) * Fraction(1, 2))

    def _to_child(self, link: Link, motions: Values) -> Values:
        """Return motions (6, …) of the parent in the frame of a link."""
        linear, angular = motions[:3], motions[3:]
        moved = linear - self.times(skew(link.position), angular)
        return np.concatenate([self.times(link.rotation.T, part) for part in (moved, angular)])

    def _to_parent(self, link: Link, force: Values) -> Values:
        """Return a force (6,) on a link in the frame of its parent."""
        push, moment = (self.times(link.rotation, part) for part in (force[:3], force[3:]))
        return np.concatenate([push, moment + self.times(skew(link.position), push)])

    def _on_parent(self, link: Link, inertia: Inertia) -> Inertia:
        """Return an inertia in the frame of a link in the frame of its parent."""
        p, first = link.position, self.times(link.rotation, inertia.first)
        turned = self.times(self.times(link.rotation, inertia.second), link.rotation.T)
        product = self.times(p[:, None], (first + first + inertia.mass * p)[None, :])
        shift = diagonal(np.trace(product)) - Fraction(1, 2) * (product + product.T)
        return Inertia(inertia.mass, first + inertia.mass * p, turned + shift)

    def _upwards(self) -> list[tuple[int, Link]]:
        return list(enumerate(self.links))[::-1]


def motion_cross(v: Values) -> Values:
    """Return v× (6, 6); −(v×)ᵀ is v×*."""
    linear, angular = skew(v[:3]), skew(v[3:])
    return np.block([[angular, linear], [np.zeros((3, 3), dtype=object), angular]])


def skew(a: Values) -> Values:
    """Return the matrix (3, 3) of a × …"""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=object)


def diagonal(value: Any) -> Values:
    """Return the unit matrix (3, 3) times a number."""
    return np.array([[value, 0, 0], [0, value, 0], [0, 0, value]], dtype=object)
