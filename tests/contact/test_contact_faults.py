"""Bad input of a call is an exception, a run that goes wrong is reported: never a crash."""

from __future__ import annotations

import math
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from contact_scenes import box, box_at_rest
from contact_worlds import Run, World
from hypothesis import given
from hypothesis import strategies as st
from test_contact_bits import LAWS, drops

import tarsus as ts

ERRORS = (TypeError, ValueError, ts.ModelError)
BAD_NUMBERS = (np.nan, np.inf, -np.inf)


def start(world: World | None = None, count: int = 3, **options: Any) -> Run:
    q, v = drops(box(8), count)
    return Run.start(world or box(8), q, v, **options)


def refused(run: Run, **changes: Any) -> str:
    """Return the message with which a call is refused; the state must be as before."""
    before = run.q.tobytes(), run.v.tobytes(), run.memory.tobytes()
    names = ("q", "v", "memory", "parameters", "commands")
    arrays = [changes.pop(name, getattr(run, name)) for name in names]
    with pytest.raises(ERRORS) as caught:
        run.world.advance(*arrays, **({"steps": 2} | changes))
    assert (run.q.tobytes(), run.v.tobytes(), run.memory.tobytes()) == before
    return str(caught.value)


@pytest.mark.parametrize("name", ["q", "v", "memory", "parameters", "commands"])
def test_arrays_of_a_call_are_checked(name: str) -> None:
    run = start()
    own = getattr(run, name)
    wrong = {
        "a list": own.tolist(),
        "none": None,
        "float32": own.astype(np.float32),
        "complex": own.astype(complex),
        "too few columns": np.ascontiguousarray(own[..., :-1]),
        "too many columns": np.concatenate([own, own], axis=-1),
        "one dimension": own.ravel(),
        "four dimensions": own[None, None],
        "another batch": np.concatenate([own, own, own, own, own]),
    }
    if name in ("q", "v", "memory"):
        wrong["strided"] = np.repeat(own, 2, axis=-1)[..., ::2]
        wrong["reversed"] = own[::-1]
        wrong["Fortran"] = np.asfortranarray(own)
        wrong["read-only"] = own.copy()
        wrong["read-only"].setflags(write=False)
        wrong["big-endian"] = own.astype(">f8")
    for what, array in wrong.items():
        if name in ("parameters", "commands") and what in ("a list", "float32", "one dimension"):
            continue  # may be understood, as nothing is written to them
        message = refused(run, **{name: array})
        print(f"{what}: {message}")
        assert name in message or what == "another batch"


@pytest.mark.parametrize("bad", BAD_NUMBERS)
@pytest.mark.parametrize("name", ["q", "v", "memory", "parameters", "commands"])
def test_numbers_that_are_none_are_refused_or_reported(name: str, bad: float) -> None:
    """The others go on as if alone; the state that fails keeps finite numbers if it had any."""
    controller = {"controller": "pid", "kp": 1.0, "kd": 1.0, "ki": 1.0}
    world = box(8, **controller)
    size = getattr(start(world), name).shape[-1]
    for column in range(0, size, max(1, size // 12)):
        run, clean = start(world), start(world)
        array = np.tile(getattr(run, name), (3, *(1,) * (getattr(run, name).ndim - 1)))[:3].copy()
        array.reshape(3, -1)[1, column] = bad
        setattr(run, name, array)
        try:
            run.advance(3)
        except ERRORS as error:
            assert name in str(error) and "crash" not in str(error)
            continue
        clean.advance(3)
        assert run.status[[0, 2], 0].tolist() == clean.status[[0, 2], 0].tolist() == [0, 0]
        assert run.q[[0, 2]].tobytes() == clean.q[[0, 2]].tobytes()
        if name not in ("q", "v"):
            assert np.isfinite(run.q).all() and np.isfinite(run.v).all()


def test_numbers_of_a_call_are_checked() -> None:
    for changes in (
        *({"steps": value} for value in (-1, 2.5, "two", None, 2**70)),
        *({"hold": value} for value in (0, -1, "x")),
        *({"every": value} for value in (0, -1)),
        *({"first_step": value} for value in (-1, "x", 2**53, 2**63 - 2, 2**63 - 1)),
        {"steps": 2**63 - 1, "first_step": 1},
        *({"threads": value} for value in (0, -1, "x")),
        {"unknown": 1},
    ):
        print(refused(start(), **changes))


def test_records_are_checked() -> None:
    run = start()
    good = run.record(2)
    for changed in (
        {"nothing": np.zeros((3, 2, 7))},
        {"q": np.zeros((3, 2, 6))},
        {"q": np.zeros((3, 3, 7))},
        {"q": np.zeros((2, 2, 7))},
        {"q": np.zeros((3, 2, 7), np.float32)},
        {"q": np.zeros((3, 2, 14))[..., ::2]},
        {"q": [[0.0]]},
        {"energy": np.zeros((3, 2, 3))},
        {"contacts": np.zeros((3, 2, 8, 12))},
        {"statistics": np.zeros((3, 2, 4))},
    ):
        print(refused(run, record={**good, **changed}))
    frozen = good["q"].copy()
    frozen.setflags(write=False)
    print(refused(run, record={"q": frozen}))
    print(refused(run, record=[good]))
    # lists of contacts fit, the others have no room at all
    print(refused(run, record={**good, "q": np.zeros((3, 0, 7))}))


@pytest.mark.parametrize("sample", [4, 5, 2**31, 2**60 + 1, 2**62, 2**63 - 1])
def test_samples_beyond_the_record_are_refused(sample: int) -> None:
    """Numbers near 2⁶³ once wrapped around and were written far from the array."""
    run = start()
    record = {"q": np.zeros((3, 5, 7)), "v": np.zeros((3, 5, 6))}
    message = refused(run, record=record, sample=sample)
    assert "record has 5 samples, 2 steps make 2" in message
    run.world.advance(
        run.q, run.v, run.memory, run.parameters, run.commands, steps=2, record=record, sample=3
    )
    assert (record["q"][:, :3] == 0.0).all() and (record["q"][:, 4] == run.q).all()


def test_arrays_that_overlap_are_refused() -> None:
    run = start()
    both = np.zeros(3 * 7 + 3 * 6)
    q, v = both[:21].reshape(3, 7), both[18 : 18 + 18].reshape(3, 6)
    q[:] = run.q
    print(refused(run, q=q, v=v))
    record = run.record(1)
    record["q"] = run.q[:, None]
    print(refused(run, steps=1, record=record))
    record = run.record(1)
    record["v"] = record["tau"]
    print(refused(run, steps=1, record=record))


@pytest.mark.parametrize("written", ["q", "v", "memory", "record"])
@pytest.mark.parametrize("read", ["parameters", "commands"])
def test_what_is_read_must_not_be_written(read: str, written: str) -> None:
    run = start()
    given = getattr(run, read)
    shape = (3, 1, 7) if written == "record" else getattr(run, written).shape
    for apart in (0, given.size):  # beside each other they may be
        room = np.ones(given.size + math.prod(shape))
        there = room[apart : apart + math.prod(shape)].reshape(shape)
        changes: dict[str, Any] = {read: room[: given.size].reshape(given.shape)}
        changes |= {"record": {"q": there}} if written == "record" else {written: there}
        if not apart:
            message = refused(run, steps=1, **changes)
            assert read in message and "overlap" in message
            continue
        names = ("q", "v", "memory", "parameters", "commands")
        arrays = [changes.pop(name, getattr(run, name)) for name in names]
        run.world.advance(*arrays, steps=1, **changes)


def unaligned(array: Any) -> Any:
    """Return a copy whose numbers start between the places of numbers."""
    raw = np.zeros(array.nbytes + 8, np.uint8)
    found = raw[3 : 3 + array.nbytes].view(np.float64).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found


def test_arrays_that_are_not_aligned() -> None:
    """What is written to must be aligned, of what is read a copy is made."""
    run, expected = start(), start()
    for name in ("q", "v", "memory"):
        assert name in refused(run, **{name: unaligned(getattr(run, name))})
    assert "record" in refused(run, steps=1, record={"q": unaligned(np.zeros((3, 1, 7)))})
    run.parameters, run.commands = unaligned(run.parameters), unaligned(run.commands)
    run.advance(3), expected.advance(3)
    assert run.q.tobytes() == expected.q.tobytes()
    world = run.world
    assert world.contacts(unaligned(run.q)).tobytes() == world.contacts(run.q).tobytes()
    first, second = (world.operator(q, [0, 1])[0] for q in (run.q, unaligned(run.q)))
    assert first.tobytes() == second.tobytes()
    arrays = run.q, run.v, run.parameters
    motions = [
        ts._core.Motion(world, *map(make, arrays), batched=True)  # type: ignore[attr-defined]
        for make in (np.array, unaligned)
    ]
    first, second = (motion.step(steps=3)[0] for motion in motions)
    assert first.tobytes() == second.tobytes()
    A, b = np.eye(2), -np.ones(2)
    solve = ts._core.solve_lcp  # type: ignore[attr-defined]
    assert solve(unaligned(A), unaligned(b)).tolist() == solve(A, b).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("ground", ["plane", "profile", "height_field", "none"])
@pytest.mark.parametrize("bad", [0.0, 1e-200, 1e200, np.nan, np.inf])
def test_poses_are_known_before_anything_is_looked_up(ground: str, bad: float) -> None:
    """A rotation that is none: the state is named, wherever it is among the others."""
    numbers = {
        "plane": (0.0, 0.0, 1.0, 0.0),
        "profile": (-1.0, 0.0, 0.0, 0.1, 1.0, 0.0),
        "height_field": (-1.0, -1.0, 1.0, 1.0, 3.0, 3.0, *np.linspace(0.0, 0.1, 9)),
        "none": (),
    }[ground]
    world = box(8, ground_kind=ground, ground_numbers=numbers)
    for count, state in ((1, 0), (3, 2), (300, 217)):
        run = start(world, count)
        q = run.q.copy()
        q[state, 3:7] = bad
        core, arrays = run.world, (run.v, run.memory, run.parameters)
        kept = q.tobytes()
        calls = (
            lambda q=q, core=core: core.contacts(q),
            lambda q=q, core=core: core.operator(q, [0]),
            lambda q=q, core=core, rest=arrays: core.energies(q, *rest),
            lambda q=q, core=core, rest=arrays, to=run.commands: core.advance(
                q, *rest, to, steps=2, threads=2
            ),
            lambda q=q, core=core, rest=arrays: ts._core.Motion(  # type: ignore[attr-defined]
                core, q, rest[0], rest[2], batched=True
            ),
        )
        for call in calls:
            with pytest.raises(ValueError, match=r"^q must") as caught:
                call()
            if np.isfinite(bad) and count > 1:
                assert f"elements 3 to 6 of state {state}" in str(caught.value)
        assert not core.may_start(q, run.v, 1.0) and q.tobytes() == kept


@pytest.mark.parametrize("ground", ["plane", "profile", "height_field"])
@pytest.mark.parametrize("far", [1e20, 1e160, 1e300, -1e300])
def test_positions_out_of_this_world(ground: str, far: float) -> None:
    """Gaps are numbers, or q is refused; steps end, or say what happened."""
    numbers = {
        "plane": (0.6, 0.0, 0.8, 0.0),
        "profile": (-1.0, 0.0, 0.0, 0.1, 1.0, 0.0),
        "height_field": (-1.0, -1.0, 1.0, 1.0, 3.0, 3.0, *np.linspace(0.0, 0.1, 9)),
    }[ground]
    world = box(8, ground_kind=ground, ground_numbers=numbers)
    for place in range(3):
        run = start(world, 5)
        run.q[2, place] = far
        try:
            assert np.isfinite(run.world.contacts(run.q)).all()
        except ValueError as error:
            assert "q of state 2" in str(error)
        run.advance(3)
        assert np.isfinite(run.q).all() and np.isfinite(run.v).all()
        assert (run.status[[0, 1, 3, 4], 0] == 0).all()


def test_a_record_lives_while_it_is_written() -> None:
    """The dict may lose it to another thread of Python meanwhile."""
    run = start(count=1)
    record = {"q": np.full((1, 200_000, 7), np.nan)}
    array, watched = record["q"], weakref.ref(record["q"])
    arguments = run.q, run.v, run.memory, run.parameters, run.commands
    thread = threading.Thread(
        target=lambda: run.world.advance(*arguments, steps=200_000, record=record)
    )
    thread.start()
    while np.isnan(array[0, 0, 0]):
        pass
    del array
    record.clear()
    alive = watched() is not None
    under_way = thread.is_alive()
    thread.join()
    assert under_way and alive and watched() is None


def test_nothing_to_do() -> None:
    run = start()
    before = run.q.copy(), run.v.copy(), run.memory.copy()
    run.advance(0)
    assert (run.status[:, 0] == 0).all()
    for now, then in zip((run.q, run.v, run.memory), before, strict=True):
        assert now.tobytes() == then.tobytes()
    empty = Run.start(box(), np.zeros((0, 7)), np.zeros((0, 6)))
    empty.memory = np.zeros((0, empty.world.memory_size))
    record = empty.advance(5, threads=3)
    assert empty.status.shape == (0, 3) and record["q"].shape == (0, 5, 7)
    assert empty.world.contacts(empty.q).shape == (0, 4, 7)


@pytest.mark.parametrize("dt", [5e-324, 1e-308, 1e-100, 9.9e-13])
def test_steps_that_move_nothing_are_refused(dt: float) -> None:
    """Forces are impulses over dt: they were not numbers."""
    with pytest.raises(ValueError, match="dt is too short, must be at least 1e-12 s"):
        box(8, dt=dt).core()


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("dt", [0.1, 10.0, 1e6, 1e-12])
def test_absurd_steps(law: str, dt: float) -> None:
    """Whatever happens is finite, or a state that says what happened to it."""
    world = box(8, dt=dt, **LAWS[law])
    run = Run.start(world, *drops(world, 6))
    run.advance(20)
    print(run.status.tolist())
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all()
    assert np.isin(run.status[:, 0], range(6)).all()


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    "changes",
    [
        {"friction": 1e300},
        {"friction": 1e8},
        {"viscous": 1e300},
        {"restitution": 1e6},
        {"rest_speed": 1e300},
        {"controller": "pd", "kp": 1e300},
        {"controller": "pd", "kd": 1e12},
        {"controller": "implicit_pd", "kp": 1e300, "kd": 1e300},
        {"controller": "pid", "ki": 1e300},
        {"controller": "inverse_dynamics", "kp": 1e200},
        {"controller": "passivity", "kp": 1e200},
        {"mass_scale": 1e200},
        {"mass_scale": 1e-200},
    ],
    ids=str,
)
def test_absurd_parameters(law: str, changes: dict[str, Any]) -> None:
    world = box(8, **LAWS[law]).but(**changes)
    q, v = drops(world, 5)
    try:
        run = Run.start(world, q, v)
        run.advance(20)
    except ERRORS as error:
        print(error)
        return
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all()
    assert np.isin(run.status[:, 0], range(6)).all()


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, -0.1), (1, -1.0), (2, -0.5), (3, -1.0), (4, -1.0), (10, -1.0), (22, -1.0), (22, 0.0)],
)
def test_parameters_have_ranges(place: int, value: float) -> None:
    """Negative friction, restitution, gains and masses are refused."""
    run = start()
    run.parameters[0, place] = value
    print(refused(run, parameters=run.parameters))


def test_a_crowd_is_reported_with_the_step() -> None:
    world = box(8, max_contacts=3)
    q, v = box_at_rest(height=0.12)
    run = Run.start(world, q, v)
    run.advance(200)
    code, step, _ = run.status[0]
    print(run.status)
    assert code == 2 and abs(step - np.sqrt(2 * 0.02 / 9.81) / world.dt) < 3
    kept = run.q.copy(), run.v.copy()
    run.advance(10)  # nothing more happens to it
    assert run.q.tobytes() == kept[0].tobytes() and run.v.tobytes() == kept[1].tobytes()


def test_a_run_that_diverges_is_reported() -> None:
    world = box(8, controller="pd", kp=1e9, kd=0.0)
    q, v = box_at_rest(height=1.0)
    command = np.concatenate([q + 0.1 * np.eye(7)[0], np.zeros(12)])[None]
    run = Run.start(world, q, v, command)
    run.advance(3000)
    print(run.status)
    assert run.status[0, 0] in (1, 5) and 0 <= run.status[0, 1] < 3000
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all()


def test_a_force_that_is_not_a_number_comes_late() -> None:
    commands = np.zeros((1, 6, 6))
    commands[0, 4, 2] = np.nan
    run = start(count=1)
    run.commands = commands
    try:
        run.advance(10)
    except ERRORS as error:
        assert "commands" in str(error)
        return
    assert run.status[0, 0] == 1 and run.status[0, 1] == 4
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all()


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(LAWS)),
    st.sampled_from(["torque", "pd", "implicit_pd", "pid", "inverse_dynamics", "passivity"]),
)
def test_anything_goes_somewhere(seed: int, law: str, controller: str) -> None:
    """Random states, gains, steps and bad numbers: exceptions or reported states."""
    rng = np.random.default_rng(seed)
    world = box(8, **LAWS[law]).but(
        controller=controller,
        dt=float(10.0 ** rng.uniform(-5, 1)),
        friction=float(rng.choice([0.0, 0.5, 1e3])),
        restitution=float(rng.choice([0.0, 1.0, 2.0])),
        kp=float(10.0 ** rng.uniform(-3, 6)),
        kd=float(10.0 ** rng.uniform(-3, 6)),
    )
    q, v = drops(world, 4, seed % 97)
    v *= 10.0 ** rng.uniform(-2, 6)
    run = Run.start(world, q, v)
    run.commands = rng.normal(size=(4, 2, run.world.command_size))
    for name in ("q", "v", "parameters", "commands", "memory"):
        if rng.random() < 0.15:
            array = np.array(getattr(run, name))
            array.flat[rng.integers(array.size)] = rng.choice([np.nan, np.inf, -1e300, 1e300, 0.0])
            setattr(run, name, array)
    try:
        run.advance(5, threads=int(rng.integers(1, 4)))
    except ERRORS:
        return
    fine = run.status[:, 0] == 0
    assert np.isfinite(run.q[fine]).all() and np.isfinite(run.v[fine]).all()
    assert np.isin(run.status[:, 0], range(6)).all()
