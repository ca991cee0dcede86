/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The options of `octuple trace`. What goes into the program's text is held to letters that mean nothing there. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "cli/core/process.h"
#include "trace.h"

static const char help[] =
    "Usage: octuple trace sniff|snoop|latency [OPTION...] PID|NAME\n"
    "Watches a running process from outside, by bpftrace, as root; nothing in it is changed, stopped or restarted.\n"
    "\n"
    "Tools:\n"
    "  sniff    its TLS calls: handshake, read, write, with length and latency; the plaintext if that is asked for\n"
    "  snoop    a line for each handshake step and operation, OpenSSL's and Octuple's, in one order\n"
    "  latency  counts, averages and histograms of each function, summed up in the kernel; printed at the end\n"
    "\n"
    "PID is a process and its descendants, NAME all processes of that name, as 'ps -o comm' shows it.\n"
    "\n"
    "Options:\n"
    "  -p, --pid PID             the same as PID\n"
    "  -c, --command NAME        the same as NAME, also for a name of digits alone\n"
    "  -C, --connection ADDRESS  this connection alone, 0x... as sniff and snoop show it (not with latency)\n"
    "  -s, --seconds N           end after so many seconds; otherwise by Ctrl-C\n"
    "  -i, --interval N          latency: print every N seconds, too\n"
    "  -j, --json                JSON, an object a line\n"
    "  -P, --show-plaintext      sniff: show what is read and written, up to 200 bytes of each call\n"
    "  -x, --hex                 ... as a hex dump\n"
    "  -n, --print-program       print the bpftrace program and do not run it\n"
    "  -h, --help                this text\n"
    "\n"
    "Examples:\n"
    "  octuple trace latency --seconds 10 $(cat /run/nginx.pid)\n"
    "  octuple trace snoop --json haproxy | jq 'select(.function == \"octuple:flush\")'\n"
    "  octuple trace sniff 4711 --connection 0x55d0c8a3b2f0 --show-plaintext --hex\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 5 this process cannot be traced (no OpenSSL of its own in a shared\n"
    "library), 6 this machine cannot trace (bpftrace, root, tracefs or uprobes missing). Manual: octuple-trace(1).\n";

static const char short_options[] = "p:c:C:s:i:jPxnh";
static const struct option long_options[] = {{"pid", required_argument, NULL, 'p'},
                                             {"command", required_argument, NULL, 'c'},
                                             {"connection", required_argument, NULL, 'C'},
                                             {"seconds", required_argument, NULL, 's'},
                                             {"interval", required_argument, NULL, 'i'},
                                             {"json", no_argument, NULL, 'j'},
                                             {"show-plaintext", no_argument, NULL, 'P'},
                                             {"hex", no_argument, NULL, 'x'},
                                             {"print-program", no_argument, NULL, 'n'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

/* A whole number from 1 to INT_MAX, or 0 after saying what is wrong. */
static unsigned number(const char *who, const char *option, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || *text == '\0' || *end != '\0' || value <= 0 || value > INT_MAX) {
        cli_say(who, "--%s takes a whole number from 1, not '%s'", option, text);
        return 0;
    }
    return (unsigned)value;
}

static int take_name(struct trace_options *options, const char *name)
{
    size_t len = strlen(name);
    int good = len > 0 && len <= 15;
    for (size_t i = 0; i < len; i++)
        good = good && (isalnum((unsigned char)name[i]) || strchr("._+:/@- ", name[i]) != NULL);
    if (!good)
        cli_say(options->who, "NAME is as 'ps -o comm' shows it, of 1 to 15 letters, not '%s'", name);
    options->command = name;
    return good;
}

/* 0 after a message. */
static int take(struct trace_options *options, int option, const char *value)
{
    char *end;
    switch (option) {
    case 'p':
        return (options->pid = (pid_t)number(options->who, "pid", value)) != 0;
    case 'c':
        return take_name(options, value);
    case 'C':
        errno = 0;
        options->connection = strtoull(value, &end, 16);
        if (errno == 0 && isxdigit((unsigned char)value[0]) && *end == '\0' && options->connection != 0)
            return 1;
        cli_say(options->who, "--connection takes an address such as 0x55d0c8a3b2f0, not '%s'", value);
        return 0;
    case 's':
        return (options->seconds = number(options->who, "seconds", value)) != 0;
    case 'i':
        return (options->interval = number(options->who, "interval", value)) != 0;
    case 'j':
        return options->json = 1;
    case 'P':
        return options->plaintext = 1;
    case 'x':
        return options->hex = 1;
    case 'n':
        return options->print = 1;
    default:
        return 0;
    }
}

/* Takes the words that are no options, PID or NAME, as `octuple top` does, and looks at what does not go together;
 * 0 after a message. */
static int complete(struct trace_options *options, int tool, int words, char **word)
{
    static const char one_target[] = "it takes one target: PID, NAME, --pid or --command";
    const char *wrong = NULL;
    if (tool < 0)
        wrong = "a tool is missing: sniff, snoop or latency";
    else if (words > 1 || (words == 1 && (options->pid != 0 || options->command != NULL)))
        wrong = one_target;
    else if (words == 1 && (options->pid = process_as_pid(word[0])) == 0 && !take_name(options, word[0]))
        return 0;
    else if ((options->pid != 0) == (options->command != NULL))
        wrong = one_target;
    else if (options->interval != 0 && tool != TRACE_LATENCY)
        wrong = "--interval is an option of 'latency'";
    else if (options->connection != 0 && tool == TRACE_LATENCY)
        wrong = "--connection is an option of 'sniff' and 'snoop'";
    else if ((options->plaintext || options->hex) && tool != TRACE_SNIFF)
        wrong = "--show-plaintext and --hex are options of 'sniff'";
    else if (options->hex && !options->plaintext)
        wrong = "--hex shows plaintext: ask for it by --show-plaintext, too";
    if (wrong != NULL)
        cli_say(options->who, "%s", wrong);
    return wrong == NULL;
}

int trace_options_read(struct trace_options *options, int argc, char **argv)
{
    static const char *const names[][2] = {
        {"sniff", "octuple trace sniff"}, {"snoop", "octuple trace snoop"}, {"latency", "octuple trace latency"}};
    int tool = 2, option;
    while (tool >= 0 && (argv[1] == NULL || strcmp(argv[1], names[tool][0]) != 0))
        tool--;
    options->who = tool >= 0 ? names[tool][1] : argv[0];
    options->tool = (enum trace_tool)tool;
    argc -= tool >= 0;
    argv += tool >= 0;
    char *whole = argv[0];
    argv[0] = (char *)(uintptr_t)options->who; /* getopt's own messages begin with it */
    while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        if (option == 'h')
            return cli_print(help);
        if (!take(options, option, optarg))
            return cli_see_help("octuple trace");
    }
    argv[0] = whole;
    return complete(options, tool, argc - optind, argv + optind) ? -1 : cli_see_help("octuple trace");
}
