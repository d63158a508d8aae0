"""Dry friction in phases that say how joints turn: closed forms, differences, wrong statements."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from flow_differences import by_number, by_states

import tarsus as ts
from tarsus._lib.files import Array

sys.path.append(str(Path(__file__).parent.parent / "clusters"))
from maker import Machine

P = ts.parameters
MASS, FRICTION, STIFFNESS = 2.0, 0.5, 30.0
TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def block(friction: float = FRICTION, stiffness: float = 0.0) -> ts.Model:
    b = ts.Builder("block").body("block", MASS)
    b.joint(
        "slide", "prismatic", "world", "block", axis="x", friction=friction, stiffness=stiffness
    )
    return b.build()


def test_a_block_comes_to_rest() -> None:
    """Where it does, and when, with their derivatives by its speed and by friction."""
    speed = 1.2
    motion = ts.flow(
        ts.Phase(block(), rubbing={"slide": 1}),
        *([0.0], [speed]),
        duration=10.0,
        derivatives=True,
        parameters=P.Friction("slide"),
    )
    time, way = MASS * speed / FRICTION, MASS * speed**2 / (2 * FRICTION)
    assert motion.events[-1].name == "slide turns"
    assert motion.t == pytest.approx(time, abs=1e-12)
    assert motion.q[0] == pytest.approx(way, abs=1e-12)
    print(motion.derivatives[0] - [1.0, time, -way / FRICTION])
    assert motion.derivatives[0] == pytest.approx([1.0, time, -way / FRICTION], abs=1e-11)
    assert motion.time_derivatives == pytest.approx(
        [0.0, MASS / FRICTION, -time / FRICTION], abs=1e-11
    )


def swinging(friction: float = FRICTION) -> list[ts.Phase]:
    """Return the phases of a block on a spring, to and fro."""
    model = block(friction, STIFFNESS)
    turn = ts.guards.JointVelocity("slide")
    there = ts.Exit(turn, to="fro", crossing="falling")
    back = ts.Exit(turn, to="to", crossing="rising")
    return [
        ts.Phase(model, there, name="to", rubbing={"slide": 1}),
        ts.Phase(model, back, name="fro", rubbing={"slide": -1}),
    ]


def test_a_spring_loses_the_same_with_each_swing() -> None:
    """Amplitudes fall by 2 f / k each half period of the undamped spring."""
    start, swings = -1.0, 6
    motion = ts.flow(
        *(swinging(), [start], [0.0]),
        duration=100.0,
        events=swings,
        derivatives=True,
        parameters=P.Friction("slide"),
    )
    left = 1.0 - 2 * swings * FRICTION / STIFFNESS
    assert motion.t == pytest.approx(swings * np.pi * np.sqrt(MASS / STIFFNESS), abs=1e-10)
    assert motion.q[0] == pytest.approx(-left, abs=1e-10)
    assert motion.derivatives[0, [0, 2]] == pytest.approx([1.0, 2 * swings / STIFFNESS], abs=1e-9)


def machine(friction: float) -> ts.Model:
    """Return a tree with a gear, a coupling, a closed form and a loop, with dry friction."""
    rng = np.random.default_rng(4)
    made = Machine(rng, ts.robots.random_mechanism(rng, 3, ("revolute", "spherical")).description)
    made.functions = False
    made.link("revolute", "world")
    made.gear(), made.coupling(), made.form(), made.loop(constraint=False)
    editor = ts.Editor(made.builder.build())
    for name in editor.build().joint_names:
        editor.change("joint", name, friction=None)
    for name in rubbed(editor.build()):
        editor.change("joint", name, friction=friction)
    return editor.build()


def rubbed(model: ts.Model) -> list[str]:
    """Return the joints that have one coordinate, and that of their own."""
    joints = [model.joint(name) for name in model.joint_names]
    return [j.name for j in joints if j.nv == 1 and j.v_slice.stop - j.v_slice.start == 1]


def test_mechanisms_with_gears_and_loops() -> None:
    """Derivatives by states and by friction beside extrapolated differences, and their lanes."""
    model, duration = machine(0.3), 0.05
    rng = np.random.default_rng(2)
    q, v = np.asarray(model.neutral()), rng.standard_normal(model.nv)
    names = rubbed(model)
    ways = {n: int(np.sign(v[model.joint(n).v_slice][0])) for n in names}

    def phase(friction: float) -> ts.Phase:
        return ts.Phase(machine(friction), rubbing=ways)

    friction = sum((P.Friction(n) for n in names[1:]), P.Friction(names[0]))
    options = {"duration": duration, "derivatives": True, "parameters": friction, **TIGHT}
    found = ts.flow(phase(0.3), q, v, **options)
    assert found.n_events == 0
    n = model.nv
    columns: list[tuple[Array, Array]] = [
        (found.derivatives[:, : 2 * n], by_states(phase(0.3), q, v, duration=duration)[:-1]),
        (
            found.derivatives[:, 2 * n],
            by_number(lambda h: phase(0.3 + h), q, v, duration=duration)[:-1],
        ),
    ]
    for ours, expected in columns:
        error = np.abs(ours - expected).max() / max(1.0, np.abs(expected).max())
        print(f"{error:.1e} of {np.abs(expected).max():.1e}")
        assert error < 1e-8
    assert np.abs(columns[1][1]).max() > 1e-4
    batch = ts.flow(phase(0.3), np.stack([q, q]), np.stack([0.9 * v, v]), **options)
    assert np.array_equal(batch.derivatives[1], found.derivatives)


def test_wrong_statements_are_told_by_name() -> None:
    model = block()
    with pytest.raises(ValueError, match=r"'slide' has dry friction.*rubbing=.'slide': 1"):
        ts.flow(model, [0.0], [1.0], duration=1.0, derivatives=True)
    with pytest.raises(ValueError, match="'slide' has dry friction"):
        ts.flow(
            *(block(0.0), [0.0], [1.0]),
            duration=1.0,
            derivatives=True,
            parameters=P.Friction("slide"),
        )
    with pytest.raises(ValueError, match=r"rubbing.'slide'. is 3"):
        ts.Phase(model, rubbing={"slide": 3})
    with pytest.raises(KeyError, match="slid"):
        ts.Phase(model, rubbing={"slid": 1})
    with pytest.raises(TypeError, match="rubbing is 'slide'"):
        ts.Phase(model, rubbing="slide")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"'slide' turns with \[-1.0\] in state 1 of v0.*says 1"):
        ts.flow(ts.Phase(model, rubbing={"slide": 1}), [0.0], [[1.0], [-1.0]], duration=0.1)
