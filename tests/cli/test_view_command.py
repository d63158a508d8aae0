"""`tarsus view`: models and runs are shown, and what cannot be is one line."""

from __future__ import annotations

import threading
import time
import urllib.request
from pathlib import Path

import pytest

import tarsus as ts
from tarsus.cli.app import run

pytest.importorskip("websockets")
QUADRUPED = str(Path(__file__).parents[2] / "examples/quadruped.urdf")


@pytest.mark.parametrize("kind", ["model", "run"])
def test_it_is_shown(kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    what = QUADRUPED
    if kind == "run":
        what = str(tmp_path / "run.npz")
        ts.Simulation(ts.robots.chain(2)).run(duration=0.05).save(what)
    arguments = ["view", what, "--for", "6", "--port", "18790"]
    thread = threading.Thread(target=run, args=(arguments,))
    thread.start()
    printed = ""
    while "http://" not in printed and thread.is_alive():
        time.sleep(0.1)
        printed += capfd.readouterr().out
    url = next(word for word in printed.split() if word.startswith("http://"))
    with urllib.request.urlopen(url, timeout=60) as page:
        assert b"<html" in page.read()
    thread.join()


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["view", "nobody"]) == 2
    assert "there is no model 'nobody'" in capsys.readouterr().err
    assert run(["view", "none.npz"]) == 2
    assert "none.npz" in capsys.readouterr().err
    assert run(["view", "run.parquet"]) == 2
    assert "save the run as run.npz" in capsys.readouterr().err


def test_meshes_that_are_not_there_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "stone.urdf"
    mesh = '<visual><geometry><mesh filename="package://gone/a.stl"/></geometry></visual>'
    # fixed to the world, so that there is nothing to see, either
    file.write_text(f'<robot name="stone"><link name="stone">{mesh}</link></robot>')
    assert run(["view", str(file), "--for", "0.1", "--port", "18791"]) == 0
    assert "mesh files (1) are not found: package://gone/a.stl" in capsys.readouterr().err
