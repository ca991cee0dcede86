/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The OpenSSL configuration that includes the system's and adds the provider, where the program cannot reach it: in a
 * jail that it has entered before OpenSSL began, or after a mount or a file went. OpenSSL says nothing then and reads
 * no configuration at all. So OPENSSL_CONF names again what it would without Octuple: what an administrator has said
 * of protocols and ciphers counts for more than lanes. Where the program is to be left as it is, it does so too.
 */
#include "libssl/config.h"

#include "libssl/resolve.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define VARIABLE "OPENSSL_CONF"
#define BASE     "OPENSSL_CONF_BEFORE_OCTUPLE"
#define INCLUDE  ".include "

/* The file is ours, and was there; what it includes, with the name of the variable before it: "" after that is none. */
static char named[PATH_MAX], instead[sizeof VARIABLE + PATH_MAX];
static bool ours;

static void set_instead(const char *base)
{
    ours = (size_t)snprintf(instead, sizeof instead, "%s=%s", VARIABLE, base) < sizeof instead;
}

/* A file of ours says so in its comment, and has one include. In such a file a backslash quotes the next character. */
static void read_include(FILE *in)
{
    char line[2 * PATH_MAX], base[2 * PATH_MAX];
    bool says_so = false;
    while (fgets(line, sizeof line, in) != NULL) {
        if (line[0] == '#')
            says_so |= strcasestr(line, "octuple") != NULL;
        if (!says_so || strncmp(line, INCLUDE, strlen(INCLUDE)) != 0)
            continue;
        char *to = base;
        for (const char *at = line + strlen(INCLUDE); *at != '\0' && *at != '\n'; at++) {
            at += *at == '\\' && at[1] != '\0';
            *to++ = *at;
        }
        *to = '\0';
        set_instead(base);
    }
}

/* The file is ours, and OPENSSL_CONF still names it. */
static bool is_named(void)
{
    const char *now = getenv(VARIABLE);
    return ours && now != NULL && strcmp(now, named) == 0;
}

void oct_config_put_back(void)
{
    if (!is_named())
        return;
    /* Other threads may read the environment: an entry is replaced by one that is never freed. */
    char **entry = environ;
    while (*entry != NULL && strncmp(*entry, instead, sizeof VARIABLE) != 0)
        entry++;
    if (*entry == NULL)
        return;
    if (instead[sizeof VARIABLE] != '\0')
        __atomic_store_n(entry, instead, __ATOMIC_RELEASE);
    for (; instead[sizeof VARIABLE] == '\0' && *entry != NULL; entry++)
        __atomic_store_n(entry, entry[1], __ATOMIC_RELEASE);
}

void oct_config_check(void)
{
    if (is_named() && access(named, R_OK) != 0)
        oct_config_put_back();
}

void oct_config_start(void)
{
    const char *name = getenv(VARIABLE), *base = getenv(BASE);
    if (name == NULL || name[0] == '\0' || strlen(name) >= sizeof named)
        return;
    memcpy(named, name, strlen(name) + 1);
    if (base != NULL) {
        set_instead(base);
    } else {
        FILE *in = fopen(named, "re");
        if (in != NULL) {
            read_include(in);
            fclose(in);
        }
    }
    oct_config_check();
}

__attribute__((visibility("default"))) int chroot(const char *path)
{
    __typeof__(chroot) *real = oct_libc()->chroot;
    const int error = real != NULL ? real(path) : (int)syscall(SYS_chroot, path);
    if (error == 0) {
        const int before = errno;
        oct_config_check();
        errno = before;
    }
    return error;
}
