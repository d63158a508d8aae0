// Small operations vanish into their callers; a call in the middle of a recursion would spill
// every register of a lane group.
#pragma once

#define TARSUS_INLINE inline __attribute__((always_inline))
