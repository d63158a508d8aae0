"""Closed forms over a plane, beside differences, other closed forms and the general search."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus._lib.files import Array
from tarsus.geometry import surfaces as sf
from tarsus.spatial import pose, pose_from_twist, rotation_from_vector

TWIST = np.array([0.1, 0.2, -0.4, 0.2, -0.3, 0.5])
BODIES = (sf.Ellipsoid(1.0, 0.7, 0.5), sf.Sphere(0.3), sf.Disc(0.4), np.array([0.3, -0.2, 0.1]))
bodies = pytest.mark.parametrize("body", BODIES, ids=lambda b: type(b).__name__)


def poses(count: int = 30) -> Array:
    rng = np.random.default_rng(2)
    return pose(rng.normal(size=(count, 3)), rotation_from_vector(rng.normal(size=(count, 3))))


def test_the_ellipsoid_of_example_3_4() -> None:
    """Its two closed forms, (3.7) by cross products and −S² z / √(zᵀ S² z), are one."""
    body, at = sf.Ellipsoid(1.0, 0.7, 0.5), poses()
    x, y = at[:, 0, :3], at[:, 1, :3]  # the ground's axes in the body's frame
    across = np.cross(y / body.half_axes, x / body.half_axes)
    golden = body.half_axes * across / np.linalg.norm(across, axis=1, keepdims=True)
    assert np.abs(sf.over_plane(body, at).body_point - golden).max() < 1e-13


@bodies
def test_velocities_are_differences(body: sf.Surface | Array) -> None:
    at, step = poses(), 1e-6
    found = sf.over_plane(body, at, TWIST)
    before, after = (sf.over_plane(body, pose_from_twist(t * TWIST) @ at) for t in (-step, step))
    for name, rate in (
        ("distance", "distance_rate"),
        ("ground_point", "ground_velocity"),
        ("body_point", "body_velocity"),
    ):
        difference = (getattr(after, name) - getattr(before, name)) / (2 * step)
        off = np.abs(difference - getattr(found, rate)).max()
        print(f"{name:14} {off:.1e}")
        assert off < 1e-7


@bodies
def test_no_point_of_the_body_is_lower(body: sf.Surface | Array) -> None:
    at = poses(4)
    found = sf.over_plane(body, at)
    if isinstance(body, np.ndarray):
        assert np.abs(found.body_point - body).max() == 0.0
        return
    u = np.random.default_rng(0).uniform(-np.pi, np.pi, (20000, 2))
    heights = np.einsum("pk,nk->np", body.point(u), at[:, 2, :3]) + at[:, 2, 3:]
    assert (heights.min(axis=1) >= found.distance - 1e-12).all()
    assert np.abs(heights.min(axis=1) - found.distance).max() < 1e-3
    general = [sf.closest_points(sf.Plane(), body, each) for each in at]
    assert np.abs([each.distance for each in general] - found.distance).max() < 1e-10
    assert np.abs([each.point_b for each in general] - found.body_point).max() < 1e-8


def test_a_disc_that_lies_flat() -> None:
    flat = sf.over_plane(sf.Disc(0.4), np.eye(4), TWIST, smoothing=1e-6)
    assert np.isfinite(flat.body_velocity).all() and np.abs(flat.body_point).max() == 0.0
    tilted = pose(None, rotation_from_vector([0.3, 0, 0]))
    smoothed = sf.over_plane(sf.Disc(0.4), tilted, smoothing=1e-6).body_point
    assert np.abs(smoothed - sf.over_plane(sf.Disc(0.4), tilted).body_point).max() < 1e-5


def test_bad_bodies_are_named() -> None:
    with pytest.raises(TypeError, match="body is of type Torus, must be a Sphere"):
        sf.over_plane(sf.Torus(1.0, 0.2), np.eye(4))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"twist has shape \(3,\)"):
        sf.over_plane(sf.Sphere(1.0), np.eye(4), [1.0, 0.0, 0.0])
