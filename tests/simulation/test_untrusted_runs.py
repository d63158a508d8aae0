"""Saved runs and checkpoints from anywhere: what does not fit is refused with the file's name."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, on_ground, standing, stiff
from oracle import Array

import tarsus as ts
from tarsus.simulation import RunFileError, Simulation, Trajectory, load_run
from tarsus.simulation.parquet_footer import read_chunks

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def run() -> Trajectory:
    made = on_ground().run(np.tile(standing(), (2, 1)), duration=0.02, controller=stiff())
    assert len(made.contacts) > 20
    return made


@pytest.fixture
def saved(run: Trajectory, tmp_path: Path) -> Path:
    run.save(tmp_path / "run.parquet")
    return tmp_path / "run.parquet"


def rewrite(
    file: Path,
    change: Callable[[dict[str, Any]], object] = lambda data: None,
    columns: Callable[[Any], Any] = lambda table: table,
) -> None:
    """Change the metadata of a saved run, or its columns."""
    table = parquet.read_table(file)
    data = json.loads(table.schema.metadata[b"tarsus"])
    change(data)
    known = {b"tarsus": json.dumps(data).encode()}
    parquet.write_table(columns(table).replace_schema_metadata(known), file)


def put(key: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda data: data.__setitem__(key, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("ground", {"kind": "Terrain", "values": {}}), "no ground 'Terrain'.*HeightField"),
        (put("ground", {"kind": "stand", "values": {}}), "there is no ground 'stand'"),
        (put("ground", {"kind": "__builtins__"}), "there is no ground '__builtins__'"),
        (put("ground", {"kind": ["Ground"]}), "there is no ground"),
        (put("ground", {"kind": "Ground", "values": {"x": 1}}), "the ground Ground cannot be made"),
        (put("ground", {"kind": "Ground", "values": None}), "the ground Ground cannot be made"),
        (put("ground", {"kind": "Ground", "values": {"slope": "x"}}), "cannot be made: .*slope"),
        (put("model", []), "model of the metadata must be dict"),
        (put("model", {}), "the file has no 'format'"),
        (put("version", 7), "has version 7, this is version 1"),
        (put("version", "1"), "version of the metadata must be int"),
        (put("samples", 12), r"has 22 rows, must have one for 24 samples"),
        (put("samples", 10**30), "has 22 rows"),
        (put("samples", True), "samples of the metadata must be int"),
        (put("batch", 0), "batch of the metadata is 0, must be above zero"),
        (put("batch", [1]), "batch of the metadata must be int or NoneType"),
        (put("settings", 3), "settings of the metadata must be dict"),
        (put("failures", [{"state": 1}]), "a failure is .* must have state, time, body, cause"),
        (put("places", []), "a contact has candidate .*, of 0 places"),
        (put("places", [["a", 1, "b"]]), "a place is .* must be names"),
        (put("unsolved", 3), "unsolved must be"),
        (put("unsolved", [[1], [2]]), "counts of unsolved steps"),
        (lambda data: data.pop("places"), "the metadata has no 'places'"),
        (lambda data: data.clear(), "the metadata has no 'version'"),
        (lambda data: data["settings"].update(a=json.loads("[" * 90 + "]" * 90)), "50 deep"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(
    saved: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    rewrite(saved, change)
    with pytest.raises(RunFileError, match=rf"run\.parquet.*{message}"):
        load_run(saved)


def lists(rows: Array) -> Any:
    return pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), rows.shape[1])


def column(name: str, values: Any) -> Callable[[Any], Any]:
    return lambda table: table.set_column(table.schema.get_field_index(name), name, values)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (column("q", lists(np.zeros((22, 18)))), "q has lists of 18 numbers, its model needs 19"),
        (column("q", pa.array(np.zeros(22))), "q has lists of None numbers"),
        (column("v", lists(np.zeros((22, 19)))), "v has lists of 19 numbers, its model needs 18"),
        (column("energy", lists(np.zeros((22, 3)))), "energy has lists of 3 numbers"),
        (column("statistics", lists(np.zeros((22, 4)))), "statistics has lists of 4 numbers"),
        (column("t", pa.array(["x"] * 22)), "damaged"),
        (column("t", pa.array([None] * 22, pa.float64())), "damaged"),
        (column("contacts", pa.array([1] * 22)), "damaged"),
        (column("contacts", pa.array([[{"candidate": 0}]] * 22)), "damaged"),
        (lambda table: table.drop_columns("t"), "damaged"),
        (lambda table: table.slice(0, 20), "has 20 rows"),
    ],
)
def test_columns_that_do_not_fit_the_model_are_refused(
    saved: Path, columns: Callable[[Any], Any], message: str
) -> None:
    rewrite(saved, columns=columns)
    with pytest.raises(RunFileError, match=rf"run\.parquet.*{message}"):
        load_run(saved)


def test_contacts_that_do_not_fit_are_refused(saved: Path) -> None:
    def with_state(word: str) -> Callable[[Any], Any]:
        def change(table: Any) -> Any:
            kind = table.schema.field("contacts").type
            records = table.column("contacts").to_pylist()
            for record in records[-1]:
                record["state"] = word
            return column("contacts", pa.array(records, kind))(table)

        return change

    rewrite(saved, columns=with_state("slip"))
    assert set(load_run(saved).contacts.of_state(1).states[-4:]) == {"slip"}
    rewrite(saved, columns=with_state("fly"))
    with pytest.raises(RunFileError, match=r"run\.parquet.*'fly'"):
        load_run(saved)


def test_runs_that_would_be_large_are_refused_before_they_are(saved: Path) -> None:
    def large(table: Any) -> Any:
        rows = 20_000
        fields = {name: table.column(name) for name in ("q", "v", "energy")}
        widths = {name: part.type.list_size for name, part in fields.items()}
        made = {name: lists(np.zeros((rows, width))) for name, width in widths.items()}
        return pa.table({"t": pa.array(np.zeros(rows)), **made})

    rewrite(saved, lambda data: data.update(samples=10_000), large)
    size = 20_000 * 8 * (1 + 19 + 18 + 78)
    assert saved.stat().st_size < size / 100
    with pytest.raises(RunFileError, match=rf"holds {size} bytes of numbers, max_bytes is 1000000"):
        load_run(saved, max_bytes=1_000_000)
    assert load_run(saved, max_bytes=size).q.shape == (2, 10_000, 19)


def test_words_that_nobody_needs_are_not_read(saved: Path) -> None:
    def wordy(table: Any) -> Any:
        records = table.column("contacts").combine_chunks()
        flat = records.flatten()
        fields = {field.name: flat.field(field.name) for field in flat.type}
        for name in ("body", "link", "other"):
            places = pa.array(np.zeros(len(flat), np.int32))
            fields[name] = pa.DictionaryArray.from_arrays(places, pa.array(["x" * 10_000_000]))
        made = pa.StructArray.from_arrays(list(fields.values()), list(fields))
        return column("contacts", pa.ListArray.from_arrays(records.offsets, made))(table)

    before = load_run(saved).contacts
    rewrite(saved, columns=wordy)
    after = load_run(saved, max_bytes=1_000_000).contacts
    np.testing.assert_array_equal(after.rows, before.rows)
    assert after.links.tolist() == before.links.tolist()


def test_meshes_of_a_run_are_not_opened_outside_its_folder(tmp_path: Path) -> None:
    mesh = tmp_path / "robots" / "a.obj"
    mesh.parent.mkdir()
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n")
    b = ts.Builder("stone").body("a", 1.0, inertia=(1.0, 1.0, 1.0)).joint("j", "free", "world", "a")
    b.shape("a", "mesh", role="collision", file=str(mesh))
    file = tmp_path / "runs" / "run.parquet"
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
    with pytest.raises(RunFileError, match=r"run\.parquet is damaged"):
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


def varint(number: int, length: int = 0) -> bytes:
    """A number of Thrift's compact protocol, longer than needed if it must be."""
    digits = [number >> 7 * k & 127 for k in range(max(length, -(-number.bit_length() // 7)))]
    return bytes([*(digit | 128 for digit in digits[:-1]), digits[-1]])


def test_a_footer_that_tells_less_than_its_pages_hold_is_refused(saved: Path) -> None:
    count = 5_000_000

    def crowded(table: Any) -> Any:
        fields = {"candidate": pa.array(np.zeros(count, np.int32)), "gap": pa.nulls(count)}
        records = pa.StructArray.from_arrays(list(fields.values()), list(fields))
        offsets = np.full(23, count, np.int32)
        offsets[0] = 0
        return column("contacts", pa.ListArray.from_arrays(pa.array(offsets), records))(table)

    rewrite(saved, columns=crowded)
    with pytest.raises(RunFileError, match="max_bytes is 1000000"):
        load_run(saved, max_bytes=1_000_000)
    (stated,) = {c.values for c in read_chunks(saved) if c.path.endswith("candidate")}
    told = varint(2 * stated)
    begin, end = saved.read_bytes().rsplit(b"ARROW:schema", 1)
    footer = begin.rindex(b"schema")
    changed = begin[footer:].replace(told, varint(2 * 22, len(told)))
    assert changed != begin[footer:]
    saved.write_bytes(begin[:footer] + changed + b"ARROW:schema" + end)
    with pytest.raises(RunFileError, match=r"candidate tells of 22 values .*, it has 5000021 in"):
        load_run(saved)


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
