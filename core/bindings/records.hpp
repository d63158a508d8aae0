#pragma once

#include "bindings/numpy.hpp"
#include "world/run.hpp"

namespace tarsus {

constexpr int kRecords = 8;

// The arrays of a record, held while a run writes to them: the dict that they came in may change
// as soon as other threads of Python run.
class Records {
   public:
    // Fills in where a run records, from a dict of arrays or None; throws where they do not fit.
    // Arrays have as many samples as the run makes; or with `first` from 0 on, these go to a part
    // of them, but for contacts, of which there are only those.
    void read(const World& world, PyObject* given, long first, Run& run);

   private:
    Owned held_[kRecords];
};

// Throws if arrays that a run reads and writes share memory.
void refuse_overlaps(const World& world, const Run& run);

// The contacts of a record (B, n, max_contacts, 13) as rows (N, 13), and their states and samples
// (2, N), which are counted from `first`; a list of contacts ends where a row starts with a
// negative number.
PyObject* list_contacts(const World& world, PyObject* record, long first);

}  // namespace tarsus
