"""Shapes that state how they rub and bounce: closed forms, and MuJoCo with the same numbers."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import tarsus as ts
from tarsus.geometry.contact_candidates import world_of

LAWS = ["exact", "lemke", "penalty", "event", "compliant"]
ROCKING = ("penalty", "compliant")
"""On springs boxes rock."""


def box(**surface: float) -> ts.Model:
    builder = ts.Builder("box")
    add_box(builder, "box", **surface)
    return builder.build()


def add_box(builder: ts.Builder, name: str, **surface: float) -> None:
    builder.body(name, mass=1.0, inertia=[1e-3, 1e-3, 1e-3])
    builder.joint(f"{name}_free", "free", "world", name)
    builder.shape(name, "box", (0.2, 0.2, 0.1), role="collision", name=f"{name}_hull", **surface)


def slide(model: ts.Model, ground: ts.Ground, collision: ts.Collision, law: str = "exact") -> float:
    """Accelerations down the slope [m/s²] after half a second."""
    q = model.neutral()
    joint = model.joint("box_free")
    half = ground.slope / 2
    q[joint.q_slice] = [0.0, 0.0, 0.0, 0.0, math.sin(half), 0.0, math.cos(half)]
    q = ts.stand(model, q, ground, collision)
    springs = {"penalty": ts.contact.Penalty(3e4, 8e1), "compliant": ts.contact.Compliant(3e4, 8e1)}
    contact = springs.get(law, law)
    sim = ts.Simulation(model, ground=ground, collision=collision, contact=contact, dt=5e-4)
    run = sim.run(q, np.zeros(model.nv), duration=0.5)
    return acceleration(run.q[::250, :3], ground.slope)


def acceleration(places: np.ndarray, slope: float) -> float:
    """Of the last three of places (n, 3), an eighth of a second apart, down the slope [m/s²]."""
    along = np.array([math.cos(slope), 0.0, -math.sin(slope)])
    return float((places[-1] - 2 * places[-2] + places[-3]) @ along / 0.125**2)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("own", [0.2, 0.5])
def test_a_box_slides_from_the_angle_of_its_own_friction(law: str, own: float) -> None:
    model = box(friction=own)
    collision = ts.Collision.from_model(model)
    if law not in ROCKING:
        holds = ts.Ground(friction=0.9, slope=math.atan(own) - 0.02)
        assert abs(slide(model, holds, collision, law)) < 5e-3
    slips = ts.Ground(friction=0.9, slope=math.atan(own) + 0.1)
    expected = 9.81 * (math.sin(slips.slope) - own * math.cos(slips.slope))
    assert slide(model, slips, collision, law) == pytest.approx(expected, rel=2e-2)


@pytest.mark.parametrize(
    ("rule", "expected"), [("min", 0.2), ("max", 0.6), ("mean", 0.4), ("product", 0.12)]
)
def test_two_frictions_become_one_by_a_rule(rule: str, expected: float) -> None:
    model, slope = box(friction=0.2), 0.7
    collision = ts.Collision.from_model(model, combine=rule)
    found = slide(model, ts.Ground(friction=0.6, slope=slope), collision)
    assert found == pytest.approx(9.81 * (math.sin(slope) - expected * math.cos(slope)), rel=1e-2)


def test_frictions_by_name_and_of_pairs_come_before_those_of_shapes() -> None:
    model, slope = box(friction=0.2), 0.7
    ground = ts.Ground(friction=0.6, slope=slope)

    def friction(collision: ts.Collision) -> float:
        return math.tan(slope) - slide(model, ground, collision) / (9.81 * math.cos(slope))

    for name in ("box", "box_hull"):
        collision = ts.Collision.from_model(model, friction={name: 0.4})
        assert friction(collision) == pytest.approx(0.4, abs=5e-3)
    collision = ts.Collision.from_model(model, pairs={("ground", "box"): 0.75})
    assert friction(collision) == pytest.approx(0.75, abs=5e-3)


def test_two_boxes_slide_differently_on_one_ground_and_in_a_batch() -> None:
    builder = ts.Builder("two")
    add_box(builder, "rough", friction=0.5)
    add_box(builder, "smooth", friction=0.1)
    model = builder.build()
    collision = ts.Collision.from_model(model)
    q = np.tile(model.neutral(), (2, 1))
    for name, y in (("rough", 0.0), ("smooth", 1.0)):
        joint = model.joint(f"{name}_free")
        q[:, joint.q_slice.start : joint.q_slice.start + 3] = [0.0, y, 0.05]
    v = np.zeros((2, model.nv))
    for name in ("rough", "smooth"):
        v[:, model.joint(f"{name}_free").v_slice.start] = 1.0
    # the second state has ice below: it is more slippery than both
    ground = ts.Ground(friction=np.array([0.8, 0.05]))
    run = ts.Simulation(model, ground=ground, collision=collision).run(q, v, duration=0.15)
    for state, frictions in enumerate([(0.5, 0.1), (0.05, 0.05)]):
        for name, own in zip(("rough", "smooth"), frictions, strict=True):
            speed = run.v[state, -1, model.joint(f"{name}_free").v_slice.start]
            assert speed == pytest.approx(1.0 - own * 9.81 * 0.15, abs=2e-3)


def test_it_is_mujocos_friction_with_its_rule(tmp_path: Path) -> None:
    slope = 0.45
    text = f"""<mujoco><option timestep="0.0005" cone="elliptic" impratio="100" solver="Newton"/>
      <worldbody><geom name="floor" type="plane" size="9 9 1" friction="0.2"
        euler="0 {math.degrees(slope)} 0"/>
      <body name="box" euler="0 {math.degrees(slope)} 0"><freejoint name="box_free"/>
      <geom name="hull" type="box" size="0.1 0.1 0.05" mass="1" friction="0.35"
        pos="0 0 0"/></body></worldbody></mujoco>"""
    path = tmp_path / "box.xml"
    path.write_text(text)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
    data.qpos[:3] = 0.05 * normal
    places = []
    for step in range(1001):
        if step % 250 == 0:
            places.append(data.qpos[:3].copy())
        mujoco.mj_step(theirs, data)
    model = ts.load(path)
    collision = ts.Collision.from_model(model, combine="max")
    found = slide(model, ts.Ground(friction=0.2, slope=slope), collision)
    assert found == pytest.approx(acceleration(np.array(places), slope), rel=2e-2)
    assert found == pytest.approx(9.81 * (math.sin(slope) - 0.35 * math.cos(slope)), rel=1e-2)


def test_pairs_of_a_file_count_and_are_prefixed_in_scenes(tmp_path: Path) -> None:
    path, slope = tmp_path / "box.xml", 0.7
    path.write_text(
        """<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1"/>
        <body name="box"><freejoint name="box_free"/>
        <geom name="hull" type="box" size="0.1 0.1 0.05" mass="1"/></body></worldbody>
        <contact><pair geom1="floor" geom2="hull" friction="0.25"/></contact></mujoco>"""
    )
    model = ts.load(path)
    ground = ts.Ground(friction=0.6, slope=slope)
    found = slide(model, ground, ts.Collision.from_model(model))
    assert found == pytest.approx(9.81 * (math.sin(slope) - 0.25 * math.cos(slope)), rel=1e-2)
    two = ts.combine(model, model, names=("one", "two"))
    rows = ts.Collision.from_model(two, pairs={("two/box", "ground"): 0.5}).blends["friction"]
    assert rows[:, 1].tolist() == [0.25] * 8 + [0.5] * 8 + [0.0] * (len(rows) - 16)


@pytest.mark.parametrize("law", ["exact", "event"])
def test_balls_bounce_as_their_restitutions_say(law: str) -> None:
    builder = ts.Builder("balls").body("left", mass=1.0, inertia=[0.01] * 3)
    builder.body("right", mass=3.0, inertia=[0.01] * 3)
    for name, own in (("left", 0.3), ("right", 0.8)):
        builder.joint(f"{name}_free", "free", "world", name)
        builder.shape(name, "sphere", (0.1,), role="collision", restitution=own)
    model = builder.build()
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.joint("right_free").q_slice.start] = 0.5
    v[model.joint("left_free").v_slice.start] = 2.0
    for rule, e in (("max", 0.8), ("min", 0.3), ("mean", 0.55), ("product", 0.24)):
        collision = ts.Collision.from_model(model, combine={"restitution": rule})
        space = ts.geometry.Space(friction=0.0)
        sim = ts.Simulation(model, ground=space, collision=collision, contact=law)
        run = sim.run(q, v, duration=0.4)
        # momentum is kept, and the speed of parting is e times that of approach
        left = (1.0 * 2.0 - 3.0 * e * 2.0) / 4.0
        assert run.v[-1, model.joint("left_free").v_slice.start] == pytest.approx(left, abs=1e-9)
        assert run.v[-1, model.joint("right_free").v_slice.start] == pytest.approx(left + 2 * e)


def test_a_spinning_ball_is_braked_by_its_own_torsion() -> None:
    builder = ts.Builder("ball").body("ball", mass=1.0, inertia=[0.01] * 3)
    builder.joint("free", "free", "world", "ball")
    builder.shape("ball", "sphere", (0.1,), role="collision", torsion=0.002, rolling=0.001)
    model = builder.build()
    q, v = model.neutral(), np.zeros(model.nv)
    q[2], v[5] = 0.1, 5.0
    run = ts.Simulation(model, ground=ts.Ground()).run(q, v, duration=1.0)
    assert run.v[-1, 5] == pytest.approx(5.0 - 0.002 * 9.81 / 0.01, rel=1e-3)


def test_mistakes_are_told_by_name() -> None:
    model = box()
    with pytest.raises(ts.UnknownNameError, match=r"friction: no shape, link or body .* 'foot'"):
        ts.Collision.from_model(model, friction={"foot": 0.2})
    with pytest.raises(ValueError, match="friction of 'box' is -1, must be finite"):
        ts.Collision.from_model(model, friction={"box": -1.0})
    with pytest.raises(ValueError, match="combine of friction is 'best', must be one of min, max"):
        ts.Collision.from_model(model, combine="best")  # type: ignore[arg-type]
    with pytest.raises(ts.UnknownNameError, match=r"ignore_ground: .* 'bux'.*box"):
        ts.Collision.from_model(model, ignore_ground=["bux"])
    with pytest.raises(ts.ModelError, match=r"restitution is 1\.5, must be from 0 to 1"):
        box(restitution=1.5)


def test_what_is_not_stated_is_as_the_ground_says() -> None:
    model = box()
    assert ts.Collision.from_model(model).blends == {}
    assert not ts.Collision.from_model(model, ignore_ground=["box"]).candidates


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"candidate_friction": np.ones((3, 4))}, "candidate_friction has 12 numbers, expected 32"),
        ({"candidate_friction": -np.ones((8, 4))}, "rows of scale, offset, low, high"),
        ({"candidate_restitution": np.full((8, 4), 2.0)}, "rows of scale, offset, low, high"),
        ({"candidate_extras": -np.ones((8, 2))}, "candidate_extras must be finite"),
    ],
)
def test_the_core_refuses_rows_that_do_not_fit(wrong: dict[str, np.ndarray], message: str) -> None:
    model = box()
    arguments = {**ts.Collision.from_model(model).arguments, **wrong}
    with pytest.raises(ValueError, match=message):
        world_of(model, arguments, ts.Ground())


LEFT = {
    "exact": "",
    "lemke": "",
    "penalty": "restitution",
    "event": "torsion",
    "compliant": "restitution and torsion",
}


@pytest.mark.parametrize("law", LEFT)
def test_numbers_that_a_law_has_no_use_for_are_told(law: str) -> None:
    b = ts.Builder("ball").body("ball", 1.0, inertia=(0.01, 0.01, 0.01))
    b.joint("flight", "free", "world", "ball")
    b.shape("ball", "sphere", (0.1,), role="collision", torsion=0.01, restitution=0.4)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ts.Simulation(b.build(), ground=ts.Ground(), contact=law)
    assert [str(each.message) for each in told] == (
        [f"contact={law!r} has no use for {LEFT[law]} of shapes, which ball states"]
        if LEFT[law]
        else []
    )
    assert all(each.filename == __file__ for each in told)
