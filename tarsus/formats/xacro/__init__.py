"""Expansion of xacro files without running their expressions as Python."""
