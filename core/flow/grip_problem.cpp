#include "flow/grip_problem.hpp"

#include "constraints/row_system.hpp"
#include "dynamics/rank_revealing.hpp"

namespace tarsus::TARSUS_ISA {

GripProblem::GripProblem(ContactMechanism& mechanism, const Grip& grip, const World& world,
                         const double* parameters)
    : n(mechanism.rows()),
      loops(mechanism.first_contact()),
      contacts(int(grip.contacts.size())),
      limits(int(grip.limits.size())),
      dry(int(grip.dry.size())),
      infinite(std::isinf(parameters[kFriction])),
      A(size_t(n) * n),
      b(n),
      target(n, 0.0),
      slip(2 * contacts, 0.0),
      p(n, 0.0),
      kept(contacts, false) {
    for (const Grip::Hold& hold : grip.contacts)
        friction.push_back(friction_of(world, hold.candidate, parameters));
    mechanism.sum_operator(A.data());
}

void GripProblem::reduce() {
    std::vector<double> L(loops * loops), scale(loops), room(loops);
    std::vector<int> order(loops);
    for (int i = 0; i < loops; ++i) {
        for (int j = 0; j < loops; ++j) L[i * loops + j] = A[size_t(i) * n + j];
    }
    const int rank = factor_semidefinite(loops, L.data(), order.data(), scale.data(), 0.0);
    held_.assign(size_t(loops) * (n + 1), 0.0);
    for (int c = 0; c <= n; ++c) {
        double* x = held_.data() + size_t(c) * loops;
        for (int i = 0; i < loops; ++i) x[i] = c < n ? A[size_t(i) * n + c] : b[i];
        solve_semidefinite(loops, rank, L.data(), order.data(), scale.data(), x, room.data());
    }
}

// entry of the operator, or of b in column n, with loops that hold
double GripProblem::reduced(int r, int c) const {
    double sum = c < n ? A[size_t(r) * n + c] : b[r];
    for (int i = 0; i < loops; ++i) sum -= A[size_t(r) * n + i] * held_[size_t(c) * loops + i];
    return sum;
}

// what all rows become
void GripProblem::complete() {
    result = b;
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) result[r] += A[size_t(r) * n + c] * p[c];
    }
}

bool GripProblem::solve(bool impact, Room& room, double allowed) {
    if (infinite) return solve_sticking();
    reduce();
    const int m = n - loops;
    struct Work {
        RowSystem system;
        std::byte* solver;
    };
    Work work = room.take([&](Scratch& scratch) {
        return Work{RowSystem(m, scratch), scratch.take<std::byte>(solver_bytes(m))};
    });
    RowSystem& s = work.system;
    s.n = m, s.n_boxes = 0, s.n_discs = 0;
    const int width = padded(m);
    std::fill(s.A, s.A + size_t(m) * width + kLanes, 0.0);
    std::fill(s.b, s.b + width, 0.0), std::fill(s.p, s.p + width, 0.0);
    double largest = 0;
    for (int r = 0; r < m; ++r) {
        for (int c = 0; c < m; ++c) s.A[size_t(r) * width + c] = reduced(loops + r, loops + c);
        s.b[r] = reduced(loops + r, n);
        largest = std::max(largest, std::abs(s.b[r]));
        s.target[r] = s.bounce[r] = target[loops + r];
        s.b[r] -= s.target[r];
        s.gap[r] = kNoGap;
    }
    int r = 0;
    for (int k = 0; k < contacts; ++k, r += 3) {
        s.box[s.n_boxes++] = {r, 0.0, 1e300};
        s.disc[s.n_discs++] = {r + 1, 2, r, friction[k], 0.0};
        // between impacts what slides rubs against its way: it is far from standing still
        const double x = slip[2 * k], y = slip[2 * k + 1], speed = std::hypot(x, y);
        if (impact || !(speed > kPointStands)) continue;
        const double away = 1e3 * (1 + largest) / speed;
        s.b[r + 1] += away * x, s.b[r + 2] += away * y;
    }
    for (int k = 0; k < limits; ++k) s.box[s.n_boxes++] = {r++, 0.0, 1e300};
    for (int k = 0; k < dry; ++k, ++r) s.box[s.n_boxes++] = {r, -bound[k], bound[k]};
    SolveReport report;
    if (m > 0) {
        LawNumbers law;
        law.tolerance = 1e-13;
        report = solve_rows(s, Law::exact, law, Scratch(work.solver));
    }
    for (int k = 0; k < m; ++k) p[loops + k] = s.p[k];
    for (int i = 0; i < loops; ++i) {
        p[i] = -held_[size_t(n) * loops + i];
        for (int c = loops; c < n; ++c) p[i] -= held_[size_t(c) * loops + i] * p[c];
    }
    complete();
    return !report.failed && report.residual <= allowed * std::max(report.speed, 1e-3);
}

void GripProblem::hold(const std::vector<int>& some) {
    std::vector<int> listed;
    for (int r = 0; r < loops; ++r) listed.push_back(r);
    for (int k : some) {
        for (int i = 0; i < 3; ++i) listed.push_back(contact(k) + i);
    }
    const int m = int(listed.size());
    std::vector<double> M(size_t(m) * m), x(m), scale(m), room(m);
    std::vector<int> order(m);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) M[size_t(i) * m + j] = A[size_t(listed[i]) * n + listed[j]];
        x[i] = target[listed[i]] - b[listed[i]];
    }
    const int rank = factor_semidefinite(m, M.data(), order.data(), scale.data(), 0.0);
    solve_semidefinite(m, rank, M.data(), order.data(), scale.data(), x.data(), room.data());
    std::fill(p.begin(), p.end(), 0.0);
    for (int i = 0; i < m; ++i) p[listed[i]] = x[i];
    complete();
}

// The smallest set of contacts for which all others move away; of several, one of points that would
// enter without any (Duindam 2006, figure 3.20, for any number).
std::vector<int> GripProblem::supports() {
    hold({});
    double scale = 0;
    for (double x : result) scale = std::max(scale, std::abs(x));
    const auto leaves = [&](int k) { return result[contact(k)] > 1e-10 * scale; };
    std::vector<int> order, going;
    for (int k = 0; k < contacts; ++k) (leaves(k) ? going : order).push_back(k);
    order.insert(order.end(), going.begin(), going.end());
    for (int size = 0; size <= contacts; ++size) {
        std::vector<bool> chosen(contacts, false);
        std::fill(chosen.begin(), chosen.begin() + size, true);
        do {
            std::vector<int> some;
            for (int k = 0; k < contacts; ++k) {
                if (chosen[k]) some.push_back(order[k]);
            }
            hold(some);
            bool all = true;
            for (int k = 0; k < contacts; ++k) all = all && (chosen[k] || leaves(order[k]));
            if (all) return some;
        } while (std::prev_permutation(chosen.begin(), chosen.end()));
    }
    return order;
}

bool GripProblem::solve_sticking() {
    if (contacts > kMostSupports || limits > 0 || dry > 0) return false;
    const std::vector<int> some = supports();
    hold(some);
    for (int k : some) kept[k] = true;
    return true;
}

}  // namespace tarsus::TARSUS_ISA
