/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS c TIMEOUT 300 */
/* Key derivations against OpenSSL's: all that TLS derives, sizes at their edges, and much at random. And RFC 8448. */
#include "kdf_peer.h"

#include "base/call_scope.h"

#include <string.h>

static const char *const digests[] = {"SHA2-256", "SHA2-384"};
static const size_t digest_size[] = {32, 48};
#define PREFIX "tls13 "

static uint8_t bytes[4096];

/* --- TLS 1.3 */

static struct kdf_params tls13(int mode, const char *digest, const void *key, size_t key_len, const char *label)
{
    struct kdf_params params = {.count = 0};

    if (digest != NULL)
        add_text(&params, OSSL_KDF_PARAM_DIGEST, digest);
    if (key != NULL)
        add_octets(&params, OSSL_KDF_PARAM_KEY, key, key_len);
    add_octets(&params, OSSL_KDF_PARAM_PREFIX, PREFIX, strlen(PREFIX));
    if (label != NULL)
        add_octets(&params, OSSL_KDF_PARAM_LABEL, label, strlen(label));
    params.mode = mode; /* refers to itself: whoever takes the copy adds it */
    return params;
}

static int derive_tls13(struct kdf_params *params, uint8_t *out, size_t len)
{
    struct kdf_pair pair = kdf_pair_open("TLS13-KDF");
    int ok;

    add_mode(params, params->mode);
    ok = both_derive(&pair, params, out, len);
    kdf_pair_close(&pair);
    return ok;
}

static void test_labels(void **state)
{
    static const char *const labels[] = {"ext binder",   "res binder",   "c e traffic",  "e exp master",
                                         "c hs traffic", "s hs traffic", "c ap traffic", "s ap traffic",
                                         "exp master",   "res master",   "derived",      "finished",
                                         "key",          "iv",           "resumption",   "traffic upd",
                                         "exporter",     "quic key",     "quic iv",      "quic hp",
                                         "quic ku",      "quicv2 key",   "quicv2 iv",    "quicv2 hp",
                                         "quicv2 ku",    "client in",    "server in",    "EXPORTER-Channel-Binding"};

    (void)state;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        for (int d = 0; d < 2; d++) {
            const size_t lens[] = {12, 16, 32, digest_size[d]};
            for (size_t j = 0; j < sizeof lens / sizeof lens[0]; j++) {
                for (int with_data = 0; with_data < 2; with_data++) {
                    struct kdf_params p = tls13(EXPAND, digests[d], bytes + i, digest_size[d], labels[i]);
                    if (with_data)
                        add_octets(&p, OSSL_KDF_PARAM_DATA, bytes + 100 + i, digest_size[d]);
                    assert_int_equal(derive_tls13(&p, NULL, lens[j]), 1);
                }
            }
        }
    }
}

/* Every length around that of a digest, of a block, and of the room that contexts have. */
static void test_expand_sizes(void **state)
{
    static const size_t edges[] = {1,  31, 32, 33,  47,  48,  49,  63,  64,  65,
                                   95, 96, 97, 127, 128, 129, 200, 249, 250, 255};
    const size_t count = sizeof edges / sizeof edges[0];

    (void)state;
    for (int d = 0; d < 2; d++) {
        for (size_t i = 0; i < count; i++) {
            struct kdf_params p = tls13(EXPAND, digests[d], bytes, edges[i], "key");
            derive_tls13(&p, NULL, 16);
            p = tls13(EXPAND, digests[d], bytes, digest_size[d], NULL);
            add_octets(&p, OSSL_KDF_PARAM_LABEL, bytes, edges[i]);
            derive_tls13(&p, NULL, 16);
            p = tls13(EXPAND, digests[d], bytes, digest_size[d], "iv");
            add_octets(&p, OSSL_KDF_PARAM_DATA, bytes, edges[i]);
            assert_int_equal(derive_tls13(&p, NULL, 16), 1);
            p = tls13(EXPAND, digests[d], bytes, digest_size[d], "exporter");
            assert_int_equal(derive_tls13(&p, NULL, edges[i]), 1);
        }
        for (size_t len = 254; len < 257; len++) { /* 255 digests are the most that there is */
            struct kdf_params p = tls13(EXPAND, digests[d], bytes, digest_size[d], "exporter");
            assert_int_equal(derive_tls13(&p, NULL, len * digest_size[d]), len < 256);
        }
    }
}

/* With and without the secret of before, with and without a new one, of every length. */
static void test_extract_sizes(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++) {
        for (size_t len = 0; len <= 140; len++) {
            for (int salted = 0; salted < 2; salted++) {
                struct kdf_params p = tls13(EXTRACT, digests[d], len == 0 ? NULL : bytes, len, "derived");
                if (salted)
                    add_octets(&p, OSSL_KDF_PARAM_SALT, bytes + 7, digest_size[d]);
                assert_int_equal(derive_tls13(&p, NULL, digest_size[d]), 1);
            }
        }
        struct kdf_params p = tls13(EXTRACT, digests[d], bytes, 32, "derived");
        assert_int_equal(derive_tls13(&p, NULL, digest_size[d] - 1), 0);
        p = tls13(EXTRACT, digests[d], bytes, 32, "derived");
        assert_int_equal(derive_tls13(&p, NULL, digest_size[d] + 1), 0);
    }
}

/* --- RFC 8448, section 3: the key schedule of a simple handshake, from zeros and the shared secret on */

static void from_hex(uint8_t *out, const char *hex)
{
    long len;
    uint8_t *read = OPENSSL_hexstr2buf(hex, &len);
    assert_non_null(read);
    memcpy(out, read, (size_t)len);
    OPENSSL_free(read);
}

static void check_hex(const uint8_t *value, const char *hex)
{
    uint8_t expected[64];
    from_hex(expected, hex);
    assert_memory_equal(value, expected, strlen(hex) / 2);
}

static void next_secret(uint8_t out[32], const uint8_t *before, const uint8_t *fresh)
{
    struct kdf_params p = tls13(EXTRACT, "SHA2-256", fresh, 32, "derived");
    if (before != NULL)
        add_octets(&p, OSSL_KDF_PARAM_SALT, before, 32);
    assert_int_equal(derive_tls13(&p, out, 32), 1);
}

static void expand_rfc8448(uint8_t *out, const uint8_t secret[32], const char *label, const char *hash_hex, size_t len)
{
    struct kdf_params p = tls13(EXPAND, "SHA2-256", secret, 32, label);
    uint8_t hash[32];

    if (hash_hex != NULL) {
        from_hex(hash, hash_hex);
        add_octets(&p, OSSL_KDF_PARAM_DATA, hash, sizeof hash);
    }
    assert_int_equal(derive_tls13(&p, out, len), 1);
}

static void test_rfc8448(void **state)
{
    static const char *const hellos = "860c06edc07858ee8e78f0e7428c58edd6b43f2ca3e6e95f02ed063cf0e1cad8";
    uint8_t early[32], shared[32], handshake[32], master[32], server[32], out[32];

    (void)state;
    next_secret(early, NULL, NULL);
    check_hex(early, "33ad0a1c607ec03b09e6cd9893680ce210adf300aa1f2660e1b22e10f170f92a");
    from_hex(shared, "8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d");
    next_secret(handshake, early, shared);
    check_hex(handshake, "1dc826e93606aa6fdc0aadc12f741b01046aa6b99f691ed221a9f0ca043fbeac");
    expand_rfc8448(out, handshake, "c hs traffic", hellos, 32);
    check_hex(out, "b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21");
    expand_rfc8448(server, handshake, "s hs traffic", hellos, 32);
    check_hex(server, "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38");
    expand_rfc8448(out, server, "key", NULL, 16);
    check_hex(out, "3fce516009c21727d0f2e4e86ee403bc");
    expand_rfc8448(out, server, "iv", NULL, 12);
    check_hex(out, "5d313eb2671276ee13000b30");
    expand_rfc8448(out, server, "finished", NULL, 32);
    check_hex(out, "008d3b66f816ea559f96b537e885c31fc068bf492c652f01f288a1d8cdc19fc8");
    next_secret(master, handshake, NULL);
    check_hex(master, "18df06843d13a08bf2a449844c5f8a478001bc4d4c627984d5a41da8d0402919");
}

/* Inside a call the states of the last keys are kept: of keys that come back, of those that differ in one bit, and of
 * one key for both digests. */
static void test_keys_in_a_call(void **state)
{
    uint8_t keys[5][48];

    (void)state;
    for (int i = 0; i < 5; i++) {
        memcpy(keys[i], bytes, sizeof keys[i]);
        keys[i][i * 11] ^= (uint8_t)(1 << i);
    }
    for (int i = 0; i < 300; i++) {
        if (i % 9 == 0)
            oct_call_scope_begin();
        const unsigned d = draw(2);
        struct kdf_params p = tls13(EXPAND, digests[d], keys[draw(5)], digest_size[d], "finished");
        assert_int_equal(derive_tls13(&p, NULL, digest_size[d]), 1);
        p = tls13(EXTRACT, digests[d], keys[draw(5)], digest_size[d], "derived");
        add_octets(&p, OSSL_KDF_PARAM_SALT, keys[draw(5)], digest_size[d]);
        assert_int_equal(derive_tls13(&p, NULL, digest_size[d]), 1);
        if (i % 9 == 7)
            oct_call_scope_end();
    }
    oct_call_scope_end();
}

/* --- TLS 1.2 and before */

static int derive_prf(const char *digest, size_t secret_len, const size_t *seed_len, int seeds, size_t len)
{
    struct kdf_pair pair = kdf_pair_open("TLS1-PRF");
    struct kdf_params p = {.count = 0};
    int ok;

    add_text(&p, OSSL_KDF_PARAM_DIGEST, digest);
    add_octets(&p, OSSL_KDF_PARAM_SECRET, bytes, secret_len);
    for (int i = 0; i < seeds; i++)
        add_octets(&p, OSSL_KDF_PARAM_SEED, seed_len[i] == 0 ? NULL : bytes + 300 + i, seed_len[i]);
    ok = both_derive(&pair, &p, NULL, len);
    kdf_pair_close(&pair);
    return ok;
}

/* The calls that libssl makes, with the five seeds that it always gives. */
static void test_prf_of_tls(void **state)
{
    static const size_t seeds[][5] = {
        {13, 32, 0, 32, 0}, {22, 32, 0, 0, 0}, {22, 48, 0, 0, 0},
        {13, 32, 32, 0, 0}, {15, 48, 0, 0, 0}, {24, 32, 32, 2, 32},
    };
    static const char *const known[] = {"SHA2-256", "SHA2-384", "SHA256",   "SHA384",
                                        "sha-256",  "SHA-384",  "MD5-SHA1", "SHA512"};

    (void)state;
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++)
        for (size_t d = 0; d < sizeof known / sizeof known[0]; d++)
            for (size_t secret = 16; secret <= 144; secret += 16)
                for (size_t len = 12; len <= 144; len += 12)
                    assert_int_equal(derive_prf(known[d], secret, seeds[i], 5, len), 1);
}

static void test_prf_sizes(void **state)
{
    (void)state;
    for (size_t len = 1; len <= 200; len++) {
        assert_int_equal(derive_prf("SHA2-256", len, (size_t[]){50}, 1, 48), 1);
        assert_int_equal(derive_prf("SHA2-384", len, (size_t[]){50}, 1, 48), 1);
        assert_int_equal(derive_prf("SHA2-256", 48, (size_t[]){len}, 1, 48), 1);
        assert_int_equal(derive_prf("SHA2-384", 48, (size_t[]){len, 1, len}, 3, 48), 1);
        assert_int_equal(derive_prf("SHA2-256", 48, (size_t[]){20, 30}, 2, len), 1);
        assert_int_equal(derive_prf("SHA2-384", 48, (size_t[]){20, 30}, 2, 37 * len), 1);
    }
    const int takes_many = OPENSSL_version_major() == 3 && OPENSSL_version_minor() < 6;
    assert_int_equal(derive_prf("SHA2-256", 48, (size_t[]){4, 4, 4, 4, 4, 4}, 6, 48), 1);
    assert_int_equal(derive_prf("SHA2-256", 48, (size_t[]){4, 4, 4, 4, 4, 4, 4}, 7, 48), takes_many);
    assert_int_equal(derive_prf("SHA2-256", 48, (size_t[]){4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}, 12, 48), takes_many);
    assert_int_equal(derive_prf("SHA2-256", 48, NULL, 0, 48), 0);
    assert_int_equal(derive_prf("SHA2-256", 48, (size_t[]){20}, 1, 0), 0);
}

/* --- HKDF */

static int derive_hkdf(int mode, const char *digest, size_t key_len, size_t salt_len, size_t info_len, size_t len)
{
    struct kdf_pair pair = kdf_pair_open("HKDF");
    struct kdf_params p = {.count = 0};
    int ok;

    if (mode != BOTH)
        add_mode(&p, mode);
    add_text(&p, OSSL_KDF_PARAM_DIGEST, digest);
    add_octets(&p, OSSL_KDF_PARAM_KEY, bytes + 11, key_len);
    if (salt_len > 0)
        add_octets(&p, OSSL_KDF_PARAM_SALT, bytes + 500, salt_len);
    if (info_len > 0)
        add_octets(&p, OSSL_KDF_PARAM_INFO, bytes + 900, info_len);
    ok = both_derive(&pair, &p, NULL, len);
    kdf_pair_close(&pair);
    return ok;
}

/* Every length around that of a digest, of a block, and of the room that contexts have. */
static void test_hkdf_sizes(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++) {
        const size_t size = digest_size[d];
        for (size_t len = 1; len <= 140; len++) {
            assert_int_equal(derive_hkdf(EXPAND, digests[d], len, 0, 20, 32), 1);
            assert_int_equal(derive_hkdf(EXPAND, digests[d], size, 0, len, 16), 1);
            assert_int_equal(derive_hkdf(EXPAND, digests[d], size, 0, 20, len), 1);
            assert_int_equal(derive_hkdf(EXTRACT, digests[d], len, 20, 0, size), 1);
            assert_int_equal(derive_hkdf(EXTRACT, digests[d], 32, len, 0, size), 1);
            assert_int_equal(derive_hkdf(EXTRACT, digests[d], 32, 0, 0, len), len == size);
            assert_int_equal(derive_hkdf(BOTH, digests[d], len, len, len, len), 1);
        }
        for (size_t blocks = 254; blocks < 257; blocks++) {
            assert_int_equal(derive_hkdf(EXPAND, digests[d], size, 0, 20, blocks * size), blocks < 256);
            assert_int_equal(derive_hkdf(BOTH, digests[d], size, 20, 20, blocks * size), blocks < 256);
        }
        assert_int_equal(derive_hkdf(EXPAND, digests[d], size, 0, 20, 0), 0);
    }
}

/* RFC 5869, appendix A.1 to A.3. */
static void test_rfc5869(void **state)
{
    static const struct {
        const char *key, *salt, *info, *out;
    } cases[] = {
        {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
         "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
        {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353"
         "6"
         "3738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f",
         "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f9091929394959"
         "6"
         "9798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
         "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e"
         "6"
         "e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
         "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f0"
         "9"
         "b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"},
        {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
         "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kdf_pair pair = kdf_pair_open("HKDF");
        struct kdf_params p = {.count = 0};
        uint8_t key[100], salt[100], info[100], out[100], expected[100];
        const size_t len = strlen(cases[i].out) / 2;
        from_hex(key, cases[i].key);
        add_text(&p, OSSL_KDF_PARAM_DIGEST, "SHA2-256");
        add_octets(&p, OSSL_KDF_PARAM_KEY, key, strlen(cases[i].key) / 2);
        if (cases[i].info[0] != '\0') {
            from_hex(salt, cases[i].salt);
            from_hex(info, cases[i].info);
            add_octets(&p, OSSL_KDF_PARAM_SALT, salt, strlen(cases[i].salt) / 2);
            add_octets(&p, OSSL_KDF_PARAM_INFO, info, strlen(cases[i].info) / 2);
        }
        assert_int_equal(both_derive(&pair, &p, out, len), 1);
        from_hex(expected, cases[i].out);
        assert_memory_equal(out, expected, len);
        kdf_pair_close(&pair);
    }
}

static int open_all(void **state)
{
    fill(bytes, sizeof bytes, 1);
    return open_contexts(state);
}

int main(void)
{
    return RUN_TESTS(open_all, close_contexts, test_labels, test_expand_sizes, test_extract_sizes, test_keys_in_a_call,
                     test_rfc8448, test_prf_of_tls, test_prf_sizes, test_rfc5869, test_hkdf_sizes);
}
