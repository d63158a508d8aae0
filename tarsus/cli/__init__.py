"""The `tarsus` command."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; needs the extra `cli`."""
    try:
        from tarsus.cli.app import run
    except ModuleNotFoundError as error:
        package = str(error.name).split(".")[0]
        if package not in ("typer", "rich"):
            raise
        message = f"the command line needs {package}: pip install 'tarsus[cli]'"
        print(f"tarsus: {message}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("tarsus: interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(run())
