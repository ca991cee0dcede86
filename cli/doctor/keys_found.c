/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where a server's private keys may be, other than in the process: providers and engines of its OpenSSL configuration,
 * and what nginx's own names as `engine:` or `store:`. Nothing but their names is kept: a key's address may hold a PIN.
 */
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/err.h>
#include "conf.h"
#include "cli/core/process.h"
#include "keys.h"

#define DEPTH 4

static void add(struct doctor_keys *keys, const char *what, const char *name, size_t length)
{
    char text[96];
    const size_t used = strlen(keys->found);
    snprintf(text, sizeof text, "%s %.*s", what, (int)(length < 48 ? length : 48), name);
    if (strstr(keys->found, text) == NULL && used + strlen(text) + 3 < sizeof keys->found)
        snprintf(keys->found + used, sizeof keys->found - used, "%s%s", used > 0 ? ", " : "", text);
}

/* Each entry of a list of providers or engines names a section, which may name it otherwise. */
static void take_list(struct doctor_keys *keys, CONF *conf, const char *init, const char *list, const char *identity,
                      const char *what)
{
    static const char *const without_keys[] = {"default", "base", "fips", "legacy", "null", "octuple"};
    const char *section = init != NULL ? NCONF_get_string(conf, init, list) : NULL;
    STACK_OF(CONF_VALUE) *entries = section != NULL ? NCONF_get_section(conf, section) : NULL;
    for (int i = 0; i < sk_CONF_VALUE_num(entries); i++) {
        const CONF_VALUE *entry = sk_CONF_VALUE_value(entries, i);
        const char *name = NCONF_get_string(conf, entry->value, identity);
        bool counts = true;
        name = name != NULL ? name : entry->name;
        for (size_t k = 0; k < sizeof without_keys / sizeof without_keys[0]; k++)
            counts &= strcmp(name, without_keys[k]) != 0;
        if (counts)
            add(keys, what, name, strlen(name));
    }
}

/* The argument of the next such directive in a line; NULL if there is none. */
static const char *argument(const char *line, const char *directive)
{
    const size_t length = strlen(directive);
    for (const char *at = line; (at = strstr(at, directive)) != NULL; at += length)
        if ((at == line || strchr(" \t;{}", at[-1]) != NULL) && isspace((unsigned char)at[length]))
            return at + length;
    return NULL;
}

/* As it is written: variables, and what stands on a line of its own, are not followed. */
static void read_nginx(struct doctor_keys *keys, const char *root, const char *file, unsigned depth)
{
    const char *slash = strrchr(file, '/');
    char *line = NULL;
    size_t room = 0;
    FILE *in = depth < DEPTH ? fopen(file, "re") : NULL;
    while (in != NULL && getline(&line, &room, in) > 0) {
        line[strcspn(line, "#")] = '\0';
        for (const char *at = line; (at = argument(at, "ssl_certificate_key")) != NULL;) {
            /* "engine:pkcs11:ADDRESS": what is in front of the second colon. */
            const char *key = at + strspn(at, " \t\"'");
            const size_t scheme = !strncmp(key, "engine:", 7) ? 7 : !strncmp(key, "store:", 6) ? 6 : 0;
            key += scheme;
            if (scheme != 0)
                add(keys, scheme == 7 ? "nginx's engine" : "nginx's store", key, strcspn(key, ":;\"' \t\n"));
        }
        for (const char *at = line; (at = argument(at, "include")) != NULL;) {
            char pattern[2 * PATH_MAX + 64];
            glob_t found;
            const char *name = at + strspn(at, " \t\"'");
            const int length = (int)strcspn(name, ";\"' \t\n"), folder = slash != NULL ? (int)(slash - file) : 0;
            const int size = name[0] == '/'
                                 ? snprintf(pattern, sizeof pattern, "%s%.*s", root, length, name)
                                 : snprintf(pattern, sizeof pattern, "%.*s/%.*s", folder, file, length, name);
            if (length == 0 || size >= (int)sizeof pattern || glob(pattern, 0, NULL, &found) != 0)
                continue;
            for (size_t i = 0; i < found.gl_pathc; i++)
                read_nginx(keys, root, found.gl_pathv[i], depth + 1);
            globfree(&found);
        }
    }
    free(line);
    if (in != NULL)
        fclose(in);
}

void doctor_keys_find(struct doctor_keys *keys, const struct doctor_target *target)
{
    static struct config_roots roots;
    char file[PATH_MAX], path[PATH_MAX + sizeof target->facts.root];
    const char *name = strrchr(target->facts.program, '/');
    size_t size = 0;
    CONF *conf = NCONF_new(NULL);
    if (conf != NULL && doctor_load_config(conf, file, target)) {
        config_read(&roots, conf);
        for (unsigned i = 0; i < roots.count; i++) {
            take_list(keys, conf, roots.root[i].name, "providers", "identity", "provider");
            take_list(keys, conf, roots.root[i].name, "engines", "engine_id", "engine");
        }
    }
    NCONF_free(conf);
    ERR_clear_error();
    if (name == NULL || strcmp(name, "/nginx") != 0)
        return;
    /* What follows -c in its command line, which nginx keeps when it writes its title over it. */
    char *line = target->facts.asked != 0 ? process_read(target->facts.asked, "cmdline", &size) : NULL;
    for (size_t i = 0; line != NULL && i < size; i++)
        line[i] = (char)(line[i] == '\0' && i + 1 < size ? ' ' : line[i]);
    const char *option = line != NULL ? strstr(line, " -c ") : NULL;
    const char *named = option != NULL && option[4] == '/' ? option + 4 : "/etc/nginx/nginx.conf";
    snprintf(file, sizeof file, "%.*s", (int)strcspn(named, " "), named);
    free(line);
    snprintf(path, sizeof path, "%s%s", target->facts.root, file);
    read_nginx(keys, target->facts.root, path, 0);
}
