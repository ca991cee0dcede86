/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Prints the library's version and uses one function of each public header, so that all of them are there and link. */
#include <stdio.h>
#include <octuple/aead.h>
#include <octuple/counters.h>
#include <octuple/ec.h>
#include <octuple/ed25519.h>
#include <octuple/octuple.h>
#include <octuple/op.h>
#include <octuple/queue.h>
#include <octuple/quic.h>
#include <octuple/rsa.h>
#include <octuple/status.h>
#include <octuple/x25519.h>

int main(void)
{
    static struct oct_counters counters;
    oct_start();
    oct_counters_read(&counters);
    puts(oct_version());
    return counters.magic == OCT_COUNTERS_MAGIC && oct_op_name(0) != NULL ? 0 : 1;
}
