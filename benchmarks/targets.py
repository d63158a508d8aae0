"""What Tarsus wants to reach on one core: must, and aim.

Ratios compare with Pinocchio from Python on the same states in the same run, with MuJoCo for
contact, with SciPy for motions of high accuracy, or a model with another of our own. A measurement
may lack parts; a target without numbers is not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contact_targets import CONTACT_TARGETS
from distance_targets import DISTANCE_TARGETS
from environment_speed import ENVIRONMENT_TARGETS
from flow_targets import FLOW_TARGETS
from gait_targets import GAIT_TARGETS
from kinematics import KINEMATICS_TARGETS
from part_targets import PART_TARGETS
from target import Target
from walking import WALKING_TARGETS

Row = dict[str, Any]


def column(key: str, *algorithms: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return a column of the table of speeds, for some algorithms."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        return {
            f"{row['algorithm']} of {row['model']}": float(row[key])
            for row in results.get("rows", ())
            if row["algorithm"] in algorithms and row[key] is not None
        }

    return values


def hybrid(statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return the time of hybrid dynamics, every other velocity prescribed, beside ABA."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        times = {
            (row["model"], row["algorithm"]): row["one"][statistic]
            for row in results.get("rows", ())
        }
        return {
            model: time / times[model, "ABA"]
            for (model, algorithm), time in times.items()
            if algorithm == "hybrid"
        }

    return values


def motors(statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return the time of a step with motors beside the same without, friction of gears apart."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        return {
            row["model"]: float(row["ratio"][statistic])
            for row in results.get("drives", {}).get("motors", ())
            if "dry" not in row["model"]
        }

    return values


def bodies(results: dict[str, Any]) -> dict[str, float]:
    """Return the growth with the number of bodies, of chains and stars."""
    return {
        f"{row['algorithm']} of a {row['model']}": float(row["slope"])
        for row in results.get("bodies", {}).get("slopes", ())
    }


def slope(results: dict[str, Any]) -> dict[str, float]:
    """Return the growth of ABA."""
    growth = results.get("growth")
    if not growth:
        return {}
    return {"one state": growth["one_slope"], "batch": growth["per_state_slope"]}


def memory(results: dict[str, Any]) -> dict[str, float]:
    """Return the memory of a call as a share of its inputs and output."""
    return {
        f"{entry['algorithm']} of {entry['model']}": entry["beyond"] / entry["inputs_and_output"]
        for entry in results.get("memory", ())
    }


def cluster_target(what: str, must: float, aim: float, *, lower: bool, **where: Any) -> Target:
    """Return a target for `keys` of a `section` of the cluster study."""
    values, smallest = (cluster_rows(statistic, **where) for statistic in ("median", "min"))
    return Target(what, must, aim, lower, values, smallest)


def cluster_rows(
    statistic: str, section: str, keys: tuple[str, ...]
) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return the numbers of a section of the cluster study, those of all keys together."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        return {
            f"{LABELS.get(key, '')}{row.get('algorithm', '')} {_title(row)}".strip(): float(
                row[key][statistic]
            )
            for row in results.get("clusters", {}).get(section, ())
            for key in keys
            if key in row
        }

    return values


def spread(statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return by how much the time for a four-bar differs between short and long chains."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        chains = results.get("clusters", {}).get("four_bars", {})
        keys = {"one state": "one_spread", "batch": "per_state_spread"}
        return {what: float(chains[key][statistic]) for what, key in keys.items() if key in chains}

    return values


def symbol_target(
    what: str, must: float, aim: float, model: str, algorithm: str, section: str = "times"
) -> Target:
    """Return a target for one time or slope of the study of Christoffel symbols."""

    def of(statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
        def values(results: dict[str, Any]) -> dict[str, float]:
            return {
                f"{algorithm} of {model}": float(row.get("one", row.get("slope"))[statistic])
                for row in results.get("symbols", {}).get(section, ())
                if (row["model"], row["algorithm"]) == (model, algorithm)
            }

        return values

    return Target(what, must, aim, True, of("median"), of("min"))


LABELS = {"one_ratio": "one state, ", "batch_ratio": "batch, "}


def _title(row: Row) -> str:
    return str(row["model"]) if "model" in row else f"{row['links']} links"


ONE_STATE = ("RNEA", "CRBA", "ABA", "FK", "frame Jacobian")
OTHERS = ("CRBA", "FK", "frame Jacobian", "centroidal")
DERIVATIVES = ("RNEA derivatives", "ABA derivatives")
ALL = ("RNEA", "ABA", *OTHERS, "Coriolis", *DERIVATIVES)

TARGETS = (
    Target("one state, time / Pinocchio", 0.8, 0.5, True, column("one_ratio", *ONE_STATE)),
    Target(
        "batch, RNEA and ABA, throughput / Pinocchio",
        *(6.0, 10.0, False),
        column("throughput_ratio", "RNEA", "ABA"),
    ),
    Target(
        "batch, the others, throughput / Pinocchio",
        *(4.0, 8.0, False),
        column("throughput_ratio", *OTHERS),
    ),
    Target(
        "Coriolis matrix, one state, time / Pinocchio",
        *(0.8, 0.5, True),
        column("one_ratio", "Coriolis"),
    ),
    Target(
        "Coriolis matrix, batch, throughput / Pinocchio",
        *(5.0, 10.0, False),
        column("throughput_ratio", "Coriolis"),
    ),
    Target(
        "derivatives, one state, time / Pinocchio",
        *(0.8, 0.5, True),
        column("one_ratio", *DERIVATIVES),
    ),
    Target(
        "derivatives, batch, throughput / Pinocchio",
        *(4.0, 8.0, False),
        column("throughput_ratio", *DERIVATIVES),
    ),
    symbol_target("Christoffel symbols, chain of 20, µs", 15.0, 10.0, "chain(20)", "Christoffel"),
    symbol_target("Christoffel symbols, tree of 20, µs", 6.0, 4.0, "tree(20)", "Christoffel"),
    *(
        symbol_target(f"{title} of a {model}, log-log slope", must, must, model, title, "slopes")
        for title, model, must in (
            ("Coriolis", "chain", 2.1),
            ("Christoffel, packed", "chain", 3.2),
            ("Coriolis", "tree", 1.3),
            ("Christoffel, packed", "tree", 1.5),
        )
    ),
    Target("two threads / one", 1.8, 1.95, False, column("two_threads_ratio", *ALL)),
    Target(
        "hybrid dynamics, one state, time / ABA",
        *(1.2, 1.05, True),
        hybrid("median"),
        hybrid("min"),
    ),
    Target(
        "a robot with 20 motors, one step, time / without",
        *(1.3, 1.1, True),
        motors("median"),
        motors("min"),
    ),
    Target("ABA and hybrid dynamics from 10 to 10000 bodies, slope", 1.1, 1.0, True, bodies),
    Target("ABA from 50 to 1000 links, log-log slope", 1.1, 1.0, True, slope),
    Target("memory of a batch / its inputs and output", 0.5, 0.1, True, memory),
    *CONTACT_TARGETS,
    *PART_TARGETS,
    *DISTANCE_TARGETS,
    *FLOW_TARGETS,
    *KINEMATICS_TARGETS,
    *WALKING_TARGETS,
    *ENVIRONMENT_TARGETS,
    *GAIT_TARGETS,
    cluster_target(
        "ABA with rotors, time / without",
        *(1.5, 1.25),
        lower=True,
        section="rotors",
        keys=("one_ratio", "batch_ratio"),
    ),
    cluster_target(
        "Lola, dense, time / articulated",
        *(1.0, 2.0),
        lower=False,
        section="methods",
        keys=("dense_ratio",),
    ),
    cluster_target(
        "Lola, one state, µs", 15.0, 8.0, lower=True, section="methods", keys=("articulated",)
    ),
    Target(
        "10 to 200 four-bars, spread of time / four-bar",
        *(0.1, 0.1, True),
        spread("median"),
        spread("min"),
    ),
    cluster_target(
        "a loop, time / Pinocchio's LCABA",
        *(1.0, 0.5),
        lower=True,
        section="loops",
        keys=("lcaba_ratio",),
    ),
    cluster_target(
        "clusters, one state, time / in a batch",
        *(4.0, 8.0),
        lower=False,
        section="batches",
        keys=("speed_ratio",),
    ),
    cluster_target(
        "1000 clusters, time to build, s", 1.0, 1.0, lower=True, section="builds", keys=("seconds",)
    ),
)
