/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Offers groups to ports, one handshake for each. OpenSSL is used with a library context of its own, which has the
 * provider for groups that OpenSSL itself may lack, and without the configuration that this command was started with:
 * what that says of groups or versions is not the server's.
 */
#include <signal.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include "cli/core/places.h"
#include "ports.h"

/* How long a server may take to say something unasked, as those of SMTP and SSH do. */
#define GREETING_MILLISECONDS 50

/* Post-quantum groups come last: some servers never answer a hello as long as theirs, and yet speak TLS. */
const struct doctor_group doctor_groups[DOCTOR_GROUPS] = {
    {"X25519", false},
    {"P-256", false},
    {"P-384", false},
    {"X25519MLKEM768", true},
    {"SecP256r1MLKEM768", true},
    {"SecP384r1MLKEM1024", true},
};

static bool speaks_tls(enum doctor_answer answer)
{
    return answer == ANSWER_TAKEN || answer == ANSWER_ALERT;
}

void doctor_offer_groups(struct doctor_ports *ports)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    char path[PATH_MAX];
    OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *standard = library != NULL ? OSSL_PROVIDER_load(library, "default") : NULL;
    OSSL_PROVIDER *ours =
        standard != NULL && place_find(PLACE_PROVIDER, path) ? place_load_provider(library, path) : NULL;
    SSL_CTX *ctx = standard != NULL ? SSL_CTX_new_ex(library, NULL, TLS_client_method()) : NULL;
    sigaction(SIGPIPE, &ignore, &before);
    const bool ready = ctx != NULL && SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) == 1;
    if (ready) { /* certificates are not what is asked about, so any will do */
        SSL_CTX_set_security_level(ctx, 0);
        SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, NULL);
    }
    for (unsigned i = 0; ready && i < ports->count; i++) {
        struct doctor_port *port = &ports->port[i];
        long patience = GREETING_MILLISECONDS;
        /* A port that does not speak TLS is not asked again. */
        for (unsigned k = 0; k < DOCTOR_GROUPS && (port->answer == ANSWER_NONE || speaks_tls(port->answer)); k++) {
            int error = 0;
            enum doctor_answer answer = doctor_handshake(ctx, port, doctor_groups[k].name, patience, &error);
            port->group[k] = answer;
            if (port->answer != ANSWER_TAKEN && answer != ANSWER_NONE &&
                (speaks_tls(answer) || !speaks_tls(port->answer))) {
                port->answer = answer;
                port->error = error;
            }
            patience = 0;
        }
    }
    SSL_CTX_free(ctx);
    sigaction(SIGPIPE, &before, NULL);
    OSSL_PROVIDER_unload(ours);
    OSSL_PROVIDER_unload(standard);
    OSSL_LIB_CTX_free(library);
    ERR_clear_error();
}

bool doctor_is_post_quantum(const struct doctor_port *port)
{
    bool taken = false;
    for (unsigned i = 0; i < DOCTOR_GROUPS; i++)
        taken |= doctor_groups[i].post_quantum && port->group[i] == ANSWER_TAKEN;
    return taken;
}

bool doctor_offered_post_quantum(const struct doctor_port *port)
{
    bool offered = false;
    for (unsigned i = 0; i < DOCTOR_GROUPS; i++)
        offered |= doctor_groups[i].post_quantum && port->group[i] != ANSWER_NONE;
    return offered;
}
