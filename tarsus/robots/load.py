"""`ts.load`: models from files, by name, and from installed robot packages."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from tarsus import robots
from tarsus._lib.checks import suggestion
from tarsus.formats import readers as formats
from tarsus.formats.readers import READABLE, Base, Mimic
from tarsus.formats.readers import load as load_described
from tarsus.formats.readers import load as load_examples
from tarsus.model.model import Model

# `ts.load`: a model from a file, from XML, or by the name of a robot.


NAME = re.compile(r"\w+(\(.*\))?")
"""A word, or a call; paths have dots or slashes."""


def load(
    path: str | os.PathLike[str],
    base: Base | None = None,
    *,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    mimic: Mimic | None = None,
    complete: str | os.PathLike[str] | None = None,
    arguments: Mapping[str, Any] | None = None,
    trust: bool = False,
    strict: bool = False,
) -> Model:
    """Read a model: a file (.urdf, .sdf, .xml, .xacro, .yaml, .json), XML, or a robot's name.

    XML may be URDF, SDF or MJCF, recognised by its root element; beside it there are no files but
    those in `package_dirs`. Names are those of `tarsus.robots`, as "lola" or "chain(20)", of
    example-robot-data, as "talos", and of robot_descriptions, as "go2", where they are installed;
    the last fetches its robots from the network when first asked for. A file of that name goes
    first.

    `base` says how the root of a URDF hangs on the world: "fixed" (the default) or "free", six
    degrees of freedom; robots by name hang as usual. The other formats state that themselves, MJCF
    and SDF unless `base` says otherwise. `package_dirs` are the folders in which `package://` and
    `model://` paths are looked for, and in which meshes may lie beside the model's own folder.
    Joints of a URDF that mimic others are coupled to them (`mimic="coupled"`), or joints of their
    own ("independent"), as those of example-robot-data are unless stated. `complete` is a side
    file (.yaml or .json) with gears, couplings, loops and more that are added, see
    `tarsus.formats.side_files`. `arguments` are those of a .xacro file, `$(arg …)`. Tarsus expands
    such files without running their expressions as Python; `trust=True` hands the file to the
    xacro package instead, which can run any code of the file and read environment variables.
    What was not taken over, and small breaches of the triangle inequality of inertias, are in
    `Model.warnings`; with `strict` every such breach is an error.
    """
    if not isinstance(path, str | os.PathLike):
        kind = type(path).__name__
        raise TypeError(f"path is of type {kind}, must be a file, XML as a str, or a robot's name")
    if not isinstance(path, str) or not _may_be_a_name(path):
        return formats.load(
            path,
            base,
            package_dirs=package_dirs,
            mimic=mimic or "coupled",
            complete=complete,
            arguments=arguments,
            trust=trust,
            strict=strict,
        )
    if complete is not None or arguments is not None or trust:
        option = "trust" if arguments is None else "arguments"
        option = option if complete is None else f"complete={os.fspath(complete)}"
        raise ValueError(f"{option} is for files, not for {path!r}")
    return _named(path.strip(), base, mimic)


def _may_be_a_name(text: str) -> bool:
    return NAME.fullmatch(text.strip()) is not None and not Path(text).exists()


def _named(name: str, base: Base | None, mimic: Mimic | None) -> Model:
    """Return the robot of this name."""
    if name in robots.names():
        name = f"{name}()"
    if name not in EXAMPLES or example_folder() is not None:
        model = robot_named(name, base, mimic or "independent")
        if model is not None:
            return model
    model = described(name, base, mimic or "coupled")
    if model is not None:
        return model
    if name in EXAMPLES:
        raise ValueError(
            f"{name!r} is in a package that is not installed: pip install example-robot-data"
        )
    known = [*robots.names(), *EXAMPLES, *described_names()]
    raise ValueError(
        f"there is no model {name!r}: it must be a file ({', '.join(READABLE)}), XML, or the name "
        f"of a robot{suggestion(name, known)}"
    )


# Mechanisms by a text such as `chain(20)` or `panda`; nothing in it is evaluated.


CALL = re.compile(r"(?P<name>[a-z_0-9]+)\((?P<arguments>.*)\)")


def robot_named(text: str, base: Base | None = None, mimic: Mimic = "independent") -> Model | None:
    """Return the mechanism that a text stands for, None if it has not the form of one."""
    if call := CALL.fullmatch(text.strip()):
        if base is not None:
            raise ValueError(f"{text} states how its root moves: leave out base={base!r}")
        return _made(call["name"], call["arguments"])
    return example(text, base, mimic) if text in EXAMPLES else None


def _made(name: str, arguments: str) -> Model:
    """Call a function of `tarsus.robots` with numbers."""
    names = robots.names()
    if name not in names:
        raise ValueError(f"there is no robot {name!r}{suggestion(name, names)}")
    values, named = _numbers(f"{name}({arguments})")
    try:
        model = getattr(robots, name)(*values, **named)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"{name}({arguments}): {error}") from None
    assert isinstance(model, Model)
    return model


def _numbers(call: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the literal arguments of a call such as `tree(63, 2, taper=0.9)`."""
    try:
        node = ast.parse(call, mode="eval").body
        assert isinstance(node, ast.Call)
        values = [ast.literal_eval(value) for value in node.args]
        named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
    except (SyntaxError, ValueError, AssertionError):
        raise ValueError(f"{call}: the arguments must be numbers") from None
    for value in (*values, *named.values()):
        if not isinstance(value, int | float):
            raise ValueError(f"{call}: {value!r} is not a number")
    return values, named


# Robots of the package robot_descriptions, which fetches them from the network at first.


PACKAGE = "robot_descriptions"
FORMS = ("{}_description", "{}_mj_description", "{}")
"""What a robot may be called there, the first that there is: URDF before MJCF."""
FLOATING = frozenset({"quadruped", "biped", "humanoid", "drone", "wheeled", "mobile_manipulator"})
"""Tags of robots whose roots are not bolted to anything."""


def described_names() -> tuple[str, ...]:
    """Return the names that robot_descriptions has, none if it is not installed."""
    if importlib.util.find_spec(PACKAGE) is None:
        return ()
    return tuple(_module("_descriptions").DESCRIPTIONS)


def described(name: str, base: Base | None = None, mimic: Mimic = "coupled") -> Model | None:
    """Return a robot by its name, such as "go2" or "go2_mj_description"; None if there is none.

    Its root moves freely if it is said to be on legs, on wheels or in the air, unless `base` is
    stated.
    """
    known = described_names()
    found = next((form.format(name) for form in FORMS if form.format(name) in known), None)
    if found is None:
        return None
    try:
        module = _module(found)
    except Exception as error:  # of git, of the network, or of a missing package of theirs
        cause = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise ModuleNotFoundError(
            f"{found!r} of {PACKAGE} could not be fetched: {cause[0].strip()}"
        ) from error
    if hasattr(module, "XACRO_PATH"):
        file, arguments = module.XACRO_PATH, getattr(module, "XACRO_ARGS", {})
    else:
        file, arguments = getattr(module, "URDF_PATH", None) or module.MJCF_PATH, None
    if base is None and Path(file).suffix != ".xml":
        tags = _module("_descriptions").DESCRIPTIONS[found].tags
        base = "free" if tags & FLOATING else "fixed"
    folders = (module.PACKAGE_PATH, module.REPOSITORY_PATH)
    places = [*folders, *(Path(folder).parent for folder in folders)]
    return load_described(file, base, package_dirs=places, mimic=mimic, arguments=arguments)


def _module(name: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.{name}")


# Robots of the package example-robot-data that have a name here.


FOLDER = "cmeel.prefix/share/example-robot-data/robots"

EXAMPLES: dict[str, tuple[str, Literal["free", "fixed"]]] = {
    "panda": ("panda_description/urdf/panda.urdf", "fixed"),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", "free"),
    "solo12": ("solo_description/robots/solo12.urdf", "free"),
    "talos_reduced": ("talos_data/robots/talos_reduced.urdf", "free"),
    "talos": ("talos_data/robots/talos_full_v2.urdf", "free"),
    "icub": ("icub_description/robots/icub_reduced.urdf", "free"),
    "romeo": ("romeo_description/urdf/romeo_small.urdf", "free"),
    "cassie": ("cassie_description/robots/cassie.sdf", "free"),
    "bolt": ("bolt_description/robots/bolt.urdf", "free"),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "free"),
    "a1": ("a1_description/urdf/a1.urdf", "free"),
    "alex": ("alex_description/urdf/alex_nub_hands.urdf", "free"),
    "allegro_left_hand": ("allegro_hand_description/urdf/allegro_left_hand.urdf", "fixed"),
    "allegro_right_hand": ("allegro_hand_description/urdf/allegro_right_hand.urdf", "fixed"),
    "anymal_c": ("anymal_c_simple_description/urdf/anymal.urdf", "free"),
    "anymal_kinova": ("anymal_b_simple_description/robots/anymal-kinova.urdf", "free"),
    "b1": ("b1_description/urdf/b1.urdf", "free"),
    "b1_z1": ("b1_description/urdf/b1-z1.urdf", "free"),
    "baxter": ("baxter_description/urdf/baxter.urdf", "fixed"),
    "borinot": ("borinot_description/urdf/borinot_flying_arm_2.urdf", "free"),
    "centauro": ("centauro_description/urdf/centauro.urdf", "free"),
    "double_pendulum": ("double_pendulum_description/urdf/double_pendulum.urdf", "fixed"),
    "finger_edu": ("finger_edu_description/robots/finger_edu.urdf", "fixed"),
    "go1": ("go1_description/urdf/go1.urdf", "free"),
    "go2": ("go2_description/urdf/go2.urdf", "free"),
    "hector": ("hector_description/robots/quadrotor_base.urdf", "free"),
    "hextilt": ("hextilt_description/urdf/hextilt_flying_arm_5.urdf", "free"),
    "human": ("human_description/robots/human.urdf", "free"),
    "hyq": ("hyq_description/robots/hyq_no_sensors.urdf", "free"),
    "iris": ("iris_description/robots/iris_simple.urdf", "free"),
    "kinova": ("kinova_description/robots/kinova.urdf", "fixed"),
    "laikago": ("laikago_description/urdf/laikago.urdf", "free"),
    "pr2": ("pr2_description/urdf/pr2.urdf", "free"),
    "simple_humanoid": ("simple_humanoid_description/urdf/simple_humanoid.urdf", "free"),
    "so100": ("so_arm_description/urdf/so100.urdf", "fixed"),
    "so101": ("so_arm_description/urdf/so101.urdf", "fixed"),
    "solo8": ("solo_description/robots/solo.urdf", "free"),
    "talos_arm": ("talos_data/robots/talos_left_arm.urdf", "fixed"),
    "tiago": ("tiago_description/robots/tiago.urdf", "fixed"),
    "tiago_dual": ("tiago_description/robots/tiago_dual.urdf", "fixed"),
    "tiago_pro": ("tiago_pro_description/robots/tiago_pro.urdf", "fixed"),
    "ur3": ("ur_description/urdf/ur3_robot.urdf", "fixed"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "fixed"),
    "ur10": ("ur_description/urdf/ur10_robot.urdf", "fixed"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "fixed"),
    "z1": ("z1_description/urdf/z1.urdf", "fixed"),
}
"""Names of robots: their files, and how their roots hang."""

MEASURED = ("panda", "anymal", "solo12", "talos_reduced", "g1")
"""Those that `tarsus bench` measures if no others are named."""


def example(
    name: str, base: Literal["free", "fixed"] | None = None, mimic: Mimic = "independent"
) -> Model:
    """Return a robot of example-robot-data; `base` is how its root hangs, by default as usual."""
    if name not in EXAMPLES:
        raise ValueError(f"there is no example {name!r}{suggestion(name, EXAMPLES)}")
    folder = example_folder()
    if folder is None:
        message = f"{name!r} is in a package that is not installed: pip install example-robot-data"
        raise ValueError(message)
    file, usual = EXAMPLES[name]
    return load_examples(folder / file, base or usual, mimic=mimic)


def example_folder() -> Path | None:
    """Return where the robots of example-robot-data are, None if it is not installed."""
    import importlib.metadata  # slow to import, and only needed here

    try:
        package = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(package.locate_file(FOLDER)))
