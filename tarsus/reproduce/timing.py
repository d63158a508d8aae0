"""Times of forward dynamics by its three methods, taken in turn on one core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from tarsus.bench.timing import Contender, interleave, pinned
from tarsus.model import Model

Method: TypeAlias = Literal["articulated", "sparse", "dense"]
METHODS: tuple[Method, ...] = ("articulated", "sparse", "dense")
"""The O(n) recursion, and solving with the mass matrix by LTL and by LLᵀ factors."""


ROUNDS, SECONDS = 25, 1e-3
"""How often each contender is measured, and for how long each time."""


def method_times(
    models: Mapping[str, Model], methods: Sequence[str] = METHODS, rounds: int | None = None
) -> dict[tuple[str, str], float]:
    """Return the median time of a call [µs] on one state, by name of the model and method."""
    contenders = {
        (name, method): _contender(model, method)
        for name, model in models.items()
        for method in methods
    }
    with pinned(1):
        interleave(list(contenders.values()), rounds or ROUNDS, SECONDS, lambda share: None)
    return {key: contender.median for key, contender in contenders.items()}


def _contender(model: Model, method: str) -> Contender:
    rng = np.random.default_rng(0)
    v, tau = rng.standard_normal((2, model.nv))
    names = {
        "forward_dynamics": model.forward_dynamics,
        "q": model.random_configuration(rng),
        "v": v,
        "tau": tau,
    }
    return Contender(f"forward_dynamics(q, v, tau, method={method!r})", names)
