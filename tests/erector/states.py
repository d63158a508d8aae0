"""States of free bodies as the oracles have them, and back."""

from __future__ import annotations

import numpy as np
from free_bodies import Array
from scipy.spatial.transform import Rotation


def oracle_state(q: Array, v: Array) -> Array:
    """Return states (…, 13 n) of n bodies on free joints from q (…, 7 n) and v (…, 6 n)."""
    lead, count = q.shape[:-1], q.shape[-1] // 7
    state = np.zeros((*lead, count, 13))
    state[..., :7] = q.reshape(*lead, count, 7)
    turns = Rotation.from_quat(state[..., 3:7].reshape(-1, 4))
    speeds = v.reshape(-1, 6)
    state[..., 7:10] = turns.apply(speeds[:, :3]).reshape(*lead, count, 3)
    state[..., 10:] = speeds[:, 3:].reshape(*lead, count, 3)
    return state.reshape(*lead, 13 * count)
