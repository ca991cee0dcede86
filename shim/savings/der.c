/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See der.h. X.690: tags below 31, definite lengths. */
#include "savings/der.h"

#include <string.h>

#define CONTEXT         0x80
#define CONSTRUCTED     0x20
#define LONGEST_INTEGER 9
#define LARGEST         UINT16_MAX

static const struct {
    const char *name;
    enum oct_der_kind kind;
    bool is_signed, drops_zero;
} integers[] = {{"INT32", OCT_DER_32, true, false},   {"ZINT32", OCT_DER_32, true, true},
                {"UINT32", OCT_DER_32, false, false}, {"ZUINT32", OCT_DER_32, false, true},
                {"INT64", OCT_DER_64, true, false},   {"ZINT64", OCT_DER_64, true, true},
                {"UINT64", OCT_DER_64, false, false}, {"ZUINT64", OCT_DER_64, false, true}};

static bool set_type(struct oct_der_field *field, const ASN1_ITEM *item, bool is_embedded)
{
    field->kind = OCT_DER_OTHER;
    if (item->itype == ASN1_ITYPE_PRIMITIVE && item->utype == V_ASN1_OCTET_STRING && item->funcs == NULL &&
        item->size == 0) {
        field->kind = OCT_DER_OCTETS;
        field->tag = V_ASN1_OCTET_STRING;
        return !is_embedded;
    }
    for (size_t i = 0; is_embedded && item->sname != NULL && i < sizeof integers / sizeof *integers; i++)
        if (item->itype == ASN1_ITYPE_PRIMITIVE && strcmp(item->sname, integers[i].name) == 0) {
            field->kind = integers[i].kind;
            field->tag = V_ASN1_INTEGER;
            field->is_signed = integers[i].is_signed;
            field->drops_zero = integers[i].drops_zero;
        }
    return !is_embedded || field->kind != OCT_DER_OTHER;
}

static bool set_tag(struct oct_der_field *field, unsigned long flags, long tag)
{
    const unsigned long how = flags & ASN1_TFLG_TAG_MASK;
    if (how == 0)
        return true;
    if ((flags & ASN1_TFLG_TAG_CLASS) != ASN1_TFLG_CONTEXT || tag < 0 || tag > 30)
        return false;
    if (how == ASN1_TFLG_EXPTAG)
        field->outer = (uint8_t)(CONTEXT | CONSTRUCTED | tag);
    else
        field->tag = (uint8_t)(CONTEXT | tag);
    return true;
}

bool oct_der_make(struct oct_der_plan *plan, const ASN1_ITEM *item)
{
    const unsigned long known = ASN1_TFLG_OPTIONAL | ASN1_TFLG_EMBED | ASN1_TFLG_TAG_MASK | ASN1_TFLG_TAG_CLASS;

    if (item->itype != ASN1_ITYPE_SEQUENCE || item->funcs != NULL || item->tcount < 0 || item->tcount > OCT_DER_FIELDS)
        return false;
    plan->n = (size_t)item->tcount;
    for (size_t i = 0; i < plan->n; i++) {
        const ASN1_TEMPLATE *t = &item->templates[i];
        struct oct_der_field *field = &plan->field[i];
        *field = (struct oct_der_field){.offset = t->offset, .is_optional = (t->flags & ASN1_TFLG_OPTIONAL) != 0};
        if ((t->flags & ~known) != 0 || !set_type(field, ASN1_ITEM_ptr(t->item), (t->flags & ASN1_TFLG_EMBED) != 0) ||
            !set_tag(field, t->flags, t->tag))
            return false;
    }
    return true;
}

static size_t length_of_header(size_t n)
{
    return n < 0x80 ? 2 : n < 0x100 ? 3 : 4;
}

static uint8_t *write_header(uint8_t *out, uint8_t tag, size_t n)
{
    *out++ = tag;
    if (n >= 0x80)
        *out++ = n < 0x100 ? 0x81 : 0x82;
    if (n >= 0x100)
        *out++ = (uint8_t)(n >> 8);
    *out++ = (uint8_t)n;
    return out;
}

struct content {
    const uint8_t *data;
    size_t n;
    uint8_t integer[LONGEST_INTEGER];
};

/* The shortest two's complement, most significant byte first. */
static void set_integer(struct content *c, uint64_t bits, uint8_t sign)
{
    size_t first = 0;
    c->integer[0] = sign;
    for (size_t i = 1; i < LONGEST_INTEGER; i++)
        c->integer[i] = (uint8_t)(bits >> (8 * (LONGEST_INTEGER - 1 - i)));
    while (first < LONGEST_INTEGER - 1 && c->integer[first] == sign && (c->integer[first + 1] ^ sign) < 0x80)
        first++;
    c->data = c->integer + first;
    c->n = LONGEST_INTEGER - first;
}

static uint64_t read_integer(const struct oct_der_field *field, const void *place)
{
    uint32_t half;
    uint64_t whole;
    if (field->kind == OCT_DER_64)
        return memcpy(&whole, place, sizeof whole), whole;
    memcpy(&half, place, sizeof half);
    return field->is_signed ? (uint64_t)(int64_t)(int32_t)half : half;
}

/* False: OpenSSL has to do it. What is not there has no data. */
static bool read_content(const struct oct_der_plan *plan, size_t i, const void *value, struct content *c)
{
    static const uint8_t none;
    const struct oct_der_field *field = &plan->field[i];
    const void *place = (const char *)value + field->offset;

    c->data = NULL;
    if (field->kind == OCT_DER_32 || field->kind == OCT_DER_64) {
        const uint64_t bits = read_integer(field, place);
        if (bits != 0 || !field->drops_zero)
            set_integer(c, bits, field->is_signed && bits >> 63 != 0 ? 0xFF : 0);
        return true;
    }
    const ASN1_OCTET_STRING *octets;
    memcpy(&octets, place, sizeof octets);
    if (octets == NULL)
        return field->is_optional;
    const int length = field->kind == OCT_DER_OCTETS ? plan->length(octets) : -1;
    if (length < 0 || length > LARGEST / 2)
        return false;
    c->n = (size_t)length;
    c->data = length > 0 ? plan->data(octets) : &none;
    return c->data != NULL;
}

static uint8_t *write_field(uint8_t *out, const struct oct_der_field *field, const struct content *c)
{
    if (field->outer != 0)
        out = write_header(out, field->outer, length_of_header(c->n) + c->n);
    out = write_header(out, field->tag, c->n);
    memcpy(out, c->data, c->n);
    return out + c->n;
}

size_t oct_der_write(const struct oct_der_plan *plan, const void *value, uint8_t *out)
{
    struct content c;
    size_t n = 0;

    for (size_t i = 0; i < plan->n; i++) {
        if (!read_content(plan, i, value, &c))
            return 0;
        if (c.data == NULL)
            continue;
        size_t length = length_of_header(c.n) + c.n;
        if (plan->field[i].outer != 0)
            length += length_of_header(length);
        if ((n += length) > LARGEST)
            return 0;
    }
    if (out == NULL)
        return length_of_header(n) + n;
    uint8_t *to = write_header(out, V_ASN1_SEQUENCE | CONSTRUCTED, n);
    for (size_t i = 0; i < plan->n; i++)
        if (read_content(plan, i, value, &c) && c.data != NULL)
            to = write_field(to, &plan->field[i], &c);
    return (size_t)(to - out);
}
