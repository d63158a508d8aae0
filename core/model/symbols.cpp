// Which Christoffel symbols may differ from zero: those whose three velocities lie on one branch.
#include "model/clusters.hpp"

namespace tarsus {

// A cluster of n velocities with a above it on its branch is the outermost in (n + a)³ − a³
// triples.
void count_symbols(Tree& tree) {
    for (const Cluster& cluster : tree.clusters) {
        if (cluster.nv == 0) continue;
        const size_t above = tree.depth[cluster.v], all = above + cluster.nv;
        tree.n_symbols += all * all * all - above * above * above;
    }
}

// as dynamics/christoffel.hpp walks the tree
std::vector<int> symbol_indices(const Tree& tree) {
    std::vector<int> out;
    out.reserve(3 * tree.n_symbols);
    const auto add = [&](int i, int j, int k) { out.insert(out.end(), {i, j, k}); };
    for (const Cluster& cluster : tree.clusters) {
        const int first = cluster.v, last = cluster.v + cluster.nv;
        const int carrier = cluster.parent;
        const auto walk = [&](int body, auto&& visit_velocity) {
            for (; body >= 0; body = tree.steps[body].next) {
                const Step& step = tree.steps[body];
                for (int v = step.v; v < step.v + step.nv; ++v) visit_velocity(v);
            }
        };
        for (int b = first; b < last; ++b) {
            for (int c = first; c < last; ++c) {
                for (int a = first; a < last; ++a) add(a, b, c);
            }
        }
        for (int b = first; b < last; ++b) {
            for (int c = first; c < last; ++c) {
                walk(carrier, [&](int i) { add(i, b, c), add(b, i, c), add(b, c, i); });
            }
        }
        std::vector<const Step*> path;  // from the root
        for (int body = carrier; body >= 0; body = tree.steps[body].next) {
            path.insert(path.begin(), &tree.steps[body]);
        }
        const auto velocities = [&](size_t from, size_t to, auto&& visit_velocity) {
            for (size_t p = from; p < to; ++p) {
                const int v = path[p]->v;
                for (int l = 0; l < path[p]->nv; ++l) visit_velocity(v + l);
            }
        };
        for (int k = first; k < last; ++k) {
            for (size_t p = 0; p < path.size(); ++p) {
                velocities(p, p + 1, [&](int j) {
                    velocities(0, p, [&](int i) {
                        add(i, j, k), add(i, k, j), add(j, i, k), add(j, k, i), add(k, i, j),
                            add(k, j, i);
                    });
                    velocities(p, p + 1, [&](int i) { add(i, j, k), add(i, k, j), add(k, i, j); });
                });
            }
        }
    }
    return out;
}

}  // namespace tarsus
