#include "bindings/algorithms.hpp"

namespace tarsus {

const Choice kReference{"reference", {"local", "world", "local_world_aligned"}};
const Choice kMethod{"method", {"articulated", "sparse", "dense"}};
const Choice kFactorization{"factorization", {"christoffel", "force", "momentum"}};

const std::vector<Algorithm>& algorithms() {
    using K = Kernels;
    using S = Shape;
    const Input q{"q", S::q}, v{"v", S::v}, a{"a", S::v}, external{"external", S::wrenches, true};
    // clang-format off
    static const std::vector<Algorithm> table = {
        {"integrate", &K::integrate, {q, {"dv", S::v}}, S::q, false, nullptr,
         "The configuration reached from q by the tangent step dv = v·dt (exponential map)."},
        {"difference", &K::difference, {{"q0", S::q}, {"q1", S::q}}, S::v, false, nullptr,
         "The tangent step from q0 to q1, so that integrate(q0, step) is q1 (logarithm).", false},
        {"configuration_rate", &K::configuration_rate, {q, v}, S::q, false, nullptr,
         "The time derivative of q for the velocity v."},
        {"sample", &K::sample, {{"u", S::q}}, S::q, false, nullptr,
         "Configurations within the limits from uniform numbers u in [0, 1).", false},
        {"close", &K::close, {q}, S::q, false, nullptr,
         "The configuration q with its loops closed: Newton's method on the positions that loops "
         "give, from where q has them."},
        {"joint_positions", &K::joint_positions, {q}, S::joints_q, false, nullptr,
         "Positions of all joints, also of those that follow others."},
        {"joint_velocities", &K::joint_velocities, {q, v}, S::joints_v, false, nullptr,
         "Velocities of all joints, also of those that follow others."},
        {"joint_accelerations", &K::joint_accelerations, {q, v, a}, S::joints_v, false, nullptr,
         "Accelerations of all joints, also of those that follow others."},
        {"coupling_matrix", &K::coupling_matrix, {q}, S::coupling, false, nullptr,
         "Matrix G with joint_velocities = G v."},
        {"loop_gaps", &K::loop_gaps, {q}, S::loop_rows, false, nullptr,
         "How far the loops are open at the positions that q states [m, or sines of angles]."},
        {"constraint_jacobian", &K::constraint_jacobian, {q}, S::constraint_rows, false, nullptr,
         "Jacobian J of the loops that are constraints: rates of their gaps = J v."},
        {"forward_kinematics", &K::forward_kinematics, {q}, S::poses, false, nullptr,
         "Poses of all bodies in the world, as homogeneous matrices."},
        {"frame_pose", &K::frame_pose, {q}, S::pose, true, nullptr,
         "Pose of a frame in the world."},
        {"frame_velocity", &K::frame_velocity, {q, v}, S::spatial, true, &kReference,
         "Velocity of a frame [linear m/s, angular rad/s]."},
        {"frame_acceleration", &K::frame_acceleration, {q, v, a}, S::spatial, true, &kReference,
         "Time derivative of the numbers that frame_velocity gives for the same reference."},
        {"frame_jacobian", &K::frame_jacobian, {q}, S::jacobian, true, &kReference,
         "Jacobian J of a frame: frame_velocity = J v."},
        {"frame_jacobian_rate", &K::frame_jacobian_rate, {q, v}, S::jacobian, true, &kReference,
         "Time derivative of frame_jacobian along the velocity v."},
        {"inverse_dynamics", &K::inverse_dynamics, {q, v, a, external}, S::v, false, nullptr,
         "Generalised forces for the motion q, v, a: H a + bias − Jᵀ external (Newton–Euler)."},
        {"bias_forces", &K::bias_forces, {q, v}, S::v, false, nullptr,
         "Coriolis, centrifugal and gravity forces: inverse dynamics without acceleration."},
        {"gravity_forces", &K::gravity_forces, {q}, S::v, false, nullptr,
         "Generalised forces that hold the mechanism at rest against gravity."},
        {"reaction_wrenches", &K::reaction_wrenches, {q, v, a, external}, S::wrenches, false, nullptr,
         "Wrench [N, N·m] that each joint transmits to its body, in the body's frame at its origin."},
        {"loop_wrenches", &K::loop_wrenches, {q, v, a, external}, S::loop_wrenches, false, nullptr,
         "Wrench [N, N·m] that each loop joint in a cluster exerts on its second body, in frame b; "
         "of redundant forces the smallest."},
        {"mass_matrix", &K::mass_matrix, {q}, S::matrix, false, nullptr,
         "Joint-space mass matrix H (composite rigid bodies), armature included."},
        {"mass_matrix_rate", &K::mass_matrix_rate, {q, v}, S::matrix, false, nullptr,
         "Time derivative of the mass matrix along the velocity v: C + Cᵀ."},
        {"coriolis_matrix", &K::coriolis_matrix, {q, v}, S::matrix, false, &kFactorization,
         "Coriolis matrix C with C v = bias − gravity and dH/dt = C + Cᵀ; 'christoffel' is the one "
         "of the Christoffel symbols, 'force' and 'momentum' are other factors with both properties "
         "(Echeandia & Wensing 2021)."},
        {"christoffel_symbols", &K::christoffel_symbols, {q}, S::symbols, false, nullptr,
         "Christoffel symbols of the first kind: Γ[i, j, k] = ∂C_ij/∂v_k (Echeandia & Wensing "
         "2021)."},
        {"christoffel_symbols_packed", &K::christoffel_symbols_packed, {q}, S::packed_symbols, false,
         nullptr,
         "Christoffel symbols that the tree's branches let differ from zero: value p is Γ at "
         "christoffel_indices[p]."},
        {"generalized_momentum", &K::generalized_momentum, {q, v}, S::v, false, nullptr,
         "Generalised momentum H v, without forming H."},
        {"coriolis_transpose_forces", &K::coriolis_transpose_forces, {q, v}, S::v, false, nullptr,
         "C(q, v)ᵀ v without forming C; it is the same for every factorization."},
        {"passive_inverse_dynamics", &K::passive_inverse_dynamics,
         {q, v, {"v_reference", S::v}, {"a_reference", S::v}}, S::v, false, &kFactorization,
         "H a_reference + C(q, v) v_reference + gravity in one pass (Slotine & Li 1987)."},
        {"inertial_regressor", &K::inertial_regressor,
         {q, v, a, {"v_reference", S::v, true}}, S::regressor, false, nullptr,
         "Matrix Y with inverse_dynamics = Y inertial_parameters, armature apart; with v_reference "
         "H a + C(q, v) v_reference + gravity."},
        {"inverse_dynamics_derivatives", &K::inverse_dynamics_derivatives, {q, v, a, external},
         S::matrix, false, nullptr,
         "Derivatives of inverse_dynamics by q (along tangent steps), v and a (Singh, Russell & "
         "Wensing 2022).", true, &kInverseDerivatives, true},
        {"forward_dynamics_derivatives", &K::forward_dynamics_derivatives,
         {q, v, {"tau", S::v}, external}, S::matrix, false, nullptr,
         "Derivatives of forward_dynamics by q (along tangent steps), v and tau.", true,
         &kForwardDerivatives, true},
        {"inverse_mass_matrix", &K::inverse_mass_matrix, {q}, S::matrix, false, nullptr,
         "Inverse of the mass matrix, by its branch-sparse factorisation."},
        {"forward_dynamics", &K::forward_dynamics, {q, v, {"tau", S::v}, external}, S::v, false, &kMethod,
         "Accelerations for the generalised forces tau; method 'articulated' is O(n), 'sparse' and "
         "'dense' factorise the mass matrix."},
        {"hybrid_dynamics", &K::hybrid_dynamics, {q, v, {"tau", S::v}, a, external}, S::v, false,
         nullptr,
         "Accelerations and generalised forces: prescribed coordinates take theirs from a, "
         "the others from tau, and what is missing is found in O(n) (Featherstone 2008, section "
         "9.2).", true, &kHybridResult, false, true},
        {"center_of_mass", &K::center_of_mass, {q}, S::vector, false, nullptr,
         "Centre of mass of the mechanism in the world [m]."},
        {"center_of_mass_velocity", &K::center_of_mass_velocity, {q, v}, S::vector, false, nullptr,
         "Velocity of the centre of mass [m/s]."},
        {"center_of_mass_jacobian", &K::center_of_mass_jacobian, {q}, S::vector_jacobian, false, nullptr,
         "Jacobian J of the centre of mass: its velocity is J v."},
        {"centroidal_momentum", &K::centroidal_momentum, {q, v}, S::spatial, false, nullptr,
         "Momentum about the centre of mass in world axes [linear N·s, angular N·m·s]."},
        {"centroidal_momentum_matrix", &K::centroidal_momentum_matrix, {q}, S::jacobian, false, nullptr,
         "Matrix A with centroidal momentum = A v."},
        {"centroidal_momentum_matrix_rate", &K::centroidal_momentum_matrix_rate, {q, v},
         S::jacobian, false, nullptr,
         "Time derivative of the centroidal momentum matrix along the velocity v."},
        {"kinetic_energy", &K::kinetic_energy, {q, v}, S::number, false, nullptr,
         "Kinetic energy ½ vᵀ H v [J]."},
        {"potential_energy", &K::potential_energy, {q}, S::number, false, nullptr,
         "Energy in the field of gravity [J], zero with the centre of mass at the origin."},
        {"elastic_energy", &K::elastic_energy, {q}, S::number, false, nullptr,
         "Energy stored in the joint springs [J]."},
        {"passive_forces", &K::passive_forces, {q, v}, S::v, false, nullptr,
         "Generalised forces of joint springs, damping and dry friction."},
    };
    // clang-format on
    return table;
}

Dimensions dimensions(Shape shape, const Tree& tree) {
    switch (shape) {
        case Shape::q:
            return {1, {tree.nq}};
        case Shape::v:
            return {1, {tree.nv}};
        case Shape::wrenches:
            return {2, {tree.n_bodies, 6}};
        case Shape::poses:
            return {3, {tree.n_bodies, 4, 4}};
        case Shape::pose:
            return {2, {4, 4}};
        case Shape::spatial:
            return {1, {6}};
        case Shape::jacobian:
            return {2, {6, tree.nv}};
        case Shape::matrix:
            return {2, {tree.nv, tree.nv}};
        case Shape::vector:
            return {1, {3}};
        case Shape::vector_jacobian:
            return {2, {3, tree.nv}};
        case Shape::number:
            return {0, {}};
        case Shape::joints_q:
            return {1, {tree.joint_nq}};
        case Shape::joints_v:
            return {1, {tree.joint_nv}};
        case Shape::coupling:
            return {2, {tree.joint_nv, tree.nv}};
        case Shape::loop_rows:
            return {1, {Py_ssize_t(tree.rows.size())}};
        case Shape::loop_wrenches:
            return {2, {Py_ssize_t(tree.loops.size()), 6}};
        case Shape::constraint_rows:
            return {2, {tree.n_constraint_rows, tree.nv}};
        case Shape::symbols:
            return {3, {tree.nv, tree.nv, tree.nv}};
        case Shape::packed_symbols:
            return {1, {Py_ssize_t(tree.n_symbols)}};
        case Shape::regressor:
            return {2, {tree.nv, 10 * tree.n_bodies}};
    }
    return {0, {}};
}

const char* shape_name(Shape shape) {
    switch (shape) {
        case Shape::q:
            return "(…, nq)";
        case Shape::v:
            return "(…, nv)";
        case Shape::wrenches:
            return "(…, n_bodies, 6)";
        case Shape::poses:
            return "(…, n_bodies, 4, 4)";
        case Shape::pose:
            return "(…, 4, 4)";
        case Shape::spatial:
            return "(…, 6)";
        case Shape::jacobian:
            return "(…, 6, nv)";
        case Shape::matrix:
            return "(…, nv, nv)";
        case Shape::vector:
            return "(…, 3)";
        case Shape::vector_jacobian:
            return "(…, 3, nv)";
        case Shape::number:
            return "(…)";
        case Shape::joints_q:
            return "(…, joint_nq)";
        case Shape::joints_v:
            return "(…, joint_nv)";
        case Shape::coupling:
            return "(…, joint_nv, nv)";
        case Shape::loop_rows:
            return "(…, loop rows)";
        case Shape::loop_wrenches:
            return "(…, loops, 6)";
        case Shape::constraint_rows:
            return "(…, constraint rows, nv)";
        case Shape::symbols:
            return "(…, nv, nv, nv)";
        case Shape::packed_symbols:
            return "(…, symbols)";
        case Shape::regressor:
            return "(…, nv, 10 n_bodies)";
    }
    return "";
}

Parameters parameters(const Algorithm& algorithm) {
    Parameters p{{}, 0, -1, -1, -1, -1, -1, -1};
    const auto add = [&](const char* name) {
        p.names.push_back(name);
        return int(p.names.size()) - 1;
    };
    for (const Input& input : algorithm.inputs) {
        add(input.name);
        if (!input.optional) p.required = int(p.names.size());
    }
    if (algorithm.of_frame) p.frame = add("frame");
    if (algorithm.choice) p.choice = add(algorithm.choice->name);
    p.by_name = int(p.names.size());
    if (algorithm.prescribes) p.prescribed = add("prescribed");
    p.threads = add("threads");
    p.out = add("out");
    return p;
}

}  // namespace tarsus
