"""Studies of contact laws, made of runs: one motion under several laws, and a map of springs."""

from tarsus.studies.compare import ContactComparison, compare_contact
from tarsus.studies.penalty_map import PenaltyMap, penalty_map

__all__ = ["ContactComparison", "PenaltyMap", "compare_contact", "penalty_map"]
