"""Draw what an identification finds: a compass walker from three noisy steps."""

from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus.gait.walkers import compass

real = compass(leg_mass=1.1, slope=0.055, damping=0.03)
t, q, _ = ts.flow(real.phases, *real.start, duration=2.2, sample=0.01).samples
q += 2e-3 * np.random.default_rng(0).normal(size=q.shape)
found = ts.identify(compass(), ["leg_mass", "slope", "damping"], t, q, noise=2e-3)
found.plot(Path(__file__).with_name("identification.png"))
