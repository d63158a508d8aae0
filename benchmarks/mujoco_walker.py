"""Robots on a floor in MuJoCo, with its defaults but for elliptic cones.

Bodies and joints are handed over one by one, what touches are spheres, the floor is a plane, and
joints have limits, friction and actuators for proportional-derivative control: nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from motions import Situation
from tarsus_lab.bench.timing import Contender
from walkers import DT, FRICTION

from tarsus._lib.files import Array
from tarsus.check.peers import load_mujoco, specification
from tarsus.formats import convert
from tarsus.model import JointView

FLOOR, FOOT = 1, 2
"""Collision bits: a sphere meets the floor, and no other sphere."""


class MujocoWalker:
    """The states of a situation, at first at its start."""

    name = "mujoco"

    def __init__(self, situation: Situation) -> None:
        self.mujoco = load_mujoco()
        self.situation = situation
        self.model = self._compile()
        self.data = self.mujoco.MjData(self.model)
        qpos, qvel = convert.to_mujoco(situation.model, situation.q, situation.v, peer=self.model)
        self.states = np.concatenate([np.zeros((len(qpos), 1)), qpos, qvel], axis=-1)
        """As MuJoCo's rollouts have them: time, positions, velocities."""
        self.step = 0

    def _compile(self) -> Any:
        mujoco, situation = self.mujoco, self.situation
        spec = specification(mujoco, situation.model)
        spec.compiler.degree = False
        spec.option.timestep = DT
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
        spheres = [
            spec.body(sphere.body).add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[sphere.radius, 0, 0], pos=sphere.centre
            )
            for sphere in situation.spheres
        ]
        for shape in (floor, *spheres):
            own, other = (FLOOR, FOOT) if shape is floor else (FOOT, FLOOR)
            shape.contype, shape.conaffinity = own, other
            shape.condim, shape.friction = 3, [FRICTION, 0.0, 0.0]
        for joint in situation.model.joints[1:]:
            stated = spec.joint(joint.name)
            if np.isfinite([joint.lower[0], joint.upper[0]]).all():
                stated.limited, stated.range = True, [joint.lower[0], joint.upper[0]]
            if situation.reference is not None:
                self._actuate(spec, joint)
        model = spec.compile()
        for joint in situation.model.joints[1:]:
            model.joint(joint.name).damping[:] = joint.damping[0]
            if situation.walker.dry_friction:
                model.joint(joint.name).frictionloss[:] = joint.friction[0]
        return model

    def _actuate(self, spec: Any, joint: JointView) -> None:
        kp, kd = (float(gain[joint.v_slice][0]) for gain in self.situation.walker.gains)
        limit = float(joint.effort_limit[0])
        spec.add_actuator(
            name=joint.name,
            target=joint.name,
            trntype=self.mujoco.mjtTrn.mjTRN_JOINT,
            biastype=self.mujoco.mjtBias.mjBIAS_AFFINE,
            gainprm=[kp, *[0.0] * 9],
            biasprm=[0.0, -kp, -kd, *[0.0] * 7],
            forcelimited=bool(np.isfinite(limit)),
            forcerange=[-limit, limit] if np.isfinite(limit) else [0.0, 0.0],
        )

    def settle(self, states: int) -> str:
        """Go on to where time is taken; then repeat the states until there are so many.

        Returns what went wrong: nothing.
        """
        self.follow(self.situation.lead)
        self.states = np.resize(self.states, (states, self.states.shape[1]))
        return ""

    def follow(self, steps: int) -> None:
        """Make steps with all states."""
        names = self._names(self.states, steps)
        names["rollout"](
            names["models"], names["data"], names["initial"], names["control"], state=names["out"]
        )
        self.states = np.ascontiguousarray(names["out"][:, -1])
        self.step += steps
        if not np.isfinite(self.states).all():
            raise RuntimeError(f"{self.situation.title}: MuJoCo's states are not finite")

    def one(self, steps: int) -> Contender:
        """Return `mj_step` for the first state, many steps a call, always from the same state.

        Where references change with every step it is a rollout.
        """
        reference = self.situation.reference
        if reference is not None and reference.ndim == 3:
            return self._rollout(self.states[:1], steps)
        mujoco, control = self.mujoco, self._control(1, steps)
        self._set(self.states[0], None if control is None else control[0, 0])
        mujoco.mj_forward(self.model, self.data)
        self.data.qacc_warmstart[:] = self.data.qacc
        kind = mujoco.mjtState.mjSTATE_INTEGRATION
        start = np.empty(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, start, kind)
        names = {"step": mujoco.mj_step, "set_state": mujoco.mj_setState, "model": self.model}
        names |= {"data": self.data, "start": start, "kind": kind}
        call = f"set_state(model, data, start, kind); step(model, data, {steps})"
        return Contender(call, names, units=steps)

    def batch(self, steps: int) -> Contender:
        """Return `mujoco.rollout` for all states on this thread."""
        return self._rollout(self.states, steps)

    def efforts(self, steps: int) -> Array:
        """Return the efforts (steps, nv) of the controller on the first state."""
        control = self._control(1, 1)
        self._set(self.states[0], None if control is None else control[0, 0])
        found = np.empty((steps, self.model.nv))
        for row in found:
            self.mujoco.mj_step(self.model, self.data)
            row[:] = self.data.qfrc_actuator
        return found

    def load(self) -> float:
        """Return the sum of the normal forces on the first state [N]."""
        control = self._control(1, 1)
        self._set(self.states[0], None if control is None else control[0, 0])
        self.mujoco.mj_forward(self.model, self.data)
        force, total = np.empty(6), 0.0
        for contact in range(self.data.ncon):
            self.mujoco.mj_contactForce(self.model, self.data, contact, force)
            total += float(force[0])
        return total

    def gravity(self) -> Array:
        """Return the forces (nv,) that hold the first state, which must be at rest."""
        self._set(self.states[0], None)
        self.mujoco.mj_forward(self.model, self.data)
        force = np.array(self.data.qfrc_bias)
        # of the base it is in axes of the world, ours in those of the body
        force[:3] = force[:3] @ self.data.xmat[1].reshape(3, 3)
        return force

    def _rollout(self, initial: Array, steps: int) -> Contender:
        names = self._names(initial, steps)
        names["warm"] = self._accelerations(initial, names["control"])
        call = "rollout(models, data, initial, control, initial_warmstart=warm, state=out)"
        return Contender(call, names, units=len(initial) * steps)

    def _names(self, initial: Array, steps: int) -> dict[str, Any]:
        from mujoco.rollout import Rollout

        states = len(initial)
        control = self._control(states, steps)
        return {
            "rollout": Rollout(nthread=0).rollout,
            "models": [self.model] * states,
            "data": [self.mujoco.MjData(self.model)],
            "initial": np.ascontiguousarray(initial),
            # rollouts take the number of steps from their inputs
            "control": np.zeros((states, steps, 0)) if control is None else control,
            "out": np.ones((states, steps, initial.shape[1])),
        }

    def _control(self, states: int, steps: int) -> Array | None:
        """Return inputs (states, steps, nu): angles that joints are held at."""
        found = self.situation.references(self.step, steps)
        if found is None:
            return None
        rows = np.resize(found[..., 7:], (states, *found.shape[1:-1], found.shape[-1] - 7))
        return np.ascontiguousarray(np.repeat(rows[:, None], steps, 1) if rows.ndim == 2 else rows)

    def _set(self, state: Array, control: Array | None) -> None:
        full = self.mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.mujoco.mj_setState(self.model, self.data, state, full)
        self.data.ctrl[:] = 0.0 if control is None else control

    def _accelerations(self, initial: Array, control: Array) -> Array:
        """Return the accelerations (states, nv) here, from which MuJoCo's solver starts."""
        result = np.empty((len(initial), self.model.nv))
        for row, state, inputs in zip(result, initial, control[:, 0], strict=True):
            self._set(state, inputs)
            self.mujoco.mj_forward(self.model, self.data)
            row[:] = self.data.qacc
        return result
