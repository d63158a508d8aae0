"""What joints of loops bear and strings pull with, against Newton's law and springs by hand."""

from __future__ import annotations

import numpy as np
import pytest
from test_building import four_bar

from tarsus.studio import Stage, messages
from tarsus.studio.force_readout import joint_wrenches, loop_wrenches
from tarsus.studio.quantities import values


def test_the_loop_of_a_four_bar_bears_what_newton_says() -> None:
    """The coupler between its hinges: m (a − g) from its centre before and after a step."""
    stage = four_bar()
    stage.do("advance 300")
    machine = stage.machine
    model, dt = machine.model, machine.simulation.dt

    def velocity() -> np.ndarray:
        pose, speed = machine.pose("coupler"), model.frame_velocity(machine.q, machine.v, "coupler")
        body = next(each for each in stage.document.description.bodies if each.name == "coupler")
        return np.asarray(pose[:3, :3] @ (speed[:3] + np.cross(speed[3:], body.com)))

    before = velocity()
    stage.do("advance 1")
    rate = (velocity() - before) / dt
    mass = next(x.mass for x in stage.document.description.bodies if x.name == "coupler")
    loop = stage.document.description.loops[0]
    on_rocker = machine.pose(loop.body_b)[:3, :3] @ loop.placement_b[:3, :3]
    by_loop = -on_rocker @ loop_wrenches(machine)[loop.name][:3]
    carrier = model.frame_pose(machine.q, model.joint("B").child)
    by_hinge = carrier[:3, :3] @ joint_wrenches(machine)["B"][:3]
    wanted = mass * (rate - [0.0, 0.0, -9.81])
    print(by_loop + by_hinge, wanted)
    assert by_loop + by_hinge == pytest.approx(wanted, rel=2e-2, abs=2e-2 * 9.81 * mass)
    told = values(machine, ["reaction:C", "torque:C"])
    assert told["reaction:C"] == pytest.approx(float(np.linalg.norm(by_loop)), rel=1e-12)


def test_springs_pull_and_push_by_their_stretch() -> None:
    stage = Stage()
    stage.run(
        "set ground -on off\nadd sphere a -radius .1 -t 0 0 1 -m 1\n"
        "add spring long -a world 0 0 2 -b a 0 0 0 -stiffness 50 -rest_length .7\n"
        "add spring short -a world 0 0 0 -b a 0 0 0 -stiffness 30 -rest_length 1.2\nadvance 1"
    )
    told = values(stage.machine, ["tension:long", "tension:short"])
    print(told)
    assert told["tension:long"] == pytest.approx(50 * 0.3, rel=1e-3)
    assert told["tension:short"] == pytest.approx(-30 * 0.2, rel=1e-3)


def test_a_string_bears_the_weight_that_hangs_on_it() -> None:
    stage = Stage()
    stage.run(
        "set ground -on off\nadd sphere a -radius .1 -t 0 0 1 -m 3\n"
        "add string rope -a world 0 0 2 -b a 0 0 0 -stiffness 3000 -damping 100\nadvance 3000"
    )
    told = values(stage.machine, ["tension:rope", "force:rope"])
    assert told["tension:rope"] == pytest.approx(3 * 9.81, rel=1e-6)
    assert told["force:rope"] == pytest.approx(3 * 9.81, rel=1e-6)
    assert messages.told_of(stage, "rope") == "rope: tension 29.4 N"


def test_what_is_told_of_things_has_units_and_nothing_of_nobody() -> None:
    stage = four_bar()
    stage.do("advance 10")
    assert "bears" in messages.told_of(stage, "A") and " N m" in messages.told_of(stage, "A")
    for nobody in ("nobody", None, 3, ["A"], ""):
        assert messages.told_of(stage, nobody) == ""
