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

/* Who may write to the provider's module decides anyway what runs. */
static bool is_safe(const char *path, const char *module)
{
    char folder[PATH_MAX];
    struct stat st, owner;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (stat(module, &owner) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (stat(i == 0 ? path : folder, &st) != 0 || (st.st_uid != 0 && st.st_uid != owner.st_uid) ||
            (st.st_mode & 022))
            return false;
    return true;
}

static bool includes(const char *path, const char *base)
{
    bool found = false;
    char *line = NULL;
    size_t room = 0;
    FILE *in = fopen(path, "re");
    while (in != NULL && !found && getline(&line, &room, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        found = !strncmp(line, INCLUDE, strlen(INCLUDE)) && !strcmp(line + strlen(INCLUDE), base);
    }
    free(line);
    if (in != NULL)
        fclose(in);
    return found;
}

static bool is_system_s(const char *path)
{
    char *base = getenv("OPENSSL_CONF") == NULL ? CONF_get1_default_config_file() : NULL;
    bool found = base != NULL && includes(path, base);
    OPENSSL_free(base);
    return found;
}

static bool means_it(const char *path, const struct launch_config *config, const char *module)
{
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

static bool fits(const char *path, const struct launch_config *config, const char *module)
{
    return is_system_s(path) && is_safe(path, module) && means_it(path, config, module);
}

/* A bundle is for several versions of OpenSSL, and has a second file beside the first that leaves groups alone. */
static bool take_other(char path[PATH_MAX])
{
    const size_t stem = strlen(path) - strlen(ENDING);
    return strlen(path) > strlen(ENDING) && strcmp(path + stem, ENDING) == 0 &&
           (size_t)snprintf(path + stem, PATH_MAX - stem, "%s", OTHER_ENDING) < PATH_MAX - stem &&
           access(path, R_OK) == 0;
}

bool launch_installed(char path[PATH_MAX], const struct launch_config *config, const char *module)
{
    if (place_find(PLACE_CONFIG, path) &&
        (fits(path, config, module) || (take_other(path) && fits(path, config, module))))
        return true;
    path[0] = '\0';
    return false;
}
