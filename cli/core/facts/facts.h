/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Facts about a program, running or not: its libraries, its environment and what limits it. Nothing is judged here.
 * process.c looks at a process, program.c at a program that is not running, library.c says which TLS library a file is,
 * copies.c finds the copies of libssl.
 */
#ifndef OCT_CLI_FACTS_H
#define OCT_CLI_FACTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <octuple/counters.h>
#include <openssl/opensslv.h>

/* The libraries of a process or program, as paths that it sees; "" if it has none such. */
struct facts_libraries {
    char ssl[PATH_MAX], crypto[PATH_MAX];    /* OpenSSL's, or whatever has their names */
    char shim[PATH_MAX], provider[PATH_MAX]; /* ours */
    char octuple[PATH_MAX];                  /* liboctuple.so */
    const char *other;                       /* name of another TLS library, or NULL */
    int other_inside;                        /* it is a part of the program, not a library of its own */
    char stale[PATH_MAX];                    /* one of OpenSSL's or ours that was replaced on disk */
};

/* Files the path under what it is, if it is anything. */
void facts_note_library(struct facts_libraries *libraries, const char *path);

/* The system's names of the libraries that the provider is bound to. */
#define FACTS_TEXT_(number) #number
#define FACTS_TEXT(number)  FACTS_TEXT_(number)
#define FACTS_LIBSSL        "libssl.so." FACTS_TEXT(OPENSSL_SHLIB_VERSION)
#define FACTS_LIBCRYPTO     "libcrypto.so." FACTS_TEXT(OPENSSL_SHLIB_VERSION)

#define FACTS_AWSLC "AWS-LC"

/* A copy of libssl, or of what took over its functions. */
#define FACTS_COPIES 8
struct facts_copy {
    char path[PATH_MAX];
    char soname[64], crypto[64]; /* its own name, and that of the libcrypto it needs; "" if it has none */
    const char *other;           /* name of a fork of OpenSSL, or NULL */
    bool inside;                 /* it is linked into this file, which is another library or the program */
    enum { COPY_UNSERVED, COPY_SERVED, COPY_ONE_OF } served;
};

/* Reads what the file says of that, but the path and whether it is served; 0 if it cannot be read. */
int facts_read_copy(struct facts_copy *copy, const char *file);

/* What libcrypto says of itself. */
struct facts_openssl {
    char version[64];      /* "OpenSSL 3.0.17 1 Jul 2025", or the name of what is none; "" if it does not say */
    unsigned major;        /* 0 if it is not OpenSSL */
    const char *other;     /* what it is instead; else NULL */
    char folder[PATH_MAX]; /* OPENSSLDIR */
};
void facts_read_openssl(struct facts_openssl *openssl, const char *file);

/* The TLS library that was linked into this program; NULL if none is recognised. */
const char *facts_library_inside(const char *file);

struct facts {
    pid_t asked;            /* the process that was named or started; 0: none */
    pid_t pid;              /* the one that was looked into, it or a descendant; 0: only the file was */
    char program[PATH_MAX]; /* its executable */
    char root[32];          /* before a path as it sees it: "/proc/PID/root", or "" */
    char *environment;      /* strings one behind the other; NULL: our own. Owned */
    size_t environment_size;
    int overwritten; /* the process keeps something else there: what is missing may have been there at the start */
    int noted;       /* ... but the library has noted OPENSSL_CONF, and what was set of Octuple's variables */
    char noted_config[PATH_MAX];
    char noted_settings[sizeof((struct oct_start_notes *)0)->settings];
    int apart; /* another root or other mounts than ours */
    int secure, seccomp, is_static;
    bool is_foreign;                    /* no 64-bit x86 program: then it is not known whether it is secure or static */
    char label[256], label_before[256]; /* an SELinux context or AppArmor profile, and before it became this program */
    struct facts_libraries libraries;
    struct facts_openssl openssl;
    struct facts_copy copy[FACTS_COPIES];
    unsigned copies, copies_missed;
};

/* Which TLS library it is, from the file of the libcrypto that was found, or else the program's own. */
void facts_read_library(struct facts *facts, const char *program);

/* The program's file, and what the dynamic loader would give it with our own environment. */
void facts_look_program(struct facts *facts, const char *path);

/* Its OCTUPLE_LOOPS lets the shim serve AWS-LC. */
bool facts_asks_for_awslc(const struct facts *facts);
/* It has AWS-LC as shared libraries, and asks for that: the shim serves it without the provider. */
bool facts_is_awslc(const struct facts *facts);

/* The name of the TLS library that it has instead of one that is served, if that is known; else NULL. */
const char *facts_other_library(const struct facts *facts);

/* A variable of the target's environment, or NULL. */
const char *facts_env(const struct facts *facts, const char *name);

/* The string NAME=VALUE of its environment behind this one, or the first; NULL: there is none. */
const char *facts_env_next(const struct facts *facts, const char *before);

/* Calls see() with every file that the process has mapped, as a path that it sees itself; one may come several times.
 * Returns 0, or an errno. */
int facts_each_file(pid_t pid, void (*see)(void *arg, const char *path), void *arg);

/* Looks into the process and, if OpenSSL is not in it, into its descendants. Returns 0, or the errno of the first. */
int facts_look(struct facts *facts, pid_t pid);

/* Lists the copies of libssl in the process. */
void facts_find_copies(struct facts *facts);

#endif
