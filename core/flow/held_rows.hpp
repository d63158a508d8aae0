// What holds a mechanism in a smooth motion: rows of loops outside the clusters and of parts that
// are held, together. With the multipliers λ of J H⁻¹ Jᵀ λ = −(J̇ v + J a₀ + w) accelerations become
// a₀ + H⁻¹ Jᵀ λ, where a₀ is without them, and w = 2 Ċ/τ + C/τ² for the gap C of a part with a time
// constant τ, which so closes critically damped; all others stay closed by projection. Rows that
// repeat each other do no harm (rank_revealing.hpp).
#pragma once

#include <vector>

#include "model/work_memory.hpp"
#include "parts/part.hpp"

namespace tarsus::TARSUS_ISA {

class HeldRows {
   public:
    enum class Which { all, closed };  // closed: without parts that have a time constant

    // tree, parts and numbers must outlive it
    HeldRows(const Tree& tree, const Parts& parts, const double* numbers, Which which);

    int rows() const { return rows_; }
    bool any_parts() const { return !held_.empty(); }

    // Accelerations (n, nv) under the forces tau (n, nv), and what each part that is held does,
    // into its row of the records (n, parts × kRecord), unless null. False if a number is not
    // finite.
    bool accelerate(long n, const double* table, const double* q, const double* v,
                    const double* tau, double* a, double* records);
    // velocities (n, nv) that keep the rows, for momenta (n, nv)
    bool velocities(long n, const double* table, const double* q, const double* p, double* v);
    // the largest gap, and the step (nv) that closes it to first order
    double close(const double* table, const double* q, double* step);
    // v := the nearest that keeps the rows
    void hold(const double* table, const double* q, double* v);

   private:
    class Mechanism;
    struct Held {
        const Part* part;
        int index, first;  // among all parts; of its rows
        double time_constant;
    };
    Mechanism at(const double* table, const double* q, const double* v, const double* tau);
    void factor();
    void solve();
    void note(const Mechanism& mechanism, double* records) const;

    const Tree& tree_;
    const double* numbers_;
    std::vector<Held> held_;
    int rows_, record_size_, joint_parts_ = 0, rank_ = 0;
    double least_ = 0;  // rows that move less do not move at all
    WorkMemory memory_;
    std::vector<double> zero_, change_, y_, rate_, value_, A_, scale_, room_;
    std::vector<int> order_;
};

}  // namespace tarsus::TARSUS_ISA
