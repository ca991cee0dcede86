/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See savings.h. */
#include "savings/savings.h"

void oct_savings_setup(void)
{
    oct_fetched_setup();
    oct_tickets_setup();
    oct_sessions_setup();
    oct_process_setup();
}
