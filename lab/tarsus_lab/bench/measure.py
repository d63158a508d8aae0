"""The whole measurement: one state, batches, threads, growth with length, and memory."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus import robots
from tarsus._lib.files import Array
from tarsus.check.peers import NotComparableError
from tarsus.check.pinocchio import PinocchioPeer
from tarsus.model.model import Model
from tarsus_lab.bench.timing import (
    Contender,
    beyond_inputs_and_output,
    describe_machine,
    interleave,
    pinned,
    today,
)

NOTES = (
    "Times are in µs of the processor, the median and the smallest of interleaved rounds on a "
    "pinned core; two threads are compared with one by their smallest wall times. "
    "Pinocchio's time is that of a Python loop of calls on one state, minus an empty loop. "
    "Batches write into an output that was allocated before (out=). The frame Jacobian is that "
    "of the last body, in its own axes."
)


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    batch: int = 4096
    rounds: int = 25
    seconds: float = 2e-3
    """Length of one sample."""
    links: tuple[int, ...] = (50, 100, 200, 400, 700, 1000)
    """Lengths of the chains that show the growth of ABA."""
    largest_output: int = 1 << 28
    """Bytes; a batch is made smaller if its output would be larger."""

    @property
    def rhythm(self) -> tuple[int, float]:
        """Number of rounds, and seconds for each contender in a round."""
        return self.rounds, self.seconds

    @classmethod
    def quick(cls) -> Plan:
        """Return a plan that takes seconds."""
        return cls(batch=1024, rounds=5, seconds=5e-4, links=(50, 200, 1000))


@dataclass
class _Row:
    """The contenders of one algorithm on one model."""

    subject: Subject
    algorithm: Algorithm
    batch: int
    one: Contender
    many: Contender
    peer: Contender | None
    empty: Contender
    two_threads: list[Contender]
    """One and two threads, both measured while two cores may be used."""


def measure(
    models: Mapping[str, Model],
    plan: Plan | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Measure all algorithms on models by name; returns plain data for JSON."""
    plan = plan or Plan()
    tell = progress or (lambda text, share: None)
    subjects = [Subject.make(name, model, plan.batch) for name, model in models.items()]
    rows = _rows(subjects, plan)
    with pinned(1):
        contenders = [c for r in rows for c in (r.empty, r.peer, r.one, r.many) if c]
        interleave(contenders, *plan.rhythm, lambda share: tell("one core", 0.6 * share))
    with pinned(2) as possible:
        if possible:
            contenders = [c for r in rows for c in r.two_threads]
            interleave(contenders, *plan.rhythm, lambda x: tell("two cores", 0.6 + 0.25 * x))
    with pinned(1):
        growth = _growth(plan, lambda share: tell("long chains", 0.85 + 0.1 * share))
        tell("memory", 0.95)
        memory = [entry for row in rows if (entry := _memory(row))]
    return {
        "date": today(),
        "machine": describe_machine(),
        "plan": dataclasses.asdict(plan),
        "notes": NOTES,
        "rows": [_summary(row) for row in rows],
        "growth": growth,
        "memory": memory,
    }


def _rows(subjects: list[Subject], plan: Plan) -> list[_Row]:
    sizes = {
        (subject.name, algorithm.method): max(1, math.prod(subject.output_shape(algorithm)))
        for subject in subjects
        for algorithm in ALGORITHMS
    }
    batches = {key: min(plan.batch, plan.largest_output // 8 // n) for key, n in sizes.items()}
    # one output for all: written to once, so that no page of it is new while time is taken
    buffer = np.ones(max((batches[key] * n for key, n in sizes.items()), default=0))
    return [
        _row(subject, algorithm, batches[subject.name, algorithm.method], buffer)
        for subject in subjects
        for algorithm in ALGORITHMS
    ]


def _row(subject: Subject, algorithm: Algorithm, batch: int, buffer: Array) -> _Row:
    return _Row(
        subject,
        algorithm,
        batch,
        one=subject.one(algorithm),
        many=subject.batch(algorithm, batch, buffer, threads=1),
        peer=subject.peer(algorithm),
        empty=Contender("pass"),
        two_threads=[
            subject.batch(algorithm, batch, buffer, threads=n, clock=time.perf_counter)
            for n in (1, 2)
        ],
    )


def _summary(row: _Row) -> dict[str, Any]:
    one_thread, two_threads = row.two_threads
    summary = {
        "model": row.subject.name,
        "nv": row.subject.model.nv,
        "algorithm": row.algorithm.title,
        "batch": row.batch,
        "pinocchio": None,
        "one": row.one.summary(),
        "one_ratio": None,
        "per_state": row.many.summary(),
        "throughput_ratio": None,
        "two_threads_ratio": None,
    }
    if row.peer:
        alone = row.peer.median - row.empty.median
        summary |= {
            "pinocchio": row.peer.summary(),
            "one_ratio": round(row.one.median / row.peer.median, 3),
            "throughput_ratio": round(alone / row.many.median, 2),
        }
    if two_threads.samples:  # the smallest: any other program on the second core delays threads
        summary["two_threads_ratio"] = round(min(one_thread.samples) / min(two_threads.samples), 3)
    return summary


def _growth(plan: Plan, progress: Callable[[float], None]) -> dict[str, Any]:
    """Return times of ABA on chains and their slopes, log time over log length."""
    aba = next(algorithm for algorithm in ALGORITHMS if algorithm.title == "ABA")
    states = min(plan.batch, 64)
    chains = {f"chain({n})": robots.chain(n) for n in plan.links}
    subjects = [Subject.make(name, m, states, alone=True) for name, m in chains.items()]
    buffer = np.ones(states * max(plan.links))
    ones = [subject.one(aba) for subject in subjects]
    many = [subject.batch(aba, states, buffer, threads=1) for subject in subjects]
    interleave([*ones, *many], *plan.rhythm, progress)
    return {
        "links": list(plan.links),
        "one": [contender.summary() for contender in ones],
        "per_state": [contender.summary() for contender in many],
        "one_slope": _slope(plan.links, ones),
        "per_state_slope": _slope(plan.links, many),
    }


def _slope(links: tuple[int, ...], contenders: list[Contender]) -> float:
    times = [contender.median for contender in contenders]
    return round(float(np.polyfit(np.log(links), np.log(times), 1)[0]), 3)


def _memory(row: _Row) -> dict[str, Any] | None:
    names = row.many.names
    arguments = [names[key] for key in row.algorithm.arguments]
    arrays = [x for x in (*arguments, names["out"]) if isinstance(x, np.ndarray)]
    named = {key: names[key] for key in (*row.algorithm.named, "out")}
    extra = beyond_inputs_and_output(lambda: names["method"](*arguments, **named))
    if extra is None:
        return None
    return {
        "model": row.subject.name,
        "algorithm": row.algorithm.title,
        "batch": row.batch,
        "inputs_and_output": sum(array.nbytes for array in arrays),
        "beyond": extra,
    }


# The algorithms that are measured, and how Tarsus and Pinocchio are called for them.


@dataclass(frozen=True)
class Algorithm:
    """A method of the model with its arguments, and Pinocchio's call for the same result.

    `options` are further arguments of the method, as in "threads=2".
    """

    title: str
    method: str
    arguments: tuple[str, ...]
    pinocchio: str = ""
    options: str = ""
    named: tuple[str, ...] = ()
    """Arguments that are given by name."""
    arrays: int = 1
    """How many arrays the result has, all of one shape."""


ALGORITHMS = (
    Algorithm("RNEA", "inverse_dynamics", ("q", "v", "a"), "pin.rnea(model, data, q, v, a)"),
    Algorithm("CRBA", "mass_matrix", ("q",), "pin.crba(model, data, q)"),
    Algorithm("ABA", "forward_dynamics", ("q", "v", "a"), "pin.aba(model, data, q, v, a)"),
    Algorithm("hybrid", "hybrid_dynamics", ("q", "v", "a", "a"), named=("prescribed",), arrays=2),
    Algorithm("FK", "forward_kinematics", ("q",), "pin.forwardKinematics(model, data, q)"),
    Algorithm(
        "frame Jacobian",
        "frame_jacobian",
        ("q", "frame"),
        "pin.computeFrameJacobian(model, data, q, frame)",
    ),
    Algorithm(
        "centroidal",
        "centroidal_momentum_matrix",
        ("q",),
        "pin.computeCentroidalMap(model, data, q)",
    ),
    Algorithm(
        "Coriolis", "coriolis_matrix", ("q", "v"), "pin.computeCoriolisMatrix(model, data, q, v)"
    ),
    Algorithm(
        "RNEA derivatives",
        "inverse_dynamics_derivatives",
        ("q", "v", "a"),
        "pin.computeRNEADerivatives(model, data, q, v, a)",
        arrays=3,
    ),
    Algorithm(
        "ABA derivatives",
        "forward_dynamics_derivatives",
        ("q", "v", "a"),
        "pin.computeABADerivatives(model, data, q, v, a)",
        arrays=3,
    ),
)


@dataclass(frozen=True)
class Subject:
    """A model to measure with random states, and the same in Pinocchio if that is possible."""

    name: str
    model: Model
    q: Array
    v: Array
    a: Array
    pinocchio: PinocchioPeer | None

    @classmethod
    def make(cls, name: str, model: Model, states: int, *, alone: bool = False) -> Subject:
        """Return a model with `states` random states, without Pinocchio if `alone`."""
        if model.nv == 0:
            raise ValueError(f"{name} does not move: there is nothing to measure")
        rng = np.random.default_rng(0)
        q = model.random_configuration(rng, states)
        v, a = rng.standard_normal((2, states, model.nv))
        try:
            peer = None if alone else PinocchioPeer(model)
        except NotComparableError:
            peer = None
        return cls(name, model, q, v, a, peer)

    def output_shape(self, algorithm: Algorithm) -> tuple[int, ...]:
        """Return the shape of the result for one state, several arrays stacked in front."""
        return tuple(self._result(algorithm).shape)

    def one(self, algorithm: Algorithm) -> Contender:
        """Return Tarsus on one state, a new array for each result."""
        return Contender(_call(algorithm), self._names(algorithm, 0))

    def batch(
        self,
        algorithm: Algorithm,
        states: int,
        buffer: Array,
        threads: int,
        clock: Callable[[], float] = time.thread_time,
    ) -> Contender:
        """Return Tarsus on so many states at once, the result written into the buffer."""
        shape = self.output_shape(algorithm)
        several = algorithm.arrays > 1
        shape = (shape[0], states, *shape[1:]) if several else (states, *shape)
        names = self._names(algorithm, slice(0, states))
        out = buffer[: int(np.prod(shape))].reshape(shape)
        names["out"] = tuple(out) if several else out
        call = _call(algorithm, f"threads={threads}, out=out")
        return Contender(call, names, states, clock)

    def peer(self, algorithm: Algorithm) -> Contender | None:
        """Return Pinocchio on one state."""
        peer = self.pinocchio
        if peer is None or not algorithm.pinocchio:
            return None
        names: dict[str, Any] = {"pin": peer.pin, "model": peer.model, "data": peer.data}
        names |= {"q": peer.configuration(self.q[0])}
        names |= {"v": peer.velocity(self.v[0]), "a": peer.velocity(self.a[0])}
        names["frame"] = peer.frame_id(self.model.body_names[-1])
        return Contender(algorithm.pinocchio, names)

    def _names(self, algorithm: Algorithm, which: int | slice) -> dict[str, Any]:
        states = {key: np.ascontiguousarray(getattr(self, key)[which]) for key in ("q", "v", "a")}
        method = getattr(self.model, algorithm.method)
        every_other = np.arange(self.model.nv) % 2 == 0
        frame = self.model.body_names[-1]
        return states | {"method": method, "frame": frame, "prescribed": every_other}

    def _result(self, algorithm: Algorithm) -> Array:
        names = self._names(algorithm, 0)
        named = {key: names[key] for key in algorithm.named}
        return np.asarray(names["method"](*(names[key] for key in algorithm.arguments), **named))


def _call(algorithm: Algorithm, options: str = "") -> str:
    named = (f"{key}={key}" for key in algorithm.named)
    given = (*algorithm.arguments, *named, algorithm.options, options)
    return f"method({', '.join(filter(None, given))})"
