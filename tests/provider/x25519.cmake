# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Tests of X25519 in the provider.
foreach(name x25519_key x25519_exchange x25519_pool)
  add_executable(test_provider_${name} test_${name}.c x25519_keys.c)
  target_link_libraries(test_provider_${name} PRIVATE provider_test_common)
  add_dependencies(test_provider_${name} octuple_provider)
  oct_provider_ctest(${name} test_provider_${name})
endforeach()
oct_provider_command(x25519_command)
