// What recursions are given that read positions and users' functions, and write where they like.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE Arguments<T> bare_arguments(const T* q, const T* table, const Scratch& scratch) {
    Arguments<T> made{{q},
                      nullptr,
                      [] {
                          if constexpr (std::is_same_v<T, double>) return Rows<T>(nullptr);
                          else return Rows<T>(nullptr, 0, 1, false);
                      }(),
                      0,
                      0,
                      scratch};
    made.in[kTable] = table;
    return made;
}

}  // namespace tarsus::TARSUS_ISA
