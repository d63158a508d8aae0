"""Pairs worth watching, found in random configurations, and SRDF files of what is not."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import tarsus as ts
from tarsus.geometry import (
    Distances,
    SweptSphere,
    Volumes,
    choose_pairs,
    link_pairs,
    load_srdf,
    save_srdf,
)


def arm() -> tuple[ts.Model, Volumes]:
    """Four links in a row, the last with a short swing; an obstacle around the first joint."""
    builder = ts.Builder("arm")
    parent = "world"
    for k in range(4):
        builder.body(f"link_{k}", 1.0, [0, 0, 0], [0.1, 0.1, 0.1])
        reach = 0.2 if k == 3 else 2.0
        limits = {"lower": [-reach], "upper": [reach]}
        position = [0.0, 0.0, 0.5 if k else 0.0]
        builder.joint(
            f"j{k}", "revolute", parent, f"link_{k}", axis="y", position=position, **limits
        )
        parent = f"link_{k}"
    rod = SweptSphere([[0, 0, 0.1], [0, 0, 0.4]], 0.03)
    volumes = Volumes(
        {f"link_{k}": [rod] for k in range(4)}
        | {"world": [SweptSphere([[0, 0, -1]], 0.1), SweptSphere([[0, 0, 0]], 0.15)]}
    )
    return builder.build(), volumes


def test_what_never_and_always_meets() -> None:
    model, volumes = arm()
    choice = choose_pairs(model, volumes, samples=2000, rng=3)
    print(choice)
    names = {key: {p.name for p in getattr(choice, key)} for key in ("pairs", "never", "always")}
    assert names["always"] == {"link_0 / world"}
    assert names["pairs"] == {"link_2 / world", "link_3 / world"}
    # joints turn by 2 rad at most: links come back to the world, but not to each other
    assert {"link_0 / link_2", "link_1 / link_3", "link_1 / world"} <= names["never"]
    assert len(choice.watched) == sum(map(len, names.values())) == len(link_pairs(model, volumes))


def test_same_seed_same_choice() -> None:
    model, volumes = arm()
    one, same = (choose_pairs(model, volumes, samples=700, rng=5, threads=k) for k in (1, 2))
    assert one.pairs == same.pairs and one.least.tobytes() == same.least.tobytes()
    q = model.random_configuration(np.random.default_rng(5), (512,))
    found = Distances(model, volumes, activation=math.inf).distance(q).min(axis=0)
    assert (one.least <= found).all()
    wide = choose_pairs(model, volumes, samples=700, margin=10.0, rng=5)
    assert not wide.never and not wide.pairs and repr(wide).startswith("<tarsus.PairChoice: 0")


def test_files(tmp_path: Path) -> None:
    model, volumes = arm()
    choice = choose_pairs(model, volumes, samples=500)
    file = tmp_path / "arm.srdf"
    save_srdf(file, model.name, choice.disabled)
    again = load_srdf(file)
    assert (again.name, again.disabled, again.warnings) == (model.name, choice.disabled, ())
    pairs = link_pairs(model, volumes, [pair[:2] for pair in again.disabled])
    assert pairs == choice.pairs
    save_srdf(file, 'a "robot" & more', [("<a>", "b")])
    assert load_srdf(file).disabled == (("<a>", "b", ""),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "has no attribute 'name'"),
        ("<model name='a'/>", "the root is <model>"),
        ("<robot name='a'><disable_collisions link1='b'/></robot>", "has no attribute 'link2'"),
        ("<robot name='a'><disable_collisions link1='b' link2='b'/></robot>", "twice"),
        ("<!DOCTYPE r [<!ENTITY e 'x'>]><robot name='a'/>", "document type"),
        ("<robot", "malformed XML"),
    ],
)
def test_wrong_files(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "a.srdf"
    file.write_text(text)
    with pytest.raises(ts.ModelError, match=message):
        load_srdf(file)


def test_what_is_not_taken_over_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.srdf"
    file.write_text("<robot name='a'><group name='arm'/><group name='b'/></robot>")
    assert load_srdf(file).warnings == ("group elements (2) are not taken over",)


def test_wrong_arguments(tmp_path: Path) -> None:
    model, volumes = arm()
    with pytest.raises(ValueError, match="samples is 0"):
        choose_pairs(model, volumes, samples=0)
    with pytest.raises(ValueError, match="margin is not finite"):
        choose_pairs(model, volumes, margin=math.nan)
    with pytest.raises(ValueError, match="must be pairs of names of links"):
        choose_pairs(model, volumes, disabled=["link_0"])
    with pytest.raises(ValueError, match="must be \\(link, link\\)"):
        save_srdf(tmp_path / "a.srdf", "a", [("b",)])
    assert not (tmp_path / "a.srdf").exists()
