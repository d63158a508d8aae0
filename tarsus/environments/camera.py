"""Pictures of a robot of an environment."""

from __future__ import annotations

from typing import Any

from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.model import Model
from tarsus.view.frame_sequence import Stage
from tarsus.view.renderer import Renderer

WIDTH, HEIGHT = 480, 300
"""Of a picture."""


class Camera:
    """Looks at a model on its ground; surfaces are made with the first picture, and then kept."""

    def __init__(self, model: Model, ground: Terrain | None) -> None:
        self.model, self.ground = model, ground
        self._renderer: Renderer | None = None

    def picture(self, q: Array) -> Any:
        """Return a picture (height, width, 3) of the configuration q (nq,)."""
        if self._renderer is None:
            stage = Stage(self.model, q=q, ground=self.ground)
            self._renderer = Renderer(stage, width=WIDTH, height=HEIGHT)
        self._renderer.stage.stand(q)
        return self._renderer.picture(0)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but surfaces, which are made anew."""
        return {**self.__dict__, "_renderer": None}
