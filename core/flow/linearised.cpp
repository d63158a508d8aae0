#include "flow/linearised.hpp"

#include <algorithm>

#include "dynamics/inertial_forces.hpp"
#include "dynamics/inverse_dynamics_derivatives.hpp"
#include "dynamics/springs.hpp"
#include "flow/bare_arguments.hpp"
#include "flow/force_derivatives.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// derivatives in the wide tree, and the mass matrix of the mechanism as its branches have it
template <class T>
struct KeepWide {
    const Tree& tree;
    const Wide& wide;
    const LaneMatrix<T>&by_q, &by_v;
    T* L;

    TARSUS_INLINE void q(int row, int column, const T& x) { by_q(row, column) = x; }
    TARSUS_INLINE void v(int row, int column, const T& x) { by_v(row, column) = x; }
    TARSUS_INLINE void a(int row, int column, const T& x) {
        const int r = wide.v[row], c = wide.v[column];
        if (r >= 0 && c >= 0) L[tree.row[c] + tree.depth[r]] = x;
    }
};

// for each velocity of a mechanism those of the wide tree that carry it or are carried by it, or
// all
std::vector<std::vector<int>> relations(const Wide& wide, bool all) {
    const Tree& tree = *wide.tree;
    std::vector<std::vector<int>> found;
    for (int r : wide.own) {
        std::vector<int> row;
        for (int k = 0; k < tree.nv; ++k) {
            if (wide.v[k] < 0) continue;
            const int* above = &tree.branch[tree.row[r]];
            const int* below = tree.below.data() + tree.below_from[r];
            const int* end = tree.below.data() + tree.below_from[r + 1];
            if (all || std::find(above, above + tree.depth[r] + 1, k) <= above + tree.depth[r] ||
                std::find(below, end, k) != end)
                row.push_back(k);
        }
        found.push_back(std::move(row));
    }
    return found;
}

template <class T>
size_t look_bytes(const Tree& broad) {
    return motion_derivatives_bytes<T>(broad) + newton_euler_bytes<T>(broad) +
           bytes_of<T>(broad.nv);
}
template <class T>
size_t hold_bytes(const Tree& broad) {
    return constraint_derivatives_bytes<T>(broad) + spanning_bytes<T>(broad) +
           constraint_jacobian_bytes<T>(broad);
}
template <class T>
size_t spring_bytes(const Tree& broad) {
    return bytes_of<T>(broad.joint_nq) + bytes_of<T>(broad.joint_nv);
}
template <class T>
T* home(int n, Scratch& scratch) {
    if constexpr (LaneMatrix<T>::kColumns == 1) return scratch.take<T>(size_t(n));
    else return nullptr;
}
template <class T>
size_t matrix_bytes(int rows, int columns) {
    return LaneMatrix<T>::kColumns == 1 ? bytes_of<T>(size_t(rows) * columns)
                                        : LaneMatrix<T>::bytes(rows, columns);
}

}  // namespace

template <class T>
Linearised<T>::Linearised(const Tree& tree, const Wide& wide, bool loses, Scratch& scratch)
    : X(tree.nv, wide.columns, home<T>(tree.nv * wide.columns, scratch), scratch),
      tree_(tree),
      wide_(wide),
      broad_(*wide.tree),
      columns_(wide.columns),
      parameters_(wide.parameters),
      forces_(has_forces(broad_, wide.parts)),
      adds_(loses || tree.n_constraint_rows > 0 || !wide.parts.list.empty() ||
            (forces_ && broad_.coupled)),
      by_q_(broad_.nv, home<T>(broad_.nv * broad_.nv, scratch), scratch),
      by_v_(broad_.nv, home<T>(broad_.nv * broad_.nv, scratch), scratch),
      related_(relations(wide, adds_)),
      q_(scratch.take<T>(broad_.nq)),
      v_(scratch.take<T>(broad_.nv)),
      a_(scratch.take<T>(broad_.nv)),
      L_(scratch.take<T>(tree.n_compact)),
      of_parameters_(scratch.take<T>(size_t(tree.nv) * wide.parameters)),
      needed_(scratch.take<T>(tree.nv)),
      work_(tree, scratch),
      J_(scratch.take<T>(size_t(tree.n_constraint_rows) * broad_.nv)),
      Y_(scratch.take<T>(size_t(tree.n_constraint_rows) * tree.nv)),
      scratch_(scratch),
      behind_(scratch) {
    scratch.take<std::byte>(look_bytes<T>(broad_) +
                            std::max({hold_bytes<T>(broad_), spring_bytes<T>(broad_),
                                      force_derivatives_bytes<T>(broad_, wide.parts)}));
}

template <class T>
size_t Linearised<T>::bytes(const Tree& tree, const Wide& wide) {
    const Tree& broad = *wide.tree;
    return matrix_bytes<T>(tree.nv, wide.columns) + 2 * matrix_bytes<T>(broad.nv, broad.nv) +
           bytes_of<T>(broad.nq) + 2 * bytes_of<T>(broad.nv) + bytes_of<T>(tree.n_compact) +
           bytes_of<T>(size_t(tree.nv) * wide.parameters) + bytes_of<T>(tree.nv) +
           multiplier_bytes<T>(tree) + bytes_of<T>(size_t(tree.n_constraint_rows) * broad.nv) +
           bytes_of<T>(size_t(tree.n_constraint_rows) * tree.nv) +
           bytes_of<std::byte>(look_bytes<T>(broad) +
                               std::max({hold_bytes<T>(broad), spring_bytes<T>(broad),
                                         force_derivatives_bytes<T>(broad, wide.parts)}));
}

// the wide tree moves as the mechanism does, and lengths stand still
template <class T>
void Linearised<T>::fill(const T* q, const T* v, const T* a) {
    for (int k = 0; k < broad_.nq; ++k) q_[k] = wide_.q[k] < 0 ? T(0.0) : q[wide_.q[k]];
    for (int k = 0; k < broad_.nv; ++k) {
        v_[k] = wide_.v[k] < 0 ? T(0.0) : v[wide_.v[k]];
        a_[k] = wide_.v[k] < 0 ? T(0.0) : a[wide_.v[k]];
    }
}

template <class T>
TARSUS_FLATTEN void Linearised<T>::look(const T* q, const T* v, const T* a) {
    fill(q, v, a);
    const T* none = nullptr;
    // elsewhere all is set anew where velocities carry each other, and stays zero where not
    for (int k = 0; adds_ && k < broad_.nv * broad_.nv; ++k) {
        by_q_(k / broad_.nv, k % broad_.nv) = by_v_(k / broad_.nv, k % broad_.nv) = T(0.0);
    }
    const Arguments<T> arguments = bare_arguments<T>(q_, none, scratch_);
    d_ = differentiate_motion<T>(broad_, arguments, v_, a_, nullptr);
    inverse_dynamics_derivatives(broad_, d_, KeepWide<T>{tree_, wide_, by_q_, by_v_, L_});
    factor_branches(tree_, L_);
    behind_ = arguments.scratch;
    if (forces_)
        force_derivatives(broad_, wide_.parts, wide_.part_numbers.data(), none, q_, v_,
                          wide_.ways.data(), by_q_, by_v_, behind_);
    if (parameters_ > 0) weigh_parameters();
}

// what the motion needs more for a unit of each parameter
template <class T>
void Linearised<T>::weigh_parameters() {
    for (int k = 0; k < tree_.nv * parameters_; ++k) of_parameters_[k] = T(0.0);
    const auto need = [&](const ParameterTerm& term, int v, const T& more) {
        if (wide_.v[v] >= 0) of_parameters_[wide_.v[v] * parameters_ + term.parameter] += more;
    };
    const auto on_joint = [&](const ParameterTerm& term, const T& more) {
        const Cluster& cluster = broad_.clusters[broad_.cluster_of[broad_.body_of[term.index]]];
        const int w = term.index - cluster.w;
        if (!cluster.coupled) return need(term, cluster.v + w, more);
        for (int e = 0; e < cluster.nv; ++e)
            need(term, cluster.v + e,
                 d_.moving.joints.G[cluster.matrix + w * cluster.nv + e] * more);
    };
    Scratch scratch = behind_;
    T* steps = nullptr;
    for (const ParameterTerm& term : wide_.terms) {
        const T by(term.numbers[0]);
        switch (term.kind) {
            case ParameterTerm::Kind::length:
                break;
            case ParameterTerm::Kind::inertia: {
                const RegressorBody<T> at =
                    regressor_body(broad_, term.index, d_.moving,
                                   {d_.moving.body[term.index + 1].v, d_.body[term.index + 1].a});
                const Force<T> sum = inertial_force(at, term.numbers);
                for (int b = term.index; b >= 0; b = broad_.steps[b].next) {
                    const Step& step = broad_.steps[b];
                    for (int e = 0; e < step.nv; ++e)
                        need(term, step.v + e, dot(seen_by(at, d_.moving.S[step.column + e]), sum));
                }
                break;
            }
            case ParameterTerm::Kind::gravity: {
                const Motion<T> up{Vec3<T>{-by, T(-term.numbers[1]), T(-term.numbers[2])},
                                   zero_vector<T>()};
                for (int b = 0; b < broad_.n_bodies; ++b) {
                    const Step& step = broad_.steps[b];
                    for (int e = 0; e < step.nv; ++e)
                        need(term, step.v + e,
                             dot(d_.moving.S[step.column + e], d_.body[b + 1].I * up));
                }
                break;
            }
            case ParameterTerm::Kind::stiffness:
                if (!steps) {
                    steps = scratch.take<T>(broad_.joint_nv);
                    stretch(broad_, d_.moving.joints.q, scratch, steps, true);
                }
                on_joint(term, by * steps[term.index]);
                break;
            case ParameterTerm::Kind::damping:
                on_joint(term, by * d_.moving.joints.v[term.index]);
                break;
            case ParameterTerm::Kind::rest:
                on_joint(term, T(-broad_.stiffness[term.index]) * by);
                break;
            case ParameterTerm::Kind::friction:
                on_joint(term, by * T(double(wide_.ways[term.index])));
        }
    }
}

template <class T>
const T* Linearised<T>::needed() {
    Scratch scratch = behind_;
    T* forces = scratch.take<T>(broad_.nv);
    newton_euler<T>(broad_, bare_arguments<T>(q_, nullptr, scratch), v_, a_, nullptr, forces);
    for (int k = 0; k < tree_.nv; ++k) needed_[k] = forces[wide_.own[k]];
    return needed_;
}

template <class T>
void Linearised<T>::hold(const T* tau) {
    const int rows = tree_.n_constraint_rows, n = tree_.nv;
    if (rows == 0) return;
    needed();
    Scratch scratch = behind_;
    {
        Scratch passing = scratch;
        const Arguments<T> arguments = bare_arguments<T>(q_, nullptr, passing);
        const JointState<T> joints = span<T>(broad_, arguments, nullptr, nullptr);
        const AlignedTree<T> world = align(broad_, joints.q, arguments.scratch);
        const T* J = constraint_jacobian(broad_, joints, world, arguments.scratch);
        std::copy(J, J + size_t(rows) * broad_.nv, J_);
    }
    for (int r = 0; r < rows; ++r) {
        T* response = Y_ + r * n;
        for (int k = 0; k < n; ++k) response[k] = J_[r * broad_.nv + wide_.own[k]];
        solve_branches(tree_, L_, response);
        for (int s = 0; s <= r; ++s) {
            T sum(0.0);
            for (int k = 0; k < n; ++k)
                sum = mul_add(J_[s * broad_.nv + wide_.own[k]], response[k], sum);
            work_.operator_matrix[r * rows + s] = sum;
        }
        T sum(0.0);
        for (int k = 0; k < n; ++k) sum = mul_add(response[k], tau[k] - needed_[k], sum);
        work_.rate[r] = sum;
    }
    work_.factor();
    work_.solve();
    rows_ = differentiate_rows(broad_, d_, work_.rate, by_q_, scratch);
}

// a few columns of a row, whose sums stay in registers
template <class T>
template <int n>
TARSUS_INLINE void Linearised<T>::ask_block(int r, int column, const T* dq, const T* dv) {
    const int row = wide_.own[r], m = columns_;
    T* out = &X(r, column);
    T sum[n];
    for (int c = 0; c < n; ++c) sum[c] = out[c];
    for (int k : related_[r]) {
        const T by_q = by_q_(row, k), by_v = by_v_(row, k);
        const T *of_q = dq + wide_.v[k] * m + column, *of_v = dv + wide_.v[k] * m + column;
        for (int c = 0; c < n; ++c) sum[c] = mul_add(by_v, of_v[c], mul_add(by_q, of_q[c], sum[c]));
    }
    for (int c = 0; c < n; ++c) out[c] = sum[c];
}

template <class T>
void Linearised<T>::ask(const T* dq, const T* dv) {
    const int m = columns_, last = columns_ - parameters_;
    for (int r = 0; r < tree_.nv; ++r) {
        T* out = &X(r, 0);
        for (int c = 0; c < last; ++c) out[c] = T(0.0);
        for (int c = 0; c < parameters_; ++c) out[last + c] = of_parameters_[r * parameters_ + c];
        for (const ParameterTerm& term : wide_.terms) {
            if (term.kind != ParameterTerm::Kind::length) continue;
            T& of = out[last + term.parameter];
            of = mul_add(by_q_(wide_.own[r], term.index), T(term.numbers[0]), of);
        }
        int c = 0;
        for (; c + 8 <= m; c += 8) ask_block<8>(r, c, dq, dv);
        for (; c + 4 <= m; c += 4) ask_block<4>(r, c, dq, dv);
        for (; c < m; ++c) ask_block<1>(r, c, dq, dv);
    }
}

template <class T>
void Linearised<T>::close(Of of, const T* dq, const T* dv) {
    const int rows = tree_.n_constraint_rows, n = broad_.nv, last = columns_ - parameters_;
    if (rows == 0) return;
    for (int c = 0; c < columns_; ++c) {
        for (int r = 0; r < rows; ++r) {
            const T *J = J_ + r * n, *bent_q = rows_.by_q + r * n, *bent_v = rows_.by_v + r * n;
            const T* moved = of == Of::positions ? J : bent_q;  // along lengths
            T sum(0.0);
            for (int k = 0; k < n; ++k) {
                const int own = wide_.v[k];
                if (own < 0) {
                    for_each_length(k, [&](int parameter, double number) {
                        if (c == last + parameter) sum = mul_add(moved[k], T(number), sum);
                    });
                    continue;
                }
                sum = mul_add(J[k], X(own, c), sum);
                if (of == Of::positions) continue;
                sum = mul_add(bent_q[k], dq[own * columns_ + c], sum);
                sum = mul_add(bent_v[k], dv[own * columns_ + c], sum);
            }
            work_.rate[r] = sum;
        }
        work_.solve();
        for (int r = 0; r < rows; ++r) {
            for (int k = 0; k < tree_.nv; ++k)
                X(k, c) = mul_add(Y_[r * tree_.nv + k], work_.rate[r], X(k, c));
        }
    }
}

template <class T>
T Linearised<T>::joint_step(int w, const T* dq, int column) const {
    const Cluster& cluster = broad_.clusters[broad_.cluster_of[broad_.body_of[w]]];
    const auto step = [&](int v) {
        if (wide_.v[v] >= 0) return dq[wide_.v[v] * columns_ + column];
        T sum(0.0);
        for_each_length(v, [&](int parameter, double number) {
            if (column == columns_ - parameters_ + parameter) sum += T(number);
        });
        return sum;
    };
    if (!cluster.coupled) return step(cluster.v + w - cluster.w);
    T sum(0.0);
    for (int e = 0; e < cluster.nv; ++e) {
        const int entry = cluster.matrix + (w - cluster.w) * cluster.nv + e;
        sum = mul_add(d_.moving.joints.G[entry], step(cluster.v + e), sum);
    }
    return sum;
}

template class Linearised<double>;
template class Linearised<Lanes>;

}  // namespace tarsus::TARSUS_ISA
