#ifndef OFFPEAK_CSHIMS_H
#define OFFPEAK_CSHIMS_H

#include <stddef.h>
#include <stdint.h>

/// Tells the thread sanitizer that a lock at `address` was taken; does nothing without the sanitizer.
/// Swift's Mutex is a bare futex on Linux, which the sanitizer cannot see.
void offpeak_tsan_acquire(const void *_Nonnull address);

/// Tells the thread sanitizer that the lock at `address` is about to be released.
void offpeak_tsan_release(const void *_Nonnull address);

/// Names the calling thread (at most 15 bytes); pthread_setname_np is GNU-only and not visible to Swift.
void offpeak_name_thread(const char *_Nonnull name);

#endif
