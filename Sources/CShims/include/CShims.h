#ifndef OFFPEAK_CSHIMS_H
#define OFFPEAK_CSHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Tells the thread sanitizer that a lock at `address` was taken; does nothing without the sanitizer.
/// Swift's Mutex is a bare futex on Linux, which the sanitizer cannot see.
void offpeak_tsan_acquire(const void *_Nonnull address);

/// Tells the thread sanitizer that the lock at `address` is about to be released.
void offpeak_tsan_release(const void *_Nonnull address);

/// Names the calling thread (at most 15 bytes); pthread_setname_np is GNU-only and not visible to Swift.
void offpeak_name_thread(const char *_Nonnull name);

/// Runs `body(context)`, and gives up where an `assert` of a C or C++ library fails in it, which would end the process.
///
/// What the library had taken then is not given back. Nothing of another language may be between this call and the
/// assertion, since it is left as by longjmp.
/// @return nothing, or what failed: valid on this thread until the next call.
const char *_Nullable offpeak_guarded(void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

/// Whether the assertions of every library of the process come here.
bool offpeak_guards_libraries(void);

/// Fails an assertion, for tests of `offpeak_guarded`.
void offpeak_fail_assertion(void *_Nullable context);

/// Does nothing, for the same tests.
void offpeak_do_nothing(void *_Nullable context);

#endif
