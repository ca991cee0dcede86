/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Protected records, of TLS 1.2 (RFC 5288) and of TLS 1.3 (RFC 8446, section 5.2). */
#ifndef OCTUPLE_LOADGEN_RECORD_H
#define OCTUPLE_LOADGEN_RECORD_H

#include "conn.h"

enum load_content {
    LOAD_CONTENT_CHANGE = 20,
    LOAD_CONTENT_ALERT = 21,
    LOAD_CONTENT_HANDSHAKE = 22,
    LOAD_CONTENT_DATA = 23
};

/* Opens the record at `record` in place with the server's keys. *content is what was inside, *type its type (for
 * TLS 1.3, the inner one). False if it does not open. */
bool load_record_open(struct load_conn *conn, struct load_reader *content, unsigned *type, uint8_t *record,
                      size_t body_len);

/* TLS 1.3: derives the keys of a traffic secret for opening records. */
void load_record_open_with(struct load_conn *conn, const uint8_t *traffic_secret);

/* TLS 1.3: appends a record with `len` bytes of `type`, the first under this traffic secret, to conn->out. */
void load_record_seal13(struct load_conn *conn, const uint8_t *traffic_secret, enum load_content type,
                        const uint8_t *data, size_t len);

/* TLS 1.2: appends the first record under these keys to conn->out. iv: the four bytes of RFC 5288. */
void load_record_seal12(struct load_conn *conn, const uint8_t *key, const uint8_t *iv, enum load_content type,
                        const uint8_t *data, size_t len);

#endif
