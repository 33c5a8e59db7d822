/*
 * The C peer of Offpeak's Modbus client: reads holding registers with libmodbus, one request after the other.
 *
 *     cc -O2 -o modbus_client modbus_client.c $(pkg-config --cflags --libs libmodbus)
 *     ./modbus_client 127.0.0.1 1502 1 0 10 20000
 *
 * Prints the seconds taken and the reads per second.
 */
#include <errno.h>
#include <modbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, modbus_strerror(errno));
    return 1;
}

int main(int count, char **arguments) {
    if (count != 7) {
        fprintf(stderr, "usage: %s HOST PORT UNIT ADDRESS COUNT N\n", arguments[0]);
        return 2;
    }
    const int unit = atoi(arguments[3]), address = atoi(arguments[4]), words = atoi(arguments[5]);
    const long reads = atol(arguments[6]);
    if (words < 1 || words > MODBUS_MAX_READ_REGISTERS || reads < 1) {
        fprintf(stderr, "COUNT is 1 to %d, N at least 1\n", MODBUS_MAX_READ_REGISTERS);
        return 2;
    }
    modbus_t *line = modbus_new_tcp(arguments[1], atoi(arguments[2]));
    if (line == NULL) return fail("modbus_new_tcp");
    if (modbus_set_slave(line, unit) != 0) return fail("modbus_set_slave");
    if (modbus_connect(line) != 0) return fail("modbus_connect");

    uint16_t registers[MODBUS_MAX_READ_REGISTERS];
    const double start = seconds();
    for (long read = 0; read < reads; read++) {
        if (modbus_read_registers(line, address, words, registers) != words) return fail("modbus_read_registers");
    }
    const double taken = seconds() - start;
    printf("%.3f s, %.0f reads/s\n", taken, (double)reads / taken);

    modbus_close(line);
    modbus_free(line);
    return 0;
}
