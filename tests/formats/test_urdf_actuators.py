"""Transmissions and interfaces of URDF as actuators, held to the formulas of ros_control."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tarsus as ts

Write = Callable[..., Path]

ROBOT = """<robot name="r"><link name="a"/>{links}{rest}</robot>"""
LINK = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1"
 iyz="0" izz="1"/></inertial></link><joint name="j{0}" type="continuous"><parent link="{1}"/>
 <child link="{0}"/><axis xyz="0 0 1"/></joint>"""
DIFFERENTIAL = """<transmission name="wrist"><type>transmission_interface/DifferentialTransmission
 </type><actuator name="two"><role>actuator2</role><mechanicalReduction>-3</mechanicalReduction>
 </actuator><actuator name="one"><role>actuator1</role><mechanicalReduction>50</mechanicalReduction>
 </actuator><joint name="jb"><role>joint1</role><mechanicalReduction>2</mechanicalReduction></joint>
 <joint name="jc"><role>joint2</role><mechanicalReduction>0.5</mechanicalReduction></joint>
 </transmission>"""


def robot(write: Write, rest: str) -> ts.Model:
    links = LINK.format("b", "a") + LINK.format("c", "b")
    return ts.load(write(ROBOT.format(links=links, rest=rest), "robot.urdf"))


def test_differentials_are_those_of_ros_control(write: Write) -> None:
    m = robot(write, DIFFERENTIAL)
    assert m.actuator_names == ("one", "two") and m.warnings == ()
    (a1, a2), (j1, j2) = (50.0, -3.0), (2.0, 0.5)
    u = np.random.default_rng(0).normal(size=(9, 2))
    effort = np.stack(
        [j1 * (a1 * u[:, 0] + a2 * u[:, 1]), j2 * (a1 * u[:, 0] - a2 * u[:, 1])], axis=1
    )
    q = np.zeros((9, 2))
    np.testing.assert_allclose(m.actuation(q, q, u), effort, atol=1e-12)
    # velocities of joints from those of actuators, as documented there
    v = np.random.default_rng(1).normal(size=2)
    x = m.actuator_matrix(m.neutral()) @ v
    joints = [(x[0] / a1 + x[1] / a2) / (2 * j1), (x[0] / a1 - x[1] / a2) / (2 * j2)]
    np.testing.assert_allclose(joints, v, atol=1e-14)


def test_transmissions_are_the_same_when_written_and_read_again(
    write: Write, tmp_path: Path
) -> None:
    simple = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type>
      <joint name="jb"/><actuator name="m"><mechanicalReduction>7</mechanicalReduction></actuator>
      </transmission>"""
    m = robot(write, simple + DIFFERENTIAL)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ts.ExportWarning)
        ts.save(m, tmp_path / "again.urdf")
    again = ts.load(tmp_path / "again.urdf")
    assert again.actuator_names == m.actuator_names == ("m", "one", "two")
    q = m.neutral()
    np.testing.assert_allclose(again.actuator_matrix(q), m.actuator_matrix(q), rtol=1e-14)


def test_joints_of_ros2_control_that_take_efforts_are_motors(write: Write) -> None:
    m = robot(
        write,
        """<ros2_control name="s" type="system"><joint name="jb">
        <command_interface name="effort"><param name="min">-4</param><param name="max">9</param>
        </command_interface></joint><joint name="jc"><command_interface name="position"/></joint>
        </ros2_control>""",
    )
    (motor,) = m.actuators
    assert motor.joints == {"jb": 1.0}
    np.testing.assert_array_equal(motor.control_range, [-4.0, 9.0])
    assert any("take no efforts" in each and "jc" in each for each in m.warnings)


def test_transmissions_of_ros2_control_have_gears(write: Write) -> None:
    m = robot(
        write,
        """<ros2_control name="s" type="system"><joint name="jb"><command_interface name="effort"/>
        </joint><transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin>
        <actuator name="m" role="actuator1"/><joint name="jb" role="joint1">
        <mechanical_reduction>6.5</mechanical_reduction></joint></transmission></ros2_control>""",
    )
    assert [each.joints for each in m.actuators] == [{"jb": 6.5}]
