"""Walkers on a floor in MuJoCo, with its defaults but for elliptic cones.

Bodies and joints are handed over one by one, feet are spheres, the floor is a plane, and joints
have limits, friction and actuators for proportional-derivative control: nothing else can touch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from walkers import DT, Walker

from tarsus import convert
from tarsus.bench.timing import Contender
from tarsus.model.description import Array
from tarsus.peers.mujoco import load_mujoco, specification

FLOOR, FOOT = 1, 2
"""Collision bits: a foot meets the floor, and no other foot."""


class MujocoWalker:
    """So many states of a walker, at first at rest in its stance."""

    def __init__(self, walker: Walker, friction: float, states: int = 1) -> None:
        self.mujoco = load_mujoco()
        self.walker, self.model = walker, self._compile(walker, friction)
        self.data = self.mujoco.MjData(self.model)
        q, v = np.tile(walker.stance, (states, 1)), np.zeros((states, walker.model.nv))
        qpos, qvel = convert.to_mujoco(walker.model, q, v, peer=self.model)
        self.states = np.concatenate([np.zeros((states, 1)), qpos, qvel], axis=-1)

    def _compile(self, walker: Walker, friction: float) -> Any:
        mujoco = self.mujoco
        spec = specification(mujoco, walker.model)
        spec.compiler.degree = False
        spec.option.timestep = DT
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
        feet = [
            spec.body(walker.model.body_names[body]).add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0, 0], pos=centre
            )
            for body, centre, radius in walker.spheres
        ]
        for shape in (floor, *feet):
            own, other = (FLOOR, FOOT) if shape is floor else (FOOT, FLOOR)
            shape.contype, shape.conaffinity = own, other
            shape.condim, shape.friction = 3, [friction, 0.0, 0.0]
        for joint in walker.model.joints[1:]:
            kp, kd = (float(gain[joint.v_slice][0]) for gain in walker.gains)
            limit = float(joint.effort_limit[0])
            stated = spec.joint(joint.name)
            stated.limited, stated.range = True, [joint.lower[0], joint.upper[0]]
            spec.add_actuator(
                name=joint.name,
                target=joint.name,
                trntype=mujoco.mjtTrn.mjTRN_JOINT,
                biastype=mujoco.mjtBias.mjBIAS_AFFINE,
                gainprm=[kp, *[0.0] * 9],
                biasprm=[0.0, -kp, -kd, *[0.0] * 7],
                forcelimited=True,
                forcerange=[-limit, limit],
            )
        model = spec.compile()
        for joint in walker.model.joints[1:]:
            model.joint(joint.name).damping[:] = joint.damping[0]
            if walker.dry_friction:
                model.joint(joint.name).frictionloss[:] = joint.friction[0]
        return model

    def follow(self, rows: Array) -> None:
        """Advance by references (states, steps, nq + 2 nv)."""
        names = self._names(rows)
        exec("rollout(models, data, initial, control, state=out)", names)
        self.states = np.ascontiguousarray(names["out"][:, -1])

    def rollout(self, rows: Array) -> Contender:
        """Return `mujoco.rollout` on this thread, from here, by references as in `follow`."""
        names = self._names(rows)
        names["warm"] = self._accelerations(names["control"][:, 0])
        call = "rollout(models, data, initial, control, initial_warmstart=warm, state=out)"
        return Contender(call, names, units=rows.shape[0] * rows.shape[1])

    def _names(self, rows: Array) -> dict[str, Any]:
        from mujoco.rollout import Rollout

        states, steps = rows.shape[:2]
        return {
            "rollout": Rollout(nthread=0).rollout,
            "models": [self.model] * states,
            "data": [self.mujoco.MjData(self.model)],
            "initial": self.states,
            "control": self._control(rows),
            "out": np.ones((states, steps, self.states.shape[1])),
        }

    def stand(self, rows: Array, steps: int) -> Contender:
        """Return calls of `mj_step` with so many steps each, for the first state."""
        self._set(self.states[0], self._control(rows)[0, 0])
        names = {"step": self.mujoco.mj_step, "model": self.model, "data": self.data}
        return Contender(f"step(model, data, {steps})", names, units=steps)

    def load(self, rows: Array) -> float:
        """Return the sum of the normal forces on the feet [N] of the first state."""
        self._set(self.states[0], self._control(rows)[0, 0])
        self.mujoco.mj_forward(self.model, self.data)
        force, total = np.empty(6), 0.0
        for contact in range(self.data.ncon):
            self.mujoco.mj_contactForce(self.model, self.data, contact, force)
            total += float(force[0])
        return total

    def gravity(self) -> Array:
        """Return the forces (nv,) that hold the first state, which must be at rest."""
        self._set(self.states[0], np.zeros(self.model.nu))
        self.mujoco.mj_forward(self.model, self.data)
        force = np.array(self.data.qfrc_bias)
        # of the base it is in axes of the world, ours in those of the body
        force[:3] = force[:3] @ self.data.xmat[1].reshape(3, 3)
        return force

    def _control(self, rows: Array) -> Array:
        """Return inputs (…, nu) for references: all of them are put into the positions."""
        model = self.walker.model
        q, v, tau = np.split(rows, [model.nq, model.nq + model.nv], axis=-1)
        kp, kd = (gain[6:] for gain in self.walker.gains)
        return np.ascontiguousarray(q[..., 7:] + (kd * v[..., 6:] + tau[..., 6:]) / kp)

    def _set(self, state: Array, control: Array) -> None:
        full = self.mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.mujoco.mj_setState(self.model, self.data, state, full)
        self.data.ctrl[:] = control

    def _accelerations(self, control: Array) -> Array:
        """Return the accelerations (states, nv) here, from which MuJoCo's solver starts."""
        result = np.empty((len(self.states), self.model.nv))
        for row, state, inputs in zip(result, self.states, control, strict=True):
            self._set(state, inputs)
            self.mujoco.mj_forward(self.model, self.data)
            row[:] = self.data.qacc
        return result
