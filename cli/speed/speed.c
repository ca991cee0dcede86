/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple speed`: arguments, and the order of things. Every operation's results are compared with OpenSSL's before
 * anything is timed.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "speed.h"
#include "keys.h"

#define MAX_OPS     256
#define MAX_SECONDS 3600.0

struct speed_request {
    const struct speed_op *op[MAX_OPS];
    unsigned ops;
    double seconds;
    const struct speed_report *report;
};

static const char help_head[] =
    "Usage: octuple speed [OPERATION...] [--seconds S] [--json]\n"
    "Measures Octuple, eight lanes full, against OpenSSL's own implementation: on one core, in short alternating "
    "slices,\n"
    "eight different keys (RSA: two), results compared first. The ratio is the median over the pairs of slices.\n"
    "\n"
    "Operations (all of them if none is named):\n";

static const char help_tail[] =
    "\n"
    "Options:\n"
    "  -s, --seconds S  measure each operation for about S seconds (default 2; up to 3600, fractions are fine)\n"
    "  -j, --json       one JSON object a line: op, octuple_per_s, openssl_per_s, ratio, unit\n"
    "  -h, --help       this text\n"
    "\n"
    "Examples:\n"
    "  octuple speed\n"
    "  octuple speed rsa2048-private --seconds 10\n"
    "  octuple speed --json | jq -r '[.op, .ratio] | @tsv'\n"
    "  OCTUPLE_TABLE=c octuple speed rsa2048-private    the portable table, slow and for tests\n"
    "  OCTUPLE_WIDTH=256 octuple speed aes128gcm-seal-1440   ciphers on narrower vectors (512, 256, 128)\n"
    "\n"
    "Exit codes: 0 measured, 1 failed or results differ, 2 wrong usage, 3 an operation is off here, so that only\n"
    "OpenSSL was measured (null in JSON; 'octuple info' says why). Manual: octuple-speed(1).\n";

/* The operations named, or all. */
static int choose(struct speed_request *request, const char *who, int names, char **name)
{
    const struct speed_op *op;
    for (int i = 0; i < names; i++) {
        if ((op = speed_op_find(name[i])) == NULL) {
            fprintf(stderr, "%s: there is no operation '%s'; it is one of:\n", who, name[i]);
            for (unsigned j = 0; (op = speed_op_at(j)) != NULL; j++)
                fprintf(stderr, "  %s\n", op->name);
            return CLI_USAGE;
        }
        if (request->ops == MAX_OPS) {
            cli_say(who, "more than %d operations; name fewer", MAX_OPS);
            return CLI_USAGE;
        }
        request->op[request->ops++] = op;
    }
    for (unsigned i = 0; names == 0 && i < MAX_OPS && (op = speed_op_at(i)) != NULL; i++)
        request->op[request->ops++] = op;
    return CLI_OK;
}

/* One call on either side, results compared. */
static int results_agree(const struct speed_op *op, void *state)
{
    if (op->octuple(state) == 0)
        cli_say("octuple speed", "%s failed in Octuple; please report this", op->name);
    else if (op->openssl(state) == 0)
        cli_say("octuple speed", "%s failed in OpenSSL", op->name);
    else if (!op->same(state))
        cli_say("octuple speed", "%s: Octuple and OpenSSL differ, nothing was timed; please report this", op->name);
    else
        return 1;
    return 0;
}

static int measure_state(const struct speed_request *request, const struct speed_op *op, void *state)
{
    struct speed_result result;
    int on = speed_op_is_on(op);
    if (on && !results_agree(op, state))
        return CLI_FAILED;
    speed_pin();
    int measured = speed_measure(op, state, request->seconds, on, &result);
    speed_unpin();
    if (!measured) {
        cli_say("octuple speed", "%s failed while it was timed; please report this", op->name);
        return CLI_FAILED;
    }
    if (!request->report->row(op, &result))
        return CLI_FAILED;
    return on ? CLI_OK : CLI_NOT_MEASURED;
}

/* A failure wins over "not measured", which wins over success. */
static int measure_all(const struct speed_request *request)
{
    int code = CLI_OK;
    int core = speed_pin();
    speed_unpin();
    request->report->head(core, request->seconds);
    for (unsigned i = 0; i < request->ops; i++) {
        const struct speed_op *op = request->op[i];
        void *state = op->open(op);
        int one = state != NULL ? measure_state(request, op, state) : CLI_FAILED;
        if (state != NULL)
            op->close(state);
        if (one == CLI_NOT_MEASURED && code == CLI_OK)
            cli_say("octuple speed", "%s is off: %s; only OpenSSL is measured", op->name, speed_op_reason(op));
        code = one == CLI_FAILED || code == CLI_FAILED ? CLI_FAILED : one != CLI_OK ? one : code;
    }
    speed_keys_forget();
    return code;
}

int cli_speed(int argc, char **argv)
{
    static const struct option options[] = {{"seconds", required_argument, NULL, 's'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct speed_request request = {.seconds = 2, .report = &speed_report_text};
    const struct speed_op *op;
    char *end;
    int option;
    while ((option = getopt_long(argc, argv, "s:jh", options, NULL)) != -1) {
        switch (option) {
        case 's':
            request.seconds = strtod(optarg, &end);
            if (end != optarg && *end == '\0' && request.seconds > 0 && request.seconds <= MAX_SECONDS)
                break;
            cli_say(argv[0], "--seconds '%s' is not a number above 0 and up to %g", optarg, MAX_SECONDS);
            return cli_see_help(argv[0]);
        case 'j':
            request.report = &speed_report_json;
            break;
        case 'h':
            fputs(help_head, stdout);
            for (unsigned i = 0; (op = speed_op_at(i)) != NULL; i++)
                printf("  %s\n", op->name);
            return cli_print(help_tail);
        default:
            return cli_see_help(argv[0]);
        }
    }
    int code = choose(&request, argv[0], argc - optind, argv + optind);
    return code == CLI_OK ? measure_all(&request) : code;
}
