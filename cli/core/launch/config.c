/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The OpenSSL configuration of `octuple run`: the one in use, extended.
 *
 * It includes the original instead of copying it, so that later changes of it count and a private one stays private,
 * and then reopens the sections that matter: in an openssl.cnf a section may be continued, and a later setting replaces
 * an earlier one. Providers, ssl_conf, engines, oid_section and everything else of the original stay. What it must not
 * do is to weaken a choice: where the original shuts the default provider out or asks for FIPS, it is left alone.
 *
 * The result is parsed again before it is used, so that whatever a user's file contains (an odd pragma, a section name
 * that cannot be written back) ends as a message here and not as a server without its configuration.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include "config.h"

/* The sections that are added, the last four with a root's number. */
#define OUR_ROOT       "octuple_run"
#define OUR_DEFAULT    OUR_ROOT "_default"
#define OUR_MODULE     OUR_ROOT "_module"
#define OUR_PROVIDERS  OUR_ROOT "_providers_%u"
#define OUR_ALGORITHMS OUR_ROOT "_algorithms_%u"
#define OUR_TLS        OUR_ROOT "_tls_%u"
#define OUR_TLS_GROUPS OUR_ROOT "_tls_groups_%u"

static void conflict(struct launch_config *config, const char *reason)
{
    config->verdict = CONFIG_CONFLICT;
    snprintf(config->reason, sizeof config->reason, "%s %s",
             config->base[0] ? config->base : "the OpenSSL configuration", reason);
}

/* Puts a backslash before what an openssl.cnf takes as its own. */
static void write_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\\"'`$# ", *text) != NULL)
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* Can our provider be added? If not, config says why. */
static int judge(struct launch_config *config, const struct config_roots *roots, const CONF *conf)
{
    static const char *const ours[] = {OUR_ROOT,       OUR_DEFAULT, OUR_MODULE,    OUR_PROVIDERS,
                                       OUR_ALGORITHMS, OUR_TLS,     OUR_TLS_GROUPS};
    const unsigned count = sizeof ours / sizeof ours[0];
    char name[64];
    for (unsigned i = 0; i < roots->count; i++) {
        if (roots->root[i].octuple_active) {
            config->verdict = CONFIG_READY;
            snprintf(config->reason, sizeof config->reason, "%s activates the provider octuple already", config->base);
            return 0;
        }
    }
    for (unsigned i = 0; i < roots->count; i++) {
        const struct config_root *root = &roots->root[i];
        const char *objection = NULL;
        if (root->fips_mode || config_query(root->properties) == QUERY_FIPS)
            objection = "asks for FIPS algorithms only, which Octuple's are not";
        else if (root->others_active && !root->default_active)
            objection = "activates providers but not 'default'; add that one if it may serve here";
        else if (config_query(root->properties) == QUERY_NAMES_PROVIDER)
            objection = "names a provider in its default_properties; only one can be preferred";
        if (objection != NULL) {
            conflict(config, objection);
            return 0;
        }
    }
    /* Ours have to be new sections: continued ones would mix two meanings. */
    bool has_ours = false;
    for (unsigned i = 0; i < count * CONFIG_MAX_ROOTS; i++) {
        snprintf(name, sizeof name, ours[i % count], i / count);
        has_ours |= NCONF_get_section(conf, name) != NULL;
    }
    if (has_ours) {
        conflict(config, "has sections named " OUR_ROOT "... but does not activate octuple; complete or remove them");
        return 0;
    }
    if (roots->missed > 0) {
        conflict(config, "has sections for more applications than can be extended");
        return 0;
    }
    return 1;
}

/* What the administrator says of groups counts, by whatever name. */
static bool gets_groups(const struct config_root *root, bool keep_groups)
{
    return !keep_groups && root->groups == NULL && config_groups() != NULL;
}

/* A section that the user has is continued, so that settings there stay. */
static void write_root(FILE *out, const struct launch_config *config, const struct config_root *root, unsigned i,
                       const char *module)
{
    const bool groups = gets_groups(root, config->keep_groups);
    char providers[32], algorithms[32], tls[32], tls_default[32];
    snprintf(providers, sizeof providers, OUR_PROVIDERS, i);
    snprintf(algorithms, sizeof algorithms, OUR_ALGORITHMS, i);
    snprintf(tls, sizeof tls, OUR_TLS, i);
    snprintf(tls_default, sizeof tls_default, OUR_TLS_GROUPS, i);
    fprintf(out, "\n[%s]\n", root->name != NULL ? root->name : OUR_ROOT);
    if (root->providers == NULL)
        fprintf(out, "providers = %s\n", providers);
    if (root->algorithms == NULL)
        fprintf(out, "alg_section = %s\n", algorithms);
    if (groups && root->tls == NULL)
        fprintf(out, "ssl_conf = %s\n", tls);
    fprintf(out, "[%s]\n", root->providers != NULL ? root->providers : providers);
    if (root->default_section == NULL)
        fputs("default = " OUR_DEFAULT "\n", out);
    if (root->octuple_section == NULL)
        fputs("octuple = " OUR_MODULE "\n", out);
    /* While no provider is activated OpenSSL activates this one by itself, afterwards it does not. */
    if (!root->default_active)
        fprintf(out, "[%s]\nactivate = 1\n", root->default_section != NULL ? root->default_section : OUR_DEFAULT);
    fprintf(out, "[%s]\nmodule = ", root->octuple_section != NULL ? root->octuple_section : OUR_MODULE);
    write_escaped(out, module);
    fprintf(out,
            "\nactivate = 1\n[%s]\ndefault_properties = ", root->algorithms != NULL ? root->algorithms : algorithms);
    if (root->properties != NULL && *root->properties != '\0') {
        write_escaped(out, root->properties);
        fputs(",", out);
    }
    fputs(CONFIG_PREFERENCE "\n", out);
    if (groups && root->tls_default == NULL)
        fprintf(out, "[%s]\nsystem_default = %s\n", root->tls != NULL ? root->tls : tls, tls_default);
    if (groups) {
        fprintf(out, "[%s]\nGroups = %s\n", root->tls_default != NULL ? root->tls_default : tls_default,
                config_groups());
    }
}

static int make_text(struct launch_config *config, const struct config_roots *roots, const char *module)
{
    size_t size = 0;
    FILE *out = open_memstream(&config->text, &size);
    if (out == NULL)
        return 0;
    fputs("# OpenSSL configuration made by 'octuple run': the one in use, and the provider octuple. It is made anew "
          "when\n"
          "# that is needed; a change here will be lost. A copy under another name can be used as OPENSSL_CONF.\n",
          out);
    if (config->base[0] != '\0') {
        fputs(".include ", out);
        write_escaped(out, config->base);
        fputc('\n', out);
    }
    fprintf(out, "[default]\nopenssl_conf = %s\n", roots->root[0].name != NULL ? roots->root[0].name : OUR_ROOT);
    for (unsigned i = 0; i < roots->count; i++)
        write_root(out, config, &roots->root[i], i, module);
    int failed = ferror(out);
    return fclose(out) == 0 && !failed;
}

int config_means_it(const CONF *conf, const struct config_roots *before, const char *module, bool keep_groups)
{
    static const char preference[] = CONFIG_PREFERENCE;
    const size_t tail = strlen(preference);
    struct config_roots after;
    char real[PATH_MAX];
    config_read(&after, conf);
    if (after.count != before->count)
        return 0;
    for (unsigned i = 0; i < after.count; i++) {
        const struct config_root *old = &before->root[i], *new = &after.root[i];
        const char *named = new->octuple_module;
        const size_t len = new->properties != NULL ? strlen(new->properties) : 0;
        bool is_ours =
            named != NULL && (!strcmp(named, module) || (realpath(named, real) != NULL && !strcmp(real, module)));
        if (!is_ours || !new->octuple_active || !new->default_active || len < tail ||
            strcmp(new->properties + len - tail, preference) != 0)
            return 0;
        /* No groups, where there were none, are worth less than what else a file has: the installed one has no place
         * for groups beside settings of libssl in sections of other names, but it cannot be lost. */
        const char *wanted = gets_groups(old, keep_groups) ? config_groups() : old->groups;
        if (new->groups == NULL ? old->groups != NULL : wanted == NULL || strcmp(wanted, new->groups) != 0)
            return 0;
    }
    return 1;
}

/* Loads what is extended, adds the provider to it, and reads what came out once more. */
static void extend(struct launch_config *config, CONF *conf, const char *module)
{
    struct config_roots roots;
    long line = -1;
    if (config->base[0] != '\0' && NCONF_load(conf, config->base, &line) <= 0) {
        const char *error = ERR_reason_error_string(ERR_peek_last_error());
        char reason[256];
        snprintf(reason, sizeof reason, line > 0 ? "cannot be read: %s, line %ld" : "cannot be read: %s",
                 error != NULL ? error : "unknown error", line);
        conflict(config, reason);
        return;
    }
    config_read(&roots, conf);
    if (!judge(config, &roots, conf))
        return;
    if (!make_text(config, &roots, module)) {
        config->verdict = CONFIG_ERROR;
        return;
    }
    CONF *made = NCONF_new(NULL);
    BIO *bio = BIO_new_mem_buf(config->text, -1);
    if (made == NULL || bio == NULL || NCONF_load_bio(made, bio, &line) <= 0 ||
        !config_means_it(made, &roots, module, config->keep_groups)) {
        conflict(config, "cannot be extended by an include; add the provider to it by hand, see octuple-run(1)");
        free(config->text);
        config->text = NULL;
    }
    BIO_free(bio);
    NCONF_free(made);
}

/* The file is the one that OpenSSL would read. It goes without a configuration when that is missing; so does this. */
void launch_config_make(struct launch_config *config, const char *module)
{
    CONF *conf = NCONF_new(NULL);
    char *file = CONF_get1_default_config_file();
    struct stat st;
    config->verdict = conf != NULL ? CONFIG_MERGED : CONFIG_ERROR;
    config->text = NULL;
    config->base[0] = '\0';
    if (conf != NULL && file != NULL && *file != '\0' && strcmp(file, "/dev/null") != 0) {
        /* A relative name would change its meaning with the folder that the program goes to. */
        char here[PATH_MAX] = "";
        int absolute = file[0] == '/';
        if (!absolute && getcwd(here, sizeof here) == NULL)
            here[0] = '\0';
        if (snprintf(config->base, sizeof config->base, "%s%s%s", here, absolute ? "" : "/", file) >= PATH_MAX)
            config->base[0] = '\0';
        if (stat(config->base, &st) != 0) {
            if (errno != ENOENT || getenv("OPENSSL_CONF") != NULL)
                cli_say(LAUNCH_WHO, "warning: no OpenSSL configuration %s: %s", config->base, strerror(errno));
            config->base[0] = '\0';
        } else if (!S_ISREG(st.st_mode)) {
            conflict(config, "is not a regular file, and only such a one can be extended");
        }
    }
    if (config->verdict == CONFIG_MERGED)
        extend(config, conf, module);
    OPENSSL_free(file);
    NCONF_free(conf);
}
