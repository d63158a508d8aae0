"""Robots on four legs: A1, HyQ, Laikago, ANYmal and Solo 12, with a sphere for each foot."""

from __future__ import annotations

from robot import Robot

from tarsus.walking.plans import Walk


def _anymal() -> Robot:
    angles = {
        f"{side}{end}_{joint}": angle
        for side, left in (("L", 1.0), ("R", -1.0))
        for end, front in (("F", 1.0), ("H", -1.0))
        for joint, angle in (("HAA", -0.1 * left), ("HFE", 0.7 * front), ("KFE", -1.0 * front))
    }
    return Robot(
        "anymal_b_simple_description/robots/anymal.urdf",
        _legs("{side}{end}_FOOT", "H", "F", "L", "R"),
        angles,
        kp=300.0,
        kd=8.0,
        points=((0.0, 0.0, 0.02325),),
        radius=0.031,
        walk=Walk(speed=(0.2, 0.0), lift=0.05),
    )


def _solo12() -> Robot:
    angles = {
        f"{end}{side}_{joint}": angle
        for side, left in (("L", 1.0), ("R", -1.0))
        for end, front in (("F", 1.0), ("H", -1.0))
        for joint, angle in (("HAA", 0.1 * left), ("HFE", 0.8 * front), ("KFE", -1.6 * front))
    }
    return Robot(
        "solo_description/robots/solo12.urdf",
        _legs("{end}{side}_FOOT", "H", "F", "L", "R"),
        angles,
        kp=8.0,
        kd=0.2,
        radius=0.016,
        walk=Walk(speed=(0.1, 0.0), period=0.4, lift=0.03),
    )


def _unitree(name: str, kp: float, kd: float) -> Robot:
    legs = _legs("{end}{side}", "R", "F", "L", "R").values()
    bent = {"thigh": 0.8, "calf": -1.6}
    return Robot(
        f"{name}_description/urdf/{name}.urdf",
        _legs("{end}{side}_foot", "R", "F", "L", "R"),
        {f"{leg}_{joint}_joint": angle for leg in legs for joint, angle in bent.items()},
        kp=kp,
        kd=kd,
        walk=Walk(speed=(0.2, 0.0), lift=0.04),
    )


def _hyq() -> Robot:
    angles = {
        f"{side}{end}_{joint}_joint": angle
        for side in ("l", "r")
        for end, front in (("f", 1.0), ("h", -1.0))
        for joint, angle in (("haa", -0.1), ("hfe", 0.75 * front), ("kfe", -1.5 * front))
    }
    return Robot(
        "hyq_description/robots/hyq_no_sensors.urdf",
        _legs("{side}{end}_foot", "h", "f", "l", "r"),
        angles,
        kp=600.0,
        kd=15.0,
        radius=0.021,
        walk=Walk(speed=(0.2, 0.0), lift=0.05),
    )


def _legs(pattern: str, rear: str, front: str, left: str, right: str) -> dict[str, str]:
    return {
        f"{word}_{side}": pattern.format(end=end, side=letter)
        for word, end in (("hind", rear), ("front", front))
        for side, letter in (("right", right), ("left", left))
    }


QUADRUPEDS: dict[str, Robot] = {
    "a1": _unitree("a1", 100.0, 2.5),
    "hyq": _hyq(),
    "laikago": _unitree("laikago", 150.0, 4.0),
    "anymal": _anymal(),
    "solo12": _solo12(),
}
