/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple doctor`: its parts. doctor.c is the command; doctor_process.c and doctor_program.c gather facts about a
 * process and about a program that is not running, doctor_library.c says which TLS libraries these are, and
 * doctor_copies.c which copies of libssl;
 * doctor_lanes.c reads counters, doctor_start.c runs a command and watches it; doctor_judge.c and doctor_config.c make
 * findings of all that, doctor_print.c writes them.
 */
#ifndef OCT_CLI_DOCTOR_H
#define OCT_CLI_DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "cli.h"

#define DOCTOR_WHO "octuple doctor"

enum doctor_level { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_PROBLEM };

struct doctor_finding {
    const char *name; /* stable: scripts look for it */
    enum doctor_level level;
    const char *advice; /* what to do; NULL if nothing */
    char text[2 * PATH_MAX];
};

struct doctor_report {
    struct doctor_finding finding[12 + 8 + 1]; /* one more for each copy of libssl, and for those beyond */
    unsigned count;
    unsigned problems;
};

/* Adds a finding; static strings for name and advice. */
void doctor_add(struct doctor_report *report, enum doctor_level level, const char *name, const char *advice,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The libraries of a process or program, as paths that it sees; "" if it has none such. */
struct doctor_libraries {
    char ssl[PATH_MAX], crypto[PATH_MAX];    /* OpenSSL's, or whatever has their names */
    char shim[PATH_MAX], provider[PATH_MAX]; /* ours */
    char octuple[PATH_MAX];                  /* liboctuple.so */
    const char *other;                       /* name of another TLS library, or NULL */
    int other_inside;                        /* it is a part of the program, not a library of its own */
    int stale;                               /* one of OpenSSL's or ours was replaced on disk */
};

/* Files the path under what it is, if it is anything. */
void doctor_library_note(struct doctor_libraries *libraries, const char *path);

/* A copy of libssl, or of what took over its functions. */
#define DOCTOR_COPIES 8
struct doctor_copy {
    char path[PATH_MAX];
    char soname[64], crypto[64]; /* its own name, and that of the libcrypto it needs; "" if it has none */
    const char *other;           /* name of a fork of OpenSSL, or NULL */
    bool inside;                 /* it is linked into this file, which is another library or the program */
    enum { COPY_UNSERVED, COPY_SERVED, COPY_ONE_OF } served;
};

/* Reads what the file says of that, but the path and whether it is served; 0 if it cannot be read. */
int doctor_library_copy(struct doctor_copy *copy, const char *file);

/* What libcrypto says of itself. */
struct doctor_openssl {
    char version[64];      /* "OpenSSL 3.0.17 1 Jul 2025", or the name of what is none; "" if it does not say */
    unsigned major;        /* 0 if it is not OpenSSL */
    char folder[PATH_MAX]; /* OPENSSLDIR */
};
void doctor_openssl_read(struct doctor_openssl *openssl, const char *file);

/* The TLS library that was linked into this program; NULL if none is recognised. */
const char *doctor_library_inside(const char *file);

/* Sums over processes, from their counters. */
struct doctor_lanes {
    unsigned read, unreadable; /* processes */
    uint64_t lanes, plain, failed, batches;
};

struct doctor_target {
    pid_t asked;            /* the process that was named or started; 0: none */
    pid_t pid;              /* the one that was looked into, it or a descendant; 0: only the file was */
    char program[PATH_MAX]; /* its executable */
    char root[32];          /* before a path as it sees it: "/proc/PID/root", or "" */
    char *environment;      /* strings one behind the other; NULL: our own. Owned */
    size_t environment_size;
    int overwritten; /* the process keeps something else there: what is missing may have been there at the start */
    int noted;       /* ... but the library has noted OPENSSL_CONF */
    char noted_config[PATH_MAX];
    int apart; /* another root or other mounts than ours */
    int secure, seccomp, is_static;
    const char *obstacle; /* of a program: run_target_obstacle() */
    struct doctor_libraries libraries;
    struct doctor_openssl openssl;
    struct doctor_copy copy[DOCTOR_COPIES];
    unsigned copies, copies_missed;
    struct doctor_lanes lanes;
    int waited; /* a command was run, and ended with this status as of waitpid(); -1: none was */
};

/* A variable of the target's environment, or NULL. */
const char *doctor_env(const struct doctor_target *target, const char *name);

/* Calls see() with every file that the process has mapped, as a path that it sees itself; one may come several times.
 * Returns 0, or an errno. */
int doctor_each_file(pid_t pid, void (*see)(void *arg, const char *path), void *arg);

/* Looks into the process and, if OpenSSL is not in it, into its descendants. Returns 0, or the errno of the first. */
int doctor_look_process(struct doctor_target *target, pid_t pid);

/* Lists the copies of libssl in it. */
void doctor_copies_of_process(struct doctor_target *target);
void doctor_judge_copies(struct doctor_report *report, const struct doctor_target *target);

/* Sums up the counters of the process that was asked for and of its descendants. */
void doctor_lanes_of_target(struct doctor_target *target);

/* The OPENSSL_CONF that the library found when it was loaded into the process, "" if none; 0 if that cannot be read. */
int doctor_noted_config(char file[PATH_MAX], pid_t pid);

/* Adds those of all files in an OCTUPLE_COUNTERS folder. */
void doctor_lanes_of_folder(struct doctor_lanes *lanes, const char *folder);

/* Looks at a program's file and what the dynamic loader would load for it with our own environment. */
void doctor_look_program(struct doctor_target *target, const char *path);

/* Runs the command, for `seconds` if that is not 0, watches it and gathers its counters. Returns CLI_OK, or an exit
 * code after telling why it did not start. */
int doctor_start(struct doctor_target *target, char **command, unsigned seconds);

void doctor_judge(struct doctor_report *report, const struct doctor_target *target);
void doctor_judge_config(struct doctor_report *report, const struct doctor_target *target);

void doctor_print_text(const struct doctor_report *report, const struct doctor_target *target);
int doctor_print_json(const struct doctor_report *report, const struct doctor_target *target);

#endif
