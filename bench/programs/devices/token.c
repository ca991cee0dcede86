/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A slow token: a PKCS#11 module that sleeps before it has another one sign or decrypt. OCTUPLE_TEST_DEVICE_MODULE
 * names that one (SoftHSM2, say), OCTUPLE_TEST_DEVICE_US says how long. While the file that OCTUPLE_TEST_DEVICE_FAIL
 * names is there, the token has been removed; while that of OCTUPLE_TEST_DEVICE_HANG is, it does not answer.
 *
 * PKCS#11's list of functions is a version and pointers, in the order of the standard (v2.40, pkcs11f.h).
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS 68
enum { GET_FUNCTION_LIST = 3, DECRYPT = 34, SIGN = 43 };

#define CKR_GENERAL_ERROR  0x5ul
#define CKR_DEVICE_REMOVED 0x32ul

typedef unsigned long ck_rv;
typedef ck_rv transform(unsigned long session, unsigned char *in, unsigned long in_length, unsigned char *out,
                        unsigned long *out_length);

struct functions {
    unsigned char version[2];
    void *function[FUNCTIONS];
};

static struct functions ours, *theirs;
static long latency_us;
static const char *hang_file, *fail_file;

__attribute__((visibility("default"))) ck_rv C_GetFunctionList(struct functions **list);

static int is_there(const char *file)
{
    return file != NULL && access(file, F_OK) == 0;
}

static void nap(long microseconds)
{
    const struct timespec time = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

/* A call without a buffer asks for a length. */
static ck_rv slowly(int which, unsigned long session, unsigned char *in, unsigned long in_length, unsigned char *out,
                    unsigned long *out_length)
{
    if (out != NULL)
        nap(latency_us);
    while (out != NULL && is_there(hang_file))
        nap(5000);
    const ck_rv value = ((transform *)theirs->function[which])(session, in, in_length, out, out_length);
    return is_there(fail_file) ? CKR_DEVICE_REMOVED : value; /* the session is as after any error: free for others */
}

static ck_rv sign(unsigned long session, unsigned char *in, unsigned long in_length, unsigned char *out,
                  unsigned long *out_length)
{
    return slowly(SIGN, session, in, in_length, out, out_length);
}

static ck_rv decrypt(unsigned long session, unsigned char *in, unsigned long in_length, unsigned char *out,
                     unsigned long *out_length)
{
    return slowly(DECRYPT, session, in, in_length, out, out_length);
}

/* While the module is loaded: nginx clears its environment later. */
__attribute__((constructor)) static void read_settings(void)
{
    const char *text = getenv("OCTUPLE_TEST_DEVICE_US"), *name = getenv("OCTUPLE_TEST_DEVICE_MODULE");
    const char *hang = getenv("OCTUPLE_TEST_DEVICE_HANG"), *fail = getenv("OCTUPLE_TEST_DEVICE_FAIL");
    void *module = name != NULL ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    ck_rv (*get)(struct functions **) = NULL;

    latency_us = text != NULL ? atol(text) : 0;
    hang_file = hang != NULL ? strdup(hang) : NULL;
    fail_file = fail != NULL ? strdup(fail) : NULL;
    if (module != NULL)
        *(void **)&get = dlsym(module, "C_GetFunctionList");
    if (get == NULL || get(&theirs) != 0)
        return;
    ours = *theirs;
    ours.function[GET_FUNCTION_LIST] = (void *)C_GetFunctionList;
    ours.function[SIGN] = (void *)sign;
    ours.function[DECRYPT] = (void *)decrypt;
}

ck_rv C_GetFunctionList(struct functions **list)
{
    *list = &ours;
    return theirs != NULL ? 0 : CKR_GENERAL_ERROR;
}
