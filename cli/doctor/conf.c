/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Reads what an openssl.cnf says about providers, by the rules of config(5): a module or provider may be listed more
 * than once under names that differ in what stands before or behind a dot, and of two settings the later one counts.
 */
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <openssl/crypto.h>
#include "conf.h"

static const char *skip_dot(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

/* "providers" is the name of providers and of providers.1. */
static bool is_module(const char *name, const char *module)
{
    const char *dot = strrchr(name, '.');
    size_t len = dot != NULL ? (size_t)(dot - name) : strlen(name);
    return len == strlen(module) && !memcmp(name, module, len);
}

static bool is_false(const char *value)
{
    return !strcmp(value, "0") || !strcasecmp(value, "no") || !strcasecmp(value, "false") || !strcasecmp(value, "off");
}

static void read_providers(struct config_root *root, const CONF *conf, const char *list)
{
    /* Until OpenSSL 3.1 the mere presence of `activate` activates. */
    const bool heeds_value = OPENSSL_version_major() * 100 + OPENSSL_version_minor() >= 302;
    STACK_OF(CONF_VALUE) *entries = NCONF_get_section(conf, list);
    root->providers = list;
    for (int i = 0; i < sk_CONF_VALUE_num(entries); i++) {
        const CONF_VALUE *entry = sk_CONF_VALUE_value(entries, i);
        STACK_OF(CONF_VALUE) *section = NCONF_get_section(conf, entry->value);
        const char *provider = skip_dot(entry->name), *module = NULL;
        int active = 0;
        for (int k = 0; k < sk_CONF_VALUE_num(section); k++) {
            const CONF_VALUE *setting = sk_CONF_VALUE_value(section, k);
            const char *name = skip_dot(setting->name);
            if (!strcmp(name, "identity"))
                provider = setting->value;
            else if (!strcmp(name, "module"))
                module = setting->value;
            else if (!strcmp(name, "activate"))
                active = !heeds_value || !is_false(setting->value);
        }
        if (!strcmp(provider, "default")) {
            root->default_section = entry->value;
            root->default_active |= active;
        } else if (!strcmp(provider, "octuple")) {
            root->octuple_section = entry->value;
            root->octuple_module = module;
            root->octuple_active |= active;
        } else {
            root->others_active |= active;
        }
    }
}

/* A module that is about providers, algorithms or libssl's settings, and the sections that it leads to. */
static void read_module(struct config_root *root, const CONF *conf, const CONF_VALUE *module)
{
    STACK_OF(CONF_VALUE) *section = NCONF_get_section(conf, module->value);
    if (is_module(module->name, "providers")) {
        read_providers(root, conf, module->value);
    } else if (is_module(module->name, "alg_section")) {
        root->algorithms = module->value;
        for (int i = 0; i < sk_CONF_VALUE_num(section); i++) {
            const CONF_VALUE *setting = sk_CONF_VALUE_value(section, i);
            if (!strcmp(setting->name, "default_properties"))
                root->properties = setting->value;
            else if (!strcmp(setting->name, "fips_mode"))
                root->fips_mode = !is_false(setting->value);
        }
    } else if (is_module(module->name, "ssl_conf")) {
        root->tls = module->value;
        for (int i = 0; i < sk_CONF_VALUE_num(section); i++)
            if (!strcmp(sk_CONF_VALUE_value(section, i)->name, "system_default"))
                root->tls_default = sk_CONF_VALUE_value(section, i)->value;
        section = root->tls_default != NULL ? NCONF_get_section(conf, root->tls_default) : NULL;
        for (int i = 0; i < sk_CONF_VALUE_num(section); i++) {
            const CONF_VALUE *setting = sk_CONF_VALUE_value(section, i);
            const char *command = skip_dot(setting->name);
            /* It has several names and spellings: see SSL_CONF_cmd(3). */
            if (!strcasecmp(command, "Groups") || !strcasecmp(command, "Curves"))
                root->groups = setting->value;
        }
    }
}

static void add_root(struct config_roots *roots, const CONF *conf, const char *name)
{
    STACK_OF(CONF_VALUE) *section = NCONF_get_section(conf, name);
    struct config_root *root = &roots->root[roots->count];
    for (unsigned i = 0; i < roots->count; i++)
        if (roots->root[i].name != NULL && !strcmp(roots->root[i].name, name))
            return;
    if (roots->count == CONFIG_MAX_ROOTS) {
        roots->missed++;
        return;
    }
    roots->count++;
    root->name = name;
    for (int i = 0; i < sk_CONF_VALUE_num(section); i++)
        read_module(root, conf, sk_CONF_VALUE_value(section, i));
}

void config_read(struct config_roots *roots, const CONF *conf)
{
    static const char *const modules[] = {"providers", "alg_section", "ssl_conf", "engines", "random", "oid_section"};
    STACK_OF(CONF_VALUE) *variables = NCONF_get_section(conf, "default");
    const char *name = NCONF_get_string(conf, NULL, "openssl_conf");
    *roots = (struct config_roots){0};
    if (name != NULL)
        add_root(roots, conf, name);
    else
        roots->count = 1;
    for (int i = 0; i < sk_CONF_VALUE_num(variables); i++) {
        const char *value = sk_CONF_VALUE_value(variables, i)->value;
        const STACK_OF(CONF_VALUE) *section = NCONF_get_section(conf, value);
        bool is_root = false;
        for (int k = 0; k < sk_CONF_VALUE_num(section); k++)
            for (size_t m = 0; m < sizeof modules / sizeof modules[0]; m++)
                is_root |= is_module(sk_CONF_VALUE_value(section, k)->name, modules[m]);
        if (is_root)
            add_root(roots, conf, value);
    }
}

/* property(7): clauses with commas between, each NAME, NAME=VALUE or NAME!=VALUE, behind '?' if it is only a wish,
 * behind '-' if it takes the name out. */
bool config_asks_fips(const char *properties)
{
    const char *at = properties != NULL ? properties : "";
    while (*at != '\0') {
        const size_t len = strcspn(at, ","), before = strspn(at, " \t?-");
        const char *name = at + before;
        const size_t size = strcspn(name, " \t=!,");
        const char *value = name + size + strspn(name + size, " \t=");
        if (size == 4 && !strncasecmp(name, "fips", size) && !memchr(at, '?', before) && !memchr(at, '-', before) &&
            strncasecmp(value, "no", 2) != 0)
            return true;
        at += len + (at[len] == ',');
    }
    return false;
}
