#include <mosquitto.h>
#include <mqtt_protocol.h>
// What the library says of a broken handshake is a number; OpenSSL below it knows more.
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
