/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Settings as the environment has them: words and options behind a value. */
#include "base/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include "run_tests.h"

static void test_value(void **state)
{
    (void)state;
    unsetenv("OCTUPLE_WIDTH");
    assert_null(oct_setting(OCT_SETTING_WIDTH));
    setenv("OCTUPLE_WIDTH", "", 1);
    assert_null(oct_setting(OCT_SETTING_WIDTH));
    setenv("OCTUPLE_WIDTH", "256", 1);
    assert_string_equal(oct_setting(OCT_SETTING_WIDTH), "256");
    unsetenv("OCTUPLE_WIDTH");
}

static void test_rows(void **state)
{
    (void)state;
    assert_string_equal(oct_setting_row(OCT_SETTING_COMBINE)->variable, "OCTUPLE_COMBINE");
    assert_string_equal(oct_setting_row(OCT_SETTING_COMBINE)->wrong,
                        "OCTUPLE_COMBINE has a value that is none of auto, off");
}

static void expect_option(const char *from, const char *name, const char *value)
{
    size_t len = 99;
    const char *found = oct_setting_option(from, name, &len);
    if (value == NULL) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_int_equal(len, strlen(value));
    assert_memory_equal(found, value, len);
}

static void test_options(void **state)
{
    (void)state;
    expect_option(NULL, "nice", NULL);
    expect_option("16", "nice", NULL);
    expect_option("nice=3", "nice", NULL);
    expect_option("16,nice", "nice", NULL);
    expect_option("16,nicer=3", "nice", NULL);
    expect_option("16,nice=3", "nice", "3");
    expect_option("16,nice=", "nice", "");
    expect_option("16,timeout=9,nice=3,nice=4", "nice", "3");
    expect_option("16,except=a name,nice=3", "except", "a name");
}

static void test_option_several_times(void **state)
{
    (void)state;
    size_t len;
    const char *at = oct_setting_option("16,except=a,nice=1,except=bc", "except", &len);
    assert_non_null(at);
    assert_int_equal(len, 1);
    at = oct_setting_option(at, "except", &len);
    assert_non_null(at);
    assert_string_equal(at, "bc");
    assert_null(oct_setting_option(at, "except", &len));
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_value, test_rows, test_options, test_option_several_times);
}
