"""Loops that cannot be stated or built: every mistake is named."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from rods import LENGTHS, four_bar, open_chain, rods

import tarsus as ts
from tarsus._lib.files import Array


def test_functions_cannot_be_in_a_cluster_with_a_loop() -> None:
    def function(y: Array) -> tuple[Array, Array, Array]:
        return y**2, 2 * y[:, None], 2 * np.ones((1, 1, 1))

    builder = four_bar().body("wheel", 1.0).joint("drive", "revolute", "world", "wheel")
    builder.transmission("function", "ja", "drive", name="own", function=function)
    with pytest.raises(ts.ModelError, match=r"coupling 'own'.*one cluster with loop 'pin'"):
        builder.build()


BAD_MODELS: dict[str, tuple[Callable[[], ts.Builder], str]] = {
    "out of reach": (
        lambda: four_bar((0.3, 1.0, 0.8, 3.0)),
        "loop 'pin' cannot be closed: a gap of .* is left",
    ),
    "constraint out of reach": (
        lambda: four_bar((0.3, 1.0, 0.8, 3.0), constraint=True),
        "loop 'pin' cannot be closed",
    ),
    "singular start": (
        lambda: four_bar((0.5, 1.0, 0.5, 1.0), start={"jb": 0.0, "jc": np.pi}),
        "loop 'pin': the start configuration is singular",
    ),
    "too few independent joints": (
        lambda: four_bar(independent=[]),
        "loop 'pin': more joints stay independent than were stated: ja",
    ),
    "too many independent joints": (
        lambda: four_bar(independent=["ja", "jb"]),
        r"loop 'pin': only 1 of 2 velocities .*\(stated: ja, jb\)",
    ),
    "independent joint elsewhere": (
        lambda: four_bar(independent=["jd"]).body("d", 1).joint("jd", "revolute", "c", "d"),
        "there is no joint 'jd'",
    ),
    "follower as a start": (
        lambda: four_bar(start={"jb": 1.0}).couple(["ja", "jb"], [[1], [2]]),
        "loop 'pin': start of joint 'jb': it follows other joints",
    ),
    "different starts": (
        lambda: four_bar(start={"jb": 1.0}).close_loop(
            "planar", "c", (0, 0, 0), "world", (0, 0, 0), name="plane", start={"jb": 1.1}
        ),
        "loop 'plane': start of joint 'jb' is 1.1, but 1.0 for loop 'pin'",
    ),
    "bodies that are welded together": (
        lambda: (
            four_bar()
            .body("d", 1)
            .joint("jd", "fixed", "c", "d")
            .close_loop("weld", "d", (0, 0, 0), "c", (0, 0, 0), name="x")
        ),
        "loop 'x': bodies 'd' and 'c' do not move relative to each other",
    ),
}


@pytest.mark.parametrize("name", BAD_MODELS)
def test_loops_that_cannot_be_built(name: str) -> None:
    make, message = BAD_MODELS[name]
    with pytest.raises(ts.ModelError, match=message):
        make().build()


def test_independent_joints_are_on_the_loop() -> None:
    builder = rods(ts.Builder("x"), LENGTHS).body("d", 1.0).joint("jd", "revolute", "world", "d")
    add = [("ja", "world", "a", 0.0), ("jb", "a", "b", 0.3), ("jc", "b", "c", 1.0)]
    for name, parent, child, x in add:
        builder.joint(name, "revolute", parent, child, position=(x, 0, 0))
    ends = ("c", (0.8, 0, 0), "world", (0.9, 0, 0))
    builder.close_loop("revolute", *ends, name="pin", independent=["jd"])
    with pytest.raises(ts.ModelError, match=r"loop 'pin': joint 'jd' is not on it.*valid: ja, jb"):
        builder.build()


Call = Callable[[ts.Builder], object]
HERE = ((0, 0, 0), "world", (0, 0, 0))
BAD_CALLS: dict[str, tuple[Call, str]] = {
    "kind": (lambda b: b.close_loop("revolut", "c", *HERE), "did you mean 'revolute'"),
    "body": (lambda b: b.close_loop("weld", "d", *HERE), "body_a 'd' is not declared"),
    "same body": (
        lambda b: b.close_loop("weld", "c", (0, 0, 0), "c", (0, 0, 0)),
        "loop 'c_c': both ends are on body 'c'",
    ),
    "frame of another body": (
        lambda b: b.frame("tip", "b").close_loop("weld", "c", "tip", "a", "a"),
        r"body 'c' has no frame 'tip' \(valid: c\)",
    ),
    "frame of a wrong shape": (
        lambda b: b.close_loop("weld", "c", (0, 0), "a", "a"),
        r"frame_a has shape \(2,\), must be \(3,\), a position, or \(4, 4\), a placement",
    ),
    "frame that is no pose": (
        lambda b: b.close_loop("weld", "c", np.ones((4, 4)), "a", "a"),
        "loop 'c_a', frame a: the last row",
    ),
    "no length": (lambda b: b.close_loop("distance", "c", *HERE), r"needs a length \[m\] above"),
    "length": (
        lambda b: b.close_loop("weld", "c", *HERE, length=1),
        "for loops of kind 'distance'",
    ),
    "independent": (
        lambda b: b.close_loop("weld", "c", *HERE, independent=["jx"]),
        "there is no joint 'jx'.*valid: ja, jb, jc",
    ),
    "start": (lambda b: b.close_loop("weld", "c", *HERE, start={"j": 1}), "no joint 'j'"),
    "start that is not finite": (
        lambda b: b.close_loop("weld", "c", *HERE, start={"ja": np.nan}),
        "start of joint 'ja' is not finite",
    ),
    "constraint": (
        lambda b: b.close_loop("weld", "c", *HERE, constraint="yes"),  # type: ignore[arg-type]
        "constraint is 'yes', must be None, True or False",
    ),
    "knife edge in a cluster": (
        lambda b: b.close_loop("knife_edge", "c", *HERE, constraint=False),
        "is always a constraint",
    ),
    "independent joints of a constraint": (
        lambda b: b.close_loop("weld", "c", *HERE, constraint=True, independent=["ja"]),
        "independent joints are for loops that are no constraints",
    ),
    "name twice": (
        lambda b: b.close_loop("planar", "c", *HERE, name="x").close_loop(
            "planar", "b", *HERE, name="x"
        ),
        "loop name 'x' is used twice",
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_wrong_call_fails_at_once(name: str) -> None:
    call, message = BAD_CALLS[name]
    with pytest.raises(ts.ModelError, match=message):
        call(open_chain())


def test_loops_without_names_are_numbered() -> None:
    """Names that only begin alike do not count, and names that a user took are passed over."""
    builder = ts.Builder("names")
    for name in ("a", "b", "b_c"):
        builder.body(name, 1.0).joint(f"j{name}", "free", "world", name)
    ends = (np.zeros(3), "b", np.zeros(3))
    builder.close_loop("spherical", "a", np.zeros(3), "b_c", np.zeros(3))
    builder.close_loop("spherical", "a", *ends).close_loop("spherical", "a", *ends, name="a_b_2")
    builder.close_loop("spherical", "a", *ends)
    names = [loop.name for loop in builder.description().loops]
    assert names == ["a_b_c", "a_b", "a_b_2", "a_b_3"]


def test_a_structure_that_cannot_move_is_named() -> None:
    builder = rods(ts.Builder("truss"), LENGTHS).joint("ja", "revolute", "world", "a")
    builder.joint("jb", "revolute", "a", "b", position=(0.3, 0, 0)).joint(
        "jc", "free", "world", "c"
    )
    builder.close_loop("revolute", "b", (1, 0, 0), "world", (0.9, 0, 0), name="pin")
    model = builder.build()
    assert model.nv == 6
    assert model.warnings == ("the joints of loop pin cannot move: no velocity stays free",)
    assert np.isfinite(model.forward_dynamics(model.neutral(), np.zeros(6), np.zeros(6))).all()


def test_a_start_at_which_nothing_moves_the_loop_is_named() -> None:
    """Two parallel cranks whose pins are as far apart as the rod is long: singular at zero."""
    builder = ts.Builder("cranks")
    for name, at in (("a", 0.0), ("b", 0.5)):
        builder.body(name, 1.0, (0.2, 0, 0), (1e-3, 1e-2, 1e-2))
        builder.joint(f"j{name}", "revolute", "world", name, position=(at, 0, 0))
    builder.close_loop("distance", "a", (0.4, 0, 0), "b", (0.4, 0, 0), length=0.5, name="rod")
    with pytest.raises(ts.ModelError, match=r"loop 'rod'.*singular"):
        builder.build()
