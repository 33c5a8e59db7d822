#ifndef OFFPEAK_CPOSTGRESQL_SHIM_H
#define OFFPEAK_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

// The codes of error fields are character literals, which Swift does not see.
static const int offpeak_pg_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int offpeak_pg_diag_message = PG_DIAG_MESSAGE_PRIMARY;
static const int offpeak_pg_diag_detail = PG_DIAG_MESSAGE_DETAIL;

// libpq prints notices to standard error by itself; a daemon keeps them out of its log.
static inline void offpeak_pg_ignore_notice(void *argument, const PGresult *result) {
    (void)argument;
    (void)result;
}

/// Keeps notices of the server away from standard error.
static inline void offpeak_pg_silence(PGconn *connection) {
    PQsetNoticeReceiver(connection, offpeak_pg_ignore_notice, (void *)0);
}

#endif
