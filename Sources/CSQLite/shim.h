#ifndef OFFPEAK_CSQLITE_H
#define OFFPEAK_CSQLITE_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot import; these two copy the bytes with it.

static inline int offpeak_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// SQLITE_STATIC is a cast too; the caller keeps the bytes until the statement is reset.
static inline int offpeak_bind_static_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, text, length, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int offpeak_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nonnull bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

// sqlite3_config is variadic, which Swift cannot call.
static inline int offpeak_disable_memory_sums(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
