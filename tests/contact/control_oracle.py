"""Controllers by their formulas, with sampling, holding and limits, for one mechanism."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from cone_problem import Array
from contact_worlds import World

import tarsus as ts


@dataclass
class Control:
    """One controller: what it remembers between steps, and the forces that it asks for."""

    world: World
    model: ts.Model
    integral: Array = field(init=False)
    held: Array = field(init=False)
    count: int = 0

    def __post_init__(self) -> None:
        self.integral, self.held = np.zeros(self.model.nv), np.zeros(self.model.nv)

    def forces(self, q: Array, v: Array, command: Array) -> tuple[Array, Array]:
        """Return forces (nv,), and how much they fall with each velocity in this step."""
        sampled, limit = self.count % self.world.control_steps == 0, self.world.efforts()
        self.count += 1
        falls = np.zeros(self.model.nv)
        if sampled or self.world.controller == "implicit_pd":
            wish = self.wish(q, v, command)
            if self.world.controller == "implicit_pd":
                kp, kd, _ = self.world.gains()
                falls = (kd + self.world.dt * kp) * (np.abs(wish) < limit)
            self.held = np.clip(wish, -limit, limit)
        return self.held, falls

    def split(self, command: Array) -> tuple[Array, Array, Array]:
        """Return the reference configuration, its velocity, and forces or accelerations."""
        nq, nv = self.model.nq, self.model.nv
        return command[:nq], command[nq : nq + nv], command[nq + nv :]

    def wish(self, q: Array, v: Array, command: Array) -> Array:
        """Return the forces before limits."""
        kind, model = self.world.controller, self.model
        kp, kd, ki = self.world.gains()
        if kind == "torque":
            return command
        q_ref, v_ref, last = self.split(command)
        e, e_rate = model.difference(q, q_ref), v_ref - v
        if kind == "implicit_pd":
            # the error where the step would end at this velocity
            return np.asarray(kp * (e - self.world.dt * v) + kd * e_rate + last)
        if kind == "inverse_dynamics":
            return np.asarray(model.inverse_dynamics(q, v, last + kp * e + kd * e_rate))
        if kind == "passivity":  # Slotine & Li 1987: kp is the bandwidth, kd the damping
            v_r, a_r = v_ref + kp * e, last + kp * e_rate
            return np.asarray(model.passive_inverse_dynamics(q, v, v_r, a_r) + kd * (v_r - v))
        feedback = np.asarray(kp * e + kd * e_rate + last)
        if kind == "pid":
            grown = self.integral + e * self.world.dt * self.world.control_steps
            total = feedback + ki * grown
            stuck = (np.abs(total) > self.world.efforts()) & (total * e > 0.0)
            self.integral = np.where(stuck, self.integral, grown)
            feedback = feedback + ki * self.integral
        return feedback
