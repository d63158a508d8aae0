"""Twists in other frames, screws, and twists of exponentials, beside matrices of 4 × 4 and SciPy.

Frames i and j are on one body, k and l on a second, m on a third, as in V. Duindam, "Port-Based
Modeling and Control for Efficient Bipedal Walking Robots", University of Twente 2006, lemma 2.8.
A twist of one body relative to another in a frame is what a matrix of 4 × 4 says, H⁻¹ Ḣ and the
like; nothing of the library is in that.
"""

from __future__ import annotations

import numpy as np
import pytest
from oracle import Array
from rotations import axial, twist_matrix
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from tarsus import spatial
from tarsus._lib.differences import derivative

COUNT = 1000


def matrices(twists: Array) -> Array:
    return np.stack([twist_matrix(each[:3], each[3:]) for each in twists])


def vectors(matrices: Array) -> Array:
    return np.concatenate([matrices[..., :3, 3], axial(matrices[..., :3, :3])], axis=-1)


def poses(rng: np.random.Generator) -> Array:
    found = np.tile(np.eye(4), (COUNT, 1, 1))
    found[:, :3, :3] = Rotation.from_rotvec(rng.normal(size=(COUNT, 3))).as_matrix()
    found[:, :3, 3] = rng.normal(size=(COUNT, 3))
    return found


def moving(rng: np.random.Generator) -> tuple[Array, Array]:
    """Return poses of a moving frame in the world and their rates."""
    there = poses(rng)
    return there, there @ matrices(rng.normal(size=(COUNT, 6)))


def relative(of: tuple[Array, Array], to: tuple[Array, Array], seen_from: Array) -> Array:
    """Return the twists (…, 6) of a frame relative to another, in a third: (2.14) of the thesis."""
    (h, h_rate), (k, k_rate) = of, to
    back = np.linalg.inv(k)
    rate = back @ h_rate - back @ k_rate @ back @ h  # of the pose of the first in the second
    there = np.linalg.inv(seen_from) @ k
    return vectors(there @ rate @ np.linalg.inv(h) @ seen_from)


def test_twists_between_frames_of_three_bodies() -> None:
    rng = np.random.default_rng(1)
    first, second, third = (moving(rng) for _ in range(3))
    i = first
    on_first, on_second = poses(rng), poses(rng)
    j = (i[0] @ on_first, i[1] @ on_first)
    k, m = second, third
    other = (k[0] @ on_second, k[1] @ on_second)

    def residual(name: str, a: Array, b: Array | float) -> None:
        worst = float(np.abs(a - b).max())
        print(f"({name}) {worst:.1e}")
        assert worst < 1e-12

    residual("a", relative(j, i, i[0]), 0.0)
    own = relative(k, i, i[0])
    from_m = spatial.inverse(m[0]) @ i[0]
    matrix = from_m @ matrices(own) @ spatial.inverse(from_m)
    residual("b", relative(k, i, m[0]), vectors(matrix))
    moved = (spatial.adjoint(from_m) @ own[..., None])[..., 0]
    residual("c", relative(k, i, m[0]), moved)
    residual("d", relative(k, j, j[0]), -relative(j, k, j[0]))
    summed = relative(k, j, j[0]) + relative(m, other, j[0])
    residual("e", relative(m, j, j[0]), summed)


def test_rates_of_adjoints() -> None:
    """(f) d/dt Ad = Ad ad, for a frame that moves with a twist in its own axes."""
    rng = np.random.default_rng(2)
    start, twist = poses(rng)[:10], rng.normal(size=(10, 6))

    def adjoint_at(t: float) -> Array:
        return spatial.adjoint(start @ np.stack([expm(t * each) for each in matrices(twist)]))

    expected = derivative(lambda t: adjoint_at(float(t)))
    found = spatial.adjoint(start) @ spatial.bracket(twist)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_brackets_are_commutators() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, COUNT, 6))
    commutator = matrices(x) @ matrices(y) - matrices(y) @ matrices(x)
    found = (spatial.bracket(x) @ y[..., None])[..., 0]
    np.testing.assert_allclose(found, vectors(commutator), atol=1e-13)


def test_power_is_the_same_in_every_frame() -> None:
    rng = np.random.default_rng(4)
    there, twist, wrench = poses(rng), *rng.normal(size=(2, COUNT, 6))
    adjoint = spatial.adjoint(there)
    seen = (adjoint @ twist[..., None])[..., 0]
    felt = (np.swapaxes(adjoint, -1, -2) @ wrench[..., None])[..., 0]
    np.testing.assert_allclose((wrench * seen).sum(-1), (felt * twist).sum(-1), atol=5e-12)


def test_wrenches_of_forces_at_points() -> None:
    """A force at a point has the moment r × f, in the other frame as in its own (2.44)."""
    rng = np.random.default_rng(5)
    there = poses(rng)
    point, force = rng.normal(size=(2, COUNT, 3))
    wrench = np.concatenate([force, np.cross(point, force)], axis=-1)
    rotation, place = there[:, :3, :3], there[:, :3, 3]
    moved = (rotation @ point[..., None])[..., 0] + place
    turned = (rotation @ force[..., None])[..., 0]
    outside = np.concatenate([turned, np.cross(moved, turned)], axis=-1)
    back = (np.swapaxes(spatial.adjoint(there), -1, -2) @ outside[..., None])[..., 0]
    np.testing.assert_allclose(back, wrench, atol=5e-12)


def test_the_pose_of_an_ellipsoid() -> None:
    """(2.9) and (2.10): the point (0, 2, 1) of the body is at (sin θ, 2 + a, cos θ + b)."""
    angle, a, b = 0.7, 0.3, -1.1
    pose = spatial.pose([0.0, a, b], spatial.rotation_from_rpy([0.0, angle, 0.0]))
    found = pose @ [0.0, 2.0, 1.0, 1.0]
    np.testing.assert_allclose(found, [np.sin(angle), 2 + a, np.cos(angle) + b, 1.0], atol=1e-15)


def test_screws_are_put_together_again() -> None:
    twists = np.random.default_rng(6).normal(size=(4, COUNT, 6))
    twists[0, :, 3:] = 0.0
    # pure turns: the linear part is across the angular one
    turning = twists[1, :, 3:]
    twists[1, :, :3] = np.cross(twists[1, :, :3], turning)
    twists[3] = 0.0
    found = spatial.screw(twists)
    np.testing.assert_allclose(found.twist, twists, atol=1e-12)
    lengths = np.linalg.norm(found.axis, axis=-1)
    np.testing.assert_allclose(lengths[:3], 1.0, atol=1e-15)
    assert (found.rate >= 0.0).all() and (found.speed[0] > 0.0).all()
    assert set(found.kind[0]) == {"translation"} and set(found.kind[2]) == {"screw"}
    assert set(found.kind[3]) == {"rest"} and not found.axis[3].any()
    # of pure turns what is left along the axis is rounding
    assert np.abs(found.pitch[1]).max() < 1e-13
    assert np.isinf(found.pitch[0]).all() and np.isnan(found.pitch[3]).all()
    # the point is the one of the line that is nearest to the origin
    assert np.abs((found.point * found.axis).sum(axis=-1)).max() < 1e-12


def test_a_thread_is_a_screw() -> None:
    """Half a metre a radian about the line through (1, 0, 0) along z, by hand."""
    found = spatial.screw([0.0, -2.0, 1.0, 0.0, 0.0, 2.0])
    assert (found.rate, found.speed, found.pitch) == (2.0, 1.0, 0.5)
    assert np.array_equal(found.axis, [0.0, 0.0, 1.0])
    assert np.array_equal(found.point, [1.0, 0.0, 0.0])
    assert spatial.screw([0.0, -2.0, 0.0, 0.0, 0.0, 2.0]).kind == "rotation"


def steps(turn: float) -> Array:
    twists = np.random.default_rng(7).normal(size=(40, 6))
    twists[:, 3:] *= turn / np.linalg.norm(twists[:, 3:], axis=-1, keepdims=True)
    return twists


TURNS = [0.0, 1e-8, 1e-3, 0.5, 0.999, 1.001, 2.0, 3.0, 10.0]


@pytest.mark.parametrize("turn", TURNS)
def test_the_velocity_map_is_its_series(turn: float) -> None:
    for each in steps(turn):
        a, term, total = spatial.bracket(each), np.eye(6), np.zeros((6, 6))
        for order in range(1, 90):  # (A.33): each term is the one before times −A/(l + 1)
            total += term
            term = term @ -a / (order + 1)
        # a series with terms up to 10¹⁰/10! loses four digits
        np.testing.assert_allclose(spatial.velocity_map(each), total, atol=1e-12 * max(1, turn**3))


@pytest.mark.parametrize("turn", TURNS[:-1])
def test_the_velocity_map_gives_the_twist_of_a_changing_exponential(turn: float) -> None:
    rng = np.random.default_rng(8)
    for step, rate in zip(steps(turn)[:10], rng.normal(size=(10, 6)), strict=True):

        def moved(t: float, step: Array = step, rate: Array = rate) -> Array:
            return expm(twist_matrix(*np.split(step + t * rate, 2)))

        expected = vectors(np.linalg.inv(moved(0.0)) @ derivative(lambda t: moved(float(t))))
        np.testing.assert_allclose(spatial.velocity_map(step) @ rate, expected, atol=1e-8)


@pytest.mark.parametrize("turn", TURNS[:-1])
def test_the_velocity_map_undoes_the_rates_of_steps(turn: float) -> None:
    """S is the inverse of D in `tarsus.spatial`, which has a series of its own."""
    from tarsus.spatial import step_rate_matrix

    found = spatial.velocity_map(steps(turn)) @ step_rate_matrix("free", steps(turn))
    np.testing.assert_allclose(found, np.broadcast_to(np.eye(6), found.shape), atol=1e-12)


def test_exponentials_there_and_back() -> None:
    """|φ| < 3, as acceptance has it; `test_spatial` has tiny turns and half ones."""
    twists = np.random.default_rng(9).normal(size=(COUNT, 6))
    twists *= (
        3.0
        * np.random.default_rng(10).random((COUNT, 1))
        / np.linalg.norm(twists, axis=-1, keepdims=True)
    )
    found = spatial.twist_from_pose(spatial.pose_from_twist(twists))
    np.testing.assert_allclose(found, twists, atol=1e-12)


def test_wrong_arrays_are_named() -> None:
    calls = {"twist": (spatial.bracket, spatial.screw), "step": (spatial.velocity_map,)}
    for name, functions in calls.items():
        for call in functions:
            with pytest.raises(ValueError, match=rf"{name} has shape \(3,\), must be \(…, 6\)"):
                call([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"pose has shape \(3,\), must be \(…, 4, 4\)"):
        spatial.adjoint([1.0, 2.0, 3.0])
