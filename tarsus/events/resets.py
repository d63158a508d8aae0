"""Resets: what an event does to the state, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, numbers
from tarsus._lib.differences import Derivative, differences
from tarsus._lib.files import Array
from tarsus.events.friction import standing
from tarsus.events.guards import Functions
from tarsus.events.sensitivity import Derivatives
from tarsus.model import Model

LINEAR, PROJECT, FUNCTION = range(3)
"""Kinds of resets, as the core counts them."""

Core: TypeAlias = tuple[Any, ...]
"""kind, matrix, shift, rates, model, function, nq, nv, what derivatives need of the model."""


class Reset:
    """What happens to q and v."""

    def core(self, nq: int, nv: int, around: Around) -> Core:
        """Return it as the core reads it, for a state with so many numbers."""
        raise NotImplementedError

    @property
    def of(self) -> Model | None:
        """The model whose states it changes, if it says."""
        return None


@dataclass(frozen=True)
class Around:
    """What a reset is between: models of the states before and after it, where they are known."""

    before: Model | None
    after: Model | None
    functions: Functions
    derivatives: Derivatives | None


@dataclass(frozen=True, eq=False)
class Linear(Reset):
    """q becomes matrix q + shift, and v becomes rates v; other sizes are those of another model.

    `rates` is `matrix` unless stated, `shift` zero. This relabels legs, or takes a state to a model
    with more or fewer coordinates.
    """

    matrix: ArrayLike
    shift: ArrayLike | None = None
    rates: ArrayLike | None = None

    def core(self, nq: int, nv: int, around: Around) -> Core:
        """Return both maps."""
        matrix = _matrix(self.matrix, nq, "matrix")
        rates = _matrix(self.matrix if self.rates is None else self.rates, nv, "rates")
        shift = np.zeros(len(matrix)) if self.shift is None else self.shift
        shift = numbers(shift, (len(matrix),), "shift")
        if around.derivatives:
            _check_known(around, (nq, nv), (len(matrix), len(rates)))
        flat = [each.ravel().tolist() for each in (matrix, np.asarray(shift), rates)]
        return (LINEAR, *flat, None, 0, len(matrix), len(rates), None)


@dataclass(frozen=True, eq=False)
class Impact(Reset):
    """A plastic impact: v becomes the nearest that the loops of `model` allow.

    Momenta change along those constraints only, p⁺ = p⁻ + Jᵀ λ with J v⁺ = 0: v⁺ = (I − H⁻¹ Jᵀ (J
    H⁻¹ Jᵀ)⁺ J) v⁻ (V. Duindam, "Port-based modeling and control for efficient bipedal walking
    robots", 2006, section 3.3.2). No other v that the constraints allow loses less energy.
    """

    model: Model

    def __post_init__(self) -> None:
        expect(self.model, Model, "model")
        if not self.model.constraints:
            raise ValueError(
                f"model {self.model.name!r} has no constraints to fall onto: hold something of it "
                "with ts.held(model, …)"
            )

    def core(self, nq: int, nv: int, around: Around) -> Core:
        """Return the projection."""
        m = self.model
        if (m.nq, m.nv) != (nq, nv):
            raise ValueError(
                f"the impact is of {m.name!r} with nq, nv = {m.nq}, {m.nv}; the state has {nq}, "
                f"{nv}"
            )
        wide = around.derivatives.wide(m, standing(m))[1] if around.derivatives else None
        return (PROJECT, [], [], [], m, 0, nq, nv, wide)

    @property
    def of(self) -> Model:
        """The model that has the constraints."""
        return self.model


@dataclass(frozen=True, eq=False)
class Function(Reset):
    """Any function (t, q, v) → (q, v); states are asked one at a time, which is slow.

    `derivative` is a function (t, q, v) → (2 nv, 2 nv + 1), of steps of q and of v afterwards by
    steps of q, by v and by t; without one a flow with derivatives takes differences.
    """

    function: Callable[[float, Array, Array], tuple[ArrayLike, ArrayLike]] = field(repr=False)
    nq: int | None = None
    nv: int | None = None
    derivative: Callable[[float, Array, Array], ArrayLike] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function is {self.function!r}, must be a function of (t, q, v)")

    def core(self, nq: int, nv: int, around: Around) -> Core:
        """Return the function, checked each time that it is called."""
        before_q, before_v = nq, nv
        nq, nv = nq if self.nq is None else self.nq, nv if self.nv is None else self.nv

        def checked(t: float, q: Array, v: Array) -> tuple[list[float], list[float]]:
            made = self.function(t, q, v)
            if not isinstance(made, tuple) or len(made) != 2:
                raise TypeError(f"a reset returned {made!r}, must be (q, v)")
            after_q = numbers(made[0], (nq,), "q of a reset")
            after_v = numbers(made[1], (nv,), "v of a reset")
            return np.asarray(after_q).tolist(), np.asarray(after_v).tolist()

        number = around.functions.add(checked, self._derivative(checked, around))
        if around.derivatives and self.derivative is None:
            _check_known(around, (before_q, before_v), (nq, nv))
        return (FUNCTION, [], [], [], None, number, nq, nv, None)

    def _derivative(self, function: Callable[..., Any], around: Around) -> Derivative:
        if self.derivative is not None:
            given = self.derivative
            return lambda t, q, v: np.asarray(given(t, q, v), float)

        def derivative(t: float, q: Array, v: Array) -> Array:
            at = np.asarray(function(t, q, v)[0])

            def moved(t: float, q: Array, v: Array) -> Array:
                after_q, after_v = (np.asarray(x) for x in function(t, q, v))
                step = (
                    after_q - at if around.after is None else around.after.difference(at, after_q)
                )
                return np.concatenate([step, after_v])

            return differences(moved, around.before)(t, q, v)

        return derivative


def _check_known(around: Around, before: tuple[int, int], after: tuple[int, int]) -> None:
    """Raise ValueError where steps of q are those of no model, and q and v have other sizes."""
    for model, (nq, nv), when in (
        (around.before, before, "before"),
        (around.after, after, "after"),
    ):
        if model is None and nq != nv:
            raise ValueError(
                f"{when} a reset nothing says of which model a state with nq, nv = {nq}, {nv} is: "
                "flows with derivatives need to know; make one reset of those that follow another"
            )


def _matrix(given: ArrayLike, columns: int, what: str) -> Array:
    matrix = np.asarray(given, float)
    if matrix.ndim != 2 or matrix.shape[1] != columns or not np.isfinite(matrix).all():
        raise ValueError(
            f"{what} has shape {matrix.shape}, must be (n, {columns}) of finite numbers"
        )
    return matrix
