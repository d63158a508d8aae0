"""The ledger of a motion of ports: what is stored, supplied and lost, and whether it is passive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.simulation.errors import EnergyError


@dataclass(frozen=True, eq=False)
class PortLedger:
    """Energies and works of a motion [J], each (T,) and counted from the start.

    stored(t) − stored(0) = Σ supplied(t) − Σ lost(t) + residual(t)
    """

    t: Array
    stores: Mapping[str, Array]
    """What each part stores."""
    supplied: Mapping[str, Array]
    """What each port has brought in."""
    lost: Mapping[str, Array]
    """What each part has dissipated; falls while it makes energy."""
    exchanged: Mapping[str, Array]
    """What the ports inside a connected system have brought into their own part."""

    @property
    def stored(self) -> Array:
        """The sum over all parts."""
        return np.asarray(np.sum([np.zeros_like(self.t), *self.stores.values()], axis=0))

    @property
    def residual(self) -> Array:
        """What the integration makes from nothing (positive) or loses."""
        works = [np.zeros_like(self.t), *self.supplied.values(), *(-x for x in self.lost.values())]
        return np.asarray(self.stored - self.stored[0] - np.sum(works, axis=0))

    @property
    def flow(self) -> float:
        """How much energy was moved: ranges of what is stored, supplied and lost."""
        changes = (*self.stores.values(), *self.supplied.values(), *self.lost.values())
        return float(sum(np.ptp(change) for change in changes))

    @property
    def relative_residual(self) -> float:
        """The largest residual divided by the flow, or by 1e-9 of what is stored if that is more.

        So where nothing moves it is not rounding divided by rounding.
        """
        return float(np.abs(self.residual).max() / self._scale)

    @property
    def _scale(self) -> float:
        stored = sum(float(np.abs(each).max()) for each in self.stores.values())
        return max(self.flow, 1e-9 * stored) or 1.0

    def produced(self, part: str | None = None) -> float:
        """Return the energy [J] that one part, or all together, gave beyond all they were given.

        A passive part has lost something at all times: what is missing to that is produced.
        """
        parts = self.lost.values() if part is None else [self.lost[part]]
        total = np.sum([np.zeros_like(self.t), *parts], axis=0)
        return float(max(0.0, -total.min()))

    def passive(self, tolerance: float = 1e-9) -> bool:
        """Whether no part produced more than `tolerance` of the energy that flowed."""
        return all(self.produced(part) <= tolerance * self._scale for part in self.lost)

    def check(self, tolerance: float = 1e-6) -> None:
        """Raise `EnergyError` if the residual is above `tolerance`, or a part is not passive."""
        if not self.relative_residual <= tolerance:
            worst = int(np.argmax(np.abs(self.residual)))
            raise EnergyError(
                f"the residual at t = {self.t[worst]:.6g} s is {self.residual[worst]:.3g} J, "
                f"{self.relative_residual:.2g} of the energy that flowed; at most "
                f"{tolerance:.2g} is allowed"
            )
        for part in self.lost:
            if self.produced(part) > tolerance * self._scale:
                raise EnergyError(
                    f"{part!r} is not passive: it produced {self.produced(part):.3g} J"
                )

    def table(self) -> str:
        """Return the ledger as text: energies at start and end, mean powers, who is passive."""
        span = float(self.t[-1] - self.t[0]) or 1.0

        def line(kind: str, name: str, values: Array, note: str = "") -> str:
            change = float(values[-1] - values[0])
            return f"{kind:10}{name:24}{change:14.6g}{change / span:14.6g}{note}"

        lines = [f"{'':10}{'':24}{'energy [J]':>14}{'power [W]':>14}"]
        lines += [line("supplied", name, x) for name, x in self.supplied.items()]
        lines += [
            line("lost", name, x, f"   produced {made:.3g} J" if made else "")
            for name, x in self.lost.items()
            for made in [self._made(name)]
        ]
        lines += [line("stored", name, x) for name, x in self.stores.items()]
        lines.append(line("residual", "", self.residual))
        return "\n".join(lines)

    def _made(self, part: str) -> float:
        made = self.produced(part)
        return made if made > 1e-9 * self._scale else 0.0

    def __str__(self) -> str:
        return self.table()
