/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple doctor`: does Octuple serve this very program, and if not, why. `octuple info` speaks of the machine; this
 * looks at a running process, or starts a command as `octuple run` would, and watches it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/core/launch/launch.h"
#include "cli/core/process.h"
#include "doctor.h"

struct doctor_request {
    int json;
    bool no_handshake;
    const char *connect; /* an address, or NULL */
    const char *name;    /* the process's, as long as its number is not known */
    unsigned seconds;
    unsigned load; /* a port; 0: none */
    pid_t pid;
    char **command;
};

static const char help[] =
    "Usage: octuple doctor [--json] [--no-handshake | --connect HOST:PORT] [--load PORT] PROCESS\n"
    "       octuple doctor [--json] --connect HOST:PORT\n"
    "       octuple doctor [--json] [--seconds N] -- COMMAND [ARG...]\n"
    "Says whether Octuple serves a program, and if not, why and what to do: its TLS library and version, the CPU, the\n"
    "preload, the OpenSSL configuration, and whether operations really went through lanes. PROCESS is the number or\n"
    "the name of a running one (its descendants count too); COMMAND is run as 'octuple run' does, its output goes to\n"
    "stderr, and the report comes when it has ended. Where problems are found beforehand it is not started.\n"
    "The ports where it listens are asked by handshakes of TLS 1.3 which groups they take, one group at a time: also\n"
    "post-quantum ones, and if there are none, the report says why.\n"
    "\n"
    "Options:\n"
    "  -j, --json               one JSON object, for scripts\n"
    "  -n, --no-handshake       connect to none of its ports\n"
    "  -c, --connect HOST:PORT  connect there, not where it listens\n"
    "  -l, --load PORT          make handshakes at this port of loopback for a second, and say what came of them\n"
    "  -s, --seconds N          end COMMAND (SIGTERM) after so many seconds\n"
    "  -h, --help               this text\n"
    "\n"
    "Examples:\n"
    "  octuple doctor nginx\n"
    "  octuple doctor --connect www.example.org:443\n"
    "  octuple doctor --seconds 30 -- nginx -g 'daemon off;'\n"
    "  octuple doctor --json 4711 | jq -r '.findings[] | select(.level == \"problem\").text'\n"
    "\n"
    "Exit codes: 0 no problem, 1 the process cannot be looked into, 2 wrong usage, 4 problems; 125-127 as of 'run'.\n"
    "Manual: octuple-doctor(1).\n";

static int print(const struct doctor_request *request, const struct doctor_report *report,
                 const struct doctor_target *target)
{
    int code = CLI_OK;
    if (request->json)
        code = doctor_print_json(report, target);
    else
        doctor_print_text(report, target);
    return code == CLI_OK && report->problems > 0 ? CLI_PROBLEMS : code;
}

static int examine_server(const struct doctor_request *request, struct doctor_report *report,
                          struct doctor_target *target)
{
    const long pid = request->pid;
    const struct facts *facts = &target->facts;
    struct doctor_ports *ports = &target->ports;
    ports->given = request->connect != NULL;
    ports->count = ports->given ? 1 : 0;
    if (ports->given && !doctor_read_address(&ports->port[0], request->connect)) {
        cli_say(DOCTOR_WHO, "--connect takes HOST:PORT or [ADDRESS]:PORT, not '%s'", request->connect);
        return cli_see_help(DOCTOR_WHO);
    }
    const char *why = ports->given ? doctor_find_address(&ports->port[0]) : NULL;
    if (why != NULL) {
        cli_say(DOCTOR_WHO, "%s cannot be looked up: %s", request->connect, why);
        return CLI_FAILED;
    }
    int error = pid != 0 ? facts_look(&target->facts, request->pid) : 0;
    if (error == EACCES || error == EPERM) {
        cli_say(DOCTOR_WHO, "looking into process %ld is not permitted: %s", pid, cli_who_may_look());
        return CLI_FAILED;
    }
    if (error != 0) {
        cli_say(DOCTOR_WHO, "there is no process %ld with a program in it (%s); see 'ps %ld'", pid, strerror(error),
                pid);
        return CLI_FAILED;
    }
    if (pid != 0) {
        doctor_take_settings(target);
        doctor_lanes_of_target(target);
    }
    /* A program without any TLS library has no port that is worth a handshake. */
    if (!request->no_handshake && !ports->given &&
        (facts->libraries.crypto[0] != '\0' || facts->libraries.other != NULL || facts->copies))
        doctor_find_ports(ports, facts->asked);
    if (!request->no_handshake)
        doctor_offer_groups(ports);
    if (request->load != 0)
        doctor_make_load(report, target, request->load);
    if (pid != 0)
        doctor_judge(report, target);
    else
        doctor_judge_ports(report, target);
    return print(request, report, target);
}

static int examine_command(const struct doctor_request *request, struct doctor_report *report,
                           struct doctor_target *target)
{
    static struct launch_setup setup;
    int code = launch_set_up(&setup, request->command[0]);
    if (code != CLI_OK)
        return code;
    target->obstacle = setup.program.obstacle;
    facts_look_program(&target->facts, setup.target);
    if (setup.groups_only != NULL)
        doctor_say(report, SAY(RUN_GROUPS), setup.groups_only);
    else if (setup.why_without != NULL)
        doctor_say(report, SAY(RUN_PLAINLY), setup.why_without);
    doctor_judge(report, target);
    if (report->problems > 0)
        return print(request, report, target);
    code = doctor_start(target, request->command, request->seconds);
    if (code != CLI_OK)
        return code;
    *report = (struct doctor_report){0};
    doctor_judge(report, target);
    return print(request, report, target);
}

/* A number from 1 to INT_MAX; 0 if it is none. */
static long number(const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && *text != '\0' && *end == '\0' && value > 0 && value <= INT_MAX ? value : 0;
}

/* The one process of that name, with what it started; 0 after telling why there is none. */
static pid_t find_named(const char *name)
{
    pid_t pids[8];
    char text[128] = "";
    const unsigned count = process_named(name, pids, sizeof pids / sizeof pids[0]);
    if (count == 1)
        return pids[0];
    for (unsigned i = 0, used = 0; i < count; i++)
        used += (unsigned)snprintf(text + used, sizeof text - used, "%s%ld", i > 0 ? ", " : "", (long)pids[i]);
    if (count == 0)
        cli_say(DOCTOR_WHO, "no process is called '%s'; see 'ps -eo pid,comm' (a command goes behind '--')", name);
    else
        cli_say(DOCTOR_WHO, "several processes are called '%s': give the number of one, of %s", name, text);
    return 0;
}

/* What follows the options: a word alone, not behind "--", is a process. Then options are refused that exclude each
 * other, or have nothing to say of the target. Returns 0 after telling what is wrong. */
static int read_target(struct doctor_request *request, int argc, char **argv)
{
    if (optind < argc && strcmp(argv[optind - 1], "--") == 0) {
        request->command = argv + optind;
    } else if (optind < argc) {
        request->pid = process_as_pid(argv[optind]);
        request->name = request->pid == 0 ? argv[optind] : NULL;
        const bool is_number = argv[optind][strspn(argv[optind], "0123456789")] == '\0';
        if ((request->name != NULL && is_number) || optind + 1 < argc || request->seconds > 0) {
            cli_say(argv[0], "it takes one process by its number or name, or options, '--' and a command");
            return 0;
        }
    } else if (request->connect == NULL) {
        cli_say(argv[0], "a process or a command is missing");
        return 0;
    }
    if (request->connect != NULL && request->no_handshake) {
        cli_say(argv[0], "--connect and --no-handshake exclude each other");
        return 0;
    }
    if (request->command != NULL && (request->connect != NULL || request->no_handshake)) {
        cli_say(argv[0], "handshakes are for a running process: --connect and --no-handshake do not go with a command");
        return 0;
    }
    if (request->load != 0 && request->pid == 0 && request->name == NULL) {
        cli_say(argv[0], "--load goes with a process");
        return 0;
    }
    if (request->pid == 0 && request->name == NULL && request->command == NULL && request->seconds > 0) {
        cli_say(argv[0], "--seconds goes with a command");
        return 0;
    }
    return 1;
}

int cli_doctor(int argc, char **argv)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"no-handshake", no_argument, NULL, 'n'},
                                            {"connect", required_argument, NULL, 'c'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"load", required_argument, NULL, 'l'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static struct doctor_target target;
    static struct doctor_report report;
    struct doctor_request request = {0};
    int option;
    while ((option = getopt_long(argc, argv, "+jnc:l:s:h", options, NULL)) != -1) {
        switch (option) {
        case 'j':
            request.json = 1;
            break;
        case 'n':
            request.no_handshake = true;
            break;
        case 'c':
            request.connect = optarg;
            break;
        case 'l':
            request.load = (unsigned)number(optarg);
            if (request.load == 0 || request.load > 65535) {
                cli_say(argv[0], "--load takes the number of a port, not '%s'", optarg);
                return cli_see_help(argv[0]);
            }
            break;
        case 's':
            request.seconds = (unsigned)number(optarg);
            if (request.seconds == 0) {
                cli_say(argv[0], "--seconds takes a whole number from 1, not '%s'", optarg);
                return cli_see_help(argv[0]);
            }
            break;
        case 'h':
            return cli_print(help);
        default:
            return cli_see_help(argv[0]);
        }
    }
    if (!read_target(&request, argc, argv))
        return cli_see_help(argv[0]);
    if (request.name != NULL && (request.pid = find_named(request.name)) == 0)
        return CLI_FAILED;
    target.waited = -1;
    int code = request.command != NULL ? examine_command(&request, &report, &target)
                                       : examine_server(&request, &report, &target);
    free(target.facts.environment);
    return code;
}
