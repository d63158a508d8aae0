"""Controllers that speak to the actuators of a model: controls u in, generalised forces out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.arguments import vectors
from tarsus.control.control_law import ControlLaw
from tarsus.control.reference import Setpoint
from tarsus.model import Model, ModelError
from tarsus.model.checks import expect

Controls = ArrayLike | Callable[[float, Array, Array], Any]


class Actuated(ControlLaw):
    """tau = m.actuation(q, v, u): the efforts of actuators with controls u = law(t, q, v).

    `law` is a function (t, q, v) → u (nu,) or (…, nu), or controls that stay. In an interactive
    motion `sim.step(u)` replaces them. Controls are held over `period` [s]; the forces of
    actuators that feel positions or velocities are computed at its beginning.
    """

    def __init__(self, model: Model, law: Controls | None = None, *, period: float | None = None):
        expect(model, Model, "model")
        if not model.nu:
            raise ModelError(f"{model.name!r} has no actuators: state them with b.actuator(…)")
        self.function: Any = law if callable(law) else None
        super().__init__(
            model, np.zeros(model.nu) if law is None or callable(law) else law, period=period
        )

    @property
    def remembers(self) -> bool:  # type: ignore[override]
        """Whether the law has a memory: ours say so, others have one if they can reset it."""
        return bool(getattr(self.function, "remembers", hasattr(self.function, "reset")))

    @property
    def feels(self) -> bool:
        """Whether the law wants to know contacts of the last step."""
        return bool(getattr(self.function, "feels", False))

    def feel(self, touches: Any) -> None:
        """Give the law what touched in the last step (`tarsus.sensors.Touches`)."""
        self.function.feel(touches)

    def controls(self, t: float, q: Array, v: Array) -> Array:
        """Return the controls (…, nu) at the time t [s]."""
        found = self.reference(t)[0] if self.function is None else self.function(t, q, v)
        if found is None:
            raise TypeError(f"the law returned None at t = {t:g} s, must return controls (…, nu)")
        return vectors(found, self.model.nu, "u")

    def within(
        self, limits: Array, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> Array:
        """Return efforts (…, nv) within limits (nv,); `reference` (…, nu) replaces the controls."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        u = self.controls(t, *state) if reference is None else self.setpoint(reference)[0]
        return np.clip(self.law(t, *state, (u, u, u)), -limits, limits)

    def setpoint(self, value: Any) -> Setpoint:
        """Return controls (…, nu), checked, as all three parts of a setpoint."""
        u = vectors(value, self.model.nu, "u")
        return u, u, u

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without the limits of joints."""
        return self.model.actuation(q, v, setpoint[0])

    def reset(self) -> None:
        """Let the law forget what was."""
        if hasattr(self.function, "reset"):
            self.function.reset()

    def get_state(self) -> dict[str, Array]:
        """Return what the law remembers."""
        return self.function.get_state() if hasattr(self.function, "get_state") else {}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        if hasattr(self.function, "set_state"):
            self.function.set_state(state)
