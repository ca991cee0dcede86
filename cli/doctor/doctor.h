/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple doctor`: its parts. doctor.c is the command; start.c runs a program and watches it; load.c gives a server
 * some load, on request; lanes.c sums up counters; ports.h has the handshakes with a server. judge.c, config.c,
 * confined.c, copies.c, keys.c, quic.c and memory.c make findings of all that and of the facts; verdict.c has the last
 * word, and print.c writes them.
 */
#ifndef OCT_CLI_DOCTOR_H
#define OCT_CLI_DOCTOR_H

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <octuple/counters.h>
#include <openssl/conf.h>
#include "cli/core/cli.h"
#include "cli/core/facts/facts.h"
#include "cli/core/settings.h"
#include "conf.h"
#include "ports.h"

#define DOCTOR_WHO "octuple doctor"

int cli_doctor(int argc, char **argv);

enum doctor_level { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_PROBLEM };

struct doctor_finding {
    const char *name; /* stable: scripts look for it */
    enum doctor_level level;
    const char *advice; /* what to do; NULL if nothing */
    char text[2 * PATH_MAX];
};

struct doctor_report {
    /* One more for each copy of libssl, two for each port, and for those of both beyond; why groups are missing; for
     * each setting that is wrong. */
    struct doctor_finding finding[21 + FACTS_COPIES + 1 + 2 * DOCTOR_PORTS + 1 + 1 + OCT_SETTING_COUNT];
    unsigned count;
    unsigned problems;
};

/* What is wrong, and what to do about it: one list. Of those that are put together elsewhere it has the advice, and
 * when it is given. */
#define DOCTOR_UNUSED                                   __attribute__((unused))
#define DOCTOR_FINDING(id, level, name, format, advice) static const char doctor_format_##id[] DOCTOR_UNUSED = format;
#define DOCTOR_ADVICE(id, name, when, advice)                                                                          \
    static const char doctor_when_##id[] DOCTOR_UNUSED = when, doctor_advice_##id[] DOCTOR_UNUSED = advice;
#include "findings.def"
#undef DOCTOR_FINDING
#undef DOCTOR_ADVICE

enum doctor_row {
#define DOCTOR_FINDING(id, level, name, format, advice) DOCTOR_##id,
#define DOCTOR_ADVICE(id, name, when, advice)
#include "findings.def"
#undef DOCTOR_FINDING
#undef DOCTOR_ADVICE
};

/* Adds a finding of the list: doctor_say(report, SAY(CPU_OFF), "OCTUPLE_TABLE"). */
#define SAY(id) DOCTOR_##id, doctor_format_##id
void doctor_say(struct doctor_report *report, enum doctor_row row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds another one; static strings for name and advice. */
void doctor_add(struct doctor_report *report, enum doctor_level level, const char *name, const char *advice,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Sums over processes, from their counters. */
struct doctor_lanes {
    unsigned read, unreadable, other_versions; /* processes; the last are among those that cannot be read */
    uint64_t lanes, fallback, failed, batches;
    struct oct_key_counters keys;
    struct oct_quic_counters quic;
    struct oct_memory_counters memory;
    struct oct_stay_counters stays;
    struct oct_hello_counters hellos;
    uint64_t asked, together; /* operations but keys, which are made ahead: all, and those in a batch of several */
};

struct doctor_target {
    struct facts facts;
    const char *obstacle; /* of a program: launch_look() */
    struct doctor_lanes lanes;
    struct doctor_ports ports;
    int waited; /* a command was run, and ended with this status as of waitpid(); -1: none was */
};

/* Sums up the counters of the process that was asked for and of its descendants. */
void doctor_lanes_of_target(struct doctor_target *target);

/* Adds those of all files in an OCTUPLE_COUNTERS folder. */
void doctor_lanes_of_folder(struct doctor_lanes *lanes, const char *folder);

/* Runs the command, for `seconds` if that is not 0, watches it and gathers its counters. Returns CLI_OK, or an exit
 * code after telling why it did not start. */
int doctor_start(struct doctor_target *target, char **command, unsigned seconds);

/* What the library says here of this CPU is from then on what it says in the process, with its settings. To be called
 * before the library is asked anything. */
void doctor_take_settings(const struct doctor_target *target);

/* Handshakes with the server, in the network that the last call for ports has entered; its lanes are then read anew. */
void doctor_make_load(struct doctor_report *report, struct doctor_target *target, unsigned port);

void doctor_judge(struct doctor_report *report, const struct doctor_target *target);
void doctor_judge_confined(struct doctor_report *report, const struct doctor_target *target);
void doctor_judge_copies(struct doctor_report *report, const struct doctor_target *target);
void doctor_judge_config(struct doctor_report *report, const struct doctor_target *target);
void doctor_judge_keys(struct doctor_report *report, const struct doctor_target *target);
void doctor_judge_quic(struct doctor_report *report, const struct doctor_target *target);
void doctor_judge_memory(struct doctor_report *report, const struct doctor_target *target);

/* Loads the configuration that the target reads into `conf`, and stores its name. False if which one that is is not
 * known, or if it cannot be read. */
bool doctor_load_config(CONF *conf, char file[PATH_MAX], const struct doctor_target *target);

/* Findings on target->ports: for each port; and why none of the post-quantum groups is taken at some (`where`), as far
 * as that can be known. `elsewhere`: another port of the same server takes one. */
void doctor_judge_ports(struct doctor_report *report, const struct doctor_target *target);
void doctor_judge_why(struct doctor_report *report, const struct doctor_target *target, const char *where,
                      bool elsewhere);

/* Under load, most operations ran together with others. */
bool doctor_runs_together(const struct doctor_lanes *lanes);

/* Whether it is in a storm, and what would help. */
void doctor_judge_storm(struct doctor_report *report, const struct doctor_target *target);
void doctor_judge_handshakes(struct doctor_report *report, const struct doctor_target *target);
/* The last word: its stable name, and a sentence of at most `room` bytes. */
const char *doctor_verdict(const struct doctor_report *report, const struct doctor_target *target, char *text,
                           size_t room);

void doctor_print_text(const struct doctor_report *report, const struct doctor_target *target);
int doctor_print_json(const struct doctor_report *report, const struct doctor_target *target);

#endif
