/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA key generation on the c table with all random bytes marked. The bytes are such that two primes are among the
 * first sixteen candidates, and that both have all their rounds; what comes before them is rejected, in each of the
 * ways that there are. All numbers but n leave with their marks.
 */
#include "secret.h"

#include "api/rsa_internal.h"

/* One of the first seeds that find two primes at once. */
#define SEED 17

static int stream(void *arg, uint8_t *out, size_t len)
{
    uint64_t *state = arg;
    for (size_t i = 0; i < len; i++) {
        uint64_t z = *state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        out[i] = (uint8_t)(z ^ z >> 31);
    }
    return 1;
}

static int count_first_tests(void *arg, int potential, int iteration)
{
    unsigned *failed = arg;
    (void)iteration;
    *failed += potential == 0;
    return 1;
}

#define BATCHES 2 /* one of the search, one of further rounds */
static unsigned batches;

static void strong(const struct oct_rsa_strong_args *args)
{
    batches++;
    oct_ops_c.rsa_keygen[0].run(args);
}

int main(void)
{
    struct oct_ops ops = oct_ops_c;
    static uint8_t n[256], d[256], p[128], q[128], dp[128], dq[128], qinv[128];
    const struct oct_rsa_generated out = {n, d, p, q, dp, dq, qinv};
    uint64_t state = SEED;
    unsigned failed = 0;
    const struct oct_rsa_generation how = {stream, &state, count_first_tests, &failed};
    REQUIRE(OCT_CHECKMEM_ON());
    ops.rsa_keygen[0].run = strong;
    REQUIRE(oct_rsa_generate_on(&ops, &out, 2048, &how) == OCT_OK);
    REQUIRE(failed < 16 && batches == BATCHES);
    REQUIRE(!is_secret(n, sizeof n));
    REQUIRE(is_secret(d, sizeof d) && is_secret(p, sizeof p) && is_secret(q, sizeof q));
    REQUIRE(is_secret(dp, sizeof dp) && is_secret(dq, sizeof dq) && is_secret(qinv, sizeof qinv));
    printf("rsa2048 generation: clean\n");
    return 0;
}
