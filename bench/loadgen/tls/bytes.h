/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Reading and writing the length-prefixed big-endian structures of TLS (RFC 8446, section 3).
 *
 * What is read comes from a server that may send anything: a reader never passes its end, turns `bad` at the first
 * thing that does not fit, and stays bad, so that a parser checks once at its end. What is written is made by this
 * program and has a known greatest size: running out of room is a defect of the program and ends it.
 */
#ifndef OCTUPLE_LOADGEN_BYTES_H
#define OCTUPLE_LOADGEN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct load_reader {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static inline struct load_reader load_reader_of(const uint8_t *bytes, size_t len)
{
    return (struct load_reader){bytes, len, false};
}

/* The next n bytes, or NULL and the reader is bad. */
static inline const uint8_t *load_read_bytes(struct load_reader *reader, size_t n)
{
    if (reader->bad || reader->left < n) {
        reader->bad = true;
        reader->left = 0;
        return NULL;
    }
    const uint8_t *at = reader->at;
    reader->at += n;
    reader->left -= n;
    return at;
}

/* A number of 1 to 4 bytes; 0 if the reader is or becomes bad. */
static inline uint32_t load_read_number(struct load_reader *reader, unsigned bytes)
{
    const uint8_t *at = load_read_bytes(reader, bytes);
    uint32_t number = 0;
    for (unsigned i = 0; at && i < bytes; i++)
        number = number << 8 | at[i];
    return number;
}

/* What a length of `length_bytes` announces, as a reader of its own; a bad one if it does not fit. */
static inline struct load_reader load_read_vector(struct load_reader *reader, unsigned length_bytes)
{
    size_t len = load_read_number(reader, length_bytes);
    const uint8_t *at = load_read_bytes(reader, len);
    return (struct load_reader){at, at ? len : 0, !at};
}

/* Everything was well formed, and nothing is left over. */
static inline bool load_reader_at_end(const struct load_reader *reader)
{
    return !reader->bad && reader->left == 0;
}

struct load_writer {
    uint8_t *at;
    size_t len, room;
};

/* Makes room for n bytes at the end and returns where they begin. */
static inline uint8_t *load_write_room(struct load_writer *writer, size_t n)
{
    if (writer->room - writer->len < n)
        abort();
    writer->len += n;
    return writer->at + writer->len - n;
}

static inline void load_write_bytes(struct load_writer *writer, const void *bytes, size_t n)
{
    memcpy(load_write_room(writer, n), bytes, n);
}

static inline void load_write_number(struct load_writer *writer, uint32_t number, unsigned bytes)
{
    uint8_t *at = load_write_room(writer, bytes);
    for (unsigned i = bytes; i-- > 0; number >>= 8)
        at[i] = (uint8_t)number;
}

/* Leaves room for a length and returns its place, for load_write_close() when the content has been written. */
static inline size_t load_write_open(struct load_writer *writer, unsigned length_bytes)
{
    load_write_number(writer, 0, length_bytes);
    return writer->len;
}

static inline void load_write_close(struct load_writer *writer, size_t opened, unsigned length_bytes)
{
    struct load_writer length = {writer->at + opened - length_bytes, 0, length_bytes};
    load_write_number(&length, (uint32_t)(writer->len - opened), length_bytes);
}

#endif
