/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See savings.h. */
#include "savings/savings.h"

#include "libssl/resolve.h"
#include "savings/ciphers.h"
#include "savings/hkdf.h"

#include "base/epoch.h"

#include <dlfcn.h>
#include <sys/auxv.h>

void oct_savings_setup(void)
{
    oct_fetched_setup();
    oct_tickets_setup();
    oct_sessions_setup();
    oct_process_setup();
}

/* The program itself calls, and has the libcrypto that is served. */
void oct_quic_savings_setup(void)
{
    const void *program = (const void *)getauxval(AT_ENTRY);

    if (oct_epoch() == 0 || dlsym(RTLD_DEFAULT, "EVP_PKEY_CTX_free") != (void *)oct_ssl()->EVP_PKEY_CTX_free)
        return;
    oct_hkdf_setup(program);
    oct_ciphers_setup(program);
}
