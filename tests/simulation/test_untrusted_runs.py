"""Saved runs and checkpoints from anywhere: what does not fit is refused with the file's name."""

from __future__ import annotations

import base64
import io
import json
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, on_ground, standing, stiff

import tarsus as ts
from tarsus.simulation import RunFileError, Simulation, Trajectory, load_run


@pytest.fixture(scope="module")
def run() -> Trajectory:
    made = on_ground().run(np.tile(standing(), (2, 1)), duration=0.02, controller=stiff())
    assert len(made.contacts) > 20
    return made


@pytest.fixture
def saved(run: Trajectory, tmp_path: Path) -> Path:
    run.save(tmp_path / "run.npz")
    return tmp_path / "run.npz"


def rewrite(
    file: Path,
    change: Callable[[dict[str, Any]], object] = lambda data: None,
    **arrays: Any,
) -> None:
    """Change the metadata of a saved run, or its arrays; None removes one."""
    with np.load(file) as known:
        made = {**known, **arrays}
    data = json.loads(made.pop("metadata").tobytes())
    made = {name: array for name, array in made.items() if array is not None}
    data["arrays"] = list(made)
    change(data)
    np.savez_compressed(file, metadata=np.frombuffer(json.dumps(data).encode(), np.uint8), **made)


def put(key: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda data: data.__setitem__(key, value)


def put_settings(data: dict[str, Any]) -> None:
    data["settings"]["a"] = json.loads("[" * 90 + "]" * 90)


def failure(**changed: Any) -> dict[str, Any]:
    return {"state": 0, "time": 0.01, "body": None, "cause": "it fell", **changed}


def array(kind: str, shape: list[int], numbers: bytes) -> dict[str, Any]:
    return {"$array": [kind, shape, base64.b64encode(numbers).decode()]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("ground", {"$kind": "Terrain"}), "there is no 'Terrain'.*HeightField"),
        (put("ground", {"$kind": "__builtins__"}), "there is no '__builtins__'"),
        (put("ground", {"$kind": ["Ground"]}), "there is no"),
        (put("ground", {"$kind": "Ground", "x": 1}), "Ground has no argument 'x'"),
        (put("ground", {"$kind": "Ground", "slope": "x"}), "Ground cannot be made: .*slope"),
        (put("ground", {"$kind": "Plane"}), "must be a ground"),
        (put("ground", {"kind": "Ground"}), "must be a ground"),
        (put("model", []), "model of the metadata must be dict"),
        (put("model", {}), "the file has no 'format'"),
        (put("version", 7), "version 7, must have 'tarsus run', 1"),
        (put("version", "1"), "version of the metadata must be int"),
        (put("format", "tarsus"), "format 'tarsus'"),
        (put("arrays", []), "it has the arrays"),
        (put("arrays", [3]), "it has the arrays"),
        (put("samples", 12), r"t is float64 of shape \(11,\), must be float64 of shape \(12,\)"),
        (put("samples", 10**30), "t is float64"),
        (put("samples", True), "samples of the metadata must be int"),
        (put("batch", 0), "batch of the metadata is 0, must be above zero"),
        (put("batch", [1]), "batch of the metadata must be int or NoneType"),
        (put("batch", None), r"q is float64 of shape \(2, 11, 19\)"),
        (put("settings", 3), "settings of the metadata must be dict"),
        (put("settings", {"$tuple": []}), "settings of the metadata must be values"),
        (put_settings, "50 deep"),
        (put("failures", [failure(state=2)]), "the state of a failure is 2, must be an index of 2"),
        (put("failures", [failure(state=-1)]), "the state of a failure is -1, must be an index"),
        (put("failures", [failure(state=10**30)]), "the state of a failure is"),
        (put("failures", [failure(time=None)]), "a failure is"),
        (put("failures", [{"state": 1}]), "a failure is .* must have state, time, body, cause"),
        (put("places", []), "candidate of a contact is .*, must be an index of 0"),
        (put("places", [["a", 1, "b"]]), "a place is .* must be names"),
        (put("unsolved", 3), "unsolved of the metadata must be list"),
        (put("unsolved", [[1]]), "unsolved of the metadata must be two values"),
        (put("unsolved", [[1], [2]]), "counts of unsolved steps"),
        (put("unsolved", [array("<i8", [3], bytes(24))] * 2), "counts of unsolved steps"),
        (put("ended", [array("<f8", [2], bytes(16)), "one"]), "not one word for each state"),
        (put("ended", [array("<f8", [2], bytes(16)), ["a", 3]]), "reasons of ended"),
        (put("parts", [["a", 7]]), "a part is"),
        (put("sensors", [{"name": "a"}]), "a sensor is"),
        (put("sensors", [{"name": "a", "parts": ["x"], "unit": "m"}]), "no array 'sensor_0'"),
        (put("integration", {"$kind": "Integration"}), "Integration cannot be made"),
        (lambda data: data.pop("places"), "the metadata has no 'places'"),
        (lambda data: data.clear(), "the metadata has no 'format'"),
        (lambda data: data.update(more=1), "unknown key 'more'"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(
    saved: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    rewrite(saved, change)
    with pytest.raises(RunFileError, match=rf"run\.npz.*{message}"):
        load_run(saved)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("q", np.zeros((2, 11, 18)), r"q is float64 of shape \(2, 11, 18\), must be .* 19\)"),
        ("q", np.zeros((2, 11)), "q is float64 of shape"),
        ("q", np.zeros((2, 11, 19), np.float32), "q is float32"),
        ("q", np.full((2, 11, 19), "x"), "q is <U1"),
        ("v", np.zeros((2, 11, 19)), "v is float64 of shape"),
        ("energy", np.zeros((2, 11, 3)), "energy is float64 of shape"),
        ("statistics", np.zeros((2, 11, 4)), "statistics is float64 of shape"),
        ("t", None, "it has no array 't'"),
        ("contact_state", None, "it has no array 'contact_state'"),
        ("contact_rows", None, "arrays that no run has: contact_state, contact_sample"),
        ("contact_rows", np.zeros((3, 12)), r"contact_rows is .* must be float64 of shape \(n, 13"),
        ("more", np.zeros(3), "arrays that no run has: more"),
        ("event_rows", np.zeros((1, 10)), "the index of an event in places is 0, must be an index"),
    ],
)
def test_arrays_that_do_not_fit_the_model_are_refused(
    saved: Path, name: str, array: Any, message: str
) -> None:
    rewrite(saved, **{name: array})
    with pytest.raises(RunFileError, match=rf"run\.npz.*{message}"):
        load_run(saved)


def test_a_state_of_a_batch_keeps_the_number_of_its_failure(saved: Path, tmp_path: Path) -> None:
    rewrite(saved, put("failures", [failure(state=1)]))
    load_run(saved)[1].save(tmp_path / "second.npz")
    (found,) = load_run(tmp_path / "second.npz").failures
    assert (found.state, found.cause) == (1, "it fell")


@pytest.mark.parametrize("value", [-1.0, 1e9, 0.5, np.nan, np.inf])
@pytest.mark.parametrize("column", [0, 11])
def test_contacts_that_do_not_fit_are_refused(
    saved: Path, run: Trajectory, column: int, value: float
) -> None:
    rows = run.contacts.rows.copy()
    rows[-1, column] = value
    rewrite(saved, contact_rows=rows)
    with pytest.raises(RunFileError, match=r"run\.npz.*must be an index of"):
        load_run(saved)


@pytest.mark.parametrize("name", ["contact_state", "contact_sample"])
@pytest.mark.parametrize("value", [-1, 11, 2**62])
def test_contacts_of_no_sample_are_refused(saved: Path, name: str, value: int) -> None:
    with np.load(saved) as known:
        index = known[name]
    index[0] = value
    rewrite(saved, **{name: index})
    with pytest.raises(RunFileError, match=rf"run\.npz.*{name} is .*must be an index of"):
        load_run(saved)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (put("limits", "hinge"), "limits of the metadata must be list"),
        (put("limits", []), "the index of an event in limits is 1, must be an index of 0"),
        (put("frictions", [3]), "frictions must be a list of names"),
    ],
)
def test_events_of_nothing_are_refused(tmp_path: Path, change: Any, told: str) -> None:
    b = ts.Builder("door").body("door", 1.0, (0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    b.joint("hinge", "revolute", "world", "door", axis="y", lower=-1.0, upper=0.6)
    run = Simulation(b.build(), contact="event", dt=0.01).run(np.zeros(1), duration=1.0)
    run.save(tmp_path / "run.npz")
    rewrite(tmp_path / "run.npz", change)
    with pytest.raises(RunFileError, match=told):
        load_run(tmp_path / "run.npz")


def test_runs_that_would_be_large_are_refused_before_they_are(saved: Path) -> None:
    made = {name: np.zeros((2, 10_000, n)) for name, n in (("q", 19), ("v", 18))}
    others = dict.fromkeys(("tau", "energy", "statistics", "limits"))
    others |= dict.fromkeys(("contact_rows", "contact_state", "contact_sample"))
    change = put("samples", 10_000)
    rewrite(saved, change, t=np.zeros(10_000), **made, **others)
    size = 8 * 10_000 * (1 + 2 * 37)
    assert saved.stat().st_size < size / 100
    with pytest.raises(RunFileError, match=r"holds 60\d{5} bytes of numbers, max_bytes is 1000000"):
        load_run(saved, max_bytes=1_000_000)
    assert load_run(saved, max_bytes=size + 100_000).q.shape == (2, 10_000, 19)


def test_arrays_that_are_larger_than_stated_are_refused(saved: Path) -> None:
    """The archive states fewer bytes than are in it: no more than these are read."""
    with np.load(saved) as known:
        made = {**known, "q": np.zeros(10_000_000)}
    np.savez_compressed(saved, **made)
    data = saved.read_bytes()
    stated = (80_000_128).to_bytes(4, "little")
    assert stated in data
    saved.write_bytes(data.replace(stated, (300).to_bytes(4, "little")))
    tracemalloc.start()
    with pytest.raises(RunFileError, match="not a saved run, or damaged"):
        load_run(saved, max_bytes=1_000_000)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_pickles_and_odd_archives_are_refused(saved: Path) -> None:
    with np.load(saved) as known:
        made = dict(known)
    np.savez_compressed(saved, **{**made, "q": np.array([{}], dtype=object)})
    with pytest.raises(RunFileError, match="type object"):
        load_run(saved)
    for kind in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2):
        with zipfile.ZipFile(saved, "w", kind) as archive:
            archive.writestr("metadata.npy", b"x" * 1000)
        with pytest.raises(RunFileError, match="its compression is unknown"):
            load_run(saved)
    for second in ("metadata.npy", "metadata"):
        with warnings.catch_warnings(), zipfile.ZipFile(saved, "w") as archive:
            warnings.simplefilter("ignore")
            archive.writestr("metadata.npy", b"x")
            archive.writestr(second, b"y")
        with pytest.raises(RunFileError, match="two arrays of the same name"):
            load_run(saved)


def test_meshes_of_a_run_are_not_opened_outside_its_folder(tmp_path: Path) -> None:
    mesh = tmp_path / "robots" / "a.obj"
    mesh.parent.mkdir()
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n")
    b = ts.Builder("stone").body("a", 1.0, inertia=(1.0, 1.0, 1.0)).joint("j", "free", "world", "a")
    b.shape("a", "mesh", role="collision", file=str(mesh))
    file = tmp_path / "runs" / "run.npz"
    file.parent.mkdir()
    Simulation(b.build(), ground=None).run(duration=0.01).save(file)
    model = load_run(file).model
    assert model.shapes[0].file == mesh.as_uri()
    assert any(f"package_dirs=['{mesh.parent}']" in warning for warning in model.warnings)
    assert load_run(file, package_dirs=[mesh.parent]).model.shapes[0].file == str(mesh)


@pytest.mark.parametrize("size", [0, 3, 100, 0.5, 0.99])
def test_cut_files_are_refused(saved: Path, size: float) -> None:
    data = saved.read_bytes()
    saved.write_bytes(data[: size if isinstance(size, int) else int(size * len(data))])
    with pytest.raises(RunFileError, match=r"run\.npz is not a saved run, or damaged"):
        load_run(saved)


# --- checkpoints ------------------------------------------------------------------------------


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    file = tmp_path / "run.npz"
    Simulation(arm()).run(ARM, duration=0.02, checkpoint=file, checkpoint_every=0.01)
    return file


def change(file: Path, **arrays: Any) -> None:
    with np.load(file) as known:
        np.savez(file, **{**known, **arrays})


def plan(file: Path, **entries: Any) -> None:
    with np.load(file) as known:
        stated = json.loads(str(known["plan"]))
    change(file, plan=np.array(json.dumps(stated | entries)))


def refused(file: Path, message: str) -> None:
    with pytest.raises(RunFileError, match=rf"run\.npz.*{message}"):
        Simulation(arm()).resume(file)


def test_checkpoints_with_other_numbers_are_refused(checkpoint: Path) -> None:
    for name, array, message in (
        ("q", np.zeros((1, 5)), r"q has shape \(1, 5\), must be \(1, 4\)"),
        ("v", np.zeros((2, 4)), r"v has shape \(2, 4\), must be \(1, 4\)"),
        ("memory", np.zeros((1, 1)), r"memory has shape \(1, 1\)"),
        ("parameters", np.zeros((3, 1)), r"parameters has shape \(3, 1\)"),
        ("q", np.zeros((0, 4)), r"q has shape \(0, 4\)"),
        ("q", np.zeros((1, 4), np.float32), "it has no q"),
        ("v", np.array("x"), "it has no v"),
        ("memory", np.zeros(4), "it has no memory"),
    ):
        with np.load(checkpoint) as known:
            right = known[name]
        change(checkpoint, **{name: array})
        refused(checkpoint, message)
        change(checkpoint, **{name: right})
    assert Simulation(arm()).resume(checkpoint).t[-1] == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("step", -1), ("step", 2**60), ("step", "1"), ("batched", 1), ("steps", None)),
        *(("every", 0), ("cadence", -1), ("record", 3), ("drive", 1), ("version", 99)),
    ],
)
def test_plans_that_cannot_be_are_refused(checkpoint: Path, name: str, value: Any) -> None:
    plan(checkpoint, **{name: value})
    refused(checkpoint, "version 99" if name == "version" else f"{name} of the plan is")


@pytest.mark.parametrize("text", ["", "no json", "[]", "[" * 100_000, "{}", '{"step": 1}'])
def test_plans_that_are_none_are_refused(checkpoint: Path, text: str) -> None:
    change(checkpoint, plan=np.array(text))
    refused(checkpoint, "")


def test_a_checkpoint_is_not_larger_than_its_file(checkpoint: Path) -> None:
    with np.load(checkpoint) as known:
        np.savez_compressed(checkpoint, **{**known, "q": np.zeros((1_000_000, 4))})
    assert checkpoint.stat().st_size < 1_000_000
    refused(checkpoint, "it is compressed")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 4)}
    )
    with zipfile.ZipFile(checkpoint, "w") as archive:
        archive.writestr("q.npy", header.getvalue())
    refused(checkpoint, r"an array of shape \(1000000000000, 4\) .* has 128 bytes")
    np.savez(checkpoint, q=np.array([{}], dtype=object))
    refused(checkpoint, "type object")


def test_damage_of_a_checkpoint_is_found(checkpoint: Path) -> None:
    data = checkpoint.read_bytes()
    middle = data.index(b"\x93NUMPY") + 200
    flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    for damaged in (b"", data[:100], data[: len(data) // 2], data[:-1], flipped):
        checkpoint.write_bytes(damaged)
        refused(checkpoint, "not a checkpoint of a simulation, or damaged")


def test_a_bit_that_turned_over_is_found(saved: Path, run: Trajectory) -> None:
    whole = saved.read_bytes()
    places = np.linspace(4, 0.8 * len(whole), 40).astype(int)
    wrong = 0
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        saved.write_bytes(bytes(damaged))
        try:
            found = load_run(saved)
        except RunFileError:
            continue
        wrong += not all(np.array_equal(found.recorded[n], run.recorded[n]) for n in run.recorded)
    print(f"{wrong} of {len(places)} damaged files were read with other numbers")
    assert wrong == 0
