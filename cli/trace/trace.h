/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple trace`: its parts. trace.c is the command, and says what the machine lacks; options.c has its options;
 * target.c finds the processes and their libraries, fibres.c how these may be traced without harm, elf.c reads the
 * libraries; functions.c lists what is traced; program.c, program_octuple.c write the bpftrace program, bpftrace.c
 * runs it; events.c, event_read.c, event_print.c (sniff, snoop) and latency.c, latency_print.c make the output.
 */
#ifndef OCT_CLI_TRACE_H
#define OCT_CLI_TRACE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "cli/core/cli.h"
#include "cli/core/facts/facts.h"

int cli_trace(int argc, char **argv);

#define TRACE_MAX_PROCESSES 256

enum trace_tool { TRACE_SNIFF, TRACE_SNOOP, TRACE_LATENCY };

struct trace_options {
    const char *who; /* "octuple trace TOOL", for messages */
    enum trace_tool tool;
    pid_t pid;           /* 0: by command */
    const char *command; /* the name of processes; NULL: by pid */
    uint64_t connection; /* the SSL object's address; 0: all */
    unsigned seconds;    /* 0: until interrupted */
    unsigned interval;   /* of latency, 0: at the end only */
    int json, hex, plaintext, print;
};

/* Returns -1 if the command is to go on, else its exit code. */
int trace_options_read(struct trace_options *options, int argc, char **argv);

/* Which functions may be traced at their return, which moves the return address to the kernel's own. */
enum trace_returns {
    TRACE_RETURNS_ALL,   /* calls return in the order in which they were made */
    TRACE_RETURNS_OUTER, /* something pauses handshakes: only what is called from outside of them */
    TRACE_RETURNS_NONE   /* the program changes stacks by itself */
};

struct trace_target {
    pid_t pids[TRACE_MAX_PROCESSES];
    unsigned count;
    pid_t seen; /* the one whose libraries these are */
    struct facts facts;
    /* Files as this process finds them; "" if there is none. */
    char ssl[2 * PATH_MAX], crypto[2 * PATH_MAX], shim[2 * PATH_MAX], provider[2 * PATH_MAX], octuple[2 * PATH_MAX];
    enum trace_returns returns;
    char why[PATH_MAX + 128];             /* not all */
    int uses_returns;                     /* the program does trace returns */
    int calls, keys, operations, batches; /* the shim (two), the provider, the library have probes of their own */
};

/* Finds it all. Returns CLI_OK, or an exit code after saying why not. */
int trace_target_find(struct trace_target *target, const struct trace_options *options);
/* Fills in `returns` and `why`, from all processes that have the target's libcrypto mapped. */
void trace_fibres_judge(struct trace_target *target);
/* A path of the target, as we find it. */
void trace_target_path(const struct trace_target *target, char *to, size_t room, const char *path);

/* elf.c: a library's file; nothing in it is trusted. NULL if it is no such file. */
struct trace_elf;
struct trace_elf *trace_elf_open(const char *path);
void trace_elf_close(struct trace_elf *elf);
int trace_elf_defines(const struct trace_elf *elf, const char *symbol);
int trace_elf_imports(const struct trace_elf *elf, const char *symbol);
/* It has the probe octuple:NAME. */
bool trace_elf_has_probe(const struct trace_elf *elf, const char *name);
/* In hex, "" if there is none. */
void trace_elf_build_id(const struct trace_elf *elf, char hex[65]);

/* What a function of OpenSSL's is. */
enum trace_kind {
    TRACE_HANDSHAKE, /* (SSL *) */
    TRACE_READ,      /* (SSL *, buffer, room): bytes */
    TRACE_READ_EX,   /* (SSL *, buffer, room, bytes *) */
    TRACE_WRITE,
    TRACE_WRITE_EX,
    TRACE_CLOSE,     /* (SSL *) */
    TRACE_OPERATION, /* of libcrypto: where the time of a handshake goes */
    TRACE_ANSWER,    /* the same, (context, buffer, ...): without a buffer it is only asked how large that must be */
    TRACE_DETAIL,    /* of libcrypto: inside of those, or small and many */
};

struct trace_function {
    const char *name;
    enum trace_kind kind;
};

/* The first ones have the numbers of enum oct_call in src/trace/timed.h, less one. */
#define TRACE_CALLS 8
extern const struct trace_function trace_functions[];
extern const unsigned trace_function_count;
/* Called from outside of handshakes. */
bool trace_is_outer(const struct trace_function *function);
/* The tool shows it. */
bool trace_is_wanted(enum trace_tool tool, const struct trace_function *function);

/* The text of the program, to be freed; NULL without memory. *probes is how many functions and points it watches. */
char *trace_program(struct trace_target *target, const struct trace_options *options, unsigned *probes);
/* The part for Octuple's own probes. Returns how many. */
unsigned trace_program_octuple(FILE *out, const struct trace_options *options, const struct trace_target *target);
/* The filter of every probe, to stand between slashes. */
#define TRACE_FILTER "@traced[(uint64)pid]"

/* What becomes of a program's output. */
struct trace_sink {
    void (*text)(void *state, const char *text);                     /* of printf() */
    void (*map)(void *state, const char *name, const json_t *value); /* of print(), and of all maps at the end */
    void (*ready)(void *state);                                      /* all is attached */
    void (*idle)(void *state);                                       /* nothing has come for a tenth of a second */
    void *state;
};

/* Runs the program, and ends it at once if a process comes that it could harm. Returns CLI_OK, or an exit code after
 * saying what went wrong. */
int trace_run(const char *program, const struct trace_options *options, struct trace_target *target,
              const struct trace_sink *sink);

int trace_show_events(const char *program, const struct trace_options *options, struct trace_target *target);
int trace_show_latency(const char *program, const struct trace_options *options, struct trace_target *target);

/* A map of latencies in the program's output has two keys: what, and whether it succeeded. */
#define TRACE_KEY_OPERATION 1000 /* + operation */
#define TRACE_KEY_BATCH     2000
#define TRACE_KEY_DEVICE    3000 /* + 0 for all of it, 1 for the line, 2 for the device */
/* Two strings that name it; the second is the operation, or NULL. */
void trace_key_name(unsigned key, const char **function, const char **operation);

/* latency.c keeps this per key. */
#define TRACE_BUCKETS 64
struct trace_sums {
    uint64_t count, total_ns, bucket[TRACE_BUCKETS]; /* bucket i holds 2^(i-1) .. 2^i - 1 us, 0 holds 0 */
};
struct trace_row {
    unsigned key;
    struct trace_sums sums[2], before[2]; /* failed, ok */
};
/* The rows less what they were before, as an interval of that number, or as the total if it is 0. */
void trace_print_rows(const struct trace_row *rows, unsigned count, const struct trace_options *options,
                      unsigned interval);

#endif
