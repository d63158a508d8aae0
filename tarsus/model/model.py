"""`tarsus.Model`: an immutable mechanism that knows its names and its algorithms.

The algorithms (`forward_kinematics`, `inverse_dynamics`, …) are methods of the compiled base
class; this class adds what concerns names, limits and configurations.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import ByName, UnknownNameError, expect, find
from tarsus._lib.data import content_hash
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.actuator_map import Motors, stated_motors
from tarsus.model.actuators import Actuation, Actuators
from tarsus.model.closure import closed
from tarsus.model.compile import core_arguments, of_user
from tarsus.model.description import LIMIT_FIELDS, Description, Shape
from tarsus.model.inertia import inertial_parameters
from tarsus.model.keyframes import INITIAL, KEYFRAMES, Keyframe, positions, velocities
from tarsus.model.name_references import Force, check_stated
from tarsus.model.results import InverseDynamicsSecondDerivatives
from tarsus.model.tree import build_tree
from tarsus.model.validation import checked
from tarsus.model.views import (
    BodyView,
    Cluster,
    Constraint,
    FrameView,
    JointView,
    base_of,
    body_views,
    clusters,
    constraints,
    driven_velocities,
    frame_views,
    joint_views,
    rate_indices,
)

if TYPE_CHECKING:
    from tarsus.model.rerooted_model import Rooted
    from tarsus.model.symbolic.equations import Symbolic


Reference: TypeAlias = Literal["local", "world", "local_world_aligned"]
"""In whose axes velocities and Jacobians of frames are, and about which point."""


class Model(Actuation):
    """A mechanism, ready to compute: immutable, and safe to use from several threads.

    `strict` refuses every inertia that no distribution of mass can have. Without it (as for
    files, which often state such inertias for small parts) only gross ones are refused and the
    others are listed in `warnings`.
    """

    name: str
    """The name of the mechanism."""
    gravity: Array
    """Acceleration of free fall (3,) [m/s²], read-only."""
    joint_names: tuple[str, ...]
    """Names of the moving joints; fixed joints are welded away."""
    body_names: tuple[str, ...]
    """Names of the moving bodies: `body_names[i]` is carried by `joint_names[i]`."""
    frame_names: tuple[str, ...]
    """Names of all frames: every declared body, also welded ones, then the added frames."""
    base: JointView | None
    """The joint by which the machine floats: the first free or planar one on the world, or None."""
    driven: NDArray[np.bool_]
    """Which velocities (nv,) can have a drive: all but those of the base and of free joints."""
    rate_index: NDArray[np.int64]
    """Which velocity is the rate of each position (nq,): dq/dt = v[rate_index], −1 for none."""
    clusters: tuple[Cluster, ...]
    """The groups of bodies that share coordinates, parents first."""
    constraints: tuple[Constraint, ...]
    """The loops that are in no cluster, each with the reason."""
    motors: tuple[str, ...]
    """Names of the joints that carry rotors of motors."""
    total_mass: float
    """Mass of everything that moves [kg]; what is welded to the world does not count."""
    warnings: tuple[str, ...]
    """What a reader did not take over, and inertias that are not physical."""
    lower: Array
    """Lower position limits (nq,), −inf for none, read-only."""
    upper: Array
    """Upper position limits (nq,), inf for none, read-only."""
    velocity_limit: Array
    """Largest absolute velocities (nv,), inf for none, read-only."""
    effort_limit: Array
    """Largest absolute forces and torques (nv,), inf for none, read-only."""

    _frames: Mapping[str, FrameView]
    _shapes: Sequence[Shape]
    _welded: Mapping[str, str]
    _neutral: Array
    _left_out: Mapping[str, Sequence[int]]
    _description: Description
    _strict: bool

    def __init__(self, description: Description, *, strict: bool = True) -> None:
        expect(description, Description, "description")
        description = checked(description)
        tree = closed(build_tree(description, strict=strict))
        super().__init__(**core_arguments(tree, description.gravity))
        joints, bodies, frames = joint_views(tree), body_views(tree), frame_views(tree)
        groups = clusters(tree, joints)
        base = base_of(tuple(joints.values()), tuple(bodies.values()))
        motors = Motors(stated_motors(tree.couplings, joints), joints, groups)
        actuators = Actuators(description.actuators, joints, groups)
        self.__dict__.update(
            name=description.name,
            gravity=description.gravity,
            joint_names=tuple(joints),
            body_names=tuple(bodies),
            frame_names=tuple(frames),
            base=base,
            driven=driven_velocities(tuple(joints.values()), base, self.nv),
            rate_index=rate_indices(tuple(joints.values()), self.nq),
            clusters=groups,
            constraints=constraints(tree),
            motors=motors.names,
            actuator_names=tuple(each.name for each in description.actuators),
            total_mass=float(sum(body.mass for body in tree.bodies)),
            warnings=(*description.warnings, *tree.warnings),
            **{key: of_user(tree, key) for key in LIMIT_FIELDS},
            _joints=joints,
            _bodies=bodies,
            _frames=frames,
            _shapes=tree.shapes,
            _welded=tree.welded,
            _neutral=tree.neutral,
            _left_out=tree.left_out,
            _motors=motors,
            _named_motors={},
            _actuators=actuators,
            _gear_matrix=None,
            _description=description,
            _strict=strict,
        )
        if len(actuators.gears) and not actuators.varies:
            matrix = actuators.gears @ self.coupling_matrix(tree.neutral)
            self.__dict__["_gear_matrix"] = np.asarray(matrix)
        check_stated(description.forces, self)

    def fingerprint(self) -> str:
        """Return a hash of all that was stated, wherever it was read: journals know studies by it.

        Functions of couplings count by their names, files of shapes by their paths.
        """
        own = self._description
        parts = [own.name, own.gravity, own.bodies, own.joints, own.couplings, own.loops]
        return content_hash(*parts, own.frames, own.shapes, own.forces)

    @property
    def description(self) -> Description:
        """Everything that was stated, fixed joints included.

        Nothing in it can be changed, and it is the same object at every call:
        `dataclasses.replace` makes changed copies of it and of its elements.
        """
        return self._description

    @property
    def strict(self) -> bool:
        """Whether inertias that no distribution of mass can have were refused, as stated."""
        return self._strict

    @property
    def joints(self) -> tuple[JointView, ...]:
        """The moving joints, in the order of `joint_names`."""
        return tuple(self._joints.values())

    @property
    def bodies(self) -> tuple[BodyView, ...]:
        """The moving bodies, in the order of `body_names`."""
        return tuple(self._bodies.values())

    @property
    def frames(self) -> tuple[FrameView, ...]:
        """All frames, in the order of `frame_names`."""
        return tuple(self._frames.values())

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes, placed on moving bodies or on the world."""
        return tuple(self._shapes)

    @property
    def forces(self) -> tuple[Force, ...]:
        """The forces that were stated with the mechanism, which simulations have act on it."""
        return tuple(self._description.forces)

    def joint(self, name: str) -> JointView:
        """Return the moving joint `name`: its slices of q and v, its limits and parameters."""
        return find(self._joints, name, "joint", "or it is fixed and was welded away")

    def body(self, name: str) -> BodyView:
        """Return the moving body `name`, with the mass of all that is welded to it."""
        if isinstance(name, str) and name in self._welded:
            carrier = self._welded[name]
            raise UnknownNameError(f"body {name!r} is welded to {carrier!r}; use frame({name!r})")
        return find(self._bodies, name, "body")

    def frame(self, name: str) -> FrameView:
        """Return the frame `name`: every declared body, also a welded one, is a frame too."""
        return find(self._frames, name, "frame")

    def neutral(self) -> Array:
        """Return the configuration (nq,) of zeros and identity quaternions, whatever the limits.

        Loops are closed: their dependent joints are where the others, at zero or at the `start`
        that was stated for the loop, bring them.
        """
        return np.array(self._neutral)

    @property
    def initial_configuration(self) -> Array:
        """Where it was stated to start (nq,), loops closed; `neutral()` where nothing was.

        Simulations start there unless they are told another place. MJCF states `qpos0`, SDF the
        places of links.
        """
        return self._closed(self._description.metadata.get(INITIAL))

    @property
    def keyframes(self) -> Mapping[str, Keyframe]:
        """States by name: q (nq,), v (nv,) or None, u (nu,) or None; loops are closed."""
        return ByName(
            "keyframe", map(self._keyframe, self._description.metadata.get(KEYFRAMES, {}))
        )

    def _keyframe(self, name: str) -> tuple[str, Keyframe]:
        stated = self._description.metadata[KEYFRAMES][name]
        v = u = None
        if "v" in stated:
            v = velocities(stated["v"], self.joints, self.nv)
        if "u" in stated:
            u = np.array([float(stated["u"].get(name, 0.0)) for name in self.actuator_names])
        return name, Keyframe(self._closed(stated.get("q")), v, u)

    def _closed(self, stated: Mapping[str, Any] | None) -> Array:
        if not stated:
            return self.neutral()
        q = positions(stated, self.joints, self._neutral)
        return np.asarray(self.close(q)) if self._description.loops else q

    def random_configuration(
        self,
        rng: np.random.Generator | int | None = None,
        shape: SupportsIndex | Iterable[SupportsIndex] = (),
    ) -> Array:
        """Return random configurations (*shape, nq) within the limits; `rng` may be a seed.

        Independent joints of loops stop where the loops let them go no further.
        """
        generator = np.random.default_rng(rng)
        return np.asarray(self.sample(generator.random((*_lead(shape), self.nq))))

    @property
    def inertial_parameters(self) -> Array:
        """Mass, first and second moments of the bodies (n_bodies, 10), as `inertial_regressor` has.

        [m, m c (3), Ixx Ixy Iyy Ixz Iyz Izz] in body axes about the body's origin [kg, m].
        """
        parameters = [inertial_parameters(b.mass, b.com, b.inertia) for b in self.bodies]
        return np.array(parameters).reshape(-1, 10)

    def frame_poses(
        self, q: ArrayLike, frames: Sequence[str] | None = None, *, threads: int = 1
    ) -> Array:
        """Return the poses (…, n, 4, 4) of frames at q (…, nq), of all in order unless named."""
        views = self.frames if frames is None else [self.frame(name) for name in frames]
        poses = self.forward_kinematics(q, threads=threads)
        placements = np.array([view.placement for view in views]).reshape(-1, 4, 4)
        index = np.array([-1 if v.body == WORLD else self.body(v.body).index for v in views], int)
        # the world's own pose stands behind those of the bodies
        still = np.broadcast_to(np.eye(4), (*poses.shape[:-3], 1, 4, 4))
        return np.asarray(np.concatenate([poses, still], axis=-3)[..., index, :, :] @ placements)

    def all_jacobians(
        self, q: ArrayLike, *, reference: Reference = "local", threads: int = 1
    ) -> Array:
        """Return the Jacobians (…, n_bodies, 6, nv) of all bodies at q (…, nq)."""
        found = [
            self.frame_jacobian(q, name, reference=reference, threads=threads)
            for name in self.body_names
        ]
        shape = np.shape(q)[:-1]
        return np.stack(found, axis=-3) if found else np.zeros((*shape, 0, 6, self.nv))

    def mass_matrix_derivatives(self, q: ArrayLike, *, threads: int = 1) -> Array:
        """Return ∂H_ij/∂q_k along tangent steps (…, nv, nv, nv), which is Γ_ijk + Γ_jik."""
        first = self.christoffel_symbols(q, threads=threads)
        return np.asarray(first + np.swapaxes(first, -3, -2))

    def christoffel_symbols_second_kind(self, q: ArrayLike, *, threads: int = 1) -> Array:
        """Return the symbols Γ^i_jk = Σ_l H⁻¹_il Γ_ljk (…, nv, nv, nv) of the second kind."""
        first = self.christoffel_symbols(q, threads=threads)
        flat = first.reshape(*first.shape[:-2], self.nv**2)
        return np.asarray(self.inverse_mass_matrix(q, threads=threads) @ flat).reshape(first.shape)

    def inverse_dynamics_second_derivatives(
        self, q: ArrayLike, *, threads: int = 1
    ) -> InverseDynamicsSecondDerivatives:
        """Return ∂²τ_i/∂v_j∂v_k and ∂²τ_i/∂a_j∂q_k (…, nv, nv, nv) of inverse dynamics."""
        first = self.christoffel_symbols(q, threads=threads)
        return InverseDynamicsSecondDerivatives(
            dv_dv=first + np.swapaxes(first, -2, -1), da_dq=first + np.swapaxes(first, -3, -2)
        )

    def symbolic(
        self, *, parameters: bool = False, simplify: bool | Callable[[Any], Any] = False
    ) -> Symbolic:
        """Return the equations of motion as SymPy expressions, for small models.

        With `parameters` masses, lengths and the like are symbols, too; `simplify` is applied to
        each element: True for `sympy.simplify`, or a function of yours.
        """
        from tarsus.model.symbolic.equations import Symbolic

        return Symbolic(self, parameters=parameters, simplify=simplify)

    def locked(self, joints: Iterable[str], q: ArrayLike | None = None) -> Model:
        """Return the model with joints welded as they are at q (nq,), neutral unless stated."""
        from tarsus.model.assembly.combine import locked

        return locked(self, joints, q)

    def without(self, bodies: Iterable[str]) -> Model:
        """Return the model without bodies, and without all that hangs on them."""
        from tarsus.model.assembly.combine import without

        return without(self, bodies)

    def rooted_at(self, body: str, joint: str = "fixed", **parameters: Any) -> Rooted:
        """Return the same machine standing on `body`, a body or a frame of one.

        It is attached to the world by a joint of any kind: "fixed", "revolute" (a pin, with its
        `axis`), "spherical", "rolling_cylinder" (a curved sole with its `radius`), …; the joint by
        which the machine floated is let go, and joints on the way to it are turned round. All
        else is stated by name: `position`, `rotation` or `placement`, where on the body the joint
        is; `at` (4, 4), where in the world, by default where it is in `neutral()`; parameters of
        `Builder.joint`; `release`, the name of a joint by which the machine stands, not floats.
        """
        from tarsus.model.assembly import Rooted  # which imports it in an order without a cycle

        return Rooted(self, body, joint, **parameters)

    def __repr__(self) -> str:
        return f"<tarsus.Model {self.name!r}: {self.n_bodies} bodies, nq={self.nq}, nv={self.nv}>"

    def __eq__(self, other: object) -> bool:
        """Models are equal if the same was stated about them, wherever it was stated."""
        if not isinstance(other, Model):
            return NotImplemented
        return self is other or self._description == other._description

    def __hash__(self) -> int:
        return hash((self.name, self.body_names, self.joint_names))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.description, self._strict)

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a Model is immutable: cannot set {name!r}; build a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Model is immutable: cannot delete {name!r}")


def _rebuild(cls: type[Model], description: Description, strict: bool) -> Model:
    return cls(description, strict=strict)


def _lead(shape: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Return the leading dimensions that `shape` stands for, one or several."""
    try:
        several = shape if isinstance(shape, Iterable) else (shape,)
        return tuple(operator.index(size) for size in several)
    except TypeError:
        message = f"shape is {shape!r}, must be an integer or a tuple of integers"
        raise TypeError(message) from None
