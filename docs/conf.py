"""Configuration of the documentation: `sphinx-build -W docs docs/_build/html`."""

import re
import sys
from pathlib import Path
from typing import Any

import tarsus

sys.path.insert(0, str(Path(__file__).parent))

project = "Tarsus"
author = "the Tarsus contributors"
copyright = "the Tarsus contributors, Apache License 2.0"
version = release = tarsus.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "mathml"]
exclude_patterns = ["_build"]
default_role = "code"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_type_aliases = {"Array": "Array", "ArrayLike": "ArrayLike"}

html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_theme = "furo"
html_title = "Tarsus"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7fb8de", "color-brand-content": "#7fb8de"},
}


def setup(app: Any) -> None:
    """Register what adapts docstrings, which are plain text, to reStructuredText."""
    app.connect("autodoc-process-docstring", plain_docstring)


def plain_docstring(
    app: Any, what: str, name: str, element: Any, options: Any, lines: list[str]
) -> None:
    """Escape asterisks, and keep the lines of the core's lists of arguments apart."""
    for i, line in enumerate(lines):
        line = line.replace("*", r"\*")
        lines[i] = re.sub(r"^(\w+): ", r"| **\1**: ", line)
