// The dual active set method of Goldfarb and Idnani (1983) in the space of the tasks.
//
// With variables held at bounds and rows held at theirs, both by a working set, what is left are
// equations for the forces y of tasks and rows,
//
//   (A dF Aᵀ + diag(c)) y = b − A held,   v = held + dF Aᵀ y,   c = 1/W for tasks, 0 for rows,
//
// dF = 1/D for free variables and zero for others. They are solved anew in each pass: nothing
// drifts. A pass takes the bound or row p that is missed most and lets its force λ grow until it is
// met, and p joins the working set, or until a force in the set would change its sign, which leaves
// it. The dual cost rises with each p that joins, so that no working set comes twice.
//
// A row with a penalty ρ pushes as hard as it may and then yields.
#pragma once

#include <functional>

#include "kinematics/working_set.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class ActiveSet {
   public:
    static constexpr int kCount = kLaneCount<T>;

    struct Lane {
        bool busy = false;
        bool shedding = false;      // what it began with may push the wrong way
        bool again = false;         // the working set changed: all else is for the next pass
        int chosen = -1;            // p, from when it is chosen to when it joins, or −1
        double way = 0, force = 0;  // of p: 1 at its low side, −1 at its high side; λ ≥ 0
        int passes = 0;
        ProgrammeEnd end = ProgrammeEnd::solved;
        int worst = -1;   // what a problem without solution misses
        int changes = 0;  // variables that were freed or held in this pass
    };

    ActiveSet(const ProgrammeShape& shape, Scratch& scratch);
    static size_t bytes(const ProgrammeShape& shape);

    // One problem; bounds and rows begin as `start` says, or null.
    void load(const Programme& given, const SlotStatements& stated, const signed char* start)
        requires std::is_same_v<T, double>;
    // Problems in several lanes at once: `given` and `start` of those, null for lanes that go on.
    // state(l) returns the statements of a lane, which are read before those of the next.
    void load(const Programme* const (&given)[kLanes], const signed char* const (&start)[kLanes],
              const std::function<const SlotStatements&(int)>& state)
        requires(!std::is_same_v<T, double>);

    // One pass in all lanes. A lane that is done is busy no more.
    void pass();

    const Lane& lane(int l) const { return lane_[l]; }
    // of a lane that is done: v, within its bounds; forces; what bounds and slots are at
    double v(int j, int l) const;
    double bound_force(int j, int l) const;
    double slot_force(int k, int l) const;
    int at_bound(int j, int l) const;
    int at_slot(int k, int l) const;

   private:
    void begin(int l);
    void load_bounds(int l, const Programme& given, const signed char* start);
    void load_slots(int l, const SlotStatements& stated, const signed char* start);
    void weigh();
    void make_products(const T& fresh);
    void list();

    double weight_of(int p, int l) const {
        return p >= n_ ? lane_of(slots_.weight[p - n_], l) : lane_of(bounds_.damping[p], l);
    }
    T bound_force(int j) const {
        return bounds_.damping[j] * (v_[j] - bounds_.reference[j]) - pull_[j];
    }
    void solve();
    void refine(const T& which);
    void find_missed(T& worst, T& index);
    void settle(T& worst, T& index);
    bool shed(int l);
    bool lacks_pivots(int l);
    void choose(int l, int p);
    void find_direction();
    void find_ratios();
    void step(int l);
    double missed(int p, double way, int l) const;
    void check_equalities(int l);
    void finish(int l, ProgrammeEnd end, int worst);

    void join(int l);
    void change(int l, int blocker);
    void free(int j, int l);
    void hold(int j, int l, double side);
    void put_row(int k, int l, double side);
    void remove_row(int k, int l);
    void update();

    const int n_, tasks_, first_row_, n_slots_, most_passes_;
    const double tolerance_;
    BoundStates<T> bounds_;
    SlotStates<T> slots_;
    SlotMatrix<T> matrix_;
    SlotFactor<T> factor_;
    States<T, 5> of_variables_;
    States<T, 4> of_slots_;
    T* const v_ = of_variables_.array(0);
    T* const pull_ = of_variables_.array(1);  // Aᵀ y
    T* const x_ = of_variables_.array(2);     // what is multiplied next
    T* const row_ = of_variables_.array(3);   // that of p times its way, zero where none is chosen
    T* const rate_ = of_variables_.array(4);  // row − Aᵀ w
    T* const y_ = of_slots_.array(0);
    T* const w_ = of_slots_.array(1);        // by how much y falls where λ rises
    T* const reached_ = of_slots_.array(2);  // A v
    T* const column_ = of_slots_.array(3);   // A dF rowᵀ
    int* const users_;                       // of each slot: in how many lanes it is on
    int* const changed_;                     // (lanes, n): which variables …
    double* const change_;                   // … and by how much dF changed
    T force_ = T(0.0);                       // λ
    T slope_ = T(0.0);                       // by how much p's row gains where λ rises
    T longest_ = T(0.0), blocker_ = T(0.0);  // until a force in the set changes its sign, and whose
    int first_watched_;                      // slots before are on or off for good
    bool listed_ = false;
    Lane lane_[kCount];
};

}  // namespace tarsus::TARSUS_ISA
