"""Swept spheres around meshes: how `tarsus.geometry.fit` finds them."""

from tarsus.geometry.fitting.fitted import Fitted, fit
from tarsus.geometry.fitting.report import FitReport, LinkFit

__all__ = ["FitReport", "Fitted", "LinkFit", "fit"]
