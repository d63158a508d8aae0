"""Arrays that users may pass: other number types, memory layouts, shapes, and numbers that are
not finite. Every call gives the right result or an exception that names the argument."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from calls import Algorithm, algorithms, arguments, core_ndim
from hypothesis import given, settings
from hypothesis import strategies as st

import tarsus as ts

MODEL = ts.robots.random_mechanism(2, 11, armature=True, springs=True)
EVERY = algorithms()
each_algorithm = pytest.mark.parametrize("algorithm", EVERY, ids=str)
any_algorithm = st.sampled_from(EVERY)


class Tagged(np.ndarray[Any, Any]):
    """A subclass of arrays, as other packages have them."""


def misaligned(array: np.ndarray) -> np.ndarray:
    buffer = bytearray(array.nbytes + 1)
    view = np.frombuffer(buffer, np.float64, array.size, offset=1).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "every second": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "backwards": lambda a: a[..., ::-1].copy()[..., ::-1],
    "Fortran": np.asfortranarray,
    "part of more": lambda a: np.concatenate([a, a], axis=0)[: len(a)],
    "read-only": read_only,
    "misaligned": misaligned,
    "byte-swapped": lambda a: a.astype(">f8"),
    "subclass": lambda a: a.view(Tagged),
    "nested lists": lambda a: a.tolist(),
    "rows in a tuple": lambda a: tuple(a),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str) -> None:
    for algorithm in EVERY:
        for lead in ((3,), (2, 2)):
            arrays = arguments(MODEL, algorithm, lead)
            expected = algorithm(MODEL, **arrays)
            other = {name: LAYOUTS[layout](array) for name, array in arrays.items()}
            found = algorithm(MODEL, **other)
            assert type(found) is np.ndarray
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_one_state(layout: str) -> None:
    for algorithm in EVERY:
        arrays = arguments(MODEL, algorithm)
        other = {name: LAYOUTS[layout](array) for name, array in arrays.items()}
        np.testing.assert_array_equal(algorithm(MODEL, **other), algorithm(MODEL, **arrays))


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f4", "i1", "i2", "i4", "i8", "u1", "u8", "?"])
def test_other_number_types_are_converted(dtype: str) -> None:
    for algorithm in EVERY:
        arrays = arguments(MODEL, algorithm, (3,))
        # whole numbers that no type changes; no quaternion is zero
        whole = {name: np.abs(np.rint(array)) % 2 for name, array in arrays.items()}
        for array in whole.values():
            array[..., -1] = 1.0
            array[array.sum(axis=-1) == 0] = 1.0
        whole = {name: np.ones_like(a) if name[0] == "q" else a for name, a in whole.items()}
        other = {name: array.astype(dtype) for name, array in whole.items()}
        np.testing.assert_array_equal(algorithm(MODEL, **other), algorithm(MODEL, **whole))


REFUSED: dict[str, Callable[[np.ndarray], Any]] = {
    "complex": lambda a: a.astype(complex),
    "objects": lambda a: a.astype(object),
    "text": lambda a: a.astype(str),
    "bytes": lambda a: a.astype("S8"),
    "dates": lambda a: a.astype("M8[s]"),
    "more digits": lambda a: a.astype(np.longdouble),
    "records": lambda a: a.view([("x", "f8")]),
    "a word": lambda a: "word",
    "a dictionary": lambda a: {"x": 1.0},
    "ragged lists": lambda a: [[1.0], [1.0, 2.0]],
    "huge integers": lambda a: [10**400] * a.shape[-1],
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_real_numbers_is_a_type_error(what: str) -> None:
    for algorithm in EVERY:
        arrays = arguments(MODEL, algorithm, (2,))
        for name, array in arrays.items():
            message = rf"^{name} must be an array of real numbers, got "
            with pytest.raises(TypeError, match=message):
                algorithm(MODEL, **{**arrays, name: REFUSED[what](array)})


def test_what_goes_wrong_in_the_callers_array_is_not_hidden() -> None:
    class Failing:
        def __array__(self, *_: Any, **__: Any) -> np.ndarray:
            raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        MODEL.mass_matrix(Failing())


shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@settings(max_examples=500)
@given(st.data(), any_algorithm)
def test_leading_dimensions_broadcast_as_in_numpy(
    data: st.DataObject, algorithm: Algorithm
) -> None:
    leads = {name: data.draw(shapes, name) for name in algorithm.arrays}
    arrays = {name: arguments(MODEL, algorithm, lead)[name] for name, lead in leads.items()}
    try:
        common = np.broadcast_shapes(*leads.values())
    except ValueError:
        with pytest.raises(ValueError, match="leading dimensions do not broadcast"):
            algorithm(MODEL, **arrays)
        return
    assert np.shape(algorithm(MODEL, **arrays))[: len(common)] == common


@settings(max_examples=300)
@given(any_algorithm, st.integers(0, 3), st.lists(st.integers(0, 40), max_size=4).map(tuple))
def test_wrong_shapes_are_value_errors(
    algorithm: Algorithm, argument: int, shape: tuple[int, ...]
) -> None:
    arrays = arguments(MODEL, algorithm)
    name = algorithm.arrays[argument % len(algorithm.arrays)]
    n = core_ndim(name)
    if len(shape) >= n and shape[len(shape) - n :] == arrays[name].shape:
        return
    message = rf"^{name} must have shape \(…, [\d, ]+\), got {re.escape(str(shape))}$"
    with pytest.raises(ValueError, match=message):
        algorithm(MODEL, **{**arrays, name: np.zeros(shape)})


@each_algorithm
def test_numbers_that_are_not_finite_are_named(algorithm: Algorithm) -> None:
    rng = np.random.default_rng(0)
    for lead in ((), (1,), (2,), (7,), (3, 4)):
        for name in algorithm.arrays:
            for bad in (np.nan, np.inf, -np.inf):
                arrays = arguments(MODEL, algorithm, lead)
                states = int(np.prod(lead))
                rows = arrays[name].reshape(states, -1)
                state, element = rng.integers(states), rng.integers(rows.shape[1])
                rows[state, element] = bad
                index = tuple(int(k) for k in np.unravel_index(state, lead))
                which = {0: "", 1: f" of state {state}"}.get(len(lead), f" of state {index}")
                message = re.escape(f"{name} must be finite: element {element}{which} is {bad}")
                for threads in (1, 3):
                    with pytest.raises(ValueError, match=message):
                        algorithm(MODEL, **arrays, threads=threads)
                with pytest.raises(ValueError, match=message):
                    algorithm(MODEL, **arrays)


def test_the_last_coordinate_counts_too() -> None:
    q = np.tile(MODEL.neutral(), (6, 1))
    q[5, -1] = np.nan
    with pytest.raises(ValueError, match=f"element {MODEL.nq - 1} of state 5 is nan"):
        MODEL.mass_matrix(q)


finite = st.floats(allow_nan=False, allow_infinity=False, width=64)


@settings(max_examples=300)
@given(any_algorithm, st.lists(finite, min_size=60, max_size=60), st.integers(1, 3))
def test_any_finite_numbers_give_finite_results_or_an_error(
    algorithm: Algorithm, numbers: list[float], states: int
) -> None:
    arrays = arguments(MODEL, algorithm, (states,))
    filled = {name: np.resize(np.array(numbers), array.shape) for name, array in arrays.items()}
    try:
        result = algorithm(MODEL, **filled)
    except ArithmeticError as error:
        assert "no finite result" in str(error)
    except ValueError as error:
        assert "must have unit quaternions" in str(error)
    else:
        assert np.isfinite(result).all()


@pytest.mark.parametrize("size", [1e5, 1e8, 1e12])
def test_large_angles(size: float) -> None:
    """Sines of large angles are those of the C library."""
    model = ts.robots.chain(3)
    q = np.random.default_rng(0).uniform(-size, size, (50, 3))
    small = np.arctan2(np.sin(q), np.cos(q))
    poses, expected = model.forward_kinematics(q), model.forward_kinematics(small)
    np.testing.assert_allclose(poses, expected, atol=1e-13)


def test_a_large_angle_leaves_its_neighbours_alone() -> None:
    """Lanes are states in a batch, joints in one state: neither may change by the others."""
    model = ts.robots.chain(9)
    q = np.random.default_rng(0).uniform(-3, 3, (20, 9))
    expected = model.forward_kinematics(q)
    disturbed = q.copy()
    disturbed[6, 8] = 3e7
    found = model.forward_kinematics(disturbed)
    others = np.arange(20) != 6
    assert found[others].tobytes() == expected[others].tobytes()
    assert found[6, :8].tobytes() == expected[6, :8].tobytes()
    assert model.forward_kinematics(disturbed[6]).tobytes() == found[6].tobytes()


def test_zeros_keep_their_sign_in_a_batch() -> None:
    model = ts.robots.chain(3)
    zero = np.zeros((5, 3))
    for algorithm in EVERY:
        if algorithm.name != "sample" and "frame" not in algorithm.options:
            arrays = {
                name: np.zeros((5, *a.shape[1:]))
                for name, a in arguments(model, algorithm, (5,)).items()
            }
            one = algorithm(model, **{name: array[0] for name, array in arrays.items()})
            many = algorithm(model, **arrays)
            assert np.asarray(one).tobytes() == np.asarray(many[3]).tobytes(), algorithm.name
    assert model.passive_forces(zero, zero).shape == (5, 3)
