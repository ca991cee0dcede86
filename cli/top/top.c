/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple top`: what Octuple does in running processes, and did in those that ended, from their counters.
 */
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "top.h"

#define LONGEST_INTERVAL 86400

static const char help[] =
    "Usage: octuple top [OPTION...] [PID|NAME|FOLDER]...\n"
    "Shows what Octuple does in a process and all that it started (PID), in those of a name (NAME), in those that "
    "keep\n"
    "their counters in a folder, ended ones too (FOLDER, with a slash in it), or wherever it is: operations, batches "
    "and\n"
    "how full they are, what fell back, what waits.\n"
    "\n"
    "Options:\n"
    "  -i, --interval S     seconds between two looks, 0.1 or more (1)\n"
    "  -n, --count N        end after so many looks\n"
    "  -t, --threads        each thread too (key t)\n"
    "  -1, --once           what was counted since the start, once\n"
    "  -j, --json           one JSON object for each look, on one line\n"
    "  -p, --prometheus     once, as Prometheus text\n"
    "  -o, --output FILE    ... into this file, which is replaced as a whole\n"
    "  -h, --help           this text\n"
    "\n"
    "Columns: ops/s operations in lanes and on the fallback; batch jobs in a batch on average; fill 1-8 how many\n"
    "batches had one job, two, ... eight; fallback/s operations left to OpenSSL; waiting jobs; CPU % time in batches,\n"
    "of one CPU; failed and redone jobs. On a terminal q and Ctrl-C end it; elsewhere it prints block after block.\n"
    "\n"
    "Examples:\n"
    "  octuple top nginx\n"
    "  octuple top --once --json $(cat /run/nginx.pid)\n"
    "  octuple top --prometheus --output /var/lib/prometheus/node-exporter/octuple.prom nginx\n"
    "\n"
    "Exit codes: 0 done, or the processes have ended; 1 there is nothing to be shown, or it cannot be written; 2 wrong "
    "usage.\n"
    "Manual: octuple-top(1).\n";

static int show(const struct top_request *request, int screen, const struct top_sample *now,
                const struct top_sample *before)
{
    if (request->prometheus)
        return top_print_prometheus(request, now);
    if (request->json)
        return top_print_json(request, now);
    struct top_form form = {.columns = screen ? top_screen_columns() : 80,
                            .inverse = screen,
                            .keys = screen,
                            .utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8")};
    char *text = NULL;
    size_t size;
    FILE *out = screen ? open_memstream(&text, &size) : stdout;
    if (out == NULL)
        return CLI_OK;
    top_view(out, &form, request, now, before);
    if (screen) {
        fclose(out);
        top_screen_show(text);
        free(text);
    } else {
        fputc('\n', out);
        fflush(out);
    }
    return CLI_OK;
}

/* Nothing runs any more: what was counted last, for those that keep no file as of the last look. */
static int show_end(const struct top_request *request, struct top_sample *last)
{
    for (unsigned i = 0; i < last->count; i++)
        last->process[i]->ended = 1;
    if (!request->json)
        printf("%s has ended; its last counters:\n", last->process[0]->command);
    return show(request, 0, last, NULL);
}

/* Shows again whatever a key or a new size asks for, until it is time for the next look. 0: it is to end. */
static int wait_and_show(struct top_request *request, int screen, uint64_t until, const struct top_sample *now,
                         const struct top_sample *before)
{
    enum top_event event;
    while ((event = top_wait(until)) != TOP_TIME) {
        if (event == TOP_KEY_QUIT)
            return 0;
        request->threads ^= event == TOP_KEY_THREADS;
        show(request, screen, now, before);
    }
    return 1;
}

/* Look after look. `now` is the first one, and the last one when this returns; 1 if nothing runs any more. */
static int watch(struct top_request *request, int screen, struct top_sample *now)
{
    const uint64_t step = (uint64_t)(request->interval * 1e9);
    struct top_sample before = {0};
    uint64_t next = now->at;
    int ended = 0, have_before = 0;
    for (unsigned long shown = 1;; shown++) {
        int code = show(request, screen, now, have_before ? &before : NULL);
        next = next + step > now->at ? next + step : now->at + step;
        if (code != CLI_OK || shown == request->count || ferror(stdout) ||
            !wait_and_show(request, screen, next, now, have_before ? &before : NULL))
            break;
        top_sample_free(&before);
        before = *now;
        have_before = 1;
        top_gather(now, request, &before, 0);
        if ((ended = top_running(now) == 0))
            break;
    }
    if (ended && now->count == 0)
        *now = before;
    else
        top_sample_free(&before);
    return ended;
}

static int top(struct top_request *request)
{
    struct top_sample sample;
    int code = CLI_OK;
    top_gather(&sample, request, NULL, 1);
    if (sample.count == 0) {
        /* A file of Prometheus's says so too: the old one would go on for ever. */
        code = request->prometheus ? top_print_prometheus(request, &sample) : CLI_FAILED;
        code = code == CLI_OK ? CLI_FAILED : code;
    } else if (request->once || request->prometheus || top_running(&sample) == 0) {
        code = show(request, 0, &sample, NULL);
    } else {
        const int screen = !request->json && top_screen_possible() && top_screen_begin();
        const int ended = watch(request, screen, &sample);
        top_screen_end();
        code = ended ? show_end(request, &sample) : CLI_OK;
    }
    top_sample_free(&sample);
    return code;
}

/* 1, 0 after a wrong one was told, -1 for help. */
static int read_option(struct top_request *request, int option)
{
    char *end;
    switch (option) {
    case 'i':
        request->interval = strtod(optarg, &end);
        if (end != optarg && *end == '\0' && request->interval >= 0.1 && request->interval <= LONGEST_INTERVAL)
            return 1;
        cli_say(TOP_WHO, "--interval takes seconds from 0.1 to %d, not '%s'", LONGEST_INTERVAL, optarg);
        return 0;
    case 'n':
        errno = 0;
        request->count = strtoul(optarg, &end, 10);
        if (errno == 0 && *optarg >= '0' && *optarg <= '9' && *end == '\0' && request->count > 0)
            return 1;
        cli_say(TOP_WHO, "--count takes a number from 1 on, not '%s'", optarg);
        return 0;
    case 't':
        return request->threads = 1;
    case '1':
        return request->once = 1;
    case 'j':
        return request->json = 1;
    case 'p':
        return request->prometheus = 1;
    case 'o':
        request->output = optarg;
        return 1;
    default:
        return option == 'h' ? -1 : 0;
    }
}

/* What does not go together, in words; NULL. */
static const char *conflict(const struct top_request *request)
{
    if (request->json && request->prometheus)
        return "--json and --prometheus are two forms: take one";
    return request->output != NULL && !request->prometheus ? "--output is for --prometheus" : NULL;
}

int cli_top(int argc, char **argv)
{
    static const struct option options[] = {{"interval", required_argument, NULL, 'i'},
                                            {"count", required_argument, NULL, 'n'},
                                            {"threads", no_argument, NULL, 't'},
                                            {"once", no_argument, NULL, '1'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"prometheus", no_argument, NULL, 'p'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct top_request request = {.interval = 1};
    int option, good = 1;
    setlocale(LC_CTYPE, "");
    while (good > 0 && (option = getopt_long(argc, argv, "i:n:t1jpo:h", options, NULL)) != -1)
        good = read_option(&request, option);
    if (good < 0)
        return cli_print(help);
    if (good && conflict(&request) != NULL) {
        cli_say(TOP_WHO, "%s", conflict(&request));
        good = 0;
    }
    if (!good)
        return cli_see_help(argv[0]);
    request.target = argv + optind;
    request.targets = (unsigned)(argc - optind);
    return top(&request);
}
