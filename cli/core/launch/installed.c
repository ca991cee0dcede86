/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The configuration that was installed with the provider, or built beside it: what `octuple run` uses wherever the
 * system's openssl.cnf is the one in use.
 *
 * Nobody but root, or who built it, can write to it, and it does not vanish while the provider is there. It includes
 * the system's file behind everything of its own, so that all settings there count, now and for programs that start
 * after a change. Whether what comes out is what Octuple needs depends on that file, and is looked at here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "config.h"

#define INCLUDE      ".include "
#define ENDING       ".cnf"
#define OTHER_ENDING "-no-groups.cnf"

static bool fits(const char *path, const struct launch_config *config, const char *module)
{
    char folder[PATH_MAX], *line = NULL;
    size_t room = 0;
    struct stat st, owner;
    /* Does it include the system's, and is that the one in use? */
    char *base = getenv("OPENSSL_CONF") == NULL ? CONF_get1_default_config_file() : NULL;
    FILE *in = base != NULL ? fopen(path, "re") : NULL;
    bool is_system_s = false;
    while (in != NULL && !is_system_s && getline(&line, &room, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        is_system_s = !strncmp(line, INCLUDE, strlen(INCLUDE)) && !strcmp(line + strlen(INCLUDE), base);
    }
    free(line);
    if (in != NULL)
        fclose(in);
    OPENSSL_free(base);
    /* Who may write to the provider's module decides anyway what runs. */
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (!is_system_s || stat(module, &owner) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (stat(i == 0 ? path : folder, &st) != 0 || (st.st_uid != 0 && st.st_uid != owner.st_uid) ||
            (st.st_mode & 022))
            return false;
    /* And does it mean what Octuple needs? */
    CONF *before = NCONF_new(NULL), *after = NCONF_new(NULL);
    struct config_roots roots;
    bool good = before != NULL && after != NULL &&
                (config->base[0] == '\0' || NCONF_load(before, config->base, NULL) > 0) &&
                NCONF_load(after, path, NULL) > 0;
    if (good) {
        config_read(&roots, before);
        good = config_means_it(after, &roots, module, config->keep_groups);
    }
    NCONF_free(before);
    NCONF_free(after);
    return good;
}

bool launch_installed(char path[PATH_MAX], const struct launch_config *config, const char *module)
{
    if (place_find(PLACE_CONFIG, path)) {
        if (fits(path, config, module))
            return true;
        /* A bundle is for several versions of OpenSSL, and has a second file that leaves groups alone. */
        const size_t len = strlen(path), stem = len > strlen(ENDING) ? len - strlen(ENDING) : len;
        if (!strcmp(path + stem, ENDING) &&
            (size_t)snprintf(path + stem, PATH_MAX - stem, "%s", OTHER_ENDING) < PATH_MAX - stem &&
            access(path, R_OK) == 0 && fits(path, config, module))
            return true;
    }
    path[0] = '\0';
    return false;
}
