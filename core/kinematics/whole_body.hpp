// Whole-body control: accelerations, forces of contacts and efforts of one machine, by one
// quadratic programme. Nothing here depends on how it was compiled; the programme is that of
// tarsus/control/whole_body_qp.py.
#pragma once

#include "kinematics/pose_search.hpp"

namespace tarsus {

// Where a body pushes: forces at corners, each a sum of the edges of a pyramid.
struct BodyContact {
    int row = 0;                 // of its twist, among the rows of the set
    TaskAxes axes;               // of its frame
    std::vector<double> levers;  // (corners, 3), from its centre, in axes of the frame
    std::vector<double> turns;   // (k, 3), axes of the frame about which it cannot turn
    std::vector<double> edges;   // (sides, 3), in world axes, with a normal force of one
    double normal[3] = {0, 0, 1};
    double torsion = 0;  // [m]
    double damping = 0;  // [1/s]
    double most = 0;     // the largest normal force, as a share of the weight

    int corners() const { return int(levers.size() / 3); }
    int sides() const { return int(edges.size() / 3); }
    // of all generators: one that turns each way where corners hold moments
    int copies() const { return torsion > 0 ? 2 : 1; }
    int generators() const { return corners() * sides() * copies(); }
    int rows() const { return 3 + int(turns.size() / 3); }
};

// What all states share. Rows of the set are those of tasks, level by level, then twists of
// contacts, then loops.
struct BodyStatement {
    std::vector<double> weight, gain;  // of each row of tasks
    std::vector<char> momentum;        // … and whether it has a rate only
    std::vector<int> levels;           // how many of these rows are of each level
    std::vector<double> damping;       // of each acceleration
    double force_damping = 0;          // of each share of the weight
    double usual = 0;                  // [1/s] how fast comes to rest what no task leads
    std::vector<double> lower, upper;  // ranges of positions, for each velocity
    std::vector<int> position;         // of which it is the rate, −1 for none
    std::vector<double> fastest, acceleration;
    double approach = 0;            // [1/s] how fast limits may be approached
    std::vector<int> idle, driven;  // velocities without a drive, and those with limits
    bool motors = false;            // drives are given for each state instead, as rows of efforts:
    int zero = 0;                   // so many of which are zero, and then as many as …
    std::vector<double> effort;     // … these limits
    std::vector<BodyContact> contacts;
    double weight_force = 0;  // [N]
    double holding = 0;       // how much rows of contacts count
    double yielding = 0;      // what a row of efforts may push before it gives way
    bool springs = false, rubs = false;
    int loops = 0;  // rows of loops, which hold as contacts do, with a force for each

    int generators() const {
        int sum = 0;
        for (const BodyContact& contact : contacts) sum += contact.generators();
        return sum;
    }
    // of contacts and loops
    int forces() const { return generators() + loops; }
    int held() const {
        int sum = loops;
        for (const BodyContact& contact : contacts) sum += contact.rows();
        return sum;
    }
    // rows of drives; those of loads follow
    int drives() const { return zero + int(effort.size()); }
};

// q, v and targets with their rates: stride 0 for those that all share; loads of the contacts
struct BodyStates : TaskStates {
    const double *v, *rates, *loads;
    const signed char* start;        // (count, variables + rows) or null
    const char* between;             // what `loads_between` found for the whole batch
    const double* drives = nullptr;  // (count, drives, nv) where there are motors
    // rows of limits that are evaluated elsewhere (count, limits, nv), and between what they stay
    const double *limit = nullptr, *limit_low = nullptr, *limit_high = nullptr;
    int limits = 0;
};

// where results go; `rows` of each state are drives, contacts whose loads are between 0 and 1, and
// given limits
struct BodyAnswers {
    double *x, *tau, *slack, *slip, *missed;
    signed char* at;
    int *code, *worst, *passes;
};

// how many numbers of a state each array has
struct BodySizes {
    long nq, nv, contacts, variables, rows, table, drives;
};

// some states of a batch, and where their results go
inline BodyStates part_of(BodyStates all, const BodySizes& size, long from, long count) {
    all.count = count;
    all.q += from * size.nq, all.v += from * size.nv, all.loads += from * size.contacts;
    all.targets += from * all.stride, all.rates += from * all.stride;
    if (all.start) all.start += from * (size.variables + size.rows);
    if (all.table) all.table += from * size.table;
    if (all.drives) all.drives += from * size.drives * size.nv;
    if (all.limit) {
        all.limit += from * all.limits * size.nv;
        all.limit_low += from * all.limits, all.limit_high += from * all.limits;
    }
    return all;
}
inline BodyAnswers part_of(BodyAnswers all, const BodySizes& size, long from) {
    all.x += from * size.variables, all.tau += from * size.nv, all.slack += from * size.rows;
    all.at += from * (size.variables + size.rows);
    all.slip += from, all.missed += from;
    all.code += from, all.worst += from, all.passes += from;
    return all;
}

// of each contact: whether it has a load between 0 and 1 in some state; loads (count, contacts)
inline std::vector<char> loads_between(const BodyStatement& stated, const double* loads,
                                       long count) {
    const long size = long(stated.contacts.size());
    std::vector<char> found(size, 0);
    for (long k = 0; k < size * count; ++k) {
        if (loads[k] > 0 && loads[k] < 1) found[k % size] = 1;
    }
    return found;
}

}  // namespace tarsus
