"""Pictures of studies: a line over one axis, a map over two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.view.figures import INK, LINES, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.sweep.swept import Swept


def plot_sweep(found: Swept, name: str | None, path: str | Path | None) -> Any:
    """Return a figure of numbers over the axes that have more than one value."""
    axes_of = {axis: values for axis, values in found.axes.items() if len(values) > 1}
    if len(axes_of) not in (1, 2):
        told = ", ".join(axes_of) or "none"
        raise ValueError(f"pictures have one or two axes with several values, not {told}")
    numbers = found.array(name)
    shape = tuple(len(values) for values in axes_of.values())
    if numbers.ndim != len(found.shape) or numbers.dtype.kind not in "biuf":
        raise ValueError(
            f"results are {numbers.dtype} of shape {numbers.shape[len(found.shape) :]}, "
            "must be a number each to be drawn"
        )
    figure = new_figure(6.0, 4.0)
    axes = figure.add_subplot()
    draw = _line if len(shape) == 1 else _map
    draw(figure, axes, axes_of, np.asarray(numbers.reshape(shape), np.float64))
    style_axes(axes, name or found.function, "")
    axes.set_xlabel(list(axes_of)[-1], fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


def _line(figure: Any, axes: Any, axes_of: dict[str, list[Any]], numbers: Any) -> None:
    ((_, values),) = axes_of.items()
    places, labels = _places(values)
    axes.plot(places, numbers, "o-", color=LINES[0], lw=1.2, ms=3)
    if labels:
        axes.set_xticks(places, labels)


def _map(figure: Any, axes: Any, axes_of: dict[str, list[Any]], numbers: Any) -> None:
    (down, rows), (_, columns) = axes_of.items()
    (y, names_down), (x, names_across) = _places(rows), _places(columns)
    picture = axes.pcolormesh(x, y, numbers, cmap="YlGnBu", shading="nearest")
    figure.colorbar(picture, ax=axes).ax.tick_params(labelsize=8)
    if names_across:
        axes.set_xticks(x, names_across)
    if names_down:
        axes.set_yticks(y, names_down)
    axes.set_ylabel(down, fontsize=8, color=INK)


def _places(values: list[Any]) -> tuple[Any, list[str]]:
    """Return where values are on an axis, and names if they are no numbers that rise or fall."""
    if all(type(value) in (int, float) for value in values):
        steps = np.diff(values)
        if (steps > 0).all() or (steps < 0).all():
            return np.array(values, np.float64), []
    return np.arange(len(values)), [str(value) for value in values]
