/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Runs bpftrace on a program and hands on what it says, a JSON object a line. It is a child in a process group of its
 * own, told to end by SIGINT when the time is over or we are interrupted, and always if we die; then it still prints
 * its maps.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "src/base/clock.h"
#include "trace.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

/* The program goes in as a file, by descriptor: its length is not bounded by that of arguments. */
static _Noreturn void become_bpftrace(int program, int output, int errors)
{
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", program);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    setpgid(0, 0);
    setenv("BPFTRACE_PERF_RB_PAGES", "1024", 0); /* room for bursts of events */
    setenv("BPFTRACE_STRLEN", "200", 0);         /* what is shown of a plaintext */
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execlp("bpftrace", "bpftrace", "-f", "json", name, (char *)NULL);
    perror("bpftrace");
    _exit(127);
}

struct reading {
    const struct trace_options *options;
    const struct trace_sink *sink;
    struct trace_target *target;
    pid_t child;
    time_t watched;   /* when the other processes were last looked at */
    int harmful;      /* one came that the program could harm */
    int ready, asked; /* all is attached; it was asked to end */
    time_t end;       /* 0: not yet known, or never */
    unsigned quiet;   /* so often in a row it had nothing to say */
    time_t due;       /* when it ends even if it has not said everything; 0: it goes on */
    uint64_t lost;
};

static time_t now(void)
{
    return (time_t)(oct_clock_nanoseconds() / OCT_NANOSECONDS);
}

/* {"type": ..., "data": ...} */
static void take_line(struct reading *reading, const char *line, size_t size)
{
    json_t *object = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
    const char *type = json_string_value(json_object_get(object, "type")), *name;
    json_t *data = json_object_get(object, "data"), *value;
    if (type != NULL && !strcmp(type, "lost_events")) {
        reading->lost += (uint64_t)json_integer_value(json_object_get(data, "events"));
    } else if (json_is_string(data) && !reading->ready && !strcmp(json_string_value(data), "ready\n")) {
        reading->ready = 1;
        reading->end = reading->options->seconds != 0 ? now() + (time_t)reading->options->seconds : 0;
        reading->sink->ready(reading->sink->state);
    } else if (json_is_string(data)) {
        reading->sink->text(reading->sink->state, json_string_value(data));
    } else if (type != NULL && strcmp(type, "attached_probes") != 0) {
        json_object_foreach(data, name, value)
        {
            reading->sink->map(reading->sink->state, name, value);
        }
    }
    json_decref(object);
}

/* Asks bpftrace to end, once it is time or harm could be done. It heeds SIGINT (0.17) only if it is asleep then:
 * SIGUSR1, by which it prints its maps, wakes it up once more, or more often. A second SIGINT would keep it from
 * printing them at its end. */
static void see_to_end(struct reading *reading)
{
    const enum trace_returns used = reading->target->returns;
    if (reading->asked) {
        kill(reading->child, SIGUSR1);
        return;
    }
    /* Processes that come later meet the probes, too. */
    if (reading->target->uses_returns && now() != reading->watched) {
        reading->watched = now();
        trace_fibres_judge(reading->target);
        reading->harmful = reading->target->returns > used;
        reading->target->returns = used;
    }
    /* At its end bpftrace drops what the kernel holds for it, so that it is heard out first, for a moment at least and
     * two seconds at most. */
    if (reading->due == 0 && (interrupted || (reading->end != 0 && now() >= reading->end))) {
        reading->due = now() + 2;
        reading->quiet = 0;
    }
    if (reading->harmful || (reading->due != 0 && (reading->quiet > 3 || now() >= reading->due))) {
        reading->asked = 1;
        kill(reading->child, SIGINT);
    }
}

/* Until bpftrace closes its output. */
static void read_all(struct reading *reading, int from)
{
    size_t have = 0, room = 1 << 16;
    char *text = malloc(room), *line, *end, *more;
    struct pollfd wait = {.fd = from, .events = POLLIN};
    while (text != NULL) {
        int ready = poll(&wait, 1, 100);
        reading->quiet = ready > 0 ? 0 : reading->quiet + 1;
        see_to_end(reading);
        if (ready <= 0) {
            reading->sink->idle(reading->sink->state);
            continue;
        }
        ssize_t n = read(from, text + have, room - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        have += (size_t)n;
        /* Whole lines are handed on; what is left moves to the front, with room for more. */
        for (line = text; (end = memchr(line, '\n', have - (size_t)(line - text))) != NULL; line = end + 1)
            take_line(reading, line, (size_t)(end - line));
        have -= (size_t)(line - text);
        memmove(text, line, have);
        if (have == room) {
            if ((more = realloc(text, room *= 2)) == NULL)
                break;
            text = more;
        }
    }
    free(text);
}

static int judge_end(const struct reading *reading, int status, FILE *errors)
{
    const char *who = reading->options->who;
    char *line = NULL;
    size_t room = 0;
    if (reading->lost != 0) {
        cli_say(who,
                "%llu events were lost: more came than bpftrace could pass on; narrow it down by --connection or "
                "--command, or set BPFTRACE_PERF_RB_PAGES higher than 1024",
                (unsigned long long)reading->lost);
    }
    if (reading->harmful) {
        cli_say(who, "ended early, for %s: it must not be traced along", reading->target->why);
        return CLI_FAILED;
    }
    if (reading->ready && (status == 0 || (reading->asked && WIFSIGNALED(status))))
        return CLI_OK;
    if (interrupted)
        return CLI_FAILED;
    /* What it complained about, but for a warning that is none where programs load all the same. */
    rewind(errors);
    while (getline(&line, &room, errors) > 0) {
        if (strstr(line, "RLIMIT_MEMLOCK") == NULL && line[0] != '\n') {
            line[strcspn(line, "\n")] = '\0';
            cli_say(who, "bpftrace: %s", line);
        }
    }
    free(line);
    cli_say(who, "bpftrace ended before %s; its messages are above",
            reading->ready ? "it was asked to" : "it traced anything");
    return CLI_CANNOT_TRACE;
}

int trace_run(const char *program, const struct trace_options *options, struct trace_target *target,
              const struct trace_sink *sink)
{
    struct reading reading = {.options = options, .sink = sink, .target = target};
    struct sigaction action = {.sa_handler = interrupt};
    FILE *script = tmpfile(), *errors = tmpfile();
    int output[2] = {-1, -1}, status = 0;
    if (script == NULL || errors == NULL || pipe(output) != 0 || fputs(program, script) < 0 || fflush(script) != 0) {
        cli_say(options->who, "no temporary file could be made: %s", strerror(errno));
        return CLI_FAILED;
    }
    rewind(script);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    reading.child = fork();
    if (reading.child == 0) {
        close(output[0]);
        become_bpftrace(fileno(script), output[1], fileno(errors));
    }
    close(output[1]);
    read_all(&reading, output[0]);
    waitpid(reading.child, &status, 0);
    close(output[0]);
    status = judge_end(&reading, status, errors);
    fclose(script);
    fclose(errors);
    return status;
}
