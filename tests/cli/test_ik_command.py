"""`tarsus ik`: what it finds, prints and returns."""

from __future__ import annotations

import json

import numpy as np
import pytest
from test_commands import QUADRUPED, output

import tarsus as ts
from tarsus.cli.app import run

FOOT = ("--frame", "front_left_foot", "--target", "0.2,0.15,-0.25")


def test_a_foot_is_led() -> None:
    data = json.loads(output("ik", QUADRUPED, *FOOT, "--base", "fixed", "--json"))
    model = ts.load(QUADRUPED, "fixed")
    assert data["status"] == "solved"
    place = model.frame_pose(data["q"], "front_left_foot")[:3, 3]
    assert np.abs(place - [0.2, 0.15, -0.25]).max() < 1e-8
    text = output("ik", QUADRUPED, *FOOT, "--base", "fixed")
    for word in ("solved", "front_left_knee", "front_left_foot", "steps from 1 start"):
        assert word in text


def test_out_of_reach_is_told_and_fails() -> None:
    far = ("--frame", "front_left_foot", "--target", "3,0,0")
    text = output("ik", QUADRUPED, *far, "--base", "fixed", "--starts", "2", code=1)
    assert "not reached" in text


def test_poses_and_frames_that_stay() -> None:
    data = json.loads(
        output(
            *("ik", QUADRUPED, "--base", "free", "--frame", "trunk"),
            *("--target", "0.02,0,-0.03,0,0.05,0", "--hold", "rear_left_foot", "--json"),
            *("--joint", "rear_left_knee=-1.0"),
        )
    )
    assert data["error"] < 1e-8
    assert set(data["errors"]) == {"trunk", "rear_left_foot stays"}


def test_mistakes_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {
        "no frame 'foot'": ("--frame", "foot", "--target", "0,0,0"),
        "has 2 numbers": ("--frame", "trunk", "--target", "0,0"),
        "--target nan,0,0 must be finite": ("--frame", "trunk", "--target", "nan,0,0"),
        "must be numbers": ("--frame", "trunk", "--target", "a,b,c"),
        "1 frames and 2 targets": (*FOOT, "--target", "0,0,0"),
        "as in knee=0.5": (*FOOT, "--joint", "front_left_knee"),
        "no joint 'knee'": (*FOOT, "--joint", "knee=1"),
    }
    for message, arguments in wrong.items():
        assert run(["ik", QUADRUPED, *arguments]) == 2
        assert message in capsys.readouterr().err
