"""Serve the studio with a quadruped for some seconds: `python studio_server.py 300`."""

from __future__ import annotations

import sys
import time

from tarsus import studio

if __name__ == "__main__":
    stage = studio.Stage()
    stage.run("open quadruped")
    with studio.open(stage) as served:
        print(served.url, flush=True)
        time.sleep(float(sys.argv[1]))
