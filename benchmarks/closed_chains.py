"""A chain whose end is welded to the world: one loop of six equations, in Tarsus and Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
from tarsus_lab.bench.timing import Contender

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.check.pinocchio import PinocchioPeer

SMALLEST_MU = 1e-6
"""Pinocchio's proximal parameter of LCABA, as its documentation recommends it."""


def closed_chain(n: int) -> ts.Model:
    """Return `ts.robots.chain(n)` with its end welded to the world, as a constraint."""
    builder = ts.Builder(f"closed_chain({n})")
    chain = ts.robots.chain(n).description
    for body in chain.bodies:
        builder.body(body.name, body.mass, body.com, body.inertia)
    for joint in chain.joints:
        builder.joint(joint.name, joint.kind, joint.parent, joint.child, placement=joint.placement)
    place, end = (0.3 * n**0.5, 0.2, 0.1), (1.0, 0.0, 0.0)
    builder.close_loop("weld", "world", place, chain.bodies[-1].name, end, constraint=True)
    return builder.build()


def closed_state(model: ts.Model) -> dict[str, Array]:
    """Return a state whose position and velocity keep to the constraint."""
    q, (v, tau) = model.neutral(), np.random.default_rng(0).standard_normal((2, model.nv))
    jacobian = np.asarray(model.constraint_jacobian(q))
    return {"q": q, "v": v - np.linalg.pinv(jacobian) @ jacobian @ v, "tau": tau}


class PinocchioLoop:
    """Pinocchio with a chain and its loop: a rigid constraint of six dimensions."""

    def __init__(self, ours: ts.Model) -> None:
        self.peer = PinocchioPeer(ts.robots.chain(ours.nv))
        pin, model = self.peer.pin, self.peer.model
        loop = ours.description.loops[0]
        # the world has to be the second joint: LCABA ends the process otherwise
        constraint = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_6D,
            model,
            model.getJointId(ours.body(loop.body_b).joint),
            pin.SE3(loop.placement_b),
            0,
            pin.SE3(loop.placement_a),
            pin.ReferenceFrame.LOCAL,
        )
        self.constraints = pin.StdVec_RigidConstraintModel()
        self.constraints.append(constraint)

    def lcaba(self, state: dict[str, Array]) -> Contender:
        """Return the loop-constrained articulated bodies, with one proximal step: the fastest."""
        pin, names = self.peer.pin, self._names(state, self.peer.data)
        pin.computeJointMinimalOrdering(names["model"], names["data"], self.constraints)
        names["settings"] = pin.ProximalSettings(1e-12, SMALLEST_MU, 1)
        return Contender("pin.lcaba(model, data, q, v, tau, loops, loop_data, settings)", names)

    def constraint_dynamics(self, state: dict[str, Array]) -> Contender:
        """Return the sparse factorisation of the whole system, which is exact."""
        pin, names = self.peer.pin, self._names(state, self.peer.model.createData())
        pin.initConstraintDynamics(
            names["model"], names["data"], self.constraints, names["loop_data"]
        )
        names["settings"] = pin.ProximalSettings(1e-12, 0.0, 1)
        call = "pin.constraintDynamics(model, data, q, v, tau, loops, loop_data, settings)"
        return Contender(call, names)

    def _names(self, state: dict[str, Array], data: Any) -> dict[str, Any]:
        peer = self.peer
        loop_data = peer.pin.StdVec_RigidConstraintData()
        loop_data.append(self.constraints[0].createData())
        return {
            "pin": peer.pin,
            "model": peer.model,
            "data": data,
            "q": peer.configuration(state["q"]),
            "v": peer.velocity(state["v"]),
            "tau": peer.velocity(state["tau"]),
            "loops": self.constraints,
            "loop_data": loop_data,
        }
