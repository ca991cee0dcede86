/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple unit`: writes the drop-in by which a service of systemd gets Octuple, or removes it, or lists those there
 * are. The service itself is not touched: who administers it knows when it may be restarted.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <octuple_drop_in.h>
#include "cli/core/cli.h"
#include "cli/core/places.h"
#include "unit.h"

#define WHO    "octuple unit"
#define FOLDER "/etc/systemd/system"
#define FILE_  "octuple.conf"

static const char help[] =
    "Usage: octuple unit [--root DIR]\n"
    "       octuple unit [--root DIR] on SERVICE...\n"
    "       octuple unit [--root DIR] off SERVICE...\n"
    "Gives services of systemd Octuple from their next start on, or takes it away, by a drop-in:\n" FOLDER
    "/SERVICE.service.d/" FILE_ ". Without a word it lists the drop-ins that name Octuple.\n"
    "No service is restarted.\n"
    "\n"
    "Options:\n"
    "  -r, --root DIR  the system below this folder, whose systemd is told nothing\n"
    "  -h, --help      this text\n"
    "\n"
    "Examples:\n"
    "  octuple unit on nginx && systemctl restart nginx && octuple doctor nginx\n"
    "  octuple unit off nginx haproxy\n"
    "  octuple unit\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage.\n"
    "Manual: octuple-unit(1).\n";

/* The drop-in of a service, and its folder. */
struct unit {
    char name[NAME_MAX], folder[PATH_MAX], file[PATH_MAX];
};

static bool find(struct unit *unit, const char *root, const char *service)
{
    const char *ending = strchr(service, '.') != NULL ? "" : ".service";
    if (service[0] == '\0' || service[0] == '.' || strchr(service, '/') != NULL ||
        snprintf(unit->name, sizeof unit->name, "%s%s", service, ending) >= (int)sizeof unit->name ||
        snprintf(unit->folder, PATH_MAX, "%s" FOLDER "/%s.d", root, unit->name) >= PATH_MAX ||
        snprintf(unit->file, PATH_MAX, "%s/" FILE_, unit->folder) >= PATH_MAX) {
        cli_say(WHO, "'%s' is no name of a service", service);
        return false;
    }
    return true;
}

static bool failed(const char *what, const char *path)
{
    cli_say(WHO, "cannot %s %s: %s", what, path, strerror(errno));
    return false;
}

/* All of it or nothing: systemd may read it at any moment. */
static bool switch_on(const struct unit *unit)
{
    static const char text[] = OCT_DROP_IN;
    char fresh[PATH_MAX + 8];
    snprintf(fresh, sizeof fresh, "%s.new", unit->file);
    if (mkdir(unit->folder, 0755) != 0 && errno != EEXIST)
        return failed("make", unit->folder);
    const int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    bool done = fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)(sizeof text - 1);
    if (fd >= 0)
        done = close(fd) == 0 && done;
    if (!done || rename(fresh, unit->file) != 0) {
        failed("write", unit->file);
        unlink(fresh);
        return false;
    }
    printf("%s has Octuple from its next start on: systemctl restart %s\n", unit->name, unit->name);
    return true;
}

static bool switch_off(const struct unit *unit)
{
    if (unlink(unit->file) != 0 && errno != ENOENT)
        return failed("remove", unit->file);
    rmdir(unit->folder); /* unless it holds other drop-ins */
    printf("%s is without Octuple from its next start on: systemctl restart %s\n", unit->name, unit->name);
    return true;
}

static bool names_octuple(const char *path)
{
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    FILE *in = fopen(path, "re");
    while (in != NULL && !found && getline(&line, &room, in) > 0)
        found = line[0] != '#' && (strstr(line, place_file(PLACE_SHIM)) != NULL || strstr(line, "octuple run") != NULL);
    free(line);
    if (in != NULL)
        fclose(in);
    return found;
}

static void list_folder(const char *folder, const char *unit)
{
    const struct dirent *entry;
    DIR *files = opendir(folder);
    while (files != NULL && (entry = readdir(files)) != NULL) {
        char path[PATH_MAX];
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && !strcmp(dot, ".conf") &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX && names_octuple(path))
            printf("%-24s %s\n", unit, cli_clean(path));
    }
    if (files != NULL)
        closedir(files);
}

static int list(const char *root)
{
    char top[PATH_MAX], folder[PATH_MAX];
    const struct dirent *entry;
    snprintf(top, sizeof top, "%s" FOLDER, root);
    DIR *folders = opendir(top);
    while (folders != NULL && (entry = readdir(folders)) != NULL) {
        char unit[NAME_MAX + 1];
        snprintf(unit, sizeof unit, "%s", entry->d_name);
        char *dot = strrchr(unit, '.');
        if (dot == NULL || strcmp(dot, ".d") != 0 ||
            snprintf(folder, sizeof folder, "%s/%s", top, entry->d_name) >= PATH_MAX)
            continue;
        *dot = '\0';
        list_folder(folder, cli_clean(unit));
    }
    if (folders != NULL)
        closedir(folders);
    return CLI_OK;
}

/* A systemd that runs has to be told. */
static void reload(void)
{
    static char systemctl[] = "systemctl", word[] = "daemon-reload";
    char *const command[] = {systemctl, word, NULL};
    pid_t pid;
    int status = -1;
    if (access("/run/systemd/system", F_OK) != 0)
        return;
    if (posix_spawnp(&pid, command[0], NULL, NULL, command, environ) != 0 || waitpid(pid, &status, 0) != pid ||
        status != 0)
        cli_say(WHO, "systemd was not told: call 'systemctl daemon-reload'");
}

static int change(const char *root, bool on, char **services)
{
    char shim[PATH_MAX];
    int code = CLI_OK;
    if (on && root[0] == '\0' && !place_find(PLACE_SHIM, shim)) {
        cli_say(WHO, "%s is not installed: nothing was changed", place_file(PLACE_SHIM));
        return CLI_FAILED;
    }
    for (; *services != NULL; services++) {
        struct unit unit;
        if (!find(&unit, root, *services))
            return CLI_USAGE;
        if (!(on ? switch_on(&unit) : switch_off(&unit)))
            code = CLI_FAILED;
    }
    if (root[0] == '\0')
        reload();
    return code;
}

int cli_unit(int argc, char **argv)
{
    static const struct option options[] = {
        {"root", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    const char *root = "";
    int option;
    while ((option = getopt_long(argc, argv, "r:h", options, NULL)) != -1) {
        switch (option) {
        case 'r':
            root = optarg;
            break;
        case 'h':
            return cli_print(help);
        default:
            return cli_see_help(argv[0]);
        }
    }
    if (optind == argc)
        return list(root);
    const bool on = !strcmp(argv[optind], "on");
    if (!on && strcmp(argv[optind], "off") != 0) {
        cli_say(argv[0], "it takes 'on' or 'off', not '%s'", argv[optind]);
        return cli_see_help(argv[0]);
    }
    if (optind + 1 == argc) {
        cli_say(argv[0], "a service is missing");
        return cli_see_help(argv[0]);
    }
    return change(root, on, argv + optind + 1);
}
