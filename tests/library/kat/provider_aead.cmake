# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Known answers of the AEADs through the provider, on every width of vector and on portable code.
if(TARGET octuple_provider)
  add_executable(kat_provider_aead test_provider_aead.c records.c)
  target_link_libraries(kat_provider_aead PRIVATE octuple_flags octuple OpenSSL::Crypto)
  add_dependencies(kat_provider_aead octuple_provider)
  foreach(vectors aes_gcm aes_gcm_spec chacha20_poly1305)
    foreach(tier ${OCT_WIDTHS})
      set(choice "OCTUPLE_CIPHERS=on;OCTUPLE_WIDTH=${tier}")
      if(tier STREQUAL c)
        set(choice "OCTUPLE_CIPHERS=on;OCTUPLE_TABLE=c")
      endif()
      add_test(NAME kat.provider_${vectors}.${tier} COMMAND kat_provider_aead ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}
        ${OCT_VECTORS_DIR}/${vectors}.txt)
      set_tests_properties(kat.provider_${vectors}.${tier} PROPERTIES LABELS kat TIMEOUT 1500 SKIP_RETURN_CODE 77
        ENVIRONMENT "${choice};OPENSSL_CONF=/dev/null")
    endforeach()
  endforeach()
endif()
