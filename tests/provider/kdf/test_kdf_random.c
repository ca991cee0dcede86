/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS c TIMEOUT 300 */
/*
 * Contexts of key derivations at random: calls as TLS makes them, in any order, on some, and anything at all on others,
 * do as with OpenSSL's, whichever of the two is at work inside.
 */
#include "kdf_peer.h"

#include <string.h>

enum { TLS13, PRF, HKDF, KDFS };
static const char *const kdfs[KDFS] = {"TLS13-KDF", "TLS1-PRF", "HKDF"};
static uint8_t bytes[4096];

static const size_t digest_size[] = {32, 48};

/* Digests are not longer than the salts of add_drawn(): what OpenSSL 3.0 makes of shorter ones is beyond their end. */
static const char *const texts[] = {"SHA2-256", "SHA2-384", "SHA256",   "sha384", "SHA1",
                                    "SHA3-256", "MD5-SHA1", "SHAKE128", "",       "no such one"};

static size_t draw_len(void)
{
    static const size_t usual[] = {32, 32, 32, 48, 48, 12, 7, 0, 96, 97};
    return draw(5) == 0 ? draw(300) : usual[draw(sizeof usual / sizeof usual[0])];
}

static void add_octets_drawn(struct kdf_params *p, const char *name, size_t len)
{
    add_octets(p, name, len == 0 && draw(2) ? NULL : bytes + draw(1000), len);
}

/* OpenSSL 3.0 reads from NULL where an info has become empty. */
static void add_field_drawn(struct kdf_params *p, const char *name)
{
    add_octets_drawn(p, name, draw_len() + (strcmp(name, OSSL_KDF_PARAM_INFO) == 0));
}

static void add_drawn(struct kdf_params *p, int kind)
{
    static const char *const tls13[] = {OSSL_KDF_PARAM_KEY, OSSL_KDF_PARAM_DATA, OSSL_KDF_PARAM_PREFIX,
                                        OSSL_KDF_PARAM_LABEL};
    static const char *const prf[] = {OSSL_KDF_PARAM_SECRET, OSSL_KDF_PARAM_SEED, OSSL_KDF_PARAM_SEED,
                                      OSSL_KDF_PARAM_SEED};
    static const char *const hkdf[] = {OSSL_KDF_PARAM_KEY, OSSL_KDF_PARAM_KEY, OSSL_KDF_PARAM_INFO,
                                       OSSL_KDF_PARAM_INFO};
    static const char *const *const names[KDFS] = {tls13, prf, hkdf};
    static const size_t salt[] = {0, 48, 96, 97};

    switch (draw(9)) {
    case 0:
        if (draw(4) == 0)
            add_text(p, OSSL_KDF_PARAM_MODE, draw(2) ? "EXPAND_ONLY" : draw(2) ? "extract_only" : "none");
        else
            add_mode(p, draw(8) == 0 ? (int)draw(5) - 1 : draw(2) ? EXTRACT : EXPAND);
        break;
    case 1:
    case 2:
        add_text(p, OSSL_KDF_PARAM_DIGEST, texts[draw(2) ? draw(2) : draw(sizeof texts / sizeof texts[0])]);
        break;
    case 3:
        add_octets_drawn(p, OSSL_KDF_PARAM_SALT, salt[draw(4)]);
        break;
    case 4:
        if (draw(30) == 0)
            add_text(p, OSSL_KDF_PARAM_PROPERTIES, draw(2) ? "provider=default" : "");
        break;
    default:
        add_field_drawn(p, names[kind][draw(4)]);
    }
}

static struct kdf_params *draw_any(struct kdf_params *p, int kind)
{
    p->count = 0;
    if (draw(12) == 0)
        return NULL;
    if (kind != PRF && draw(3) > 0)
        add_mode(p, draw(2) ? EXTRACT : EXPAND);
    for (unsigned i = draw(9); i > 0; i--)
        add_drawn(p, kind);
    return p;
}

static void add_perhaps(struct kdf_params *p, const char *name, size_t len)
{
    if (draw(2))
        add_octets(p, name, bytes + draw(1000), len);
}

/* Some of what libssl and servers of QUIC set, of the sizes that it has; the digest is texts[digest]. */
static struct kdf_params *draw_usual(struct kdf_params *p, int kind, int digest)
{
    p->count = 0;
    if (draw(8) == 0)
        return NULL;
    if (draw(2))
        add_text(p, OSSL_KDF_PARAM_DIGEST, texts[digest]);
    if (kind == PRF) {
        add_perhaps(p, OSSL_KDF_PARAM_SECRET, 48);
        add_octets(p, OSSL_KDF_PARAM_SEED, NULL, 0);
        add_perhaps(p, OSSL_KDF_PARAM_SEED, 1 + draw(40));
        add_perhaps(p, OSSL_KDF_PARAM_SEED, 1 + draw(40));
        return p;
    }
    if (draw(4) > 0)
        add_mode(p, kind == HKDF && draw(3) == 0 ? BOTH : draw(2) ? EXTRACT : EXPAND);
    add_perhaps(p, OSSL_KDF_PARAM_KEY, digest_size[digest]);
    add_perhaps(p, OSSL_KDF_PARAM_SALT, digest_size[digest]);
    if (kind == HKDF) {
        add_perhaps(p, OSSL_KDF_PARAM_INFO, 1 + draw(60));
        return p;
    }
    add_perhaps(p, OSSL_KDF_PARAM_PREFIX, 6);
    add_perhaps(p, OSSL_KDF_PARAM_LABEL, 1 + draw(20));
    add_perhaps(p, OSSL_KDF_PARAM_DATA, digest_size[digest]);
    return p;
}

static void both_reset(struct kdf_pair *pair)
{
    for (int side = 0; side < 2; side++)
        EVP_KDF_CTX_reset(pair->ctx[side]);
}

static void both_sizes(struct kdf_pair *pair)
{
    assert_int_equal(EVP_KDF_CTX_get_kdf_size(pair->ctx[OURS]), EVP_KDF_CTX_get_kdf_size(pair->ctx[STOCK]));
    ERR_clear_error();
}

/* What the context has been given, where this OpenSSL tells it: its length, and then itself. */
static void both_get(struct kdf_pair *pair, const char *name)
{
    uint8_t got[2][400];
    OSSL_PARAM asked[2][2];
    int ok[2];

    for (int with_room = 0; with_room < 2; with_room++) {
        for (int side = 0; side < 2; side++) {
            memset(got[side], 0, sizeof got[side]);
            asked[side][0] =
                OSSL_PARAM_construct_octet_string(name, with_room ? got[side] : NULL, with_room ? sizeof got[side] : 0);
            asked[side][1] = OSSL_PARAM_construct_end();
            ok[side] = EVP_KDF_CTX_get_params(pair->ctx[side], asked[side]);
        }
        assert_int_equal(ok[OURS], ok[STOCK]);
        assert_int_equal(asked[OURS][0].return_size, asked[STOCK][0].return_size);
        assert_memory_equal(got[OURS], got[STOCK], sizeof got[OURS]);
    }
    ERR_clear_error();
}

/* Goes on with copies, where this OpenSSL makes any. */
static void both_dup(struct kdf_pair *pair)
{
    EVP_KDF_CTX *copy[2] = {EVP_KDF_CTX_dup(pair->ctx[OURS]), EVP_KDF_CTX_dup(pair->ctx[STOCK])};

    for (int side = 0; side < 2; side++) {
        EVP_KDF_CTX_free(copy[STOCK] != NULL ? pair->ctx[side] : copy[side]);
        if (copy[STOCK] != NULL)
            pair->ctx[side] = copy[side];
    }
    ERR_clear_error();
}

/* One call of a random kind; returns whether something was derived. */
static int call_both(struct kdf_pair *pair, int kind, int is_usual, int digest)
{
    struct kdf_params params, *p = is_usual ? draw_usual(&params, kind, digest) : draw_any(&params, kind);
    const unsigned what = draw(17);

    if (what == 0)
        both_reset(pair);
    else if (what == 1)
        both_sizes(pair);
    else if (what == 2)
        both_dup(pair);
    else if (what < 6)
        both_set(pair, p);
    else if (what == 16)
        both_get(pair, draw(3) ? OSSL_KDF_PARAM_INFO : OSSL_KDF_PARAM_SALT);
    else
        return both_derive(pair, p, NULL, is_usual && draw(4) ? digest_size[digest] : draw_len());
    return 0;
}

static void test_random(void **state)
{
    int derived[2] = {0, 0};

    (void)state;
    for (int i = 0; i < 9000; i++) {
        const int kind = i % KDFS, is_usual = draw(3) > 0, digest = (int)draw(2);
        struct kdf_pair pair = kdf_pair_open(kdfs[kind]);
        for (unsigned calls = 1 + draw(8); calls > 0; calls--)
            derived[is_usual] += call_both(&pair, kind, is_usual, digest);
        kdf_pair_close(&pair);
    }
    assert_true(derived[0] > 300 && derived[1] > 3000); /* it is not errors alone that agree */
}

static int open_all(void **state)
{
    fill(bytes, sizeof bytes, 3);
    return open_contexts(state);
}

int main(void)
{
    return RUN_TESTS(open_all, close_contexts, test_random);
}
