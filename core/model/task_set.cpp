// From the tasks that were stated to their rows, and to the bodies that have to be placed for them.
#include "kinematics/task_set.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace tarsus {

namespace {

void check(int index, int end, const char* what) {
    if (index < 0 || index >= end)
        throw std::invalid_argument(std::string("a task's ") + what + " is out of range");
}

FrameRows frame_rows(const Tree& tree, const TaskStatement& stated) {
    check(stated.frame, int(tree.frames.size()), "frame");
    FrameRows made{stated.frame, stated.linear, stated.angular};
    for (int i = tree.frames[stated.frame].body; i >= 0; i = tree.links[i].parent)
        made.path.push_back(i);
    std::reverse(made.path.begin(), made.path.end());
    std::set<int> coupled;
    for (int i : made.path) {
        const Cluster& cluster = tree.clusters[tree.cluster_of[i]];
        for (int e = 0; cluster.coupled && e < cluster.nv; ++e) coupled.insert(cluster.v + e);
    }
    made.coupled.assign(coupled.begin(), coupled.end());
    return made;
}

}  // namespace

TaskSet make_task_set(const Tree& tree, const std::vector<TaskStatement>& stated) {
    TaskSet set;
    std::set<int> bodies;
    for (const TaskStatement& task : stated) {
        if (task.q.size() != task.v.size())
            throw std::invalid_argument("a posture has as many positions as velocities");
        for (size_t k = 0; k < task.q.size(); ++k) {
            check(task.q[k], tree.nq, "position"), check(task.v[k], tree.nv, "velocity");
            set.postures.push_back({task.q[k], task.v[k], set.rows++, set.targets++});
        }
        if (task.frame < 0) continue;
        FrameRows rows = frame_rows(tree, task);
        rows.row = set.rows, rows.target = set.targets;
        set.rows += 3 * (int(rows.linear) + int(rows.angular)), set.targets += kFrameTarget;
        bodies.insert(rows.path.begin(), rows.path.end());
        set.frames.push_back(std::move(rows));
    }
    set.bodies.assign(bodies.begin(), bodies.end());
    for (int i : set.bodies) {
        const Link& link = tree.links[i];
        for (int a = 0; a < link.angles; ++a) set.angles.push_back(link.angle + a);
    }
    return set;
}

}  // namespace tarsus
