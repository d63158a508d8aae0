#include "bindings/algorithms.hpp"

namespace tarsus {

const std::vector<Algorithm>& algorithms() {
    using K = Kernels;
    using S = Shape;
    const Input q{"q", S::q}, v{"v", S::v}, a{"a", S::v}, external{"external", S::wrenches, true};
    // clang-format off
    static const std::vector<Algorithm> table = {
        {"integrate", &K::integrate, {q, {"dv", S::v}}, S::q, false, false, false,
         "The configuration reached from q by the tangent step dv = v·dt (exponential map)."},
        {"difference", &K::difference, {{"q0", S::q}, {"q1", S::q}}, S::v, false, false, false,
         "The tangent step from q0 to q1, so that integrate(q0, step) is q1 (logarithm).", false},
        {"configuration_rate", &K::configuration_rate, {q, v}, S::q, false, false, false,
         "The time derivative of q for the velocity v."},
        {"sample", &K::sample, {{"u", S::q}}, S::q, false, false, false,
         "Configurations within the limits from uniform numbers u in [0, 1).", false},
        {"close", &K::close, {q}, S::q, false, false, false,
         "The configuration q with its loops closed: Newton's method on the positions that loops "
         "give, from where q has them."},
        {"joint_positions", &K::joint_positions, {q}, S::joints_q, false, false, false,
         "Positions of all joints, also of those that follow others."},
        {"joint_velocities", &K::joint_velocities, {q, v}, S::joints_v, false, false, false,
         "Velocities of all joints, also of those that follow others."},
        {"joint_accelerations", &K::joint_accelerations, {q, v, a}, S::joints_v, false, false,
         false, "Accelerations of all joints, also of those that follow others."},
        {"coupling_matrix", &K::coupling_matrix, {q}, S::coupling, false, false, false,
         "Matrix G with joint_velocities = G v."},
        {"loop_gaps", &K::loop_gaps, {q}, S::loop_rows, false, false, false,
         "How far the loops are open at the positions that q states [m, or sines of angles]."},
        {"constraint_jacobian", &K::constraint_jacobian, {q}, S::constraint_rows, false, false,
         false, "Jacobian J of the loops that are constraints: rates of their gaps = J v."},
        {"forward_kinematics", &K::forward_kinematics, {q}, S::poses, false, false, false,
         "Poses of all bodies in the world, as homogeneous matrices."},
        {"frame_pose", &K::frame_pose, {q}, S::pose, true, false, false,
         "Pose of a frame in the world."},
        {"frame_velocity", &K::frame_velocity, {q, v}, S::spatial, true, true, false,
         "Velocity of a frame [linear m/s, angular rad/s]."},
        {"frame_acceleration", &K::frame_acceleration, {q, v, a}, S::spatial, true, true, false,
         "Time derivative of the numbers that frame_velocity gives for the same reference."},
        {"frame_jacobian", &K::frame_jacobian, {q}, S::jacobian, true, true, false,
         "Jacobian J of a frame: frame_velocity = J v."},
        {"frame_jacobian_rate", &K::frame_jacobian_rate, {q, v}, S::jacobian, true, true, false,
         "Time derivative of frame_jacobian along the velocity v."},
        {"inverse_dynamics", &K::inverse_dynamics, {q, v, a, external}, S::v, false, false, false,
         "Generalised forces for the motion q, v, a: H a + bias − Jᵀ external (Newton–Euler)."},
        {"bias_forces", &K::bias_forces, {q, v}, S::v, false, false, false,
         "Coriolis, centrifugal and gravity forces: inverse dynamics without acceleration."},
        {"gravity_forces", &K::gravity_forces, {q}, S::v, false, false, false,
         "Generalised forces that hold the mechanism at rest against gravity."},
        {"reaction_wrenches", &K::reaction_wrenches, {q, v, a, external}, S::wrenches, false, false,
         false,
         "Wrench [N, N·m] that each joint transmits to its body, in the body's frame at its origin."},
        {"loop_wrenches", &K::loop_wrenches, {q, v, a, external}, S::loop_wrenches, false, false,
         false,
         "Wrench [N, N·m] that each loop joint in a cluster exerts on its second body, in frame b; "
         "of redundant forces the smallest."},
        {"mass_matrix", &K::mass_matrix, {q}, S::matrix, false, false, false,
         "Joint-space mass matrix H (composite rigid bodies), armature included."},
        {"inverse_mass_matrix", &K::inverse_mass_matrix, {q}, S::matrix, false, false, false,
         "Inverse of the mass matrix, by its branch-sparse factorisation."},
        {"forward_dynamics", &K::forward_dynamics, {q, v, {"tau", S::v}, external}, S::v, false,
         false, true,
         "Accelerations for the generalised forces tau; method 'articulated' is O(n), 'sparse' and "
         "'dense' factorise the mass matrix."},
        {"center_of_mass", &K::center_of_mass, {q}, S::vector, false, false, false,
         "Centre of mass of the mechanism in the world [m]."},
        {"center_of_mass_velocity", &K::center_of_mass_velocity, {q, v}, S::vector, false, false,
         false, "Velocity of the centre of mass [m/s]."},
        {"center_of_mass_jacobian", &K::center_of_mass_jacobian, {q}, S::vector_jacobian, false,
         false, false, "Jacobian J of the centre of mass: its velocity is J v."},
        {"centroidal_momentum", &K::centroidal_momentum, {q, v}, S::spatial, false, false, false,
         "Momentum about the centre of mass in world axes [linear N·s, angular N·m·s]."},
        {"centroidal_momentum_matrix", &K::centroidal_momentum_matrix, {q}, S::jacobian, false,
         false, false, "Matrix A with centroidal momentum = A v."},
        {"centroidal_momentum_matrix_rate", &K::centroidal_momentum_matrix_rate, {q, v},
         S::jacobian, false, false, false,
         "Time derivative of the centroidal momentum matrix along the velocity v."},
        {"kinetic_energy", &K::kinetic_energy, {q, v}, S::number, false, false, false,
         "Kinetic energy ½ vᵀ H v [J]."},
        {"potential_energy", &K::potential_energy, {q}, S::number, false, false, false,
         "Energy in the field of gravity [J], zero with the centre of mass at the origin."},
        {"elastic_energy", &K::elastic_energy, {q}, S::number, false, false, false,
         "Energy stored in the joint springs [J]."},
        {"passive_forces", &K::passive_forces, {q, v}, S::v, false, false, false,
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
    }
    return "";
}

Parameters parameters(const Algorithm& algorithm) {
    Parameters p{{}, 0, -1, -1, -1, -1, -1};
    const auto add = [&](const char* name) {
        p.names.push_back(name);
        return int(p.names.size()) - 1;
    };
    for (const Input& input : algorithm.inputs) {
        add(input.name);
        if (!input.optional) p.required = int(p.names.size());
    }
    if (algorithm.of_frame) p.frame = add("frame");
    if (algorithm.referenced) p.reference = add("reference");
    if (algorithm.by_method) p.method = add("method");
    p.threads = add("threads");
    p.out = add("out");
    return p;
}

}  // namespace tarsus
