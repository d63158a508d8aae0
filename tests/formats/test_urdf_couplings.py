"""Joints of a URDF that mimic others, and transmissions with rotors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from poses import body_of, joint_of

import tarsus as ts
from tarsus._lib.errors import ModelError
from tarsus.formats.urdf import read_urdf
from tarsus.model.description import Description

Write = Callable[..., Path]


def chain(*extra: str, kinds: tuple[str, ...] = ("revolute", "prismatic", "continuous")) -> str:
    """A chain of joints j0, j1, j2 between links l0 to l3, each with something extra."""
    links = "".join(f'<link name="l{i}"/>\n' for i in range(len(kinds) + 1))
    joints = "".join(
        f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<axis xyz="0 0 2"/>{extra[i] if i < len(extra) else ""}</joint>\n'
        for i, kind in enumerate(kinds)
    )
    return f'<robot name="chain">\n{links}{joints}{"".join(extra[len(kinds) :])}</robot>'


def mimic(joint: str, **attributes: float) -> str:
    numbers = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    return f'<mimic joint="{joint}" {numbers}/>'


def rows(description: Description) -> list[tuple[str, str, float, float]]:
    """Follower, leader, factor and offset of each coupling."""
    result = []
    for coupling in description.couplings:
        assert coupling.kind == "linear" and coupling.matrix is not None
        offset = 0.0 if coupling.offset is None else coupling.offset.item()
        (follower,), (leader,) = coupling.followers, coupling.leaders
        result.append((follower, leader, coupling.matrix.item(), offset))
    return result


def test_a_mimic_is_a_linear_coupling(write: Write) -> None:
    text = chain("", mimic("j0", multiplier=-2, offset=0.5))
    description = read_urdf(write(text))
    assert rows(description) == [("j1", "j0", -2.0, 0.5)]
    (coupling,) = description.couplings
    assert not coupling.motor
    assert coupling.source is not None and coupling.source.line == 7
    assert "mimic" not in description.metadata


def test_defaults_and_chains(write: Write) -> None:
    description = read_urdf(write(chain(mimic("j1"), mimic("j2", multiplier=3))))
    assert rows(description) == [("j0", "j1", 1.0, 0.0), ("j1", "j2", 3.0, 0.0)]


def test_mimics_can_be_read_as_independent(write: Write) -> None:
    text = chain("", mimic("lead", multiplier=-2, offset=0.5))
    description = read_urdf(write(text), mimic="independent")
    assert list(description.couplings) == []
    assert description.metadata["mimic"] == {
        "j1": {"joint": "lead", "multiplier": -2.0, "offset": 0.5}
    }
    assert "mimic joints (1) are read as independent joints: j1" in description.warnings


def test_a_fixed_joint_that_mimics_is_fixed(write: Write) -> None:
    kinds = ("revolute", "fixed")
    assert not read_urdf(write(chain("", mimic("j0"), kinds=kinds))).couplings


def test_a_leader_that_does_not_exist_is_a_warning(write: Write) -> None:
    description = read_urdf(write(chain("", mimic("left_j0"))))
    message = "joint 'j1' mimics joint 'left_j0', which does not exist: it moves on its own"
    assert message in description.warnings
    assert list(description.couplings) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (chain(mimic("j0")), ":6: joint 'j0' mimics itself"),
        (chain(mimic("j1"), mimic("j0")), ":[67]: joint 'j[01]' mimics itself: j. -> j. -> j."),
        (
            chain(mimic("j1"), mimic("j2"), mimic("j1")),
            ":[78]: joint 'j[12]' mimics itself: j. -> j. -> j.$",
        ),
        (
            chain(mimic("j1"), kinds=("revolute", "fixed")),
            ":5: joint 'j0' mimics joint 'j1', but joint 'j1' is fixed",
        ),
        (
            chain(mimic("j1"), kinds=("revolute", "planar")),
            ":5: joint 'j0' mimics joint 'j1', but joint 'j1' is planar",
        ),
        (
            chain(mimic("j1"), kinds=("floating", "revolute")),
            ":5: joint 'j0' mimics joint 'j1', but it is free",
        ),
        (chain("<mimic/>"), ":6: <mimic> of joint 'j0' has no attribute 'joint'"),
        (chain(mimic("j1", multiplier=np.nan)), ":6: .*'multiplier' must be a number"),
    ],
)
def test_mistakes_name_joint_file_and_line(write: Write, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=f"robot.urdf{message}"):
        read_urdf(write(text))


def transmission(inner: str, joint: str = "j1") -> str:
    return f'<transmission name="t"><joint name="{joint}"/>\n{inner}</transmission>'


GEAR = "<mechanicalReduction>50</mechanicalReduction>"


@pytest.mark.parametrize(
    "inner",
    [
        f'<actuator name="a"><rotorInertia>2e-5</rotorInertia>{GEAR}</actuator>',
        f"<actuator><motorInertia>2e-5</motorInertia></actuator>{GEAR}",
        '<actuator><drake:rotor_inertia value="2e-5"/><drake:gear_ratio value="50"/></actuator>',
    ],
)
def test_a_transmission_with_the_inertia_of_a_rotor(write: Write, inner: str) -> None:
    text = chain("", "", "", transmission(inner)).replace(
        "<robot", '<robot xmlns:drake="http://drake.mit.edu"'
    )
    description = read_urdf(write(text))
    assert rows(description) == [("j1_rotor_joint", "j1", 50.0, 0.0)]
    assert description.couplings[0].motor
    carrier, rotor = joint_of(description, "j1_rotor_joint"), body_of(description, "j1_rotor")
    assert (carrier.kind, carrier.parent, carrier.child) == ("revolute", "l1", "j1_rotor")
    np.testing.assert_array_equal(carrier.axis, [0, 0, 1])
    # a thin disc
    np.testing.assert_allclose(rotor.inertia, np.diag([1e-5, 1e-5, 2e-5]), atol=1e-20)
    assert rotor.mass == 0
    assert "transmissions" not in description.metadata
    (motor,) = description.actuators
    assert (motor.joints, motor.kind) == ({"j1_rotor_joint": 1.0}, "motor")


def test_a_rotor_stands_where_its_joint_stands(write: Write) -> None:
    place = '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'
    inner = "<actuator><rotorInertia>1</rotorInertia></actuator>"
    description = read_urdf(write(chain("", place, "", transmission(inner))))
    driven, carrier = joint_of(description, "j1"), joint_of(description, "j1_rotor_joint")
    np.testing.assert_array_equal(carrier.placement, driven.placement)
    assert rows(description)[0][2] == 1.0  # no ratio is one to one


def test_a_transmission_without_a_rotor_is_an_actuator(write: Write) -> None:
    text = chain("", "", "", transmission(f"<actuator>{GEAR}</actuator>"), "<transmission/>")
    description = read_urdf(write(text))
    assert list(description.couplings) == []
    assert [(each.name, each.joints) for each in description.actuators] == [("t", {"j1": 50.0})]
    assert description.metadata["transmissions"] == {"transmission1": {"joints": ()}}
    message = (
        "transmissions (1) are of kinds that are not read, and kept as metadata only: transmission1"
    )
    assert message in description.warnings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (transmission("<rotorInertia>x</rotorInertia>"), ":10: .* must be a number, not 'x'"),
        (transmission("<rotorInertia/>"), ":10: .* must have 1 numbers, not ''"),
        (transmission("<rotorInertia>1</rotorInertia>", "no"), ":9: .*unknown joint 'no'.*j0"),
        (
            '<transmission name="t"><rotorInertia>1</rotorInertia></transmission>',
            ":9: transmission 't' has a rotor and must have one <joint>",
        ),
    ],
)
def test_mistakes_in_transmissions(write: Write, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=f"robot.urdf{message}"):
        read_urdf(write(chain("", "", "", text)))


def test_a_rotor_adds_its_inertia_by_the_square_of_the_ratio(write: Write) -> None:
    inertial = (
        '<inertial><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    )
    inner = f"<actuator><rotorInertia>2e-5</rotorInertia>{GEAR}</actuator>"
    text = chain("", transmission(inner, "j0"), kinds=("continuous",))
    text = text.replace('<link name="l1"/>', f'<link name="l1">{inertial}</link>')
    model = ts.load(write(text))
    assert (model.nv, model.motors) == (1, ("j0_rotor_joint",))
    np.testing.assert_allclose(model.mass_matrix([0.3]), [[1 + 50**2 * 2e-5]], rtol=1e-14)
