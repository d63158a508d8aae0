"""Loose parts are put together: nearest in the mass metric, and what does not fit is named."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
import scipy.optimize
from kits import chain, random_kit, three_bars

import tarsus as ts
from tarsus.model import dependents as open_loops


def off_by(model: ts.Model, seed: int, size: float, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Return random configurations about the neutral one, loops open."""
    rng = np.random.default_rng(seed)
    return np.asarray(model.integrate(model.neutral(), size * rng.normal(size=(*shape, model.nv))))


@pytest.mark.parametrize("seed", range(6))
def test_loose_kits_close(seed: int) -> None:
    model = random_kit(seed)
    q, v = off_by(model, seed, 0.1), np.random.default_rng(seed).normal(size=model.nv)
    found = ts.snap(model, q, v)
    rates = model.constraint_jacobian(found.q) @ found.v
    print(f"{found}\nrates {np.abs(rates).max():.1e}")
    assert found.closed and np.abs(model.loop_gaps(found.q)).max() < 1e-11
    assert np.abs(rates).max() < 1e-11
    assert found.moved > 0.01


def test_close_to_a_singular_position_newton_goes_on() -> None:
    # singular values of 6e-4 at the solution: undamped steps from 1e-4 away are too long
    rng = np.random.default_rng(559)
    model = random_kit(559, int(rng.integers(2, 12)), int(rng.integers(0, 4)))
    for seed in range(20):
        found = ts.snap(model, off_by(model, seed, 0.1), strict=False)
        assert found.closed, (seed, found.gap)


def test_the_state_is_the_nearest_in_the_mass_metric() -> None:
    model = chain(3, "spherical").build()
    start = off_by(model, 0, 0.2)
    found = ts.snap(model, start)
    inertia = model.mass_matrix(start)

    def way(step: np.ndarray) -> float:
        return float(step @ inertia @ step)

    def gaps(step: np.ndarray) -> np.ndarray:
        return np.asarray(model.loop_gaps(model.integrate(start, step)))

    begin = model.difference(start, found.q)
    options = {"maxiter": 500, "ftol": 1e-15}
    closed = {"type": "eq", "fun": gaps}
    for scale in (0.0, 0.5):  # from the start, and from half-way
        best = scipy.optimize.minimize(
            way, scale * begin, constraints=[closed], method="SLSQP", options=options
        )
        print(f"{way(begin):.12f}, SLSQP {best.fun:.12f}, gap {np.abs(gaps(best.x)).max():.1e}")
        assert way(begin) <= best.fun * (1 + 1e-6) + 1e-12
    np.testing.assert_allclose(found.moved**2 * model.total_mass, way(begin), rtol=1e-9)


def test_heavy_parts_stay_and_the_centre_of_mass_too() -> None:
    builder = ts.Builder("two", gravity=(0, 0, 0))
    for name, mass, x in (("light", 1.0, 0.0), ("heavy", 10.0, 1.0)):
        builder.body(name, mass, inertia=(mass, mass, mass))
        builder.joint(f"{name}_free", "free", "world", name, position=(x, 0, 0))
    builder.close_loop("spherical", "light", (0, 0, 0), "heavy", (0, 0, 0), name="ball")
    model = builder.build()
    start = model.neutral() * 0.0
    start[[6, 13]] = 1.0  # quaternions; the bodies are one metre apart
    found = ts.snap(model, start)
    poses = model.forward_kinematics(found.q)
    np.testing.assert_allclose(poses[:, 0, 3], [10 / 11, 10 / 11], atol=1e-12)
    np.testing.assert_allclose(
        model.center_of_mass(found.q), model.center_of_mass(start), atol=1e-12
    )


def test_velocities_are_those_after_a_plastic_impact() -> None:
    model = random_kit(3)
    rng = np.random.default_rng(0)
    q, v = ts.snap(model, model.neutral()).q, rng.normal(size=model.nv)
    after = ts.snap(model, q, v).v
    inertia, rows = model.mass_matrix(q), model.constraint_jacobian(q)
    n = len(rows)
    matrix = np.block([[inertia, rows.T], [rows, np.zeros((n, n))]])
    dense = np.linalg.lstsq(matrix, np.concatenate([inertia @ v, np.zeros(n)]), rcond=1e-13)[0]
    np.testing.assert_allclose(after, dense[: model.nv], atol=1e-11)
    # bodies act on each other only: momentum stays, energy does not grow
    before, left = (model.centroidal_momentum(q, w) for w in (v, after))
    np.testing.assert_allclose(left, before, atol=1e-11)
    assert model.kinetic_energy(q, after) < model.kinetic_energy(q, v)


def test_a_closed_state_stays_to_the_bit() -> None:
    model = three_bars()
    q = model.neutral()
    found = ts.snap(model, q)
    assert np.array_equal(found.q, q) and found.moved == 0.0 and not found.v.any()


def test_a_state_does_not_depend_on_its_neighbours() -> None:
    model = random_kit(1)
    q = off_by(model, 2, 0.05, (2, 3))
    v = np.random.default_rng(5).normal(size=(2, 3, model.nv))
    many = ts.snap(model, q, v)
    assert many.q.shape == q.shape and many.gap.shape == (2, 3) and len(many.diagnosis) == 6
    for index in np.ndindex(2, 3):
        one = ts.snap(model, q[index], v[index])
        assert np.array_equal(many.q[index], one.q) and np.array_equal(many.v[index], one.v)
    none = ts.snap(model, q[:0], v[:0])
    assert none.q.shape == (0, 3, model.nq) and none.closed


def test_clusters_and_couplings_are_closed_as_well() -> None:
    model = ts.robots.four_bar()
    q = model.neutral()
    q[:] += (0.05, -0.03, 0.02)
    found = ts.snap(model, q, [2.0])
    assert np.abs(model.loop_gaps(found.q)).max() < 1e-12
    assert found.diagnosis[0].rank == 2  # of three velocities of the open linkage
    w = model.joint_velocities(found.q, found.v)
    assert np.isfinite(w).all() and found.v.shape == (1,)


def test_redundant_rows_are_named_and_do_no_harm() -> None:
    builder = chain(2)
    builder.close_loop("revolute", "b0", (0.5, 0, 1.0), "b1", (-0.5, 0, 1.0), name="second_hinge")
    model = builder.build()
    found = ts.snap(model, off_by(model, 0, 0.05))
    (group,) = found.diagnosis[0].redundant
    assert set(group.names) == {"pin0", "second_hinge"} and group.surplus == 5
    assert found.diagnosis[0].rank == 5 and found.closed


def test_contradictions_are_named() -> None:
    # a state from which the nail is out of reach: the builder closed it elsewhere
    builder = chain(2)
    builder.close_loop("weld", "world", (0, 0, 0), "b0", (0, 0, 0), name="post")
    builder.close_loop("spherical", "world", (1.0, 0, 0), "b1", (0, 0, 0), name="nail")
    model = builder.build()
    assert ts.snap(model, off_by(model, 0, 0.02)).closed
    moved = ts.Editor(model).change("loop", "nail", placement_a=ts.spatial.pose((2.5, 0, 0)))
    with pytest.raises(ts.ModelError, match=r"cannot be closed against .*: a gap of") as caught:
        moved.build()
    names = {"post", "nail", "pin0"}
    assert all(repr(name) in str(caught.value) for name in names)


def test_parts_that_coincide_come_apart() -> None:
    # where both ends of a rod are at one place, no direction is better than another
    builder = chain(2)
    stated = builder.description()
    rod = ts.Loop("rod", "distance", "b0", "b1", length=0.5)
    model = ts.Model(dataclasses.replace(stated, loops=[rod]))
    start = np.array([0, 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 0, 1], float)
    np.testing.assert_allclose(np.diff(model.forward_kinematics(start)[:, :3, 3], axis=0), 0.0)
    found = ts.snap(model, start)
    apart = np.diff(model.forward_kinematics(found.q)[:, :3, 3], axis=0)
    assert np.linalg.norm(apart) == pytest.approx(0.5) and found.moved < 0.3


def test_what_is_not_closed_is_an_error_that_keeps_the_compromise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_loops, "MOST_STEPS", 1)  # no time to converge
    model = chain(4).build()
    start = off_by(model, 0, 0.3)
    with pytest.raises(ts.AssemblyError, match=r"a gap of .* is left") as caught:
        ts.snap(model, np.stack([model.neutral(), start]))
    snapped = caught.value.snapped
    assert str(caught.value).startswith("state 1: a gap of")
    assert snapped.gap[0] <= 1e-9 < snapped.gap[1] and not snapped.closed
    loose = ts.snap(model, start, strict=False)
    assert np.array_equal(loose.q, snapped.q[1])
    assert 0.0 < loose.gap < np.abs(model.loop_gaps(start)).max()


def test_errors_survive_processes() -> None:
    model = three_bars()
    error = ts.AssemblyError("a gap", ts.snap(model, model.neutral()))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "a gap" and np.array_equal(again.snapped.q, model.neutral())


def test_motions_without_inertia_are_named() -> None:
    builder = chain(2)
    builder.body("ghost")
    builder.joint("haunt", "free", "world", "ghost")
    builder.close_loop("weld", "b1", (0.2, 0, 0), "ghost", (0, 0, 0), name="seat")
    with pytest.raises(ValueError, match="a motion of joint haunt has no inertia"):
        ts.snap(builder.build(), builder.build().neutral())


@pytest.mark.parametrize(
    ("q", "v", "message"),
    [
        (np.zeros(20), None, r"q has shape \(20,\), must be \(…, 21\)"),
        (np.full(21, np.nan), None, "q has entries that are not finite"),
        (np.zeros(21), np.zeros(3), r"v has shape \(3,\), must be \(…, 18\)"),
    ],
)
def test_bad_arguments(q: np.ndarray, v: np.ndarray | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ts.snap(three_bars(), q, v)


def test_a_model_that_does_not_move() -> None:
    post = ts.Builder("post").body("post", 1.0).joint("post", "fixed", "world", "post").build()
    assert ts.snap(post, np.zeros(0)).closed
    assert ts.assemble(post).freedoms == 0 and ts.take_apart(post).model.nv == 0


def test_only_models_are_taken() -> None:
    with pytest.raises(TypeError, match=r"must be a tarsus\.Model"):
        ts.snap("robot", [0.0])  # type: ignore[arg-type]
