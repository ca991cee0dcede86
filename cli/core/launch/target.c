/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The program that `octuple run` is to start: where it is, and whether a preload can reach it at all. The second is
 * only a warning: such a program may well start others.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
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

static const char raised[] = "runs with raised privileges (setuid, setgid or capabilities): ld.so ignores the preload; "
                             "start it as the user that it becomes",
                  complete[] = "is statically linked: the preload cannot reach it, only programs that it starts";

const char launch_foreign[] = "is not a 64-bit x86 program: the preload cannot reach it";

const char *launch_advice(const char *obstacle)
{
    if (obstacle == launch_foreign)
        return "use its build for 64-bit x86 (amd64)";
    return obstacle == raised ? "use a build without raised privileges" : "use a dynamically linked build";
}

const char *launch_obstacle(const char *path)
{
    Elf64_Ehdr header = {0};
    struct stat st;
    /* AT_SECURE: then ld.so ignores LD_PRELOAD. */
    if (stat(path, &st) == 0 &&
        (((st.st_mode & S_ISUID) && st.st_uid != getuid()) || ((st.st_mode & S_ISGID) && st.st_gid != getgid()) ||
         (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)))
        return raised;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    const bool is_program =
        pread(fd, &header, sizeof header, 0) == sizeof header && !memcmp(header.e_ident, ELFMAG, SELFMAG);
    const bool is_reachable = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64;
    bool is_dynamic = false; /* a program header names the dynamic loader, or cannot be read */
    for (unsigned i = 0; is_program && is_reachable && !is_dynamic && i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        const off_t at = (off_t)(header.e_phoff + (uint64_t)i * sizeof segment);
        is_dynamic = header.e_phentsize != sizeof segment ||
                     pread(fd, &segment, sizeof segment, at) != sizeof segment || segment.p_type == PT_INTERP;
    }
    close(fd);
    if (is_program && !is_reachable)
        return launch_foreign;
    if (is_program && !is_dynamic)
        return complete;
    return NULL;
}
