# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Known answers of the curves, by the C API, on every table.
function(oct_kat_run name program)
  list(TRANSFORM ARGN PREPEND ${OCT_VECTORS_DIR}/)
  foreach(table ${OCT_TABLES})
    add_test(NAME kat.${name}.${table} COMMAND ${program} ${ARGN})
    set_tests_properties(kat.${name}.${table} PROPERTIES LABELS kat TIMEOUT 900 SKIP_RETURN_CODE 77
      ENVIRONMENT "OCTUPLE_TABLE=${table}")
  endforeach()
endfunction()

add_executable(kat_api_x25519 test_api_x25519.c records.c)
target_link_libraries(kat_api_x25519 PRIVATE octuple_flags octuple)
oct_kat_run(api_x25519 kat_api_x25519 x25519.txt)
add_executable(kat_api_ed25519 test_api_ed25519.c records.c)
target_link_libraries(kat_api_ed25519 PRIVATE octuple_flags octuple)
oct_kat_run(api_ed25519 kat_api_ed25519 ed25519.txt)

if(OCT_WITH_OPENSSL)
  foreach(name ecdh ecdsa ecdsa_verify)
    add_executable(kat_api_${name} test_api_${name}.c ec_peer.c records.c)
    target_link_libraries(kat_api_${name} PRIVATE oct_test_references octuple_flags octuple OpenSSL::Crypto)
  endforeach()
  foreach(curve secp256r1 secp384r1)
    oct_kat_run(api_ecdh_${curve} kat_api_ecdh ecdh_${curve}_ecpoint.txt ecdh_${curve}.txt)
  endforeach()
  oct_kat_run(api_ecdsa_secp256r1 kat_api_ecdsa ecdsa_secp256r1_sha256.txt ecdh_secp256r1_ecpoint.txt)
  oct_kat_run(api_ecdsa_secp384r1 kat_api_ecdsa ecdsa_secp384r1_sha384.txt ecdh_secp384r1_ecpoint.txt)
  oct_kat_run(api_ecdsa_verify_secp256r1 kat_api_ecdsa_verify ecdsa_secp256r1_sha256.txt)
  oct_kat_run(api_ecdsa_verify_secp384r1 kat_api_ecdsa_verify ecdsa_secp384r1_sha384.txt)
endif()

# And through the provider, with and without fibres.
if(TARGET octuple_provider)
  add_executable(kat_provider_x25519 test_provider_x25519.c records.c fibres.c vectors.c)
  target_link_libraries(kat_provider_x25519 PRIVATE octuple_flags octuple OpenSSL::Crypto)
  add_dependencies(kat_provider_x25519 octuple_provider)
  foreach(table ${OCT_SERVED_TABLES})
    add_test(NAME kat.provider_x25519.${table} COMMAND kat_provider_x25519 ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}
      ${OCT_VECTORS_DIR}/x25519.txt)
    set_tests_properties(kat.provider_x25519.${table} PROPERTIES LABELS kat TIMEOUT 900 SKIP_RETURN_CODE 77
      ENVIRONMENT "OCTUPLE_TABLE=${table};OPENSSL_CONF=/dev/null")
  endforeach()
endif()
if(TARGET octuple_provider AND OCT_WITH_OPENSSL)
  add_executable(kat_provider_ec test_provider_ec.c fibres.c records.c vectors.c)
  target_link_libraries(kat_provider_ec PRIVATE octuple_flags octuple OpenSSL::Crypto)
  add_dependencies(kat_provider_ec octuple_provider)
  foreach(table ${OCT_SERVED_TABLES})
    add_test(NAME kat.provider_ec.${table} COMMAND kat_provider_ec ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}
      ecdh_secp256r1_ecpoint.txt ecdh_secp256r1.txt ecdh_secp384r1_ecpoint.txt ecdh_secp384r1.txt
      ecdsa_secp256r1_sha256.txt ecdsa_secp384r1_sha384.txt)
    set_tests_properties(kat.provider_ec.${table} PROPERTIES LABELS kat TIMEOUT 900 SKIP_RETURN_CODE 77
      WORKING_DIRECTORY ${OCT_VECTORS_DIR} ENVIRONMENT "OCTUPLE_TABLE=${table}")
  endforeach()
endif()
