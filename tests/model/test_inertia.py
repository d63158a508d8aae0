"""Which inertias are refused, which are only warned of, and how bodies are welded."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.model import inertia
from tarsus.model.description import DescriptionDraft
from tarsus.robots.trees import random_rotation


def one_body(
    moments: tuple[float, float, float], mass: float = 1.0, kind: str = "free"
) -> ts.Description:
    body = ts.Body("b", mass, inertia=np.diag(moments), source=ts.Source("robot.urdf", 7))
    return ts.Description("one", [body], [ts.Joint("j", kind, "world", "b")])


@pytest.mark.parametrize("moments", [(1, 1, 2), (0, 1, 1), (0, 0, 0), (1, 1, 2 + 1e-7)])
def test_physical_inertias_pass_up_to_rounding(moments: tuple[float, float, float]) -> None:
    assert ts.Model(one_body(moments)).warnings == ()


def test_rounding_noise_of_a_massive_body_passes() -> None:
    assert ts.Model(one_body((-1e-20, 0.0, 1e-20))).warnings == ()


def test_a_small_breach_is_an_error_or_a_warning() -> None:
    description = one_body((1e-3, 1e-3, 2.5e-3))
    with pytest.raises(ts.ModelError, match=r"robot.urdf:7: body 'b': .*triangle inequality"):
        ts.Model(description)
    (warning,) = ts.Model(description, strict=False).warnings
    assert "robot.urdf:7: body 'b': inertia breaks the triangle inequality" in warning


@pytest.mark.parametrize("kind", ["free", "fixed"])
@pytest.mark.parametrize("moments", [(1, 1, 10), (0.01, 0.01, 0.1), (-1, 1, 1), (0, 0, 1)])
def test_a_gross_breach_is_always_an_error(moments: tuple[float, float, float], kind: str) -> None:
    for strict in (True, False):
        with pytest.raises(ts.ModelError, match=r"robot.urdf:7: body 'b': inertia"):
            ts.Model(one_body(moments, kind=kind), strict=strict)


def test_nonsense_on_a_small_part_is_forgiven_if_the_whole_makes_sense() -> None:
    description = DescriptionDraft.of(one_body((1.0, 1.0, 1.0), mass=10.0))
    description.bodies.append(ts.Body("camera", 1e-6, inertia=np.full((3, 3), 1e-6)))
    description.joints.append(ts.Joint("mount", "fixed", "b", "camera"))
    (warning,) = ts.Model(description.build(), strict=False).warnings
    assert "body 'camera'" in warning


def test_strictness_survives_pickling() -> None:
    import pickle

    model = ts.Model(one_body((1e-3, 1e-3, 2.5e-3)), strict=False)
    assert pickle.loads(pickle.dumps(model)).warnings == model.warnings


def test_merging_is_that_of_the_points_of_mass() -> None:
    """Bodies made of points: the merged body has the inertia of all points together."""
    rng = np.random.default_rng(0)
    parts, points, masses = [], [], []
    for i in range(4):
        mass, point = rng.uniform(1, 2, 6), rng.normal(size=(6, 3))
        placement = np.eye(4)
        placement[:3, :3], placement[:3, 3] = random_rotation(rng), rng.normal(size=3)
        parts.append((_of_points(f"b{i}", mass, point), placement))
        points.append(point @ placement[:3, :3].T + placement[:3, 3])
        masses.append(mass)
    whole = inertia.merge("whole", parts)
    expected = _of_points("whole", np.concatenate(masses), np.concatenate(points))
    residual = np.abs(whole.inertia - expected.inertia).max()
    print(f"residual of the merged inertia: {residual:.1e}")
    assert abs(whole.mass - expected.mass) < 1e-13
    assert np.abs(whole.com - expected.com).max() < 1e-14
    assert residual < 1e-12


def _of_points(name: str, masses: np.ndarray, points: np.ndarray) -> ts.Body:
    com = masses @ points / masses.sum()
    offsets = points - com
    second = np.einsum("p,pi,pj->ij", masses, offsets, offsets)
    return ts.Body(name, masses.sum(), com, np.trace(second) * np.eye(3) - second)


def test_a_body_without_welded_parts_keeps_its_bits() -> None:
    rng = np.random.default_rng(1)
    body = ts.robots.random_mechanism(rng, 1, ["free"]).description.bodies[0]
    assert inertia.merge("b", [(body, np.eye(4))]).inertia is body.inertia


def test_plain_inertias_are_physical() -> None:
    """What is told apart fast is what the eigenvalues say, but for rounding."""
    rng = np.random.default_rng(0)
    plain = 0
    for moments in rng.uniform(-0.2, 1.0, (500, 3)):
        body = ts.Body("b", 1e-30, inertia=np.diag(moments))
        negative, _ = inertia.negative_moments([body])
        assert inertia.is_plain(body) == (negative[0] == 0.0)
        plain += inertia.is_plain(body)
    print(f"{plain} of 500 are physical")
    assert 50 < plain < 450
    assert not inertia.is_plain(ts.Body("b", inertia=np.ones((3, 3)) + np.eye(3)))
