"""Whether a model is plausible, and whether its dynamics are exact: `tarsus.check(model)`."""

from tarsus.check.check import check
from tarsus.check.report import Finding, Report, Residual

__all__ = ["Finding", "Report", "Residual", "check"]
