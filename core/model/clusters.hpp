// How the bodies of a tree are grouped, and which rotors need no recursion of their own.
#pragma once

#include <string>

#include "model/tree.hpp"

namespace tarsus {

// Completes a tree whose links, frames and loops are there. Throws std::invalid_argument.
void gather_clusters(Tree& tree, const ClusterStatements& statements);

// its steps that have files of their own
void read_couplings(Tree& tree, const ClusterStatements& statements);
void read_loops(Tree& tree, const ClusterStatements& statements);
void multiply_ratios(Tree& tree);
void list_followers(Tree& tree);
void fold_rotors(Tree& tree);
void mark_siblings(Tree& tree);
void list_passed_angles(Tree& tree);
void count_symbols(Tree& tree);

[[noreturn]] void fail(const std::string& message);
size_t limited(size_t numbers);  // fails if there are too many to be held

}  // namespace tarsus
