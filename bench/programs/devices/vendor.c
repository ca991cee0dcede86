/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Preloaded, lets qatengine use its multi-buffer code on processors of any vendor: it asks itself by this function. */
int qat_sw_cpu_support(void);

int qat_sw_cpu_support(void)
{
    return 1;
}
