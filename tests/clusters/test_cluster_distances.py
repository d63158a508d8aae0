"""Distances of mechanisms with gears, couplings and loops: derivatives by users' velocities."""

from __future__ import annotations

import numpy as np
import pytest
from cluster_cases import Case, case
from machines import FLAVOURS

from tarsus.geometry import Distances, SweptSphere, Volumes

STEP = 1e-6


def distances_of(c: Case) -> Distances:
    rng = np.random.default_rng(1)
    links = [*(body.name for body in c.model.description.bodies), "world"]
    volumes = {
        link: [SweptSphere(0.2 * rng.normal(size=(int(rng.integers(1, 4)), 3)), 0.02)]
        for link in links
    }
    return Distances(c.model, Volumes(volumes), activation=np.inf)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_derivatives(flavour: str) -> None:
    worst, compared = 0.0, 0
    for seed in range(4):
        c = case(flavour, seed)
        distances = distances_of(c)
        found = distances.nearest(c.q, gradient=True)
        assert found.gradient is not None
        steps = STEP * np.eye(c.model.nv)
        ahead = distances.nearest(c.model.integrate(c.q, steps))
        behind = distances.nearest(c.model.integrate(c.q, -steps))
        slope = ((ahead.distance - behind.distance) / (2 * STEP)).T
        # features that change nearby have two slopes, cores that meet none
        turned = np.maximum(
            np.abs(ahead.normal - found.normal).max(axis=(0, 2)),
            np.abs(behind.normal - found.normal).max(axis=(0, 2)),
        )
        kept = (found.distance > -0.04 + 1e-3) & (turned < 1e3 * STEP)
        scale = 1.0 + np.abs(found.gradient[kept]).max(initial=0.0)
        worst = max(worst, np.abs(slope - found.gradient)[kept].max(initial=0.0) / scale)
        compared += int(kept.sum())
    print(f"{flavour}: {worst:.1e} over {compared} pairs")
    assert worst < 1e-5 and compared > 100


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_batches_have_the_same_bits(flavour: str) -> None:
    c = case(flavour, 1)
    distances = distances_of(c)
    q = c.model.integrate(c.q, 1e-3 * np.random.default_rng(0).normal(size=(11, c.model.nv)))
    together = distances.nearest(q, gradient=True)
    for k in range(len(q)):
        alone = distances.nearest(q[k], gradient=True)
        assert alone.distance.tobytes() == together.distance[k].tobytes()
        assert alone.gradient is not None and together.gradient is not None
        assert alone.gradient.tobytes() == together.gradient[k].tobytes()
