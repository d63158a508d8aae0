"""DC motors of MJCF beside MuJoCo: current and speed in the same file, and what is left out."""

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
from tarsus.formats.mjcf import read_mjcf
from tarsus.parts.forces import Motor

Write = Callable[..., Path]

WHEEL = """<mujoco>
<compiler angle="radian"/><option gravity="0 0 0">{option}</option>
<worldbody>
  <body name="wheel">
    <joint name="axle" axis="0 0 1" damping="0.01" {joint}/>
    <inertial pos="0 0 0" mass="1" diaginertia="0.02 0.02 0.02"/>
    <body name="rack" pos="0 0 0.2">
      <joint name="slide" type="slide" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/>
      <body name="bob">
        <joint name="ball" type="ball"/><site name="place"/>
        <inertial pos="0 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/>
      </body>
    </body>
  </body>
</worldbody>
<tendon><fixed name="belt"><joint joint="axle" coef="1"/></fixed></tendon>
<actuator>{actuator}</actuator>
</mujoco>"""

CIRCUIT = 'motorconst="0.05" resistance="0.8"'
ON_AXLE = f'name="m" joint="axle" gear="20" {CIRCUIT}'


def text(actuator: str, option: str = "", joint: str = "") -> str:
    return WHEEL.format(actuator=actuator, option=option, joint=joint)


def motor(attributes: str = "", on: str = ON_AXLE, **places: str) -> str:
    return text(f"<dcmotor {on} {attributes}/>", **places)


def motor_warnings(file: Path) -> list[str]:
    return [warning for warning in read_mjcf(file).warnings if "dcmotor" in warning]


START = np.array([2.0, 0.1, 0.0, 0.0, 0.0])
"""Velocities with which all motions begin."""

Ends = tuple[Array, Array]
"""Speeds of axle and slide, and what a motor keeps."""


def theirs(file: Path, dt: float, volts: float, duration: float) -> Ends:
    """The end of MuJoCo's motion: of its motor the activations, or the current if it has none."""
    with warnings.catch_warnings(action="ignore"):
        model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.timestep, model.opt.integrator = dt, mujoco.mjtIntegrator.mjINT_EULER
    data = mujoco.MjData(model)
    data.ctrl[:], data.qvel[:] = volts, START
    for _ in range(round(duration / dt)):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    kept = data.act if model.na else data.actuator_force / model.actuator_gainprm[0, 1]
    return data.qvel[:2].copy(), kept.copy()


def ours(file: Path, dt: float, volts: float, duration: float, names: tuple[str, ...]) -> Ends:
    sim = ts.Simulation(ts.load(file), ground=None, dt=dt)
    sim.reset(v=START)
    handle = sim.parts["m"]
    handle.target = volts
    _, v = sim.step(steps=round(duration / dt))
    return v[:2], np.array([float(getattr(handle, name)) for name in names])


def compare(file: Path, duration: float, *names: str, volts: float = 6.0) -> None:
    """Compare the ends of motions; steps of both are of first order."""
    assert motor_warnings(file) == []
    coarse, fine = (theirs(file, dt, volts, duration) for dt in (2e-5, 1e-5))
    exact = np.concatenate([2 * b - a for a, b in zip(coarse, fine, strict=True)])
    ends = [np.concatenate(ours(file, dt, volts, duration, names)) for dt in (4e-4, 2e-4)]
    gaps = np.array(ends) - exact
    sizes = np.maximum(np.abs(exact), 0.05)
    print(exact, *np.abs(gaps) / sizes)
    assert np.abs(exact).max() > 0.5
    assert (np.abs(gaps[0]) < 0.03 * sizes).all()
    # what is left when the first order is taken off is of second
    assert (np.abs(2 * gaps[1] - gaps[0]) < 2e-3 * sizes).all()


ON_SLIDE = f'name="m" joint="slide" gear="-40" {CIRCUIT}'
SAME = {
    "inductance": motor('inductance="0.004"'),
    "electrical time": motor('inductance="0 0.02"'),
    "no inductance": motor(),
    "nominal": motor(on='name="m" joint="axle" gear="2" nominal="12 1 100"'),
    "two constants": motor(on='name="m" jointinparent="axle" motorconst="0.5 0.8" resistance="2"'),
    "slide": motor('inductance="0.004"', on=ON_SLIDE),
    "armature": motor('inductance="0.004" armature="1e-4" damping="1e-5"'),
    "voltage limit": motor('inductance="0.004" ctrlrange="-4 4"'),
    "no clamping": motor('ctrlrange="-4 4"', option='<flag clampctrl="disable"/>'),
    "no input": motor('input="none"', on=f'name="m" joint="axle" gear="4" {CIRCUIT}'),
    "torque limit": motor('saturation="0.08"'),
    "current limit": motor('saturation="0 2 0"'),
    "rate without inductance": motor('saturation="0 0 3"'),
    "default": motor('class="d"', on='name="m" joint="axle" gear="20"').replace(
        "<worldbody>",
        f'<default><default class="d"><dcmotor {CIRCUIT} inductance="0.01"/></default></default>'
        "<worldbody>",
    ),
}


@pytest.mark.parametrize("duration", [0.02, 0.2])
@pytest.mark.parametrize("case", SAME)
def test_motors_run_as_in_mujoco(write: Write, case: str, duration: float) -> None:
    compare(write(SAME[case], "model.xml"), duration, "current")


def test_windings_warm_as_in_mujoco(write: Write) -> None:
    # resistance, capacity, time, growth, and the temperatures at which R holds and around it
    warm = motor('thermal="3 0.4 0 0.02 20 35"', joint='armature="0.3"')
    file = write(warm, "model.xml")
    force: Any = read_mjcf(file).forces[0]
    assert force.resistance == pytest.approx(0.8 * 1.3)
    compare(file, 0.2, "rise")
    same = motor('thermal="3 0.4 0 0 20 35" inductance="0.004"', joint='armature="0.3"')
    compare(write(same, "same.xml"), 0.2, "rise", "current")


def test_a_motor_has_the_numbers_of_the_file(write: Write) -> None:
    both = '<motor name="plain" joint="axle"/>\n<dcmotor joint="axle" ' + CIRCUIT
    both += ' gear="-7" inductance="0.004" ctrlrange="-12 12"/><position joint="slide" kp="3"/>'
    file = write(text(both), "model.xml")
    description = read_mjcf(file)
    assert list(description.forces) == [
        Motor("axle", 0.05, 0.8, 0.004, ratio=-7.0, voltage=0.0, voltage_limit=12.0, name="motor1")
    ]
    place = description.forces[0].source
    assert place is not None
    assert place.line is not None
    assert "<dcmotor" in file.read_text().splitlines()[place.line - 1]
    controls = [warning for warning in description.warnings if "actuators" in warning]
    assert controls == []
    assert [each.name for each in description.actuators] == ["plain", "actuator2"]


def test_motors_of_mjcf_are_saved(write: Write, tmp_path: Path) -> None:
    model = ts.load(write(SAME["voltage limit"], "model.xml"))
    ts.save(model, tmp_path / "model.yaml")
    assert ts.load(tmp_path / "model.yaml") == model


BESIDE = {
    "cogging": 'cogging="0.01 7 0.3"',
    "lugre": 'lugre="1 0.1 0.02 0.03 0.1"',
    "ctrlrange (not symmetric)": 'ctrlrange="0 12"',
    "delay": 'delay="0.01" nsample="3"',
}


@pytest.mark.parametrize("attribute", BESIDE)
def test_what_motors_have_besides_is_named(write: Write, attribute: str) -> None:
    file = write(motor(BESIDE[attribute]), "model.xml")
    mujoco.MjModel.from_xml_path(str(file))
    assert read_mjcf(file).forces == read_mjcf(write(motor(), "plain.xml")).forces
    assert motor_warnings(file) == [f"{attribute} of dcmotors (1) are not taken over: m"]


ELSEWHERE = f'name="m" gear="2" {CIRCUIT}'
LIMITS = "<default><general {}/></default><worldbody>"
LEFT_OUT = {
    "which the file switches off": [
        motor(option='<flag actuation="disable"/>'),
        motor('group="2"').replace("<option", '<option actuatorgroupdisable="2"'),
    ],
    "transmission to no joint": [
        motor('tendon="belt"', on=ELSEWHERE),
        motor('site="place"', on=ELSEWHERE),
    ],
    "joint that is spherical": [motor('joint="ball"', on=ELSEWHERE)],
    "actuatorfrcrange of the joint": [motor(joint='actuatorfrcrange="-1 1"')],
    "input other than voltage": [motor('input="pos" controller="5 1 0.1 0 0 9"')],
    "saturation or forcerange beside inductance": [motor('inductance="0.004" saturation="0.08"')],
    "saturation of the rate of current": [motor('inductance="0.004" saturation="0 0 3"')],
    "forcerange that is not symmetric": [
        motor().replace("<worldbody>", LIMITS.format('forcerange="-1 2"')),
    ],
    "thermal beside saturation or forcerange": [motor('thermal="3 0.4 0 0" saturation="0.08"')],
    "thermal beside inductance": [motor('thermal="3 0.4 0 0.02" inductance="0.004"')],
    "thermal with a resistance that falls": [motor('thermal="3 0.4 0 -0.02"')],
}


@pytest.mark.parametrize(
    ("reason", "content"), [(reason, text) for reason in LEFT_OUT for text in LEFT_OUT[reason]]
)
def test_motors_with_other_laws_are_named(write: Write, reason: str, content: str) -> None:
    file = write(content, "model.xml")
    mujoco.MjModel.from_xml_path(str(file))
    assert list(read_mjcf(file).forces) == []
    assert motor_warnings(file) == [f"dcmotors (1) are not taken over, {reason}: m"]


def test_motors_on_joints_that_are_fixed(write: Write) -> None:
    equality = '<equality><joint joint1="axle"/></equality><actuator>'
    file = write(motor().replace("<actuator>", equality), "model.xml")
    warning = "dcmotors (1) are not taken over, joint that is fixed: m"
    assert motor_warnings(file) == [warning]
    free = motor(on=f'name="m" joint="root" {CIRCUIT}').replace(
        '<joint name="axle" axis="0 0 1" damping="0.01" />', '<freejoint name="root"/>'
    )
    free = free.replace('<joint joint="axle" coef="1"/>', '<joint joint="slide" coef="1"/>')
    description = read_mjcf(write(free, "free.xml"), base="fixed")
    assert warning in description.warnings


def test_a_motor_and_a_tendon_may_be_called_alike(write: Write) -> None:
    stiff = motor(on=ON_AXLE.replace('"m"', '"belt"')).replace(
        '<fixed name="belt"', '<fixed name="belt" stiffness="3"'
    )
    model = ts.load(write(stiff, "model.xml"))
    assert [force.name for force in model.forces] == ["belt", "belt_2"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            motor(on=f'name="m" joint="axel" {CIRCUIT}'),
            "dcmotor 'm' drives the joint 'axel', which is not there; did you mean",
        ),
        (motor('thermal="3 0.4 0 0.1 20 5"'), "dcmotor 'm': resistance is -0.4, must be positive"),
    ],
    ids=["joint", "resistance"],
)
def test_motors_that_cannot_be(write: Write, content: str, message: str) -> None:
    with pytest.raises(ModelError, match=rf"model\.xml:\d+: {message}"):
        read_mjcf(write(content, "model.xml"))
