/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A card of the test: an engine whose RSA keys pause the asynchronous job that they find themselves in, for as long as
 * OCTUPLE_TEST_DEVICE_US says, and make the processor wait where there is none. A timer stands for the card. As with
 * a card, a signature costs the processor nothing: OCTUPLE_TEST_CARD_IDLE=1 gives the same one to everybody, which is
 * for load generators that do not look. Otherwise it is made by OpenSSL when the timer is over.
 *
 * While the file that OCTUPLE_TEST_DEVICE_HANG names is there, the card does not answer; while that of
 * OCTUPLE_TEST_DEVICE_FAIL is, it fails.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/async.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

static RSA_METHOD *method;
static long latency_us;
static int idle;
static char hang_file[256], fail_file[256];
static const char id[] = "card";

static int is_there(const char *file)
{
    return file[0] != '\0' && access(file, F_OK) == 0;
}

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

static int works(void)
{
    card(latency_us);
    while (is_there(hang_file))
        card(5000);
    if (!is_there(fail_file))
        return 1;
    ERR_raise_data(ERR_LIB_RSA, ERR_R_OPERATION_FAIL, "the test's card is gone");
    return 0;
}

static int encrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    if (!works())
        return -1;
    if (!idle)
        return RSA_meth_get_priv_enc(RSA_PKCS1_OpenSSL())(length, from, to, rsa, padding);
    memset(to, 1, (size_t)RSA_size(rsa));
    return RSA_size(rsa);
}

static int decrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    return works() ? RSA_meth_get_priv_dec(RSA_PKCS1_OpenSSL())(length, from, to, rsa, padding) : -1;
}

static EVP_PKEY *load(ENGINE *engine, const char *path, UI_METHOD *ui, void *data)
{
    BIO *file = BIO_new_file(path, "r");
    RSA *rsa = file != NULL ? PEM_read_bio_RSAPrivateKey(file, NULL, NULL, NULL) : NULL;
    EVP_PKEY *key = rsa != NULL ? EVP_PKEY_new() : NULL;

    (void)engine, (void)ui, (void)data;
    BIO_free(file);
    if (key == NULL || !RSA_set_method(rsa, method) || !EVP_PKEY_assign_RSA(key, rsa)) {
        RSA_free(rsa);
        EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

static void read_text(char *to, size_t bytes, const char *name)
{
    const char *text = getenv(name);
    if (text != NULL && strlen(text) < bytes)
        strcpy(to, text);
}

/* Here and not later: nginx clears the environment. */
static int bind(ENGINE *engine, const char *name)
{
    const char *text = getenv("OCTUPLE_TEST_DEVICE_US");
    (void)name;
    latency_us = text != NULL ? atol(text) : 0;
    idle = getenv("OCTUPLE_TEST_CARD_IDLE") != NULL;
    read_text(hang_file, sizeof hang_file, "OCTUPLE_TEST_DEVICE_HANG");
    read_text(fail_file, sizeof fail_file, "OCTUPLE_TEST_DEVICE_FAIL");
    method = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    return method != NULL && RSA_meth_set1_name(method, "card of the test") && RSA_meth_set_priv_enc(method, encrypt) &&
           RSA_meth_set_priv_dec(method, decrypt) && ENGINE_set_id(engine, id) &&
           ENGINE_set_name(engine, "card of the test") && ENGINE_set_load_privkey_function(engine, load);
}

IMPLEMENT_DYNAMIC_CHECK_FN()
IMPLEMENT_DYNAMIC_BIND_FN(bind)
