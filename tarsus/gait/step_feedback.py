"""Feedback from step to step: the linear quadratic regulator of a return map.

With x the offset of a state from that of a gait after a strike, and u the offsets of numbers that
are set anew for each step, a step is x ← A x + B u to first order. A and B come from variational
equations along the step. The feedback u = −K x has the least Σ xᵀ Q x + uᵀ R u (P. Dorato,
C. Abdallah, V. Cerone, "Linear-Quadratic Control", 1995). Offsets along the motion are those of
time, of which nothing depends: K is zero there, and it does not matter when a state is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, find, gain_matrix, vectors
from tarsus._lib.differences import WEIGHTS
from tarsus._lib.files import Array
from tarsus.events.flow_result import ENDS, EVENTS, Flowed
from tarsus.gait.cycle import LimitCycle, check_gait
from tarsus.gait.return_map import FINE, residual, take_step

EFFORT = 1e-3
"""Of differences by efforts [N m, N]."""


@dataclass(frozen=True, eq=False)
class FeedbackWalk:
    """Steps under feedback: states after them, times, and the numbers that were set."""

    q: Array
    """(n + 1, nq), the first is the start."""
    v: Array
    times: Array
    """How long each step took (n,) [s]."""
    inputs: Array
    """What was set for each step (n, p)."""
    fell: str
    """Why there are no more steps, empty if there are as many as there should be."""


class StepFeedback:
    """Numbers of a walker that are set after each strike, so that a gait becomes stable.

    `inputs` are names of joints, whose effort is held through the first phase of a step, or of
    numbers of the walker that have derivatives, `walker.parameters`. `state_cost` Q (2 nv, 2 nv)
    and `input_cost` R (p, p) are matrices, diagonals or numbers; large costs of inputs mean small
    ones. With `limits` (p,) inputs stay so near to their usual values.

    `gain` K (p, 2 nv) is by steps of q and changes of v, `multipliers` are those of the gait under
    feedback.
    """

    def __init__(
        self,
        cycle: LimitCycle,
        inputs: str | Sequence[str],
        *,
        state_cost: ArrayLike = 1.0,
        input_cost: ArrayLike = 1.0,
        limits: ArrayLike = np.inf,
    ) -> None:
        from scipy.linalg import solve_discrete_are  # slow to import, and only needed here

        check_gait(cycle, "cycle")
        if cycle.steps != 1:
            raise ValueError(f"cycle repeats after {cycle.steps} steps, must be of one step")
        self.cycle, self.walker = cycle, cycle.walker
        self.inputs = (inputs,) if isinstance(inputs, str) else tuple(inputs)
        if not self.inputs:
            raise ValueError("inputs is empty: name numbers of the walker")
        model = self.walker.phases[0].model
        self._efforts = [name in model.joint_names for name in self.inputs]
        known = (*self.walker.parameters, *model.joint_names)
        for name in self.inputs:
            find(dict.fromkeys(known), name, "number or joint of the walker")
        self.usual = np.array([self.walker.numbers.get(name, 0.0) for name in self.inputs])
        """Of the inputs in the gait (p,)."""
        self.limits = np.broadcast_to(np.asarray(limits, float), self.usual.shape)
        varied = [self.walker.parameters[name] for name in self._named(False)]
        q, v = (x[None] for x in cycle.state)
        step = take_step(self.walker, q, v, derivatives=True, parameters=varied)
        assert step.slopes is not None
        n = 2 * model.nv
        self.by_state = step.slopes[0, :, :n]
        """A (2 nv, 2 nv)."""
        self.by_inputs = np.zeros((n, len(self.inputs)))
        """B (2 nv, p)."""
        self.by_inputs[:, ~np.array(self._efforts)] = step.slopes[0, :, n:]
        for k, name in enumerate(self.inputs):
            if self._efforts[k]:
                self.by_inputs[:, k] = self._by_effort(name)
        costs = (
            gain_matrix(state_cost, n, "state_cost"),
            gain_matrix(input_cost, len(self.inputs), "input_cost"),
        )
        try:
            future = solve_discrete_are(self.by_state, self.by_inputs, *costs)
        except (np.linalg.LinAlgError, ValueError) as error:
            raise ValueError(
                f"{', '.join(self.inputs)} cannot make the gait of {self.walker.name} stable"
            ) from error
        weighed = self.by_inputs.T @ future
        inner = costs[1] + weighed @ self.by_inputs
        self.gain = np.linalg.solve(inner, weighed @ self.by_state)

    @property
    def multipliers(self) -> Array:
        """What small offsets are multiplied by in a step (2 nv,), the largest first."""
        found = np.linalg.eigvals(self.by_state - self.by_inputs @ self.gain)
        return np.asarray(found[np.argsort(-np.abs(found))])

    def __call__(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the inputs (…, p) for a step from states q (…, nq) and v (…, nv)."""
        model = self.walker.phases[0].model
        q, v = vectors(q, model.nq, "q"), vectors(v, model.nv, "v")
        offset = residual(self.walker, *self.cycle.state, q, v)
        change = np.clip(-offset @ self.gain.T, -self.limits, self.limits)
        return np.asarray(self.usual + change)

    def walk(
        self,
        q: ArrayLike,
        v: ArrayLike,
        steps: int = 20,
        *,
        sensed: Callable[[Array, Array], tuple[Array, Array]] | None = None,
    ) -> FeedbackWalk:
        """Take steps from a state q (nq,), v (nv,), each with its own numbers.

        The feedback goes by what is `sensed` of the state after a strike, the state itself unless
        given.
        """
        count(steps, "steps")
        states = [(np.array(q, float), np.array(v, float))]
        times, inputs, fell = [], [], ""
        for _ in range(steps):
            inputs.append(self(*(states[-1] if sensed is None else sensed(*states[-1]))))
            flowed = self._stepped(*states[-1], inputs[-1])
            if flowed.ended != ENDS[EVENTS] or flowed.phase != self.walker.phases[0].name:
                fell = f"the step {flowed.ended}"
                break
            states.append((flowed.q, flowed.v))
            times.append(float(flowed.t))
        q_all, v_all = (np.stack(each) for each in zip(*states, strict=True))
        return FeedbackWalk(q_all, v_all, np.array(times), np.array(inputs), fell)

    def _named(self, efforts: bool) -> list[str]:
        return [
            name
            for name, is_one in zip(self.inputs, self._efforts, strict=True)
            if is_one == efforts
        ]

    def _stepped(self, q: Array, v: Array, inputs: Array) -> Flowed:
        """Take a step with other inputs (p,)."""
        values = dict(zip(self.inputs, inputs.tolist(), strict=True))
        numbers = {name: values[name] for name in self._named(False)}
        tau = sum((values[name] * self._effort(name) for name in self._named(True)), self._none)
        walker = self.walker.but(**numbers) if numbers else self.walker
        return walker.steps(q, v, tau=tau, **FINE._asdict())

    @property
    def _none(self) -> Array:
        return np.zeros(self.walker.phases[0].model.nv)

    def _effort(self, joint: str) -> Array:
        """Return the unit effort (nv,) of a joint with one velocity."""
        at = self.walker.phases[0].model.joint(joint)
        if len(at.own_velocities) != 1:
            raise ValueError(f"joint {joint!r} is {at.kind}, must have one velocity of its own")
        tau = self._none
        tau[at.v_slice] = 1.0
        return tau

    def _by_effort(self, joint: str) -> Array:
        """Return how the state after a step depends on an effort (2 nv,), by differences."""
        ways = np.array([(k * way, way * weight) for k, weight in WEIGHTS for way in (1, -1)])
        q, v = (np.repeat(x[None], len(ways), axis=0) for x in self.cycle.state)
        tau = EFFORT * ways[:, :1] * self._effort(joint)
        after = self.walker.steps(q, v, tau=tau, **FINE._asdict())
        away = residual(self.walker, q, v, after.q, after.v)
        return np.asarray(ways[:, 1] @ away / EFFORT)
