/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What `octuple run` changes in its own process before it becomes the program: two environment variables, and what
 * one of them was.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/core/settings.h"
#include "config.h"
#include "launch.h"

/* Room for every folder that was tried. */
#define LAUNCH_REASON_SIZE 8192

int launch_find_part(enum place what, char path[PATH_MAX])
{
    if (place_find(what, path))
        return 1;
    cli_say(LAUNCH_WHO, "%s is not installed; it was looked for as", place_file(what));
    place_tell_tried(what, "  ");
    fputs("Install Octuple's libraries, or build them ('ninja' in the build folder), and try again.\n", stderr);
    return 0;
}

int launch_set_variable(const char *name, const char *value)
{
    if (value != NULL && setenv(name, value, 1) == 0)
        return 1;
    cli_say(LAUNCH_WHO, "cannot set %s: %s", name, strerror(errno));
    return 0;
}

/* A name by which each program that inherits it finds what it can load, see cmake/preload.cmake; the shim's path where
 * the installation has no such folder, as a build has none, or the C library of this command has another one. */
static void preload_name(char name[PATH_MAX], const char *shim)
{
    const int folder = (int)(strrchr(shim, '/') - shim);
    void *library = NULL;
    /* Our own library lies beside the shim there, and is not loaded a second time. */
    if (snprintf(name, PATH_MAX, "%.*s/octuple/$LIB/" OCT_LIBRARY_FILE, folder, shim) < PATH_MAX)
        library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL ||
        snprintf(name, PATH_MAX, "%.*s/octuple/$LIB/%s", folder, shim, place_file(PLACE_SHIM)) >= PATH_MAX)
        snprintf(name, PATH_MAX, "%s", shim);
    if (library != NULL)
        dlclose(library);
}

static bool is_named(const char *list, const char *name)
{
    for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
        if ((at == list || strchr(": ", at[-1])) && strchr(": ", at[strlen(name)]))
            return true;
    return false;
}

/* Ours goes first: the shim has to see the calls that another preload would otherwise answer. */
static int set_preload(const char *shim)
{
    const char *before = getenv("LD_PRELOAD");
    char name[PATH_MAX], *value = NULL;
    int done;
    if (strpbrk(shim, ": ") != NULL) {
        cli_say(LAUNCH_WHO, "%s cannot be preloaded: ld.so takes no colon or space in a path; move the installation",
                shim);
        return 0;
    }
    preload_name(name, shim);
    if (before == NULL || *before == '\0')
        return launch_set_variable("LD_PRELOAD", name);
    if (is_named(before, shim) || is_named(before, name))
        return 1;
    done = launch_set_variable("LD_PRELOAD", asprintf(&value, "%s:%s", name, before) >= 0 ? value : NULL);
    free(value);
    return done;
}

/* Where the configuration is, if it is not the program's already. Without a place for it the program starts all the
 * same: setup->why_without says why as it would otherwise. */
static void place_config(char path[PATH_MAX], struct launch_setup *setup)
{
    static char reason[LAUNCH_REASON_SIZE];
    char why[LAUNCH_REASON_SIZE / 2];
    struct launch_config *config = &setup->config;
    path[0] = '\0';
    if (config->verdict != CONFIG_READY && !launch_installed(path, config, setup->provider) &&
        !launch_store(path, config->text, why, sizeof why)) {
        snprintf(reason, sizeof reason,
                 "there is no safe place for its OpenSSL configuration (%s); make one of them writable, or set "
                 "OPENSSL_CONF to a file of your own, see 'octuple run --print-config'",
                 why);
        setup->why_without = reason;
    }
    free(config->text);
    config->text = NULL;
}

static int set_up_with(struct launch_setup *setup)
{
    char path[PATH_MAX];
    if (!launch_find_part(PLACE_SHIM, setup->shim) || !launch_find_part(PLACE_PROVIDER, setup->provider))
        return CLI_RUN_FAILED;
    /* A module that does not load would leave the server without it, silently: OpenSSL goes on with the rest. */
    const char *error = place_try_provider(setup->provider);
    if (error != NULL) {
        cli_say(LAUNCH_WHO, "%s does not load: %s", setup->provider, error);
        fputs("Install Octuple again, in one version and for this OpenSSL; 'octuple info' shows which that is.\n",
              stderr);
        return CLI_RUN_FAILED;
    }
    launch_config_make(&setup->config, setup->provider);
    if (setup->config.verdict == CONFIG_CONFLICT) {
        setup->why_without = setup->config.reason;
        return CLI_OK;
    }
    if (setup->config.verdict == CONFIG_ERROR) {
        cli_say(LAUNCH_WHO, "no memory");
        return CLI_RUN_FAILED;
    }
    place_config(path, setup);
    if (setup->why_without != NULL)
        return CLI_OK;
    if (!set_preload(setup->shim))
        return CLI_RUN_FAILED;
    if (path[0] == '\0')
        return CLI_OK;
    /* What the shim names again where the program cannot reach ours: "" for OpenSSL's own choice. */
    const char *before = getenv("OPENSSL_CONF"), *base = setup->config.base;
    bool done = launch_set_variable("OPENSSL_CONF_BEFORE_OCTUPLE", before == NULL    ? ""
                                                                   : base[0] != '\0' ? base
                                                                                     : before) &&
                launch_set_variable("OPENSSL_CONF", path);
    return done ? CLI_OK : CLI_RUN_FAILED;
}

int launch_set_up(struct launch_setup *setup, const char *command, bool keep_groups)
{
    *setup = (struct launch_setup){.config.keep_groups = keep_groups};
    int code = launch_find(setup->target, command);
    if (code != CLI_OK)
        return code;
    setup->obstacle = launch_obstacle(setup->target);
    /* No operation is tested here: the program would pay for those that it never uses. */
    if (!oct_op_is_possible(0)) {
        /* Post-quantum groups where OpenSSL has none: a server whose configuration names one must start on any CPU.
         * Nothing names them here, because portable code is slow, and nothing is paused. What stands in the way is no
         * error then. */
        const char *table = oct_setting(OCT_SETTING_TABLE);
        char path[PATH_MAX];
        setup->config.keep_groups = true;
        bool wanted = (table == NULL || strcmp(table, "off") != 0) && config_groups() != NULL &&
                      place_find(PLACE_PROVIDER, setup->provider);
        if (wanted)
            launch_config_make(&setup->config, setup->provider);
        if (wanted && setup->config.verdict == CONFIG_MERGED) {
            place_config(path, setup);
            if (setup->why_without == NULL && path[0] != '\0' && launch_set_variable("OPENSSL_CONF", path))
                setup->groups_only = cli_nothing_on_reason();
        }
        setup->why_without = setup->groups_only != NULL ? NULL : cli_nothing_on_reason();
        return CLI_OK;
    }
    setup->why_without = launch_plainly(setup->target);
    return setup->why_without != NULL ? CLI_OK : set_up_with(setup);
}

int launch_exec(char **command)
{
    execvp(command[0], command);
    int code = errno == ENOENT ? CLI_RUN_NOT_FOUND : CLI_RUN_NOT_EXECUTABLE;
    cli_say(LAUNCH_WHO, "cannot start %s: %s", command[0], strerror(errno));
    return code;
}
