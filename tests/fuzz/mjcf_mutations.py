"""Mutations of MJCF documents by MuJoCo's own schema: all its elements and attributes.

A document that uses most of the schema is the start. Attributes get values of the right kind most
of the time, because what a parser refuses at once tests nothing behind it.
"""

from __future__ import annotations

import copy
import random
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from functools import cache

DOCUMENT = """<mujoco model="rich">
<compiler angle="radian" autolimits="true"><lengthrange mode="muscle"/></compiler>
<option timestep="0.002"><flag contact="enable"/></option><size nuser_body="1"/>
<statistic extent="1"/><visual><global azimuth="3"/><rgba fog="1 1 1 1"/></visual>
<default><geom density="500"/><default class="a"><joint damping="1"/><geom friction="1 .1 .1"/>
</default><default class="b"><motor gear="3"/></default></default>
<extension><plugin plugin="mujoco.elasticity.cable"><instance name="a"><config key="twist"
value="1e6"/></instance></plugin></extension>
<asset><texture name="a" type="2d" builtin="checker" width="4" height="4"/>
<material name="a" texture="a"/><material name="b"><layer role="rgb" texture="a"/></material>
<mesh name="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="b" file="box.stl" scale="1 1 2"/>
<mesh name="c" builtin="sphere" params="2"/><mesh name="d" file="ball.obj" inertia="convex"/>
<mesh name="e" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"
normal="0 0 1 0 1 0 1 0 0 1 1 1" texcoord="0 0 0 1 1 0 1 1"/><mesh name="f" file="box.msh"/>
<hfield name="a" nrow="3" ncol="3" size="1 1 1 1" elevation="0 1 0 1 0 1 0 1 0"/>
<skin name="a" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="a" bindpos="0 0 0"
bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin><model name="a" file="part.xml"/>
</asset>
<worldbody><geom name="floor" type="plane" size="1 1 1"/><light pos="0 0 3"/>
<camera name="a" mode="targetbody" target="a" pos="0 0 1"/><site name="d" pos="0 0 2"/>
<geom type="hfield" hfield="a"/>
<body name="a" pos="0 0 1"><freejoint name="a"/><geom name="a" size=".1" class="a"/>
<site name="a"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<body name="b" pos="0 0 1"><joint name="b" type="hinge" axis="0 1 0" range="-1 1"/>
<geom name="b" type="cylinder" fromto="0 0 0 0 0 1" size=".1"/><site name="b" pos="0 0 1"/>
<body name="c"><joint name="c" type="slide" stiffness="3"/><joint name="d" type="ball"/>
<geom name="c" type="mesh" mesh="a"/><geom type="mesh" mesh="b"/><geom type="mesh" mesh="d"/>
<site name="c" type="box" size="1 1 1"/></body></body>
<body name="e"><geom type="box" size="1 1 1" mass="1"/><joint name="e"/></body></body>
<body name="d" mocap="true"><geom size=".1"/></body>
<body name="g"><flexcomp name="a" type="grid" count="2 2 2" spacing=".1 .1 .1" dim="3"
radius=".01" mass="1"><elasticity young="1e3"/><pin id="0"/></flexcomp></body>
<frame pos="1 0 0"><body name="f"><joint name="f"/><geom name="f" size=".1"/></body></frame>
<replicate count="2" offset="1 0 0"><body name="r"><joint name="r"/><geom size=".1"/></body>
</replicate><attach model="a" body="b" prefix="p_"/></worldbody>
<deformable><flex name="b" dim="1" body="a b" vertex="0 0 0 0 0 0" element="0 1" radius=".1"/>
</deformable>
<contact><pair name="a" geom1="a" geom2="floor"/><exclude name="a" body1="a" body2="b"/></contact>
<tendon><spatial name="a" width=".01" range="0 3" stiffness="2"><site site="a"/>
<geom geom="b" sidesite="b"/><site site="c"/><pulley divisor="2"/><site site="c"/><site site="d"/>
</spatial><fixed name="b"><joint joint="b" coef="1"/><joint joint="e" coef="-1"/></fixed></tendon>
<equality><connect name="a" body1="b" body2="e" anchor="0 0 0"/><weld name="b" body1="c" body2="e"/>
<joint name="c" joint1="b" joint2="e" polycoef="0 1 0 0 0"/><tendon tendon1="a" tendon2="b"/>
</equality>
<actuator><motor name="a" joint="b" gear="3" class="b"/><position name="b" joint="e" kp="3" kv="1"/>
<velocity name="c" joint="c" kv="2"/><general name="d" tendon="a" dyntype="integrator"/>
<muscle name="e" tendon="a"/><damper name="f" joint="b" kv="1" ctrlrange="0 1"/>
<cylinder name="g" joint="b"/><adhesion name="h" body="a" ctrlrange="0 1" gain="1"/>
<general name="i" site="a" refsite="d"/><general slidersite="a" cranksite="b" cranklength="1"/>
</actuator>
<sensor><jointpos name="a" joint="b"/><accelerometer name="b" site="a"/><touch site="c"/>
<framepos objtype="body" objname="a" reftype="site" refname="d"/><user name="u" dim="2"/>
<rangefinder site="a"/><contact geom1="a"/><camprojection site="a" camera="a"/></sensor>
<custom><numeric name="a" data="1 2"/><text name="a" data="x"/><tuple name="a"><element
objtype="body" objname="a" prm="1"/></tuple></custom><keyframe><key name="a" time="1"/></keyframe>
</mujoco>"""

PART = """<mujoco><asset><mesh name="b" file="box.stl"/></asset><worldbody><body name="b">
<joint name="b"/><geom name="b" type="mesh" mesh="b"/><site name="b"/></body>
</worldbody></mujoco>"""

NAMES = ("a", "b", "c", "d", "e", "f", "g", "r", "world", "floor", "p_b", "x")
NUMBERS = ("0", "0", "1", "1", "2", "3", "-1", ".5", "1e-3", "10", "100", "1e6", "1e10", "1e-12")
EXTREMES = (
    *("", " ", "inf", "-inf", "1e308", "-1e308", "1e-320", "1e20", "65536", "1000000"),
    *("2147483647", "2147483648", "-2147483648", "4294967296", "9223372036854775808", "x"),
)
LENGTHS = {
    2: "range ctrlrange forcerange actrange lengthrange solref solreflimit solreffriction",
    3: "pos axis euler size offset scale anchor center friction count origin spacing refpos",
    4: "quat rgba axisangle zaxis refquat params bindquat",
    5: "solimp solimplimit solimpfriction polycoef",
    6: "fromto xyaxes gear fullinertia cellcount",
    7: "relpose",
    9: "face vertid element",
    12: "vertex normal elevation point",
}
"""How many numbers attributes have, of those that have more than one."""

REFERENCES = (
    "body joint geom site mesh class childclass material texture hfield tendon actuator camera "
    "model body1 body2 geom1 geom2 site1 site2 joint1 joint2 tendon1 tendon2 sidesite refsite "
    "slidersite cranksite jointinparent target objname refname name flex frame instance"
)
WORDS = {
    "type": "plane hfield sphere capsule ellipsoid cylinder box mesh sdf free ball slide hinge 2d "
    "cube skybox grid cable direct gmsh square disc circle",
    "builtin": "none checker flat sphere hemisphere cone supersphere supertorus wedge plate",
    "mode": "fixed track targetbody none muscle all",
    "dyntype": "none integrator filter filterexact muscle user",
    "gaintype": "fixed affine muscle user",
    "biastype": "none affine muscle user",
    "objtype": "body xbody geom site camera joint tendon actuator sensor flex mesh",
    "reftype": "body xbody geom site camera",
    "inertia": "convex exact legacy shell",
    "plugin": "mujoco.elasticity.cable mujoco.sdf.torus mujoco.pid x",
    "angle": "radian degree",
    "coordinate": "local global",
    "eulerseq": "xyz XYZ zyx abc xy",
    "conflict": "error merge warning",
    "sleep": "auto never allowed init",
    "input": "position velocity voltage",
    "data": "found force dist pos",
    "file": "box.stl ball.obj box.msh part.xml broken.stl absent.stl box",
    "content_type": "model/stl model/obj model/vnd.mujoco.msh x",
    "initial": "none free ball",
    "curve": "s cos(s) sin(s)",
    "kind": "main",
    "integrator": "Euler RK4 implicit implicitfast",
    "fluidshape": "none ellipsoid",
}
KEPT_SECTIONS = ("worldbody", "default", "asset")
SWITCHES = ("true", "false", "auto", "enable", "disable")


@dataclass
class Node:
    """An element of the schema."""

    tag: str
    attributes: list[str]
    children: list[Node] = field(default_factory=list)


@cache
def schema() -> Node:
    """Return the root of MuJoCo's schema; elements that may be inside themselves are so here."""
    import mujoco

    open_nodes: list[Node] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        match = re.match(r"( *)(?:\(world\))?(\w+) \((?:.)\)\s*(.*)", line)
        if match is None:
            open_nodes[-1].attributes.extend(line.split())
            continue
        node = Node(match[2], match[3].split())
        del open_nodes[len(match[1]) // 3 :]
        if open_nodes:
            open_nodes[-1].children.append(node)
        open_nodes.append(node)
    root = open_nodes[0]
    sections = {node.tag: node for node in root.children}
    sections["default"].children.append(sections["default"])
    body, cable = sections["body"], ["kind", "type", "size", "damping"]
    body.children += [
        body,
        Node("frame", ["name", "childclass", "pos", "quat", "euler"], body.children),
        Node("replicate", ["count", "offset", "euler", "sep"], body.children),
        Node(
            "composite",
            ["prefix", "type", "count", "offset", "vertex", "initial", "curve", "size"],
            [Node(tag, cable) for tag in ("joint", "geom", "site")],
        ),
    ]
    root.children.append(Node("worldbody", [], body.children))
    return root


def mutated_mjcf(data: bytes, randomness: random.Random) -> bytes:
    """Return a document with elements and attributes of the schema added, changed or removed."""
    root = ElementTree.fromstring(data)
    for section in list(root):  # fewer sections have fewer reasons to be refused
        if section.tag not in KEPT_SECTIONS and randomness.random() < 0.4:
            root.remove(section)
    if randomness.random() < 0.8:
        _remove_rare(root)
    for _ in range(randomness.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        _mutate(root, randomness)
    return ElementTree.tostring(root)


def _remove_rare(root: ElementTree.Element) -> None:
    """Remove meshes of kinds that ordinary robots do not have."""
    for parent in list(root.iter()):
        for child in list(parent):
            if "builtin" in child.attrib or child.get("file", "").endswith(".msh"):
                parent.remove(child)


def _mutate(root: ElementTree.Element, randomness: random.Random) -> None:
    """Change one element."""
    parents, nodes = {}, {root: schema()}
    for parent in root.iter():
        inside = {node.tag: node for node in nodes[parent].children}
        for child in parent:
            parents[child] = parent
            nodes[child] = inside.get(child.tag, Node(child.tag, []))
    elements = list(root.iter())
    element = randomness.choice(elements)
    node = nodes[element]
    way = randomness.randrange(11)
    if way < 5 and node.attributes:
        attribute = randomness.choice(node.attributes)
        element.set(attribute, _value(attribute, randomness))
    elif way < 7 and node.children:
        place = randomness.randrange(len(element) + 1)
        element.insert(place, _make(randomness.choice(node.children), randomness))
    elif way == 7 and element.attrib:
        del element.attrib[randomness.choice(list(element.attrib))]
    elif way == 8 and element is not root:
        parents[element].remove(element)
    elif element is not root and len(list(element.iter())) < 30 and len(elements) < 400:
        double = copy.deepcopy(element)
        for part in double.iter():
            if "name" in part.attrib:
                part.set("name", part.attrib["name"] + "2")
        holder = randomness.choice(elements) if way == 10 else parents[element]
        holder.append(double)


def _make(node: Node, randomness: random.Random, depth: int = 0) -> ElementTree.Element:
    """Return a new element with some of its attributes and children."""
    element = ElementTree.Element(node.tag)
    count = min(len(node.attributes), randomness.choice((0, 1, 2, 2, 3, 4, 6)))
    for attribute in randomness.sample(node.attributes, count):
        element.set(attribute, _value(attribute, randomness))
    for _ in range(randomness.choice((0, 0, 1, 2)) if node.children and depth < 3 else 0):
        element.append(_make(randomness.choice(node.children), randomness, depth + 1))
    return element


def _value(attribute: str, randomness: random.Random) -> str:
    """Return a value for an attribute, of the right kind most of the time."""
    kind = randomness.random()
    if kind < 0.05:
        return randomness.choice(EXTREMES)
    if attribute in REFERENCES.split() and kind < 0.95:
        return randomness.choice(NAMES)
    if attribute in WORDS and kind < 0.95:
        return randomness.choice(WORDS[attribute].split())
    if kind > 0.75 and attribute not in WORDS:
        return randomness.choice(SWITCHES)
    known = [length for length, names in LENGTHS.items() if attribute in names.split()]
    length = known[0] if known and kind < 0.65 else randomness.choice((1, 1, 1, 2, 3, 4, 8, 21))
    return " ".join(randomness.choice(NUMBERS) for _ in range(length))
