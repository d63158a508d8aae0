// Between the users' arrays, one row a state, and the lanes of a stepper; and what is recorded.
#pragma once

#include "step/stepper.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kSlipping = 1e-9;  // [m/s] a contact at its bound that is slower rests

// The states first … first + count − 1 of a run, one in each lane; lanes left over do nothing.
template <class T>
class LaneStates {
   public:
    LaneStates(const World& world, const Run& run, Stepper<T>& stepper, long first, int count)
        : world_(world),
          tree_(*world.tree),
          run_(run),
          at_(stepper),
          first_(first),
          count_(count) {}

    void load() {
        at_.impulses.forget();
        at_.alive = T(1.0);
        for (int l = 0; l < Stepper<T>::kCount; ++l) {
            const long s = state(l);
            load_row(run_.q + s * tree_.nq, tree_.nq, at_.q, l);
            load_row(run_.v + s * tree_.nv, tree_.nv, at_.v, l);
            load_row(run_.parameters + s * run_.parameter_stride, world_.parameter_size(),
                     at_.parameters, l);
            const double* memory = run_.memory + s * world_.memory_size();
            load_row(memory + world_.kept_rows(), world_.n_rows(), at_.impulses.joints.kept, l);
            load_row(memory + world_.integral(), tree_.nv, at_.integral, l);
            load_row(memory + world_.held(), tree_.nv, at_.tau, l);
            load_row(memory + world_.works(), world_.n_works(), at_.works.sum, l);
            load_contacts(memory, l);
            const Parts& parts = *run_.parts;
            load_row(run_.part_numbers + s * run_.part_number_stride, parts.n_numbers,
                     at_.impulses.parts.numbers, l);
            load_row(run_.part_memory + s * parts.n_memory, parts.n_memory,
                     at_.impulses.parts.memory, l);
            set_lane(at_.unsolved, l, memory[world_.unsolved()]);
            set_lane(at_.worst, l, memory[world_.unsolved() + 1]);
            at_.fault[l] = StepFault::none, at_.fault_element[l] = 0;
            const bool failed = memory[world_.failed()] != 0.0;
            if (l >= count_ || failed) set_lane(at_.alive, l, 0.0);
        }
    }

    // the command row of each lane in a step
    void commands(long step, const double** row) const {
        const long k = std::min(step / run_.hold, run_.n_commands - 1);
        for (int l = 0; l < Stepper<T>::kCount; ++l) {
            row[l] = run_.commands + state(l) * run_.command_stride + k * world_.command_size();
        }
    }

    // states that gave up were stored when they did
    void store() const {
        for (int l = 0; l < count_; ++l) {
            if (lives(l)) store_lane(l);
        }
    }

    // writes down lanes that gave up in this step
    void note_faults(long step) const {
        for (int l = 0; l < count_; ++l) {
            if (at_.fault[l] == StepFault::none) continue;
            double* status = run_.status + state(l) * kStatus;
            status[0] = double(at_.fault[l]), status[1] = double(step);
            status[2] = at_.fault_element[l];
            run_.memory[state(l) * world_.memory_size() + world_.failed()] = status[0];
            store_lane(l);
            double* memory = run_.memory + state(l) * world_.memory_size();
            for (int k = 0; k < world_.memory_size(); ++k) {
                if (!std::isfinite(memory[k])) memory[k] = 0.0;
            }
            double* kept = run_.part_memory + state(l) * run_.parts->n_memory;
            for (int k = 0; k < run_.parts->n_memory; ++k) {
                if (!std::isfinite(kept[k])) kept[k] = 0.0;
            }
            at_.fault[l] = StepFault::none;
        }
    }

    TARSUS_APART void sample(long index) const {
        const auto row = [&](double* record, int size, int l) {
            return record + (state(l) * run_.record_room + index) * size;
        };
        Energies<T> energies{};
        T lag(0.0);
        if (run_.record_energy) energies = at_.energies();
        if (run_.record_energy || run_.record_parts) lag = at_.stored();
        for (int l = 0; l < count_; ++l) {
            if (run_.record_q) store_row(at_.q, tree_.nq, l, row(run_.record_q, tree_.nq, l));
            if (run_.record_v) store_row(at_.v, tree_.nv, l, row(run_.record_v, tree_.nv, l));
            if (run_.record_tau) {
                double* to = row(run_.record_tau, tree_.nv, l);
                store_row(at_.tau, tree_.nv, l, to);
                if (!lives(l)) std::fill(to, to + tree_.nv, 0.0);
            }
            if (run_.record_energy) {
                write_energies(energies, lag, l, row(run_.record_energy, world_.energy_size(), l));
            }
            if (run_.record_parts) {
                write_parts(l, row(run_.record_parts, run_.parts->record_size(), l));
            }
            if (run_.record_contacts) {
                const long list = state(l) * run_.samples + index;
                write_contacts(l,
                               run_.record_contacts + list * world_.max_contacts * kContactNumbers);
            }
            if (run_.record_limits) write_limits(l, row(run_.record_limits, tree_.nv, l));
            if (run_.record_statistics) {
                write_statistics(l, row(run_.record_statistics, kStatistics, l));
            }
        }
    }

    // `lag`: of parts, what belongs to the half step of staggering
    void write_energies(const Energies<T>& energies, const T& lag, int l, double* out) const {
        out[0] = lane_of(energies.kinetic, l), out[1] = lane_of(energies.gravity, l);
        out[2] = lane_of(energies.elastic, l);
        out[3] = 0.5 * world_.dt * lane_of(energies.power, l) + lane_of(lag, l);
        store_row(at_.works.sum, world_.n_works(), l, out + World::kEnergies);
    }
    // what a part stores, its work, its push and its values
    void write_parts(int l, double* out) const {
        for (size_t k = 0; k < run_.parts->list.size(); ++k, out += Parts::kRecord) {
            const T* kept = at_.impulses.parts.memory + run_.parts->list[k].memory;
            out[0] = lane_of(at_.part_energy[k], l), out[1] = lane_of(kept[Part::kWork], l);
            store_row(kept + Part::kPush, 6, l, out + 2);
            store_row(kept + Part::kValue, kMostPartRows, l, out + 8);
        }
    }

   private:
    long state(int lane) const { return first_ + std::min(lane, count_ - 1); }
    bool lives(int lane) const { return lane_of(at_.alive, lane) > 0; }

    void store_lane(int l) const {
        const long s = state(l);
        store_row(at_.q, tree_.nq, l, run_.q + s * tree_.nq);
        store_row(at_.v, tree_.nv, l, run_.v + s * tree_.nv);
        double* memory = run_.memory + s * world_.memory_size();
        store_contacts(memory, l);
        store_row(at_.impulses.joints.kept, world_.n_rows(), l, memory + world_.kept_rows());
        store_row(at_.integral, tree_.nv, l, memory + world_.integral());
        store_row(at_.tau, tree_.nv, l, memory + world_.held());
        store_row(at_.works.sum, world_.n_works(), l, memory + world_.works());
        store_row(at_.impulses.parts.memory, run_.parts->n_memory, l,
                  run_.part_memory + s * run_.parts->n_memory);
        memory[world_.unsolved()] = lane_of(at_.unsolved, l);
        memory[world_.unsolved() + 1] = lane_of(at_.worst, l);
    }

    static void load_row(const double* from, int size, T* to, int lane) {
        for (int k = 0; k < size; ++k) set_lane(to[k], lane, from[k]);
    }
    static void store_row(const T* from, int size, int lane, double* to) {
        for (int k = 0; k < size; ++k) to[k] = lane_of(from[k], lane);
    }

    // impulses (or ways slipped) of the contacts of the last step: candidate + 1, three numbers;
    // then zeros, of which only the first is read: room for many contacts costs nothing
    void load_contacts(const double* memory, int lane) {
        for (int k = 0; k < world_.max_contacts; ++k) {
            const double* slot = memory + world_.kept_contacts() + 4 * k;
            if (!(slot[0] >= 1 && slot[0] <= world_.n_candidates())) break;
            const int candidate = int(slot[0]) - 1;
            bool known = false;
            for (int t = 0; t < at_.impulses.n_touched(); ++t)
                known |= at_.impulses.touched(t) == candidate;
            if (!known) at_.impulses.keep_candidate(candidate);
            for (int i = 0; i < 3; ++i)
                set_lane(at_.impulses.kept[3 * candidate + i], lane, slot[1 + i]);
        }
    }
    void store_contacts(double* memory, int lane) const {
        int used = 0;
        for (int t = 0; t < at_.impulses.n_touched() && used < world_.max_contacts; ++t) {
            const T* kept = at_.impulses.kept + 3 * at_.impulses.touched(t);
            double x[3];
            store_row(kept, 3, lane, x);
            if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
            double* slot = memory + world_.kept_contacts() + 4 * used++;
            slot[0] = at_.impulses.touched(t) + 1;
            for (int i = 0; i < 3; ++i) slot[1 + i] = x[i];
        }
        for (; used < world_.max_contacts; ++used) {
            double* slot = memory + world_.kept_contacts() + 4 * used;
            if (slot[0] == 0.0) break;  // what follows is zero already
            for (int i = 0; i < 4; ++i) slot[i] = 0.0;
        }
    }

    void write_contacts(int l, double* out) const {
        int used = 0;
        for (int c = 0; c < at_.impulses.n_contacts && used < world_.max_contacts; ++c) {
            const Contact<T>& contact = at_.impulses.contacts[c];
            if (!lives(l) || !(lane_of(contact.on, l) > 0)) continue;
            double* to = out + kContactNumbers * used++;
            const Vec3<T> push = from_frame(contact, at_.impulses.impulse + kContactRows * c);
            const Vec3<T> vectors[3] = {contact.touch.point, contact.touch.normal,
                                        push * T(1 / world_.dt)};
            to[0] = contact.candidate;
            for (int i = 0; i < 3; ++i) {
                to[1 + 3 * i] = lane_of(vectors[i].x, l), to[2 + 3 * i] = lane_of(vectors[i].y, l);
                to[3 + 3 * i] = lane_of(vectors[i].z, l);
            }
            to[10] = lane_of(contact.touch.gap, l);
            to[11] = word(contact, c, l);
            to[12] = run_.ledger ? lane_of(at_.works.of_contact[c], l) : 0.0;
        }
        // the end; what follows is not read
        if (used < world_.max_contacts) out[kContactNumbers * used] = -1.0;
    }
    // 0 open, 1 sticks, 2 slips, 3 hits
    double word(const Contact<T>& contact, int c, int l) const {
        const T* p = at_.impulses.impulse + kContactRows * c;
        const double normal = lane_of(p[0], l), x = lane_of(p[1], l), y = lane_of(p[2], l);
        if (!(normal > 0)) return 0;
        const Vec3<T> start = in_frame(contact, contact.start);
        if (lane_of(start.x, l) < -lane_of(at_.parameters[kRestSpeed], l)) return 3;
        const double slip = std::hypot(lane_of(start.y, l), lane_of(start.z, l));
        const double viscous = world_.dt * lane_of(at_.parameters[kViscous], l) * slip;
        const T friction = friction_of(world_, contact.candidate, at_.parameters);
        const double bound = lane_of(friction, l) * normal + std::min(viscous, kFade * normal);
        const Vec3<T> end = at_.at.slide(contact, at_.at.after);
        const double speed = std::hypot(lane_of(end.y, l), lane_of(end.z, l));
        const bool at_bound = std::hypot(x, y) >= bound * (1 - 1e-9);
        return at_bound && speed > kSlipping ? 2 : 1;
    }
    // forces of limits on the users' velocities
    void write_limits(int l, double* out) const {
        std::fill(out, out + tree_.nv, 0.0);
        const T* p = at_.impulses.joints.kept + world_.friction.size();
        for (size_t k = 0; lives(l) && k < world_.limits.size(); ++k) {
            const Limit& limit = world_.limits[k];
            const int own = tree_.user_v.empty() ? limit.w : tree_.user_v[limit.w];
            if (own >= 0) out[own] += limit.sign * lane_of(p[k], l) / world_.dt;
        }
    }
    void write_statistics(int l, double* out) const {
        double active = 0, deepest = 0;
        for (int c = 0; c < at_.impulses.n_contacts; ++c) {
            if (!lives(l) || !(lane_of(at_.impulses.contacts[c].on, l) > 0)) continue;
            ++active;
            deepest = std::max(deepest, -lane_of(at_.impulses.contacts[c].touch.gap, l));
        }
        out[0] = lives(l) ? lane_of(at_.impulses.steps, l) : 0.0;
        out[1] = lives(l) ? lane_of(at_.impulses.residual, l) : 0.0;
        out[2] = active, out[3] = deepest;
        out[4] = lives(l) ? lane_of(at_.impulses.residual / at_.impulses.speed, l) : 0.0;
    }

    const World& world_;
    const Tree& tree_;
    const Run& run_;
    Stepper<T>& at_;
    const long first_;
    const int count_;
};

}  // namespace tarsus::TARSUS_ISA
