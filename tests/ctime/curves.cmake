# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# The curves', ML-KEM's and the AEADs' part of CMakeLists.txt.
add_executable(ctime_x25519 ctime_x25519.c)
add_executable(ctime_ec ctime_ec.c ../kat/ec_peer.c ../kat/records.c)
add_executable(ctime_ed25519 ctime_ed25519.c)
add_executable(ctime_chacha20poly1305 ctime_chacha20poly1305.c)
add_executable(ctime_mlkem ctime_mlkem.c)
target_include_directories(ctime_mlkem PRIVATE ${CMAKE_SOURCE_DIR}/tests/support)
foreach(program ctime_x25519 ctime_ed25519 ctime_ec ctime_chacha20poly1305 ctime_mlkem)
  target_link_libraries(${program} PRIVATE octuple_internal)
endforeach()
oct_ctime_test(x25519 clean $<TARGET_FILE:ctime_x25519>)
oct_ctime_test(ed25519 clean $<TARGET_FILE:ctime_ed25519>)
oct_ctime_test(chacha20poly1305 clean $<TARGET_FILE:ctime_chacha20poly1305>)
oct_ctime_test(mlkem clean $<TARGET_FILE:ctime_mlkem>)
foreach(curve secp256r1 secp384r1)
  oct_ctime_test(ec_${curve} clean $<TARGET_FILE:ctime_ec> ${CMAKE_SOURCE_DIR}/tests/vectors/ecdh_${curve}_ecpoint.txt)
endforeach()
