/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server that signs: each connection to its port of 127.0.0.1 sends 32 bytes and gets the 64 of their Ed25519
 * signature. Those that come together are signed together, and one that is alone is not kept waiting.
 *
 *     cc -o queue queue.c $(pkg-config --cflags --libs octuple) && ./queue 7000
 */
#include <arpa/inet.h>
#include <octuple/octuple.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

struct client {
    int socket;
    uint8_t message[32], signature[OCT_ED25519_SIGNATURE_BYTES];
    struct oct_job job;
};

static unsigned signed_now; /* since the server last slept */

/* The queue calls it when the job is done, on this thread. */
static void answer(struct oct_job *job)
{
    struct client *client = job->arg;
    if (job->status == OCT_OK)
        send(client->socket, client->signature, sizeof client->signature, MSG_NOSIGNAL);
    else
        fprintf(stderr, "%s\n", oct_status_text(job->status));
    signed_now++;
    close(client->socket);
    free(client);
}

/* A message comes in one piece, or its sender is sent away. */
static void read_message(struct client *client, struct oct_queue *queue, const struct oct_ed25519_key *key)
{
    if (recv(client->socket, client->message, sizeof client->message, MSG_DONTWAIT) == sizeof client->message) {
        client->job = (struct oct_job){.op = OCT_OP_ED25519_SIGN, .done = answer, .arg = client};
        client->job.ed25519_sign = (struct oct_ed25519_sign_lane){.key = key,
                                                                  .message = client->message,
                                                                  .message_len = sizeof client->message,
                                                                  .signature = client->signature};
        if (oct_queue_submit(queue, &client->job) == OCT_OK) /* the eighth runs all eight at once */
            return;
    }
    close(client->socket);
    free(client);
}

static void accept_client(int epoll, int listener)
{
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL)
        return;
    client->socket = accept(listener, NULL, NULL);
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = client};
    if (client->socket < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, client->socket, &event) < 0) {
        if (client->socket >= 0)
            close(client->socket);
        free(client);
    }
}

/* While jobs wait the server only looks for more work. When there is none, what waits runs before it sleeps. */
static void serve(int epoll, int listener, struct oct_queue *queue, const struct oct_ed25519_key *key)
{
    struct epoll_event event[64];
    for (;;) {
        int events = epoll_wait(epoll, event, 64, oct_queue_waiting(queue) > 0 ? 0 : -1);
        if (events <= 0) {
            oct_queue_poll(queue);
            if (signed_now > 0)
                printf("signed together: %u\n", signed_now);
            signed_now = 0;
        }
        for (int i = 0; i < events; i++)
            if (event[i].data.ptr == NULL)
                accept_client(epoll, listener);
            else
                read_message(event[i].data.ptr, queue, key);
    }
}

int main(int argc, char **argv)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)(argc == 2 ? atoi(argv[1]) : 7000))};
    int listener = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 64) < 0 ||
        epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0) {
        perror("queue");
        return 1;
    }

    uint8_t seed[OCT_ED25519_SEED_BYTES];
    struct oct_ed25519_key *key;
    struct oct_queue *queue;
    if (getrandom(seed, sizeof seed, 0) != sizeof seed || oct_queue_new(&queue, NULL) != OCT_OK)
        return 1;
    if (oct_ed25519_key_new(&key, seed) != OCT_OK) {
        fprintf(stderr, "no lanes here: %s\n", oct_op_reason(OCT_OP_ED25519_SIGN));
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("public key: ");
    for (int i = 0; i < OCT_ED25519_PUBLIC_BYTES; i++)
        printf("%02x", oct_ed25519_key_public(key)[i]);
    putchar('\n');
    serve(epoll, listener, queue, key);
}
