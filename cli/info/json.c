/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple info` for scripts. The names of members are stable; new ones may be added.
 */
#include <stdio.h>
#include <stdlib.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include "cli/core/settings.h"
#include "info.h"

/* "" and NULL become null. */
static json_t *text(const char *value)
{
    return value != NULL && *value ? json_string(value) : json_null();
}

static json_t *cpu(const struct info *info)
{
    json_t *features = json_object(), *missing = json_array();
    for (unsigned i = 0; i < info->cpu.feature_count; i++)
        json_object_set_new(features, info->cpu.feature[i].name, json_boolean(info->cpu.feature[i].present));
    for (const struct info_need *need = info_needs; need->name != NULL; need++)
        if (!info_has(info, need->name))
            json_array_append_new(missing, json_pack("{s:s, s:s}", "name", need->name, "meaning", need->meaning));
    return json_pack("{s:s, s:i, s:i, s:i, s:o, s:o}", "brand", info->cpu.brand, "family", (int)info->cpu.family,
                     "model", (int)info->cpu.model, "stepping", (int)info->cpu.stepping, "features", features,
                     "missing", missing);
}

static json_t *provider(const struct info *info)
{
    json_t *loads = info->provider[0] == '\0' ? json_null() : json_boolean(info->provider_error == NULL);
    return json_pack("{s:o, s:o, s:o}", "path", text(info->provider), "loads", loads, "error",
                     text(info->provider_error));
}

int info_print_json(const struct info *info)
{
    json_t *operations = json_array(), *ciphers = json_array();
    const char *why;
    const int bits = oct_cipher_width(&why);
    for (int op = 0; op < OCT_OP_COUNT; op++) {
        json_array_append_new(operations, json_pack("{s:s, s:b, s:s}", "name", oct_op_name(op), "on",
                                                    oct_op_is_on(op) != 0, "reason", oct_op_reason(op)));
    }
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++) {
        json_array_append_new(ciphers, json_pack("{s:s, s:b, s:b, s:s, s:s}", "name", oct_aead_name(aead), "on",
                                                 oct_aead_is_on(aead) != 0, "default",
                                                 oct_aead_pays(aead, OpenSSL_version_num()), "vectors",
                                                 oct_aead_tier(aead), "reason", oct_aead_reason(aead)));
    }
    json_t *width =
        json_pack("{s:i, s:s, s:o}", "bits", bits, "reason", why, "setting", text(oct_setting(OCT_SETTING_WIDTH)));
    json_t *object = json_pack(
        "{s:s, s:o, s:{s:s, s:s, s:o}, s:o, s:o, s:o, s:o, s:{s:o}, s:{s:s, s:o, s:o}, s:{s:o}}", "version",
        oct_version(), "cpu", cpu(info), "table", "name", info->cpu.table, "reason", info->cpu.table_reason, "setting",
        text(info->setting), "operations", operations, "width", width, "ciphers", ciphers, "provider", provider(info),
        "shim", "path", text(info->shim), "openssl", "version", info->openssl, "modules", text(info->openssl_modules),
        "config", text(info->openssl_config), "keys", "setting", text(oct_setting(OCT_SETTING_KEYS)));
    /* It fails for lack of memory, or for a string that is not UTF-8. */
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (line == NULL) {
        cli_say("octuple info", "cannot make JSON: no memory, or a path or setting that is not UTF-8");
        return CLI_FAILED;
    }
    puts(line);
    free(line);
    return CLI_OK;
}
