"""The algorithms that are measured, and how Tarsus and Pinocchio are called for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.bench.timing import Contender
from tarsus.model import Model
from tarsus.peers import NotComparableError
from tarsus.peers.pinocchio import PinocchioPeer


@dataclass(frozen=True)
class Algorithm:
    """A method of the model with its arguments, and Pinocchio's call for the same result.

    `options` are further arguments of the method, as in "threads=2".
    """

    title: str
    method: str
    arguments: tuple[str, ...]
    pinocchio: str = ""
    options: str = ""
    named: tuple[str, ...] = ()
    """Arguments that are given by name."""
    stacked: bool = False
    """The result is several arrays, stacked in front of the batch."""


ALGORITHMS = (
    Algorithm("RNEA", "inverse_dynamics", ("q", "v", "a"), "pin.rnea(model, data, q, v, a)"),
    Algorithm("CRBA", "mass_matrix", ("q",), "pin.crba(model, data, q)"),
    Algorithm("ABA", "forward_dynamics", ("q", "v", "a"), "pin.aba(model, data, q, v, a)"),
    Algorithm(
        "hybrid", "hybrid_dynamics", ("q", "v", "a", "a"), named=("prescribed",), stacked=True
    ),
    Algorithm("FK", "forward_kinematics", ("q",), "pin.forwardKinematics(model, data, q)"),
    Algorithm(
        "frame Jacobian",
        "frame_jacobian",
        ("q", "frame"),
        "pin.computeFrameJacobian(model, data, q, frame)",
    ),
    Algorithm(
        "centroidal",
        "centroidal_momentum_matrix",
        ("q",),
        "pin.computeCentroidalMap(model, data, q)",
    ),
    Algorithm(
        "Coriolis", "coriolis_matrix", ("q", "v"), "pin.computeCoriolisMatrix(model, data, q, v)"
    ),
    Algorithm(
        "RNEA derivatives",
        "inverse_dynamics_derivatives",
        ("q", "v", "a"),
        "pin.computeRNEADerivatives(model, data, q, v, a)",
        stacked=True,
    ),
    Algorithm(
        "ABA derivatives",
        "forward_dynamics_derivatives",
        ("q", "v", "a"),
        "pin.computeABADerivatives(model, data, q, v, a)",
        stacked=True,
    ),
)


@dataclass(frozen=True)
class Subject:
    """A model to measure with random states, and the same in Pinocchio if that is possible."""

    name: str
    model: Model
    q: Array
    v: Array
    a: Array
    pinocchio: PinocchioPeer | None

    @classmethod
    def make(cls, name: str, model: Model, states: int, *, alone: bool = False) -> Subject:
        """Return a model with `states` random states, without Pinocchio if `alone`."""
        if model.nv == 0:
            raise ValueError(f"{name} does not move: there is nothing to measure")
        rng = np.random.default_rng(0)
        q = model.random_configuration(rng, states)
        v, a = rng.standard_normal((2, states, model.nv))
        try:
            peer = None if alone else PinocchioPeer(model)
        except NotComparableError:
            peer = None
        return cls(name, model, q, v, a, peer)

    def output_shape(self, algorithm: Algorithm) -> tuple[int, ...]:
        """Return the shape of the result for one state."""
        return tuple(self._result(algorithm).shape)

    def one(self, algorithm: Algorithm) -> Contender:
        """Return Tarsus on one state, a new array for each result."""
        return Contender(_call(algorithm), self._names(algorithm, 0))

    def batch(
        self,
        algorithm: Algorithm,
        states: int,
        buffer: Array,
        threads: int,
        clock: Callable[[], float] = time.thread_time,
    ) -> Contender:
        """Return Tarsus on so many states at once, the result written into the buffer."""
        shape = self.output_shape(algorithm)
        shape = (shape[0], states, *shape[1:]) if algorithm.stacked else (states, *shape)
        names = self._names(algorithm, slice(0, states))
        names["out"] = buffer[: int(np.prod(shape))].reshape(shape)
        call = _call(algorithm, f"threads={threads}, out=out")
        return Contender(call, names, states, clock)

    def peer(self, algorithm: Algorithm) -> Contender | None:
        """Return Pinocchio on one state."""
        peer = self.pinocchio
        if peer is None or not algorithm.pinocchio:
            return None
        names: dict[str, Any] = {"pin": peer.pin, "model": peer.model, "data": peer.data}
        names |= {"q": peer.configuration(self.q[0])}
        names |= {"v": peer.velocity(self.v[0]), "a": peer.velocity(self.a[0])}
        names["frame"] = peer.frame_id(self.model.body_names[-1])
        return Contender(algorithm.pinocchio, names)

    def _names(self, algorithm: Algorithm, which: int | slice) -> dict[str, Any]:
        states = {key: np.ascontiguousarray(getattr(self, key)[which]) for key in ("q", "v", "a")}
        method = getattr(self.model, algorithm.method)
        every_other = np.arange(self.model.nv) % 2 == 0
        frame = self.model.body_names[-1]
        return states | {"method": method, "frame": frame, "prescribed": every_other}

    def _result(self, algorithm: Algorithm) -> Array:
        names = self._names(algorithm, 0)
        named = {key: names[key] for key in algorithm.named}
        return np.asarray(names["method"](*(names[key] for key in algorithm.arguments), **named))


def _call(algorithm: Algorithm, options: str = "") -> str:
    named = (f"{key}={key}" for key in algorithm.named)
    given = (*algorithm.arguments, *named, algorithm.options, options)
    return f"method({', '.join(filter(None, given))})"
