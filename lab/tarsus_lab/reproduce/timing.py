"""Times of calls, taken in turn on one core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from tarsus.model.model import Model
from tarsus_lab.bench.timing import Contender, interleave, pinned

Method: TypeAlias = Literal["articulated", "sparse", "dense"]
METHODS: tuple[Method, ...] = ("articulated", "sparse", "dense")
"""The O(n) recursion, and solving with the mass matrix by LTL and by LLᵀ factors."""

Key = TypeVar("Key")

ROUNDS, SECONDS = 25, 1e-3
"""How often each contender is measured, and for how long each time."""


def measure(contenders: Mapping[Key, Contender], rounds: int | None = None) -> dict[Key, float]:
    """Return the median time of each call [µs]; the contenders keep all samples."""
    with pinned(1):
        interleave(list(contenders.values()), rounds or ROUNDS, SECONDS, lambda share: None)
    return {key: contender.median for key, contender in contenders.items()}


def contender(model: Model, call: str) -> Contender:
    """Return a call such as "m.mass_matrix(q)" on one random state q, v, tau of model m."""
    rng = np.random.default_rng(0)
    v, tau = rng.standard_normal((2, model.nv))
    names: dict[str, Any] = {"m": model, "q": model.random_configuration(rng), "v": v, "tau": tau}
    return Contender(call, names)


def method_times(
    models: Mapping[str, Model], methods: Sequence[str] = METHODS, rounds: int | None = None
) -> dict[tuple[str, str], float]:
    """Return the median time of forward dynamics [µs], by name of the model and method."""
    contenders = {
        (name, method): contender(model, f"m.forward_dynamics(q, v, tau, method={method!r})")
        for name, model in models.items()
        for method in methods
    }
    return measure(contenders, rounds)
