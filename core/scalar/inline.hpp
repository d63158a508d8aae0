// Small operations vanish into their callers; a call in the middle of a recursion would spill
// every register of a lane group. Sanitized builds keep the calls: they must compile in time.
#pragma once

#ifdef __SANITIZE_ADDRESS__
#define TARSUS_INLINE inline
#define TARSUS_FLATTEN
#else
#define TARSUS_INLINE inline __attribute__((always_inline))
#define TARSUS_FLATTEN __attribute__((flatten))  // every step is inlined, whatever its size
#endif
