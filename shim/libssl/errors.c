/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The error queue of a handshake that pauses. Callbacks leave errors behind, which the program may ask for when the
 * handshake has failed. Neither the next handshake nor the program is to see them before. OpenSSL has no way to
 * exchange a queue, so that its entries are taken out and raised again: few handshakes have any. AWS-LC has one.
 */
#include "libssl/errors.h"

#include "libssl/awslc.h"

#include <stdlib.h>
#include <string.h>

#define ERRORS_MAX 16 /* a queue holds no more */

struct error {
    unsigned long code;
    int line;
    char *file, *function, *data;
};

struct oct_errors {
    void *saved; /* AWS-LC's; then there are no others */
    unsigned count;
    struct error error[ERRORS_MAX];
};

static char *copy_of(const char *text)
{
    return strdup(text != NULL ? text : "");
}

void oct_errors_clear(void)
{
    if (oct_ssl()->ERR_peek_last_error() != 0)
        oct_ssl()->ERR_clear_error();
}

struct oct_errors *oct_errors_take(void)
{
    if (oct_ssl()->ERR_peek_last_error() == 0)
        return NULL;
    struct oct_errors *errors = calloc(1, sizeof *errors);
    if (errors != NULL && oct_awslc() != NULL)
        errors->saved = oct_awslc()->ERR_save_state();
    while (errors != NULL && oct_awslc() == NULL && errors->count < ERRORS_MAX) {
        struct error *error = &errors->error[errors->count];
        const char *file = NULL, *function = NULL, *data = NULL; /* the queue's own, until it raises others */
        int flags = 0;
        error->code = oct_ssl()->ERR_get_error_all(&file, &error->line, &function, &data, &flags);
        if (error->code == 0)
            break;
        error->file = copy_of(file);
        error->function = copy_of(function);
        error->data = copy_of((flags & ERR_TXT_STRING) != 0 ? data : NULL);
        errors->count++;
    }
    oct_ssl()->ERR_clear_error();
    return errors;
}

void oct_errors_free(struct oct_errors *errors)
{
    for (unsigned i = 0; errors != NULL && i < errors->count; i++) {
        free(errors->error[i].file);
        free(errors->error[i].function);
        free(errors->error[i].data);
    }
    if (errors != NULL && errors->saved != NULL)
        oct_awslc()->ERR_SAVE_STATE_free(errors->saved);
    free(errors);
}

void oct_errors_give_back(struct oct_errors *errors)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    if (errors != NULL && errors->saved != NULL)
        oct_awslc()->ERR_restore_state(errors->saved);
    for (unsigned i = 0; errors != NULL && i < errors->count; i++) {
        const struct error *error = &errors->error[i];
        const char *data = error->data != NULL ? error->data : "";
        ssl->ERR_new();
        ssl->ERR_set_debug(error->file, error->line, error->function);
        ssl->ERR_set_error(ERR_GET_LIB(error->code), ERR_GET_REASON(error->code), data[0] != '\0' ? "%s" : NULL, data);
    }
    oct_errors_free(errors);
}
