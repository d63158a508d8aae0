// How the bodies of a tree are grouped, and which rotors need no recursion of their own.
#pragma once

#include "model/tree.hpp"

namespace tarsus {

// Completes a tree whose links, frames and loops are there. Throws std::invalid_argument.
void gather_clusters(Tree& tree, const ClusterStatements& statements);

}  // namespace tarsus
