"""An arm whose gears are stiff springs between motors and links, beside MuJoCo with the same.

Each of six joints has a motor on its axis, a body with a coordinate of its own, and a spring of
1e5 N m/rad between the link and the motor's turn by the ratio of the gear. The fastest mode turns
by almost four radians in a step of 1 ms. MuJoCo has the same bodies, and the springs as fixed
tendons. Of its integrators only `discrete` is implicit in springs, too; that is the peer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tarsus_lab.bench.timing import Contender, interleave, ratio

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.check.peers import NotComparableError, load_mujoco, specification

JOINTS, GEAR, ROTOR = 6, 100.0, 2e-5
STIFFNESS, DAMPING = 1e5, 20.0
"""Of a gear [N m/rad, N m s/rad]."""
FRICTION = 2e-3
"""Viscous, of a motor [N m s/rad]: 20 on the side of the link."""
DT = 1e-3
STEPS = 1000
"""Of a timed call."""
INTEGRATORS = ("Euler", "implicitfast", "implicit", "discrete")


def arm(friction: float = FRICTION, *, rigid: bool = False) -> ts.Model:
    """Return the arm; `rigid` has rotors that are felt by their links, and no motors."""
    builder = ts.Builder("arm")
    parent, position = "world", (0.0, 0.0, 0.5)
    for k in range(JOINTS):
        mass = 6.0 * 0.6**k
        common: Any = {"axis": (0, 1, 0) if k % 2 == 0 else (1, 0, 0), "position": position}
        link: Any = {}
        if rigid:
            link = {"armature": ROTOR * GEAR**2, "damping": friction * GEAR**2}
        else:
            builder.body(f"motor{k}", 0.1, inertia=ROTOR * np.eye(3))
            builder.joint(f"motor{k}", "revolute", parent, f"motor{k}", damping=friction, **common)
        builder.body(f"link{k}", mass, (0, 0, 0.15), mass * 0.3**2 / 12 * np.eye(3))
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", **common, **link)
        parent, position = f"link{k}", (0.0, 0.0, 0.3)
    return builder.build()


def start(model: ts.Model) -> Array:
    """Return a configuration (nq,) in which all gears are relaxed."""
    q = model.neutral()
    for joint in model.joints:
        k, turned = int(joint.name[5:]), joint.name.startswith("motor")
        q[joint.q_slice] = 0.2 * (k + 1) / JOINTS * (GEAR if turned else 1.0)
    return q


def simulation(model: ts.Model, dt: float = DT) -> ts.Simulation:
    """Return the arm with its gears."""
    sim = ts.Simulation(model, dt=dt)
    for k in range(JOINTS if "motor0" in model.joint_names else 0):
        joints = {f"joint{k}": 1.0, f"motor{k}": -1.0 / GEAR}
        sim.add(ts.forces.JointSpring(joints, STIFFNESS, DAMPING))
    return sim


def residual(friction: float, *, rigid: bool = False, duration: float = 2.0) -> float:
    """Return the largest residual of the ledger as a part of the energy that flowed."""
    model = arm(friction, rigid=rigid)
    run = simulation(model).run(start(model), duration=duration, record=("energy",), progress=False)
    return float(np.abs(run.energy.residual).max() / float(run.energy.flow))


def measure_gears(rounds: int, seconds: float, duration: float = 2.0) -> dict[str, Any]:
    """Return times of a step [µs], residuals of ledgers, and for how long MuJoCo is stable [s]."""
    model = arm()
    names: dict[str, Any] = {"sim": simulation(model), "q": start(model), "n": STEPS}
    ours = Contender("sim.reset(q)\nsim.step(steps=n)", names, units=STEPS)
    found: dict[str, Any] = {
        "ledger": {"friction": residual(FRICTION, duration=duration)},
        "rigid_ledger": {"friction": residual(FRICTION, rigid=True, duration=duration)},
    }
    # what the integration loses where nothing brakes is no matter of the gears
    for key, rigid in (("ledger", False), ("rigid_ledger", True)):
        found[key]["none"] = residual(0.0, rigid=rigid, duration=duration)
    contenders = [ours]
    try:
        peer = MujocoArm(model)
        found["stable"] = {name: peer.stable_for(name, duration) for name in INTEGRATORS}
        found["apart"] = peer.apart(duration)
        contenders.append(peer.contender())
    except NotComparableError:
        pass
    interleave(contenders, rounds, seconds, lambda share: None)
    found["one"] = ours.summary()
    if len(contenders) == 2:
        found |= {"mujoco": contenders[1].summary(), "one_ratio": ratio(*contenders)}
    return found


class MujocoArm:
    """The arm in MuJoCo, its gears as fixed tendons."""

    def __init__(self, model: ts.Model) -> None:
        self.mujoco, self.arm = load_mujoco(), model

    def compiled(self, integrator: str) -> Any:
        """Return MuJoCo's model; `integrator` is one of `INTEGRATORS`."""
        kind = f"mjINT_{integrator.upper()}"
        if not hasattr(self.mujoco.mjtIntegrator, kind):
            raise NotComparableError(f"this MuJoCo has no integrator {integrator!r}")
        spec = specification(self.mujoco, self.arm)
        spec.option.timestep = DT
        spec.option.integrator = getattr(self.mujoco.mjtIntegrator, kind)
        for k in range(JOINTS):
            tendon = spec.add_tendon(
                name=f"gear{k}",
                stiffness=np.array([STIFFNESS, 0.0, 0.0]),
                damping=np.array([DAMPING, 0.0, 0.0]),
                springlength=[0.0, 0.0],
            )
            tendon.wrap_joint(f"joint{k}", 1.0)
            tendon.wrap_joint(f"motor{k}", -1.0 / GEAR)
        model = spec.compile()
        for joint in self.arm.joints:
            model.joint(joint.name).damping[:] = joint.damping[0]
        return model

    def data(self, model: Any) -> Any:
        """Return MuJoCo's state at the start."""
        data = self.mujoco.MjData(model)
        for joint, value in zip(self.arm.joints, start(self.arm), strict=True):
            data.qpos[model.joint(joint.name).qposadr] = value
        return data

    def stable_for(self, integrator: str, duration: float) -> float:
        """Return for how long [s] of `duration` the links turn by less than 1000 rad/s."""
        model = self.compiled(integrator)
        data, links = self.data(model), [model.joint(f"joint{k}").dofadr[0] for k in range(JOINTS)]
        for step in range(round(duration / DT)):
            self.mujoco.mj_step(model, data)
            # MuJoCo starts anew, and its clock, too, when numbers are huge
            if not np.abs(data.qvel[links]).max() < 1e3 or data.time < (step + 0.5) * DT:
                return round(step * DT, 6)
        return duration

    def apart(self, duration: float) -> float:
        """Return how far links are from ours in the end [rad]."""
        model, sim = self.compiled("discrete"), simulation(self.arm)
        data, steps = self.data(model), round(duration / DT)
        self.mujoco.mj_step(model, data, steps)
        sim.reset(start(self.arm))
        sim.step(steps=steps)
        links = [self.arm.joint(f"joint{k}") for k in range(JOINTS)]
        theirs = [data.qpos[model.joint(link.name).qposadr[0]] for link in links]
        return float(np.abs(sim.q[[link.q_slice.start for link in links]] - theirs).max())

    def contender(self) -> Contender:
        """Return many steps from the start."""
        model = self.compiled("discrete")
        data, kind = self.data(model), self.mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.empty(self.mujoco.mj_stateSize(model, kind))
        self.mujoco.mj_getState(model, data, state, kind)
        names = {"model": model, "data": data, "step": self.mujoco.mj_step, "n": STEPS}
        names |= {"put": self.mujoco.mj_setState, "state": state, "kind": kind}
        return Contender("put(model, data, state, kind)\nstep(model, data, n)", names, units=STEPS)
