"""Mistakes in SDF files: each names element, file and line."""

from __future__ import annotations

import pytest
from sdf_texts import AXLES, WHEELS, Write, gearbox, joint, link, model

from tarsus._lib.errors import ModelError
from tarsus.formats.sdf import read_sdf


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<sdf>\n<model></sdf>", ":2: malformed XML: mismatched tag"),
        ("<robot/>", ":1: the root element is <robot>, not <sdf>"),
        ("<sdf/>", ":1: <sdf> has no attribute 'version'"),
        ('<sdf version="x"/>', ":1: <sdf> has the version 'x'"),
        ('<sdf version="1.3"/>', ":1: <sdf> has the version 1.3; versions from 1.4 on"),
        ('<sdf version="1.6"/>', ":1: <sdf> has no <model>"),
        (
            '<sdf version="1.6"><model name="a"/><world><model name="a"/></world></sdf>',
            ":1: model 'a' has a name that something beside it has, too",
        ),
        (model("<include/>"), ":2: <include> of model 'm' has no <uri>"),
        (
            model("<include><uri>model://gone</uri></include>"),
            ":2: <include> of model 'm' is not found: model://gone; package_dirs lacks .*'gone'",
        ),
        (model('<model name="n"/>'), ":2: model 'n' has no <link>"),
        (model(link("n"), f'<model name="n">{link("a")}</model>'), ":3: model 'n' has a name"),
        (
            model(link("a"), f'<model name="n" placement_frame="b">{link("b")}</model>'),
            ":3: model 'n' is inside another and has a placement_frame",
        ),
        (model(), ":1: model 'm' has no <link>"),
        (model("<link/>"), ":2: <link> of model 'm' has no attribute 'name'"),
        (model(link("a"), attributes='canonical_link="b"'), "unknown canonical link 'b'.*a"),
        (model(link("a", "<pose>1 2 3</pose>")), ":2: .*must have 6 numbers, not '1 2 3'"),
        (model(link("a", "<pose>1 2 3 4 5 x</pose>")), ":2: .*must be a number, not 'x'"),
        (
            model(link("a", '<pose rotation_format="quat_xyzw">1 2 3 0 0 0 0</pose>')),
            ":2: .*quaternion of length zero",
        ),
        (model(link("a", '<pose frame="b">0 0 0 0 0 0</pose>')), "'frame' is not read"),
        (model(link("a", '<pose relative_to="b"/>')), ":2: .*unknown frame 'b'.*valid: a"),
        (model(link("a", '<pose relative_to="b::c"/>')), ":2: .*unknown frame 'b/c'.*valid: a"),
        (model(link("a", '<pose relative_to="a"/>')), ":2: link 'a' is placed relative to itself"),
        (
            model(link("a"), '<frame name="f" attached_to="f"/>'),
            ":3: frame 'f' .*itself",
        ),
        (model(link("a"), joint("j", "bolt", "a", "a")), ":3: joint 'j' has the unknown type"),
        (model(link("a"), joint("j", "ball", "a", "a")), ":3: joint 'j' joins link 'a' to itself"),
        (model(link("a"), joint("j", "ball", "a", "x")), ":3: .*unknown frame 'x'"),
        (model(link("a"), joint("j", "ball", "a", "")), ":3: .*<child> of joint 'j' is empty"),
        (model(link("a"), joint("j", "ball", "a", "world")), ":3: .*refers to the world"),
        (model(link("a"), '<joint name="j" type="ball"/>'), ":3: joint 'j' has no <parent>"),
        (
            model(
                link("a"),
                link("b"),
                joint("j", "revolute", "a", "b", "<axis><xyz>0 0 0</xyz></axis>"),
            ),
            ":4: <axis> of joint 'j' has no direction",
        ),
        (
            model(
                link("a"),
                link("b"),
                joint("j", "screw", "a", "b", "<thread_pitch>0</thread_pitch>"),
            ),
            ":4: joint 'j' has a <thread_pitch> of zero",
        ),
        (model("<static>maybe</static>", link("a")), ":2: .*must be true or false, not 'maybe'"),
        (
            model('<link name="a"><inertial auto="true"/></link>'),
            ":2: <inertial> of link 'a' asks for masses from shapes",
        ),
        (model(link("a", '<visual name="v"/>')), ":2: visual 'v' has no <geometry>"),
        (model(*WHEELS, *AXLES, gearbox("a", "b", 0)), "joint 'ab' has a <gearbox_ratio> of zero"),
        (
            model(*WHEELS, *AXLES, gearbox("a", "b", reference="c")),
            "joint 'ab' needs a revolute joint between its reference body 'c' and link 'a'",
        ),
        (
            model(*WHEELS, *AXLES, gearbox("a", "b"), gearbox("a", "b")),
            "joint 'ab' couples joints 'ja' and 'jb', which others couple already",
        ),
    ],
)
def test_mistakes_name_element_file_and_line(write: Write, text: str, message: str) -> None:
    with pytest.raises(
        ModelError, match=f"m.sdf{message if message[0] == ':' else f'.*{message}'}"
    ):
        read_sdf(write(text, "m.sdf"))
