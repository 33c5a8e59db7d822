#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "CShims.h"

#undef NDEBUG
#include <assert.h>

static _Thread_local jmp_buf *landing;
static _Thread_local char failure[512];

const char *offpeak_guarded(void (*body)(void *), void *context) {
    jmp_buf here;
    jmp_buf *volatile before = landing;
    if (setjmp(here)) {
        landing = before;
        return failure;
    }
    landing = &here;
    body(context);
    landing = before;
    return NULL;
}

void offpeak_fail_assertion(void *context) { assert(context == (void *)&landing); }

void offpeak_do_nothing(void *context) { (void)context; }

bool offpeak_guards_libraries(void) { return dlsym(RTLD_DEFAULT, "__assert_fail") == (void *)&__assert_fail; }

/// What `assert` calls: this one stands before the C library's, for every library of the process.
void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function) {
    snprintf(failure, sizeof failure, "%s:%u: %s: assertion '%s' failed", file, line, function ? function : "?", assertion);
    if (landing) longjmp(*landing, 1);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, failure);
    abort();
}
