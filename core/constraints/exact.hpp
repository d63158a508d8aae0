// Exact contact: the cone complementarity problem, solved to the last digits.
//
// What one contact would like, given the others: no impulse, if it opens without; the impulse of
// its 3×3 block that stops it, if that lies in the friction cone; else that with which it slips.
// (With block = 0, after Ayit 2015, equations 4.41 to 4.43: a projected step, normal first, then
// the tangential part with the mean eigenvalue of its block, scaled back to the bound.) A solution
// is where nobody likes to change.
//
// Sweeps grant the wishes, block after block (Gauss–Seidel). Between sweeps all rows that are held
// at a velocity are solved for at once (see held_rows.hpp): where feet stand, two sweeps suffice.
// Lanes that are done stand still: their bits do not depend on their neighbours.
#pragma once

#include "constraints/held_rows.hpp"
#include "constraints/slip.hpp"
#include "dynamics/small_inverse.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct SolverReport {
    T iterations, residual, failed;
};

template <class T>
class ExactSolver {
   public:
    static constexpr int kCorrections = 20, kMostRows = 96;  // of all held rows at once
    static constexpr double kGood = 1e-7;  // of the speeds: a residual that harms nobody
    static constexpr double kSpeed = 0.1;  // [m/s] slower worlds are solved as precisely as this

    ExactSolver(const World& world, int blocks, int rows, Scratch& scratch)
        : world_(world),
          local_(scratch.take<Local>(blocks)),
          best_(scratch.take<T>(rows)),
          held_(std::min(rows, kMostRows), scratch) {}
    static size_t bytes(int blocks, int rows) {
        return bytes_of<Local>(blocks) + bytes_of<T>(rows) +
               HeldRows<T>::bytes(std::min(rows, kMostRows));
    }

    // p holds where to start, and receives the solution
    TARSUS_APART SolverReport<T> solve(const Problem<T>& problem) {
        const T zero(0.0);
        T scale(kSpeed), running(0.0);
        for (int k = 0; k < problem.n_blocks; ++k) {
            prepare(problem, problem.block[k], local_[k], scale);
            running = larger(running, problem.block[k].on);
        }
        const T tolerance = scale * T(world_.numbers.tolerance);
        const bool corrects = world_.numbers.block && problem.n_rows <= kMostRows;
        const int patience = std::max(world_.numbers.iterations / 10, 1);
        T mark(1e300);
        SolverReport<T> report{zero, zero, zero};
        for (int i = 0; i < world_.numbers.iterations; ++i) {
            // wishes that fight each other for long are granted by half
            const bool fights = world_.numbers.block && i >= kCorrections;
            const T change = sweep(problem, running, corrects, fights ? 0.5 : 1.0);
            report.iterations += running;
            keep_best(problem, i, running, change, report);
            running = select(change > tolerance, running, zero);
            if (world_.numbers.block && (i + 1) % patience == 0) {
                // who is good and gets no better has to do with it
                const T moves = select(report.residual < T(0.5) * mark, running, zero);
                running = select(report.residual < scale * T(kGood), moves, running);
                mark = report.residual;
            }
            if (!any(running > zero)) break;
            if (corrects && i < kCorrections) held_.correct(problem, running);
        }
        for (int r = 0; r < problem.n_rows; ++r) problem.p[r] = best_[r];
        for (int k = 0; k < problem.n_blocks; ++k) {  // corrections round
            T& p = problem.p[problem.block[k].row];
            if (problem.block[k].kind != BlockKind::friction) p = select(p > zero, p, zero);
        }
        return report;
    }

   private:
    // of a contact: inverse of its block; its normal entry and mean tangential one, and 1 over them
    struct Local {
        T inverse[9], size[2], normal, tangential;
        SlipAxes<T> slip;
    };
    struct Wish {
        T next[3], change;
        T opens, slips;  // 1 or 0; neither: it sticks
    };

    void prepare(const Problem<T>& problem, const Block<T>& block, Local& local, T& scale) const {
        const int r = block.row;
        scale = larger(scale, absolute(problem.b[r] - block.target) * block.on);
        local.size[0] = problem.row(r)[r] + T(1e-30);
        local.normal = T(1.0) / local.size[0];
        if (block.kind != BlockKind::contact) return;
        T own[9];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) own[3 * i + j] = problem.row(r + i)[r + j];
            // a block that is singular in itself (a point that cannot move that way) stays finite
            own[4 * i] = mul_add(own[4 * i], T(1e-12), own[4 * i]) + T(1e-30);
        }
        local.size[1] = T(0.5) * (own[4] + own[8]);
        local.tangential = T(1.0) / local.size[1];
        local.slip.prepare(own);
        invert_symmetric(3, own, local.inverse);
        scale = larger(scale, absolute(problem.b[r + 1]) * block.on);
        scale = larger(scale, absolute(problem.b[r + 2]) * block.on);
    }

    // the impulses of the sweep that changed least
    TARSUS_INLINE void keep_best(const Problem<T>& problem, int i, const T& running,
                                 const T& change, SolverReport<T>& report) {
        const T zero(0.0);
        const T first = T(i == 0 ? 1.0 : 0.0);
        const T better = select(change < report.residual, running, first);
        report.residual = select(better > zero, change, report.residual);
        for (int r = 0; r < problem.n_rows; ++r) {
            best_[r] = select(better > zero, problem.p[r], best_[r]);
        }
    }

    // returns by how much velocities were wrong
    TARSUS_INLINE T sweep(const Problem<T>& problem, const T& running, bool corrects,
                          double share) {
        const T zero(0.0);
        T change(0.0);
        for (int k = 0; k < problem.n_blocks; ++k) {
            const Block<T>& block = problem.block[k];
            const int rows = block.kind == BlockKind::contact ? 3 : 1;
            T V[3];
            for (int r = 0; r < rows; ++r) V[r] = problem.velocity(block.row + r);
            const Wish wish = wish_of(problem, block, local_[k], V);
            const T moves = running * block.on;
            change = larger(change, wish.change * moves);
            for (int r = 0; r < rows; ++r) {
                T& p = problem.p[block.row + r];
                const T next = share == 1.0 ? wish.next[r] : T(share) * (p + wish.next[r]);
                p = select(moves > zero, next, p);
            }
            if (corrects) held_.hold(block, wish.opens, wish.slips);
        }
        return change;
    }

    TARSUS_INLINE Wish wish_of(const Problem<T>& problem, const Block<T>& block, const Local& local,
                               const T* V) const {
        if (block.kind == BlockKind::contact) return of_contact(problem, block, local, V);
        return of_joint(problem, block, local, V);
    }

    TARSUS_INLINE Wish of_contact(const Problem<T>& problem, const Block<T>& block,
                                  const Local& local, const T* velocity) const {
        const T* p = problem.p + block.row;
        const T V[3] = {velocity[0] - block.target, velocity[1], velocity[2]};
        Wish wish;
        if (world_.numbers.block) stop_or_slip(problem, block, local, V, p, wish);
        else slide(problem, block, local, V, p, wish);
        wish.change = absolute(wish.next[0] - p[0]) * local.size[0];
        for (int i = 1; i < 3; ++i) {
            wish.change = larger(wish.change, absolute(wish.next[i] - p[i]) * local.size[1]);
        }
        return wish;
    }

    TARSUS_INLINE void stop_or_slip(const Problem<T>& problem, const Block<T>& block,
                                    const Local& local, const T* V, const T* p, Wish& wish) const {
        const T zero(0.0), one(1.0);
        T without[3], stick[3];  // velocity without this contact; the impulse that stops it
        for (int i = 0; i < 3; ++i) {
            const T* own = problem.row(block.row + i) + block.row;
            const T* row = local.inverse + 3 * i;
            without[i] = neg_mul_add(own[2], p[2],
                                     neg_mul_add(own[1], p[1], neg_mul_add(own[0], p[0], V[i])));
            stick[i] = p[i] - mul_add(row[2], V[2], mul_add(row[1], V[1], row[0] * V[0]));
        }
        wish.opens = select(without[0] < zero, zero, one);
        const T limit = friction_bound(block, stick[0]);
        const T tangential = mul_add(stick[1], stick[1], stick[2] * stick[2]);
        const T pushes = select(stick[0] > zero, one - wish.opens, zero);
        const T sticks = select(tangential > limit * limit, zero, pushes);
        wish.slips = (one - sticks) * (one - wish.opens);
        for (int i = 0; i < 3; ++i) wish.next[i] = select(sticks > zero, stick[i], zero);
        if (!any(wish.slips > zero)) return;
        T slip[3];
        local.slip.solve(block, without, slip);
        for (int i = 0; i < 3; ++i) {
            wish.next[i] = select(wish.slips > zero, slip[i], wish.next[i]);
        }
    }

    // a projected step
    TARSUS_INLINE void slide(const Problem<T>& problem, const Block<T>& block, const Local& local,
                             const T* V, const T* p, Wish& wish) const {
        const T zero(0.0), one(1.0), normal = neg_mul_add(V[0], local.normal, p[0]);
        T* next = wish.next;
        wish.opens = select(normal > zero, zero, one);
        next[0] = select(normal > zero, normal, zero);
        const T pushed = next[0] - p[0];
        T size(0.0);
        for (int i = 1; i < 3; ++i) {
            const T v = mul_add(problem.row(block.row + i)[block.row], pushed, V[i]);
            next[i] = neg_mul_add(v, local.tangential, p[i]);
            size = mul_add(next[i], next[i], size);
        }
        const T limit = friction_bound(block, next[0]);
        const T length = square_root(size);
        wish.slips = select(length > limit, one - wish.opens, zero);
        const T back = select(length > limit, limit / select(length > zero, length, one), one);
        next[1] = next[1] * back, next[2] = next[2] * back;
    }

    // dry friction in a joint, or its limit
    TARSUS_INLINE Wish of_joint(const Problem<T>& problem, const Block<T>& block,
                                const Local& local, const T* V) const {
        const T zero(0.0), one(1.0);
        const T& p = problem.p[block.row];
        const T free = neg_mul_add(V[0] - block.target, local.normal, p);
        Wish wish;
        wish.next[1] = wish.next[2] = wish.opens = wish.slips = zero;
        if (block.kind == BlockKind::limit) {
            wish.opens = select(free > zero, zero, one);
            wish.next[0] = select(free > zero, free, zero);
        } else {
            const T high = select(free > block.bound, block.bound, free);
            wish.next[0] = select(free < -block.bound, -block.bound, high);
            wish.slips = select(absolute(free) > block.bound, one, zero);
        }
        wish.change = absolute(wish.next[0] - p) * local.size[0];
        return wish;
    }

    const World& world_;
    Local* local_;
    T* best_;
    HeldRows<T> held_;
};

}  // namespace tarsus::TARSUS_ISA
