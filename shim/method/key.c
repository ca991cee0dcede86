/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A key for lanes belongs to the program's key, and goes with it, cleansed: it is that object's extra data. */
#include "method/method.h"

#include "base/fork.h"

#include <stdlib.h>

static struct oct_fork_lock lock = OCT_FORK_LOCK_INIT; /* extra data has none */
static int place = -1;
static char none; /* what stands for a key that lanes do not serve */

static void key_gone(void *rsa, void *lanes, void *data, int at, long number, void *argument)
{
    (void)rsa, (void)data, (void)at, (void)number, (void)argument;
    if (lanes != (void *)&none)
        oct_rsa_key_free(lanes);
}

bool oct_method_keys_setup(void)
{
    place = (oct_awslc()->RSA_get_ex_new_index)(0, NULL, NULL, NULL, key_gone);
    return place >= 0 && oct_fork_lock_watch(&lock);
}

/* Numbers on their way from one key to the other. Secret. */
struct numbers {
    struct oct_rsa_numbers set;
    uint8_t n[OCT_METHOD_BYTES], e[4];
    uint8_t half[5][OCT_METHOD_BYTES / 2];
};

static bool take(struct oct_bytes *bytes, uint8_t *to, size_t size, const BIGNUM *from)
{
    *bytes = (struct oct_bytes){.data = to, .len = size};
    return from != NULL && oct_awslc()->BN_bn2binpad(from, to, (int)size) >= 0;
}

static struct oct_rsa_key *make(const RSA *rsa)
{
    const struct oct_awslc *awslc = oct_awslc();
    const BIGNUM *n = NULL, *e = NULL, *d = NULL, *p = NULL, *q = NULL, *dp = NULL, *dq = NULL, *qinv = NULL;
    const size_t size = awslc->RSA_bits(rsa) / 8, half = size / 2;
    struct numbers *of = calloc(1, sizeof *of);
    struct oct_rsa_key *made = NULL;

    awslc->RSA_get0_key(rsa, &n, &e, &d);
    awslc->RSA_get0_factors(rsa, &p, &q);
    awslc->RSA_get0_crt_params(rsa, &dp, &dq, &qinv);
    if (of != NULL && take(&of->set.n, of->n, size, n) && take(&of->set.e, of->e, sizeof of->e, e) &&
        take(&of->set.p, of->half[0], half, p) && take(&of->set.q, of->half[1], half, q) &&
        take(&of->set.dp, of->half[2], half, dp) && take(&of->set.dq, of->half[3], half, dq) &&
        take(&of->set.qinv, of->half[4], half, qinv) && oct_rsa_key_new(&made, &of->set) != OCT_OK)
        made = NULL;
    if (of != NULL)
        awslc->OPENSSL_cleanse(of, sizeof *of);
    free(of);
    return made;
}

bool oct_method_may_serve(const RSA *rsa)
{
    const struct oct_awslc *awslc = oct_awslc();
    const unsigned bits = awslc->RSA_bits(rsa);
    return (bits == 2048 || bits == 3072 || bits == 4096) && !awslc->RSA_is_opaque(rsa) &&
           awslc->RSA_get_method(rsa) == awslc->RSA_get_default_method();
}

struct oct_rsa_key *oct_method_lanes(RSA *rsa)
{
    const struct oct_awslc *awslc = oct_awslc();
    oct_fork_lock(&lock);
    void *found = awslc->RSA_get_ex_data(rsa, place);
    if (found == NULL) {
        (void)oct_ssl()->ERR_set_mark();
        struct oct_rsa_key *made = make(rsa);
        found = made != NULL ? (void *)made : (void *)&none;
        if (!awslc->RSA_set_ex_data(rsa, place, found)) {
            oct_rsa_key_free(made);
            found = &none;
        }
        (void)oct_ssl()->ERR_pop_to_mark();
    }
    struct oct_rsa_key *lanes = found != (void *)&none ? found : NULL;
    if (lanes != NULL)
        oct_rsa_key_up_ref(lanes);
    oct_fork_unlock(&lock);
    return lanes;
}
