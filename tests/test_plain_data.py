"""Plain data: values come back from JSON with their bits, and nothing else is made of JSON."""

from __future__ import annotations

import base64
import json
import math
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from tarsus._lib.data import decode, encode, to_json


@dataclass
class Ball:
    """A class that a file may state."""

    radius: float
    made: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if self.radius < 0.0:
            raise ValueError("radius is negative")


CLASSES = {"ball": Ball}

VALUES = [
    *(
        None,
        True,
        3,
        -(2**70),
        0.1,
        -0.0,
        math.inf,
        -math.inf,
        "é\ud800",
        1j,
        complex(math.inf, -0.0),
    ),
    *([], (), {}, [1, (2.0, [None])], {"a": {"b": (1,)}}, {"$array": 1, "$$x": {"$kind": "$"}}),
]


def bits(value: Any) -> Any:
    """Return a value in which numbers are bytes."""
    if isinstance(value, (list, tuple)):
        return type(value)(bits(each) for each in value)
    if isinstance(value, dict):
        return {name: bits(each) for name, each in value.items()}
    if isinstance(value, float):
        return struct.pack("<d", value)
    return bits((value.real, value.imag)) if isinstance(value, complex) else value


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back(value: Any) -> None:
    back = decode(json.loads(to_json(value)))
    assert type(back) is type(value) and bits(back) == bits(value)


def test_nan_comes_back() -> None:
    assert math.isnan(decode(json.loads(to_json({"x": math.nan})))["x"])


@pytest.mark.parametrize(
    "kind", ["?", "i1", "<u2", ">i4", "u8", "f2", "f4", "<f8", ">f8", "c8", "c16"]
)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_arrays_come_back(kind: str, shape: tuple[int, ...]) -> None:
    array = np.arange(math.prod(shape)).reshape(shape).astype(kind)
    back = decode(json.loads(to_json(array)))
    assert back.dtype == array.dtype.newbyteorder("=") and back.shape == shape
    assert back.flags.writeable and np.array_equal(back, array)


def test_an_array_is_its_bytes_in_the_order_of_little_endian_machines() -> None:
    stated = encode(np.array([[1.0, -2.0]], ">f8"))
    assert stated == {
        "$array": ["<f8", [1, 2], base64.b64encode(struct.pack("<2d", 1.0, -2.0)).decode()]
    }


def test_listed_classes_come_back() -> None:
    stated = json.loads(json.dumps(encode([Ball(0.5)], "balls", CLASSES)))
    assert stated == [{"$kind": "ball", "radius": 0.5}]
    assert decode(stated, "balls", CLASSES) == [Ball(0.5)]
    with pytest.raises(TypeError, match=r"balls\[0\] is Ball, must be a number"):
        encode([Ball(0.5)], "balls")
    for wrong, message in (
        ({"$kind": "bll"}, "there is no 'bll'; did you mean 'ball'"),
        ({"$kind": "ball", "made": 3}, "ball has no argument 'made'"),
        ({"$kind": "ball"}, "ball cannot be made"),
        ({"$kind": "ball", "radius": -1.0}, "radius is negative"),
        ({"$kind": "ball", "radius": []}, "ball cannot be made"),
    ):
        with pytest.raises(ValueError, match=message):
            decode(wrong, "it", CLASSES)
    with pytest.raises(ValueError, match="there is no 'ball'"):
        decode(stated)


@pytest.mark.parametrize(
    "value",
    [object(), b"x", {1}, {1: 2}, np.array([None]), np.array("x"), Ball, np.longdouble(0.5)],
    ids=[
        *("object", "bytes", "set", "whole key", "array of objects", "array of text", "class"),
        "number of more bits",
    ],
)
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="it"):
        encode(value, "it")


@pytest.mark.parametrize(
    "data",
    [
        *({"$array": 3}, {"$array": ["<f8", [1]]}, {"$array": ["<f8", 1, ""], "x": 1}),
        *(
            {"$array": [kind, [1], "AAAAAAAAAAA="]}
            for kind in ("|O", "f8", ">f8", "<b2", "1 2", "<f8,<f8")
        ),
        *(
            {"$array": ["<f8", shape, "AAAAAAAAAAA="]}
            for shape in ([2], [-1], [1.0], [True], [2**60, 0])
        ),
        *({"$array": ["|V8", [1], "AAAAAAAAAAA="]}, {"$array": ["<f8", [1], "*"]}),
        *({"$array": ["<f8", [1], "é"]}, {"$array": ["<f8", [1], 3]}),
        *({"$tuple": "ab"}, {"$tuple": [], "x": 1}, {"$number": "1e3"}, {"$number": [1]}),
        *({"$number": "inf", "x": 1}, {"$complex": [1, 2]}, {"$complex": [0.5]}, {"$map": {}}),
        *({"$": 1}, {"$kind": "os.system"}, {"$kind": ["ball"]}),
    ],
    ids=repr,
)
def test_data_of_no_value_are_refused(data: Any) -> None:
    for nested in (data, [data], {"x": data}, {"$tuple": [data]}):
        with pytest.raises(ValueError):
            decode(nested, "it", CLASSES)
