/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "load.h"

#include <dlfcn.h>
#include <string.h>

#define FUNCTIONS(F)                                                                                                   \
    F(oct_op_find)                                                                                                     \
    F(oct_op_is_on)                                                                                                    \
    F(oct_flat_form_get)                                                                                               \
    F(oct_flat_key_new)                                                                                                \
    F(oct_flat_key_free)                                                                                               \
    F(oct_flat_run)                                                                                                    \
    F(oct_flat_combine)

/* The library's functions, by their own names and types. */
static struct {
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
} lib;

/* ISO C has no conversion of dlsym()'s pointer to one of a function; POSIX has it by the bytes. */
static int find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

/* The soname says that the interface is the one of api.h, and a library from before a function lacks it. So no version
 * is compared: an update of the library serves programs that were built before. It stays for the life of the process.
 */
int octuple_load(void)
{
    void *handle = dlopen("liboctuple.so.0", RTLD_NOW | RTLD_LOCAL);
#define FIND(name) &&find(handle, #name, &lib.name)
    return handle != NULL FUNCTIONS(FIND);
}

int octuple_find(const char *name, struct oct_flat_form *form)
{
    const int op = lib.oct_op_find(name);

    return lib.oct_flat_form_get(op, form) == 0 ? op : -1;
}

int octuple_is_on(int op)
{
    return lib.oct_op_is_on(op);
}

struct oct_flat_key *octuple_key_new(int op, const uint8_t *bytes, size_t len)
{
    struct oct_flat_key *key = NULL;

    return lib.oct_flat_key_new(&key, op, bytes, len) == 0 ? key : NULL;
}

void octuple_key_free(struct oct_flat_key *key)
{
    lib.oct_flat_key_free(key);
}

static int fits(int op, unsigned lanes, size_t out_len)
{
    struct oct_flat_form form;

    return lib.oct_flat_form_get(op, &form) == 0 && lanes <= form.lanes && out_len == lanes * form.out;
}

struct oct_lanes octuple_run(int op, unsigned lanes, struct oct_flat_key *const key[], const uint8_t *in,
                             const size_t in_len[], uint8_t *out, size_t out_len)
{
    const struct oct_flat_key *const *keys = (const struct oct_flat_key *const *)key;
    struct oct_lanes result, none = {0, 0};

    if (!fits(op, lanes, out_len) || lib.oct_flat_run(op, lanes, keys, in, in_len, out, &result) != 0)
        return none;
    return result;
}

struct oct_lanes octuple_combine(int op, const struct oct_flat_key *key, const uint8_t *in, size_t in_len, uint8_t *out,
                                 size_t out_len)
{
    struct oct_lanes result, none = {0, 0};

    if (!fits(op, 1, out_len) || lib.oct_flat_combine(op, key, in, in_len, out, &result) != 0)
        return none;
    return result;
}
