# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Known answers of ML-KEM, by the kernels, on every table.
add_executable(kat_mlkem test_mlkem.c records.c)
target_link_libraries(kat_mlkem PRIVATE oct_test_support octuple_internal)
foreach(table ${OCT_SERVED_TABLES})
  foreach(vectors 768 768_encaps 768_keygen_seed 768_semi_expanded_decaps 1024)
    add_test(NAME kat.mlkem_${vectors}.${table}
      COMMAND kat_mlkem ${OCT_VECTORS_DIR}/mlkem_${vectors}.txt)
    set_tests_properties(kat.mlkem_${vectors}.${table} PROPERTIES LABELS kat TIMEOUT 1500 SKIP_RETURN_CODE 77
      ENVIRONMENT "OCTUPLE_TABLE=${table}")
  endforeach()
endforeach()
