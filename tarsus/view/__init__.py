"""Pictures of models and runs: the viewer in the browser, films, pages that play, plots.

It knows the shape of a run and computes none: simulation stands above it and asks it to draw
(`run.plot()`, `run.animate(…)`), so nothing here imports what simulates.

`ts.view(run)` is the function of this package. In the namespace of `tarsus` it stands in front of
the package, as `ts.check` does: `from tarsus.view.plots import plot_run` and
`from tarsus.view import plots` find the modules; `tarsus.view.plots` as an expression does not.
"""

from tarsus.view.viewer import Viewer, view
from tarsus.view.volume_editor import VolumeEditor, edit_volumes

__all__ = ["Viewer", "VolumeEditor", "edit_volumes", "view"]
