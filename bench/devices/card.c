/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A card of the test: an engine whose RSA keys pause the asynchronous job that they find themselves in, for as long as
 * engine.h says, and make the processor wait where there is none. A timer stands for the card. As with a card, a
 * signature costs the processor nothing: OCTUPLE_TEST_CARD_IDLE=1 gives the same one to everybody, which is for load
 * generators that do not look. Otherwise it is made by OpenSSL when the timer is over.
 */
#include "engine.h"

#include <openssl/async.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int idle;
static const char id[] = "card";

static struct timespec after(long microseconds)
{
    return (struct timespec){.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
}

static void close_timer(ASYNC_WAIT_CTX *wait, const void *key, OSSL_ASYNC_FD fd, void *data)
{
    (void)wait, (void)key, (void)data;
    close(fd);
}

/* That of the job, made at its first use. */
static int timer_of(ASYNC_WAIT_CTX *wait)
{
    OSSL_ASYNC_FD fd;
    void *data;
    if (ASYNC_WAIT_CTX_get_fd(wait, id, &fd, &data))
        return fd;
    fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd >= 0 && ASYNC_WAIT_CTX_set_wait_fd(wait, id, fd, NULL, close_timer))
        return fd;
    return -1;
}

/* Others may resume the job early. */
static void pause_for(ASYNC_JOB *job, long microseconds)
{
    const int timer = timer_of(ASYNC_get_wait_ctx(job));
    const struct itimerspec time = {.it_value = after(microseconds)};
    uint64_t count;

    timerfd_settime(timer, 0, &time, NULL);
    do
        ASYNC_pause_job();
    while (read(timer, &count, sizeof count) < 0);
}

static void card(long microseconds)
{
    ASYNC_JOB *job = ASYNC_get_current_job();
    const struct timespec time = after(microseconds);
    if (microseconds == 0)
        return;
    if (job != NULL)
        pause_for(job, microseconds);
    else
        nanosleep(&time, NULL);
}

static int encrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    if (!device_works(card))
        return -1;
    if (!idle)
        return RSA_meth_get_priv_enc(RSA_PKCS1_OpenSSL())(length, from, to, rsa, padding);
    memset(to, 1, (size_t)RSA_size(rsa));
    return RSA_size(rsa);
}

static int decrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    return device_works(card) ? RSA_meth_get_priv_dec(RSA_PKCS1_OpenSSL())(length, from, to, rsa, padding) : -1;
}

static int bind(ENGINE *engine, const char *name)
{
    (void)name;
    idle = getenv("OCTUPLE_TEST_CARD_IDLE") != NULL;
    return device_bind(engine, id, "card of the test", encrypt, decrypt);
}

IMPLEMENT_DYNAMIC_CHECK_FN()
IMPLEMENT_DYNAMIC_BIND_FN(bind)
