/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The families, by their numbers: see families.def. */
#include "family.h"

#define OCT_PROV_FAMILY(name) extern const struct oct_prov_family oct_prov_family_##name;
#include "families.def"

const struct oct_prov_family *const oct_prov_families[OCT_FAMILIES] = {
#define OCT_PROV_FAMILY(name) [OCT_FAMILY_##name] = &oct_prov_family_##name,
#include "families.def"
};
