"""Swept spheres around meshes: how `tarsus.geometry.fit` finds them."""

from tarsus.geometry.fitting.fit import FitReport, Fitted, LinkFit, fit

__all__ = ["FitReport", "Fitted", "LinkFit", "fit"]
