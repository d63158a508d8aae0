"""Robots of the package example-robot-data that have a name here."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tarsus.formats import Mimic, load
from tarsus.model import Model
from tarsus.model.checks import suggestion

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
    return load(folder / file, base or usual, mimic=mimic)


def example_folder() -> Path | None:
    """Return where the robots of example-robot-data are, None if it is not installed."""
    import importlib.metadata  # slow to import, and only needed here

    try:
        package = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(package.locate_file(FOLDER)))
