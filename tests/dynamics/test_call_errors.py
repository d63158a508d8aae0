"""How algorithms are called: names, keywords, threads=, out=; models without bodies or mass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from calls import Algorithm, algorithms, arguments
from processes import numbers_printed_by

import tarsus as ts

MODEL = ts.robots.random_mechanism(2, 11)
EVERY = algorithms()
each_algorithm = pytest.mark.parametrize("algorithm", EVERY, ids=str)
Q, V = MODEL.neutral(), np.zeros(MODEL.nv)


@each_algorithm
def test_missing_unknown_and_doubled_arguments(algorithm: Algorithm) -> None:
    arrays = arguments(MODEL, algorithm)
    method = getattr(MODEL, algorithm.name)
    named = algorithm.named(MODEL)
    for name in [*algorithm.required, *(key for key in ("frame", "prescribed") if key in named)]:
        rest = {key: value for key, value in {**arrays, **named}.items() if key != name}
        with pytest.raises(TypeError, match=rf"\w+\(\) needs '{name}'"):
            method(**rest)
    with pytest.raises(TypeError, match=r"has no argument 'speed'; it takes .*threads, out"):
        algorithm(MODEL, **arrays, speed=1.0)
    first = algorithm.arrays[0]
    with pytest.raises(TypeError, match=f"got '{first}' twice"):
        method(arrays[first], **arrays, **named)
    with pytest.raises(TypeError, match="by position, got 20 arguments"):
        method(*range(20))


@each_algorithm
def test_positional_and_keyword_arguments_are_the_same(algorithm: Algorithm) -> None:
    arrays = arguments(MODEL, algorithm, (3,))
    positional = [*arrays.values(), *algorithm.options.values()]
    named = {key: x for key, x in algorithm.named(MODEL).items() if key not in algorithm.options}
    found = getattr(MODEL, algorithm.name)(*positional, **named)
    np.testing.assert_array_equal(found, algorithm.plain(MODEL, **arrays))


def test_aliases() -> None:
    a = np.ones(MODEL.nv)
    np.testing.assert_array_equal(MODEL.rnea(Q, V, a), MODEL.inverse_dynamics(Q, V, a))
    np.testing.assert_array_equal(MODEL.aba(Q, V, a), MODEL.forward_dynamics(Q, V, a))
    np.testing.assert_array_equal(MODEL.crba(Q), MODEL.mass_matrix(Q))


@pytest.mark.parametrize("threads", [0, -1, 1025, 10**30, 1.5, "2", [1]])
def test_wrong_threads(threads: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="threads must be an integer from 1 to 1024"):
        MODEL.mass_matrix(Q, threads=threads)


@pytest.mark.parametrize("threads", [1, 2, np.int64(2), np.uint8(3), None])
def test_right_threads(threads: Any) -> None:
    q = np.tile(Q, (20, 1))
    np.testing.assert_array_equal(MODEL.mass_matrix(q, threads=threads), MODEL.mass_matrix(q))


def test_wrong_names() -> None:
    with pytest.raises(ValueError, match=r"no frame 'body_99'; did you mean 'body_9'"):
        MODEL.frame_pose(Q, "body_99")
    with pytest.raises(ValueError, match="there is no frame ''"):
        MODEL.frame_pose(Q, "")
    wrong: Any
    for wrong in (1, None, b"body_1", ["body_1"]):
        with pytest.raises(TypeError, match="frame must be the name of a frame, got"):
            MODEL.frame_pose(Q, wrong)
    for wrong in ("World", "", None, 1):
        with pytest.raises(ValueError, match="reference must be one of local, world, local_world"):
            MODEL.frame_jacobian(Q, "body_1", reference=wrong)
        with pytest.raises(ValueError, match="method must be one of articulated, sparse, dense"):
            MODEL.forward_dynamics(Q, V, V, method=wrong)


OF_LOOPS = ("loop_gaps", "loop_wrenches", "constraint_jacobian")


def looped() -> ts.Model:
    """Two rods with their tips on each other, as a constraint."""
    builder = ts.Builder("rods").body("a", 1.0).body("b", 1.0)
    builder.joint("ja", "revolute", "world", "a").joint("jb", "revolute", "world", "b")
    builder.close_loop("spherical", "a", (1, 0, 0), "b", (1, 0, 0), constraint=True)
    return builder.build()


@each_algorithm
def test_wrong_out(algorithm: Algorithm) -> None:
    model = looped() if algorithm.name in OF_LOOPS else MODEL
    arrays = arguments(model, algorithm, (3,))
    found = algorithm.plain(model, **arrays)
    several = isinstance(found, tuple)
    shape = np.shape(found[1] if several else found)
    assert 0 not in shape
    locked = np.zeros(shape)
    locked.flags.writeable = False
    wrong: list[Any] = [
        np.zeros((*shape, 1)),
        np.zeros((shape[0] + 1, *shape[1:])),
        np.zeros(shape, np.float32),
        np.zeros(shape, ">f8"),
        np.zeros((2 * shape[0], *shape[1:]))[::2],
        locked,
        np.zeros(shape).tolist(),
        3.0,
    ]
    name = rf"out\.{found._fields[1]}" if several else "out"
    for each in wrong:
        out = (found[0], each, *found[2:]) if several else each
        message = f"{name} must be a writeable, contiguous float64 array"
        with pytest.raises(ValueError, match=message):
            algorithm.plain(model, **arrays, out=out)


@each_algorithm
def test_wrong_tuples_of_out(algorithm: Algorithm) -> None:
    model = looped() if algorithm.name in OF_LOOPS else MODEL
    arrays = arguments(model, algorithm, (3,))
    found = algorithm.plain(model, **arrays)
    if not isinstance(found, tuple):
        return
    count = f"out must be a tuple of {len(found)} arrays, {type(found).__name__}"
    for wrong in (np.asarray(found), found[:-1], (*found, found[0]), found[0], 3.0):
        with pytest.raises(ValueError, match=count):
            algorithm.plain(model, **arrays, out=wrong)
    with pytest.raises(ValueError, match=rf"out\.{found._fields[1]} shares memory"):
        algorithm.plain(model, **arrays, out=(found[0], *found[:-1]))


def test_out_of_several_arrays_may_be_inputs() -> None:
    rng = np.random.default_rng(0)
    q, v = MODEL.random_configuration(rng, 5), rng.normal(size=(5, MODEL.nv))
    expected = MODEL.hybrid_dynamics(q, v, 2 * v, 3 * v, prescribed=["screw_10"])
    tau, a = 2 * v, 3 * v
    found = MODEL.hybrid_dynamics(q, v, tau, a, prescribed=["screw_10"], out=(a, tau))
    assert found.a is a and found.tau is tau
    np.testing.assert_array_equal(found, expected)


def test_out_may_be_an_input() -> None:
    rng = np.random.default_rng(0)
    q, v = MODEL.random_configuration(rng, 9), rng.normal(size=(9, MODEL.nv))
    expected = MODEL.integrate(q, v)
    assert MODEL.integrate(q, v, out=q) is q
    np.testing.assert_array_equal(q, expected)
    one, step = q[0].copy(), v[0]
    np.testing.assert_array_equal(MODEL.integrate(one, step, out=one), MODEL.integrate(q[0], step))
    # an output that covers the later half of the inputs
    buffer = rng.normal(size=(12, MODEL.nv))
    expected = MODEL.forward_dynamics(q, buffer[:9], v)
    np.testing.assert_array_equal(
        MODEL.forward_dynamics(q, buffer[:9], v, out=buffer[3:]), expected
    )


def test_an_error_leaves_no_half_written_input() -> None:
    q = MODEL.random_configuration(0, 9)
    v = np.zeros((9, MODEL.nv))
    v[8, 0] = np.nan
    before = q.copy()
    with pytest.raises(ValueError, match="element 0 of state 8"):
        MODEL.integrate(q, v, out=q)
    np.testing.assert_array_equal(q, before)


@pytest.mark.filterwarnings("ignore:nanobind")
def test_a_model_that_was_not_initialised() -> None:
    for model in (ts.Model.__new__(ts.Model), ts._core.Model.__new__(ts._core.Model)):
        with pytest.raises(TypeError, match="not initialised"):
            model.mass_matrix(Q)
        with pytest.raises(TypeError):
            _ = model.nq


@pytest.mark.filterwarnings("ignore:nanobind")
def test_a_model_is_initialised_once() -> None:
    model = ts.robots.chain(3)
    with pytest.raises(TypeError):
        ts.Model.__init__(model, ts.robots.chain(2).description)
    assert model.nq == 3 and model.mass_matrix(np.zeros(3)).shape == (3, 3)


@each_algorithm
def test_models_without_bodies(algorithm: Algorithm) -> None:
    builder = ts.Builder("nothing").frame("frame_0", "world", position=(1, 2, 3))
    model = ts.Model(builder.description())
    for lead in ((), (4,), (0,)):
        arrays = arguments(model, algorithm, lead)
        if algorithm.name.startswith("center_of_mass") and algorithm.name[-8:] != "jacobian":
            if lead != (0,):
                with pytest.raises(ArithmeticError, match="no finite result"):
                    algorithm(model, **arrays)
            continue
        found = np.asarray(algorithm(model, **arrays))
        assert found.shape[: len(lead)] == lead
        if algorithm.name != "frame_pose":
            assert not found.any()


def test_singular_masses_are_arithmetic_errors() -> None:
    builder = ts.Builder("light").body("a", 1.0, inertia=(1, 1, 1)).body("b")
    builder.joint("hinge", "revolute", "world", "a").joint("loose", "revolute", "a", "b")
    model = builder.build()
    q = np.zeros((5, 2))
    for method in ("articulated", "sparse", "dense"):
        for states in (q[0], q):
            with pytest.raises(ArithmeticError, match="the mass matrix is singular"):
                model.forward_dynamics(states, states, states, method=method)
    with pytest.raises(ArithmeticError, match="inverse_mass_matrix has no finite result"):
        model.inverse_mass_matrix(q)
    assert np.isfinite(model.inverse_dynamics(q, q, q)).all()


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_zero_quaternions_are_named(kind: str) -> None:
    builder = ts.Builder("one").body("b", 1.0, inertia=(1, 1, 1)).joint("j", kind, "world", "b")
    model = builder.frame("frame_0", "b").build()
    for algorithm in EVERY:
        if algorithm.name in ("sample", "configuration_rate"):
            continue
        arrays = arguments(model, algorithm, (3,))
        arrays[algorithm.arrays[0]][1] = 0.0
        try:
            result = algorithm(model, **arrays)
        except ValueError as error:
            assert "must have unit quaternions" in str(error) and "of state 1" in str(error)
        else:  # where the rotation plays no part
            assert np.isfinite(result).all()
    with pytest.raises(
        ValueError, match=r"q must have unit quaternions: elements \d to \d are zero"
    ):
        model.forward_kinematics(np.zeros(model.nq))


@pytest.mark.parametrize("length", [1e-200, 1e155, 1e200])
@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_quaternions_whose_square_is_no_number_are_named(kind: str, length: float) -> None:
    """Their rotation would come out as none, or as the identity."""
    builder = ts.Builder("one").body("b", 1.0, inertia=(1, 1, 1)).joint("j", kind, "world", "b")
    model = builder.build()
    q = np.zeros((3, model.nq))
    q[:, -4:] = (0.1, 0.2, 0.3, 0.4)
    q[1, -4:] *= length
    for call in (model.forward_kinematics, lambda q: model.integrate(q, np.zeros(model.nv))):
        with pytest.raises(ValueError, match=r"q must .* of state 1 are too small or too large"):
            call(q)


def test_chains_of_a_thousand_links() -> None:
    model = ts.robots.chain(1000, skew=0.3)
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, model.nv)) * 0.1
    tau = model.inverse_dynamics(q, v, a)
    scale = np.abs(tau).max()
    mass = model.mass_matrix(q)
    residual = np.abs(mass @ a + model.bias_forces(q, v) - tau).max() / scale
    back = np.abs(model.forward_dynamics(q, v, tau) - a).max()
    print(f"a thousand links: H a + bias {residual:.1e}, forward(inverse(a)) {back:.1e}")
    # the condition number of the mass matrix, 5e11, amplifies rounding errors
    assert residual < 1e-12 and back < 1e-5
    for algorithm in algorithms("link_999", every_option=False):
        if algorithm.name.startswith("christoffel"):
            continue  # a thousand million numbers
        states = arguments(model, algorithm)
        assert np.isfinite(algorithm(model, **states)).all()


def test_threads_that_cannot_be_started_are_done_without() -> None:
    """With little address space the stacks of many threads find no room."""
    script = """
import os, resource, numpy as np, tarsus as ts
model, q = ts.robots.chain(3), np.zeros((20000, 3))
expected = model.mass_matrix(q)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * os.sysconf("SC_PAGE_SIZE") + (100 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print(int((model.mass_matrix(q, threads=1024) == expected).all()))
"""
    assert numbers_printed_by(script) == [1]
