"""Long runs: checkpoints go on to the same bits, and memory does not grow."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from movers import ARM, arm, batch, fingerprint, on_ground, stiff
from oracle import Array

from tarsus.control import PD, PID
from tarsus.simulation import Simulation


class Counting:
    """A controller with a memory: its efforts depend on how often it was called."""

    period = 5e-3

    def __init__(self) -> None:
        self.calls = 0

    def reset(self) -> None:
        self.calls = 0

    def get_state(self) -> dict[str, Array]:
        return {"calls": np.array(self.calls)}

    def set_state(self, state: dict[str, Array]) -> None:
        self.calls = int(state["calls"])

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        self.calls += 1
        return np.full(4, 0.1 * np.sin(self.calls))


def test_a_batch_in_contact_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    sim, (q, v), file = on_ground(), batch(5), tmp_path / "run.npz"
    whole = sim.run(q, v, duration=0.5, controller=stiff())
    saved = sim.run(q, v, duration=0.5, controller=stiff(), checkpoint=file, checkpoint_every=0.15)
    assert fingerprint(saved) == fingerprint(whole)
    rest = on_ground().resume(file, stiff(), threads=2)
    assert rest.t[0] == pytest.approx(0.45) and rest.t[-1] == whole.t[-1]
    print(f"{len(rest)} samples from {rest.t[0]} s on")
    for name in ("q", "v", "energy"):
        np.testing.assert_array_equal(rest.recorded[name], whole.recorded[name][:, 225:])
    later = whole.contacts.sample > 225
    np.testing.assert_array_equal(rest.contacts.rows, whole.contacts.rows[later])
    since = whole.energy.residual[:, 225:] - whole.energy.residual[:, 225, None]
    np.testing.assert_allclose(rest.energy.residual, since, atol=1e-10)


@pytest.mark.parametrize("every", [1, 4, 7])
def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path, every: int) -> None:
    file = tmp_path / "run.npz"

    class Stopped(Counting):
        def __call__(self, t: float, q: Array, v: Array) -> Array:
            if abs(t - 0.03) < 1e-9:
                signal.raise_signal(signal.SIGINT)
            return super().__call__(t, q, v)

    sim = Simulation(arm())
    whole = sim.run(ARM, duration=0.1, controller=Counting(), every=every)
    first = sim.run(
        ARM, duration=0.1, controller=Stopped(), every=every, checkpoint=file, checkpoint_every=1.0
    )
    rest = sim.resume(file, Counting())
    assert first.interrupted and not rest.interrupted
    assert first.t[-1] <= rest.t[0] < 0.05
    tail = np.isin(whole.t, rest.t[1:])
    assert tail.sum() == len(rest) - 1 > 5
    np.testing.assert_array_equal(rest.q[1:], whole.q[tail])
    np.testing.assert_array_equal(rest.tau[1:], whole.tau[tail])


def test_integrals_are_part_of_a_checkpoint(tmp_path: Path) -> None:
    sim, file = Simulation(arm()), tmp_path / "run.npz"
    control = PID(arm(), 60.0, 300.0, 3.0, ARM)
    whole = sim.run(ARM, duration=0.2, controller=control)
    sim.run(ARM, duration=0.2, controller=control, checkpoint=file, checkpoint_every=0.12)
    rest = sim.resume(file, control)
    np.testing.assert_array_equal(rest.q, whole.q[120:])


def test_wrong_checkpoints_are_refused(tmp_path: Path) -> None:
    file, sim = tmp_path / "run.npz", Simulation(arm())
    sim.run(ARM, duration=0.1, checkpoint=file, checkpoint_every=0.05)
    with pytest.raises(ValueError, match="of another simulation"):
        Simulation(arm(), dt=2e-3).resume(file)
    with pytest.raises(ValueError, match="controller of the kind 'torque'"):
        sim.resume(file, PD(arm(), 1.0, 1.0))
    with pytest.raises(FileNotFoundError):
        sim.resume(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("no zip")
    with pytest.raises(ValueError, match="not a checkpoint"):
        sim.resume(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(ValueError, match="not a checkpoint"):
        sim.resume(tmp_path / "other.npz")


MEMORY = """
import json, resource, sys
sys.path[:0] = {paths}
from movers import ball
from tarsus.geometry import Ground
from tarsus.simulation import Simulation

m = ball()
q0 = m.neutral()
q0[2] = 0.2
sim = Simulation(m, ground=Ground(), dt=1e-3)
used = []
for seconds in (3.0, 300.0):
    run = sim.run(q0, duration=seconds, record=False)
    used.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(json.dumps([used, run.q[-1, 2], run.t[-1]]))
"""


def test_memory_does_not_grow_without_a_recording() -> None:
    here = Path(__file__).parent
    program = MEMORY.format(paths=[str(here), str(here.parent), str(here.parents[1])])
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    (first, last), height, end = json.loads(found.stdout)
    print(f"3 000 steps: {first} kB, 300 000 steps: {last} kB")
    assert last - first < 2000
    assert height == pytest.approx(0.1) and end == 300.0
