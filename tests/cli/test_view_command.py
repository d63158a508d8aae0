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
        pytest.importorskip("pyarrow")
        what = str(tmp_path / "run.parquet")
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
    assert run(["view", "none.parquet"]) == 2
    assert "none.parquet" in capsys.readouterr().err
