"""Try the installed package where nothing can be compiled: each instruction set, and `tarsus info`.

Run by `make wheel` with the interpreter of an environment that has nothing but the wheel. The set
is chosen when the core is imported, hence a process for each.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus.view.films import animate

COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja")
AGREEMENT = 1e-9
STATES = 21  # no multiple of the lanes


def results() -> dict[str, np.ndarray]:
    """Return what models and a short walk give in this process."""
    found = {}
    rng = np.random.default_rng(0)
    for name in ("quadruped", "lola"):
        model = getattr(ts.robots, name)()
        q = np.array([model.random_configuration(rng) for _ in range(STATES)])
        v, tau = rng.standard_normal((2, STATES, model.nv))
        a = model.forward_dynamics(q, v, tau)
        assert a[0].tobytes() == model.forward_dynamics(q[0], v[0], tau[0]).tobytes()
        found[f"{name}: forward dynamics"] = a
        found[f"{name}: inverse dynamics"] = model.inverse_dynamics(q, v, a)
        found[f"{name}: mass matrix"] = model.mass_matrix(q)
        found[f"{name}: derivatives"] = model.inverse_dynamics_derivatives(q, v, a)
        assert np.allclose(found[f"{name}: inverse dynamics"], tau, rtol=0, atol=1e-7)
    run = ts.scenes.walk("quadruped").run(duration=0.3)
    found["walk: q"], found["walk: v"] = run.q, run.v
    return found


def main() -> None:
    """Compare all instruction sets of this machine; an exception tells what is wrong."""
    there = [name for name in COMPILERS if shutil.which(name)]
    assert not there, f"this environment has {', '.join(there)}"
    assert Path(ts.__file__).is_relative_to(sys.prefix), f"not the wheel: {ts.__file__}"
    sets = ts._core.instruction_sets()
    assert "baseline" in sets, f"a wheel has all sets, this one runs {', '.join(sets)}"
    with tempfile.TemporaryDirectory() as folder:
        for name in sets:
            environment = {**os.environ, "TARSUS_INSTRUCTION_SET": name}
            command = [sys.executable, "-I", __file__, f"{folder}/{name}.npz"]
            subprocess.run(command, env=environment, check=True)
        computed = {name: dict(np.load(f"{folder}/{name}.npz")) for name in sets}
        # the modules and the style of pages are files of the package
        animate(ts.robots.quadruped(), f"{folder}/page.html")
    for name in sets:
        worst = 0.0
        for key, expected in computed["baseline"].items():
            scale = np.abs(expected).max(initial=1.0)
            residual = np.abs(computed[name][key] - expected).max(initial=0.0) / scale
            assert residual < AGREEMENT, f"{name} and baseline differ by {residual:.1e} in {key}"
            worst = max(worst, residual)
        print(f"{name:9} {worst:.1e} from baseline{', chosen' * (name == sets[0])}", flush=True)
    command = [str(Path(sys.executable).with_name("tarsus")), "info", "quadruped()"]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        assert ts._core.instruction_set() == os.environ["TARSUS_INSTRUCTION_SET"]
        np.savez(sys.argv[1], **results())
    else:
        main()
