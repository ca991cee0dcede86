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

# OpenSSL's own code, called directly, needs neither a key nor a table.
add_executable(test_provider_x25519_memory test_x25519_memory.c ${CMAKE_SOURCE_DIR}/provider/x25519/direct.c)
target_link_libraries(test_provider_x25519_memory PRIVATE octuple_flags OpenSSL::Crypto PkgConfig::CMOCKA)
target_include_directories(test_provider_x25519_memory PRIVATE ${CMAKE_SOURCE_DIR})
add_test(NAME provider/x25519_memory COMMAND test_provider_x25519_memory)
set_tests_properties(provider/x25519_memory PROPERTIES LABELS provider)
