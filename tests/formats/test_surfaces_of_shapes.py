"""How surfaces rub and bounce, as files state it."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import tarsus as ts

INERTIAL = """<inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
BALL = '<geometry><sphere radius="0.1"/></geometry>'


def test_gazebo_elements_of_urdf(tmp_path: Path) -> None:
    file = tmp_path / "feet.urdf"
    file.write_text(
        f"""<robot name="feet"><link name="a">{INERTIAL}<visual>{BALL}</visual>
        <collision>{BALL}</collision></link>
        <gazebo reference="a"><mu1>0.9</mu1><mu2>0.8</mu2><kp>1e6</kp><kd>200</kd>
        <maxVel>1</maxVel></gazebo>
        <gazebo reference="nobody"><mu1>0.1</mu1></gazebo><gazebo><plugin/></gazebo></robot>"""
    )
    model = ts.load(file, base="free")
    assert [shape.friction for shape in model.shapes] == [None, 0.9]
    told = "\n".join(model.warnings)
    assert "<mu2> (0.8) is left out" in told and "gazebo elements (1)" in told
    assert "maxVel elements (1)" in told and "plugins (1) are not taken over" in told
    assert (model.shapes[1].stiffness, model.shapes[1].damping) == (1e6, 200.0)
    # made for Gazebo's springs: who simulates rigid contacts is not warned, but told
    sim = ts.Simulation(model, ground=ts.Ground())
    assert any("has no use for stiffness and damping" in each for each in sim.collision.warnings)
    file.write_text(file.read_text().replace("<mu1>0.9</mu1>", '<mu1 value="0.4"/>'))
    assert ts.load(file, base="free").shapes[1].friction == 0.4
    file.write_text(file.read_text().replace('<mu1 value="0.4"/>', '<mu1 value="-1"/>'))
    with pytest.raises(ts.ModelError, match=r"feet\.urdf:\d: .*mu1.* is -1, must be finite"):
        ts.load(file, base="free")


def test_surfaces_of_sdf(tmp_path: Path) -> None:
    file = tmp_path / "ball.sdf"
    surface = """<surface><friction><ode><mu>0.3</mu><mu2>0.3</mu2></ode></friction>
    <bounce><restitution_coefficient>0.7</restitution_coefficient></bounce>
    <contact><ode><kp>3e5</kp><kd>40</kd></ode></contact></surface>"""
    ball = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
    file.write_text(
        f"""<sdf version="1.7"><model name="m"><link name="ball">
        <collision name="hull">{ball}{surface}</collision>
        <collision name="other">{ball}<surface><friction><bullet><friction>0.2</friction>
        </bullet></friction></surface></collision></link></model></sdf>"""
    )
    hull, other = ts.load(file).shapes
    assert (hull.friction, hull.restitution) == (0.3, 0.7)
    assert (hull.stiffness, hull.damping) == (3e5, 40.0)
    assert (other.friction, other.restitution) == (0.2, None)


def test_geoms_of_mjcf_with_defaults(tmp_path: Path) -> None:
    file = tmp_path / "geoms.xml"
    file.write_text(
        """<mujoco><default><default class="foot"><geom friction="0.6 0.02 0.01" condim="6"/>
        </default></default><worldbody><body><freejoint/>
        <geom class="foot" size="0.1"/><geom size="0.1"/>
        <geom size="0.1" condim="1"/><geom size="0.1" friction="0.4" condim="4"/></body>
        </worldbody></mujoco>"""
    )
    found = [(s.friction, s.torsion, s.rolling) for s in ts.load(file).shapes]
    assert found == [
        (0.6, 0.02, 0.01),
        (None, None, None),
        (None, None, None),
        (0.4, 0.005, None),
    ]


def test_our_own_format_keeps_them(tmp_path: Path) -> None:
    builder = ts.Builder("ball").body("ball", mass=1.0, inertia=[1.0] * 3)
    builder.joint("free", "free", "world", "ball")
    numbers = {"friction": 0.3, "restitution": 0.5, "torsion": 0.01, "rolling": 0.002}
    numbers |= {"stiffness": 2e4, "damping": 30.0}
    builder.shape("ball", "sphere", (0.1,), role="collision", name="hull", **numbers)  # type: ignore[arg-type]
    model = builder.build()
    ts.save(model, tmp_path / "ball.yaml")
    assert ts.load(tmp_path / "ball.yaml").description.shapes == model.description.shapes
    changed = ts.Editor(model).change("shape", "hull", friction=0.9).build()
    assert changed.shapes[0].friction == 0.9 and changed.shapes[0].restitution == 0.5


@pytest.mark.parametrize("suffix", [".sdf", ".xml", ".urdf"])
def test_files_that_are_written_say_what_was_stated(tmp_path: Path, suffix: str) -> None:
    builder = ts.Builder("ball").body("ball", mass=1.0, inertia=[1.0] * 3)
    builder.joint("free", "free", "world", "ball")
    builder.shape("ball", "sphere", (0.1,), role="collision", friction=0.3, restitution=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        left_out = ts.save(builder.build(), tmp_path / f"ball{suffix}")
    (shape,) = ts.load(tmp_path / f"ball{suffix}").shapes
    assert shape.friction == 0.3
    told = any("restitution" in each.what for each in left_out)
    assert (shape.restitution == 0.5) != told


@pytest.mark.parametrize("suffix", [".sdf", ".xml", ".urdf"])
def test_files_that_are_written_say_how_shapes_give_way(tmp_path: Path, suffix: str) -> None:
    builder = ts.Builder("arm").body("arm", mass=2.0, com=(0.3, 0, 0), inertia=[0.1, 0.2, 0.3])
    builder.joint("turn", "revolute", "world", "arm", axis="y")
    builder.body("ball", mass=3.0, inertia=[1.0] * 3).joint("free", "free", "world", "ball")
    for body in ("arm", "ball"):
        builder.shape(body, "sphere", (0.1,), role="collision", stiffness=2e4, damping=30.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names
        ts.save(builder.build(), tmp_path / f"ball{suffix}")
    # MuJoCo's numbers are per mass, which it finds by itself
    for shape in ts.load(tmp_path / f"ball{suffix}").shapes:
        assert (shape.stiffness, shape.damping) == (pytest.approx(2e4), pytest.approx(30.0))


def test_springs_of_mjcf_are_per_mass(tmp_path: Path) -> None:
    file = tmp_path / "springs.xml"
    file.write_text(
        """<mujoco><worldbody><geom name="table" type="box" size="1 1 1" solref="0.1 1"/>
        <body><freejoint/><geom size="0.1" mass="2" solref="-500 -20"/></body>
        <body><freejoint/><geom size="0.1" mass="3" solref="0.05 0.5"/></body>
        <body><freejoint/><geom size="0.1" mass="3"/></body></worldbody></mujoco>"""
    )
    model = ts.load(file)
    found = [(s.stiffness, s.damping) for s in model.shapes]
    assert found[0] == (None, None) and found[3] == (None, None)
    assert found[1] == (pytest.approx(1000.0), pytest.approx(40.0))
    assert found[2] == (pytest.approx(3 / (0.05 * 0.5) ** 2), pytest.approx(2 * 3 / 0.05))
    assert any("do not move (1)" in each and "table" in each for each in model.warnings)


def test_side_files_add_shapes(tmp_path: Path) -> None:
    file, side = tmp_path / "bare.urdf", tmp_path / "bare.yaml"
    file.write_text(f'<robot name="bare"><link name="a">{INERTIAL}</link></robot>')
    side.write_text(
        "shapes:\n- {body: a, role: collision, kind: sphere, size: [0.1], friction: 0.2}\n"
        "- {body: world, role: collision, kind: box, size: [1, 1, 0.1], position: [0, 0, 1]}\n"
    )
    ball, shelf = ts.load(file, base="free", complete=side).shapes
    assert (ball.body, ball.size, ball.friction) == ("a", (0.1,), 0.2)
    assert (shelf.body, shelf.placement[2, 3]) == ("world", 1.0)
