"""Readers on damaged files: a model or run, or the error that names the file, and nothing else."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mjcf_worker import RARE
from mutate import damaged_bytes, damaged_data, damaged_text
from trials import LONGEST, outcomes, seeds

import tarsus as ts
from tarsus.geometry.meshes import mesh_corners
from tarsus.simulation import RunFileError, checkpoint

TESTS = Path(__file__).parents[1]
DATA = TESTS / "formats" / "data"
EXAMPLE = TESTS.parent / "examples" / "quadruped.urdf"

Damage = Callable[[bytes, random.Random], bytes]
Read = Callable[[Path], Any]

MESHES = ("stl", "obj", "dae", "ply", "off", "glb", "gltf")


def try_file(
    file: Path, damage: Damage, read: Read, error: type[Exception], named: Path | None = None
) -> None:
    """Damage a file again and again, and read it; errors name it, or what it belongs to."""
    whole = file.read_bytes()
    name = (named or file).name

    def trial(generator: np.random.Generator) -> None:
        file.write_bytes(damage(whole, random.Random(int(generator.integers(2**63)))))
        # readers, MuJoCo too, remember files of the same age
        os.utime(file, (0, int(generator.integers(2**31))))
        try:
            read(file)
        except error as refused:
            assert name in str(refused), refused
            raise

    read(file)
    print(f"{file.name} {damage.__name__.removeprefix('damaged_')}: ", end="")
    found = outcomes(trial, seeds(100), (error,))
    assert found[error.__name__] > 0 or found.total() < 10


SPRINGS = """<mujoco><option><flag damper="enable"/></option><worldbody><site name="hook"/>
<body name="a"><joint name="j"/><geom size=".1"/><site name="s" pos="0 0 1"/>
<body name="b"><joint name="k" type="slide"/><geom size=".1"/><site name="t" pos="0 1 1"/></body>
</body></worldbody>
<tendon><spatial name="string" stiffness="9" damping="1" springlength="0 .3">
<site site="hook"/><site site="t"/></spatial>
<spatial stiffness="9" range="0 1"><site site="s"/><site site="t"/></spatial>
<fixed name="belt" stiffness="3"><joint joint="j" coef="2"/><joint joint="k" coef="-1"/></fixed>
</tendon><actuator><motor joint="j" gear="9" damping=".1" armature=".1"/>
<motor tendon="belt" damping="1"/></actuator></mujoco>"""
"""Tendons and actuators with forces."""


XACRO = """<robot name="legs" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="mass" default="${2 * 1.5}"/><xacro:property name="sides" value="${['l', 'r']}"/>
<xacro:property name="c" value="${xacro.load_yaml('legs.yaml')}"/>
<xacro:macro name="leg" params="side length:=${c.length} *origin **more">
<link name="${side}_leg"><inertial><mass value="$(arg mass)"/><inertia ixx="${length ** 2 / 12}"
iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial><xacro:insert_block name="more"/></link>
<joint name="${side}_hip" type="revolute"><parent link="trunk"/><child link="${side}_leg"/>
<xacro:insert_block name="origin"/><limit lower="${-c.limit}" upper="${radians(90)}" effort="1"
velocity="1"/></joint></xacro:macro><link name="trunk"/>
<xacro:macro name="each" params="items"><xacro:if value="${len(items) > 0}">
<xacro:leg side="${items[0]}"><origin xyz="0 ${1 if items[0] == 'l' else -1} 0"/><x><!-- --></x>
</xacro:leg><xacro:each items="${items[1:]}"/></xacro:if></xacro:macro>
<xacro:each items="${sides}"/><xacro:include filename="*.part.xacro" ns="part"/></robot>"""


def model_file(name: str, folder: Path) -> Path:
    """A model to damage, with what belongs to it."""
    for part in DATA.glob("*"):
        (folder / part.name).write_bytes(part.read_bytes())
    file = folder / name
    if name == EXAMPLE.name:
        file.write_bytes(EXAMPLE.read_bytes())
    elif name.startswith("saved"):
        description = ts.load(DATA / "machine.sdf").description
        stated = [*description.forces, *forces(description)]
        ts.save(replace(description, forces=stated), file)
    elif name == "legs.xacro":
        pytest.importorskip("yaml")
        file.write_text(XACRO)
        (folder / "legs.yaml").write_text("length: 0.4\nlimit: !degrees 45\n")
    elif name == "springs.xml":
        file.write_text(SPRINGS)
    elif name.startswith("side"):
        rotor = {"name": "rotor", "mass": 0.1, "inertia": [2e-5, 2e-5, 4e-5]}
        gear = {"joint": "front_left_knee", "ratio": 9, "rotor": "rotor"}
        file.write_text(json.dumps({"bodies": [rotor], "gears": [gear], "frames": []}))
    return file


def forces(description: ts.Description) -> list[Any]:
    """Forces on the first and the last body, with all ways to tell a place."""
    first, last = (description.bodies[k].name for k in (0, -1))
    joint = next(joint.name for joint in description.joints if joint.kind == "revolute")
    return [
        ts.forces.Spring((first, (0.1, 0, 0)), (last, np.eye(4)), 30.0, 0.2, name="spring"),
        ts.forces.JointSpring({joint: 2.0}, 30.0, rest=None, limit=5.0),
        ts.forces.Wrench(last, (1, 2, 3), axes="local"),
        ts.forces.Rubber(first, (0, 0, 1), 30.0),
    ]


@pytest.mark.parametrize(
    "name",
    ["arm.urdf", "loops.urdf", EXAMPLE.name, "machine.sdf", "mixed.xml", "springs.xml"]
    + ["saved.json", "saved.yaml", "side.json", "legs.xacro"],
)
def test_models(name: str, tmp_path: Path) -> None:
    file = model_file(name, tmp_path)
    if name == "side.json":
        try_file(
            file,
            damaged_text,
            lambda path: ts.load(EXAMPLE, base="free", complete=path),
            ts.ModelError,
        )
    else:
        try_file(file, damaged_text, ts.load, ts.ModelError)


def test_mjcf_of_all_elements(tmp_path: Path) -> None:
    """No document of MuJoCo's schema ends the process, if its elements are those of robots."""
    trials = seeds(100)
    first, crashes = trials.start, []
    while first < trials.stop:
        arguments = [str(tmp_path), str(first), str(trials.stop - first)]
        worker = [sys.executable, str(Path(__file__).with_name("mjcf_worker.py")), *arguments]
        process = subprocess.run(worker, capture_output=True, text=True, timeout=LONGEST)
        *_, before, last = ["", *process.stdout.split("\n")[:-1]]
        if process.returncode == 0:
            print(f"mutations of MJCF: {last}, {len(crashes)} crashes of rare elements: {crashes}")
            break
        assert last == RARE, f"{process.returncode} with seed {last}: {process.stderr[-2000:]}"
        crashes.append(int(before))
        first = int(before) + 1


def test_meshes_of_mjcf(tmp_path: Path) -> None:
    model = model_file("mixed.xml", tmp_path)
    try_file(tmp_path / "wedge.obj", damaged_text, lambda _: ts.load(model), ts.ModelError, model)


def test_gltf_of_other_trees(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    for name, part in trimesh.exchange.gltf.export_gltf(_sphere(trimesh).scene()).items():
        (tmp_path / name).write_bytes(part)
    file = tmp_path / "model.gltf"
    shape = ts.Shape("body", "collision", "mesh", (1.0, 1.0, 1.0), file=str(file))
    try_file(file, damaged_json, lambda _: mesh_corners(shape), ts.ModelError)


@pytest.mark.parametrize("kind", MESHES)
def test_meshes(kind: str, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / f"mesh.{kind}"
    if kind == "gltf":
        for name, part in trimesh.exchange.gltf.export_gltf(_sphere(trimesh).scene()).items():
            (tmp_path / (file.name if name == "model.gltf" else name)).write_bytes(part)
    else:
        _sphere(trimesh).export(file)
    shape = ts.Shape("body", "collision", "mesh", (1.0, 1.0, 1.0), file=str(file))
    binary = kind in ("stl", "glb", "ply")
    try_file(
        file,
        damaged_bytes if binary else damaged_text,
        lambda _: mesh_corners(shape),
        ts.ModelError,
    )


def _sphere(trimesh: Any) -> Any:
    return trimesh.creation.icosphere(subdivisions=1)


# --- runs -------------------------------------------------------------------------------------


def stone() -> ts.Model:
    """A ball that falls, with a hinge on it."""
    b = ts.Builder("stone")
    b.body("ball", 1.0, inertia=(0.1, 0.1, 0.1)).body("arm", 0.1, inertia=(0.01, 0.01, 0.01))
    b.joint("root", "free", "world", "ball").joint("hinge", "revolute", "ball", "arm", axis="x")
    return b.shape("ball", "sphere", (0.1,), role="collision").build()


def start(model: ts.Model) -> np.ndarray:
    return ts.stand(model, model.neutral(), ts.Ground())


def damaged_metadata(data: bytes, randomness: random.Random) -> bytes:
    """Return the file of a run that is whole, but says something else about itself."""
    with np.load(io.BytesIO(data)) as known:
        arrays = dict(known)
    made = damaged_data(json.loads(arrays.pop("metadata").tobytes()), randomness)
    out = io.BytesIO()
    text = np.frombuffer(json.dumps(made).encode(), np.uint8)
    np.savez_compressed(out, metadata=text, **arrays)
    return out.getvalue()


def damaged_members(data: bytes, randomness: random.Random) -> bytes:
    """Return a checkpoint or run with right check sums and wrong contents."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        chosen = randomness.choice(before.namelist())
        for name in before.namelist():
            part = before.read(name)
            after.writestr(name, damaged_bytes(part, randomness) if name == chosen else part)
    return out.getvalue()


def use(file: Path) -> None:
    """Read a run, and look at all that it tells."""
    run = ts.load_run(file)
    repr(run)
    if "energy" in run.recorded:
        run.energy.table()
    if "q" in run.recorded and run.touched is not None:
        repr((run.loop_gaps, run.contacts.links, run.contacts.ground_force()))


@pytest.mark.parametrize("damage", [damaged_bytes, damaged_metadata, damaged_members])
def test_runs(damage: Damage, tmp_path: Path) -> None:
    model = stone()
    file = tmp_path / "run.npz"
    q = np.tile(start(model), (2, 1))
    ts.Simulation(model, ground=ts.Ground()).run(q, duration=0.01).save(file)
    try_file(file, damage, use, RunFileError)


@pytest.mark.parametrize("damage", [damaged_bytes, damaged_members])
def test_checkpoints(damage: Damage, tmp_path: Path) -> None:
    model, file = stone(), tmp_path / "run.npz"
    sim = ts.Simulation(model, ground=ts.Ground())
    sim.run(start(model), duration=0.01, checkpoint=file, checkpoint_every=0.005)
    try_file(file, damage, checkpoint.read, RunFileError)


# --- takes ------------------------------------------------------------------------------------


def damaged_json(data: bytes, randomness: random.Random) -> bytes:
    """Return a JSON file that is whole, but tells something else."""
    return json.dumps(damaged_data(json.loads(data), randomness)).encode()


def played(file: Path) -> ts.Simulation:
    """Save a take in which a stone is nailed, pushed and let go."""
    model = stone()
    sim = ts.Simulation(model, ground=ts.Ground())
    sim.add(ts.forces.Spring("arm", (0.0, 0.0, 0.5), 20.0))
    sim.reset(start(model), controller=ts.control.PD(model, 5.0, 0.1))
    with sim.record() as take:
        sim.step(steps=3)
        nail = sim.add(ts.constraint.Nail("ball"))
        sim.step((sim.q, sim.v), steps=2, external=ts.Push("arm", (1.0, 0.0, 0.0)))
        nail.on = False
        sim.step()
    take.save(file)
    return sim


@pytest.mark.parametrize("damage", [damaged_text, damaged_json])
def test_takes(damage: Damage, tmp_path: Path) -> None:
    file = tmp_path / "take.json"
    played(file)
    try_file(file, damage, ts.load_take, RunFileError)


def test_takes_that_are_played(tmp_path: Path) -> None:
    """What is read may not fit the simulation, which says so, and steps are still made after it."""
    file = tmp_path / "take.json"
    sim = played(file)
    whole, controller = file.read_bytes(), ts.control.PD(sim.model, 5.0, 0.1)

    def trial(generator: np.random.Generator) -> None:
        file.write_bytes(damaged_json(whole, random.Random(int(generator.integers(2**63)))))
        try:
            ts.load_take(file).replay(sim, controller, exact=False)
        finally:
            sim.reset(start(sim.model))
            sim.step()

    found = outcomes(trial, seeds(100), (ValueError, TypeError, ts.SimulationError))
    assert found["fine"] > 0 and found.total() > found["fine"]
