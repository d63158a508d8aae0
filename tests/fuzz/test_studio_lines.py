"""Anything said to a studio: an answer comes back, and what failed has changed nothing.

Lines of all commands with words of which some are nonsense, in worlds that grow on the way; and
messages to the server that are no messages. No exception leaves, nothing hangs, and the document,
the state and the time are the same before and after a line that fails.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from typing import Any

import numpy as np
from trials import outcomes, seeds

from tarsus.model.loops import LOOP_KINDS
from tarsus.parts.constraints import CONSTRAINTS
from tarsus.parts.forces import FORCES
from tarsus.studio import Stage, messages
from tarsus.studio.adding import SOLIDS
from tarsus.studio.client_updates import scene
from tarsus.studio.commands import COMMANDS
from tarsus.studio.document_files import document_data
from tarsus.studio.quantities import quantities
from tarsus.studio.server import PageLines, Studio

SLOW = ("gait", "export")
"""Commands that take seconds."""
STARTS = (
    (),
    ("add box a -t 0 0 1", "add rod b -t 0 .5 1", "add revolute j -a a .2 0 0 -b b -.5 0 0"),
    ("ib a", "il a b", "sb a -if gravity g", "ir r a b -k 4 -l .2 -lone 1 0 0"),
    ("load four_bar",),
    (
        "add sphere a",
        "add nail p -where a 0 0 0",
        "bind p.target sin(t),0,.5+t",
        "slider s p.limit 1 9",
    ),
)
WILD = (
    *("nan", "inf", "-inf", "1e308", "-1e308", "1e-308", "1e400", "99999999999999999999"),
    *("", "''", '"', "'", ";", "--", "-", "-t", "-E", "\\", "\x00", "\n", "\t", "ü", "🦶", "$a"),
    *("../../etc/passwd", "/etc/passwd", ".", "..", "a.json", "x" * 300, "__class__", "{}", "%s"),
    *("0x10", "1_000", "1e", "+", "t**t**t**99", "(" * 200, "[1]", "None", "True", "-1e-300"),
)
TEMPLATES = """
add SOLID N -t V V V -E V V V V
add box N -size P P P -t V V V -m P
add rod N -length P -radius P -t V V V -touches off
add sphere N -radius P -t V V V -density P -color P P P
add JOINT N -a B V V V -b B V V V -axis V V V
add JOINT N -a world V V V -b B V V V
add JOINT N -a B V V V -b B V V V -fly on
add gear N -leader J -follower J -ratio V
add rotor N -joint J -ratio V -inertia P
add TIE N -a B V V V -b B V V V -stiffness P
add TIE N -a B V V V -b world V V V -stiffness P -rest_length P
add damper N -a B -b B -damping P
add POINT N -where B V V V
add damping N -where B -linear P
add brake N -where B V V V -damping P
add support N -where B V V V -stiffness P -damping P
add wrench N -where B V V V -force V V V -torque V V V
add weight N -where B
add motor N -joint J -constant P -resistance P -voltage V
add joint_spring N -joints J V -stiffness P
add joint_motion N -joint J
add move_to N -where B V V V -target V V V -time_constant P
add PART N -a B V V V -b B V V V
add PART N -where B V V V
add point_in_plane N -where B V V V -normal V V V
add point_on_path N -where B V V V -path V V V V V V V V V
bind X.target t,V,sin(t)
set B -t V V V -E V V V V -vl V V V -vr V V V
set B -m P -in P P P -color P P P
set J -q V -qdot V
set J -lower V -upper V -damping P -friction P
set X -stiffness P
set X -on off
set X -on on
set X -damping P -target V V V
set ground -friction P -slope V -restitution P
set ground -on off
set B -size P P P
set B -length P
add wire N -a B V V V -b B V V V -length P -links COUNT
bind X.stiffness linear(t, 0, P, 5, P)
show powers on
show cones on
show distances on
set world -gravity V V V -dt DT
set world -contact LAW
delete X
delete X X
rename X N
duplicate X N -t V V V
duplicate X N -whole on
mirror X N -plane AXIS -at V
move X -by V V V
move B B -by V V V
group N B B
assemble
undo
redo
undo COUNT
grab B V V V -to V V V
drag V V V
release
pin B V V V
chart Q Q
unchart Q
show SHOWN on
slider N X.stiffness V V
bind X.target sin(5*t)+V
bind X.target
play
pause
advance COUNT
step COUNT
speed P
look P
rewind P
restart
ib N
il B N
ilc B END
sb B -t V V V -E V V V V -vl V V V -vr V V V
sb B -m P -in P P P
sb B -if FORCE f
sb B -f f
sl B B -s V V V V V V -q V -qdot V
sl B B -djt V V V -pjt V V V -djE V V V V
ir N B B -k P -l P -e P -lone V V V
sf B f -d P
sf B f -g P
pb B
pf B
stime V
sstepsize DT
sacc -r 1e-6 -a 1e-6
sacc
rlsode
rtime
rstepsize
draw corpus a.csv COUNT
draw null
help
explain
script
reach B V V V
save a.json
load a.json
load four_bar
open tensegrity
run tensegrity
run nothing.ves a=V
new
""".strip().splitlines()
"""Lines of all commands, with slots for words that fit."""
NUMBERS = ("0", "1", "-1", ".5", "-.3", "2", ".07", "1e-3", "-4", "17")
POSITIVE = ("1", ".5", ".1", "2", ".02", "10", "300")
SLOTS: dict[str, tuple[str, ...]] = {
    "V": NUMBERS,
    "P": POSITIVE,
    "DT": ("1e-3", "2e-3", ".005", "1e-12", "3"),
    "COUNT": ("0", "1", "7", "30"),
    "SOLID": tuple(SOLIDS),
    "JOINT": tuple(LOOP_KINDS),
    "TIE": ("spring", "string", "rubber"),
    "POINT": ("nail", "grab", "body_motion", "orientation", "drag"),
    "PART": tuple({**FORCES, **CONSTRAINTS}),
    "AXIS": ("x", "y", "z"),
    "LAW": ("exact", "penalty", "lemke", "event", "compliant"),
    "SHOWN": ("forces", "velocities", "reactions"),
    "END": ("free", "nail", "move_to_point"),
    "FORCE": ("gravity", "motor", "damping", "support", "brake"),
}


def one(rng: np.random.Generator, words: Any) -> str:
    """Return one of some words."""
    return str(words[rng.integers(len(words))])


def filled(rng: np.random.Generator, stage: Stage, slot: str) -> str:
    """Return a word for a slot, or the word that it is."""
    if rng.random() < 0.01:
        return one(rng, WILD)
    if slot in SLOTS:
        return one(rng, SLOTS[slot])
    if slot == "N":
        return f"n{rng.integers(1000)}"
    document = stage.document
    if slot == "Q":
        return one(rng, list(quantities(stage.machine)))
    known = {
        "B": [body.name for body in stage.machine.bodies()],
        "J": [joint.name for joint in stage.machine.model.joints if joint.nv == 1],
        "X": [*document.names, *document.groups],
    }
    name, dot, own = slot.partition(".")
    if name in known:
        return one(rng, known[name] or ["a"]) + dot + own
    return slot.replace("V", one(rng, NUMBERS)) if slot.startswith("sin") else slot


def line(rng: np.random.Generator, stage: Stage) -> str:
    """Return a line that may well be done; one in ten is spoilt."""
    words = [filled(rng, stage, slot) for slot in one(rng, TEMPLATES).split()]
    if rng.random() < 0.1:
        k = rng.integers(len(words))
        words[k : k + rng.integers(0, 2)] = [one(rng, WILD)]
    if rng.random() < 0.05:
        del words[rng.integers(len(words)) :]
    return " ".join(words)


def test_all_commands_are_tried() -> None:
    assert {text.split()[0] for text in TEMPLATES} == set(COMMANDS) - {"?", *SLOW}


def bits(stage: Stage) -> tuple[Any, ...]:
    """Return all that a line that fails must leave alone."""
    machine = stage.machine
    held = stage.held
    return (
        json.dumps(messages.clean(document_data(stage.document)[0])),
        stage.document.resting,
        machine.q.tobytes(),
        machine.v.tobytes(),
        stage.t,
        stage.playing,
        stage.take.script(),
        len(stage.edits),
        len(stage.undone),
        len(stage.recording.moments),
        None if held is None else held.target.tobytes(),
    )


def trial(rng: np.random.Generator) -> None:
    """Say some things to a stage."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(root=folder)
        stage.run(list(STARTS[rng.integers(len(STARTS))]))
        said = []
        for _ in range(25):
            said.append(line(rng, stage))
            before = bits(stage)
            try:
                answer = stage.do(said[-1])
                if not answer.ok:
                    assert answer.text.strip()
                    assert bits(stage) == before
                assert np.isfinite(stage.machine.q).all()
                text = json.dumps(messages.clean(scene(stage)), allow_nan=False)
                assert len(text) < 50_000_000
                messages.frame(stage, 1.0)
            except BaseException as error:
                error.add_note("\n".join(said))
                raise


def test_lines_of_anything() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes(trial, seeds(60), ())


def message(rng: np.random.Generator) -> Any:
    """Return what a page might send, or nobody would."""
    plain: list[Any] = [None, 1, -1.5, "x", [], {}, True, "a" * 1000, 10**400, {"line": 1}]
    plain += [["a.json"], ["\0", "x" * 5000], [1]]
    keys = ("id", "line", "ask", "kind", "overwrite", "do", "")
    asks = ("replay", "quantities", "history", "scene", "help", "gallery", "state", "", "x")
    made = {one(rng, keys): plain[rng.integers(len(plain))] for _ in range(rng.integers(0, 4))}
    if rng.random() < 0.6:
        made["ask" if rng.random() < 0.5 else "line"] = one(rng, (*asks, "rtime", "add box q", "x"))
    text = json.dumps(made)
    if rng.random() < 0.3:
        cut = rng.integers(len(text) + 1)
        text = text[:cut] + one(rng, WILD) + text[cut:]
    if rng.random() < 0.05:
        return text.encode()
    return "[" * 100_000 if rng.random() < 0.02 else text


def test_messages_of_anything() -> None:
    with Studio(Stage(), port=0) as studio:

        def send(rng: np.random.Generator) -> None:
            for _ in range(10):
                answer = studio._answer(message(rng), PageLines(studio.stage), None)
                json.dumps(messages.clean(answer), allow_nan=False)

        outcomes(send, seeds(60), ())
