"""The speed of models with rotors, couplings and loops, as ratios."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from closed_chains import PinocchioLoop, closed_chain, closed_state
from tarsus_lab.bench import Plan
from tarsus_lab.bench.measure import ALGORITHMS, Algorithm, Subject
from tarsus_lab.bench.timing import Contender, interleave, pinned, ratio

import tarsus as ts
from tarsus.check.peers import NotComparableError

ABA = next(algorithm for algorithm in ALGORITHMS if algorithm.title == "ABA")
RNEA = next(algorithm for algorithm in ALGORITHMS if algorithm.title == "RNEA")
METHODS = {
    name: Algorithm(name, ABA.method, ABA.arguments, options=f"method={name!r}")
    for name in ("articulated", "sparse", "dense")
}


@dataclass(frozen=True)
class Sizes:
    """How large the mechanisms are."""

    chains: tuple[int, ...] = (10, 50, 100)
    trees: tuple[int, ...] = (7, 31, 63)
    four_bars: tuple[int, ...] = (10, 20, 50, 100, 200)
    closed_chains: tuple[int, ...] = (50, 100, 200)
    built: int = 1000


class Study:
    """Measures with one plan; `progress` is told which section runs and its share."""

    def __init__(self, plan: Plan, progress: Callable[[str, float], None]) -> None:
        self.plan, self.progress = plan, progress

    def run(self, section: str, contenders: list[Contender]) -> None:
        """Measure contenders in turns on one core; those next to each other are compared."""
        with pinned(1):
            interleave(contenders, *self.plan.rhythm, lambda share: self.progress(section, share))

    def subject(self, name: str, model: ts.Model, states: int | None = None) -> Subject:
        """Return a model with random states, in which its loops are closed."""
        return Subject.make(name, model, states or self.plan.batch, alone=True)

    def batch(self, subject: Subject, algorithm: Algorithm = ABA) -> Contender:
        """Return Tarsus on all states of a subject."""
        states = len(subject.q)
        return subject.batch(algorithm, states, np.ones(states * subject.model.nv), threads=1)


def measure_clusters(
    plan: Plan,
    sizes: Sizes | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Measure everything here; returns plain data for JSON, times in µs."""
    study, sizes = Study(plan, progress or (lambda section, share: None)), sizes or Sizes()
    return {
        "rotors": rotors(study, sizes),
        "methods": methods(study),
        "four_bars": four_bars(study, sizes),
        "loops": loops(study, sizes),
        "batches": batches(study, sizes),
        "builds": builds(sizes),
    }


def rotors(study: Study, sizes: Sizes) -> list[dict[str, Any]]:
    """Compare forward dynamics with rotors that turn and of the same links without."""
    pairs = {"mini_cheetah": [ts.robots.mini_cheetah(kind) for kind in ("exact", "none")]}
    for name, lengths in (("rotor_chain", sizes.chains), ("rotor_tree", sizes.trees)):
        make = getattr(ts.robots, name)
        for n in lengths:
            pairs[f"{name}({n})"] = [make(n, rotors=kind) for kind in ("exact", "none")]
    rows: list[tuple[Any, ...]] = []
    contenders: list[Contender] = []
    for name, models in pairs.items():
        with_rotors, without = (study.subject(name, model) for model in models)
        one = with_rotors.one(ABA), without.one(ABA)
        many = study.batch(with_rotors), study.batch(without)
        rows.append((name, models[0].nv, one, many))
        contenders += [*one, *many]
    study.run("rotors", contenders)
    return [
        {
            "model": name,
            "nv": nv,
            "one": one[0].summary(),
            "per_state": many[0].summary(),
            "one_ratio": ratio(*one),
            "batch_ratio": ratio(*many),
        }
        for name, nv, one, many in rows
    ]


def methods(study: Study) -> list[dict[str, Any]]:
    """Compare the three methods of forward dynamics on Lola, with clusters at many joints."""
    rows: list[tuple[Any, ...]] = []
    contenders: list[Contender] = []
    for kind in (2, 3):
        subject = study.subject(f"lola({kind})", ts.robots.lola(kind), 1)
        calls = {name: subject.one(algorithm) for name, algorithm in METHODS.items()}
        rows.append((subject, calls))
        contenders += calls.values()
    study.run("methods", contenders)
    return [
        {"model": subject.name, "nv": subject.model.nv}
        | {name: call.summary() for name, call in calls.items()}
        | {f"{name}_ratio": ratio(calls[name], calls["articulated"]) for name in calls}
        for subject, calls in rows
    ]


def four_bars(study: Study, sizes: Sizes) -> dict[str, Any]:
    """Return times of forward dynamics of four-bar chains, for each four-bar."""
    states = min(study.plan.batch, 64)
    chains = [study.subject("", ts.robots.four_bar_chain(n), states) for n in sizes.four_bars]
    ones = [subject.one(ABA) for subject in chains]
    many = [study.batch(subject) for subject in chains]
    study.run("four-bars", [*ones, *many])
    result: dict[str, Any] = {"four_bars": list(sizes.four_bars)}
    for key, contenders in (("one", ones), ("per_state", many)):
        # (lengths, rounds), in parts of the round's mean where rounds are compared
        times = np.array([contender.samples for contender in contenders])
        times /= np.array(sizes.four_bars)[:, None]
        statistics = {
            "median": np.median(times / times.mean(axis=0), axis=1),
            "min": times.min(axis=1),
        }
        result[key] = [
            {"median": round(float(np.median(row)), 4), "min": round(float(row.min()), 4)}
            for row in times
        ]
        result[f"{key}_spread"] = {
            name: round(float(values.max() / values.min()) - 1.0, 4)
            for name, values in statistics.items()
        }
    return result


def loops(study: Study, sizes: Sizes) -> list[dict[str, Any]]:
    """Compare forward dynamics of closed chains with Pinocchio's, if that is installed."""
    rows: list[tuple[Any, ...]] = []
    contenders: list[Contender] = []
    for n in sizes.closed_chains:
        model = closed_chain(n)
        state = closed_state(model)
        names = state | {"forward_dynamics": model.forward_dynamics}
        calls = {"one": Contender("forward_dynamics(q, v, tau)", names)}
        try:
            peer = PinocchioLoop(model)
        except NotComparableError:
            pass
        else:
            calls |= {"lcaba": peer.lcaba(state)}
            calls |= {"constraint_dynamics": peer.constraint_dynamics(state)}
        rows.append((n, calls))
        contenders += calls.values()
    study.run("closed chains", contenders)
    return [
        {"links": n}
        | {name: call.summary() for name, call in calls.items()}
        | {f"{name}_ratio": ratio(calls["one"], call) for name, call in calls.items()}
        for n, calls in rows
    ]


def batches(study: Study, sizes: Sizes) -> list[dict[str, Any]]:
    """Compare a state alone with a state of a batch."""
    models = {
        "lola(2)": ts.robots.lola(2),
        "lola(3)": ts.robots.lola(3),
        "mini_cheetah": ts.robots.mini_cheetah(),
        f"rotor_tree({sizes.trees[-1]})": ts.robots.rotor_tree(sizes.trees[-1]),
        f"four_bar_chain({sizes.four_bars[0]})": ts.robots.four_bar_chain(sizes.four_bars[0]),
        "spatial_four_bar": ts.robots.spatial_four_bar(),
        "strandbeest_leg": ts.robots.strandbeest_leg(),
        "snakeboard": ts.robots.snakeboard(),
        f"closed_chain({sizes.closed_chains[0]})": closed_chain(sizes.closed_chains[0]),
    }
    rows: list[tuple[Any, ...]] = []
    contenders: list[Contender] = []
    for name, model in models.items():
        subject = study.subject(name, model)
        for algorithm in (ABA, RNEA):
            one, many = subject.one(algorithm), study.batch(subject, algorithm)
            rows.append((subject, algorithm, one, many))
            contenders += [one, many]
    study.run("batches", contenders)
    return [
        {
            "model": subject.name,
            "nv": subject.model.nv,
            "algorithm": algorithm.title,
            "one": one.summary(),
            "per_state": many.summary(),
            "speed_ratio": ratio(one, many),
        }
        for subject, algorithm, one, many in rows
    ]


def builds(sizes: Sizes) -> list[dict[str, Any]]:
    """Measure how long models with many clusters take to build [s of the processor]."""
    makers = {"rotor_chain": ts.robots.rotor_chain, "four_bar_chain": ts.robots.four_bar_chain}
    rows = []
    for name, make in makers.items():
        durations = []
        for _ in range(3):
            start = time.process_time()
            model = make(sizes.built)
            durations.append(time.process_time() - start)
        rows.append(
            {
                "model": f"{name}({sizes.built})",
                "clusters": len(model.clusters),
                "seconds": {
                    "median": round(sorted(durations)[1], 4),
                    "min": round(min(durations), 4),
                },
            }
        )
    return rows
