"""What a measurement was made on."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
from pathlib import Path

import tarsus
from tarsus import _core


def describe_machine() -> dict[str, str]:
    """Return the processor, the instruction set and the versions of what was measured."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processor": _processor(),
        "cores": str(cores),
        "instruction_set": _core.instruction_set(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "tarsus": tarsus.__version__,
        "pinocchio": _version("pin"),
        "mujoco": _version("mujoco"),
    }


def today() -> str:
    """Return the date and time in UTC."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    fields = dict(re.findall(r"^([^\n:\t]+)\t*: (.+)$", text, re.MULTILINE))
    if "model name" not in fields:
        return platform.processor() or platform.machine()
    family, model = fields.get("cpu family", "?"), fields.get("model", "?")
    return f"{fields['model name']} (family {family}, model {model})"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
