"""README, CONTRIBUTING, CHANGELOG and CITATION: commands run, paths exist, versions agree."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tarsus as ts

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
LINK = re.compile(r'\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)|src="([^"]+)"')
SOURCE = re.compile(r"`([\w./]+\.(?:py|[ch]pp|js|md|svg))`")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_readme_run(command: str) -> None:
    program, *arguments = shlex.split(command)
    if program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in arguments)
    elif program == "pip":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        extras = re.findall(r"\[(\w+)\]", command)
        assert set(extras) <= set(project["optional-dependencies"])
    else:
        module = ["-m", "tarsus"] if program == "tarsus" else []
        done = subprocess.run(
            [sys.executable, *module, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/architecture/recipes.md"])
def test_links_lead_to_files(name: str) -> None:
    file = ROOT / name
    targets = ["".join(found) for found in LINK.findall(file.read_text(encoding="utf-8"))]
    assert targets
    assert not [each for each in targets if not (file.parent / each).exists()]


@pytest.mark.parametrize(
    "name", ["CONTRIBUTING.md", "docs/architecture/files.md", "docs/architecture/recipes.md"]
)
def test_named_source_files_exist(name: str) -> None:
    """A name without a directory is in that of the file before it; `my_…` are examples."""
    missing, count = [], 0
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        directory = ROOT
        for path in SOURCE.findall(line):
            file = ROOT / path if "/" in path else directory / path
            directory = file.parent if "/" in path else directory
            count += 1
            if not file.exists() and not file.name.startswith("my_"):
                missing.append(path)
    assert count > 20
    assert not missing


def test_rows_of_the_map_name_each_file_once() -> None:
    for line in (ROOT / "docs/architecture/files.md").read_text(encoding="utf-8").splitlines():
        paths = SOURCE.findall(line)
        assert len(set(paths)) == len(paths), line


def test_source_files_that_pages_name_exist() -> None:
    """Pages name files by their path, or by the last part of it after a directory."""
    folders = ("benchmarks", "core", "examples", "lab", "tarsus", "tests", "tools")
    known = {file.name for folder in folders for file in (ROOT / folder).rglob("*.*")}
    pattern, count = re.compile(r"`((?:\w+/)*)(\w+\.(?:py|cpp|hpp|js))`"), 0
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for folder, name in pattern.findall(page.read_text(encoding="utf-8")):
            count += 1
            there = (ROOT / folder / name).exists() if folder else name in known
            assert there or name.startswith("my_"), f"{page.name}: {folder}{name}"
    assert count > 200


@pytest.mark.parametrize(
    ("name", "lines"), [("README.md", 220), ("CONTRIBUTING.md", 250), ("CHANGELOG.md", 400)]
)
def test_documents_stay_short(name: str, lines: int) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= lines


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    releases = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)
    assert releases[0][0] == ts.__version__
    assert f"\nversion: {ts.__version__}\n" in citation
    assert f"\ndate-released: {releases[0][1]}\n" in citation


def test_changelog_has_the_sections_of_keep_a_changelog() -> None:
    known = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert "\n## [Unreleased]\n" in CHANGELOG
    assert set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE)) <= known
