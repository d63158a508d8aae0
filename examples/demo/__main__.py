"""Run the demo: `python examples/demo`. Ctrl-C ends it cleanly, also while modules are loaded."""

import sys

if __name__ == "__main__":
    try:
        from program import main

        sys.exit(main())
    except KeyboardInterrupt:
        print("\ninterrupted: the page was not written", file=sys.stderr)
        sys.exit(130)
