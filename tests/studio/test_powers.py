"""Powers of ports add up to what bodies take up, and each is what mechanics says it is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import tarsus as ts
from tarsus.studio import Stage
from tarsus.studio.gallery import ENTRIES
from tarsus.studio.powers import port_names
from tarsus.studio.quantities import residual

SWINGING = """
set ground -friction .4
add rod pole -length .8 -t 0 0 1.2 -m 1.5
add box cart -size .3 .2 .1 -t 1 0 .35 -m 2
add revolute hinge -a world 0 0 1.2 -b pole -.4 0 0 -axis 0 1 0
set hinge -damping .05 -friction .02
add spring coil -a pole .4 0 0 -b cart 0 0 .05 -stiffness 60 -damping .8
add damper dash -a world 1 0 2 -b cart 0 0 0 -damping 2
add wrench wind -where cart 0 0 0 -force 1 .3 0
"""


def kinetic(stage: Stage, q: np.ndarray, v: np.ndarray) -> float:
    """Return the kinetic energy by finite differences of poses: no velocities of the library."""
    model, h = stage.machine.model, 1e-6
    total = 0.0
    before, after = (model.forward_kinematics(model.integrate(q, x * v)) for x in (-h, h))
    now = model.forward_kinematics(q)
    for body, a, b, here in zip(model.bodies, before, after, now, strict=True):
        center = np.append(body.com, 1.0)
        speed = ((b - a) @ center)[:3] / (2 * h)
        spin = (b[:3, :3] - a[:3, :3]) / (2 * h) @ here[:3, :3].T
        turn = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        inertia = here[:3, :3] @ body.inertia @ here[:3, :3].T
        total += 0.5 * (body.mass * speed @ speed + turn @ inertia @ turn)
    return total


def all_powers(stage: Stage) -> list[str]:
    return [f"power:{name}" for name in port_names(stage.machine)]


def charted(stage: Stage, steps: int) -> None:
    stage.do("chart " + " ".join(all_powers(stage)))
    stage.do(f"advance {steps}")


def test_powers_of_ports_add_up_to_what_bodies_take_up() -> None:
    stage = Stage()
    stage.run([line for line in SWINGING.splitlines() if line])
    charted(stage, 1200)
    moments = [moment for moment in stage.recording.moments if moment.values][1:]
    size = rest = 0.0
    for a, b in pairwise(moments[5:]):
        rate = (kinetic(stage, b.q, b.v) - kinetic(stage, a.q, a.v)) / (b.t - a.t)
        powers = [x for name, x in b.values.items() if name.startswith("power:")]
        size = max(size, sum(map(abs, powers)))
        rest = max(rest, abs(rate - sum(powers)))
    print("powers of", size, "W add up to", rest, "W")
    assert rest < 1e-7 * size  # finite differences of poses have eight digits


def test_each_port_gives_what_its_own_law_says() -> None:
    """From the places of both ends alone, at moments on the way."""
    stage = Stage()
    stage.run([line for line in SWINGING.splitlines() if line])
    stage.run("set ground -on off\nset world -dt .0001")
    charted(stage, 3000)
    model = stage.machine.model
    moments = stage.recording.moments[-15:]
    coil, dash = stage.document.parts["coil"], stage.document.parts["dash"]

    def lengths(q: np.ndarray) -> tuple[float, float, float]:
        pole, cart = (model.frame_pose(q, name) for name in ("pole", "cart"))
        at = (cart @ [0, 0, 0.05, 1])[:3]
        spring = float(np.linalg.norm((pole @ [0.4, 0, 0, 1])[:3] - at))
        weight = 9.81 * (1.5 * pole[2, 3] + 2 * cart[2, 3])
        return spring, float(np.linalg.norm(cart[:3, 3] - [1, 0, 2])), weight

    for a, b in pairwise(moments):
        time, before, after = b.t - a.t, lengths(a.q), lengths(b.q)
        spring = [0.5 * coil.stiffness * (x - coil.rest_length) ** 2 for x in (before[0], after[0])]
        told = {name.removeprefix("power:"): x for name, x in b.values.items()}
        assert told["gravity"] == pytest.approx((before[2] - after[2]) / time, rel=1e-9, abs=1e-9)
        assert told["coil"] == pytest.approx((spring[0] - spring[1]) / time, rel=1e-9, abs=1e-9)
        for name, part, rate in (
            ("coil.damping", coil.damping, (after[0] - before[0]) / time),
            ("dash", dash.damping, (after[1] - before[1]) / time),
        ):
            assert told[name] == pytest.approx(-part * rate**2, rel=0.05, abs=2e-3), name
        turn = (b.q - a.q)[model.joint("hinge").q_slice][0] / time
        assert told["hinge.damping"] == pytest.approx(-0.05 * turn**2, rel=0.05, abs=2e-4)
        assert told["hinge.friction"] == pytest.approx(-0.02 * abs(turn), rel=0.05, abs=2e-4)
        moved = (model.frame_pose(b.q, "cart") - model.frame_pose(a.q, "cart"))[:3, 3]
        assert told["wind"] == pytest.approx(moved @ [1, 0.3, 0] / time, rel=1e-3, abs=1e-4)
        assert abs(told["steps"]) < 1e-2 * max(map(abs, told.values()))


def test_what_steps_make_becomes_less_with_them() -> None:
    sizes = []
    for dt in (2e-3, 2e-4):
        stage = Stage()
        stage.run([line for line in SWINGING.splitlines() if line])
        stage.run(f"set ground -on off\nset world -dt {dt}")
        charted(stage, round(0.5 / dt))
        sizes.append(max(abs(m.values["power:steps"]) for m in stage.recording.moments[2:]))
    print(sizes)
    assert sizes[1] < 0.15 * sizes[0]


@pytest.mark.parametrize("name", ENTRIES)
def test_powers_add_up_in_every_scene_of_the_gallery(name: str) -> None:
    """Against the library's kinetic energy: motors, contacts, loops, controllers and all."""
    stage = Stage()
    stage.run(f"open {name}\nunchart")
    charted(stage, 400)
    a, b = [moment for moment in stage.recording.moments if not moment.passing][-2:]
    model = stage.machine.model
    rate = float(model.kinetic_energy(b.q, b.v) - model.kinetic_energy(a.q, a.v)) / (b.t - a.t)
    powers = list(b.values.values())
    size = sum(map(abs, powers)) + 1e-6
    print(name, size, rate - sum(powers))
    assert rate == pytest.approx(sum(powers), abs=1e-8 * size + 1e-9)


def test_powers_do_not_depend_on_how_the_clock_cut_the_motion() -> None:
    one, two = Stage(), Stage()
    for stage in (one, two):
        stage.run([line for line in SWINGING.splitlines() if line])
        stage.do("chart power:gravity power:coil power:friction")
    one.do("advance 340")
    for count in (7, 100, 1, 3, 229):
        two.advance(count)
    for a, b in zip(one.recording.moments, two.recording.moments, strict=True):
        assert a.t == b.t and repr(a.values) == repr(b.values)


def test_a_part_may_be_called_as_a_port_of_the_world() -> None:
    stage = Stage()
    stage.run("add box a -t 0 0 1\nadd spring gravity -a world 0 0 2 -b a 0 0 0 -stiffness 9")
    assert {"gravity", "gravity_"} <= set(port_names(stage.machine))
    assert isinstance(stage.machine.model, ts.Model)


def test_a_hand_that_comes_and_goes_makes_nothing() -> None:
    """The residual goes on as it was, and powers add up with the hand among the ports."""
    stage = Stage()
    stage.run([line for line in SWINGING.splitlines() if line])
    stage.run("set ground -on off\nadvance 100")
    for line in ("grab cart .1 0 0 -to 2 0 1 -k 80", "release"):
        before = residual(stage.machine)
        stage.do(line)
        assert residual(stage.machine) == pytest.approx(before, abs=1e-9)
        stage.do("advance 50")
        flow = stage.machine.meter.flow()
        assert ("hand" in flow.ports) == line.startswith("grab")
        assert sum(flow.ports.values()) == pytest.approx(sum(flow.bodies.values()), rel=1e-9)
