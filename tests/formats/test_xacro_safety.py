"""Xacro files of unknown origin: no code, no files outside the allowed folders, bounded work."""

from __future__ import annotations

import os
import time
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

import tarsus as ts
from tarsus.formats.xacro import limits as xacro_limits
from tarsus.formats.xacro.files import read_xacro
from tarsus.studio import LineError, Stage

QUICK_S = 30.0
"""Time for the rejection of a file, on a busy machine."""

ESCAPES = [
    "(lambda: ().__class__.__base__.__subclasses__())()",
    "(lambda x=1: x)()",
    "().__class__",
    "''.__class__.__mro__",
    "[].append.__self__",
    "dict(a=1).__class__",
    "dict(a=1)._a",
    "math.__dict__",
    "math.__loader__.load_module('os')",
    "xacro.__class__",
    "python.__builtins__",
    "sin.__self__",
    "sin.call",
    "str.kind",
    "xacro.load_yaml.call.__globals__",
    "[c for c in ().__class__.__base__.__subclasses__()]",
    "[c for c in ''.__doc__]",
    "'%(a)s' % dict(a=1)",
    "'\\x7b0.__class__\\x7d'.format(1)",
    "'\\x7ba\\x7d'.format_map(dict(a=1))",
    "str.format('\\x7b0.__class__\\x7d', 1)",
    "f'x'",
    "f'{1'",
    "__import__('os').system('true')",
    "__builtins__",
    "__builtins__['open']",
    "eval('1')",
    "exec('1')",
    "compile('1', '', 'eval')",
    "open('/etc/passwd')",
    "getattr('', 'upper')",
    "setattr(dict(), 'a', 1)",
    "globals()",
    "locals()",
    "vars()",
    "dir()",
    "type(1)",
    "python.type(1)",
    "python.vars()",
    "python.hash(1)",
    "breakpoint()",
    "input()",
    "print(1)",
    "(a := 1)",
    "[(a := 1) for b in [1]]",
    "(yield 1)",
    "(yield from [1])",
    "(await x)",
    "max(*[1, 2])",
    "dict(**dict(a=1))",
    "[*range(3)]",
    "dict(a=1).update(b=2)",
    "dict(a=1).pop('a')",
    "[1].append(2)",
    "[1].sort()",
    "'a'.encode()",
    "'a'.translate(dict())",
    "'a'.maketrans('a', 'b')",
    "(1).real",
    "(1).from_bytes('a')",
    "1.5.as_integer_ratio()",
    "b'bytes'",
    "1j",
    "(-1) ** 0.5",
    "...",
    "1 @ 2",
    "sorted([1], key=sin)",
    "max([1], key=sin)",
    "map(1, [1])",
    "[__x for __x in [1]]",
    "[a.b for a.b in [1]]",
    "[a[0] for a[0] in [1]]",
    "1; import os",
    "import os",
    "a = 1",
    "math.prod([1])",
    "python.isinstance(1, sin)",
    "python.isinstance(1, math)",
]

BOMBS = [
    "9 ** 9 ** 9",
    "(-9) ** (9 ** 9)",
    "2 ** 2000",
    "1 &lt;&lt; 10 ** 9",
    "10 ** 1000 * 10 ** 1000",
    "'a' * 10 ** 9",
    "10 ** 9 * [1]",
    "[0] * 10 ** 18",
    "(1, 2) * 10 ** 9",
    "'a' * 99999 + 'a' * 99999",
    "[i for i in range(10 ** 9)]",
    "[0 for a in range(9999) for b in range(9999)]",
    "python.sum([1 for a in range(99999) for b in range(99999) for c in range(99999) if 0])",
    "list(range(10 ** 9))",
    "range(10 ** 30)",
    "[[0] * 999] * 999",
    "[[[[0] * 99] * 99] * 99] * 99",
    "'%999999999d' % 1",
    "'%.999999999f' % 1",
    "'%*d' % (10 ** 9, 1)",
    "'a'.zfill(10 ** 9)",
    "'a'.ljust(10 ** 9)",
    "('a' * 9999).replace('a', 'b' * 9999)",
    "('b' * 9999).join('a' * 9999)",
    "factorial(10 ** 9)",
    "factorial(1000)",
    "comb(10 ** 9, 10 ** 8)",
    "perm(10 ** 9)",
    "round(5, -10 ** 9)",
    "int('9' * 99999)",
    "int('f' * 99999, 16)",
    "dict([[2 ** 61 * i, 0] for i in range(9999)])",
    "(" * 3000 + "1" + ")" * 3000,
    "[" * 3000,
    "-" * 9000 + "1",
    "not " * 2000 + "1",
    "1" + ".a" * 4000,
    "1" + "+1" * 4000,
    "1" * 9999,
    "1" * 99999,
    "'a' in [[['a' * 9999] * 9 for i in range(9)] for i in range(9)]",
]

FILES_AS_BOMBS = {
    "endless recursion of a macro": '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>',
    "endless recursion with elements": (
        '<xacro:macro name="m"><a><b><xacro:m/></b></a></xacro:macro><xacro:m/>'
    ),
    "macros that call each other twice": "".join(
        f'<xacro:macro name="m{i}"><xacro:m{i + 1}/><xacro:m{i + 1}/></xacro:macro>'
        for i in range(60)
    )
    + '<xacro:macro name="m60"/><xacro:m0/>',
    "elements that double": '<xacro:macro name="m" params="n"><xacro:if value="${n}">'
    '<xacro:m n="${n - 1}"/><a/><xacro:m n="${n - 1}"/></xacro:if></xacro:macro><xacro:m n="60"/>',
    "blocks that double": '<xacro:property name="b0"><a/></xacro:property>'
    + "".join(
        f'<xacro:property name="b{i + 1}"><xacro:insert_block name="b{i}"/>'
        f'<xacro:insert_block name="b{i}"/></xacro:property>'
        for i in range(60)
    )
    + '<xacro:insert_block name="b60"/>',
    "a block that contains itself": '<xacro:property name="b"><xacro:insert_block name="b"/>'
    '</xacro:property><xacro:insert_block name="b"/>',
    "texts that double": '<xacro:property name="t0" value="x"/>'
    + "".join(f'<xacro:property name="t{i + 1}" value="${{t{i}}}${{t{i}}}"/>' for i in range(60))
    + '<a b="${t60}"/>',
    "lists that double": '<xacro:property name="l0" value="${[1]}"/>'
    + "".join(f'<xacro:property name="l{i + 1}" value="${{[l{i}, l{i}]}}"/>' for i in range(60))
    + '<a b="${l60}"/>',
    "lists that nest": '<xacro:property name="l0" value="${[1]}"/>'
    + "".join(f'<xacro:property name="l{i + 1}" value="${{[l{i}]}}"/>' for i in range(99))
    + '<a b="${l99}"/>',
    "a chain of properties": "".join(
        f'<xacro:property name="p{i}" value="${{p{i + 1}}}"/>' for i in range(5000)
    )
    + '<a b="${p0}"/>',
    "arguments that double": '<xacro:arg name="a0" default="x"/>'
    + "".join(f'<xacro:arg name="a{i + 1}" default="$(arg a{i})$(arg a{i})"/>' for i in range(60))
    + '<a b="$(arg a60)"/>',
    "an include of itself": '<xacro:include filename="model.xacro"/>',
    "includes of itself": '<xacro:if value="true"><xacro:include filename="model*.xacro"/>'
    '<xacro:include filename="model.xacro"/></xacro:if>',
    "a long text in many places": '<xacro:property name="t" value="${\'x\' * 99999}"/>'
    '<xacro:macro name="m" params="n"><a b="${t}"/><xacro:if value="${n}"><xacro:m n="${n - 1}"/>'
    '<xacro:m n="${n - 1}"/></xacro:if></xacro:macro><xacro:m n="60"/>',
    "parameters that are slow to match": '<xacro:macro name="m" params="%s"/>'
    % ("a:=" + "x" * 5000 + "'"),
}

YAML_BOMBS = {
    "aliases": "a0: &a0 [x]\n"
    + "".join(f"a{i + 1}: &a{i + 1} [*a{i}, *a{i}]\n" for i in range(60)),
    "itself": "a: &a [*a]\n",
    "nested": "[" * 20000,
    "large": "a: " + "x" * 300_000,
    "digits": "a: " + "1" * 10_000,
    "minutes": "a: 1" + ":1" * 10_000,
    "keys": "\n".join(f"{2**61 * i}: 0" for i in range(3000)),
    "object": "!!python/object/apply:os.system ['touch ran']",
    "module": "!!python/module:os {}",
    "date": "a: 2020-01-01",
    "binary": "a: !!binary aGVsbG8=",
    "set": "!!set {a, b}",
    "unknown": "a: !unknown 1",
    "unit": "a: !degrees __import__('os')",
    "units of a list": "a: !degrees [1]",
    "malformed": "a: [1",
    "two documents": "a: 1\n---\nb: 2",
    "not text": "\x00",
}


def write(file: Path, content: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{content}</robot>'
    )
    return file


def rejected(file: Path, match: str = "xacro") -> str:
    """Load a file, which must fail soon with an error about a line of it."""
    start = time.monotonic()
    with pytest.raises(ts.ModelError, match=match) as caught:
        ts.load(file)
    assert time.monotonic() - start < QUICK_S
    message = str(caught.value)
    assert len(message) < 2000
    return message


@pytest.mark.parametrize("expression", ESCAPES)
def test_expressions_cannot_leave_the_evaluator(expression: str, tmp_path: Path) -> None:
    file = write(tmp_path / "model.xacro", f"<link name={quoteattr('${' + expression + '}')}/>")
    message = rejected(file)
    assert message.startswith(f"{file}:1: xacro: '${{"), message


# a parenthesis ends $(eval …)
@pytest.mark.parametrize("expression", [text for text in ESCAPES if ")" not in text])
def test_eval_commands_cannot_leave_the_evaluator(expression: str, tmp_path: Path) -> None:
    rejected(write(tmp_path / "model.xacro", f"<a b={quoteattr(f'$(eval {expression})')}/>"))


def test_code_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = (
        "(lambda: [c for c in ().__class__.__base__.__subclasses__() "
        "if c.__name__ == '_wrap_close'][0].__init__.__globals__['system']('touch ran'))()"
    )
    file = write(
        tmp_path / "model.xacro",
        f'<xacro:property name="x" value="${{{code}}}"/><link name="a${{x}}"/>',
    )
    rejected(file, "Lambda is not allowed in expressions of xacro files")
    with pytest.raises(LineError, match="Lambda is not allowed"):
        Stage().run("load model.xacro")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("argument", ["5", "None", "[1]", "dict(a=1)", "math", "sin", "xacro.arg"])
@pytest.mark.parametrize(
    "function",
    ["xacro." + name for name in ("load_yaml", "abs_filename", "arg", "tokenize", "fatal")]
    + ["'a'.join", "'a'.replace", "'a'.strip", "'a'.zfill", "'a'.split", "dict(a=1).items"]
    + ["factorial", "sqrt", "int", "float", "range", "python.enumerate", "python.zip", "python.ord"]
    + ["python.isinstance", "python.divmod", "map", "python.filter"],
)
def test_wrong_arguments(function: str, argument: str, tmp_path: Path) -> None:
    file = write(tmp_path / "model.xacro", f'<a b="${{{function}({argument})}}"/>')
    try:
        read_xacro(file, {})
    except ts.ModelError as error:
        assert str(error).startswith(f"{file}:1: xacro: '${{")


@pytest.mark.parametrize("expression", BOMBS)
def test_expressions_are_bounded(expression: str, tmp_path: Path) -> None:
    rejected(write(tmp_path / "model.xacro", f'<a b="${{{expression}}}"/>'))


@pytest.mark.parametrize("name", FILES_AS_BOMBS)
def test_files_are_bounded(name: str, tmp_path: Path) -> None:
    rejected(write(tmp_path / "model.xacro", FILES_AS_BOMBS[name]))


@pytest.mark.parametrize("name", YAML_BOMBS)
def test_yaml_is_bounded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("yaml")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.yaml").write_text(YAML_BOMBS[name])
    file = write(tmp_path / "model.xacro", "<a b=\"${xacro.load_yaml('data.yaml')}\"/>")
    rejected(file)
    assert not (tmp_path / "ran").exists()


def test_recursive_macros_may_be_deep(tmp_path: Path) -> None:
    file = write(
        tmp_path / "model.xacro",
        '<xacro:macro name="m" params="n"><xacro:if value="${n > 0}"><link name="a${n}"/>'
        '<xacro:m n="${n - 1}"/></xacro:if></xacro:macro><xacro:m n="400"/>',
    )
    root, _ = read_xacro(file, {})
    assert [link.attributes["name"] for link in root.children] == [
        f"a{400 - i}" for i in range(400)
    ]


def test_merged_yaml_does_not_grow(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    lines = [f"a{i + 1}: &a{i + 1} {{<<: [{f'*a{i}, ' * 50}], b{i}: 1}}" for i in range(60)]
    lines.insert(0, "a0: &a0 {x: 1}")
    (tmp_path / "data.yaml").write_text("\n".join(lines))
    file = write(tmp_path / "model.xacro", "<link name=\"${load_yaml('data.yaml').a60.x}\"/>")
    assert ts.load(file, base="free").body_names == ("1",)


def test_work_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "model.xacro", '<link name="a${[i for i in range(500)][0]}"/>')
    assert ts.load(file).name == "r"
    monkeypatch.setattr(xacro_limits.Budget.__init__, "__defaults__", (1000,))
    rejected(file, "takes more than 1000 units of work; a recursion or a loop")


PATHS = [
    "../secret",
    "../own/../secret",
    "..\\secret",
    "sub\\..\\..\\secret",
    "{outside}/secret",
    "file://{outside}/secret",
    "link",
    "folder/secret",
    "$(find ..)/secret",
    "$(find own/..)/secret",
    "$(find own)/../secret",
    "$(find .)/../secret",
    "$(dirname)/../secret",
    "{outside}/sec*",
    "../sec*",
    "fol*/secret",
    "lin*",
    "\x7f/../../secret",
    "~/secret",
    "//host/secret",
    "\\\\host\\secret",
    "a&#10;/../../secret",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", ["include", "load_yaml"])
def test_paths_stay_inside_the_folders(path: str, kind: str, tmp_path: Path) -> None:
    if kind == "load_yaml":
        pytest.importorskip("yaml")
    own = tmp_path / "own"
    write(tmp_path / "secret", '<link name="secret"/>')
    (own / "sub").mkdir(parents=True)
    (own / "link").symlink_to(tmp_path / "secret")
    (own / "folder").symlink_to(tmp_path)
    reference = path.format(outside=tmp_path)
    content = (
        f'<xacro:include filename="{reference}"/>'
        if kind == "include"
        else f"<link name=\"${{xacro.load_yaml(r'{reference}')}}\"/>"
    )
    message = rejected(write(own / "model.xacro", content))
    reasons = ("leaves the model's folder", "there is no", "is not a usable path", "syntax error")
    assert any(reason in message for reason in reasons), message


def test_other_packages_are_allowed(tmp_path: Path) -> None:
    for name in ("own", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "package.xml").write_text(f"<package><name>{name}</name></package>")
    write(tmp_path / "other/urdf/part.xacro", '<xacro:include filename="../base.xacro"/>')
    write(tmp_path / "other/base.xacro", '<link name="base"/>')
    file = write(
        tmp_path / "own/model.xacro", '<xacro:include filename="$(find other)/urdf/part.xacro"/>'
    )
    assert ts.load(file, base="free").body_names == ("base",)
    beside = write(tmp_path / "own/beside.xacro", '<xacro:include filename="../other/base.xacro"/>')
    rejected(beside, "leaves the model's folder")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_special_files_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    file = write(tmp_path / "model.xacro", '<xacro:include filename="pipe"/>')
    rejected(file, "there is no file")


def test_environment_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARSUS_SECRET", "1234")
    for command in ("env TARSUS_SECRET", "optenv TARSUS_SECRET", "optenv TARSUS_SECRET 5"):
        file = write(tmp_path / "model.xacro", f'<link name="a$({command})"/>')
        message = rejected(file, r"not read from a file.*trust=True")
        assert "1234" not in message
    monkeypatch.delenv("TARSUS_SECRET")
    file = write(tmp_path / "model.xacro", '<link name="a$(optenv TARSUS_SECRET 5 6)"/>')
    assert ts.load(file, base="free").body_names == ("a5 6",)
