"""The same machine in two models: states of the one in the other, joint by joint, by name."""

from __future__ import annotations

import ast
import dataclasses
import re
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.formats.export.export import ExportWarning, LeftOut


def saved(
    model: ts.Model, file: Path, *, shapes: bool = False, **options: str
) -> tuple[ts.Model, tuple[LeftOut, ...]]:
    """Write a model, read it again, and return that with what was left out."""
    if not shapes:
        model = ts.Model(dataclasses.replace(model.description, shapes=[]), strict=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        left_out = ts.save(model, file, **options)
    return ts.load(file), left_out


class Match:
    """Where the coordinates of one model are in the other, which has chains for some joints."""

    def __init__(
        self, model: ts.Model, other: ts.Model, left_out: Iterable[LeftOut], shifted: bool
    ) -> None:
        self.model, self.other = model, other
        names = {}
        for thing in left_out:
            found = re.fullmatch(r"(?:is|.*: ours) ('.*'|\".*\")(?: in the file)?", thing.reason)
            if found and "joint" in thing.what:
                names[thing.name] = ast.literal_eval(found[1])
        positions, velocities = [], []
        zeros = []
        neutral = model.joint_positions(model.neutral())
        for joint in model.joints:
            chain = self._chain(names.get(joint.name, joint.name))
            count = 0
            for name in chain:
                own = other.joint(name)
                positions += range(own.position_slice.start, own.position_slice.stop)
                velocities += range(own.velocity_slice.start, own.velocity_slice.stop)
                count += own.nq
            zero = np.zeros(count)
            if shifted and count == 1:
                zero = neutral[joint.position_slice]
            zeros.append(zero)
        self.positions, self.velocities = positions, velocities
        self.zeros = np.concatenate(zeros)

    def _chain(self, name: str) -> Sequence[str]:
        if name in self.other.joint_names:
            return [name]
        count = 1
        while f"{name}_{count}" in self.other.joint_names:
            count += 1
        assert count > 1, f"{name} is not in {self.other.joint_names}"
        return [f"{name}_{k}" for k in range(1, count)]

    def state(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return the state (nq,), (nv,) of the other model that is the same motion."""
        other = self.other
        p = np.zeros(other.joint_positions(other.neutral()).shape[-1])
        w = np.zeros(other.joint_velocities(other.neutral(), np.zeros(other.nv)).shape[-1])
        p[self.positions] = self.model.joint_positions(q) - self.zeros
        w[self.velocities] = self.model.joint_velocities(q, v)
        at, rate = np.zeros(other.nq), np.zeros(other.nv)
        for joint in other.joints:
            if joint.q_slice.stop > joint.q_slice.start:
                at[joint.q_slice] = p[joint.position_slice]
            span = w[joint.velocity_slice]
            own = span[list(joint.own_velocities)]
            rate[joint.v_slice] = own
        return at, rate

    def check(self, seed: int = 0, states: int = 3, tolerance: float = 1e-9) -> None:
        """Compare poses, mass matrices and bias forces at random states."""
        rng = np.random.default_rng(seed)
        model, other = self.model, self.other
        assert model.nv == other.nv
        for _ in range(states):
            q = model.random_configuration(rng)
            basis = np.eye(model.nv)
            columns = [self.state(q, each)[1] for each in basis]
            T = np.array(columns).T.reshape(model.nv, model.nv)
            v = rng.normal(size=model.nv)
            at, rate = self.state(q, v)
            close(other.joint_velocities(at, rate)[self.velocities], model.joint_velocities(q, v))
            close(T.T @ other.mass_matrix(at) @ T, model.mass_matrix(q), tolerance)
            if np.array_equal(np.abs(T).sum(axis=0), np.ones(model.nv)):
                close(T.T @ other.bias_forces(at, rate), model.bias_forces(q, v), tolerance)
            for name in model.frame_names:
                if name in other.frame_names:
                    close(other.frame_pose(at, name), model.frame_pose(q, name), tolerance)


def close(actual: Array, expected: Array, tolerance: float = 1e-9) -> None:
    """Compare numbers by their common size."""
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)
