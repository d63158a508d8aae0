"""Batches of machines with couplings and loops give the bits of a loop, for every algorithm."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_cases import COUNTS, Case, case, distance
from machines import FLAVOURS
from oracle import Array

import tarsus as ts

CHOICES = {
    "factorization": ("christoffel", "force", "momentum"),
    "reference": ("local", "world", "local_world_aligned"),
    "method": ("articulated", "sparse", "dense"),
}
RATES = ("v", "dv", "a", "tau", "v_reference", "a_reference")
ARRAYS = ("q", "q0", "q1", "u", "external", *RATES)
SEEDS = (0, 7)
each_flavour = pytest.mark.parametrize("flavour", FLAVOURS)


def algorithms(model: ts.Model) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    """Yield names, array arguments and options of all algorithms."""
    for name, parameters, *_ in ts._core._describe_algorithms():
        names = [parameter for parameter, _ in parameters]
        options: dict[str, Any] = {"frame": model.body_names[-1]} if "frame" in names else {}
        if "prescribed" in names:
            options = {"prescribed": outside_of_constraints(model)}
        arrays = [n for n in names if n in ARRAYS]
        choice = next((key for key in CHOICES if key in names), None)
        for word in CHOICES[choice] if choice else [""]:
            yield name, arrays, options | ({choice: word} if choice else {})


def outside_of_constraints(model: ts.Model) -> Array:
    """Return every other velocity, but none that could contradict a loop that is a constraint."""
    moved = np.abs(model.constraint_jacobian(model.neutral())).sum(axis=0) > 0.0
    return np.asarray(~moved & (np.arange(model.nv) % 2 == 0))


def states(c: Case, count: int) -> dict[str, Array]:
    """Return arguments of all names, configurations near the case's."""
    rng = np.random.default_rng(1)
    nv, n = c.model.nv, c.model.n_bodies
    found: dict[str, Array] = {}
    for name in ("q", "q0", "q1"):
        found[name] = c.model.integrate(c.q, 0.01 * rng.normal(size=(count, nv)))
    for name in RATES:
        found[name] = 0.01 * rng.normal(size=(count, nv))
    # dependent joints a little off: the loops are closed by each call
    moved = found["q"] + 1e-3 * rng.normal(size=found["q"].shape)
    loops = [joint.q_slice for joint in c.model.joints if joint.dependent == "loop"]
    for own in loops:
        found["q"][:, own] = moved[:, own]
    return found | {
        "u": rng.random((count, c.model.nq)),
        "external": rng.normal(size=(count, n, 6)),
    }


def same_bits(found: Any, expected: Any) -> bool:
    a, b = np.asarray(found), np.asarray(expected)
    return a.shape == b.shape and a.tobytes() == b.tobytes()


@each_flavour
def test_a_batch_is_a_loop(flavour: str) -> None:
    for seed in SEEDS:
        c = case(flavour, seed)
        everything = states(c, 13)
        for name, arrays, options in algorithms(c.model):
            if name == "sample" and c.own.loops:
                continue  # not every sample can be closed
            call = getattr(c.model, name)
            own = {key: everything[key] for key in arrays}
            one_by_one = [
                call(**{key: array[i].copy() for key, array in own.items()}, **options)
                for i in range(13)
            ]
            found = call(**own, **options)
            threaded = call(**own, **options, threads=3)
            results = (found, threaded, one_by_one)
            if isinstance(found, tuple):
                results = (*map(np.array, results[:2]), [np.array(each) for each in one_by_one])
            axis = 1 if isinstance(found, tuple) else 0
            assert same_bits(results[0], np.stack(results[2], axis)), f"{name} {options}"
            assert same_bits(results[1], results[0]), f"{name} {options}"
            assert np.isfinite(results[0]).all(), name


def without_functions(flavour: str) -> Case:
    """Return a machine that can be written: functions of one's own cannot."""
    for seed in range(COUNTS[flavour]):
        found = case(flavour, seed)
        if all(coupling.kind != "function" for coupling in found.own.couplings):
            return found
    raise AssertionError(f"all {flavour} have functions")


@each_flavour
def test_models_survive_pickling_and_files(flavour: str, tmp_path: Path) -> None:
    c = without_functions(flavour)
    ts.save(c.model, tmp_path / "machine.yaml")
    expected = c.model.forward_dynamics(c.q, c.v, c.tau)
    for copy in (pickle.loads(pickle.dumps(c.model)), ts.load(tmp_path / "machine.yaml")):
        assert copy == c.model and copy.clusters == c.model.clusters
        assert same_bits(copy.forward_dynamics(c.q, c.v, c.tau), expected)


@each_flavour
def test_random_configurations_are_closed(flavour: str) -> None:
    c = case(flavour, 1)
    q = c.model.random_configuration(0, 5) if not c.own.loops else c.model.neutral()[None]
    for state in q:
        x = c.model.joint_positions(state)
        gaps = c.own.gaps(x)[c.own.eliminated]
        assert distance(gaps, 0.0 * gaps) < 1e-10
