"""A page in one file that shows a model or a run."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.files import Array, replacing
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.view.frame_sequence import ARROW_COLORS, Arrows, Stage
from tarsus.view.triangle_meshes import Surface
from tarsus.view.volume_meshes import OPACITY, Look, Shells, bar_svg

if TYPE_CHECKING:
    from tarsus.simulation.energy import EnergyLedger
    from tarsus.simulation.trajectory import Trajectory


# The modules of the pages as one script: a page that is one file works without a server.
#
# Browsers load no modules from files that lie beside a page. So modules are put one after another,
# those first that others need, each in a function of its own, by a rule that takes two forms only:
#
#     import { a, b } from "./other.js"
#     export const a …, export function a …, export class a …


PAGE = Path(__file__).with_name("page")
"""Where the modules are."""

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+\.js)"$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def bundle(entry: str, folder: Path = PAGE) -> str:
    """Return a script of a module and all modules that it needs."""
    written: dict[str, str] = {}
    _add(entry, folder, written, ())
    parts = [
        f"const _{Path(name).stem} = (() => {{\n{text}}})()\n" for name, text in written.items()
    ]
    return '"use strict"\n' + "\n".join(parts)


def _add(name: str, folder: Path, written: dict[str, str], above: tuple[str, ...]) -> None:
    """Write a module after those that it needs."""
    if name in written:
        return
    if name in above:
        raise ValueError(f"modules need each other: {' → '.join((*above, name))}")
    text = (folder / name).read_text("utf-8")
    for needed in _IMPORT.findall(text):
        _add(needed[1], folder, written, (*above, name))
    text = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = _{Path(found[2]).stem}", text)
    names = _EXPORT.findall(text)
    text = _EXPORT.sub("", text)
    other = _OTHER.search(text)
    if other is not None:
        raise ValueError(f"{name} has a line that cannot be bundled: {other[0]}")
    written[name] = f"{text}\nreturn {{ {', '.join(names)} }}\n"


# A machine as the pages take it: what `setMachine` of page/scene.js reads, as plain JSON.


def machine_data(stage: Stage) -> dict[str, Any]:
    """Return bodies with their surfaces, what stands still, the ground, and the size [m]."""
    bodies: list[dict[str, Any]] = [
        {"name": name, "surfaces": []} for name in stage.model.body_names
    ]
    world: list[dict[str, Any]] = []
    for surface in stage.surfaces:
        fixed = world if surface.body < 0 else bodies[surface.body]["surfaces"]
        fixed.append(surface_data(surface))
    ground = ground_data(stage.terrain, stage.ground)
    return {"bodies": bodies, "world": world, "ground": ground, "size": stage.size}


def surface_data(surface: Surface) -> dict[str, Any]:
    """Return a surface: little-endian float32 and uint32, as base64."""
    return {
        "vertices": packed(surface.vertices),
        "triangles": packed(surface.triangles, "<u4"),
        "color": [round(part, 4) for part in surface.color],
    }


def ground_data(terrain: Terrain | None, piece: Surface | None) -> dict[str, Any] | None:
    """Return a plane by its normal, which has no end, and other grounds as a piece of mesh."""
    if terrain is None or piece is None:
        return None
    if isinstance(terrain, Ground):
        return {"height": float(terrain.level), "normal": terrain.numbers[:3].tolist()}
    return surface_data(piece)


def packed(array: Any, kind: str = "<f4") -> str:
    """Return an array's numbers as base64."""
    return base64.b64encode(np.asarray(array, kind).tobytes()).decode()


# Charts under the picture of a page: the ledger of energy, forces of contacts, and quantities.


MOST = 4
"""Lines of a chart: those that move most."""
STORED = {
    "kinetic": "kinetic",
    "gravity": "gravity",
    "elastic": "springs",
    "in_parts": "parts",
    "in_contacts": "surfaces",
}
"""Names of what is stored, and words for them."""
WORKS = (
    *("supplied", "damping", "joint_friction", "contact_friction", "contact_normal", "impacts"),
    *("loops", "limits", "parts", "corrections"),
)


def chart_data(stage: Stage) -> list[dict[str, Any]]:
    """Return charts with values (T,) at the pictures' times: what was recorded, and was told."""
    run = stage.run
    charts = []
    if run is not None and "energy" in run.recorded:
        charts += _energy_charts(run.energy, stage)
    if run is not None and run.touched is not None and len(run.touched.sample):
        charts.append(_chart("contact forces, sum", "N", _forces(run), stage))
    by_unit: dict[str, dict[str, Array]] = {}
    for name, values in stage.quantities.items():
        words, unit = _name_and_unit(name)
        by_unit.setdefault(unit, {})[words] = values
    charts += [_chart(", ".join(lines), unit, lines, stage) for unit, lines in by_unit.items()]
    return [chart for chart in charts if chart["lines"]]


def _energy_charts(ledger: EnergyLedger, stage: Stage) -> list[dict[str, Any]]:
    """Return what is stored, what did work, and what is left over, all since the start."""
    stored = {words: getattr(ledger, name) for name, words in STORED.items()}
    changes = {words: values - values[0] for words, values in _that_move(stored).items()}
    works = {name.replace("_", " "): ledger.work(name) for name in WORKS}
    return [
        _chart(
            "energy since the start",
            "J",
            {**changes, "sum": ledger.stored - ledger.stored[0]},
            stage,
        ),
        _chart("work", "J", _that_move(works), stage),
        _chart("residual of the ledger", "J", {"residual": ledger.residual}, stage),
    ]


def _that_move(lines: Mapping[str, Array]) -> dict[str, Array]:
    """Return the lines that move most, of those that move at all, in the order they came in."""
    ranges = {name: float(np.ptp(values)) for name, values in lines.items()}
    least = sorted(ranges.values(), reverse=True)[:MOST][-1]
    return {name: x for name, x in lines.items() if ranges[name] >= least and ranges[name] > 0.0}


def _forces(run: Trajectory) -> dict[str, Array]:
    """Return the vertical and the level part of the sum of all contact forces (T,) [N]."""
    assert run.touched is not None
    total = np.zeros((len(run.t), 3))
    np.add.at(total, run.touched.sample, run.touched.force)
    return {"upwards": total[:, 2], "level": np.linalg.norm(total[:, :2], axis=1)}


def _chart(title: str, unit: str, lines: Mapping[str, Array], stage: Stage) -> dict[str, Any]:
    values = {name: np.asarray(x)[stage.samples] for name, x in lines.items()}
    return {
        "title": title,
        "unit": unit,
        "lines": [{"name": name, "values": packed(x)} for name, x in values.items()],
    }


def _name_and_unit(name: str) -> tuple[str, str]:
    """Return "height" and "m" of "height [m]"."""
    found = re.fullmatch(r"(.*?)\s*\[([^\]]*)\]", name)
    return (found[1], found[2]) if found else (name, "")


# A page that plays a run in any browser: one file with all data, no server and no network.


def write_page(stage: Stage, file: str | Path, *, speed: float = 1.0) -> None:
    """Write the pictures of a stage as a page: a view that can be turned, time, and charts."""
    data = json.dumps(page_data(stage, speed=speed))
    with replacing(file) as part:
        part.write_text(page_text(stage.model.name, "player_page.js", data), "utf-8")


def page_text(title: str, entry: str, data: str, template: str = "player.html") -> str:
    """Return a page that needs nothing beside it: style, data (JSON), an entry and its modules."""
    parts = {
        "TITLE": html.escape(title),
        "STYLE": (PAGE / "page.css").read_text("utf-8"),
        "SCRIPT": bundle(entry),
        # inside a script element, "</script" and "<!--<script" in a name change how HTML is parsed
        "DATA": data.replace("<", "\\u003c"),
    }
    page = (PAGE / template).read_text("utf-8")
    # from the template's end to its beginning: what was put in is not looked at again
    for name in ("SCRIPT", "DATA", "STYLE", "TITLE"):
        before, after = page.split(f"@{name}@", 1)
        page = before + parts[name] + after
    return page


def page_data(stage: Stage, *, speed: float = 1.0) -> dict[str, Any]:
    """Return what the page needs: numbers are little-endian float32, as base64."""
    return {
        "name": stage.model.name,
        "speed": speed,
        "times": stage.times.tolist(),
        "poses": packed(stage.poses[:, :, :3]),
        "machine": machine_data(stage),
        "shells": [] if stage.shells is None else shell_data(stage.shells),
        "lines": stage.line_ends,
        "states": list(ARROW_COLORS),
        "arrows": [_arrow_data(stage.arrows(k)) for k in range(len(stage.times))],
        "charts": chart_data(stage),
    }


def _arrow_data(arrows: Arrows) -> dict[str, Any]:
    states = list(ARROW_COLORS)
    # runs that went astray have numbers that JSON does not know
    points, vectors, forces = map(np.nan_to_num, (arrows.points, arrows.vectors, arrows.forces))
    return {
        "points": np.round(points, 5).tolist(),
        "vectors": np.round(vectors, 5).tolist(),
        "states": [states.index(state) for state in arrows.states],
        "newtons": np.round(np.linalg.norm(forces, axis=1), 3).tolist(),
    }


# Volumes on the pages: translucent surfaces on bodies, and how they look in a configuration.


def shell_data(shells: Shells) -> list[dict[str, Any]]:
    """Return a translucent surface for each volume, with the body that it moves with."""
    return [
        {**surface_data(surface), "body": surface.body, "opacity": OPACITY, "tag": k}
        for k, surface in enumerate(shells.surfaces)
    ]


def look_data(look: Look) -> dict[str, Any]:
    """Return colours and opacities of all volumes, the shortest lines, and words for the gap."""
    gap = f"{1e3 * look.gap:.1f} mm, {look.pair}" if look.pair else "none is near"
    known = np.isfinite(look.largest)
    return {
        "colors": np.round(look.colors, 3).tolist(),
        "opacities": np.where(look.opaque, 0.9, OPACITY).tolist(),
        "lines": np.round(look.lines, 5).tolist(),
        "lineColors": np.round(look.line_colors, 3).tolist(),
        "gap": gap if known else "",
        "bar": bar_svg(look) if known else "",
    }
