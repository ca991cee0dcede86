/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Protected records, of TLS 1.2 (RFC 5288) and of TLS 1.3 (RFC 8446, section 5.2). */
#ifndef OCTUPLE_LOADGEN_RECORD_H
#define OCTUPLE_LOADGEN_RECORD_H

#include "conn.h"

enum oct_content { OCT_CONTENT_CHANGE = 20, OCT_CONTENT_ALERT = 21, OCT_CONTENT_HANDSHAKE = 22, OCT_CONTENT_DATA = 23 };

/* Opens the record at `record` in place with the server's keys. *content is what was inside, *type its type (for
 * TLS 1.3, the inner one). False if it does not open. */
bool oct_record_open(struct oct_conn *conn, struct oct_reader *content, unsigned *type, uint8_t *record,
                     size_t body_len);

/* TLS 1.3: derives the keys of a traffic secret for opening records. */
void oct_record_open_with(struct oct_conn *conn, const uint8_t *traffic_secret);

/* TLS 1.3: appends a record with `len` bytes of `type`, the first under this traffic secret, to conn->out. */
void oct_record_seal13(struct oct_conn *conn, const uint8_t *traffic_secret, enum oct_content type, const uint8_t *data,
                       size_t len);

/* TLS 1.2: appends the first record under these keys to conn->out. iv: the four bytes of RFC 5288. */
void oct_record_seal12(struct oct_conn *conn, const uint8_t *key, const uint8_t *iv, enum oct_content type,
                       const uint8_t *data, size_t len);

#endif
