// Small operations vanish into their callers; a call in the middle of a recursion would spill
// every register of a lane group. Sanitized builds keep the calls: they must compile in time.
#pragma once

#ifdef __SANITIZE_ADDRESS__
#define TARSUS_INLINE inline
#define TARSUS_FLATTEN
#define TARSUS_APART
#else
#define TARSUS_INLINE inline __attribute__((always_inline))
#define TARSUS_FLATTEN __attribute__((flatten))  // every step is inlined, whatever its size
// a part of its own: it leaves the registers of the common case alone
#define TARSUS_APART __attribute__((noinline, flatten))
#endif
