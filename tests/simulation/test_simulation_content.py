"""A checkpoint knows its simulation by content: what moves otherwise is refused by name."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, quadruped, standing
from oracle import Array

import tarsus as ts
from tarsus._lib.data import content_hash
from tarsus.control import ImplicitPD, Table
from tarsus.geometry import Collision, Ground, HeightField
from tarsus.simulation import CheckpointWarning, Simulation, contact


def heavier() -> ts.Model:
    """Return the quadruped with ten times the masses, and the same name."""
    description = quadruped().description
    bodies = [
        replace(body, mass=10.0 * body.mass, inertia=10.0 * body.inertia)
        for body in description.bodies
    ]
    return ts.Model(replace(description, bodies=bodies), strict=False)


def bumps(height: float, **options: float) -> HeightField:
    """Return a field that looks the same when printed, whatever the height of its bump."""
    heights = np.zeros((80, 80))
    heights[60, 60] = height
    return HeightField(heights, 0.5, np.array([-20.0, -20.0]), **options)


def of(**options: Any) -> Simulation:
    known = {"model": quadruped(), "ground": bumps(0.01), "dt": 2e-3, **options}
    return Simulation(known.pop("model"), **known)


def pose(angle: float = 0.0) -> Array:
    q = standing()
    q[-1] += angle
    return q


def hold(**options: Any) -> ImplicitPD:
    known = {"model": quadruped(), "kp": 120.0, "kd": 6.0, "reference": pose(), **options}
    return ImplicitPD(**known)


def way(end: float) -> Table:
    return Table(quadruped(), [0.0, 1.0], np.stack([pose(), pose(end)]))


OTHERS: dict[str, tuple[str, dict[str, Any], ImplicitPD]] = {
    "ten times the masses": ("model", {"model": heavier()}, hold(model=heavier())),
    "another bump": ("ground", {"ground": bumps(0.02)}, hold()),
    "another friction": ("ground", {"ground": bumps(0.01, friction=0.3)}, hold()),
    "friction that spins": ("ground", {"ground": bumps(0.01, torsion=0.01)}, hold()),
    "a plane": ("ground", {"ground": Ground()}, hold()),
    "other points": (
        "collision",
        {"collision": Collision.from_model(quadruped(), self_collision=True)},
        hold(),
    ),
    "other iterations": ("contact", {"contact": contact.Exact(iterations=77)}, hold()),
    "another law": ("contact", {"contact": "penalty"}, hold()),
    "another integrator": ("integrator", {"integrator": "explicit"}, hold()),
    "another step": ("dt", {"dt": 1e-3}, hold()),
    "no friction": ("options", {"joint_friction": False}, hold()),
    "no limits": ("options", {"joint_limits": False}, hold()),
    "strict": ("options", {"strict": True}, hold()),
    "all effort": ("options", {"effort_limits": False}, hold(effort=30.0)),
    "kp": ("controller", {}, hold(kp=60.0)),
    "kd": ("controller", {}, hold(kd=7.0)),
    "effort": ("controller", {}, hold(effort=5.0)),
    "period": ("controller", {}, hold(period=4e-3)),
    "pose": ("controller", {}, hold(reference=pose(0.01))),
    "way": ("controller", {}, hold(reference=way(0.1))),
    "function": ("controller", {}, hold(reference=lambda t: pose(0.1 * t))),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the checkpoint of a run on a bumpy field."""
    file = tmp_path_factory.mktemp("runs") / "run.npz"
    of().run(pose(), duration=0.04, controller=hold(), checkpoint=file, checkpoint_every=0.03)
    return file


def test_the_same_content_is_the_same_simulation(written: Path, tmp_path: Path) -> None:
    file = shutil.copy(written, tmp_path)
    ts.save(quadruped(), tmp_path / "robot.yaml")
    model = ts.load(tmp_path / "robot.yaml")
    rest = of(model=model).resume(file, hold(model=model))
    whole = of().run(pose(), duration=0.04, controller=hold())
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])


@pytest.mark.parametrize("case", OTHERS)
def test_other_content_is_named(written: Path, case: str) -> None:
    part, options, controller = OTHERS[case]
    with pytest.raises(ValueError, match=rf"run\.npz is of another simulation.* another {part}\b"):
        of(**options).resume(written, controller)


def test_all_that_differs_is_named(written: Path) -> None:
    with pytest.raises(ValueError, match=r"another ground and another dt and another controller$"):
        of(dt=1e-3, ground=Ground()).resume(written, hold(kp=1.0))


def test_functions_are_not_compared_but_for_their_period(tmp_path: Path) -> None:
    class Constant:
        def __init__(self, effort: float, period: float) -> None:
            self.effort, self.period = effort, period

        def __call__(self, t: float, q: Array, v: Array) -> Array:
            return np.full(4, self.effort)

    sim, file = Simulation(arm()), tmp_path / "run.npz"
    sim.run(ARM, duration=0.1, controller=Constant(1.0, 5e-3), checkpoint=file)
    assert sim.resume(file, Constant(2.0, 5e-3)).t[-1] == pytest.approx(0.1)
    with pytest.raises(ValueError, match=r"another controller$"):
        sim.resume(file, Constant(1.0, 1e-2))


def test_a_memory_that_is_not_there_is_named(tmp_path: Path) -> None:
    class Forgetful:
        def get_state(self) -> dict[str, Array]:
            return {"calls": np.zeros(1)}

        def set_state(self, state: dict[str, Array]) -> None:
            state["visits"]

        def __call__(self, t: float, q: Array, v: Array) -> Array:
            return np.zeros(4)

    sim, file = Simulation(arm()), tmp_path / "run.npz"
    sim.run(ARM, duration=0.1, controller=Forgetful(), checkpoint=file)
    with pytest.raises(ValueError, match=r"run\.npz does not hold the memory of .*visits"):
        sim.resume(file, Forgetful())
    with pytest.raises(ValueError, match="'rk4' writes no checkpoints"):
        Simulation(arm(), integrator="rk4").resume(file)
    with pytest.raises(ValueError, match="threads"):
        sim.resume(file, Forgetful(), threads=0)


def test_hashes_tell_values_and_their_places_apart() -> None:
    values: list[Any] = [
        (),
        (None,),
        ("",),
        (0.0,),
        (1.0,),
        ("1.0",),
        ([1.0, 2.0],),
        (1.0, 2.0),
        ([1.0], 2.0),
        (np.array([1.0, 2.0]),),
        (np.array([[1.0, 2.0]]),),
        (np.array([[1.0], [2.0]]),),
        ({"a": 1.0, "b": 2.0},),
        ({"a": 2.0, "b": 1.0},),
        (Ground(),),
        (Ground(slope=1e-16),),
    ]
    assert len({content_hash(*each) for each in values}) == len(values)
    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2.0, "a": np.float64(1.0)})
    with pytest.raises(TypeError, match="no content that can be compared"):
        content_hash(object())


# --- checkpoints that cannot be written -----------------------------------------------------------


def test_a_run_goes_on_without_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim, file = Simulation(arm()), tmp_path / "run.npz"
    whole = sim.run(ARM, duration=0.1)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "open", full)
    with pytest.warns(CheckpointWarning, match="t = 0.04 s could not be written.*No space left"):
        run = sim.run(ARM, duration=0.1, checkpoint=file, checkpoint_every=0.04)
    np.testing.assert_array_equal(run.q, whole.q)
    # it is said once, and kept
    assert len(run.settings["warnings"]) == 1 and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "memory", [object(), None, [1.0, "x", None]], ids=["object", "none", "list"]
)
def test_a_memory_that_cannot_be_written(tmp_path: Path, memory: Any) -> None:
    class Strange:
        def get_state(self) -> dict[str, Any]:
            return {"mind": memory}

        def __call__(self, t: float, q: Array, v: Array) -> Array:
            return np.zeros(4)

    file = tmp_path / "run.npz"
    with pytest.warns(CheckpointWarning, match="the controller's memory 'mind' is"):
        run = Simulation(arm()).run(
            ARM, duration=0.1, controller=Strange(), checkpoint=file, checkpoint_every=0.06
        )
    assert len(run) == 101 and not list(tmp_path.iterdir())


def test_a_missing_folder_is_named_before_the_run(tmp_path: Path) -> None:
    def control(t: float, q: Array, v: Array) -> Array:
        raise AssertionError("it has begun")

    for path in (tmp_path / "nowhere" / "run.npz", tmp_path):
        with pytest.raises(FileNotFoundError, match=str(path)):
            Simulation(arm()).run(ARM, duration=0.1, controller=control, checkpoint=path)


def bump(place: float) -> Table:
    """Return a way with a bump at a time that no comparison at some moments would meet."""
    times = [0.0, place, place + 1e-4, place + 2e-4, 1.0]
    return Table(quadruped(), times, np.stack([pose(), pose(), pose(0.2), pose(), pose()]))


def frame_law(kp: float) -> ts.control.ImpedanceControl:
    arm = ts.robots.chain(4)
    return ts.control.ImpedanceControl(arm, arm.body_names[-1], kp, 1.0, task="position")


def test_tables_are_compared_whole_and_frame_laws_by_their_gains(tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    known = {"duration": 0.04, "checkpoint": file, "checkpoint_every": 0.02}
    of().run(pose(), controller=hold(reference=bump(0.0101)), **known)
    with pytest.raises(ValueError, match="another controller"):
        of().resume(file, hold(reference=bump(0.0111)))
    arm = ts.Simulation(ts.robots.chain(4))
    arm.run(np.full(4, 0.3), controller=frame_law(100.0), **known)
    arm.resume(file, frame_law(100.0))
    with pytest.raises(ValueError, match="another controller"):
        arm.resume(file, frame_law(900.0))
