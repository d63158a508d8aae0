"""The equations of motion of a model as SymPy expressions: H(q) a + C(q, v) v + g(q) = tau."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import sympy

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.symbolic.code import LANGUAGES, Program
from tarsus.symbolic.mechanism import mechanism
from tarsus.symbolic.projection import EQUATIONS, Projection
from tarsus.symbolic.recursions import Values
from tarsus.symbolic.steps import Steps

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
