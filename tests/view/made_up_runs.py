"""A run that nobody simulated: a hopper whose foot sticks, slips, hits and leaves the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

import tarsus as ts
from tarsus.geometry import Ground
from tarsus.simulation.contact_record import NUMBERS, STATES, Contacts, Place
from tarsus.simulation.energy import FIXED
from tarsus.simulation.trajectory import Trajectory

SAMPLES = 101
STICK, SLIP, IMPACT = (STATES.index(word) for word in ("stick", "slip", "impact"))


def hopper() -> ts.Model:
    """Return a box on a leg that slides in and out, with a ball for a foot."""
    builder = ts.Builder("hopper")
    builder.body("trunk", 2.0, inertia=(0.02, 0.02, 0.02))
    builder.body("shin", 0.5, com=(0, 0, -0.1), inertia=(0.002, 0.002, 0.0005))
    builder.joint("root", "free", "world", "trunk")
    builder.joint("leg", "prismatic", "trunk", "shin", position=(0, 0, -0.1), axis="z")
    builder.shape("trunk", "box", (0.3, 0.2, 0.1), role="collision")
    builder.shape("shin", "capsule", (0.02, 0.2), role="collision", position=(0, 0, -0.1))
    builder.shape("shin", "sphere", (0.03,), role="collision", position=(0, 0, -0.2))
    return builder.build()


def made_up_run(ground: Any = None, *, samples: int = SAMPLES) -> Trajectory:
    """Return 1 s of hopping ahead: 0.2 s of sticking, 0.1 s of slipping, the rest in the air."""
    model, t = hopper(), np.linspace(0.0, 1.0, samples)
    q = np.tile(model.neutral(), (samples, 1))
    q[:, 0], q[:, 2] = 0.5 * t, 0.33 + 0.1 * np.abs(np.sin(np.pi * t))
    v = np.zeros((samples, model.nv))
    v[:, 0] = 0.5
    rows = np.zeros((0, NUMBERS))
    sample = np.flatnonzero(t <= 0.3)
    rows = np.zeros((len(sample), NUMBERS))
    rows[:, 1] = q[sample, 0]
    rows[:, 6] = 1.0
    rows[:, 9], rows[:, 7] = 30.0, -6.0
    rows[:, 11] = np.where(t[sample] <= 0.2, STICK, SLIP)
    rows[0, 11], rows[0, 9] = IMPACT, 900.0
    energy = np.zeros((samples, FIXED + 3 * model.nv + model.n_bodies))
    energy[:, 0], energy[:, 1] = model.kinetic_energy(q, v), model.potential_energy(q)
    supplied = FIXED + model.joint("leg").v_slice.start
    energy[:, supplied] = energy[:, :2].sum(axis=1) - energy[0, :2].sum() + 0.2 * t
    energy[:, 6] = -0.2 * t
    statistics = np.zeros((samples, 4))
    statistics[:, 3] = 1e-5
    places = [Place("shin", "ground", "shin")]
    zeros = np.zeros(len(rows), np.int64)
    contacts = Contacts(rows, zeros, sample, (samples,), places)
    recorded = {"q": q, "v": v, "tau": 3.0 * v, "energy": energy, "statistics": statistics}
    return Trajectory(model, t, recorded, contacts, Ground() if ground is None else ground)
