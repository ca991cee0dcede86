/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple doctor -- COMMAND`: runs it as `octuple run` does, with a folder for counters besides, and looks into it
 * while it runs: what it loads late, or what a script starts, is seen only then. The last look that found OpenSSL
 * stands, for at the end there is no process any more. What is loaded behind it is told by the counters alone. Until
 * the command begins, its process is this program still, which has OpenSSL too.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <dirent.h>
#include "src/base/clock.h"
#include "cli/core/launch/launch.h"
#include "doctor.h"

/* From the one to the other: what is over soon is seen too, and what lasts pays little. */
#define LOOK_FIRST_NANOSECONDS 5000000
#define LOOK_LAST_NANOSECONDS  200000000

static void remove_folder(const char *folder)
{
    const struct dirent *entry;
    DIR *files = opendir(folder);
    while (files != NULL && (entry = readdir(files)) != NULL)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(files), entry->d_name, 0);
    if (files != NULL)
        closedir(files);
    rmdir(folder);
}

static time_t seconds_now(void)
{
    return (time_t)(oct_clock_nanoseconds() / OCT_NANOSECONDS);
}

/* Until it has ended; its status as of waitpid(). `begun` comes to its end as the command begins. */
static int watch(struct facts *facts, pid_t pid, int begun, unsigned seconds, const sigset_t *signals)
{
    static struct facts now;
    struct timespec pause = {0, LOOK_FIRST_NANOSECONDS};
    time_t end = seconds_now() + (time_t)seconds;
    int status = 0, asked_to_end = 0, runs = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        siginfo_t info = {0};
        int signal = sigtimedwait(signals, &info, &pause);
        pause.tv_nsec = 2 * pause.tv_nsec < LOOK_LAST_NANOSECONDS ? 2 * pause.tv_nsec : LOOK_LAST_NANOSECONDS;
        /* A signal that a terminal gave has reached the command too; what a process sent was for both of us. */
        if (signal > 0 && signal != SIGCHLD && info.si_code <= 0)
            kill(pid, signal);
        char none;
        now.environment = NULL;
        runs = runs || read(begun, &none, 1) == 0;
        if (runs && facts_look(&now, pid) == 0 && now.libraries.crypto[0] != '\0') {
            free(facts->environment);
            *facts = now;
        } else {
            free(now.environment);
        }
        if (seconds > 0 && !asked_to_end && seconds_now() >= end)
            asked_to_end = kill(pid, SIGTERM) == 0;
    }
    /* An end that was asked for says nothing. */
    return asked_to_end ? 0 : status;
}

/* The folder for counters was ours, and is no setting of the command's. */
static void forget_counters(struct facts *facts, const char *folder)
{
    const char *name = oct_setting_row(OCT_SETTING_COUNTERS)->variable;
    const char *value = facts->environment != NULL ? facts_env(facts, name) : NULL;
    if (value == NULL || strcmp(value, folder) != 0)
        return;
    char *at = facts->environment + (value - facts->environment) - strlen(name) - 1;
    const char *next = value + strlen(value) + 1;
    memmove(at, next, facts->environment_size - (size_t)(next - facts->environment));
    facts->environment_size -= (size_t)(next - at);
}

int doctor_start(struct doctor_target *target, char **command, unsigned seconds)
{
    static const int caught[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    char counters[] = "/tmp/octuple-doctor-XXXXXX";
    sigset_t signals, before;
    int begun[2];
    if (pipe2(begun, O_CLOEXEC | O_NONBLOCK) != 0) {
        cli_say(DOCTOR_WHO, "cannot make a pipe: %s", strerror(errno));
        return CLI_FAILED;
    }
    if (mkdtemp(counters) == NULL) {
        cli_say(DOCTOR_WHO, "cannot make a folder for counters in /tmp: %s", strerror(errno));
        return CLI_FAILED;
    }
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        sigaddset(&signals, caught[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    pid_t pid = fork();
    if (pid == 0) {
        /* Results alone go to stdout, so the command's own output goes where messages go. */
        sigprocmask(SIG_SETMASK, &before, NULL);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        setenv(oct_setting_row(OCT_SETTING_COUNTERS)->variable, counters, 1);
        _exit(launch_exec(command));
    }
    close(begun[1]);
    if (pid > 0) {
        target->waited = watch(&target->facts, pid, begun[0], seconds, &signals);
        target->facts.root[0] = '\0';    /* it went with the process */
        if (target->facts.overwritten) { /* then ours, which it was started with, is what is known best */
            free(target->facts.environment);
            target->facts.environment = NULL;
            target->facts.overwritten = 0;
        }
        forget_counters(&target->facts, counters);
        doctor_lanes_of_folder(&target->lanes, counters);
    } else {
        cli_say(DOCTOR_WHO, "cannot start a process: %s", strerror(errno));
    }
    close(begun[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    remove_folder(counters);
    return pid > 0 ? CLI_OK : CLI_FAILED;
}
