#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift does not import: one function
// for each type of argument. The parentheses keep out the macros that check types of literal options only.

static inline CURLcode offpeak_curl_set_number(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode offpeak_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode offpeak_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode offpeak_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode offpeak_curl_set_receiver(CURL *easy, CURLoption option, curl_write_callback value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLMcode offpeak_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

// How much of the request body has been sent.
static inline curl_off_t offpeak_curl_sent(CURL *easy) {
    curl_off_t sent = 0;
    (curl_easy_getinfo)(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    return sent;
}

// The system's reason for the last connection that failed; 0 for none.
static inline long offpeak_curl_system_error(CURL *easy) {
    long number = 0;
    (curl_easy_getinfo)(easy, CURLINFO_OS_ERRNO, &number);
    return number;
}

// The socket of a connection that was only made; -1 for none.
static inline int offpeak_curl_socket(CURL *easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    (curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, &socket);
    return (int)socket;
}

// A macro with a cast.
static inline long offpeak_curl_digest(void) {
    return (long)CURLAUTH_DIGEST;
}
