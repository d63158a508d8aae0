"""Whole-body control in any state: torques are finite, and the best that another solver finds."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trials import outcomes, seeds

sys.path += [str(Path(__file__).parent.parent / folder) for folder in ("control", "dynamics")]
from numpy_bodies import statement_of
from whole_bodies import Body, controller, dense_solution, g1, talos

pytest.importorskip("daqp")
pytest.importorskip("pinocchio")  # whose package of robots these are


class NoSolutionError(Exception):
    """One of the two solvers ended without a solution."""


@cache
def bodies() -> tuple[Body, ...]:
    """Return robots on soles."""
    return talos(), g1()


def trial(rng: np.random.Generator) -> None:
    """Control a robot in a random state, with random targets, friction, loads and efforts."""
    body = bodies()[rng.integers(2)]
    m, far = body.model, 10.0 ** rng.uniform(-3.0, -0.5)
    options: dict[str, Any] = {} if rng.random() < 0.5 else {"effort": 10.0 ** rng.uniform(1, 3)}
    law = controller(body, friction=rng.uniform(0.1, 1.0), **options)
    q = m.integrate(body.q, far * rng.normal(size=m.nv))
    v = 3.0 * far * rng.normal(size=m.nv)
    names = [contact.name for contact in law.contacts]
    loads = dict(zip(names, np.clip(rng.uniform(-0.3, 1.5, 2), 0.0, 1.0), strict=True))
    aim = m.center_of_mass(body.q) + far * rng.normal(size=3)
    tau = law(0.0, q, v, {"com": aim, **loads})
    assert np.isfinite(tau).all() and (np.abs(tau) <= law.effort).all()
    assert law.last is not None
    found, stated = law.last.found, statement_of(law)
    if found.code != 0:
        raise NoSolutionError(law.last.status)
    one = {name: value[None] for name, value in vars(stated).items() if name in ARRAYS}
    other = dense_solution(type(stated)(**{**vars(stated), **one}), 0)
    if other is None:
        raise NoSolutionError("DAQP")
    apart = np.abs(found.v - other).max() / (1.0 + np.abs(other).max())
    assert apart < 1e-5, f"{m.name}: apart by {apart}"


ARRAYS = (
    *("task", "target", "weight", "reference", "lower", "upper"),
    *("rows", "rows_lower", "rows_upper"),
)


def test_whole_bodies() -> None:
    ended = outcomes(trial, seeds(40), (NoSolutionError,))
    assert ended["fine"] > 0.9 * sum(ended.values())
