/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Prints the name of the configuration that the OpenSSL of this system reads. Run at configure time. */
#include <openssl/conf.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    unsetenv("OPENSSL_CONF");
    char *file = CONF_get1_default_config_file();
    return file == NULL || fputs(file, stdout) < 0;
}
