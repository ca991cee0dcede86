/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple run`: starts a program with the preload shim and an OpenSSL configuration that adds the provider.
 *
 * It changes two environment variables and execs: no process stays behind, signals and exit code are the program's own.
 * Whatever speaks against accelerating (this CPU, a FIPS configuration) is said in one line and the program starts as
 * it would without Octuple: a server that does not start would be the worse result. Only a broken installation stops
 * it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "places.h"
#include "run.h"

struct run_request {
    int verbose;
    int print_config;
    char **command;
};

static const char help[] =
    "Usage: octuple run [--verbose] [--] COMMAND [ARG...]\n"
    "       octuple run --print-config\n"
    "Starts COMMAND with Octuple in front of its OpenSSL: LD_PRELOAD gets the shim (what is there stays), OPENSSL_CONF "
    "a\n"
    "configuration that includes the one in use now and adds the provider. Nothing else changes, no process stays "
    "behind.\n"
    "On a machine that Octuple does not serve it says so in one line and starts COMMAND as it is.\n"
    "\n"
    "Options:\n"
    "  -v, --verbose       say what is set, and which files are used\n"
    "  -p, --print-config  print the OpenSSL configuration instead of starting anything\n"
    "  -h, --help          this text\n"
    "\n"
    "Examples:\n"
    "  octuple run -- nginx -g 'daemon off;'\n"
    "  OPENSSL_CONF=/etc/ssl/mine.cnf octuple run --verbose -- nginx\n"
    "  octuple run --print-config > /etc/ssl/octuple.cnf      a file of your own, for a systemd unit\n"
    "\n"
    "Exit codes: those of COMMAND; 125 octuple run itself failed, 126 COMMAND cannot be executed, 127 it was not "
    "found.\n"
    "Manual: octuple-run(1).\n";

static int exec_command(char **command)
{
    execvp(command[0], command);
    int code = errno == ENOENT ? CLI_RUN_NOT_FOUND : CLI_RUN_NOT_EXECUTABLE;
    cli_say(RUN_WHO, "cannot start %s: %s", command[0], strerror(errno));
    return code;
}

static int exec_plainly(char **command, const char *reason)
{
    cli_say(RUN_WHO, "%s runs plainly, without Octuple: %s", command[0], reason);
    return exec_command(command);
}

static int find_part(enum place what, char path[PATH_MAX])
{
    if (place_find(what, path)) {
        return 1;
    }
    cli_say(RUN_WHO, "%s is not installed; it was looked for as", place_file(what));
    place_tell_tried(what, "  ");
    fputs("Install Octuple's libraries, or build them ('ninja' in the build folder), and try again.\n", stderr);
    return 0;
}

/* A module that does not load would leave the server without it, silently: OpenSSL goes on with the rest. */
static int provider_loads(const char *path)
{
    const char *error = place_try_provider(path);
    if (error != NULL) {
        cli_say(RUN_WHO, "%s does not load: %s", path, error);
        fputs("Install Octuple again, in one version and for this OpenSSL; 'octuple info' shows which that is.\n",
              stderr);
    }
    return error == NULL;
}

static int listed(const char *preload, const char *path)
{
    size_t len = strlen(path);
    for (const char *at = preload; (at = strstr(at, path)) != NULL; at++) {
        if ((at == preload || strchr(": ", at[-1])) && strchr(": ", at[len])) {
            return 1;
        }
    }
    return 0;
}

static int set_variable(const char *name, const char *value)
{
    if (value != NULL && setenv(name, value, 1) == 0) {
        return 1;
    }
    cli_say(RUN_WHO, "cannot set %s: %s", name, strerror(errno));
    return 0;
}

/* Ours goes first: the shim has to see the calls that another preload would otherwise answer. */
static int set_preload(const char *shim)
{
    const char *before = getenv("LD_PRELOAD");
    char *value = NULL;
    int done;
    if (strpbrk(shim, ": ") != NULL) {
        cli_say(RUN_WHO, "%s cannot be preloaded: ld.so takes no colon or space in a path; move the installation",
                shim);
        return 0;
    }
    if (before == NULL || *before == '\0') {
        return set_variable("LD_PRELOAD", shim);
    }
    if (listed(before, shim)) {
        return 1;
    }
    done = set_variable("LD_PRELOAD", asprintf(&value, "%s:%s", shim, before) >= 0 ? value : NULL);
    free(value);
    return done;
}

static int set_config(const struct run_config *config)
{
    char path[PATH_MAX];
    if (config->verdict == CONFIG_READY) {
        return 1;
    }
    return run_store(path, config->text) && set_variable("OPENSSL_CONF", path);
}

static void tell(const struct run_config *config, const char *shim, const char *provider, const char *target)
{
    cli_say(RUN_WHO, "program      %s", target);
    cli_say(RUN_WHO, "shim         %s", shim);
    cli_say(RUN_WHO, "provider     %s", provider);
    cli_say(RUN_WHO, "extends      %s", config->base[0] ? config->base : "no configuration");
    cli_say(RUN_WHO, "LD_PRELOAD   %s", getenv("LD_PRELOAD"));
    cli_say(RUN_WHO, "OPENSSL_CONF %s%s", getenv("OPENSSL_CONF") ? getenv("OPENSSL_CONF") : config->base,
            config->verdict == CONFIG_READY ? " (has the provider already, left as it is)" : "");
}

static int run_with(const struct run_request *request, const struct run_config *config, const char *shim,
                    const char *provider, const char *target)
{
    const char *obstacle = run_target_obstacle(target);
    if (obstacle != NULL) {
        cli_say(RUN_WHO, "warning: %s %s", target, obstacle);
    }
    if (!set_preload(shim) || !set_config(config)) {
        return CLI_RUN_FAILED;
    }
    if (request->verbose) {
        tell(config, shim, provider, target);
    }
    return exec_command(request->command);
}

static int run(const struct run_request *request)
{
    static char target[PATH_MAX], shim[PATH_MAX], provider[PATH_MAX];
    static struct run_config config;
    int code = run_target_find(target, request->command[0]);
    if (code != CLI_OK) {
        return code;
    }
    if (cli_operations_on() == 0) {
        return exec_plainly(request->command, cli_nothing_on_reason());
    }
    if (!find_part(PLACE_SHIM, shim) || !find_part(PLACE_PROVIDER, provider) || !provider_loads(provider)) {
        return CLI_RUN_FAILED;
    }
    run_config_make(&config, provider);
    if (config.verdict == CONFIG_CONFLICT) {
        return exec_plainly(request->command, config.reason);
    }
    if (config.verdict == CONFIG_ERROR) {
        cli_say(RUN_WHO, "no memory");
        return CLI_RUN_FAILED;
    }
    code = run_with(request, &config, shim, provider, target);
    free(config.text);
    return code;
}

static int print_config(void)
{
    char provider[PATH_MAX];
    struct run_config config;
    if (!find_part(PLACE_PROVIDER, provider)) {
        return CLI_RUN_FAILED;
    }
    run_config_make(&config, provider);
    if (config.verdict != CONFIG_MERGED) {
        cli_say(RUN_WHO, "%s", config.verdict == CONFIG_ERROR ? "no memory" : config.reason);
        return CLI_RUN_FAILED;
    }
    cli_print(config.text);
    free(config.text);
    return CLI_OK;
}

static int usage_error(const char *who)
{
    cli_see_help(who);
    return CLI_RUN_FAILED;
}

int cli_run(int argc, char **argv)
{
    static const struct option options[] = {{"verbose", no_argument, NULL, 'v'},
                                            {"print-config", no_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct run_request request = {0};
    int option;
    /* "+": what follows COMMAND is its own. */
    while ((option = getopt_long(argc, argv, "+vph", options, NULL)) != -1) {
        switch (option) {
        case 'v':
            request.verbose = 1;
            break;
        case 'p':
            request.print_config = 1;
            break;
        case 'h':
            return cli_print(help);
        default:
            return usage_error(argv[0]);
        }
    }
    if (request.print_config != (optind == argc)) {
        cli_say(argv[0], request.print_config ? "--print-config takes no command" : "a command to run is missing");
        return usage_error(argv[0]);
    }
    request.command = argv + optind;
    return request.print_config ? print_config() : run(&request);
}
