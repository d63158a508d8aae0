"""MuJoCo as an oracle, on the models of gymnasium and on one with every kind of its joints.

MuJoCo has other velocities for free joints (linear part in world axes): v' = W(q) v. Forces
transform by Wᵀ, accelerations by a' = W a + Ẇ v.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import gymnasium
import mujoco
import numpy as np
import pytest
from mechanisms import METHODS, distance
from oracle import slope

import tarsus as ts

ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
FILES = {file.stem: file for file in sorted(ASSETS.glob("*.xml"))}

ZOO = """
<mujoco model="zoo">
  <option gravity="1 -2 -9"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="post" pos="1 0 0"><geom type="box" size="0.1 0.2 0.3"/></body>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30"><freejoint/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.05 0 0.1"/>
      <body name="arm" pos="0 0 0.4" euler="0 40 0">
        <joint name="ball" type="ball" armature="0.02" stiffness="3" damping="0.5"/>
        <inertial pos="0.1 0 0.2" euler="10 0 20" mass="2" diaginertia="0.02 0.03 0.04"/>
        <body name="hand" pos="0 0.3 0.4" euler="0 0 50">
          <joint name="slide" type="slide" axis="1 1 0" armature="0.1" stiffness="2"/>
          <joint name="hinge" axis="0 1 1" pos="0.1 0 0" ref="20" damping="0.3" stiffness="4"/>
          <geom type="capsule" size="0.1 0.2"/>
        </body>
      </body>
      <body name="tail" pos="-0.4 0 0"><joint name="wag" axis="0 0 1" springref="30"/>
        <geom type="ellipsoid" size="0.1 0.2 0.3" pos="-0.2 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def peer_model(file: Path) -> mujoco.MjModel:
    """MuJoCo's model of a tree alone: without contacts, limits, springs, dampers and fluid."""
    with warnings.catch_warnings(action="ignore"):
        peer = mujoco.MjSpec.from_file(str(file)).compile()
    off = mujoco.mjtDisableBit
    flags = (off.mjDSBL_CONSTRAINT, off.mjDSBL_SPRING, off.mjDSBL_DAMPER, off.mjDSBL_ACTUATION)
    peer.opt.disableflags |= sum(int(flag) for flag in flags)
    peer.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    peer.opt.density = peer.opt.viscosity = 0.0
    return peer


class Pair:
    """The same mechanism in both libraries, in the same random state."""

    def __init__(self, file: Path, seed: int) -> None:
        self.ours, self.peer = ts.load(file), peer_model(file)
        self.data = mujoco.MjData(self.peer)
        rng = np.random.default_rng(seed)
        m = self.ours
        self.q = m.random_configuration(rng)
        self.v, self.a, self.tau = rng.normal(size=(3, m.nv))
        self.external = rng.normal(size=(m.n_bodies, 6))
        self.data.qpos, self.data.qvel = ts.convert.to_mujoco(m, self.q, self.v, peer=self.peer)
        self.w = self._velocity_map(0.0)
        self.w_rate = slope(self._velocity_map)
        self.moving = self.peer.body_weldid != 0

    def _velocity_map(self, s: float) -> np.ndarray:
        q = self.ours.integrate(self.q, s * self.v)
        units = np.eye(self.ours.nv)
        return ts.convert.to_mujoco(self.ours, q, units, peer=self.peer)[1].T

    def to_peer(self, a: np.ndarray) -> np.ndarray:
        return np.asarray(self.w @ a + self.w_rate @ self.v)

    def residuals(self) -> dict[str, float]:
        return {**self._dynamics(), **self._energies(), **self._bodies(), **self._centroid()}

    def _push(self) -> None:
        """Put the external wrenches where MuJoCo takes them: world axes, at centres of mass."""
        self.data.xfrc_applied[:] = 0.0
        for name, wrench in zip(self.ours.body_names, self.external, strict=True):
            body = mujoco.mj_name2id(self.peer, mujoco.mjtObj.mjOBJ_BODY, name)
            if body < 0:  # a body between two joints of one body of MuJoCo
                wrench[:] = 0.0
                continue
            axes = self.data.xmat[body].reshape(3, 3)
            force, moment = axes @ wrench[:3], axes @ wrench[3:]
            moment += np.cross(self.data.xpos[body] - self.data.xipos[body], force)
            self.data.xfrc_applied[body] = [*force, *moment]

    def _dynamics(self) -> dict[str, float]:
        m, q, v, data, peer = self.ours, self.q, self.v, self.data, self.peer
        data.qacc = self.to_peer(self.a)
        mujoco.mj_inverse(peer, data)
        found = {
            "inverse_dynamics": distance(
                m.inverse_dynamics(q, v, self.a), self.w.T @ data.qfrc_inverse
            )
        }
        mass = np.zeros((peer.nv, peer.nv))
        mujoco.mj_fullM(peer, data, mass)
        mass = self.w.T @ mass @ self.w
        found["mass_matrix"] = distance(m.mass_matrix(q), mass)
        self._push()
        data.qfrc_applied = np.linalg.solve(self.w.T, self.tau)
        mujoco.mj_forward(peer, data)
        for method in METHODS:
            a = m.forward_dynamics(q, v, self.tau, self.external, method=method)
            found[f"forward_dynamics {method}"] = distance(self.to_peer(a), data.qacc)
        bias = self.w.T @ (data.qfrc_bias + self._full(self.w_rate @ v))
        found["bias_forces"] = distance(m.bias_forces(q, v), bias)
        return found

    def _full(self, a: np.ndarray) -> np.ndarray:
        product = np.zeros(self.peer.nv)
        mujoco.mj_mulM(self.peer, self.data, product, a)
        return product

    def _energies(self) -> dict[str, float]:
        data, peer = self.data, self.peer
        mujoco.mj_energyPos(peer, data)
        mujoco.mj_energyVel(peer, data)
        fixed = ~self.moving
        moment = peer.body_mass[fixed] @ data.xipos[fixed]
        potential = data.energy[0] + peer.opt.gravity @ moment
        return {
            "potential_energy": distance(self.ours.potential_energy(self.q), potential),
            "kinetic_energy": distance(self.ours.kinetic_energy(self.q, self.v), data.energy[1]),
        }

    def _bodies(self) -> dict[str, float]:
        m, q, v, data, peer = self.ours, self.q, self.v, self.data, self.peer
        found: dict[str, float] = {}
        for body in range(1, peer.nbody):
            name = peer.body(body).name
            if not name:  # its frame has a name of our own
                continue
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
            jacobian, rate = np.zeros((2, 6, peer.nv))
            mujoco.mj_jacBody(peer, data, jacobian[:3], jacobian[3:], body)
            mujoco.mj_jacDot(peer, data, rate[:3], rate[3:], data.xpos[body], body)
            rate = rate @ self.w + jacobian @ self.w_rate
            jacobian = jacobian @ self.w
            aligned: tuple[str, Any] = (name, "local_world_aligned")
            pairs = {
                "frame_pose": (m.frame_pose(q, name), pose),
                "frame_jacobian": (m.frame_jacobian(q, *aligned), jacobian),
                "frame_jacobian_rate": (m.frame_jacobian_rate(q, v, *aligned), rate),
                "frame_velocity": (m.frame_velocity(q, v, *aligned), jacobian @ v),
                "frame_acceleration": (
                    m.frame_acceleration(q, v, self.a, *aligned),
                    jacobian @ self.a + rate @ v,
                ),
            }
            for key, pair in pairs.items():
                found[key] = max(found.get(key, 0.0), distance(*pair))
        return found

    def _centroid(self) -> dict[str, float]:
        m, q, v, data, peer = self.ours, self.q, self.v, self.data, self.peer
        masses = peer.body_mass * self.moving
        total = masses.sum()
        centre = masses @ data.xipos / total
        jacobian = np.zeros((3, peer.nv))
        mujoco.mj_jacSubtreeCom(peer, data, jacobian, 0)
        jacobian *= peer.body_subtreemass[0] / total  # the world's subtree has fixed bodies too
        found = {
            "center_of_mass": distance(m.center_of_mass(q), centre),
            "center_of_mass_jacobian": distance(m.center_of_mass_jacobian(q), jacobian @ self.w),
            "total_mass": distance(m.total_mass, total),
        }
        if total == peer.body_subtreemass[0]:
            mujoco.mj_subtreeVel(peer, data)
            momentum = np.concatenate([total * data.subtree_linvel[0], data.subtree_angmom[0]])
            found["subtree_com"] = distance(centre, data.subtree_com[0])
            found["centroidal_momentum"] = distance(m.centroidal_momentum(q, v), momentum)
            found["centroidal_momentum_matrix"] = distance(
                m.centroidal_momentum_matrix(q) @ v, momentum
            )
        return found


def agree(name: str, file: Path) -> None:
    for seed in range(3):
        residuals = Pair(file, seed).residuals()
        worst = max(residuals, key=residuals.__getitem__)
        print(f"{name}, {len(residuals)} results: {residuals[worst]:.1e} ({worst})")
        wrong = {key: value for key, value in residuals.items() if not value < 1e-10}
        assert not wrong, f"{name}: {wrong}"


@pytest.mark.parametrize("name", FILES)
def test_models_of_gymnasium(name: str) -> None:
    agree(name, FILES[name])


def test_every_kind_of_joint(tmp_path: Path) -> None:
    file = tmp_path / "zoo.xml"
    file.write_text(ZOO)
    agree("zoo", file)


def test_springs_and_dampers(tmp_path: Path) -> None:
    file = tmp_path / "zoo.xml"
    file.write_text(ZOO)
    pair = Pair(file, 0)
    pair.peer.opt.disableflags = 0
    mujoco.mj_forward(pair.peer, pair.data)
    expected = pair.w.T @ (pair.data.qfrc_spring + pair.data.qfrc_damper)
    residual = distance(pair.ours.passive_forces(pair.q, pair.v), expected)
    print(f"springs and dampers: {residual:.1e}")
    assert np.abs(expected).max() > 1.0
    assert residual < 1e-12
