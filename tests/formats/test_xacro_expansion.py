"""Expansion of xacro files equals that of the xacro package, element by element."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from xacro_peer import expanded_by_tarsus, expanded_by_xacro

import tarsus as ts
from tarsus.robots.load import example_folder

pytest.importorskip("xacro")
pytest.importorskip("yaml")

FEATURES = {
    "properties": """
        <xacro:property name="a" value="2"/><xacro:property name="b" value="${a * 1.5}"/>
        <xacro:property name="text" value="'007'"/><xacro:property name="quoted" value="'x y'"/>
        <x a="${a}" b="${b}" c="${a / 4} ${b}" text="${text}" quoted="${quoted}" d="${a ** -1}"/>
        <xacro:property name="late" value="${early + 1}"/><xacro:property name="early" value="1"/>
        <x late="${late}"/><xacro:property name="early" value="5"/><x late="${late}"/>
        <xacro:property name="flag" value="true"/><x flag="${flag}" not="${not flag}"/>
        <xacro:property name="under" value="1_000"/><x u="${under}"/>
        <xacro:property name="name_${a}" value="dynamic"/><x n="${name_2}"/>""",
    "eager and default properties": """
        <xacro:property name="n" value="1"/>
        <xacro:property name="copy" value="${n}" lazy_eval="false"/>
        <xacro:property name="n" value="2"/><x n="${n}" copy="${copy}"/>
        <xacro:property name="n" default="3"/><xacro:property name="m" default="${n + 1}"/>
        <x n="${n}" m="${m}"/>
        <xacro:property name="m" remove="true"/><xacro:property name="m" default="9"/>
        <x m="${m}"/>""",
    "scopes": """
        <xacro:property name="p" value="outer"/>
        <xacro:macro name="inner"><xacro:property name="p" value="inner" scope="parent"/>
          <xacro:property name="g" value="${1 + 1}" scope="global"/>
          <xacro:property name="own" value="local"/><x p="${p}" own="${own}"/></xacro:macro>
        <xacro:macro name="outer"><xacro:inner/><x p="${p}" g="${g}"/></xacro:macro>
        <xacro:outer/><x p="${p}" g="${g}"/>""",
    "block properties": """
        <xacro:property name="block"><y a="${v}"/> text ${v} <y/></xacro:property>
        <xacro:property name="v" value="1"/><x><xacro:insert_block name="block"/></x>
        <xacro:property name="v" value="2"/><x><xacro:insert_block name="block"/></x>""",
    "macro parameters": """
        <xacro:property name="forwarded" value="7"/><xacro:property name="both" value="8"/>
        <xacro:macro name="m" params="a b:=1 c:='two words' d:=${1 + 1} e=5 forwarded:=^
            both:=^|3 absent:=^|4 text:=a-b_c f:=${'x'}_${'y'}">
          <x a="${a}" b="${b + 1}" c="${c}" d="${d}" e="${e}" f="${forwarded}" both="${both}"
            absent="${absent}" text="${text}" last="${f}"/>
        </xacro:macro>
        <xacro:m a="first"/><xacro:m a="${[1, 2]}" b="10" c="" forwarded="0" absent="1.50"/>""",
    "block parameters": """
        <xacro:macro name="m" params="*one **many name *last">
          <x name="${name}"><xacro:insert_block name="one"/><xacro:insert_block name="many"/>
          <xacro:insert_block name="last"/><xacro:insert_block name="one"/></x></xacro:macro>
        <xacro:property name="v" value="3"/>
        <xacro:m name="n"><origin xyz="${v} 0 0"/><group>t<a b="${v}"/><c/></group><z/></xacro:m>
        <xacro:macro name="twice" params="**body"><xacro:m name="t"><o/>
          <g><xacro:insert_block name="body"/></g><z/></xacro:m></xacro:macro>
        <xacro:twice><b><i n="$${v}"/></b></xacro:twice>""",
    "recursive macros": """
        <xacro:macro name="loop" params="n"><xacro:if value="${n > 0}"><x n="${n}"/>
          <xacro:loop n="${n - 1}"/></xacro:if></xacro:macro><xacro:loop n="12"/>
        <xacro:macro name="each" params="items"><xacro:if value="${items}"><x i="${items[0]}"/>
          <xacro:each items="${items[1:]}"/></xacro:if></xacro:macro>
        <xacro:each items="${['a', 2, 3.0]}"/>
        <xacro:macro name="shadow"><xacro:macro name="shadow"><y/></xacro:macro><xacro:shadow/>
          </xacro:macro><xacro:shadow/><xacro:shadow/>""",
    "conditions": """
        <xacro:property name="s" value="left"/>
        <xacro:if value="${s == 'left'}"><a/>text</xacro:if>
        <xacro:unless value="${s == 'left'}"><b/></xacro:unless>
        <xacro:if value="true"><c/></xacro:if><xacro:if value="0"><d/></xacro:if>
        <xacro:unless value="False"><e/></xacro:unless><xacro:if value="${1.0}"><f/></xacro:if>
        <xacro:if value="${s in ['left', 'right'] and not s.startswith('r')}"><g/></xacro:if>""",
    "arguments": """
        <xacro:arg name="size" default="${2 * 3}"/><xacro:arg name="given" default="0"/>
        <x size="$(arg size)" given="${$(arg given) + 1}" a="${xacro.arg('given') * 2}"/>
        <xacro:property name="size" value="$(arg size)"/><x s="${size / 4}"/>
        <x e="$(eval size * 2 + 1)" f="$(eval given == 5)" g="$(eval sin != 0 and true)"/>""",
    "elements and attributes": """
        <xacro:property name="tag" value="link"/>
        <xacro:element xacro:name="${tag}" name="l_${tag}"><xacro:attribute name="a${1}" value="v"/>
          <y xacro:hidden="1"/></xacro:element>
        <x><xacro:if value="1"><xacro:attribute name="n" value="1"/></xacro:if></x>""",
    "dynamic calls": """
        <xacro:macro name="a" params="n"><a n="${n}"/></xacro:macro>
        <xacro:macro name="b" params="n *block"><b n="${n}"><xacro:insert_block name="block"/></b>
          </xacro:macro><xacro:property name="which" value="b"/>
        <xacro:call macro="a" n="1"/><xacro:call macro="${which}" n="2"><y/></xacro:call>""",
    "escapes": """
        <x a="$${x}" b="$$(arg x)" c="$$${x}" d="a$b" e="5$" f="$ x" g="a}b"/>$${text} $5
        <![CDATA[${verbatim} $(arg x)]]>""",
    "texts": """
        <x>a${1 + 1}b<y/>${'c' * 3}<!-- ${comment} --> d</x><x>${[1, 2.0, 'three']}</x>
        <x>${dict(a=1, b=[2])} ${None} ${True} ${(1, 2)}</x>""",
    "numbers": """
        <xacro:property name="x" value="0.1"/>
        <x a="${x + 0.2}" b="${1 / 3}" c="${10 // 3}" d="${-7 % 3}" e="${1e-7}" f="${1e22}"
          g="${2 ** 70}" h="${1 / 2 + 0.5}" i="${-0.0}" j="${round(2.567, 2)}" k="${round(2.5)}"
          l="${int('12') + float('1e3')}" m="${1 &lt; 2 &lt; 3}" n="${6 &amp; 3 | 8}" o="${~5 ^ 2}"
          p="${pi} ${e} ${inf} ${tau}" q="${sin(pi / 2)} ${atan2(1, -1)} ${math.sqrt(2)}"
          r="${radians(90)} ${degrees(pi)} ${hypot(3, 4)} ${floor(2.7)} ${copysign(1, -2)}"
          s="${max(1, 2.5)} ${min([3, 1])} ${fabs(-2)} ${python.abs(-3)} ${pow(2, 0.5)}"/>""",
    "texts and lists": """
        <xacro:property name="l" value="${[3, 1, 2]}"/>
        <x a="${sorted(l)}" b="${len(l)} ${l[-1]} ${l[1:]} ${list(map(str, l))}"
          c="${[2 * i for i in l if i != 1]}" d="${[(a, b) for a in range(2) for b in 'xy']}"
          e="${'a b'.split()} ${'-'.join(['x', 'y'])} ${'aXb'.lower().replace('x', '_')}"
          f="${'%s_%02d %.3f' % ('n', 7, pi)}" g="${'x' if l else 'y'}" h="${'abc'[::-1]}"
          i="${list(python.zip(l, 'abc'))} ${list(python.enumerate('ab'))} ${python.sum(l)}"
          j="${python.any([0, 1])} ${python.all(i for i in l)} ${list(python.reversed(l))}"
          k="${xacro.tokenize('a, b;c')} ${python.isinstance(l, list)} ${python.tuple(l)}"
          m="${[k + str(v) for k, v in dict(p=1, q=2).items()]} ${list(range(0, 9, 4))}"/>""",
    "dictionaries": """
        <xacro:property name="d" value="${xacro.dotify(dict(left=dict(mass=2), sides=[1, 2]))}"/>
        <x a="${d.left.mass}" b="${d['left']['mass']}" c="${d.sides[1]}" e="${'left' in d}"
          f="${list(d.keys())} ${d.get('none', 4)}" g="${d}"/>""",
    "redefined names": """
        <xacro:property name="pi" value="3"/><xacro:property name="list" value="mine"/>
        <x a="${pi}" b="${list}" c="${math.pi} ${python.list('ab')}"/>
        <xacro:property name="e" default="4"/><x e="${e}"/>""",
    "namespaces of XML": """
        <xacro:macro name="m" xmlns:sensor="http://s"><sensor:ray n="1"/></xacro:macro>
        <x><xacro:m/></x>""",
}
"""The content of a root element for each feature."""

FILES = {
    "main.xacro": """
        <xacro:include filename="sub/parts.xacro"/><xacro:part name="a"/>
        <xacro:include filename="sub/parts.xacro" ns="lib"/>
        <xacro:lib.part name="b"/><x size="${lib.size}" other="${lib.other}"/>
        <xacro:include filename="none.xacro" optional="true"/>
        <xacro:include filename="${xacro.abs_filename('many_*.xacro')}"/>
        <xacro:macro name="m"><xacro:include filename="$(find pkg)/urdf/found.xacro"/></xacro:macro>
        <xacro:m/><xacro:include filename="$(find ${'p' + 'kg'})/urdf/beside.xacro"/>
        <xacro:property name="c" value="${xacro.load_yaml('config/values.yaml')}"/>
        <x a="${c.limits.joint.upper}" b="${c['list'][1]}" c="${c.limits.joint['lower'] * 2}"
           d="${c.text} ${c.none} ${c.flag} ${c.exponent} ${c.merged.upper} ${c.again.lower}"
           e="${[k for k in c.limits]} ${c.limits.joint}"
           f="${load_yaml('config/values.yaml').text}"
           g="${c.angle} ${c.length} ${c.units[0]} ${c.more.lower} ${c.more.upper} ${c.more.text}"/>
    """,
    "sub/parts.xacro": """
        <xacro:property name="size" value="4"/><xacro:property name="other" value="${size * 2}"/>
        <xacro:macro name="part" params="name"><part name="${name}" size="${size}"/></xacro:macro>
        <xacro:include filename="deeper.xacro"/>""",
    "sub/deeper.xacro": "<deeper at=\"${xacro.abs_filename('x') != ''}\"/>",
    "many_b.xacro": "<b/>",
    "many_a.xacro": "<a/>",
    "pkg/urdf/found.xacro": "<found><xacro:include filename='beside.xacro'/></found>",
    "pkg/urdf/beside.xacro": "<beside/>",
}
"""Content of the root elements of files that include each other."""

VALUES = """
limits:
  joint: &joint {lower: -1.5, upper: 2}
list: [1, two, 3.5]
text: some text
none:
flag: yes
exponent: 1e-3
merged: *joint
again: {<<: *joint, lower: 7}
more:
  <<: [{text: a, lower: 5}, *joint]
  upper: 1
angle: !degrees 90
length: !millimeters 2 * 500
units: [!inches 10, !foot 1, !radians pi]
"""

RTB = (
    "clearpath_ridgeback_description/urdf/ridgeback",
    "qut_frankie_description/robots/dual_panda_example",
    "qut_frankie_description/robots/frankieOmni_arm",
    "qut_frankie_description/robots/frankieOmni_arm_hand",
    "qut_frankie_description/robots/frankie_arm",
    "qut_frankie_description/robots/frankie_arm_hand",
    "qut_frankie_description/robots/hand",
    "qut_frankie_description/robots/panda_arm",
    "qut_frankie_description/robots/panda_arm_hand",
    "trossen_descriptions/urdf/px100",
    "trossen_descriptions/urdf/px150",
    "trossen_descriptions/urdf/pxxls",
    "trossen_descriptions/urdf/rx150",
    "trossen_descriptions/urdf/rx200",
    "trossen_descriptions/urdf/vx250",
    "trossen_descriptions/urdf/vx300",
    "trossen_descriptions/urdf/vx300s",
    "trossen_descriptions/urdf/vxxmd",
    "trossen_descriptions/urdf/vxxms",
    "trossen_descriptions/urdf/wx200",
    "trossen_descriptions/urdf/wx250",
    "trossen_descriptions/urdf/wx250s",
    "trossen_descriptions/urdf/wxxmd",
    "trossen_descriptions/urdf/wxxms",
    "unimation_puma560_description/urdf/puma560_robot",
)
"""Files of the package rtb-data, the robots of Peter Corke's Robotics Toolbox."""

KUKA = {
    "kr10r1100sixx": "kr10",
    "kr120r2500pro": "kr120",
    "kr150_2": "kr150",
    "kr16_2": "kr16",
    "kr3r540": "kr3",
    "kr5_arc": "kr5",
    "kr6r700sixx": "kr6",
    "kr6r900sixx": "kr6",
    "lbr_iiwa_14_r820": "lbr_iiwa",
}
"""Robots in `kuka_description` of rtb-data, which call their folders by other names."""


def write(file: Path, content: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{content}</robot>'
    )
    return file


@pytest.fixture(scope="module")
def rtb() -> Path:
    return Path(pytest.importorskip("rtbdata").__file__).parent


@pytest.mark.parametrize("feature", FEATURES)
def test_feature_equals_xacro(feature: str, tmp_path: Path) -> None:
    file = write(tmp_path / "model.xacro", FEATURES[feature])
    arguments = {"given": 5}
    ours = expanded_by_tarsus(file, arguments=arguments)
    assert ours == expanded_by_xacro(file, arguments=arguments)
    assert ours[3], "nothing was expanded"


def test_files_equal_xacro(tmp_path: Path) -> None:
    for name, content in FILES.items():
        write(tmp_path / name, content)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/values.yaml").write_text(VALUES)
    ours = expanded_by_tarsus(tmp_path / "main.xacro", [tmp_path])
    assert ours == expanded_by_xacro(tmp_path / "main.xacro", [tmp_path])


@pytest.mark.parametrize("name", RTB)
def test_public_file_equals_xacro(name: str, rtb: Path) -> None:
    folder = rtb / "xacro"
    file = folder / f"{name}.urdf.xacro"
    ours = expanded_by_tarsus(file, [folder])
    assert ours == expanded_by_xacro(file, [folder])
    assert len(ours[3]) >= 5


@pytest.mark.parametrize("name", KUKA)
def test_public_kuka_file_equals_xacro(name: str, rtb: Path, tmp_path: Path) -> None:
    kuka = rtb / "xacro" / "kuka_description"
    shutil.copytree(kuka / "kuka_resources/urdf", tmp_path / "kuka_resources/urdf")
    package = tmp_path / f"kuka_{KUKA[name]}_support"
    shutil.copytree(kuka / f"kuka_{KUKA[name]}/urdf", package / "urdf")
    file = package / f"urdf/{name}.xacro"
    ours = expanded_by_tarsus(file, [tmp_path])
    assert ours == expanded_by_xacro(file, [tmp_path])
    assert len(ours[3]) >= 5


def test_further_public_files_equal_xacro(rtb: Path, tmp_path: Path) -> None:
    abb = tmp_path / "abb_irb140"
    shutil.copytree(rtb / "xacro/abb_irb140_description/urdf", abb / "urdf")
    files = {abb / "urdf/irb140.xacro": tmp_path}
    files[rtb / "armer_xarm/data/xacro/robots/xarm6/xarm6.xacro"] = rtb
    for file, folder in files.items():
        assert expanded_by_tarsus(file, [folder]) == expanded_by_xacro(file, [folder])


def test_public_quadrotor_equals_xacro() -> None:
    folder = example_folder()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    file = folder / "hector_description/robots/quadrotor_base.urdf.xacro"
    assert expanded_by_tarsus(file, [folder]) == expanded_by_xacro(file, [folder])


def test_errors_name_the_line_of_the_macro(tmp_path: Path) -> None:
    file = write(
        tmp_path / "model.xacro",
        '\n<xacro:macro name="m" params="x">\n<link name="${x + 1}"/>\n</xacro:macro>'
        '\n<xacro:m x="a"/>',
    )
    with pytest.raises(ts.ModelError, match=r"model\.xacro:3: xacro: '\$\{x \+ 1\}': can only"):
        ts.load(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<xacro:m a="1"/>', "<xacro:m>: there is no macro of this name"),
        ('<xacro:call macro="call"/>', "<xacro:call>: there is no macro of this name"),
        ("<xacro:call/>", "has no attribute 'macro'"),
        ('<xacro:macro name="a.b"/>', "a macro must not be called 'a.b'"),
        ('<xacro:macro name="m" params="a:=b\'c"/>', "the default of parameter .* cannot be read"),
        ('<xacro:macro name="m" params="a"/><xacro:m/>', "the parameters a are missing"),
        ('<xacro:macro name="m"/><xacro:m a="1"/>', "there is no parameter 'a'"),
        ('<xacro:macro name="m" params="*a"/><xacro:m/>', r"no block for parameter '\*a'"),
        ('<xacro:macro name="m"/><xacro:m><x/></xacro:m>', "the block <x> is not used"),
        ('<xacro:macro name="m" params="a:=^"/><xacro:m/>', "there is no property 'a' for the"),
        ('<xacro:insert_block name="a"/>', "there is no block 'a'"),
        ('<xacro:include filename="none.xacro"/>', r"there is no file .*none\.xacro"),
        ('<xacro:if value="maybe"/>', "'maybe' is neither true nor false"),
        ('<xacro:property name="1a" value="1"/>', "'1a' must be an identifier"),
        ('<xacro:property name="a" value="1" scope="parent"/>', "has no scope around it"),
        ('<xacro:property name="a" value="1" default="2"/>', "more than one of value, default and"),
        ('<xacro:property name="a" value="${a}"/><x a="${a}"/>', "'a' is defined by itself"),
        ('<xacro:element xacro:name=""/>', "the name of an element must not be empty"),
        ('<xacro:attribute name="" value="1"/>', "the name of an attribute must not be empty"),
        ('<x a="${1"/>', r"'\$\{1' is not closed or not allowed"),
        ('<x a="$(arg none)"/>', "there is no argument 'none'; arguments={'none': …} sets it"),
        ('<x a="$(anon a)"/>', r"\$\(anon a\) is unknown: there are arg, find, eval, cwd and dirn"),
        ('<x a="$(find)"/>', r"\$\(find …\) needs one word"),
        ("<x a=\"${xacro.fatal('stop', 5)}\"/>", "stop 5"),
        ('<x a="${none + 1}"/>', "there is no property or function 'none'"),
        ('<x a="${1 / 0}"/>', "division by zero"),
        ('<x a="${dict(a=1).b}"/>', "a dict has no member 'b' that may be used"),
        ('<x a="${dict(a=1)[5]}"/>', "the dictionary has no key 5"),
        ('<x a="${math.none}"/>', "<namespace math> has no member 'none' that may be used"),
        ('<x a="${1(2)}"/>', "a value of type int is not a function"),
        ('<x a="${[1}"/>', "syntax error: "),
    ],
)
def test_mistakes(content: str, message: str, tmp_path: Path) -> None:
    file = write(tmp_path / "model.xacro", content)
    with pytest.raises(ts.ModelError, match=message) as caught:
        ts.load(file)
    assert str(caught.value).startswith(f"{file}:1: xacro: ")


def test_warnings(tmp_path: Path) -> None:
    file = write(
        tmp_path / "model.xacro",
        "<link name='a${xacro.warning(&quot;heavy&quot;, 5, print_location=False)}'/>"
        "<link name='b${xacro.message(1)}'/><joint name='j' type='fixed'><parent link='a'/>"
        "<child link='b'/></joint>"
        "<xacro:include filename='none_*.xacro'/>",
    )
    model = ts.load(file)
    assert [warning.partition(": ")[2] for warning in model.warnings[-2:]] == [
        "heavy 5",
        "the include 'none_*.xacro' matches no files",
    ]


def test_folder_of_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "model.xacro", '<x a="$(dirname)" b="$(cwd)"/>')
    child = expanded_by_tarsus(file)[3][0]
    assert dict(child[1]) == {"a": str(tmp_path.resolve()), "b": str(Path.cwd())}
