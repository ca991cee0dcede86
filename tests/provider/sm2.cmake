# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Tests of SM2 in the provider.
foreach(name sm2 sm2_group)
  add_executable(test_provider_${name} test_${name}.c)
  target_link_libraries(test_provider_${name} PRIVATE provider_test_common)
  add_dependencies(test_provider_${name} octuple_provider)
  oct_provider_ctest(${name} test_provider_${name})
endforeach()
oct_provider_command(sm2_command)
oct_provider_command(sm2_tls_command)
