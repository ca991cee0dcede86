/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The command line of octuple-load. */
#include "tls/exchange.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: octuple-load [OPTION]... ADDRESS PORT\n"
    "Makes full TLS handshakes with a server and counts those that were completed.\n"
    "\n"
    "What is negotiated (nothing else is offered):\n"
    "  --tls 1.2|1.3            default 1.3\n"
    "  --kx rsa|ecdhe           TLS 1.2: key exchange; default ecdhe\n"
    "  --group GROUP[,GROUP]... x25519 (default), p256, p384, p521; TLS 1.3: x25519mlkem768, secp256r1mlkem768,\n"
    "                           secp384r1mlkem1024. Of several, each connection offers the next one\n"
    "  --suite aes128|aes256    AES-128-GCM with SHA-256 (default), AES-256-GCM with SHA-384\n"
    "  --tickets                TLS 1.2: offer session tickets; a TLS 1.3 client always does\n"
    "  --shares generator|N     key shares: the group's generator, whose secret costs nothing (default),\n"
    "                           or N real ones made beforehand and used in turn\n"
    "  --proof ticket|close|get TLS 1.3: how the server shows that it accepted our Finished: by its ticket (default),\n"
    "                           by answering our close_notify, or by answering a GET request\n"
    "How much:\n"
    "  --connections N          under way at the same time, at the most; default 64\n"
    "  --rate R                 open loop: begin R a second at random moments; latency counts from the due moment.\n"
    "                           Without it, closed loop: the next begins as soon as one is over\n"
    "  --handshakes N           begin N connections (default 1000 if there is no --seconds)\n"
    "  --seconds S              begin connections for S seconds\n"
    "  --timeout S              give one handshake up after S seconds; default 10\n"
    "  --patience MS[-MS]       a client leaves, by FIN, when it has waited so long; of two, at a random time between\n"
    "  --retry MS[-MS]          who left or failed comes again after that time, until it is served or --seconds are "
    "over\n"
    "  --warm-up S              leave what ends in the first S seconds out of rates and latencies; default 0\n"
    "  --abort PERCENT          so many connections end early at a random point, by FIN or RST; default 0\n"
    "  --seed N                 of everything that is random; default 1\n"
    "  --sources N              connect from 127.0.0.1 to 127.0.0.N in turn\n"
    "  --cpu N                  run on this CPU only\n"
    "  --json                   print one JSON object\n"
    "\n"
    "Latency is from connect(), of clients that come again from the first one, to the proof that the server accepted\n"
    "the handshake. Certificates are not verified.\n"
    "Exit status: 0 if no handshake failed, 1 if one did, 2 for a wrong command line, 3 if the load could not run.\n"
    "\n"
    "Examples:\n"
    "  octuple-load 127.0.0.1 4433 --seconds 5\n"
    "  octuple-load 127.0.0.1 4433 --tls 1.2 --kx rsa --connections 128 --handshakes 20000 --json\n"
    "  octuple-load 127.0.0.1 4433 --rate 1500 --seconds 10 --abort 5\n"
    "  octuple-load 127.0.0.1 4433 --rate 4000 --connections 16000 --seconds 10 --warm-up 4 --patience 1000-3000\n"
    "  octuple-load 127.0.0.1 4433 --handshakes 1500 --connections 1500 --seconds 60 --patience 1000 --retry "
    "500-1500\n";

enum id {
    ID_TLS = 256,
    ID_KX,
    ID_GROUP,
    ID_SUITE,
    ID_SHARES,
    ID_PROOF,
    ID_CONNECTIONS,
    ID_RATE,
    ID_HANDSHAKES,
    ID_SECONDS,
    ID_TIMEOUT,
    ID_PATIENCE,
    ID_RETRY,
    ID_WARM_UP,
    ID_ABORT,
    ID_SEED,
    ID_SOURCES,
    ID_CPU,
    ID_JSON,
    ID_TICKETS,
    ID_HELP
};

static const struct option long_options[] = {
    {"tls", required_argument, NULL, ID_TLS},
    {"kx", required_argument, NULL, ID_KX},
    {"group", required_argument, NULL, ID_GROUP},
    {"suite", required_argument, NULL, ID_SUITE},
    {"shares", required_argument, NULL, ID_SHARES},
    {"proof", required_argument, NULL, ID_PROOF},
    {"connections", required_argument, NULL, ID_CONNECTIONS},
    {"rate", required_argument, NULL, ID_RATE},
    {"handshakes", required_argument, NULL, ID_HANDSHAKES},
    {"seconds", required_argument, NULL, ID_SECONDS},
    {"timeout", required_argument, NULL, ID_TIMEOUT},
    {"patience", required_argument, NULL, ID_PATIENCE},
    {"retry", required_argument, NULL, ID_RETRY},
    {"warm-up", required_argument, NULL, ID_WARM_UP},
    {"abort", required_argument, NULL, ID_ABORT},
    {"seed", required_argument, NULL, ID_SEED},
    {"sources", required_argument, NULL, ID_SOURCES},
    {"cpu", required_argument, NULL, ID_CPU},
    {"json", no_argument, NULL, ID_JSON},
    {"tickets", no_argument, NULL, ID_TICKETS},
    {"help", no_argument, NULL, ID_HELP},
    {NULL, 0, NULL, 0},
};

struct word {
    const char *name;
    unsigned value;
};

static const struct word tls_words[] = {{"1.2", 12}, {"1.3", 13}, {NULL, 0}};
static const struct word kx_words[] = {{"ecdhe", 0}, {"rsa", 1}, {NULL, 0}};
static const struct word suite_words[] = {{"aes128", 128}, {"aes256", 256}, {NULL, 0}};
static const struct word group_words[] = {{"x25519", LOAD_GROUP_X25519},
                                          {"p256", LOAD_GROUP_P256},
                                          {"p384", LOAD_GROUP_P384},
                                          {"p521", LOAD_GROUP_P521},
                                          {"x25519mlkem768", LOAD_GROUP_X25519MLKEM768},
                                          {"secp256r1mlkem768", LOAD_GROUP_SECP256R1MLKEM768},
                                          {"secp384r1mlkem1024", LOAD_GROUP_SECP384R1MLKEM1024},
                                          {NULL, 0}};
static const struct word proof_words[] = {
    {"ticket", LOAD_PROOF_TICKET}, {"close", LOAD_PROOF_CLOSE}, {"get", LOAD_PROOF_GET}, {NULL, 0}};

static bool parse_word(unsigned *value, const struct word *word, const char *text)
{
    for (; word->name; word++) {
        if (!strcmp(word->name, text)) {
            *value = word->value;
            return true;
        }
    }
    return false;
}

static bool parse_real(double *value, const char *text, double least, double most)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && !*end && !errno && *value >= least && *value <= most;
}

static bool parse_number(uint64_t *value, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *value >= least && *value <= most;
}

static bool parse_unsigned(unsigned *value, const char *text, unsigned least, unsigned most)
{
    uint64_t number = 0;
    bool ok = parse_number(&number, text, least, most);
    *value = (unsigned)number;
    return ok;
}

/* A number of milliseconds, or two with - between them. */
static bool parse_range(struct load_range *range, const char *text)
{
    char least[16];
    const size_t len = strcspn(text, "-");
    if (len >= sizeof least)
        return false;
    memcpy(least, text, len);
    least[len] = 0;
    return parse_unsigned(&range->least, least, 1, 1000000) &&
           parse_unsigned(&range->most, text[len] ? text + len + 1 : text, range->least, 1000000);
}

/* Words with commas between them, at most LOAD_GROUPS_MAX. */
static bool parse_groups(struct load_options *options, const char *text)
{
    char name[32];
    for (options->groups = 0; options->groups < LOAD_GROUPS_MAX; options->groups++) {
        size_t len = strcspn(text, ",");
        unsigned value;
        if (len >= sizeof name)
            return false;
        memcpy(name, text, len);
        name[len] = 0;
        if (!parse_word(&value, group_words, name))
            return false;
        options->group[options->groups] = value;
        text += len;
        if (!*text++)
            return ++options->groups;
    }
    return false;
}

/* What is negotiated. */
static bool parse_negotiation(struct load_options *options, int id, const char *text)
{
    unsigned value = 0;
    bool ok = true;
    switch (id) {
    case ID_TLS:
        return parse_word(&options->tls, tls_words, text);
    case ID_KX:
        ok = parse_word(&value, kx_words, text);
        options->rsa_kx = value;
        return ok;
    case ID_GROUP:
        return parse_groups(options, text);
    case ID_SUITE:
        return parse_word(&options->bits, suite_words, text);
    case ID_SHARES:
        return !strcmp(text, "generator") || parse_unsigned(&options->shares, text, 1, 4096);
    case ID_PROOF:
        ok = parse_word(&value, proof_words, text);
        options->proof = value;
        return ok;
    default:
        return false;
    }
}

/* How much of it. */
static bool parse_amount(struct load_options *options, int id, const char *text)
{
    unsigned cpu = 0;
    bool ok;
    switch (id) {
    case ID_CONNECTIONS:
        return parse_unsigned(&options->connections, text, 1, 100000);
    case ID_RATE:
        return parse_real(&options->rate, text, 0.01, 1e7);
    case ID_HANDSHAKES:
        return parse_number(&options->handshakes, text, 1, UINT64_MAX);
    case ID_SECONDS:
        return parse_real(&options->seconds, text, 0.001, 1e7);
    case ID_TIMEOUT:
        return parse_real(&options->timeout, text, 0.001, 1e5);
    case ID_PATIENCE:
        return parse_range(&options->patience, text);
    case ID_RETRY:
        return parse_range(&options->retry, text);
    case ID_WARM_UP:
        return parse_real(&options->warm_up, text, 0, 1e5);
    case ID_ABORT:
        return parse_real(&options->abort_percent, text, 0, 100);
    case ID_SEED:
        return parse_number(&options->seed, text, 0, UINT64_MAX);
    case ID_SOURCES:
        return parse_unsigned(&options->sources, text, 1, 250);
    case ID_CPU:
        ok = parse_unsigned(&cpu, text, 0, 1023);
        options->cpu = (int)cpu;
        return ok;
    case ID_TICKETS:
        options->tickets = true;
        return true;
    default:
        options->json = true;
        return true;
    }
}

static int complain(const char *what, const char *about)
{
    fprintf(stderr, "octuple-load: %s%s; see octuple-load --help\n", what, about);
    return 2;
}

static int parse_server(struct load_options *options, const char *address, const char *port)
{
    unsigned number = 0;
    if (inet_pton(AF_INET, address, &options->server.sin_addr) != 1)
        return complain("ADDRESS must be an IPv4 address in numbers, not ", address);
    if (!parse_unsigned(&number, port, 1, 65535))
        return complain("PORT must be a number from 1 to 65535, not ", port);
    options->server.sin_family = AF_INET;
    options->server.sin_port = htons((uint16_t)number);
    return -1;
}

int load_options_parse(struct load_options *options, int argc, char **argv)
{
    *options = (struct load_options){.tls = 13,
                                     .group = {LOAD_GROUP_X25519},
                                     .groups = 1,
                                     .bits = 128,
                                     .connections = 64,
                                     .timeout = 10,
                                     .seed = 1,
                                     .cpu = -1};
    int id, at = 0;
    while ((id = getopt_long(argc, argv, "", long_options, &at)) != -1) {
        if (id == ID_HELP) {
            fputs(usage, stdout);
            return 0;
        }
        if (id == '?')
            return complain("that is no option", "");
        bool ok = id <= ID_PROOF ? parse_negotiation(options, id, optarg) : parse_amount(options, id, optarg);
        if (!ok) {
            fprintf(stderr, "octuple-load: --%s cannot be %s; see octuple-load --help\n", long_options[at].name,
                    optarg);
            return 2;
        }
    }
    if (argc - optind != 2)
        return complain("ADDRESS and PORT of the server are needed", "");
    if (options->rsa_kx && options->tls == 13)
        return complain("TLS 1.3 has no RSA key exchange: add --tls 1.2", "");
    for (unsigned i = 0; i < options->groups; i++)
        if (options->tls == 12 && load_group_is_hybrid(options->group[i]))
            return complain("TLS 1.2 has no ML-KEM: leave --tls 1.2 out", "");
    if (!options->handshakes && options->seconds <= 0)
        options->handshakes = 1000;
    return parse_server(options, argv[optind], argv[optind + 1]);
}
