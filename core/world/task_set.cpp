// From the tasks that were stated to their rows, and to the joint velocities that move them.
#include "world/task_set.hpp"

#include <algorithm>
#include <stdexcept>

namespace tarsus {

namespace {

constexpr size_t kMostGivenRows = 100'000;

void check(int index, int first, size_t end, const char* what) {
    if (index < first || index >= int(end))
        throw std::invalid_argument(std::string("a task's ") + what + " is out of range");
}
void check_sizes(const TaskStatement& stated, size_t indices, size_t numbers) {
    if (stated.indices.size() != indices || stated.numbers.size() != numbers)
        throw std::invalid_argument("a task of kind " + stated.kind + " has the wrong numbers");
}

MassCentre mass_centre(const Tree& tree, const std::vector<int>& bodies) {
    MassCentre made;
    made.counts.assign(tree.n_bodies, 0), made.carried.assign(tree.n_bodies, 0.0);
    for (int body : bodies) {
        check(body, 0, tree.links.size(), "body");
        made.counts[body] = 1;
    }
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const Link& link = tree.links[i];
        if (made.counts[i]) made.carried[i] += link.mass, made.mass += link.mass;
        if (link.parent >= 0) made.carried[link.parent] += made.carried[i];
    }
    if (!(made.mass > 0)) throw std::invalid_argument("a centre of mass has no mass");
    return made;
}

class Maker {
   public:
    Maker(const Tree& tree, TaskSet& set) : tree_(tree), set_(set) {}

    void add(const TaskStatement& stated) {
        const int before = set_.rows;
        if (stated.kind == "point") point(stated);
        else if (stated.kind == "turn") turn(stated);
        else if (stated.kind == "look") look(stated);
        else if (stated.kind == "momentum") momentum(stated);
        else if (stated.kind == "sum") sum(stated);
        else if (stated.kind == "twist") twist(stated);
        else if (stated.kind == "across") across(stated);
        else if (stated.kind == "given") given(stated);
        else if (stated.kind == "posture") posture(stated);
        else throw std::invalid_argument("there is no task of kind " + stated.kind);
        const bool is_posture = stated.kind == "posture";
        const bool by_users = is_posture || stated.kind == "given";
        set_.is_posture.resize(set_.rows, is_posture);
        set_.by_users.resize(set_.rows, by_users);
        set_.placed = set_.placed || (set_.rows > before && !by_users);
    }

   private:
    void point(const TaskStatement& stated) {
        check_sizes(stated, 5, 3);
        const std::vector<int>& i = stated.indices;
        PointRows made;
        made.point = point_of(i[0], i[3], stated.numbers.data());
        made.origin = point_of(i[1], i[4], nullptr);
        made.axes = axes_of(i[2]), made.turned = i[2] >= 0;
        made.columns = columns([&](int body) {
            const int moved = moves(made.point, body) * kMovesPoint +
                              moves(made.origin, body) * kMovesOrigin +
                              (made.turned && moves(made.axes.body, body)) * kMovesAxes;
            // what carries all of it changes nothing
            const bool rigid = made.point.centre < 0 && made.origin.centre < 0;
            return rigid && moved == (kMovesPoint | kMovesOrigin | kMovesAxes) ? 0 : moved;
        });
        put(made, 3, 6, set_.points);
    }
    void turn(const TaskStatement& stated) {
        check_sizes(stated, 2, 0);
        TurnRows made;
        made.frame = axes_of(stated.indices[0]), made.other = axes_of(stated.indices[1]);
        made.columns = columns([&](int body) {
            const bool one = moves(made.frame.body, body), two = moves(made.other.body, body);
            return one == two ? 0 : one ? kMovesPoint : kMovesOrigin;
        });
        put(made, 3, 12, set_.turns);
    }
    void look(const TaskStatement& stated) {
        check_sizes(stated, 1, 9);
        LookRows made;
        made.point = point_of(stated.indices[0], -1, nullptr);
        made.axes = turned(axes_of(stated.indices[0]), stated.numbers.data());
        made.columns =
            columns([&](int body) { return moves(made.point.body, body) * kMovesPoint; });
        put(made, 2, 6, set_.looks);
    }
    void momentum(const TaskStatement& stated) {
        for (int k : stated.indices) check(k, 0, 6, "row of momentum");
        MomentumRows made;
        made.which = stated.indices;
        put(made, int(made.which.size()), int(made.which.size()), set_.momenta);
    }
    void sum(const TaskStatement& stated) {
        const size_t count = stated.numbers.size();
        check_sizes(stated, 2 * count, count);
        SumRow made;
        made.q.assign(stated.indices.begin(), stated.indices.begin() + count);
        made.v.assign(stated.indices.begin() + count, stated.indices.end());
        made.ratio = stated.numbers;
        for (int q : made.q) check(q, 0, tree_.joint_nq, "position");
        for (int v : made.v) check(v, 0, tree_.joint_nv, "velocity");
        put(made, 1, 2, set_.sums);
    }
    void twist(const TaskStatement& stated) {
        check_sizes(stated, 1, 3);
        TwistRows made;
        made.point = point_of(stated.indices[0], -1, stated.numbers.data());
        made.axes = axes_of(stated.indices[0]);
        made.columns =
            columns([&](int body) { return moves(made.point.body, body) * kMovesPoint; });
        put(made, 6, 0, set_.twists);
    }
    void across(const TaskStatement& stated) {
        check_sizes(stated, 3, 3);
        const std::vector<int>& i = stated.indices;
        check(i[2], 1, 7, "number of directions");
        AcrossRows made;
        made.point = point_of(i[0], i[1], stated.numbers.data()), made.count = i[2];
        made.columns = columns([&](int body) { return moves(made.point, body) * kMovesPoint; });
        put(made, made.count, 3 * made.count + 6, set_.across);
    }
    void given(const TaskStatement& stated) {
        check_sizes(stated, 1, 0);
        check(stated.indices[0], 0, kMostGivenRows, "number of rows");
        GivenRows made;
        made.count = stated.indices[0];
        put(made, made.count, made.count * (2 + tree_.nv), set_.given);
    }
    void posture(const TaskStatement& stated) {
        const size_t count = stated.indices.size() / 2;
        check_sizes(stated, 2 * count, 0);
        for (size_t k = 0; k < count; ++k) {
            PostureRow made{stated.indices[k], stated.indices[count + k]};
            check(made.q, 0, tree_.nq, "position"), check(made.v, 0, tree_.nv, "velocity");
            put(made, 1, 2, set_.postures);
        }
    }

    template <class Made>
    void put(Made& made, int rows, int targets, std::vector<Made>& into) {
        made.row = set_.rows, made.target = set_.targets;
        set_.rows += rows, set_.targets += targets;
        into.push_back(std::move(made));
    }

    TaskPoint point_of(int frame, int centre, const double* offset) const {
        check(frame, -1, tree_.frames.size(), "frame");
        check(centre, -1, set_.centres.size(), "centre");
        TaskPoint made;
        made.centre = centre;
        if (frame < 0) return made;
        const FrameOnBody& on = tree_.frames[frame];
        made.body = on.body;
        for (int i = 0; i < 3; ++i) {
            made.position[i] = on.position[i];
            for (int k = 0; offset && k < 3; ++k)
                made.position[i] += on.rotation[3 * k + i] * offset[k];
        }
        return made;
    }
    TaskAxes axes_of(int frame) const {
        check(frame, -1, tree_.frames.size(), "frame");
        TaskAxes made;
        if (frame < 0) return made;
        made.body = tree_.frames[frame].body;
        std::copy_n(tree_.frames[frame].rotation, 9, made.rotation);
        return made;
    }
    static TaskAxes turned(TaskAxes axes, const double* by) {
        const TaskAxes before = axes;
        for (int c = 0; c < 3; ++c) {
            for (int i = 0; i < 3; ++i) {
                axes.rotation[3 * c + i] = 0;
                for (int k = 0; k < 3; ++k)
                    axes.rotation[3 * c + i] += before.rotation[3 * k + i] * by[3 * c + k];
            }
        }
        return axes;
    }

    // whether the joint of `body` moves what is on another one
    bool moves(int on, int body) const {
        while (on > body) on = tree_.links[on].parent;
        return on == body;
    }
    bool moves(const TaskPoint& point, int body) const {
        if (point.centre >= 0) return set_.centres[point.centre].carried[body] > 0;
        return moves(point.body, body);
    }
    template <class Moved>
    std::vector<TaskColumn> columns(Moved&& moved) const {
        std::vector<TaskColumn> made;
        for (int i = 0; i < tree_.n_bodies; ++i) {
            const auto what = static_cast<unsigned char>(moved(i));
            const Link& link = tree_.links[i];
            for (int k = 0; what && k < link.nv; ++k) made.push_back({link.v + k, i, what});
        }
        return made;
    }

    const Tree& tree_;
    TaskSet& set_;
};

}  // namespace

TaskSet make_task_set(const Tree& tree, const std::vector<TaskStatement>& stated,
                      const std::vector<std::vector<int>>& centres) {
    TaskSet set;
    for (const std::vector<int>& bodies : centres) set.centres.push_back(mass_centre(tree, bodies));
    Maker maker(tree, set);
    for (const TaskStatement& task : stated) maker.add(task);
    return set;
}

}  // namespace tarsus
