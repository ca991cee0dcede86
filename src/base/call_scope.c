/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See call_scope.h. */
#include "base/call_scope.h"

#include <stddef.h>

static _Thread_local struct {
    bool inside;
    void (*forget)(void);
} scope;

void oct_call_scope_begin(void)
{
    scope.inside = true;
}

void oct_call_scope_end(void)
{
    if (scope.forget != NULL)
        scope.forget();
    scope.inside = false;
    scope.forget = NULL;
}

bool oct_call_scope_is_open(void)
{
    return scope.inside;
}

bool oct_call_scope_remember(void (*forget)(void))
{
    if (scope.inside)
        scope.forget = forget;
    return scope.inside;
}
