/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The entry points of a curve: oct_BACKEND_CURVE_*, with EC_NAME(x) giving CURVE_x. Signatures are ECDSA's, or SM2's
 * after `#define EC_SM2`. */
#include "kernels/ec/ec_invert_impl.h"
#include "kernels/ec/ec_point_impl.h"
#include "kernels/ec/ec_derive_impl.h"
#include "kernels/ec/ec_comb_impl.h"
#include "kernels/ec/ec_wide_impl.h"
#ifdef EC_SM2
#include "kernels/ec/sm2_scheme_impl.h"
#else
#include "kernels/ec/ec_ecdsa_impl.h"
#endif
#include "kernels/ec/ec_sign_impl.h"
#include "kernels/ec/ec_verify_impl.h"

/* The known answers of verification are signed in its workspace. */
_Static_assert(sizeof(struct verify_workspace) >= sizeof(struct sign_workspace), "oct_known_ec_verify");

#define EC_ENTRY_(name) OCT_NAME(name)
#define EC_ENTRY(name)  EC_ENTRY_(EC_NAME(name))

const size_t EC_ENTRY(derive_workspace) = sizeof(struct derive_workspace);
const size_t EC_ENTRY(public_workspace) = sizeof(struct comb_workspace);
const size_t EC_ENTRY(sign_workspace) = sizeof(struct sign_workspace);
const size_t EC_ENTRY(verify_workspace) = sizeof(struct verify_workspace);
const size_t EC_ENTRY(comb_workspace) = sizeof(struct comb_make_workspace);
const size_t EC_ENTRY(comb_bytes) = COMB_BYTES;

unsigned EC_ENTRY(derive)(const struct oct_ec_derive_args *args)
{
    const struct vec_mode mode = vec_begin();
    const unsigned good = derive_run(args);
    vec_end(mode);
    return good;
}

unsigned EC_ENTRY(public)(const struct oct_ec_public_args *args)
{
    const struct vec_mode mode = vec_begin();
    const unsigned good = public_run(args);
    vec_end(mode);
    return good;
}

unsigned EC_ENTRY(sign)(const struct oct_ec_sign_args *args)
{
    const struct vec_mode mode = vec_begin();
    const unsigned good = sign_run(args);
    vec_end(mode);
    return good;
}

unsigned EC_ENTRY(verify)(const struct oct_ec_verify_args *args)
{
    const struct vec_mode mode = vec_begin();
    const unsigned good = verify_run(args);
    vec_end(mode);
    return good;
}

void EC_ENTRY(comb)(const struct oct_ec_comb_args *args)
{
    const struct vec_mode mode = vec_begin();
    comb_run(args);
    vec_end(mode);
}
