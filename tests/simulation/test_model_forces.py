"""Forces that are stated with a model act in its simulations, and in no other way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tarsus as ts


def slider(stiffness: float = 40.0) -> ts.Model:
    """A mass of 2 kg on a rail, on a spring that is relaxed at a length of 1 m."""
    builder = ts.Builder("slider", gravity=(0, 0, 0)).body("mass", 2.0, inertia=(1, 1, 1))
    builder.joint("rail", "prismatic", "world", "mass", axis="x")
    return builder.force(ts.forces.Spring("mass", (-1, 0, 0), stiffness, 1.0, name="coil")).build()


def test_a_simulation_has_the_forces_of_its_model() -> None:
    sim = ts.Simulation(slider(), dt=1e-4)
    assert list(sim.parts) == ["coil"]
    run = sim.run([0.1], duration=1.0)
    # x = a cos √(k/m) t
    np.testing.assert_allclose(run.q[:, 0], 0.1 * np.cos(np.sqrt(20.0) * run.t), atol=1e-4)


def test_other_forces_or_none_may_be_stated() -> None:
    model = slider()
    still = ts.Simulation(model, forces=()).run([0.1], duration=0.1)
    assert (still.q == 0.1).all()
    brake = ts.forces.Brake("mass", 3.0)
    both = ts.Simulation(model, forces=[*model.forces, brake])
    assert list(both.parts) == ["coil", "brake1"]
    assert list(ts.Simulation(model, forces=[brake]).parts) == ["brake1"]


@pytest.mark.parametrize("integrator", ["rk4", "dormand_prince", "radau"])
def test_every_integrator_has_the_forces_of_the_model(integrator: str) -> None:
    run = ts.Simulation(slider(), integrator=integrator, dt=1e-2).run([0.1], duration=1.0)
    # of RK4 at this step: (√20 h)⁴ t / 120
    np.testing.assert_allclose(run.q[:, 0], 0.1 * np.cos(np.sqrt(20.0) * run.t), atol=1e-6)


def test_dynamics_of_the_model_are_without_them() -> None:
    assert slider().forward_dynamics([0.1], [0.0], [0.0]).tolist() == [0.0]


def test_run_files_keep_them(tmp_path: Path) -> None:
    model, file = slider(), tmp_path / "run.npz"
    ts.Simulation(model).run([0.1], duration=0.01).save(file)
    assert ts.load_run(file).model == model


def test_a_checkpoint_knows_them(tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    ts.Simulation(slider()).run([0.1], duration=0.025, checkpoint=file, checkpoint_every=0.01)
    ts.Simulation(slider()).resume(file)
    with pytest.raises(ValueError, match=r"is of another simulation: .* another parts"):
        ts.Simulation(slider(41.0)).resume(file)
