"""Sliders move any number, and charts show torques and what rods bear, as by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus.studio import Stage
from tarsus.studio.client_updates import scene
from tarsus.studio.messages import all_quantities
from tarsus.studio.quantities import values

HUNG = """set ground -on off
add rod p -length 1 -t .5 0 0 -m 2
add revolute h -a world 0 0 0 -b p -.5 0 0 -axis 0 1 0"""


def test_one_number_of_a_point_is_moved() -> None:
    stage = Stage()
    stage.run("add rod arm -length 1 -t .5 0 1\nadd nail shoulder -where arm -.5 0 0")
    stage.run("slider site shoulder.target.x -1 1\nset shoulder -target.x .25\nadvance 1000")
    assert stage.document.parts["shoulder"].target == pytest.approx((0.25, 0.0, 1.0))  # type: ignore[attr-defined]
    end = stage.machine.pose("arm") @ [-0.5, 0.0, 0.0, 1.0]
    assert end[:3] == pytest.approx([0.25, 0.0, 1.0], abs=1e-6)
    assert scene(stage)["sliders"][0]["value"] == 0.25


def test_one_number_of_a_pose_and_of_gravity_is_moved() -> None:
    stage = Stage()
    stage.run("add box b -t 0 0 1\nadd nail n -where b 0 0 0 -pose on\nset n -target.z 1.5")
    stage.run("set world -gravity.z 0\nset world -gravity.x 1\nadvance 2000")
    assert stage.machine.pose("b")[:3, 3] == pytest.approx([0.0, 0.0, 1.5], abs=1e-6)
    assert list(stage.document.description.gravity) == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "target", ["shoulder.target", "arm", "arm.color", "shoulder.pose", "shoulder.target.w", ".x"]
)
def test_a_slider_of_no_number_is_refused(target: str) -> None:
    stage = Stage()
    stage.run("add rod arm -length 1 -t .5 0 1\nadd nail shoulder -where arm -.5 0 0")
    told = stage.do(f"slider s {target} 0 1")
    assert not told.ok and told.field == "TARGET"
    assert not stage.document.sliders


@pytest.mark.parametrize(
    ("target", "value"), [("h.damping", 0.5), ("p.m", 2.0), ("world.gravity.z", -9.81)]
)
def test_sliders_stand_where_numbers_are(target: str, value: float) -> None:
    stage = Stage()
    stage.run(f"{HUNG}\nset h -damping .5\nslider s {target} -10 10")
    assert scene(stage)["sliders"][0]["value"] == pytest.approx(value)


def test_a_held_hinge_bears_the_torque_of_the_weight() -> None:
    stage = Stage()
    stage.run(f"{HUNG}\nadd joint_motion hold -joint h\nadvance 10")
    seen = values(stage.machine, ["torque:h", "force:hold"])
    print(seen)
    assert seen == pytest.approx({"torque:h": 2 * 9.81 * 0.5, "force:hold": 2 * 9.81 * 0.5})
    units = all_quantities(stage)
    assert units["torque:h"] == units["force:hold"] == "N m"


def test_a_rod_that_swings_bears_its_lower_half() -> None:
    """At an angle a below the level: m/2 g sin(a) and m/2 w^2 (3/4 L), by hand."""
    stage = Stage()
    stage.run(f"{HUNG}\nadvance 300")
    angle, rate = float(stage.machine.q[0]), float(stage.machine.v[0])
    wanted = 1.0 * (9.81 * np.sin(angle) + rate**2 * 0.75)
    (seen,) = values(stage.machine, ["axial:p"]).values()
    print(seen, wanted)
    assert rate > 2.0
    assert seen == pytest.approx(wanted, rel=1e-3)


def test_springs_and_loads_press_a_rod() -> None:
    stage = Stage()
    stage.run(
        "set ground -on off\nset world -gravity 0 0 0\nadd rod r -length 1 -t 0 0 0\n"
        "add spring s -a world -1 0 0 -b r -.5 0 0 -stiffness 100 -rest_length .8\n"
        "add spring z -a world 1 0 0 -b r .5 0 0 -stiffness 100 -rest_length .8\n"
        "add wrench w -where r .5 0 0 -force 3 0 0\nadvance 1"
    )
    (seen,) = values(stage.machine, ["axial:r"]).values()
    # springs press with all their force, a push at one end with half of it
    assert seen == pytest.approx(-100 * 0.3 + 0.5 * 3.0, rel=1e-4)


def test_what_is_bound_elsewhere_goes_there_without_a_jerk() -> None:
    stage = Stage()
    stage.run("add box car -t 0 0 1\nadd nail lead -where car 0 0 0\nadvance 10")
    stage.run("bind lead.target 1+.5*t, 0, 1")
    fastest = 0.0
    for _ in range(50):
        stage.run("advance 20")
        fastest = max(fastest, float(np.abs(stage.machine.v).max()))
    # a gap of 1 m closes by at most 1/(τ e), beside the speed of the target itself
    assert fastest < 1 / (0.08 * np.e) + 0.5 + 0.1
    assert stage.machine.pose("car")[0, 3] == pytest.approx(1 + 0.5 * stage.t, abs=2e-3)


def test_what_is_nailed_follows_its_nail_without_a_jerk() -> None:
    """The gap closes as (1 + t/τ) exp(−t/τ), critically damped, whatever hangs on the nail."""
    stage = Stage()
    stage.run("add rod arm -length 1 -t .5 0 1\nadd nail shoulder -where arm -.5 0 0\nadvance 100")
    stage.run("set shoulder -target.x 1")
    tau = stage.document.parts["shoulder"].time_constant  # type: ignore[attr-defined]
    for k in range(1, 6):
        stage.do("advance 50")
        x = (stage.machine.pose("arm") @ [-0.5, 0.0, 0.0, 1.0])[0]
        gone = 0.05 * k / tau
        print(1 - x, (1 + gone) * np.exp(-gone))
        assert 1 - x == pytest.approx((1 + gone) * np.exp(-gone), abs=0.02)


def test_what_can_be_bound_is_told() -> None:
    stage = Stage()
    stage.run(["add rod arm -t .5 0 1", "add revolute hip -a world 0 0 1 -b arm -.5 0 0"])
    stage.run(["add motor drive -joint hip -constant 1 -resistance 1"])
    told = stage.do("bind drive.voltage sin(t)")
    assert not told.ok and "drive.target can" in told.text
    assert stage.do("bind drive.target sin(t)").ok
