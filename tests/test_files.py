"""What is saved replaces the old file whole or not at all, whatever happens on the way."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from writers import WRITERS

from tarsus._lib.files import replacing

pytest.importorskip("pyarrow")
pytest.importorskip("mcap")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all files as they were first written."""
    folder = tmp_path_factory.mktemp("originals")
    for name, writer in WRITERS.items():
        writer(folder / name, 0)
    return folder


@pytest.fixture
def before(originals: Path, tmp_path: Path) -> dict[str, bytes]:
    """Return the bytes of all files, which are in `tmp_path` now."""
    shutil.copytree(originals, tmp_path, dirs_exist_ok=True)
    return contents(tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder, hidden files included."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def program(*arguments: object) -> list[list[str]]:
    """Return what `writers.py` prints, word by word."""
    command = [sys.executable, str(Path(__file__).with_name("writers.py")), *map(str, arguments)]
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    found = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stderr
    return [line.split("|") for line in found.stdout.splitlines()]


def test_files_are_overwritten_and_nothing_else_is_left(
    tmp_path: Path, before: dict[str, bytes]
) -> None:
    assert set(before) == set(WRITERS)
    for name, writer in WRITERS.items():
        writer(tmp_path / name, 1)
    after = contents(tmp_path)
    assert set(after) == set(WRITERS)
    assert all(after[name] != before[name] for name in WRITERS)


def test_a_full_disk_leaves_the_old_files(tmp_path: Path, before: dict[str, bytes]) -> None:
    assert all(len(data) > 600 for data in before.values())
    told = program("fill", tmp_path)
    print(*told, sep="\n")
    assert [name for name, *_ in told] == list(WRITERS)
    for name, kind, *message in told:
        assert kind == "OSError" and "File too large" in message[0], name
    assert contents(tmp_path) == before


def test_an_unwritable_folder_is_named(originals: Path) -> None:
    # not in tmp_path, into which nobody else may look
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copytree(originals, folder, dirs_exist_ok=True)
        folder.chmod(0o555)
        for name, kind, *message in program("refuse", folder):
            assert kind == "PermissionError" and message[0].endswith(f"'{folder / name}'"), message
        assert contents(folder) == contents(originals)
        folder.chmod(0o755)


def test_a_kill_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    for name in ("model.yaml", "run.npz", "run.mcap", "checkpoint.npz"):
        for version in (0, 1):
            WRITERS[name](tmp_path / f"{version}-{name}", version)
        WRITERS[name](tmp_path / name, 0)
    told = program("kill", tmp_path, 5)
    assert len(told) == 20 and all(word == "whole" for _, word in told), told


def test_what_is_raised_on_the_way_passes(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("old")
    for error in (KeyboardInterrupt, ZeroDivisionError):
        with pytest.raises(error), replacing(file) as part:
            part.write_text("new")
            raise error
    assert contents(tmp_path) == {"notes.txt": b"old"}


def test_a_disk_that_fails_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("old")

    def broken(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    failure = pytest.raises(OSError, match=r"Input/output error: '.*notes\.txt'")
    with failure, replacing(file) as part:
        part.write_text("new")
    assert contents(tmp_path) == {"notes.txt": b"old"}


def test_links_permissions_and_devices_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "notes.txt", tmp_path / "link.txt"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file.name)
    with replacing(link) as part:
        assert part.suffix == ".txt" and part.parent == tmp_path
        part.write_text("new")
    assert link.is_symlink() and file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    with replacing("/dev/null") as part:
        part.write_text("gone")
    assert not Path("/dev/null").is_file()
    with replacing(tmp_path / "fresh.txt") as part:
        part.write_text("new")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "fresh.txt").stat().st_mode) == 0o666 & ~mask


def test_missing_folders_are_named(tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "notes.txt"
    with pytest.raises(FileNotFoundError, match=r"nowhere/notes\.txt'"), replacing(file):
        pass
