/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See delay.h. A timer stands for a card: it costs the processor nothing. */
#include "delay.h"

#include <openssl/async.h>
#include <openssl/err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static long latency_us;
static char hang_file[256], fail_file[256];
static const char id[] = "device";

static void read_text(char *to, size_t bytes, const char *name)
{
    const char *text = getenv(name);
    if (text != NULL && strlen(text) < bytes)
        strcpy(to, text);
}

void device_settings(void)
{
    const char *text = getenv("OCTUPLE_TEST_DEVICE_US");
    latency_us = text != NULL ? atol(text) : 0;
    read_text(hang_file, sizeof hang_file, "OCTUPLE_TEST_DEVICE_HANG");
    read_text(fail_file, sizeof fail_file, "OCTUPLE_TEST_DEVICE_FAIL");
}

static struct timespec after(long microseconds)
{
    return (struct timespec){.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
}

void device_nap(long microseconds)
{
    const struct timespec time = after(microseconds);
    nanosleep(&time, NULL);
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
void device_pause(long microseconds)
{
    ASYNC_JOB *job = ASYNC_get_current_job();
    const struct itimerspec time = {.it_value = after(microseconds)};
    uint64_t count;
    int timer;

    if (microseconds == 0)
        return;
    if (job == NULL) {
        device_nap(microseconds);
        return;
    }
    timer = timer_of(ASYNC_get_wait_ctx(job));
    timerfd_settime(timer, 0, &time, NULL);
    do
        ASYNC_pause_job();
    while (read(timer, &count, sizeof count) < 0);
}

static int is_there(const char *file)
{
    return file[0] != '\0' && access(file, F_OK) == 0;
}

int device_works(device_wait *wait)
{
    wait(latency_us);
    while (is_there(hang_file))
        wait(5000);
    if (!is_there(fail_file))
        return 1;
    ERR_raise_data(ERR_LIB_RSA, ERR_R_OPERATION_FAIL, "the test's device is gone");
    return 0;
}
