"""Tendons, dampers of actuators and switches of MJCF: the passive forces are those of MuJoCo.

The forces of our elements are computed here from lengths, rates and their numbers alone, with the
gradients of lengths by differences.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.formats import convert
from tarsus.formats.mjcf import read_mjcf
from tarsus.model.description import Description

Write = Callable[..., Path]

BODY = """<mujoco>
<compiler angle="radian"/><option gravity="0 0 0">{option}</option>
<worldbody>
  <site name="hook" pos="0.1 0.2 1.5"/>
  <body name="hull" pos="0 0 1">
    <freejoint name="root"/>
    <geom size=".2 .1 .1" type="box"/>
    <site name="keel" pos="0.1 0 -0.1" euler="0.1 0.2 0.3"/>
    <body name="arm" pos="0.2 0 0">
      <joint name="shoulder" axis="0 1 0" ref="0.3" stiffness="2" springref="0.2" damping="0.1"/>
      <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3"/>
      <site name="elbow" pos="0 0 -0.3"/>
      <body name="hand" pos="0 0 -0.3">
        <joint name="wrist" axis="1 0 0" armature="0.01"/>
        <joint name="reach" type="slide" axis="0 0 1" damping="0.2"/>
        <geom size=".05" pos="0.1 0 -0.1"/>
        <site pos="0 0.05 -0.1"/>
        <body name="ball" pos="0 0 -0.2">
          <joint name="cup" type="ball"/><geom size=".04" pos="0 0 -.05"/><site name="tip"/>
        </body>
      </body>
    </body>
  </body>
  <body name="post" pos="1 0 0"><geom size=".1"/><site name="post" pos="0 0 1"/></body>
</worldbody>
<tendon>{tendon}</tendon><actuator>{actuator}</actuator>
</mujoco>"""


def text(tendon: str = "", actuator: str = "", option: str = "") -> str:
    return BODY.format(tendon=tendon, actuator=actuator, option=option)


def path(a: str, b: str) -> str:
    return f'<site site="{a}"/><site site="{b}"/></spatial>'


TENDONS = {
    "spring": '<spatial stiffness="70" damping="3" springlength="0.3">' + path("hook", "tip"),
    "relaxed as it stands": '<spatial stiffness="70" damping="3">' + path("keel", "tip"),
    "zero length": '<spatial stiffness="70" springlength="0">' + path("post", "elbow"),
    "damper": '<spatial damping="5">' + path("tip", "post"),
    "string": '<spatial stiffness="70" springlength="0 0.6">' + path("hook", "tip"),
    "damped string": '<spatial stiffness="70" damping="4" springlength="0 0.6">'
    + path("keel", "hook"),
    "fixed": '<fixed stiffness="9" damping="0.7" springlength="0.25"><joint joint="shoulder" '
    'coef="2"/><joint joint="reach" coef="-1.5"/></fixed>',
    "below zero": '<fixed stiffness="9" springlength="-0.4"><joint joint="wrist" coef="1"/>'
    "</fixed>",
    "fixed damper": '<fixed damping="0.7"><joint joint="wrist" coef="-3"/></fixed>',
    "all": "",
}
TENDONS["all"] = "".join(TENDONS.values())


def compiled(file: Path) -> mujoco.MjModel:
    with warnings.catch_warnings(action="ignore"):
        return mujoco.MjSpec.from_file(str(file)).compile()


def length(model: ts.Model, force: Any, q: Array) -> float:
    """The distance of the ends of a force, or the sum of joint positions that it acts on."""
    if force.kind == "joint_spring":
        ratios = force.joints.items()
        return float(sum(ratio * q[model.joint(name).q_slice][0] for name, ratio in ratios))
    ends = [model.frame_pose(q, end)[:3, 3] for end in (force.a, force.b)]
    return float(np.linalg.norm(ends[1] - ends[0]))


def tension(force: Any, extent: float, rate: float) -> float:
    if force.kind == "string":
        assert force.damping == 0.0
        return float(force.stiffness * max(0.0, extent - force.rest_length))
    if force.kind == "damper":
        return float(force.damping * rate)
    rest = force.rest if force.kind == "joint_spring" else force.rest_length
    return float(force.stiffness * (extent - rest) + force.damping * rate)


def generalized(model: ts.Model, q: Array, v: Array) -> Array:
    """The forces (nv,) of all elements of a model but motors, for our velocities."""
    total, step = np.zeros(model.nv), 1e-6
    for force in model.forces:
        if force.kind == "motor":
            continue
        ahead, behind = (
            np.array([length(model, force, model.integrate(q, s * e)) for e in np.eye(model.nv)])
            for s in (step, -step)
        )
        gradient = (ahead - behind) / (2 * step)
        total -= gradient * tension(force, length(model, force, q), gradient @ v)
    return total


def compare(file: Path, states: int = 8) -> ts.Model:
    """Compare passive forces with MuJoCo's in random states; return our model."""
    model, peer = ts.load(file), compiled(file)
    data, rng = mujoco.MjData(peer), np.random.default_rng(3)
    for _ in range(states):
        data.qpos[:] = peer.qpos0
        mujoco.mj_integratePos(peer, data.qpos, 0.5 * rng.normal(size=peer.nv), 1.0)
        data.qvel[:] = rng.normal(size=peer.nv)
        mujoco.mj_forward(peer, data)
        q, v = convert.from_mujoco(model, data.qpos, data.qvel, peer=peer)
        basis = convert.to_mujoco(model, q, np.eye(model.nv), peer=peer)[1].T
        theirs = basis.T @ data.qfrc_passive
        ours = model.passive_forces(q, v) + generalized(model, q, v)
        np.testing.assert_allclose(ours, theirs, atol=1e-7 * max(1.0, np.abs(theirs).max()))
    return model


@pytest.mark.parametrize("case", TENDONS)
def test_tendons_pull_as_in_mujoco(write: Write, case: str) -> None:
    model = compare(write(text(TENDONS[case]), "model.xml"))
    assert len(model.forces) >= (1 if case != "all" else len(TENDONS) - 1)
    assert not [w for w in model.warnings if "tendon" in w]


def test_each_tendon_becomes_the_force_of_its_law(write: Write) -> None:
    description = read_mjcf(write(text(TENDONS["all"]), "model.xml"))
    assert [(force.kind, force.name) for force in description.forces] == [
        *(("spring", "tendon0"), ("spring", "tendon1"), ("spring", "tendon2")),
        *(("damper", "tendon3"), ("string", "tendon4"), ("string", "tendon5")),
        *(("damper", "tendon5_damper"), ("joint_spring", "tendon6")),
        *(("joint_spring", "tendon7"), ("joint_spring", "tendon8")),
    ]
    # "post" is a body, so that the site of this name has another
    assert (description.forces[2].a, description.forces[2].b) == ("post_2", "elbow")
    assert description.forces[7].joints == {"shoulder": 2.0, "reach": -1.5}
    assert ts.Model(description, strict=False).forces == tuple(description.forces)


def test_sites_that_are_called_otherwise_by_us(write: Write) -> None:
    spring = '<spatial stiffness="70" springlength="0.1">' + path("hook", "tip")
    # a site without a name, which comes before, is called site3 already
    file = write(text(spring).replace('"tip"', '"site3"'), "model.xml")
    assert compare(file).forces[0].b == "site3_2"  # type: ignore[attr-defined]


def test_forces_on_a_base_that_is_fixed(write: Write) -> None:
    model = ts.load(write(text(TENDONS["all"]), "model.xml"), base="fixed")
    assert len(model.forces) == 10


@pytest.mark.parametrize("target", ["shoulder", "cup", "reach"])
def test_dampers_and_armatures_of_actuators(write: Write, target: str) -> None:
    actuators = (
        f'<motor joint="{target}" gear="10" damping="0.02" armature="0.003"/>'
        f'<position joint="{target}" gear="-3" kp="5" kv="2" damping="0.1"/>'
        f'<general jointinparent="{target}" armature="0.1"/>'
        '<dcmotor joint="wrist" name="dc" motorconst="0.05" resistance="2" gear="50" '
        'armature="1e-5" damping="1e-4"/>'
    )
    file = write(text(actuator=actuators), "model.xml")
    model, peer = compare(file), compiled(file)
    if target == "cup":
        assert model.warnings[-1] == (
            "controls of actuators (3) are not taken over, which drive joints of several "
            "coordinates: actuator0, actuator1, actuator2"
        )
    data, mass = mujoco.MjData(peer), np.zeros((peer.nv, peer.nv))
    mujoco.mj_forward(peer, data)
    mujoco.mj_fullM(peer, data, mass)
    q = convert.from_mujoco(model, data.qpos, peer=peer)
    basis = convert.to_mujoco(model, q, np.eye(model.nv), peer=peer)[1].T
    np.testing.assert_allclose(model.mass_matrix(q), basis.T @ mass @ basis, atol=1e-10)
    assert model.joint("wrist").armature.tolist() == pytest.approx([0.01 + 2500 * 1e-5])


def test_dampers_of_actuators_on_tendons(write: Write) -> None:
    tendon = '<spatial name="t" stiffness="7" springlength="0.2">' + path("hook", "tip")
    actuator = '<motor tendon="t" gear="3" damping="0.5" armature="0.1"/>'
    model = compare(write(text(tendon, actuator), "model.xml"))
    assert model.forces[0].damping == 4.5  # type: ignore[attr-defined]
    assert "armatures of tendons (1) are not taken over: t" in model.warnings


@pytest.mark.parametrize("switch", ["spring", "damper"])
def test_switches_hold_for_joints_and_tendons(write: Write, switch: str) -> None:
    actuator = '<motor joint="wrist" damping="3"/>'
    option = f'<flag {switch}="disable"/>'
    model = compare(write(text(TENDONS["all"], actuator, option), "model.xml"))
    shoulder = model.joint("shoulder")
    assert shoulder.stiffness.any() == (switch == "damper")
    assert shoulder.damping.any() == (switch == "spring")


def tendon_warnings(description: Description) -> list[str]:
    return [warning for warning in description.warnings if "tendons" in warning]


LEFT_OUT = {
    "which have no springs and no dampers": '<spatial name="t">' + path("hook", "tip"),
    "whose springs or dampers are not linear": '<spatial name="t" stiffness="1 2">'
    + path("hook", "tip"),
    "whose springs yield": '<spatial name="t" stiffness="1" springyield="0.1">'
    + path("hook", "tip"),
    "whose paths have more than two sites": '<spatial name="t" stiffness="1"><site site="keel"/>'
    + path("hook", "tip"),
    "which push and pull with a slack between": '<spatial name="t" stiffness="1" '
    'springlength="0.1 0.2">' + path("hook", "tip"),
}


@pytest.mark.parametrize("reason", LEFT_OUT)
def test_tendons_with_other_laws_are_named(write: Write, reason: str) -> None:
    description = read_mjcf(write(text(LEFT_OUT[reason]), "model.xml"))
    assert list(description.forces) == []
    assert tendon_warnings(description) == [f"tendons (1) are not taken over, {reason}: t"]


@pytest.mark.parametrize(
    ("tendon", "reason"),
    [
        (
            '<spatial name="t" stiffness="1"><site site="hook"/><site site="tip"/><pulley '
            'divisor="2"/>' + path("keel", "tip"),
            "whose paths have more than two sites",
        ),
        (
            '<spatial name="t" stiffness="1"><site site="hook"/><geom geom="g"/><site site="tip"/>'
            "</spatial>",
            "whose paths have more than two sites",
        ),
        (
            '<fixed name="t" stiffness="1" springlength="-0.1 0.1"><joint joint="wrist" coef="1"/>'
            "</fixed>",
            "which push and pull with a slack between",
        ),
    ],
    ids=["pulley", "wrapping", "slack joints"],
)
def test_more_tendons_with_other_laws(write: Write, tendon: str, reason: str) -> None:
    named = text(tendon).replace('<geom size=".05"', '<geom name="g" size=".05"')
    description = read_mjcf(write(named, "model.xml"))
    assert list(description.forces) == []
    assert tendon_warnings(description) == [f"tendons (1) are not taken over, {reason}: t"]


def test_tendons_on_joints_that_equalities_fix(write: Write) -> None:
    tendon = '<fixed name="t" stiffness="1"><joint joint="wrist" coef="1"/></fixed>'
    equality = '</tendon><equality><joint joint1="wrist"/></equality><tendon>'
    description = read_mjcf(write(text(tendon + equality), "model.xml"))
    assert list(description.forces) == []
    assert tendon_warnings(description) == [
        "tendons (1) are not taken over, which move joints that are fixed: t"
    ]


def test_springs_are_taken_and_the_rest_of_a_tendon_is_named(write: Write) -> None:
    tendon = '<spatial name="t" stiffness="1" range="0 1" frictionloss="0.1" armature="0.2">'
    description = read_mjcf(write(text(tendon + path("hook", "tip")), "model.xml"))
    assert [force.name for force in description.forces] == ["t"]
    assert tendon_warnings(description) == [
        f"{what} of tendons (1) are not taken over: t"
        for what in ("ranges", "dry frictions", "armatures")
    ]


def test_springs_of_joints_that_yield_are_counted(write: Write) -> None:
    yields = text().replace('springref="0.2"', 'springref="0.2" springyield="0.1"')
    description = read_mjcf(write(yields, "model.xml"))
    assert "yields of springs of joints (1) are not taken over" in description.warnings


def test_dampers_of_actuators_that_are_not_linear_are_counted(write: Write) -> None:
    file = write(text(actuator='<motor joint="wrist" damping="1 2"/>'), "model.xml")
    warning = "non-linear dampers of actuators (1) are not taken over"
    assert warning in read_mjcf(file).warnings


def test_forces_know_file_and_line(write: Write) -> None:
    spring = '\n<spatial name="t" stiffness="1">' + path("hook", "tip")
    nameless = '\n<fixed stiffness="1"><joint joint="wrist" coef="1"/></fixed>'
    file = write(text(spring + nameless), "model.xml")
    lines = file.read_text().splitlines()
    places = [force.source for force in read_mjcf(file).forces]
    assert {place.file for place in places} == {str(file)}
    assert "<spatial" in lines[places[0].line - 1]
    assert "<fixed" in lines[places[1].line - 1]


@pytest.mark.parametrize(
    ("tendon", "message"),
    [
        (
            '<spatial name="t" stiffness="-1">' + path("hook", "tip"),
            "stiffness is -1, must be at l",
        ),
        (
            '<spatial name="t" damping="-1">' + path("hook", "tip"),
            "damping is -1, must be at least",
        ),
        ('<spatial name="t" stiffness="1e300">' + path("hook", "tip"), "stiffness is not finite"),
        (
            '<spatial name="t" stiffness="1" springlength="-0.5">' + path("hook", "tip"),
            "rest_length is -0.5, must be at least 0",
        ),
        (
            '<fixed name="t" stiffness="1" springlength="1e200"><joint joint="wrist" coef="1"/>'
            "</fixed>",
            "rest is not finite",
        ),
    ],
    ids=["stiffness", "damping", "large", "length", "rest"],
)
def test_numbers_that_no_force_has(write: Write, tendon: str, message: str) -> None:
    with pytest.raises(ModelError, match=rf"model\.xml:\d+: tendon 't': {message}"):
        ts.load(write(text(tendon), "model.xml"))


def test_actuators_of_joints_that_are_not_there(write: Write) -> None:
    file = write(text(actuator='<motor joint="wirst" damping="1"/>'), "model.xml")
    message = r"model\.xml: an actuator drives the joint 'wirst', which is not there; did you mean"
    with pytest.raises(ModelError, match=message):
        read_mjcf(file)


def test_two_tendons_may_be_called_alike_by_us(write: Write) -> None:
    string = '<spatial name="t" stiffness="7" damping="1" springlength="0 .1">'
    other = '<spatial name="t_damper" stiffness="7" springlength="0.1">'
    tendons = string + path("hook", "tip") + other + path("keel", "tip")
    model = ts.load(write(text(tendons), "model.xml"))
    assert [force.name for force in model.forces] == ["t", "t_damper_2", "t_damper"]


def test_a_motion_is_that_of_mujoco(write: Write) -> None:
    actuator = '<motor joint="wrist" gear="4" damping="0.01" armature="0.001"/>'
    file = write(text(TENDONS["all"], actuator), "model.xml")
    model, peer = ts.load(file), compiled(file)
    peer.opt.integrator, peer.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 1e-4
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(peer)
    data.qvel[:] = np.random.default_rng(5).normal(size=peer.nv)
    q, v = convert.from_mujoco(model, data.qpos, data.qvel, peer=peer)
    for _ in range(2000):
        mujoco.mj_step(peer, data)
    end = convert.from_mujoco(model, data.qpos, peer=peer)

    def gap(dt: float, **options: Any) -> Array:
        run = ts.Simulation(model, dt=dt, **options).run(q, v, duration=0.2)
        return np.asarray(model.difference(end, run.q[-1]))

    coarse, fine = gap(4e-4), gap(2e-4)
    moved = np.abs(model.difference(q, end)).max()
    print(f"moved {moved:.2g}, off by {np.abs(fine).max():.2g}")
    # steps are of first order: what is left when it is taken off is of second
    assert np.abs(2 * fine - coarse).max() < 1e-3 * moved
    assert np.abs(gap(2e-4, forces=())).max() > 0.2 * moved


def test_forces_of_mjcf_are_saved(write: Write, tmp_path: Path) -> None:
    model = ts.load(write(text(TENDONS["all"]), "model.xml"))
    ts.save(model, tmp_path / "model.yaml")
    assert ts.load(tmp_path / "model.yaml") == model
