#include <libwebsockets.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// LWS_PRE is a computed macro, which Swift does not import: the bytes libwebsockets wants free before a payload.
static inline size_t offpeak_lws_pre(void) { return LWS_PRE; }

// The creation struct has unions, bit fields and some ninety members; filling the few we use here keeps its layout
// out of Swift. No listener: sockets are bound by the caller and adopted. `protocols` and `policy` must outlive the
// context.
static inline struct lws_context *offpeak_lws_create(
    const struct lws_protocols *protocols, const lws_retry_bo_t *policy, unsigned int descriptors, void *user) {
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.protocols = protocols;
    info.retry_and_idle_policy = policy;
    info.fd_limit_per_thread = descriptors;
    info.user = user;
    info.options = LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME | LWS_SERVER_OPTION_VALIDATE_UTF8 |
                   LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    return lws_create_context(&info);
}

// The same struct again: a virtual host that speaks TLS 1.2 and later with a certificate. It offers HTTP/1.1 only, since
// that is what the server reads from it. Null where the files can't be used; the library's log says why.
static inline struct lws_vhost *offpeak_lws_create_tls(
    struct lws_context *context, const struct lws_protocols *protocols, const lws_retry_bo_t *policy,
    const char *certificate, const char *key) {
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.vhost_name = "tls";
    info.protocols = protocols;
    info.retry_and_idle_policy = policy;
    info.ssl_cert_filepath = certificate;
    info.ssl_private_key_filepath = key;
    info.ssl_options_set = SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1;
    info.alpn = "http/1.1";
    info.options = LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME | LWS_SERVER_OPTION_VALIDATE_UTF8 |
                   LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    return lws_create_vhost(context, &info);
}

// Lets libwebsockets speak TLS on an accepted socket, which it owns from here on, and hand over what comes out of it.
static inline struct lws *offpeak_lws_adopt_tls(struct lws_vhost *vhost, int descriptor, uintptr_t session) {
    lws_adopt_desc_t adoption;
    memset(&adoption, 0, sizeof adoption);
    adoption.vh = vhost;
    adoption.type = (lws_adoption_type)(LWS_ADOPT_SOCKET | LWS_ADOPT_ALLOW_SSL);
    adoption.fd.sockfd = descriptor;
    adoption.vh_prot_name = "offpeak";
    adoption.opaque = (void *)session;
    return lws_adopt_descriptor_vhost_via_info(&adoption);
}

// The descriptor argument is a union and the adoption struct is filled by name: lets libwebsockets poll `descriptor`
// for us and hand `session` back with every callback. Null on failure; the descriptor is then still the caller's.
static inline struct lws *offpeak_lws_watch(struct lws_context *context, int descriptor, uintptr_t session) {
    lws_adopt_desc_t adoption;
    memset(&adoption, 0, sizeof adoption);
    adoption.vh = lws_get_vhost_by_name(context, "default");
    adoption.type = LWS_ADOPT_RAW_FILE_DESC;
    adoption.fd.filefd = descriptor;
    adoption.opaque = (void *)session;
    if (!adoption.vh) return NULL;
    return lws_adopt_descriptor_vhost_via_info(&adoption);
}

// A timer and whom it wakes; libwebsockets finds it by the first member, and requires that to start as zeros.
struct offpeak_lws_timer {
    lws_sorted_usec_list_t entry;
    struct lws_context *context;
};

static inline struct offpeak_lws_timer *offpeak_lws_timer_create(void) {
    return (struct offpeak_lws_timer *)calloc(1, sizeof(struct offpeak_lws_timer));
}

// A timer that is due when lws_service begins fires before its wait and would not end it; cancelling does.
static inline void offpeak_lws_timer_fired(lws_sorted_usec_list_t *entry) {
    lws_cancel_service(((struct offpeak_lws_timer *)entry)->context);
}

// Makes lws_service return at the given time from now.
static inline void offpeak_lws_wake_after(
    struct lws_context *context, struct offpeak_lws_timer *timer, int64_t microseconds) {
    timer->context = context;
    lws_sul_schedule(context, 0, &timer->entry, offpeak_lws_timer_fired, microseconds);
}

// The library gives an adopted socket some seconds from its handshake on; how long a connection may be idle is ours to say.
static inline void offpeak_lws_keep(struct lws *connection) { lws_set_timeout(connection, NO_PENDING_TIMEOUT, 0); }

// LWS_TO_KILL_SYNC is a negative macro used as a duration: closes a connection other than the one being served.
static inline void offpeak_lws_kill(struct lws *connection) {
    lws_set_timeout(connection, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}
