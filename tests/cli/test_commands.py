"""The `tarsus` command: what it prints, its exit codes, and errors in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.app import app, run

ROOT = Path(__file__).parents[2]
QUADRUPED = str(ROOT / "examples" / "quadruped.urdf")


def output(*arguments: str, code: int = 0, columns: int = 120) -> str:
    """Run a command that must end with `code` and return what it printed."""
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.stdout


def test_info_shows_every_body_and_joint() -> None:
    text = output("info", QUADRUPED, "--base", "free")
    model = ts.load(QUADRUPED, "free")
    for name in (*model.body_names, *model.joint_names, "nq 19", "nv 18", "21.24 kg", "17 frames"):
        assert name in text


def test_names_are_whole_and_numbers_complete_in_80_columns() -> None:
    lines = output("info", QUADRUPED, "--base", "free", columns=80).splitlines()
    model = ts.load(QUADRUPED, "free")
    for body, joint in zip(model.body_names, model.joint_names, strict=True):
        assert any(body in line and joint in line for line in lines)
    assert max(map(len, lines)) <= 80
    table = output("bench", "chain(3)", "--quick", columns=80).split("ABA of a chain")[0]
    assert "…" not in table
    assert "(min)" not in table


def test_info_draws_branches() -> None:
    lines = output("info", "tree(7,2)").splitlines()
    starts = [line.split(" 1 kg")[0].rstrip() for line in lines if "joint_" in line]
    assert starts == [
        "link_0",
        "├ link_1",
        "│ ├ link_3",
        "│ └ link_4",
        "└ link_2",
        "  ├ link_5",
        "  └ link_6",
    ]


def test_info_as_json() -> None:
    data = json.loads(output("info", QUADRUPED, "--base", "free", "--json"))
    assert (data["nq"], data["nv"], data["n_bodies"], len(data["frames"])) == (19, 18, 13, 17)
    assert data["joints"][0]["kind"] == "free"
    assert data["joints"][0]["upper"] == [None] * 7
    knee = next(joint for joint in data["joints"] if joint["name"] == "rear_left_knee")
    assert knee["lower"] == [-2.6]
    assert knee["axis"] == [0.0, 1.0, 0.0]


def test_info_shows_clusters_constraints_and_motors(tmp_path: Path) -> None:
    builder = ts.Builder("crank")
    for name in ("crank", "rod", "slider", "rotor"):
        builder.body(name, 1.0, inertia=(1, 1, 1))
    builder.joint("turn", "revolute", "world", "crank")
    builder.joint("bend", "revolute", "crank", "rod", position=(0.5, 0, 0))
    builder.joint("slide", "prismatic", "world", "slider", axis="x")
    builder.close_loop("point_on_line", "rod", (1, 0, 0), "slider", (0, 0, 0), name="pin")
    builder.close_loop(
        "distance",
        "slider",
        (0, 0, 0),
        "world",
        (1, 0, 1.9),
        name="rope",
        length=1.95,
        constraint=True,
    )
    ts.save(builder.gear("turn", 9, "rotor").build(), tmp_path / "crank.yaml")
    text = output("info", str(tmp_path / "crank.yaml"))
    assert "1 constraint" in text
    lines = text.splitlines()
    cluster = next(line for line in lines if line.startswith("gear + loop"))
    assert cluster.split("  ")[0] == "gear + loop"
    for word in ("linear + implicit", "turn", "rotor_joint", "world"):
        assert word in cluster
    rope = next(line for line in lines if line.startswith("rope"))
    for word in ("distance", "slider and world", "it was stated as a constraint"):
        assert word in rope
    assert "motors  rotor_joint" in text
    data = json.loads(output("info", str(tmp_path / "crank.yaml"), "--json"))
    assert data["clusters"][0]["kind"] == "gear + loop"
    assert "turn" in data["clusters"][0]["independent"]
    assert data["constraints"][0]["rows"] == 1
    assert data["motors"] == ["rotor_joint"]
    assert data["joints"][-1]["dependent"] == "coupling"


def test_info_shows_forces(tmp_path: Path) -> None:
    builder = ts.Builder("spring").body("rod", 1.0, inertia=(1, 1, 1))
    builder.joint("hinge", "revolute", "world", "rod")
    builder.force(ts.forces.Spring(("rod", (0, 0, -0.5)), (1, 0, 0), 40.0, name="coil"))
    builder.force(ts.forces.JointSpring({"hinge": -2.0}, 3.0, rest=None))
    ts.save(builder.build(), tmp_path / "spring.json")
    lines = output("info", str(tmp_path / "spring.json")).splitlines()
    coil = next(line for line in lines if line.startswith("coil"))
    assert coil.split(maxsplit=2)[1:] == [
        "spring",
        "a (rod, (0, 0, −0.5)), b (1, 0, 0), stiffness 40",
    ]
    assert any("joints −2 hinge, stiffness 3, rest none" in line for line in lines)
    data = json.loads(output("info", str(tmp_path / "spring.json"), "--json"))
    assert [force["kind"] for force in data["forces"]] == ["spring", "joint_spring"]
    assert data["forces"][0]["b"] == [1.0, 0.0, 0.0]


def test_info_of_every_kind_of_joint() -> None:
    text = output("info", "random_mechanism(3, 30)")
    for kind in ts.model.validation.KINDS:
        assert kind == "fixed" or kind in text


def test_warnings_are_counted_and_shown_on_demand(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        "<gazebo/></robot>"
    )
    assert "1 warning" in output("info", str(file))
    assert "gazebo" in output("info", str(file), "--warnings")


def test_check_passes() -> None:
    text = output("check", QUADRUPED, "--base", "free", "--states", "4")
    assert "all hold" in text
    assert "articulated = sparse = dense" in text


def test_check_as_json() -> None:
    report = json.loads(output("check", "dill(3)", "--json", "--states", "4", "--seed", "7"))
    assert report["ok"] is True
    assert (report["states"], report["seed"]) == (4, 7)
    assert all(row["ok"] for row in report["residuals"])


def test_check_of_a_singular_model_exits_with_1(tmp_path: Path) -> None:
    file = tmp_path / "massless.json"
    builder = ts.Builder("massless")
    builder.body("ghost")
    builder.joint("hinge", "revolute", "world", "ghost")
    ts.save(builder.build(), file)
    assert "acceleration is not defined" in output("check", str(file), code=1)


def test_check_of_a_file_without_links_exits_with_1(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text('<robot name="r"><xacro/></robot>')
    assert "no links (an unexpanded xacro file?)" in output("info", str(file), "--warnings")
    assert "no moving bodies" in output("check", str(file), code=1)


MIMIC = (
    '<robot name="hand"><link name="palm"/>'
    + "".join(
        f'<link name="{side}"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="{side}_joint" type="prismatic"><parent link="palm"/><child link="{side}"/>'
        '<limit lower="0" upper="1" effort="1" velocity="1"/>'
        + ('<mimic joint="left_joint"/>' if side == "right" else "")
        + "</joint>"
        for side in ("left", "right")
    )
    + "</robot>"
)


def test_mimic_joints(tmp_path: Path) -> None:
    file = tmp_path / "hand.urdf"
    file.write_text(MIMIC)
    assert "coupling" in output("info", str(file))
    note = "mimic joints (1) are read as independent joints: right_joint"
    for command in (["info"], ["check", "--states", "2"], ["bench", "--quick"]):
        assert note not in output(*command, str(file), columns=200)
        assert note in output(*command, str(file), "--mimic", "independent", columns=200)


def test_bench_writes_json(tmp_path: Path) -> None:
    file = tmp_path / "speed.json"
    printed = output("bench", "chain(3)", "--quick", "--json", "--output", str(file))
    assert json.loads(printed) == json.loads(file.read_text(encoding="utf-8"))


def test_version() -> None:
    assert output("--version").strip() == f"tarsus {ts.__version__}"


WRONG: dict[str, tuple[list[str], str]] = {
    "file": (["info", "missing.urdf"], "there is no file missing.urdf"),
    "name": (["info", "missing"], "there is no model 'missing'"),
    "suffix": (["info", str(ROOT / "pyproject.toml")], "suffix must be one of"),
    "robot": (["info", "chian(3)"], "did you mean 'chain'"),
    "code": (["info", "chain(__import__('os'))"], "arguments must be numbers"),
    "text": (["info", "chain('3')"], "'3' is not a number"),
    "keyword": (["info", "chain(3, size=2)"], "size"),
    "number": (["info", "chain(0)"], "n is 0"),
    "base": (["info", "chain(3)", "--base", "free"], "leave out --base"),
    "size": (["info", "dill(99)"], "n is 99, must be from 0 to 16"),
    "directory": (["info", str(ROOT)], "is a directory"),
    "folder": (["bench", "chain(3)", "-o", "missing/file.json"], "there is no folder missing"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.startswith("tarsus: ")
    assert captured.err.count("\n") == 1


def test_nothing_to_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rock.json"
    rock = ts.Builder("rock").body("rock", 1.0).joint("ground", "fixed", "world", "rock")
    ts.save(rock.build(), file)
    assert run(["bench", QUADRUPED, str(file)]) == 2
    assert "there is nothing to measure" in capsys.readouterr().err


def test_malformed_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "broken.urdf"
    file.write_text("<robot><link")
    assert run(["check", str(file)]) == 2
    error = capsys.readouterr().err
    assert str(file) in error
    assert error.count("\n") == 1


def test_interrupt_is_clean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tarsus.cli.app.open_model", interrupt)
    assert run(["info", "chain(3)"]) == 130
    assert capsys.readouterr().err == "tarsus: interrupted\n"


@pytest.mark.parametrize("option", [[], ["--json"]])
def test_nobody_reads_on(option: list[str]) -> None:
    """The reader goes before anything is written, as `head -0` does."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "tarsus", "info", "chain(3)", *option]
    result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    os.close(writer)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_missing_package_says_what_to_install(package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from tarsus.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr == (
        f"tarsus: the command line needs {package}: pip install 'tarsus[cli]'\n"
    )


def test_a_side_file_completes_a_model(tmp_path: Path) -> None:
    """--complete adds rotors to a plain URDF; it is for files only."""
    gear = {"joint": "front_left_knee", "ratio": 9, "rotor": "front_left_rotor"}
    body = {"name": "front_left_rotor", "mass": 0.05, "inertia": [1e-5, 1e-5, 2e-5]}
    extra = tmp_path / "extra.json"
    extra.write_text(json.dumps({"bodies": [body], "gears": [gear]}))
    text = output("info", QUADRUPED, "--base", "free", "--complete", str(extra))
    assert "front_left_rotor" in text
    with pytest.raises(ValueError, match=r"complete=.* is for files"):
        CliRunner().invoke(
            app, ["info", "chain(3)", "--complete", str(extra)], catch_exceptions=False
        )
