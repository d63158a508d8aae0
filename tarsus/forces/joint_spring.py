"""A torsion spring along a combination of joint coordinates.

    x = Σ r_j q_j − x₀,   τ_j = − r_j (k x + d ẋ)

With one joint it is a spring in that joint; with a motor's and a link's it is the elasticity of
the gear between them (Schwienbacher 2013, Table 2.3: types 3 and 5 of Lola), as in {"hip": 1,
"motor": −1/N}.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarsus.model import Model
from tarsus.model.checks import number
from tarsus.parts import Part, Statement
from tarsus.parts.joints import one_coordinate


@dataclass(frozen=True, eq=False, repr=False)
class JointSpring(Part):
    """A spring in the sum of joint positions times their ratios: {"knee": 1.0, "motor": -0.01}.

    Stiffness [N m/rad], damping [N m s/rad] (or N/m, N s/m), and the sum `rest` at which it is
    relaxed, where it is added if None. Its torque is at most `limit`.
    """

    kind: ClassVar[str] = "joint_spring"

    joints: Mapping[str, float]
    stiffness: float
    damping: float = 0.0
    rest: float | None = 0.0
    limit: float = float("inf")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, damping=0.0, limit=0.0)
        if self.rest is not None:
            number(self.rest, "rest")
        if not isinstance(self.joints, Mapping) or not self.joints:
            raise TypeError(f"joints is {self.joints!r}, must be ratios by names of joints")
        for name, ratio in self.joints.items():
            number(ratio, f"joints[{name!r}]")
        if not any(self.joints.values()):
            raise ValueError(f"joints is {self.joints!r}, must have a ratio that is not zero")

    def statement(self, model: Model) -> Statement:
        """Return the sum of joint positions with the law of a spring."""
        for name in self.joints:
            one_coordinate(model, name)
        return Statement(
            "joint",
            "spring",
            joints=tuple((name, float(ratio)) for name, ratio in self.joints.items()),
            target=self.rest,
            numbers={
                "stiffness": self.stiffness,
                "damping": self.damping,
                "limit": self.limit,
            },
        )
