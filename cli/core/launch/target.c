/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The program that `octuple run` is to start: where it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "launch.h"

/* CLI_OK, or why this file is not it. */
static int check_file(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == EACCES ? CLI_RUN_NOT_EXECUTABLE : CLI_RUN_NOT_FOUND;
    return S_ISREG(st.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? CLI_OK : CLI_RUN_NOT_EXECUTABLE;
}

int launch_find(char path[PATH_MAX], const char *command)
{
    const char *at = getenv("PATH");
    int code = CLI_RUN_NOT_FOUND;
    at = *command == '\0' ? NULL : at != NULL ? at : "/bin:/usr/bin";
    if (strchr(command, '/') != NULL) {
        code = snprintf(path, PATH_MAX, "%s", command) < PATH_MAX ? check_file(path) : code;
        at = NULL;
    }
    /* As execvp(): the first executable one in PATH. One that may not be executed counts only if there is no other;
     * then path names it. */
    while (at != NULL && code != CLI_OK) {
        char one[PATH_MAX];
        struct stat st;
        const int len = (int)strcspn(at, ":");
        if (snprintf(one, sizeof one, "%.*s%s%s", len, at, len > 0 ? "/" : "", command) < PATH_MAX &&
            stat(one, &st) == 0) {
            int found = check_file(one);
            if (found == CLI_OK || code == CLI_RUN_NOT_FOUND) {
                snprintf(path, PATH_MAX, "%s", one);
                code = found;
            }
        }
        at = at[len] == ':' ? at + len + 1 : NULL;
    }
    if (code == CLI_RUN_NOT_FOUND)
        cli_say(LAUNCH_WHO, "command not found: '%s'; give its full path or correct PATH", command);
    else if (code == CLI_RUN_NOT_EXECUTABLE)
        cli_say(LAUNCH_WHO, "%s is not a program that you may execute; see 'ls -lL'", path);
    return code;
}
