"""Every algorithm of a model with arguments for it, as the compiled core describes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tarsus as ts

ARRAYS = (
    *("q", "q0", "q1", "u", "v", "dv", "a", "tau", "external"),
    *("v_reference", "a_reference"),
)
CHOICES = {
    "factorization": ("christoffel", "force", "momentum"),
    "reference": ("local", "world", "local_world_aligned"),
    "method": ("articulated", "sparse", "dense"),
}


@dataclass(frozen=True)
class Algorithm:
    """A method of a model, the names of its array arguments and its other arguments."""

    name: str
    arrays: tuple[str, ...]
    required: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    prescribes: bool = False

    def __str__(self) -> str:
        return " ".join([self.name, *map(str, self.options.values())])

    def plain(self, model: ts.Model, **arguments: Any) -> Any:
        """The result as it is: an array, a number or a named tuple of arrays."""
        return getattr(model, self.name)(**self.named(model), **arguments)

    def named(self, model: ts.Model) -> dict[str, Any]:
        """Arguments that are given by name only: every other velocity is prescribed."""
        mask = {"prescribed": np.arange(model.nv) % 2 == 0} if self.prescribes else {}
        return {**self.options, **mask}

    def __call__(self, model: ts.Model, **arguments: Any) -> Any:
        """The result as one array, several behind the leading dimensions of the batch."""
        found = self.plain(model, **arguments)
        if not isinstance(found, tuple):
            return found
        return np.stack(found, axis=-2 if self.prescribes else -3)


def algorithms(frame: str = "frame_0", *, every_option: bool = True) -> list[Algorithm]:
    """Return all algorithms; with `every_option` each reference and method is one of its own."""
    found = []
    for name, parameters, *_ in ts._core._describe_algorithms():
        names = [parameter for parameter, _ in parameters]
        arrays = tuple(n for n in names if n in ARRAYS)
        required = tuple(n for n, default in parameters if default is None and n in ARRAYS)
        options = {"frame": frame} if "frame" in names else {}
        choices = [options]
        for key, words in CHOICES.items():
            if key in names and every_option:
                choices = [{**options, key: word} for word in words]
        prescribes = "prescribed" in names
        found += [Algorithm(name, arrays, required, choice, prescribes) for choice in choices]
    return found


def arguments(
    model: ts.Model, algorithm: Algorithm, shape: tuple[int, ...] = (), seed: int = 0
) -> dict[str, np.ndarray]:
    """Return random arrays with these leading dimensions for an algorithm."""
    rng = np.random.default_rng(seed)
    made = {}
    for name in algorithm.arrays:
        if name.startswith("q"):
            made[name] = model.random_configuration(rng, shape)
        elif name == "u":
            made[name] = rng.random((*shape, model.nq))
        elif name == "external":
            made[name] = rng.normal(size=(*shape, model.n_bodies, 6))
        else:
            made[name] = rng.normal(size=(*shape, model.nv))
    return made


def core_ndim(name: str) -> int:
    """Number of dimensions of an argument for one state."""
    return 2 if name == "external" else 1


def states(arrays: dict[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
    """Yield the states of a batch with one leading dimension, as arrays of their own."""
    count = len(next(iter(arrays.values())))
    for i in range(count):
        yield {name: array[i].copy() for name, array in arrays.items()}
