/*
 * The C peer of Offpeak's durable submissions: the same tables and the same transactions with nothing around them.
 *
 *     cc -O2 -o sqlite_events sqlite_events.c $(pkg-config --cflags --libs sqlite3)
 *     ./sqlite_events FILE 1000 1
 *
 * Each transaction stores BATCH load events and their places in the queue of one sink, and is on the disk before the
 * next begins. Sessions have 250 events. Prints the seconds taken and the events per second.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const schema =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
    "CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, venue TEXT NOT NULL,"
    "    device TEXT NOT NULL, session TEXT, state TEXT, at REAL NOT NULL, token TEXT, body TEXT NOT NULL);"
    "CREATE INDEX events_device ON events (device, at);"
    "CREATE INDEX events_session ON events (session, at);"
    "CREATE INDEX events_token ON events (token);"
    "CREATE TABLE outbox (sink TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (sink, sequence)) WITHOUT ROWID;";

static sqlite3 *database;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(database));
    exit(1);
}

static sqlite3_stmt *prepared(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) fail(sql);
    return statement;
}

static void run(sqlite3_stmt *statement, const char *what) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail(what);
    sqlite3_reset(statement);
}

static void uuid(char *text) {
    static const char digits[] = "0123456789ABCDEF";
    for (int place = 0; place < 36; place++) {
        const int is_dash = place == 8 || place == 13 || place == 18 || place == 23;
        text[place] = is_dash ? '-' : digits[random() & 15];
    }
    text[36] = 0;
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: %s FILE EVENTS BATCH\n", arguments[0]);
        return 2;
    }
    const long total = atol(arguments[2]), batch = atol(arguments[3]);
    if (total < 1 || batch < 1) {
        fprintf(stderr, "EVENTS and BATCH are at least 1\n");
        return 2;
    }
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(arguments[1], &database, flags, NULL) != SQLITE_OK) fail("open");
    if (sqlite3_exec(database, schema, NULL, NULL, NULL) != SQLITE_OK) fail("schema");

    sqlite3_stmt *begin = prepared("BEGIN IMMEDIATE"), *commit = prepared("COMMIT");
    sqlite3_stmt *event = prepared(
        "INSERT OR IGNORE INTO events (id, venue, device, session, state, at, token, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    sqlite3_stmt *place = prepared("INSERT INTO outbox (sink, sequence) VALUES (?, ?)");
    char id[37], venue[37], token[37], session[37], body[512];
    uuid(venue);
    uuid(token);

    const double began = seconds();
    for (long number = 0; number < total;) {
        run(begin, "begin");
        for (long last = number + batch; number < last; number++) {
            const char *state = number % 250 == 0 ? "begin" : number % 250 == 249 ? "end" : "active";
            if (number % 250 == 0) uuid(session);
            uuid(id);
            const int length = snprintf(
                body, sizeof body,
                "{\"deviceID\":\"car\",\"id\":\"%s\",\"measurement\":{\"direction\":\"imported\","
                "\"energyWattHours\":%ld,\"powerWatts\":7200,\"stateOfCharge\":50},\"session\":{\"guidanceState\":"
                "{\"guidanceToken\":\"%s\",\"wasFollowingGuidance\":true},\"id\":\"%s\",\"state\":\"%s\"},"
                "\"timestamp\":\"2026-05-28T20:27:40Z\"}",
                id, number % 250 * 120, token, session, state);
            sqlite3_bind_text(event, 1, id, 36, SQLITE_STATIC);
            sqlite3_bind_text(event, 2, venue, 36, SQLITE_STATIC);
            sqlite3_bind_text(event, 3, "car", 3, SQLITE_STATIC);
            sqlite3_bind_text(event, 4, session, 36, SQLITE_STATIC);
            sqlite3_bind_text(event, 5, state, -1, SQLITE_STATIC);
            sqlite3_bind_double(event, 6, 1772452800.0 + (double)number);
            sqlite3_bind_text(event, 7, token, 36, SQLITE_STATIC);
            sqlite3_bind_text(event, 8, body, length, SQLITE_STATIC);
            run(event, "event");
            sqlite3_bind_text(place, 1, "local", 5, SQLITE_STATIC);
            sqlite3_bind_int64(place, 2, sqlite3_last_insert_rowid(database));
            run(place, "place");
        }
        run(commit, "commit");
    }
    const double taken = seconds() - began;
    printf("%.6f s %.1f events/s\n", taken, (double)total / taken);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_finalize(event);
    sqlite3_finalize(place);
    sqlite3_close(database);
    return 0;
}
