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

/* What it complained about, but for a warning that is none where programs load all the same. */
static void tell_errors(const char *who, FILE *errors)
{
    char *line = NULL;
    size_t room = 0;
    rewind(errors);
    while (getline(&line, &room, errors) > 0) {
        if (strstr(line, "RLIMIT_MEMLOCK") == NULL && line[0] != '\n') {
            line[strcspn(line, "\n")] = '\0';
            cli_say(who, "bpftrace: %s", line);
        }
    }
    free(line);
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

static void take_text(struct reading *reading, const char *text)
{
    if (!reading->ready && !strcmp(text, "ready\n")) {
        reading->ready = 1;
        reading->end = reading->options->seconds != 0 ? now() + (time_t)reading->options->seconds : 0;
        reading->sink->ready(reading->sink->state);
        return;
    }
    reading->sink->text(reading->sink->state, text);
}

/* {"type": ..., "data": ...} */
static void take_line(struct reading *reading, const char *line, size_t size)
{
    json_t *object = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
    const char *type = json_string_value(json_object_get(object, "type")), *name;
    json_t *data = json_object_get(object, "data"), *value;
    if (type != NULL && !strcmp(type, "lost_events")) {
        reading->lost += (uint64_t)json_integer_value(json_object_get(data, "events"));
    } else if (json_is_string(data)) {
        take_text(reading, json_string_value(data));
    } else if (type != NULL && strcmp(type, "attached_probes") != 0) {
        json_object_foreach(data, name, value)
        {
            reading->sink->map(reading->sink->state, name, value);
        }
    }
    json_decref(object);
}

/* Processes that come later meet the probes, too. */
static void watch_others(struct reading *reading)
{
    const enum trace_returns used = reading->target->returns;
    if (!reading->target->uses_returns || reading->asked || now() == reading->watched)
        return;
    reading->watched = now();
    trace_fibres_judge(reading->target);
    reading->harmful = reading->target->returns > used;
    reading->target->returns = used;
}

/* At its end bpftrace drops what the kernel holds for it, so that it is heard out first, for a moment at least and two
 * seconds at most. */
static int is_over(struct reading *reading)
{
    if (reading->due == 0 && (interrupted || (reading->end != 0 && now() >= reading->end))) {
        reading->due = now() + 2;
        reading->quiet = 0;
    }
    return reading->due != 0 && (reading->quiet > 3 || now() >= reading->due);
}

/* bpftrace 0.17 heeds SIGINT only if it is asleep then: SIGUSR1, by which it prints its maps, wakes it up once more, or
 * more often. A second SIGINT would keep it from printing them at its end. */
static void ask_to_end(struct reading *reading)
{
    if (reading->asked) {
        kill(reading->child, SIGUSR1);
    } else if (reading->harmful || is_over(reading)) {
        reading->asked = 1;
        kill(reading->child, SIGINT);
    }
}

struct pieces {
    char *text;
    size_t have, room;
};

/* Hands on the whole lines; what is left moves to the front, with room for more. 0 without memory. */
static int take_lines(struct reading *reading, struct pieces *pieces)
{
    char *line = pieces->text, *end;
    while ((end = memchr(line, '\n', pieces->have - (size_t)(line - pieces->text))) != NULL) {
        take_line(reading, line, (size_t)(end - line));
        line = end + 1;
    }
    pieces->have -= (size_t)(line - pieces->text);
    memmove(pieces->text, line, pieces->have);
    if (pieces->have == pieces->room) {
        char *more = realloc(pieces->text, pieces->room *= 2);
        pieces->text = more != NULL ? more : pieces->text;
        return more != NULL;
    }
    return 1;
}

/* Until bpftrace closes its output. */
static void read_all(struct reading *reading, int from)
{
    struct pieces pieces = {.room = 1 << 16, .text = malloc(1 << 16)};
    struct pollfd wait = {.fd = from, .events = POLLIN};
    while (pieces.text != NULL) {
        int ready = poll(&wait, 1, 100);
        reading->quiet = ready > 0 ? 0 : reading->quiet + 1;
        watch_others(reading);
        ask_to_end(reading);
        if (ready <= 0) {
            reading->sink->idle(reading->sink->state);
            continue;
        }
        ssize_t n = read(from, pieces.text + pieces.have, pieces.room - pieces.have);
        if (n < 0 && errno == EINTR)
            continue;
        pieces.have += n > 0 ? (size_t)n : 0;
        if (n <= 0 || !take_lines(reading, &pieces))
            break;
    }
    free(pieces.text);
}

static int judge_end(const struct reading *reading, int status, FILE *errors)
{
    const char *who = reading->options->who;
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
    tell_errors(who, errors);
    cli_say(who, "bpftrace ended before %s; its messages are above",
            reading->ready ? "it was asked to" : "it traced anything");
    return CLI_CANNOT_TRACE;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int trace_run(const char *program, const struct trace_options *options, struct trace_target *target,
              const struct trace_sink *sink)
{
    struct reading reading = {.options = options, .sink = sink, .target = target};
    FILE *script = tmpfile(), *errors = tmpfile();
    int output[2] = {-1, -1}, status = 0;
    if (script == NULL || errors == NULL || pipe(output) != 0 || fputs(program, script) < 0 || fflush(script) != 0) {
        cli_say(options->who, "no temporary file could be made: %s", strerror(errno));
        return CLI_FAILED;
    }
    rewind(script);
    catch_signals();
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
