"""`tarsus simulate`: what it prints and writes, exit codes, and errors in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trimesh
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.app import app, run
from tarsus.cli.run_report import MOST
from tarsus.cli.simulate import Choices, adapted, scene_of_model
from tarsus.scenes.scene import scene_named
from tarsus.simulation.contact import Penalty

ROOT = Path(__file__).parents[2]
QUADRUPED = str(ROOT / "examples" / "quadruped.urdf")


def output(*arguments: str, code: int = 0, columns: int = 100) -> str:
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(app, ["simulate", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout


def data(*arguments: str) -> dict[str, Any]:
    return dict(json.loads(output(*arguments, "--json")))


def test_report_has_speed_ledger_and_contacts() -> None:
    text = output("slide", "--duration", "0.1")
    lines = text.splitlines()
    assert lines[0] == "slide, exact contact, dt = 0.5 ms"
    assert "× real time (200 steps of 0.5 ms" in lines[1]
    assert lines[2].startswith("moved by x +0.0")
    for word in ("kinetic", "supplied", "contact_friction", "residual", "deepest penetration"):
        assert word in text
    assert any(line.startswith("block") and "%" in line for line in lines)


def test_the_ledger_is_not_wrapped() -> None:
    lines = output("slide", "--duration", "0.02", columns=60).splitlines()
    (residual,) = [line for line in lines if line.startswith("residual")]
    assert residual.endswith("of the flow)")


def test_numbers_of_a_sliding_block() -> None:
    found = data("slide", "--friction", "0.2", "--duration", "1")
    way = 1.0 / (2 * 0.2 * 9.81)
    print(f"slid {found['moved'][0]:.5f} m, theory {way:.5f} m")
    assert found["moved"][0] == pytest.approx(way, rel=3e-3)
    assert found["energy"]["contact_friction"] == pytest.approx(-5.0, rel=3e-3)
    assert found["relative_residual"] < 1e-9
    (block,) = found["contacts"]
    assert block["body"] == "block"
    assert found["failure"] == ""


def test_events_are_located_and_told() -> None:
    """A ball from 1 m that bounces with half its speed: strikes at √(2h/g) and 2, 2.5, … times."""
    choices = ("bounce", "--contact", "event", "--dt", "0.01", "--duration", "2")
    lines = output(*choices).splitlines()
    assert lines[0] == "bounce, event contact, dt = 10 ms" and "steps of its own" in lines[1]
    (title,) = [k for k, line in enumerate(lines) if line.split()[:2] == ["time", "event"]]
    first = (2 / 9.81) ** 0.5
    assert " ".join(lines[title].split()) == "time event bodies impulse energy lost"
    *told, lost, joule = lines[title + 1].split()
    assert " ".join(told) == f"{first:.9f} s impact ball – ground {1.5 * 9.81 * first:.4g} N s"
    assert float(lost) == pytest.approx(0.75 * 9.81, abs=1e-3) and joule == "J"
    (ball,) = [line for line in lines if line.startswith("ball")]
    found = data(*choices)
    assert ball.split()[7] == str(len(found["events"])) == "8"
    times = [event["t"] for event in found["events"]]
    assert times[:3] == pytest.approx([first, 2 * first, 2.5 * first], abs=1e-9)
    assert found["events"][0]["impulse"] == pytest.approx([0.0, 0.0, 1.5 * 9.81 * first])
    assert {each["kind"] for each in found["events"]} == {"impact"}
    assert "events" not in data("bounce", "--duration", "0.1")


def test_only_the_first_of_many_events_are_printed() -> None:
    text = output("closet", "--duration", "4")
    told = data("closet", "--duration", "4")["events"]
    assert len(told) > MOST
    assert f"… and {len(told) - MOST} more: --json has all" in text
    assert sum(" impact " in line or " release " in line for line in text.splitlines()) == MOST


def test_joints_hold_at_every_moment_where_events_are_located(capfd: Any) -> None:
    model = ts.robots.chain(2)
    held = scene_of_model(model, Choices(contact="event"))
    assert isinstance(held.controller, ts.control.PD)
    assert isinstance(scene_of_model(model, Choices()).controller, ts.control.ImplicitPD)
    assert run(["simulate", "stand", "--contact", "event"]) == 2
    assert "ts.control.PD" in capfd.readouterr().err


@pytest.mark.parametrize(
    "scene",
    ["tensegrity", "three_bars", "four_bars('tip')", "car(10.0)", "cans", "hanging_chain"]
    + ["gyroscope", "cat", "pendulum_wave", "elastic_lola"],
)
def test_scenes_of_a_construction_kit(scene: str) -> None:
    found = data(scene, "--duration", "0.1")
    assert found["failure"] == ""
    assert found["unsolved"] == 0
    assert found["warnings"] == []


def test_a_file_stands_on_the_ground() -> None:
    found = data(QUADRUPED, "--base", "free", "--duration", "0.5")
    assert sum(each["mean_force"] for each in found["contacts"]) > 100.0
    assert abs(found["moved"][2]) < 0.03


def test_a_model_falls_from_a_height() -> None:
    found = data(QUADRUPED, "--base", "free", "--height", "0.2", "--duration", "0.3")
    assert found["moved"][2] == pytest.approx(-0.2, abs=0.05)
    assert any(each["impacts"] for each in found["contacts"])


def test_frames_touch_the_ground() -> None:
    model = ts.robots.mini_cheetah()
    feet = [name for name in model.frame_names if name.endswith("foot")]
    options = [word for foot in feet for word in ("--point", foot)]
    found = data("mini_cheetah()", *options, "--duration", "0.1")
    assert found["contacts"]


def test_an_arm_swings_in_free_space() -> None:
    text = output("chain(3)", "--controller", "none", "--joint", "joint_0=0.5", "--duration", "0.1")
    assert text.splitlines()[0] == "tree(3, 1), in free space, dt = 1 ms"


def test_files_are_written(tmp_path: Path) -> None:
    names = {"plot": "run.png", "save": "run.npz", "animate": "run.html"}
    options = [word for key, name in names.items() for word in (f"--{key}", str(tmp_path / name))]
    output("slide", "--duration", "0.05", *options)
    assert {file.name for file in tmp_path.iterdir()} == set(names.values())
    assert ts.simulation.load_run(tmp_path / "run.npz").model.name == "block"


def test_options_change_a_scene() -> None:
    scene = scene_named("drop(1.5)")
    assert scene is not None
    assert scene.name == "drop from 1.5 m"
    choices = Choices(
        contact="penalty", stiffness=1e6, slope=0.1, friction=0.9, duration=2.0, dt=1e-4
    )
    changed = adapted(scene, choices)
    assert changed.contact == Penalty(stiffness=1e6)
    assert (changed.duration, changed.dt) == (2.0, 1e-4)
    assert changed.ground is not None
    assert (changed.ground.friction, changed.ground.slope) == (0.9, 0.1)
    # what was not changed stays
    assert changed.ground.viscous == scene.ground.viscous
    assert adapted(scene, Choices(controller="none")).controller is None


def test_a_word_that_is_no_scene() -> None:
    assert scene_named("anymal") is None
    assert scene_named("robot.urdf") is None


def test_start_of_a_model() -> None:
    model = ts.load(QUADRUPED, "free")
    knee = next(joint for joint in model.joints if "knee" in joint.name)
    scene = scene_of_model(model, Choices(joints=(f"{knee.name}=-1.0",), height=0.3, slope=0.1))
    assert scene.q0[knee.q_slice] == -1.0
    assert (scene.q0[7:] >= model.lower[7:]).all()
    assert scene.ground is not None
    assert scene.ground.slope == 0.1


def test_a_run_that_explodes_is_reported() -> None:
    wild = ("--contact", "penalty", "--stiffness", "1e12", "--damping", "1e9", "--dt", "0.01")
    result = CliRunner().invoke(app, ["simulate", "bounce", *wild, "--duration", "3"])
    text = " ".join(result.output.split())
    print(text[-300:])
    assert "likely to explode" in text
    if result.exit_code:
        assert result.exit_code == 1
        assert "tarsus: at t = " in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "or a scene: bounce, bowl, bungee, cans"),
        (["slide(a)"], "the arguments must be numbers or words in quotes"),
        (["slide(1,2,3,4)"], "slide(1,2,3,4): slide() takes"),
        (["walk('cow')"], "there is no robot on legs 'cow'"),
        (["trot", "--height", "1"], "--height is for models: trot has its own start"),
        (["slide", "--stiffness", "1e5"], "--stiffness is for --contact penalty or compliant"),
        (["chain(3)", "--height", "1"], "--height is for models with a free root"),
        (["slide", "--plot", "/nowhere/x.png"], "there is no folder /nowhere"),
        (["slide", "--dt", "-1"], "dt is -1.0, must be positive"),
        (["slide", "--friction", "-1"], "friction is -1.0, must be finite and not negative"),
        (["chain(3)", "--joint", "elbow=1"], "--joint elbow=1: no such joint"),
        (["chain(3)", "--joint", "joint_0"], "must be a name and a number, such as knee=0.5"),
        ([QUADRUPED, "--base", "free", "--height", "-1"], "--height is -1, must not be negative"),
        (["mini_cheetah()"], "or name frames with --point"),
        (["slide", "--animate", "x.avi"], "x.avi must end with one of .gif, .mp4, .html"),
    ],
)
def test_mistakes(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("tarsus: ")
    assert error.count("\n") == 1
    assert message in error


def test_the_viewer_tells_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("websockets")
    text = output("slide", "--duration", "0.05", "--view-for", "0.1")
    assert "block is shown at http://127.0.0.1:" in text


def test_a_run_ends_when_it_is_told_to() -> None:
    found = data("bounce", "--until", "ball<0.5")
    assert found["ended"] == "height of 'ball' below 0.5"
    assert found["duration"] == pytest.approx((2 * 0.55 / 9.81) ** 0.5, abs=2e-3)
    text = output("bounce", "--until", "touch:ball", "--until", "ball<-5")
    assert text.splitlines()[2] == "ended: 'ball' touches something"
    bent = data(QUADRUPED, "--controller", "none", "--until", "front_left_knee<-1e-3")
    assert bent["ended"].startswith("joint 'front_left_knee' below")
    for wrong, what in (
        ("ball", "must be such as"),
        ("ball<low", "not a number"),
        ("bal<1", "no such frame or joint"),
        ("touch:bal", "no contact points"),
    ):
        result = CliRunner().invoke(app, ["simulate", "bounce", "--until", wrong])
        assert isinstance(result.exception, ValueError) and what in str(result.exception)


def test_a_run_is_pushed() -> None:
    free = data("bounce", "--duration", "0.2")
    found = data("bounce", "--duration", "0.2", "--push", "ball:6,0,0@0.05+0.1")
    way = found["moved"][0] - free["moved"][0]
    mass = ts.scenes.bounce().model.total_mass
    expected = 0.5 * 6 / mass * 0.1**2 + 6 / mass * 0.1 * 0.05
    print(f"moved by {way:.6f} m, theory {expected:.6f} m")
    assert way == pytest.approx(expected, rel=5e-3)
    assert found["energy"]["parts"] == pytest.approx(0.5 * mass * (0.6 / mass) ** 2, rel=1e-6)
    output("bounce", "--duration", "0.01", "--push", "ball:6,0,0", "--push", "ball:0,1,0@0.005")
    for wrong in ("ball", "ball:6,0", "ball:6,0,x", "ball:6,0,0@", "ball:6,0,0@0+-1", "b:6,0,0"):
        result = CliRunner().invoke(app, ["simulate", "bounce", "--push", wrong])
        assert isinstance(result.exception, ValueError), wrong
        print(result.exception)


BOX = """<robot name="box"><link name="box"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>"""


def test_others_are_in_the_scene_where_they_are_said_to_be(tmp_path: Path) -> None:
    file, table = tmp_path / "box.urdf", tmp_path / "table.urdf"
    file.write_text(BOX)
    table.write_text(BOX.replace('"box"', '"table"').replace("0.2 0.2 0.2", "1 1 0.5"))
    others = ("--with", f"{file}@2,0,0.65", "--with", f"{table}@2,0,0.25:fixed")
    found = data(str(file), "--base", "free", *others, "--duration", "0.5")
    # the first stands on the ground, the second falls by 5 cm and stands on the table
    assert {each["body"] for each in found["contacts"]} == {"box/box", "box2/box"}
    assert found["energy"]["gravity"] == pytest.approx(9.81 * (0.1 + 0.6), abs=1e-4)
    bad = CliRunner().invoke(app, ["simulate", str(file), "--with", f"{file}@1,2"])
    assert "must be a model at x,y,z" in str(bad.exception)


def test_static_models_of_sdf_stay_where_they_are(tmp_path: Path) -> None:
    file, table = tmp_path / "box.urdf", tmp_path / "table.sdf"
    file.write_text(BOX)
    trimesh.creation.box((1.0, 1.0, 0.5)).export(tmp_path / "top.stl")
    table.write_text(
        """<sdf version="1.7"><model name="table"><static>true</static><link name="top">
        <collision name="c"><geometry><mesh><uri>top.stl</uri></mesh></geometry></collision>
        </link></model></sdf>"""
    )
    others = ("--with", f"{file}@2,0,0.65", "--with", f"{table}@2,0,0.25")
    found = data(str(file), "--base", "free", *others, "--duration", "0.5")
    assert {each["body"] for each in found["contacts"]} == {"box/box", "box2/box"}
    assert found["energy"]["gravity"] == pytest.approx(9.81 * (0.1 + 0.6), abs=1e-4)


def test_legs_in_the_air_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", QUADRUPED, "--duration", "0.01"]) == 0
    assert "is fixed, in free space: --base free lets it stand" in capsys.readouterr().out
    assert run(["simulate", QUADRUPED, "--base", "free", "--duration", "0.01"]) == 0
    assert "--base" not in capsys.readouterr().out


def test_what_touches_may_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inertia = '<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/>'
    mesh = '<mesh filename="package://nowhere/foot.stl"/>'
    file = tmp_path / "stone.urdf"
    file.write_text(
        f'<robot name="stone"><link name="stone"><inertial><mass value="1"/>{inertia}</inertial>'
        '<collision><geometry><sphere radius=".1"/></geometry></collision>'
        f"<collision><geometry>{mesh}</geometry></collision>"
        '<visual><geometry><sphere radius=".3"/></geometry></visual></link></robot>'
    )
    command = (str(file), "--base", "free", "--duration", "0.02")
    assert run(["simulate", *command]) == 2
    told = capsys.readouterr().err
    assert "--shapes primitives leaves meshes out, --point names" in told
    assert "ts.load" not in told and "shapes='" not in told
    for kind, radius in (("primitives", 0.1), ("visual", 0.3)):
        energy = data(*command, "--shapes", kind)["energy"]["gravity"]
        assert energy == pytest.approx(9.81 * radius, abs=1e-6)  # of 1 kg
    assert run(["simulate", *command, "--shapes", "visual", "--point", "stone"]) == 2
    assert "state one" in capsys.readouterr().err
