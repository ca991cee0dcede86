/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See hello.h. RFC 8446, section 4.1; RFC 5246, section 7.4.1; RFC 8422 for ECDHE in TLS 1.2. */
#include "hello.h"

#include "crypto.h"

enum extension {
    EXT_GROUPS = 10,
    EXT_POINT_FORMATS = 11,
    EXT_SIGNATURE_ALGORITHMS = 13,
    EXT_EXTENDED_MASTER = 23,
    EXT_TICKET = 35,
    EXT_VERSIONS = 43,
    EXT_PSK_MODES = 45,
    EXT_KEY_SHARE = 51,
    EXT_RENEGOTIATION = 0xff01
};

/* The suites on offer: [0] for 128 bits, [1] for 256. */
static const uint16_t suites_13[2][1] = {{0x1301}, {0x1302}};
static const uint16_t suites_rsa[2][1] = {{0x009c}, {0x009d}};
static const uint16_t suites_ecdhe[2][2] = {{0xc02b, 0xc02f}, {0xc02c, 0xc030}};

static const uint16_t *offered_suites(const struct load_options *options, unsigned *count)
{
    bool strong = options->bits == 256;
    bool ecdhe = options->tls == 12 && !options->rsa_kx;
    *count = ecdhe ? 2 : 1;
    return ecdhe ? suites_ecdhe[strong] : options->tls == 13 ? suites_13[strong] : suites_rsa[strong];
}

bool load_suite_offered(const struct load_options *options, unsigned suite)
{
    unsigned count;
    const uint16_t *offered = offered_suites(options, &count);
    return suite == offered[0] || suite == offered[count - 1];
}

static void write_list(struct load_writer *writer, const uint16_t *number, unsigned count)
{
    size_t list = load_write_open(writer, 2);
    for (unsigned i = 0; i < count; i++)
        load_write_number(writer, number[i], 2);
    load_write_close(writer, list, 2);
}

static size_t open_extension(struct load_writer *writer, enum extension type)
{
    load_write_number(writer, type, 2);
    return load_write_open(writer, 2);
}

/* An extension whose content is these bytes. */
static void write_extension(struct load_writer *writer, enum extension type, const char *bytes, size_t len)
{
    size_t opened = open_extension(writer, type);
    load_write_bytes(writer, bytes, len);
    load_write_close(writer, opened, 2);
}

/* The one to use comes first, and is the only one in TLS 1.3. In TLS 1.2 the list also says which curves a certificate
 * may have, so that the others follow; a server that prefers them is refused when it shows its share. */
static void write_groups(struct load_writer *writer, const struct load_options *options, enum load_group group)
{
    static const uint16_t other[] = {LOAD_GROUP_P256, LOAD_GROUP_P384};
    uint16_t list[3] = {(uint16_t)group};
    unsigned count = 1;
    for (unsigned i = 0; options->tls == 12 && i < 2; i++)
        if (other[i] != list[0])
            list[count++] = other[i];
    size_t opened = open_extension(writer, EXT_GROUPS);
    write_list(writer, list, count);
    load_write_close(writer, opened, 2);
}

/* ECDSA P-256 and P-384, Ed25519, RSA-PSS with SHA-256, -384, -512, RSA PKCS#1 v1.5 with the same. */
static void write_signature_algorithms(struct load_writer *writer)
{
    static const uint16_t algorithms[] = {0x0403, 0x0503, 0x0807, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601};
    size_t opened = open_extension(writer, EXT_SIGNATURE_ALGORITHMS);
    write_list(writer, algorithms, sizeof algorithms / sizeof algorithms[0]);
    load_write_close(writer, opened, 2);
}

/* The PSK modes are what makes a server send tickets. */
static void write_extensions_13(struct load_writer *writer, struct load_hello *hello,
                                const struct load_exchange *exchange)
{
    write_extension(writer, EXT_VERSIONS, "\x02\x03\x04", 3);
    write_extension(writer, EXT_PSK_MODES, "\x01\x01", 2);
    size_t opened = open_extension(writer, EXT_KEY_SHARE);
    size_t list = load_write_open(writer, 2);
    load_write_number(writer, exchange->group, 2);
    load_write_number(writer, (uint32_t)exchange->share_len, 2);
    hello->share_at = writer->len;
    memset(load_write_room(writer, exchange->share_len), 0, exchange->share_len);
    load_write_close(writer, list, 2);
    load_write_close(writer, opened, 2);
}

static void write_extensions(struct load_writer *writer, struct load_hello *hello, const struct load_options *options,
                             const struct load_exchange *exchange)
{
    size_t extensions = load_write_open(writer, 2);
    write_signature_algorithms(writer);
    if (!options->rsa_kx)
        write_groups(writer, options, exchange->group);
    if (options->tls == 13) {
        write_extensions_13(writer, hello, exchange);
    } else {
        write_extension(writer, EXT_EXTENDED_MASTER, "", 0);
        write_extension(writer, EXT_RENEGOTIATION, "\0", 1);
        if (options->tickets)
            write_extension(writer, EXT_TICKET, "", 0);
        if (!options->rsa_kx)
            write_extension(writer, EXT_POINT_FORMATS, "\x01\0", 2);
    }
    load_write_close(writer, extensions, 2);
}

void load_hello_init(struct load_hello *hello, const struct load_options *options, const struct load_exchange *exchange)
{
    *hello = (struct load_hello){0};
    struct load_writer writer = {hello->record, 0, sizeof hello->record};
    load_write_bytes(&writer, "\x16\x03\x01", 3);
    size_t record = load_write_open(&writer, 2);
    load_write_number(&writer, 1, 1);
    size_t message = load_write_open(&writer, 3);
    load_write_number(&writer, 0x0303, 2);
    hello->random_at = writer.len;
    memset(load_write_room(&writer, LOAD_RANDOM_LEN), 0, LOAD_RANDOM_LEN);
    size_t session_len =
        options->tls == 13 ? LOAD_SESSION_ID_LEN : 0; /* 1.3: what a middlebox expects, and browsers do */
    load_write_number(&writer, (uint32_t)session_len, 1);
    hello->session_at = session_len ? writer.len : 0;
    memset(load_write_room(&writer, session_len), 0, session_len);
    unsigned count;
    const uint16_t *offered = offered_suites(options, &count);
    write_list(&writer, offered, count);
    load_write_bytes(&writer, "\x01\0", 2); /* no compression */
    write_extensions(&writer, hello, options, exchange);
    load_write_close(&writer, message, 3);
    load_write_close(&writer, record, 2);
    hello->len = writer.len;
}

static bool is_retry_request(const uint8_t *random)
{
    /* SHA-256 of "HelloRetryRequest" (RFC 8446, section 4.1.3), its first half. */
    static const uint8_t retry[16] = {0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11,
                                      0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91};
    return !memcmp(random, retry, sizeof retry);
}

static bool parse_extension(struct load_server_hello *hello, uint32_t type, struct load_reader body)
{
    if (type == EXT_VERSIONS) {
        hello->version = load_read_number(&body, 2);
        return load_reader_at_end(&body);
    }
    if (type == EXT_KEY_SHARE) {
        hello->group = load_read_number(&body, 2);
        struct load_reader share = load_read_vector(&body, 2);
        hello->share = share.at;
        hello->share_len = share.left;
        return load_reader_at_end(&body);
    }
    if (type == EXT_EXTENDED_MASTER)
        hello->extended_master = true;
    return true;
}

bool load_server_hello_parse(struct load_server_hello *hello, struct load_reader body)
{
    *hello = (struct load_server_hello){.version = load_read_number(&body, 2)};
    hello->random = load_read_bytes(&body, LOAD_RANDOM_LEN);
    struct load_reader session = load_read_vector(&body, 1);
    hello->session_id = session.at;
    hello->session_id_len = session.left;
    hello->suite = load_read_number(&body, 2);
    uint32_t compression = load_read_number(&body, 1);
    if (body.bad || session.left > LOAD_SESSION_ID_LEN || compression != 0 || is_retry_request(hello->random))
        return false;
    if (body.left == 0) /* TLS 1.2 allows it */
        return true;
    struct load_reader extensions = load_read_vector(&body, 2);
    if (!load_reader_at_end(&body))
        return false;
    while (!extensions.bad && extensions.left > 0) {
        uint32_t type = load_read_number(&extensions, 2);
        struct load_reader content = load_read_vector(&extensions, 2);
        if (content.bad || !parse_extension(hello, type, content))
            return false;
    }
    return !extensions.bad;
}
