"""`Model.symbolic`: equations of motion with SymPy, by projection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import sympy

from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.model.symbolic.code import LANGUAGES, Program
from tarsus.model.symbolic.mechanism import Mechanism, mechanism
from tarsus.model.symbolic.recursions import Recursions, Values

# The equations of motion of a model as SymPy expressions: H(q) a + C(q, v) v + g(q) = tau.


Expression: TypeAlias = Any
Simplify: TypeAlias = Callable[[Expression], Expression]


class Symbolic:
    """The equations of a model in symbols, each computed when it is asked for, and kept.

    `q`, `v` and `a` are columns of symbols named after the joints. Matrices and vectors are
    immutable matrices of SymPy, vectors are columns. Numbers are exact where that is safe. With
    `parameters` the masses, centres of mass, inertias, positions of joints, gear ratios,
    armatures, pitches, radii, tracks and gravity are symbols too, as far as they are not zero.
    `simplify` is applied to each element: True for `sympy.simplify`, or a function of yours.
    """

    def __init__(
        self, model: Model, *, parameters: bool = False, simplify: bool | Simplify = False
    ) -> None:
        own = mechanism(model, symbolic=parameters)
        self.name = model.name
        self.q, self.v, self.a = (_matrix(symbols) for symbols in (own.q, own.v, own.a))
        self.parameters = own.parameters.values
        """Each symbol that stands for a number of the model, and the number."""
        self._simplify = _simplifier(simplify)
        self._steps = Steps()
        self._full = Projection(own)
        self._short = Projection(own, self._steps.share)

    def __repr__(self) -> str:
        sizes = f"nq={len(self.q)}, nv={len(self.v)}, {len(self.parameters)} parameters"
        return f"<tarsus.symbolic.Symbolic {self.name!r}: {sizes}>"

    @cached_property
    def mass_matrix(self) -> Expression:
        """H (nv, nv)."""
        return self._written_out("mass_matrix")

    @cached_property
    def coriolis_matrix(self) -> Expression:
        """C (nv, nv) by the Christoffel symbols: C + Cᵀ = Ḣ, and C v are the Coriolis forces."""
        return self._written_out("coriolis_matrix")

    @cached_property
    def gravity_forces(self) -> Expression:
        """Forces (nv, 1) that hold the mechanism against gravity."""
        return self._written_out("gravity_forces")

    @cached_property
    def christoffel_symbols(self) -> Expression:
        """Γ (nv, nv, nv), an array of SymPy: C_ij = Σ_k Γ_ijk v_k."""
        return self._written_out("christoffel_symbols")

    @cached_property
    def inverse_dynamics(self) -> Expression:
        """Forces (nv, 1) for accelerations a, by the recursion of Newton and Euler."""
        return self._written_out("inverse_dynamics")

    @cached_property
    def configuration_rate(self) -> Expression:
        """q̇ (nq, 1): the velocities, but for quaternions and for what rolls."""
        return self._written_out("configuration_rate")

    def function(self, name: str) -> Callable[..., Array]:
        """Return one of the equations as a function of NumPy: f(q), f(q, v) or f(q, v, a).

        Arrays may have leading batch dimensions as for `tarsus.Model`. With symbolic parameters
        their values (…, n), in the order of `parameters`, come last.
        """
        scope: dict[str, Any] = {}
        exec(self.code("python", name), scope)
        function: Callable[..., Array] = scope[name]
        return function

    def code(self, language: str, *names: str) -> str:
        """Return source code, "C" or "python", of the equations `names`, or of all.

        It is what the recursions do, with their intermediate results: `simplify` has no part in
        it. In C, matrices are stored row by row.
        """
        if language not in LANGUAGES:
            raise ValueError(f"language is {language!r}, must be one of: {', '.join(LANGUAGES)}")
        for name in names:
            if name not in EQUATIONS:
                raise ValueError(f"there is no equation {name!r}{suggestion(name, EQUATIONS)}")
        return LANGUAGES[language](self.name, [self._program(name) for name in names or EQUATIONS])

    def _program(self, name: str) -> Program:
        inputs = {key: [*getattr(self, key)] for key in EQUATIONS[name]}
        if self.parameters:
            inputs["parameters"] = [*self.parameters]
        values = self._short.values(name)
        steps, results = self._steps.program([*values.ravel()])
        return Program.of(name, inputs, steps, results, values.shape)

    def _written_out(self, name: str) -> Expression:
        """Return an equation in full, simplified; equal elements are simplified once."""
        values = self._full.values(name)
        if self._simplify is not None:
            simple = {value: self._simplify(value) for value in set(values.ravel())}
            flat = [simple[value] for value in values.ravel()]
            values = np.array(flat, dtype=object).reshape(values.shape)
        return _matrix(values)


def _matrix(values: Values) -> Expression:
    """Return a column, a matrix or an array of SymPy with three dimensions."""
    if values.ndim == 3:
        return sympy.ImmutableDenseNDimArray(values.ravel().tolist(), values.shape)
    rows = values if values.ndim == 2 else values[:, None]
    return sympy.ImmutableMatrix(*rows.shape, rows.ravel().tolist())


def _simplifier(simplify: bool | Simplify) -> Simplify | None:
    if isinstance(simplify, bool):
        return sympy.simplify if simplify else None
    if not callable(simplify):
        raise TypeError(f"simplify is {simplify!r}, must be True, False or a function")
    return simplify


# From the links of a tree to the coordinates of a model: w = G(q) v.
#
# The links move by constant subspaces. Joints that follow others, and those whose subspaces depend
# on q, come in by G: then H = Gᵀ H_w G and C = Gᵀ (C_w(G v) G + H_w Ġ).


EQUATIONS: Mapping[str, tuple[str, ...]] = {
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "v"),
    "gravity_forces": ("q",),
    "christoffel_symbols": ("q",),
    "inverse_dynamics": ("q", "v", "a"),
    "configuration_rate": ("q", "v"),
}
"""What there are equations for, and on what they depend."""


class Projection:
    """The equations of a mechanism in its own coordinates.

    `share` may put names in place of intermediate results.
    """

    def __init__(
        self, mechanism: Mechanism, share: Callable[[Any], Any] = lambda value: value
    ) -> None:
        self._own = mechanism
        self._share = share
        links = [link.mapped(self._shared) for link in mechanism.links]
        self._tree = Recursions(links, lambda terms: share(sympy.Add(*terms)))
        self._motion = self._shared(mechanism.motion)
        self._plain = np.array_equal(mechanism.motion, np.eye(len(mechanism.v), dtype=int))
        self._known: dict[str, Values] = {}

    def values(self, name: str) -> Values:
        """Return an equation as an array, computed once."""
        if name not in self._known:
            equation: Callable[[], Values] = getattr(self, f"_{name}")
            values = equation()
            flat = [sympy.sympify(value) for value in values.ravel()]
            self._known[name] = np.array(flat, dtype=object).reshape(values.shape)
        return self._known[name]

    def _mass_matrix(self) -> Values:
        times, own, links = self._tree.times, self._own, self._tree.mass_matrix()
        if not self._plain:
            links = times(self._motion.T, times(links, self._motion))
        return links + times(own.armature, own.coupling)

    def _gravity_forces(self) -> Values:
        forces = self._tree.gravity_forces(self._own.gravity)
        return self._tree.times(self._motion.T, forces)

    def _christoffel_symbols(self) -> Values:
        """Γ, the matrices C for the velocities v = e_k."""
        times, own, gamma = self._tree.times, self._own, self._tree.christoffel_symbols()
        if self._plain:
            return gamma
        mass = self._tree.mass_matrix()
        result = np.zeros((len(own.v),) * 3, dtype=object)
        for k, unit in enumerate(np.eye(len(own.v), dtype=int).astype(object)):
            moving, following = self._rates(unit)
            coriolis = sum(gamma[:, :, c] * w for c, w in enumerate(self._motion[:, k]) if w != 0)
            links = times(coriolis, self._motion) + times(mass, moving)
            result[:, :, k] = times(self._motion.T, links) + times(own.armature, following)
        return result

    def _coriolis_matrix(self) -> Values:
        gamma, n = self.values("christoffel_symbols"), len(self._own.v)
        return self._tree.times(gamma.reshape(n * n, n), self._own.v).reshape(n, n)

    def _inverse_dynamics(self) -> Values:
        times, own = self._tree.times, self._own
        moving, following = self._rates(own.v)
        forces = self._tree.inverse_dynamics(
            own.gravity,
            times(self._motion, own.v),
            times(self._motion, own.a) + times(moving, own.v),
        )
        accelerations = times(own.coupling, own.a) + times(following, own.v)
        return times(self._motion.T, forces) + times(own.armature, accelerations)

    def _configuration_rate(self) -> Values:
        return self._own.rate

    def _rates(self, v: Values) -> tuple[Values, Values]:
        """Return the rates of the motion of the links and of the coupling of the joints."""
        own = self._own
        return (
            self._shared(own.rate_of(own.motion, v)),
            self._shared(own.rate_of(own.coupling, v)),
        )

    def _shared(self, values: Values) -> Values:
        flat = [self._share(value) for value in values.ravel()]
        return np.array(flat, dtype=object).reshape(values.shape)


# Intermediate results: expressions stay small, and what is used twice is computed once.


ExpressionSteps = Any


class Steps:
    """Names for expressions, in the order in which they were met."""

    def __init__(self) -> None:
        self._names: dict[ExpressionSteps, ExpressionSteps] = {}
        self._values: dict[ExpressionSteps, ExpressionSteps] = {}

    def share(self, value: ExpressionSteps) -> ExpressionSteps:
        """Return a number or a symbol as it is, and a name, or a multiple of one, for others."""
        factor, rest = sympy.sympify(value).as_coeff_Mul()
        if _is_plain(rest):
            return value
        if rest not in self._names:
            self._names[rest] = self._name(rest)
        return factor * self._names[rest]

    def _name(self, value: ExpressionSteps) -> ExpressionSteps:
        """Return a new name; parts of a large expression have names of their own."""
        if not all(map(_is_small, value.args)):
            return self.share(value.func(*map(self.share, value.args)))
        if value.is_Add and -value in self._names:
            return -self._names[-value]
        name = sympy.Dummy("x", real=True)
        self._values[name] = value
        return name

    def program(
        self, results: list[ExpressionSteps]
    ) -> tuple[list[tuple[ExpressionSteps, ExpressionSteps]], list[ExpressionSteps]]:
        """Return assignments to x0, x1, … and the results in terms of these.

        What is used only once stands where it is used.
        """
        uses: Counter[ExpressionSteps] = Counter()
        needed = self._needed(results)
        for value in (*results, *(self._values[name] for name in needed)):
            uses.update(node for node in sympy.preorder_traversal(value) if node in self._values)
        known: dict[ExpressionSteps, ExpressionSteps] = {}
        steps: list[tuple[ExpressionSteps, ExpressionSteps]] = []
        for name in needed:
            value = self._values[name].xreplace(known)
            if uses[name] > 1:
                known[name] = sympy.Symbol(f"x{len(steps)}")
                steps.append((known[name], value))
            else:
                known[name] = value
        return steps, [result.xreplace(known) for result in results]

    def _needed(self, results: Iterable[ExpressionSteps]) -> list[ExpressionSteps]:
        """Return the names that results depend on, each after those that it depends on."""
        found: set[ExpressionSteps] = set()
        waiting = list(results)
        while waiting:
            symbols = waiting.pop().free_symbols
            new = [name for name in symbols if name in self._values and name not in found]
            found.update(new)
            waiting += [self._values[name] for name in new]
        return [name for name in self._values if name in found]


def _is_plain(value: ExpressionSteps) -> bool:
    return bool(value.is_Atom or value.is_number)


def _is_small(value: ExpressionSteps) -> bool:
    operation = value.is_Mul or value.is_Pow
    return _is_plain(value) or bool(operation and all(map(_is_plain, value.args)))
