/* The same as the benchmark `bridge` with libmosquitto alone:
 *   mqtt_client PORT latency COUNT     one message at a time at QoS 1, there and back: the median in seconds
 *   mqtt_client PORT threaded COUNT    the same from another thread than the library's own (mosquitto_loop_start)
 *   mqtt_client PORT rate COUNT WINDOW messages at QoS 1 with WINDOW under way, until the last one is back
 *
 * $(pkg-config --cflags --libs libmosquitto)
 */
#include <mosquitto.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static long received, acknowledged;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int subscribed, connected;

static void on_connect(struct mosquitto *client, void *context, int code) {
    (void)client, (void)context;
    connected = code == 0;
}

static void on_subscribe(struct mosquitto *client, void *context, int id, int count, const int *granted) {
    (void)client, (void)context, (void)id, (void)count, (void)granted;
    subscribed = 1;
}

static void on_publish(struct mosquitto *client, void *context, int id) {
    (void)client, (void)context, (void)id;
    pthread_mutex_lock(&lock);
    acknowledged++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void on_message(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)context, (void)message;
    pthread_mutex_lock(&lock);
    received++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void turn(struct mosquitto *client) {
    int code = mosquitto_loop(client, 1000, 1);
    if (code != MOSQ_ERR_SUCCESS) {
        fprintf(stderr, "mqtt_client: %s\n", mosquitto_strerror(code));
        exit(1);
    }
}

static int compare(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments < 4) return 2;
    long count = atol(arguments[3]), window = count_of_arguments > 4 ? atol(arguments[4]) : 1;
    char payload[200];
    memset(payload, 'x', sizeof payload);
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(NULL, 1, NULL);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client, on_connect);
    mosquitto_subscribe_callback_set(client, on_subscribe);
    mosquitto_publish_callback_set(client, on_publish);
    mosquitto_message_callback_set(client, on_message);
    if (mosquitto_connect(client, "127.0.0.1", atoi(arguments[1]), 60) != MOSQ_ERR_SUCCESS) return 1;
    while (!connected) turn(client);
    mosquitto_subscribe(client, NULL, "bench/c", 1);
    while (!subscribed) turn(client);

    double began = now();
    int is_threaded = strcmp(arguments[2], "threaded") == 0;
    if (is_threaded || strcmp(arguments[2], "latency") == 0) {
        if (is_threaded) mosquitto_loop_start(client);
        double *taken = malloc(count * sizeof *taken);
        for (long number = 0; number < count; number++) {
            double start = now();
            mosquitto_publish(client, NULL, "bench/c", sizeof payload, payload, 1, 0);
            if (is_threaded) {
                pthread_mutex_lock(&lock);
                while (received <= number || acknowledged <= number) pthread_cond_wait(&changed, &lock);
                pthread_mutex_unlock(&lock);
            } else {
                while (received <= number || acknowledged <= number) turn(client);
            }
            taken[number] = now() - start;
        }
        qsort(taken, count, sizeof *taken, compare);
        printf("median %.9f\n", taken[count / 2]);
    } else {
        long sent = 0;
        while (received < count) {
            while (sent < count && sent - acknowledged < window) {
                mosquitto_publish(client, NULL, "bench/c", sizeof payload, payload, 1, 0);
                sent++;
            }
            turn(client);
        }
        printf("rate %.3f\n", count / (now() - began));
    }
    mosquitto_disconnect(client);
    if (is_threaded) mosquitto_loop_stop(client, 0);
    mosquitto_destroy(client);
    return 0;
}
