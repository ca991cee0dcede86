/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See fibres.h. */
#include "fibres.h"

#include <openssl/err.h>
#include <poll.h>
#include <string.h>

void signer_init(struct signer *signer, EVP_PKEY *key, unsigned seed)
{
    memset(signer, 0, sizeof *signer);
    signer->key = key;
    signer->wait = ASYNC_WAIT_CTX_new();
    fill(signer->hash, sizeof signer->hash, seed);
}

void signer_clear(struct signer *signer)
{
    ASYNC_WAIT_CTX_free(signer->wait);
    signer->wait = NULL;
}

static int sign(void *arg)
{
    struct signer *signer = *(struct signer **)arg;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, signer->key, NULL);
    EVP_MD *md = EVP_MD_fetch(octuple_ctx, "SHA256", NULL);
    int ok;

    signer->len = sizeof signer->signature;
    if (signer->blocks_pause)
        ASYNC_block_pause();
    ok = ctx != NULL && EVP_PKEY_sign_init(ctx) > 0 && EVP_PKEY_CTX_set_signature_md(ctx, md) > 0 &&
         EVP_PKEY_sign(ctx, signer->signature, &signer->len, signer->hash, sizeof signer->hash) > 0;
    if (signer->blocks_pause)
        ASYNC_unblock_pause();
    EVP_MD_free(md);
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

int signer_step(struct signer *signer)
{
    const int status = ASYNC_start_job(&signer->job, signer->wait, &signer->result, sign, &signer, sizeof signer);

    signer->started = 1;
    signer->ended = status == ASYNC_FINISH;
    if (status != ASYNC_FINISH && status != ASYNC_PAUSE)
        fail_msg("ASYNC_start_job said %d", status);
    return signer->ended;
}

void signer_finish(struct signer *signer)
{
    for (int i = 0; i < 100 && !signer->ended; i++)
        signer_step(signer);
    assert_true(signer->ended);
}

int signer_is_right(const struct signer *signer, const char *name)
{
    EVP_PKEY *key = load_key(plain_ctx, name);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(plain_ctx, key, NULL);
    EVP_MD *md = EVP_MD_fetch(plain_ctx, "SHA256", NULL);
    const int ok = signer->result && EVP_PKEY_verify_init(ctx) > 0 && EVP_PKEY_CTX_set_signature_md(ctx, md) > 0 &&
                   EVP_PKEY_verify(ctx, signer->signature, signer->len, signer->hash, sizeof signer->hash) > 0;

    EVP_MD_free(md);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    return ok;
}

void signers_end(struct signer signer[], int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        signer_finish(&signer[i]);
        assert_true(signer_is_right(&signer[i], name));
        signer_clear(&signer[i]);
    }
}

int signer_fd(const struct signer *signer)
{
    OSSL_ASYNC_FD fd[4] = {-1, -1, -1, -1};
    size_t count = 0;

    if (!ASYNC_WAIT_CTX_get_all_fds(signer->wait, NULL, &count) || count == 0)
        return -1;
    assert_int_equal(count, 1);
    assert_true(ASYNC_WAIT_CTX_get_all_fds(signer->wait, fd, &count));
    return fd[0];
}

int is_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}
