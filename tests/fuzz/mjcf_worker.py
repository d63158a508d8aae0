"""Reads mutated MJCF files in a process of its own, and prints each seed before its trial.

`python mjcf_worker.py FOLDER FIRST COUNT` writes the files of one model to a folder, changes its
document or one of its meshes by each seed, and prints how the trials ended. Documents with rare
elements, which `ts.load` compiles in another process first, are compiled here at once and announced
by a line: a crash of these is one of MuJoCo, not of `ts.load`.
"""

from __future__ import annotations

import random
import resource
import struct
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from mjcf_mutations import DOCUMENT, PART, mutated_mjcf
from mutate import damaged_bytes

import tarsus as ts
from tarsus.formats import mjcf

RARE = "rare"
MAX_MEMORY = 8 * 1024**3
MESHES = ("box.stl", "ball.obj", "box.msh")


def write_files(folder: Path) -> None:
    """Write what the document names."""
    import trimesh

    box = trimesh.creation.box((0.2, 0.3, 0.4))
    box.export(folder / "box.stl")
    trimesh.creation.icosphere(subdivisions=1).export(folder / "ball.obj")
    (folder / "broken.stl").write_bytes((folder / "box.stl").read_bytes()[:-30])
    (folder / "box").write_bytes((folder / "box.stl").read_bytes())
    counts = struct.pack("<4i", len(box.vertices), 0, 0, len(box.faces))
    parts = np.asarray(box.vertices, "<f4").tobytes(), np.asarray(box.faces, "<i4").tobytes()
    (folder / "box.msh").write_bytes(counts + b"".join(parts))
    (folder / "part.xml").write_text(PART)


def main(folder: Path, first: int, count: int) -> None:
    """Run the trials."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    mjcf.check_in_process = lambda document, file: print(RARE, flush=True)
    write_files(folder)
    whole = {name: (folder / name).read_bytes() for name in MESHES}
    model, endings = folder / "model.xml", Counter[str]()
    for seed in range(first, first + count):
        print(seed, flush=True)
        randomness = random.Random(seed)
        model.write_bytes(mutated_mjcf(DOCUMENT.encode(), randomness))
        mesh = randomness.choice(MESHES)
        if randomness.random() < 0.3:
            (folder / mesh).write_bytes(damaged_bytes(whole[mesh], randomness))
        try:
            ts.load(model)
            endings["read"] += 1
        except ts.ModelError:
            endings["ModelError"] += 1
        (folder / mesh).write_bytes(whole[mesh])
    print(dict(endings), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
