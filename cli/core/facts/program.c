/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A program that is not running: what the dynamic loader would give it. The loader itself is asked (`ld.so --list`),
 * which follows DT_NEEDED with every rule of its own for search paths and runs none of the program's code.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "src/base/settings.h"
#include "facts.h"

extern char **environ;

void facts_look_program(struct facts *facts, const char *path)
{
    char *const command[] = {(char[]){"/lib64/ld-linux-x86-64.so.2"}, (char[]){"--list"}, facts->program, NULL};
    posix_spawn_file_actions_t actions;
    char *line = NULL;
    size_t room = 0;
    int ends[2];
    pid_t pid;
    snprintf(facts->program, sizeof facts->program, "%s", path);
    if (pipe(ends) != 0) {
        facts_read_library(facts, path);
        return;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int started = posix_spawn(&pid, command[0], &actions, NULL, command, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    while (in != NULL && getline(&line, &room, in) > 0) {
        /* "NAME => PATH (0xADDRESS)" or "PATH (0xADDRESS)"; "statically linked" is neither. */
        char *library = strstr(line, " => "), *end = strstr(line, " (0x");
        library = library != NULL ? library + 4 : line + strspn(line, " \t");
        if (end != NULL && end > library && *library == '/') {
            *end = '\0';
            facts_note_library(&facts->libraries, library);
        }
    }
    free(line);
    if (in != NULL)
        fclose(in);
    else
        close(ends[0]);
    if (started)
        waitpid(pid, NULL, 0);
    facts_read_library(facts, path);
}

bool facts_asks_for_awslc(const struct facts *facts)
{
    const char *loops = oct_setting_row(OCT_SETTING_LOOPS)->variable;
    size_t length;
    const char *says = oct_setting_option(facts->pid != 0 ? facts_env(facts, loops) : getenv(loops), "awslc", &length);
    return says != NULL && length == strlen("on") && !strncmp(says, "on", length);
}

bool facts_is_awslc(const struct facts *facts)
{
    return facts->openssl.other != NULL && !strcmp(facts->openssl.other, FACTS_AWSLC) &&
           facts->libraries.ssl[0] != '\0' && facts_asks_for_awslc(facts);
}

const char *facts_other_library(const struct facts *facts)
{
    const struct facts_libraries *libraries = &facts->libraries;
    if (facts_is_awslc(facts))
        return NULL;
    return libraries->crypto[0] != '\0' ? facts->openssl.other : libraries->ssl[0] == '\0' ? libraries->other : NULL;
}
