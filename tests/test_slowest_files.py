"""`tools/slowest_files.py` reads Ninja's log."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "slowest_files.py"
LOG = """# ninja log v6
0\t90000\t1\tCMakeFiles/kernels_avx2.dir/core/step/advance.cpp.o\ta
90000\t92500\t1\tCMakeFiles/kernels_avx2.dir/core/flow/gauss.cpp.o\tb
92500\t92600\t1\t_core.so\tc
100\t7100\t2\tCMakeFiles/kernels_avx2.dir/core/step/advance.cpp.o\ta
"""


def run(build: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), str(build), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_lists_the_last_build_of_each_file_slowest_first(tmp_path: Path) -> None:
    (tmp_path / ".ninja_log").write_text(LOG, encoding="utf-8")
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "     7.0 s  kernels_avx2.dir/core/step/advance.cpp.o",
        "     2.5 s  kernels_avx2.dir/core/flow/gauss.cpp.o",
        "     9.5 s  all of kernels_avx2",
    ]


def test_fails_for_a_file_over_the_limit(tmp_path: Path) -> None:
    (tmp_path / ".ninja_log").write_text(LOG, encoding="utf-8")
    assert run(tmp_path, "--limit", "7.5").returncode == 0
    done = run(tmp_path, "--limit", "5")
    assert done.returncode == 1
    assert "advance.cpp.o took 7.0 s, more than 5 s" in done.stdout


def test_a_directory_without_a_log_is_an_error(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2
    assert ".ninja_log" in done.stderr
