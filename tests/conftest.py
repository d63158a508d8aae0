"""Settings of all tests: hypothesis tries the same examples each time and has no deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
