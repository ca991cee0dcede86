# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Tests of SM2 in the provider.
add_executable(test_provider_sm2 test_sm2.c)
target_link_libraries(test_provider_sm2 PRIVATE provider_test_common)
add_dependencies(test_provider_sm2 octuple_provider)
oct_provider_ctest(sm2 test_provider_sm2)
oct_provider_command(sm2_command)
