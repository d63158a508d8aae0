"""Models for derivatives of a flow, and which models have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.events.friction import Rubbing, acting, ways
from tarsus.events.parameters import INERTIA, Parameter, Term
from tarsus.model.description import NONHOLONOMIC
from tarsus.model.model import Model

# Models for derivatives of their motions: with a slide that stands still for each length.


@dataclass(frozen=True)
class Derivatives:
    """That derivatives are wanted, by the states of a model with `nv` velocities and parameters."""

    nv: int
    parameters: tuple[Parameter, ...]

    def wide(self, model: Model, rubbing: Rubbing) -> tuple[Model, tuple[Any, ...]]:
        """Return the widened model, and what the core reads about it."""
        check_smooth(model)
        self._check_friction(model, rubbing)
        wide = model
        for parameter in self.parameters:
            wide = parameter.widened(wide, model)
        terms: list[tuple[int, int, int, list[float]]] = []
        for k, parameter in enumerate(self.parameters):
            own = parameter.terms(wide, model)
            _check_fields(model, own)
            terms += [(kind, k, index, numbers) for kind, index, numbers in own]
        of_q, of_v, own_v = _numbered(model, wide)
        parts, part_numbers = acting(wide)
        count = len(self.parameters)
        listed = (of_q, of_v, own_v, parts, part_numbers, terms, 2 * self.nv + count, count)
        return wide, (wide, *listed, ways(wide, rubbing))

    def _check_friction(self, model: Model, rubbing: Rubbing) -> None:
        rubbed = {name for each in self.parameters for name in each.rubbed}
        for name in model.joint_names:
            if name not in rubbing and (np.any(model.joint(name).friction) or name in rubbed):
                raise ValueError(
                    f"joint {name!r} has dry friction, which jumps where it turns: say how it "
                    f"does, with rubbing={{{name!r}: 1}} of its phase, or −1, or 0 if it stands"
                )


def _numbered(model: Model, wide: Model) -> tuple[list[int], list[int], list[int]]:
    """Return where positions and velocities of the wide model are in the other, −1 for lengths."""
    of_q, of_v = np.full(wide.nq, -1), np.full(wide.nv, -1)
    for name in model.joint_names:
        at, there = model.joint(name), wide.joint(name)
        if at.own_velocities != there.own_velocities or len(_range(at.q_slice)) != len(
            _range(there.q_slice)
        ):
            raise ValueError(
                f"joint {name!r} is within a loop with a joint that has a length: how long links "
                "of loops are is no parameter of a flow"
            )
        of_q[there.q_slice], of_v[there.v_slice] = _range(at.q_slice), _range(at.v_slice)
    own = np.flatnonzero(of_v >= 0)
    return of_q.tolist(), of_v.tolist(), own[np.argsort(of_v[own])].tolist()


def _range(of: slice) -> range:
    return range(of.start, of.stop)


def check_smooth(model: Model) -> None:
    """Raise ValueError if motions of a model have no derivatives here, by what is in the way."""
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.kind in NONHOLONOMIC:
            raise ValueError(
                f"joint {name!r} is {joint.kind}, which goes to places that no step leads to: "
                "flows with derivatives do not know it"
            )
    for coupling in model.description.couplings:
        if coupling.kind == "function":
            raise ValueError(
                f"coupling {coupling.name!r} is a function of yours: flows with derivatives do "
                "not know it"
            )
    for force in model.forces:
        statement = force.statement(model)
        damping = getattr(force, "damping", 0.0)
        if statement.law in ("string", "support") and np.any(damping):
            raise ValueError(
                f"force {force.name or force.kind!r} has damping, which jumps where it begins to "
                "act: flows with derivatives do not know it"
            )


def _check_fields(model: Model, terms: Sequence[Term]) -> None:
    if not any(kind == INERTIA for kind, *_ in terms):
        return
    for force in model.forces:
        if force.statement(model).coordinates == "field":
            raise ValueError(
                f"force {force.name or force.kind!r} is a field, whose forces depend on masses: "
                "flows do not know derivatives by masses with it"
            )
