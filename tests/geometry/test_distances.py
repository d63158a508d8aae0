"""Distances between links: places, derivatives, pruning, groups, obstacles, batches."""

from __future__ import annotations

import copy
import math
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from oracle import Array
from simplices import enumerated_distance

import tarsus as ts
from tarsus.geometry import Distances, LinkPair, SweptSphere, Volumes

FIELDS = ("distance", "point_a", "point_b", "normal", "volumes", "gradient")
STEP = 1e-6


def random_volumes(model: ts.Model, rng: np.random.Generator, most: int = 4) -> Volumes:
    """A few volumes of all kinds on every link, and obstacles."""

    def volume() -> SweptSphere:
        points = 0.3 * rng.normal(size=(int(rng.integers(1, 4)), 3))
        return SweptSphere(points, rng.uniform(0.0, 0.1))

    links = [*(body.name for body in model.description.bodies), "world"]
    return Volumes({link: [volume() for _ in range(rng.integers(1, most + 1))] for link in links})


def random_case(seed: int) -> tuple[ts.Model, Volumes, Array]:
    rng = np.random.default_rng(seed)
    model = ts.robots.random_mechanism(rng, 17 + seed % 5, armature=True)
    return model, random_volumes(model, rng), model.random_configuration(rng, (3,))


def placed(model: ts.Model, q: Array, link: str, volume: SweptSphere) -> Array:
    pose = np.eye(4) if link == "world" else model.frame_pose(q, link)
    return np.asarray(volume.points @ pose[:3, :3].T + pose[:3, 3])


@pytest.mark.parametrize("seed", range(4))
def test_enumeration(seed: int) -> None:
    """The least distance over all volumes of both links, by an oracle and poses of frames."""
    model, volumes, q = random_case(seed)
    distances = Distances(model, volumes, activation=math.inf)
    found = distances.nearest(q[0])
    worst = 0.0
    for k, pair in enumerate(distances.pairs[:60]):
        least = min(
            enumerated_distance(
                placed(model, q[0], pair.first, a)[None], placed(model, q[0], pair.second, b)[None]
            )[0]
            - a.radius
            - b.radius
            for a in volumes[pair.first]
            for b in volumes[pair.second]
        )
        worst = max(worst, abs(found.distance[k] - least))
        first, second = (distances.spheres[number] for number in found.volumes[k])
        assert (first[0], second[0]) == (pair.first, pair.second)
    print(f"seed {seed}: {worst:.1e} m")
    assert worst < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_derivatives(seed: int) -> None:
    """Finite differences along every velocity, of mechanisms with all kinds of joints."""
    model, volumes, q = random_case(seed)
    distances = Distances(model, volumes, activation=math.inf)
    found = distances.nearest(q, gradient=True)
    assert found.gradient is not None
    steps = STEP * np.eye(model.nv)
    ahead = distances.nearest(model.integrate(q[:, None], steps))
    behind = distances.nearest(model.integrate(q[:, None], -steps))
    slope = np.moveaxis(ahead.distance - behind.distance, 1, 2) / (2 * STEP)
    compared = smooth(distances, found, ahead, behind)
    error = np.abs(slope - found.gradient)[compared].max()
    print(f"seed {seed}: {error:.1e}, {compared.mean():.1%} of pairs")
    # the third derivative times the step squared, and rounding over the step
    assert error < 1e-7 and compared.mean() > 0.8


def smooth(distances: Distances, *found: Any) -> Any:
    """Pairs with cores apart, whose nearest volumes and features stay the same nearby."""
    here, *others = found
    radii = np.array([volume.radius for _, volume in distances.spheres])
    core = here.distance + radii[here.volumes].sum(axis=-1)
    kept = core > 1e-3
    for other in others:
        kept &= (other.volumes == here.volumes[:, None]).all(axis=(1, 3))
        turned = np.abs(other.normal - here.normal[:, None]).max(axis=(1, 3))
        kept &= turned < 1e3 * STEP
    return kept


@pytest.mark.parametrize("activation", [0.02, 0.1, 0.3])
def test_pruning_loses_nothing(activation: float) -> None:
    near = pairs = 0
    for seed in range(12):
        model, volumes, q = random_case(seed)
        whole = Distances(model, volumes, activation=math.inf).nearest(q, gradient=True)
        found = Distances(model, volumes, activation=activation).nearest(q, gradient=True)
        inside = whole.distance <= activation
        assert np.isinf(found.distance[~inside]).all() and np.isnan(found.normal[~inside]).all()
        assert (found.volumes[~inside] == -1).all() and not found.gradient[~inside].any()
        for name in FIELDS:
            assert getattr(found, name)[inside].tobytes() == getattr(whole, name)[inside].tobytes()
        near, pairs = near + inside.sum(), pairs + inside.size
    print(f"within {activation} m: {near} of {pairs} pairs")
    assert near > 100


def test_one_state_batches_and_threads_have_the_same_bits() -> None:
    for seed in range(3):
        model, volumes, _ = random_case(seed)
        q = model.random_configuration(seed, (43,))
        distances = Distances(model, volumes, activation=0.5)
        together = distances.nearest(q, gradient=True)
        threads = distances.nearest(q, gradient=True, threads=3)
        assert together.distance.tobytes() == distances.distance(q).tobytes()
        for k in range(0, len(q), 5):
            alone, near = distances.nearest(q[k], gradient=True), distances.near(q[k])
            for name in FIELDS:
                whole = getattr(together, name)
                assert whole[k].tobytes() == getattr(alone, name).tobytes()
                assert whole.tobytes() == getattr(threads, name).tobytes()
                assert whole[k][near.pair].tobytes() == getattr(near, name).tobytes()
            assert np.isfinite(alone.distance).sum() == len(near.pair)


def test_leading_dimensions() -> None:
    model, volumes, _ = random_case(1)
    distances = Distances(model, volumes)
    q = model.random_configuration(0, (2, 3))
    n = len(distances.pairs)
    found = distances.nearest(q, gradient=True)
    assert found.distance.shape == (2, 3, n) and found.volumes.shape == (2, 3, n, 2)
    assert found.point_a.shape == (2, 3, n, 3) and found.gradient.shape == (2, 3, n, model.nv)
    assert distances.distance(q[:0]).shape == (0, 3, n)
    assert distances.nearest(q).gradient is None and distances.near(q[0, 0], gradient=False)


def two_links() -> ts.Model:
    builder = ts.Builder("two")
    for name, position in (("a", [0, 0, 1.0]), ("b", [0.5, 0, 1.0])):
        builder.body(name, 1.0, [0, 0, 0], [0.1, 0.1, 0.1])
        builder.joint(f"{name}_joint", "revolute", "world", name, axis="y", position=position)
    return builder.build()


def test_groups_choose_volumes() -> None:
    ball = SweptSphere([[0, 0, 0]], 0.1)
    near = SweptSphere([[0.2, 0, 0]], 0.05, "near", ("inner",))
    far = SweptSphere([[-0.2, 0, 0]], 0.05, "far", ("outer",))
    volumes = Volumes({"a": [near, far], "b": [ball]})
    pairs = [LinkPair("a", "b"), LinkPair("a", "b", "outer"), LinkPair("b", "a", None, "inner")]
    distances = Distances(two_links(), volumes, pairs, activation=math.inf)
    found = distances.nearest([0.0, 0.0])
    np.testing.assert_allclose(found.distance, [0.15, 0.55, 0.15], atol=1e-15)
    assert distances.names == ("a / b", "a:outer / b", "b / a:inner")
    np.testing.assert_allclose(found.normal, [[1, 0, 0], [1, 0, 0], [-1, 0, 0]], atol=1e-15)
    assert found.volumes.tolist() == [[0, 2], [1, 2], [2, 0]]
    with pytest.raises(KeyError, match="no volumes of a group 'upper'"):
        Distances(two_links(), volumes, [LinkPair("a", "b", "upper")])


def test_obstacles_stand_still() -> None:
    volumes = Volumes(
        {
            "a": [SweptSphere([[0.3, 0, 0]], 0.1)],
            "world": [SweptSphere([[-1, -1, 0], [1, -1, 0], [0, 2, 0]], 0.05)],
        }
    )
    distances = Distances(two_links(), volumes, activation=math.inf)
    assert distances.names == ("a / world",)
    angle = np.linspace(-0.5, 0.5, 5)
    found = distances.nearest(np.column_stack([angle, angle]), gradient=True)
    np.testing.assert_allclose(found.distance[:, 0], 1.0 - 0.3 * np.sin(angle) - 0.15, atol=1e-15)
    assert found.gradient is not None
    np.testing.assert_allclose(found.gradient[:, 0, 0], -0.3 * np.cos(angle), atol=1e-15)
    assert not found.gradient[:, 0, 1].any()


def test_default_pairs() -> None:
    model = ts.robots.quadruped()
    volumes = Volumes.from_model(model)
    pairs = ts.geometry.link_pairs(model, volumes)
    linked = {frozenset((joint.parent, joint.child)) for joint in model.description.joints}
    assert not linked & {frozenset((pair.first, pair.second)) for pair in pairs}
    fewer = ts.geometry.link_pairs(model, volumes, disabled=[(pairs[0].second, pairs[0].first)])
    assert fewer == pairs[1:]
    world = Volumes({**volumes, "world": [SweptSphere([[0, 0, -1]], 0.1)]})
    others = ts.geometry.link_pairs(model, world)
    assert len(others) == len(pairs) + len(volumes)
    assert all(pair.second == "world" for pair in others if "world" in (pair.first, pair.second))


def test_threads_may_share() -> None:
    model, volumes, q = random_case(2)
    distances = Distances(model, volumes)
    expected, found = distances.distance(q), []
    workers = [
        threading.Thread(target=lambda: found.append(distances.distance(q))) for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(each.tobytes() == expected.tobytes() for each in found) and len(found) == 4


def test_copies() -> None:
    model, volumes, q = random_case(1)
    distances = Distances(model, volumes, activation=0.2)
    for same in (copy.deepcopy(distances), pickle.loads(pickle.dumps(distances))):
        assert same.names == distances.names
        assert same.distance(q).tobytes() == distances.distance(q).tobytes()


def test_wrong_arguments() -> None:
    model = ts.robots.quadruped()
    volumes = Volumes.from_model(model)
    links = list(volumes)
    ball = SweptSphere([[0, 0, 0]], 0.1)
    with pytest.raises(TypeError, match="model is of type str"):
        Distances("robot", volumes)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="volumes is of type dict"):
        Distances(model, {})  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="no link 'leg'"):
        Distances(model, Volumes({"leg": [ball]}))
    with pytest.raises(KeyError, match="pairs: there are no volumes on a link 'leg'"):
        Distances(model, volumes, [(links[0], "leg")])
    with pytest.raises(ValueError, match="must be pairs of names of links"):
        Distances(model, volumes, [links[0]])
    with pytest.raises(ValueError, match="are on one body"):
        Distances(model, volumes, [(links[0], links[0])])
    for wrong in (-0.1, math.nan, "near"):
        with pytest.raises(ValueError, match="activation is"):
            Distances(model, volumes, activation=wrong)  # type: ignore[arg-type]
    distances = Distances(model, volumes)
    q = model.neutral()
    for call in (distances.distance, distances.nearest, distances.near):
        with pytest.raises(ValueError, match=r"q has shape|q of shape|expected"):
            call(q[:-1])
        with pytest.raises(ValueError, match="finite"):
            call(np.full(model.nq, np.nan))
        with pytest.raises(ValueError, match="quaternion"):
            call(np.zeros(model.nq))
        with pytest.raises(ValueError, match=r"q is out of bounds: volumes are farther"):
            call(np.concatenate([[1e200], q[1:]]))
    with pytest.raises(TypeError, match="q is not an array of numbers"):
        distances.distance("here")
    with pytest.raises(ValueError, match="threads"):
        distances.distance(q, threads=0)
    with pytest.raises(ValueError, match="q"):
        distances.near(q[None])
