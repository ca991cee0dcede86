/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Intel's Multi-Buffer Crypto for IPsec. Debian 13 has version 2.0, whose only operations are symmetric. */
#include "ipsec_mb.h"

#include <stdio.h>
#include <stdlib.h>

IMB_MGR *ipsec_mb_manager(void)
{
    static IMB_MGR *manager;

    if (manager == NULL && (manager = alloc_mb_mgr(0)) != NULL) {
        if (beside_without_avx512())
            init_mb_mgr_avx2(manager);
        else
            init_mb_mgr_auto(manager, NULL);
    }
    return manager;
}

void ipsec_mb_gcm_key(int aead, const uint8_t *key, struct gcm_key_data *out)
{
    IMB_MGR *m = ipsec_mb_manager();

    if (aead == OCT_AEAD_AES_128_GCM)
        IMB_AES128_GCM_PRE(m, key, out);
    else if (aead == OCT_AEAD_AES_192_GCM)
        IMB_AES192_GCM_PRE(m, key, out);
    else
        IMB_AES256_GCM_PRE(m, key, out);
}

static const char *arch(void)
{
    switch (ipsec_mb_manager()->used_arch) {
    case IMB_ARCH_AVX512:
        return "AVX-512";
    case IMB_ARCH_AVX2:
        return "AVX2";
    default:
        return "narrower vectors than AVX2";
    }
}

static const char *version(void)
{
    static char text[64];
    snprintf(text, sizeof text, "ipsec-mb %s on %s", imb_get_version_str(), arch());
    return text;
}

static const char *why_not(void)
{
    if (ipsec_mb_manager() == NULL || imb_get_errno(ipsec_mb_manager()) != 0)
        return "ipsec-mb does not start on this CPU";
    return oct_aead_is_on(OCT_AEAD_AES_128_GCM) ? NULL : "Octuple's ciphers are off here";
}

static const char *note(void)
{
    return NULL;
}

static const struct beside_row *const families[] = {ipsec_mb_aead, ipsec_mb_quic, NULL};

/* All rows are AEADs. */
static const char *off(const struct beside_row *row)
{
    if (row->which != OCT_AEAD_CHACHA20_POLY1305 && beside_without_avx512() && __builtin_cpu_supports("vaes"))
        return "ipsec-mb takes this CPU's VAES, which OCTUPLE_TABLE keeps from Octuple";
    return oct_aead_is_on(row->which) ? NULL : oct_aead_reason(row->which);
}

const struct beside_peer beside_peer = {version, families, why_not, note, off};
