"""Configurations and velocities in the layouts of Pinocchio, MuJoCo and Drake, and back.

Every function takes a model, `q` (…, n) and optionally `v` (…, n), with leading batch
dimensions, and returns q, or (q, v) if `v` is given. Without `peer` the other library is taken
to have the joints in the order of the model. With `peer`, the other library's own model, joints
are matched by name and may come in any order. Joints that skate or roll are not in these
libraries: they raise ValueError.
"""

from tarsus.convert.states import (
    from_drake,
    from_mujoco,
    from_pinocchio,
    to_drake,
    to_mujoco,
    to_pinocchio,
)

__all__ = [
    "from_drake",
    "from_mujoco",
    "from_pinocchio",
    "to_drake",
    "to_mujoco",
    "to_pinocchio",
]
