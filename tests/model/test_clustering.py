"""Which bodies form clusters, against a slow search that applies the definition."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus.model.tree import MOST_VELOCITIES, Ends, Grouping, find_clusters

CHAIN = [-1, 0, 1, 2, 3, 4]
FORK = [-1, 0, 1, 0, 3]  # two legs of two bodies on body 0


def grouped(
    parents: list[int],
    coupled: list[list[int]] | None = None,
    loops: list[Ends] | None = None,
    sizes: list[int] | None = None,
    free: int = -1,
) -> Grouping:
    n = len(parents)
    obstacles = ["the free joint" if i == free else "" for i in range(n)]
    return find_clusters(parents, sizes or [1] * n, obstacles, coupled or [], loops or [])


def test_nothing_coupled() -> None:
    assert grouped(CHAIN).clusters == [[i] for i in range(6)]


def test_a_rotor_beside_its_link() -> None:
    # body 2 is the rotor of body 1, both on body 0
    assert grouped([-1, 0, 0, 1], [[1, 2]]).clusters == [[0], [1, 2], [3]]


def test_a_motor_two_links_up_absorbs_the_link_between() -> None:
    # body 3 hangs on 2, its rotor 4 on 0: 1 and 2 belong to them
    assert grouped([-1, 0, 1, 2, 0], [[3, 4]]).clusters == [[0], [1, 2, 3, 4]]


def test_coupled_joints_in_series() -> None:
    assert grouped(CHAIN, [[2, 4]]).clusters == [[0], [1], [2, 3, 4], [5]]


def test_couplings_that_share_a_joint_are_one_cluster() -> None:
    assert grouped(FORK, [[1, 2], [2, 4]]).clusters == [[0], [1, 2, 3, 4]]


def test_members_stand_together_after_their_parent() -> None:
    # the rotor of 1 was stated last
    assert grouped([-1, 0, 1, 2, 0], [[1, 4]]).clusters == [[0], [1, 4], [2], [3]]


def test_a_cluster_that_a_path_crosses_belongs_to_it() -> None:
    # 1 and 2 hang on 0; coupling them with 4 (on 3, on 2) takes in 3
    assert grouped([-1, 0, 0, 2, 3], [[1, 2], [1, 4]]).clusters == [[0], [1, 2, 3, 4]]


@pytest.mark.parametrize("ends", [(2, 4), (4, 2)])
def test_a_loop_between_two_branches(ends: tuple[int, int]) -> None:
    grouping = grouped(FORK, loops=[Ends(*ends)])
    assert grouping.clusters == [[0], [1, 2, 3, 4]]
    assert grouping.reasons == [""]


def test_a_loop_to_an_ancestor_leaves_the_ancestor_out() -> None:
    assert grouped(CHAIN, loops=[Ends(4, 1)]).clusters == [[0], [1], [2, 3, 4], [5]]
    assert grouped(CHAIN, loops=[Ends(-1, 2)]).clusters == [[0, 1, 2], [3], [4], [5]]


def test_loops_that_do_not_overlap_stay_apart() -> None:
    parents = [-1, 0, 1, 1, 3]
    assert grouped(parents, loops=[Ends(1, -1), Ends(4, 1)]).clusters == [[0, 1], [2], [3, 4]]


def test_loops_that_overlap_are_one_cluster() -> None:
    assert grouped(CHAIN, loops=[Ends(3, -1), Ends(4, 2)]).clusters == [[0, 1, 2, 3, 4], [5]]


def test_reasons_for_constraints() -> None:
    def reason(loop: Ends, free: int = -1, sizes: list[int] | None = None) -> str:
        return grouped(CHAIN, loops=[loop], free=free, sizes=sizes).reasons[0]

    large = [MOST_VELOCITIES] + [1] * 5
    assert reason(Ends(5, -1, constraint=True)) == "it was stated as a constraint"
    assert reason(Ends(5, -1), free=0) == "it passes the free joint"
    assert reason(Ends(5, 0), free=0) == ""
    assert "29 velocity coordinates, over 24" in reason(Ends(5, -1), sizes=large)
    assert "velocities, not positions" in reason(Ends(5, -1, holonomic=False))
    assert reason(Ends(5, -1, constraint=False), free=0) == ""
    constrained = grouped(CHAIN, loops=[Ends(5, -1, constraint=True)])
    assert constrained.clusters == [[i] for i in range(6)]


def test_what_must_be_a_cluster_comes_before_what_may() -> None:
    parents, sizes = [-1, 0, 1, 0, 3], [20, 5, 5, 5, 5]
    loops = [Ends(2, -1), Ends(4, -1, constraint=False)]
    grouping = grouped(parents, loops=loops, sizes=sizes)
    assert grouping.clusters == [[0, 3, 4], [1], [2]]
    assert grouping.reasons == ["its cluster would have 40 velocity coordinates, over 24", ""]


def slowly(parents: list[int], wanted: list[set[int]]) -> set[frozenset[int]]:
    """Grow each wanted set until it hangs on one body, and merge sets that overlap."""
    sets = [set(one) for one in wanted] + [{i} for i in range(len(parents))]
    depth = [0] * len(parents)
    for i, parent in enumerate(parents):
        depth[i] = depth[parent] + 1 if parent >= 0 else 0
    while True:
        merged: list[set[int]] = []
        for one in sets:
            overlapping = [other for other in merged if other & one]
            merged = [other for other in merged if not other & one]
            merged.append(one.union(*overlapping))
        for one in merged:
            outside = {parents[i] for i in one if parents[i] not in one}
            if len(outside) > 1:
                one.add(max(outside, key=lambda i: depth[i] if i >= 0 else -1))
                break
        else:
            return {frozenset(one) for one in merged}
        sets = merged


def path(parents: list[int], a: int, b: int) -> set[int]:
    ancestors = [set[int](), set[int]()]
    for above, body in zip(ancestors, (a, b), strict=True):
        while body >= 0:
            above.add(body)
            body = parents[body]
    return ancestors[0] ^ ancestors[1]


@pytest.mark.parametrize("seed", range(200))
def test_random_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 30))
    parents = [int(rng.integers(max(-1, i - 4), i)) for i in range(n)]
    coupled = [
        rng.choice(n, size=int(rng.integers(2, 4)), replace=False).tolist()
        for _ in range(rng.integers(0, 4))
    ]
    ends = [rng.choice(n + 1, size=2, replace=False) - 1 for _ in range(rng.integers(0, 4))]
    loops = [Ends(int(a), int(b), constraint=False) for a, b in ends]
    found = grouped(parents, coupled, loops).clusters
    wanted = [set(one) for one in coupled]
    wanted += [path(parents, loop.body_a, loop.body_b) for loop in loops]
    assert {frozenset(cluster) for cluster in found} == slowly(parents, wanted)
    seen: set[int] = {-1}
    for cluster in found:
        outside = {parents[i] for i in cluster} - set(cluster)
        assert len(outside) == 1
        assert outside <= seen
        assert cluster == sorted(cluster)
        seen |= set(cluster)


def test_long_chains_of_clusters() -> None:
    n = 60_000
    parents = [i - 1 if i % 2 == 0 else max(i - 2, -1) for i in range(n)]
    parents[0] = -1
    coupled = [[i, i + 1] for i in range(1, n - 1, 2)]
    assert sum(map(len, grouped(parents, coupled).clusters)) == n
    assert len(grouped(list(range(-1, n - 1)), loops=[Ends(n - 1, -1, False)]).clusters) == 1
