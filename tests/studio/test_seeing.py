"""What the stage shows is what mechanics says: reactions, charts, frames, energies."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from test_building import four_bar

import tarsus as ts
from tarsus.studio import Stage, messages
from tarsus.studio.client_updates import scene
from tarsus.studio.force_readout import joint_wrenches
from tarsus.studio.gallery import ENTRIES


def test_a_pendulum_pulls_at_its_hinge_as_newton_says() -> None:
    """m (a − g) of the centre of mass, from the rates by hand."""
    stage = Stage()
    stage.run(
        "set ground -on off\nadd rod p -length 1 -t .5 0 0 -m 2\n"
        "add revolute h -a world 0 0 0 -b p -.5 0 0 -axis 0 1 0\nadvance 777"
    )
    wrench = joint_wrenches(stage.machine)["h"]
    rate, change = stage.machine.v[0], stage.machine.acceleration[0]  # type: ignore[index]
    along = stage.machine.pose("p")[:3, 0]
    across = np.cross([0.0, 1.0, 0.0], along)
    center = 0.5 * (change * across - rate**2 * along)
    wanted = 2.0 * (center + [0.0, 0.0, 9.81])
    print(np.linalg.norm(wrench[:3]), np.linalg.norm(wanted))
    assert np.linalg.norm(wrench[:3]) == pytest.approx(np.linalg.norm(wanted), rel=1e-12)


def test_springs_and_contacts_are_known_to_reactions() -> None:
    """A box at rest on the ground, hung on a spring: the hinge between two boxes carries one."""
    stage = Stage()
    stage.run(
        "add box low -size .2 .2 .2 -m 3 -t 0 0 .1\nadd box high -size .2 .2 .2 -m 2 -t 0 0 .301\n"
        "add weld glue -a low 0 0 .1 -b high 0 0 -.101\n"
        "add spring coil -a world 0 0 1 -b high 0 0 0 -stiffness 10 -rest_length 0\nadvance 2000"
    )
    coil = float(np.linalg.norm(stage.machine.simulation.parts["coil"].force))
    ground = sum(contact.force for contact in stage.machine.simulation.contacts_now())
    print(coil, ground)
    assert ground[2] + coil == pytest.approx(5 * 9.81, rel=1e-6)


def test_frames_carry_poses_arrows_and_lines() -> None:
    stage = four_bar()
    stage.run("add spring coil -a world 0 0 3 -b crank .5 0 0 -stiffness 40\nadvance 50")
    data = messages.frame(stage, 1.0)
    (size,) = struct.unpack("<I", data[:4])
    header = json.loads(data[4 : 4 + size])
    numbers = np.frombuffer(data[4 + size :], "<f4")
    poses = numbers[: 12 * header["bodies"]].reshape(-1, 3, 4)
    assert np.abs(poses - stage.machine.poses()[:, :3]).max() < 1e-6
    rest = numbers[12 * header["bodies"] :].reshape(-1, 6)
    assert len(rest) == len(header["arrows"]) + len(header["lines"])
    assert np.allclose(rest[-1, :3], [0, 0, 3])
    assert (4 + size) % 4 == 0


def test_charts_know_the_past_as_far_as_it_can_be_known() -> None:
    stage = four_bar()
    stage.run("advance 500\nchart energy:kinetic energy:residual")
    told = messages.history(stage)
    model = stage.machine.model
    for moment, value in zip(
        stage.recording.moments, told["values"]["energy:kinetic"], strict=True
    ):
        assert value == float(model.kinetic_energy(moment.q, moment.v))


def test_the_residual_is_what_steps_make_from_nothing() -> None:
    stage = four_bar()
    stage.run("chart energy:residual energy:total\nadvance 500")
    coarse = abs(stage.recording.moments[-1].values["energy:residual"])
    stage.run("restart\nset world -dt .0001\nadvance 5000")
    fine = abs(stage.recording.moments[-1].values["energy:residual"])
    print(coarse, fine)
    assert fine < coarse / 5


def test_reaching_ends_where_it_says() -> None:
    stage = Stage(ts.robots.chain(4))
    frame = stage.machine.model.body_names[-1]
    there = stage.machine.model.frame_pose(stage.machine.model.random_configuration(1), frame)[
        :3, 3
    ]
    answer = stage.do("reach {} {!r} {!r} {!r}".format(frame, *map(float, there)))
    print(answer)
    assert answer.ok and "is there" in answer.text
    assert np.abs(stage.machine.pose(frame)[:3, 3] - there).max() < 1e-6


@pytest.mark.parametrize("name", ENTRIES)
def test_every_scene_of_the_gallery_opens_and_runs(name: str) -> None:
    stage = Stage()
    answer = stage.do(f"open {name}")
    assert answer.ok, answer.text
    entry = ENTRIES[name]
    assert stage.do("advance 200").ok
    json.dumps(messages.clean(scene(stage)), allow_nan=False)
    messages.frame(stage, 1.0)
    shown = set(stage.recording.moments[-1].values)
    assert shown == set(entry.charts) and all(entry.guide.__dict__.values())
    assert stage.do("undo").ok and not stage.machine.bodies()


def test_the_gait_on_the_stage_is_that_of_the_library() -> None:
    stage = Stage()
    assert stage.do("open compass").ok
    cycle = ts.gait.limit_cycle(ts.gait.walkers.compass())
    assert stage.gait is not None
    assert np.allclose(stage.gait.cycle.multipliers, cycle.multipliers)
    told = stage.do("gait -push .01 -steps 10")
    assert told.ok and "fell" not in told.text
    # a push fades by the largest multiplier
    gaps = np.linalg.norm(stage.gait.returns - stage.gait.returns[-1], axis=1)
    assert gaps[5] < gaps[0] * 0.6**5 * 3
