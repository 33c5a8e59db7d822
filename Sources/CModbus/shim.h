#ifndef OFFPEAK_CMODBUS_SHIM_H
#define OFFPEAK_CMODBUS_SHIM_H

#include <modbus/modbus.h>
// Wakes the server's poll loop; Swift's Glibc module does not cover this header.
#include <sys/eventfd.h>

// accept4 is GNU-only and so hidden from Swift. It is declared here rather than included, because <sys/socket.h> in
// this module would take the socket constants away from Swift's Glibc module.
struct sockaddr;
extern int accept4(int socket, struct sockaddr *address, unsigned int *length, int flags);

/// Accepts a connection with flags such as SOCK_CLOEXEC, so that no child process ever inherits it.
static inline int offpeak_accept(int socket, int flags) {
    return accept4(socket, (struct sockaddr *)0, (unsigned int *)0, flags);
}

#endif
