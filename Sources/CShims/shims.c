#define _GNU_SOURCE
#include "CShims.h"
#include <pthread.h>

// Weak, so that they are null unless the sanitizer's runtime is linked in.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

void offpeak_tsan_acquire(const void *address) {
    if (__tsan_acquire) __tsan_acquire((void *)address);
}

void offpeak_tsan_release(const void *address) {
    if (__tsan_release) __tsan_release((void *)address);
}

void offpeak_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}
