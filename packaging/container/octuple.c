/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The command `octuple` of the container bundle: becomes the one that starts here. The bundle has one tree for each C
 * library and major version of OpenSSL, and a command that was linked to others does not start. Where several do,
 * `octuple run` takes the one for the OpenSSL of its program. This program is static, so it runs in any image, also in
 * one without a shell.
 *
 * Where none starts (an image without OpenSSL, or with another one), `octuple run` starts its command as it is: a
 * program that Octuple cannot serve must not be worse off for it. `octuple copy-to FOLDER` copies the bundle, for an
 * init container.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT_START 125 /* as `octuple run` has it */
#define NOT_FOUND    127
#define REASON       "this image has no OpenSSL that the bundle serves, or no /proc"

static int say(const char *what, const char *name)
{
    fprintf(stderr, "octuple: %s %s: %s\n", what, name, strerror(errno));
    return CANNOT_START;
}

/* The folder above this program's own. */
static bool find_bundle(char bundle[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", bundle, PATH_MAX - 1);
    if (length <= 0)
        return snprintf(bundle, PATH_MAX, "%s", OCT_BUNDLE_PREFIX) > 0;
    bundle[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(bundle, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    return true;
}

/* Whether the dynamic linker and all libraries are there, which only an attempt tells. */
static bool starts(const char *command)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_RDWR);
        if (nowhere >= 0) {
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
        }
        /* What is preloaded is the program's affair. */
        unsetenv("LD_PRELOAD");
        execl(command, "octuple", "--version", (char *)NULL);
        _exit(NOT_FOUND);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int is_tree(const struct dirent *entry)
{
    return strstr(entry->d_name, "-openssl") != NULL;
}

/* Among the trees whose names end so. Later names first: that is the later OpenSSL, and musl where its dynamic linker
 * is there. */
static bool find_command(char command[PATH_MAX], const char *bundle, const char *ending)
{
    struct dirent **tree = NULL;
    bool found = false;
    int count = scandir(bundle, &tree, is_tree, alphasort);
    while (count-- > 0) {
        const char *name = tree[count]->d_name;
        const size_t length = strlen(name), end = strlen(ending);
        if (!found && length >= end && strcmp(name + length - end, ending) == 0 &&
            snprintf(command, PATH_MAX, "%s/%s/bin/octuple", bundle, name) < PATH_MAX)
            found = starts(command);
        free(tree[count]);
    }
    free(tree);
    return found;
}

/* The dynamic linker that an executable file asks for; false for anything else. */
static bool find_linker(char linker[PATH_MAX], const char *path)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    bool found = false;
    const int file = open(path, O_RDONLY | O_CLOEXEC);

    if (pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
        head.e_ident[EI_CLASS] == ELFCLASS64)
        for (int i = 0; i < head.e_phnum && !found; i++)
            found = pread(file, &part, sizeof part, (off_t)(head.e_phoff + (size_t)i * sizeof part)) ==
                        (ssize_t)sizeof part &&
                    part.p_type == PT_INTERP && part.p_filesz <= PATH_MAX &&
                    pread(file, linker, part.p_filesz, (off_t)part.p_offset) == (ssize_t)part.p_filesz;
    if (file >= 0)
        close(file);
    return found;
}

/* What a program would be linked with, as its dynamic linker lists it; nothing of the program runs. */
static FILE *list_libraries(char *linker, char *path, pid_t *child)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        unsetenv("LD_PRELOAD");
        execl(linker, linker, "--list", path, (char *)NULL);
        _exit(NOT_FOUND);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

/* The file of a command, as a shell finds it. */
static bool find_program(char path[PATH_MAX], const char *name)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/') != NULL)
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    for (; folders != NULL; folders = strchr(folders, ':') != NULL ? strchr(folders, ':') + 1 : NULL)
        if (snprintf(path, PATH_MAX, "%.*s/%s", (int)strcspn(folders, ":"), folders, name) < PATH_MAX &&
            access(path, X_OK) == 0)
            return true;
    return false;
}

/* "-openssl4" for a program that is linked with that one's libssl or libcrypto; "" where that is not known: a script,
 * or a program that loads them later. */
static void find_ending(char ending[32], const char *name)
{
    char path[PATH_MAX], linker[PATH_MAX + 1] = "", line[PATH_MAX + 256];
    pid_t child = -1;
    FILE *list = find_program(path, name) && find_linker(linker, path) ? list_libraries(linker, path, &child) : NULL;

    ending[0] = '\0';
    while (list != NULL && fgets(line, sizeof line, list) != NULL) {
        const char *version = strstr(line, "libssl.so.");
        if (version == NULL && ending[0] == '\0')
            version = strstr(line, "libcrypto.so.");
        if (version != NULL)
            snprintf(ending, 32, "-openssl%ld", strtol(strstr(version, ".so.") + 4, NULL, 10));
    }
    if (list != NULL)
        fclose(list);
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* The command behind the options of `octuple run`, one of which takes a value. */
static char **command_of(char **argv)
{
    for (argv += 2; *argv != NULL && (*argv)[0] == '-'; argv++) {
        if (strcmp(*argv, "--") == 0)
            return argv + 1;
        if ((strcmp(*argv, "-c") == 0 || strcmp(*argv, "--counters") == 0) && argv[1] != NULL)
            argv++;
    }
    return argv;
}

/* Of `octuple run`. */
static char **program_of(char **argv)
{
    return argv[1] != NULL && strcmp(argv[1], "run") == 0 ? command_of(argv) : NULL;
}

static int run_plainly(char **argv)
{
    char **command = program_of(argv);
    if (command == NULL || *command == NULL) {
        fputs("octuple: " REASON "\n", stderr);
        return CANNOT_START;
    }
    fprintf(stderr, "octuple: %s runs plainly, without Octuple: " REASON "\n", *command);
    execvp(*command, command);
    say("cannot start", *command);
    return errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1;
}

static int copy_file(int from, const char *name, int to, mode_t mode)
{
    char block[65536];
    ssize_t got = -1;
    const int in = openat(from, name, O_RDONLY | O_CLOEXEC);
    const int out = openat(to, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    while (in >= 0 && out >= 0 && (got = read(in, block, sizeof block)) > 0)
        for (ssize_t done = 0, n; done < got; done += n)
            if ((n = write(out, block + done, (size_t)(got - done))) <= 0)
                return say("cannot write", name);
    if (got != 0 || close(in) != 0 || close(out) != 0)
        return say("cannot copy", name);
    return 0;
}

static int copy_link(int from, const char *name, int to)
{
    char target[PATH_MAX];
    const ssize_t length = readlinkat(from, name, target, sizeof target - 1);
    if (length < 0)
        return say("cannot read", name);
    target[length] = '\0';
    return symlinkat(target, to, name) == 0 || errno == EEXIST ? 0 : say("cannot make", name);
}

static int copy_folder(int from, int to);

static int copy_entry(int from, const char *name, int to)
{
    struct stat st;
    if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return say("cannot see", name);
    if (S_ISLNK(st.st_mode))
        return copy_link(from, name, to);
    if (!S_ISDIR(st.st_mode))
        return copy_file(from, name, to, st.st_mode & 0777);
    if (mkdirat(to, name, 0755) != 0 && errno != EEXIST)
        return say("cannot make", name);
    const int in = openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int out = openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return in >= 0 && out >= 0 ? copy_folder(in, out) : say("cannot open", name);
}

/* Takes both descriptors. */
static int copy_folder(int from, int to)
{
    const struct dirent *entry;
    int code = 0;
    DIR *entries = fdopendir(from);
    while (entries != NULL && code == 0 && (entry = readdir(entries)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            code = copy_entry(from, entry->d_name, to);
    if (entries != NULL)
        closedir(entries);
    close(to);
    return entries != NULL ? code : CANNOT_START;
}

static int copy_to(const char *bundle, const char *folder)
{
    const int from = open(bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int to = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from < 0 || to < 0)
        return say("cannot open", from < 0 ? bundle : folder);
    return copy_folder(from, to);
}

int main(int argc, char **argv)
{
    char bundle[PATH_MAX], command[PATH_MAX], ending[32] = "";
    if (!find_bundle(bundle))
        return say("cannot find", "the bundle");
    if (argc == 3 && strcmp(argv[1], "copy-to") == 0)
        return copy_to(bundle, argv[2]);
    if (program_of(argv) != NULL && *program_of(argv) != NULL)
        find_ending(ending, *program_of(argv));
    if (!find_command(command, bundle, ending) && (ending[0] == '\0' || !find_command(command, bundle, "")))
        return run_plainly(argv);
    execv(command, argv);
    return say("cannot start", command);
}
