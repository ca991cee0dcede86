/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What `octuple run` changes in its own process before it becomes the program: one environment variable.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <openssl/crypto.h>
#include "cli/core/settings.h"
#include "launch.h"

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

/* As the shim has it (shim/libssl/load.c). */
bool launch_needs_groups(void)
{
    const unsigned long version = OpenSSL_version_num();
    return version >= 0x300000a0 && version < 0x30500000;
}

static int set_up_with(struct launch_setup *setup)
{
    if (!launch_find_part(PLACE_SHIM, setup->shim) || !launch_find_part(PLACE_PROVIDER, setup->provider))
        return CLI_RUN_FAILED;
    /* A module that does not load would leave the server without it, silently. */
    const char *error = place_try_provider(setup->provider);
    if (error != NULL) {
        cli_say(LAUNCH_WHO, "%s does not load: %s", setup->provider, error);
        fputs("Install Octuple again, in one version and for this OpenSSL; 'octuple info' shows which that is.\n",
              stderr);
        return CLI_RUN_FAILED;
    }
    return set_preload(setup->shim) ? CLI_OK : CLI_RUN_FAILED;
}

int launch_set_up(struct launch_setup *setup, const char *command)
{
    *setup = (struct launch_setup){.target = ""};
    int code = launch_find(setup->target, command);
    if (code != CLI_OK)
        return code;
    setup->program = launch_look(setup->target);
    setup->why_without = setup->program.plainly;
    if (setup->why_without != NULL)
        return CLI_OK;
    /* No operation is tested here: the program would pay for those that it never uses. */
    if (oct_op_is_possible(0))
        return set_up_with(setup);
    /* Post-quantum groups where OpenSSL has none: a server whose configuration names one must start on any CPU. What
     * stands in the way is no error then. */
    const char *table = oct_setting(OCT_SETTING_TABLE);
    if ((table == NULL || strcmp(table, "off") != 0) && launch_needs_groups() && place_find(PLACE_SHIM, setup->shim) &&
        place_find(PLACE_PROVIDER, setup->provider) && set_preload(setup->shim))
        setup->groups_only = cli_nothing_on_reason();
    else
        setup->why_without = cli_nothing_on_reason();
    return CLI_OK;
}

int launch_exec(char **command)
{
    execvp(command[0], command);
    int code = errno == ENOENT ? CLI_RUN_NOT_FOUND : CLI_RUN_NOT_EXECUTABLE;
    cli_say(LAUNCH_WHO, "cannot start %s: %s", command[0], strerror(errno));
    return code;
}
