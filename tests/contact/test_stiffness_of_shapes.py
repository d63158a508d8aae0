"""Shapes that state how they give way: closed forms, and MuJoCo with the same numbers."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import tarsus as ts

G = 9.81
MASS = 2.0
SPRINGS = ["penalty", "compliant"]


def ball(**surface: float) -> ts.Builder:
    """A ball that slides up and down; it touches at zero."""
    builder = ts.Builder("ball").body("ball", MASS, inertia=[0.01] * 3)
    builder.joint("up", "prismatic", "world", "ball", axis="z", position=(0, 0, 0.1))
    return builder.shape("ball", "sphere", (0.1,), role="collision", name="skin", **surface)


def sinks(model: ts.Model, law: str, **touching: dict[str, float]) -> float:
    """How deep the ball is at rest [m]."""
    collision = ts.Collision.from_model(model, **touching)  # type: ignore[arg-type]
    ground = ts.Ground(level=-5.0) if len(model.shapes) > 1 else ts.Ground()
    sim = ts.Simulation(model, ground=ground, collision=collision, contact=law, dt=5e-4)
    run = sim.run(np.zeros(model.nv), duration=2.0)
    assert np.abs(run.v[-1]).max() < 1e-5
    return -float(run.q[-1, 0])


@pytest.mark.parametrize("law", SPRINGS)
def test_a_ball_sinks_by_its_weight_over_its_stiffness(law: str) -> None:
    model = ball(stiffness=4e3, damping=60.0).build()
    assert sinks(model, law) == pytest.approx(MASS * G / 4e3, rel=1e-4)
    # stated by name it counts before what the shape says, and else the law's counts
    assert sinks(model, law, stiffness={"ball": 8e3}) == pytest.approx(MASS * G / 8e3, rel=1e-4)
    assert sinks(ball().build(), law) == pytest.approx(MASS * G / 1e5, rel=1e-4)


@pytest.mark.parametrize("law", SPRINGS)
@pytest.mark.parametrize(
    ("rule", "expected"),
    [(None, 3e3 * 6e3 / 9e3), ("series", 2e3), ("min", 3e3), ("max", 6e3), ("mean", 4.5e3)],
)
def test_two_springs_become_one_by_a_rule(law: str, rule: str | None, expected: float) -> None:
    builder = ball(stiffness=3e3, damping=60.0)
    below = {"position": (0.0, 0.0, -0.1), "role": "collision"}
    model = builder.shape("world", "sphere", (0.1,), stiffness=6e3, damping=60.0, **below).build()  # type: ignore[arg-type]
    combine = {} if rule is None else {"combine": {"stiffness": rule}}
    assert sinks(model, law, **combine) == pytest.approx(MASS * G / expected, rel=1e-4)  # type: ignore[arg-type]


@pytest.mark.parametrize("law", SPRINGS)
def test_it_oscillates_as_in_mujoco(law: str, tmp_path: Path) -> None:
    """Relative to where it rests, which is higher in MuJoCo: its springs carry a part of the weight
    only, 1 − d for an impedance d."""
    text = """<mujoco><option timestep="1e-4"/>
      <default><geom solimp="0.9 0.9 0.001"/></default><worldbody>
      <geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><joint type="slide" axis="0 0 1"/>
      <geom size="0.1" mass="2" solref="-2000 -10"/></body>
      </worldbody></mujoco>"""
    compiled = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(compiled)
    rest = -0.1 * G / 2000
    data.qpos[0] = start = 1.4 * rest
    theirs = []
    for _ in range(4000):
        theirs.append(data.qpos[0] - rest)
        mujoco.mj_step(compiled, data)

    file = tmp_path / "ball.xml"
    file.write_text(text)
    model = ts.load(file)
    assert model.shapes[0].stiffness == pytest.approx(4000.0)
    own_rest = -G / 2000
    sim = ts.Simulation(model, ground=ts.Ground(), contact=law, dt=1e-4)
    run = sim.run([own_rest + start - rest], duration=0.4)
    ours = np.interp(np.arange(4000) * 1e-4, run.t, run.q[:, 0] - own_rest)
    apart = np.abs(ours - theirs).max() / abs(start - rest)
    print(f"{law}: {apart:.1e} of the amplitude apart from MuJoCo's")
    assert apart < (1e-9 if law == "penalty" else 0.01)  # steps as MuJoCo does, or exactly


def test_laws_without_springs_tell() -> None:
    model = ball(stiffness=3e3, damping=60.0).build()
    for law in ("exact", "lemke", "event", ts.contact.Compliant(law=ts.contact.Hertz())):
        with pytest.warns(
            ts.contact.IgnoredNumbersWarning, match="stiffness and damping of shapes"
        ):
            ts.Simulation(model, ground=ts.Ground(), contact=law)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.Simulation(model, ground=ts.Ground(), contact="penalty")


def test_stability_is_judged_by_the_stiffness_of_shapes() -> None:
    ground, soft = ts.Ground(), ts.contact.Penalty(1e3, 10.0)
    stiff = ts.Simulation(ball(stiffness=1e9).build(), ground=ground, contact=soft)
    with pytest.warns(ts.contact.StabilityWarning, match="likely to explode, normal"):
        stiff.run([0.1], duration=1e-3)
    ts.Simulation(ball(stiffness=1e3).build(), ground=ground, contact=soft).run(
        [0.1], duration=1e-3
    )


def test_mistakes_are_told_by_name() -> None:
    model = ball().build()
    with pytest.raises(ts.ModelError, match="stiffness is 0, must be above zero"):
        ball(stiffness=0.0).build()
    with pytest.raises(ValueError, match="damping of 'skin' is -1, must be finite"):
        ts.Collision.from_model(model, damping={"skin": -1.0})
    with pytest.raises(ValueError, match=r"stiffness: no shape, link or body .* is called 'bal'"):
        ts.Collision.from_model(model, stiffness={"bal": 1.0})
    for number, rule in (("stiffness", "product"), ("friction", "series")):
        with pytest.raises(ValueError, match=f"combine of {number} is '{rule}', must be one of"):
            ts.Collision.from_model(model, combine={number: rule})  # type: ignore[dict-item]
