"""Measuring the speed of the algorithms, beside Pinocchio where it is installed."""

from tarsus_lab.bench.measure import Plan, measure

__all__ = ["Plan", "measure"]
