"""Studies of functions over grids, on threads, processes or a cluster, that survive being killed.

found = ts.sweep(fall, {"slope": slopes, "mass": masses}, checkpoint="falls")
found.array("time")  # (slopes, masses)
"""

from tarsus.sweep.failures import Failure, JournalError, SweepError
from tarsus.sweep.sweep import sweep
from tarsus.sweep.swept import Swept

__all__ = ["Failure", "JournalError", "SweepError", "Swept", "sweep"]
