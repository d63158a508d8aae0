"""Geoms and sites of a compiled MuJoCo model as shapes and frames, and which never touch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.errors import ModelError, Source
from tarsus.formats.mjcf_joints import mujoco_pose
from tarsus.model.description import Frame, Shape
from tarsus.spatial import inverse

DEFAULT_COLOR = (0.5, 0.5, 0.5, 1.0)
DEFAULT_FRICTION = (1.0, 0.005, 0.0001)
DEFAULT_SOLREF = (0.02, 1.0)
MAX_PAIRS = 1_000_000
"""Pairs of bodies that never touch."""
HIDDEN = 3
"""The first group of geoms that MuJoCo's viewer does not show."""

# by MuJoCo's name of the type, from its (half) sizes
SIZES: dict[str, tuple[str, Callable[[Any], tuple[float, ...]]]] = {
    "SPHERE": ("sphere", lambda size: (size[0],)),
    "CAPSULE": ("capsule", lambda size: (size[0], 2 * size[1])),
    "CYLINDER": ("cylinder", lambda size: (size[0], 2 * size[1])),
    "ELLIPSOID": ("ellipsoid", lambda size: (size[0], size[1], size[2])),
    "BOX": ("box", lambda size: (2 * size[0], 2 * size[1], 2 * size[2])),
}


def read_shapes(
    mujoco: Any,
    model: Any,
    body_names: list[str],
    mesh_files: Mapping[str, Path],
    source: Callable[[str, int], Source],
    ignored: Counter[str],
) -> Iterator[Shape]:
    """The geoms, for touching if they can collide, else for looking at.

    Where some are for looking at alone, those that collide and are seen, too, are both.
    """
    looks = not all(_collides(model, geom) for geom in range(model.ngeom))
    for geom in range(model.ngeom):
        name = model.geom(geom).name
        kind = mujoco.mjtGeom(int(model.geom_type[geom])).name.removeprefix("mjGEOM_")
        placement = mujoco_pose(model.geom_pos[geom], model.geom_quat[geom])
        file = None
        if kind == "MESH":
            mesh = int(model.geom_dataid[geom])
            file = _mesh_file(model, mesh, mesh_files)
            # MuJoCo moves the vertices of a mesh into its principal axes
            placement = placement @ inverse(
                mujoco_pose(model.mesh_pos[mesh], model.mesh_quat[mesh])
            )
            shape, size = "mesh", tuple(model.mesh_scale[mesh].tolist())
        elif kind in SIZES:
            shape, function = SIZES[kind]
            size = function(model.geom_size[geom].tolist())
        if kind not in SIZES and file is None:
            ignored["mesh geoms without a file" if kind == "MESH" else f"{kind.lower()} geoms"] += 1
            continue
        stated = Shape(
            body_names[model.geom_bodyid[geom]],
            role="collision" if _collides(model, geom) else "visual",
            kind=shape,
            size=size,
            placement=placement,
            file=file,
            color=_color(model, geom),
            name=name,
            **_surface(model, geom),
            source=source("geom", geom),
        )
        yield stated
        if looks and stated.role == "collision" and _is_seen(model, geom):
            yield replace(stated, role="visual", name="", friction=None, torsion=None, rolling=None)


def read_sites(
    model: Any,
    body_names: list[str],
    new_name: Callable[[str], str],
    source: Callable[[str, int], Source],
) -> Iterator[Frame]:
    """The sites, as frames; one that is called like a body gets another name."""
    for site in range(model.nsite):
        name = model.site(site).name
        yield Frame(
            new_name(name or f"site{site}"),
            body_names[model.site_bodyid[site]],
            mujoco_pose(model.site_pos[site], model.site_quat[site]),
            source("site", site),
        )


def excluded_contacts(model: Any, body_names: list[str], source: Source) -> list[list[str]]:
    """Pairs of bodies that never touch: named by <exclude>, or by the bits of all their geoms."""
    bits: dict[int, set[tuple[int, int]]] = {}
    for geom in range(model.ngeom):
        if _collides(model, geom):
            own = int(model.geom_contype[geom]), int(model.geom_conaffinity[geom])
            bits.setdefault(int(model.geom_bodyid[geom]), set()).add(own)
    alike: dict[frozenset[tuple[int, int]], list[int]] = {}
    for body, own_bits in bits.items():
        alike.setdefault(frozenset(own_bits), []).append(body)
    strangers = [
        (alike[first], alike[second])
        for first, second in combinations_with_replacement(alike, 2)
        if not any(x[0] & y[1] or y[0] & x[1] for x, y in product(first, second))
    ]
    if sum(len(first) * len(second) for first, second in strangers) > MAX_PAIRS:
        raise ModelError(f"more than {MAX_PAIRS} pairs of bodies never touch", source)
    found = {(int(pair) >> 16, int(pair) & 0xFFFF) for pair in model.exclude_signature}
    for first, second in strangers:
        found |= {(min(a, b), max(a, b)) for a in first for b in second if a != b}
    return [[body_names[a], body_names[b]] for a, b in sorted(found)]


def pair_frictions(mujoco: Any, model: Any, body_names: list[str]) -> list[list[Any]]:
    """Two geoms, or their bodies where they have no name, or "ground", and how they rub."""

    def name(geom: int) -> str:
        if int(model.geom_type[geom]) in _grounds(mujoco):
            return "ground"
        return str(model.geom(geom).name or body_names[model.geom_bodyid[geom]])

    geoms = zip(model.pair_geom1.tolist(), model.pair_geom2.tolist(), strict=True)
    rubs = model.pair_friction[:, 0].tolist()
    return [[name(a), name(b), mu] for (a, b), mu in zip(geoms, rubs, strict=True)]


def _grounds(mujoco: Any) -> tuple[int, int]:
    return int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD)


def frictions_of_planes(mujoco: Any, model: Any, body_names: list[str]) -> list[str]:
    """What of the planes and height fields states a friction other than MuJoCo's own, by name."""
    grounds = _grounds(mujoco)
    return [
        f"{model.geom(geom).name or body_names[model.geom_bodyid[geom]]} ({friction[0]:g})"
        for geom, friction in enumerate(model.geom_friction)
        if _collides(model, geom)
        and int(model.geom_type[geom]) in grounds
        and not np.allclose(friction, DEFAULT_FRICTION)
    ]


def _surface(model: Any, geom: int) -> dict[str, float]:
    """What a geom that touches states of its surface, where that is not MuJoCo's own.

    Of its frictions those count that its condim uses.
    """
    if not _collides(model, geom):
        return {}
    sliding, torsion, rolling = model.geom_friction[geom].tolist()
    found = {} if np.isclose(sliding, DEFAULT_FRICTION[0]) else {"friction": sliding}
    condim = int(model.geom_condim[geom])
    # the larger condim of two that meet counts: 1 is frictionless only among its likes
    if condim >= 4:
        found["torsion"] = torsion
    if condim >= 6:
        found["rolling"] = rolling
    return found | _springs(model, geom)


def _springs(model: Any, geom: int) -> dict[str, float]:
    """Stiffness and damping of a geom, which MuJoCo states per mass that it moves.

    Its `solref` is a time constant and a damping ratio, or −stiffness and −damping; the mass is
    that of its body's inverse weight. What does not move has none.
    """
    weight = float(model.body_invweight0[model.geom_bodyid[geom], 0])
    first, second = model.geom_solref[geom].tolist()
    if np.allclose((first, second), DEFAULT_SOLREF) or not weight > 0.0:
        return {}
    if first <= 0.0:
        per_mass = -first, -second
    elif second > 0.0:
        per_mass = 1.0 / (first * second) ** 2, 2.0 / first
    else:
        return {}
    stiffness, damping = (number / weight for number in per_mass)
    return {"stiffness": stiffness, "damping": damping} if stiffness > 0.0 else {}


def fixed_springs(model: Any, body_names: list[str]) -> list[str]:
    """What of the geoms that do not move states a stiffness, by name."""
    return [
        str(model.geom(geom).name or body_names[model.geom_bodyid[geom]])
        for geom, solref in enumerate(model.geom_solref)
        if _collides(model, geom)
        and not model.body_invweight0[model.geom_bodyid[geom], 0] > 0.0
        and not np.allclose(solref, DEFAULT_SOLREF)
    ]


def _collides(model: Any, geom: int) -> bool:
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom])


def _is_seen(model: Any, geom: int) -> bool:
    return bool(model.geom_group[geom] < HIDDEN and _color(model, geom)[3] > 0.0)


def _color(model: Any, geom: int) -> tuple[float, float, float, float]:
    red, green, blue, alpha = model.geom_rgba[geom].tolist()
    material = int(model.geom_matid[geom])
    if material >= 0 and np.allclose((red, green, blue, alpha), DEFAULT_COLOR):
        red, green, blue, alpha = model.mat_rgba[material].tolist()
    return red, green, blue, alpha


def _mesh_file(model: Any, mesh: int, mesh_files: Mapping[str, Path]) -> str | None:
    start = int(model.mesh_pathadr[mesh])
    if start < 0:
        return None
    paths: bytes = model.paths
    return str(mesh_files[paths[start : paths.index(b"\0", start)].decode()])
